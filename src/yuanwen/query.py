"""What a user typed -> a query tree. No string makes it fail: what does not parse is taken literally.

plain     :  words  "a phrase"  redis*  title:配置  NEAR(缓存 穿透, 5)       any of the words, all of the rest
boolean   :  缓存 AND (穿透 OR 击穿) NOT redis   缓存 -雪崩
filters   :  tag:工作  source:*.pdf  type:pdf  author:王芳  and each with - before it
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

FIELDS = ("title", "tag", "source", "type", "author")
NEAR_DISTANCE = 10  # when NEAR gives no distance


class Words(NamedTuple):
    """Words of which any may occur; the more, the better."""

    text: str


class Exactly(NamedTuple):
    """Words that stand together just so, as a phrase or (in boolean queries) as one word."""

    text: str
    field: Literal["text", "title"] = "text"


class Starting(NamedTuple):
    """Words that start so."""

    text: str
    field: Literal["text", "title"] = "text"


class Near(NamedTuple):
    """Words within `distance` words (characters, in Han) of each other, in any order."""

    parts: tuple[str, ...]
    distance: int


class Both(NamedTuple):
    """All of the parts."""

    parts: tuple["Node", ...]


class Either(NamedTuple):
    """At least one of the parts."""

    parts: tuple["Node", ...]


class Without(NamedTuple):
    """The part must not be there."""

    part: "Node"


Node = Words | Exactly | Starting | Near | Both | Either | Without


class Condition(NamedTuple):
    """A filter that was typed into the query."""

    field: str
    value: str
    wanted: bool = True


class Query(NamedTuple):
    """A query tree, None if only filters were typed. `notes` say what was not taken as it might have been meant."""

    node: Node | None
    conditions: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()


class _Unparsable(Exception):
    pass


@cache
def _token() -> re.Pattern[str]:
    return re.compile(
        r"""
      (?P<near>NEAR\s*\((?P<inside>[^()"]*)\))
    | (?P<field>-?(?:title|tag|source|type|author)):(?:"(?P<quoted_value>[^"]*)"|(?P<value>[^\s()"]+))
    | "(?P<phrase>[^"]*)"
    | (?P<open>\() | (?P<close>\))
    | (?P<word>[^\s()"]+)
    """,
        re.VERBOSE,
    )


_OPERATORS = ("AND", "OR", "NOT")
_negated = re.compile(r"-(?=[^\W\d_]|\")")
_prefix = re.compile(r"[^\W_]+\*")


def parse(text: str) -> Query:
    """Return the query tree of `text`."""
    if not _perhaps(text):
        return Query(Words(text) if text.strip() else None)
    tokens = list(_token().finditer(text))
    if not any(_is_syntax(token) for token in tokens):
        return Query(Words(text) if text.strip() else None)
    try:
        parser = _Parser(text, tokens)
        node = parser.expression(boolean=any(t["word"] in _OPERATORS for t in tokens) or _subtracts(tokens))
        parser.expect_end()
        if node is None and not parser.conditions:
            raise _Unparsable
        if isinstance(node, Without) or (isinstance(node, Both) and all(isinstance(p, Without) for p in node.parts)):
            raise _Unparsable  # nothing to take away from
        return Query(node, tuple(parser.conditions))
    except (_Unparsable, RecursionError):
        return Query(Words(text), notes=("the operators in the query were taken as plain text",))


def _perhaps(text: str) -> bool:
    """Return whether there can be any syntax in `text`: most questions have none of its characters."""
    return any(character in text for character in '"()*:-') or any(word in text for word in _OPERATORS)


def _is_syntax(token: re.Match[str]) -> bool:
    if token["word"] is None:
        return True
    word = token["word"]
    return word in _OPERATORS or bool(_negated.match(word) and len(word) > 2) or bool(_prefix.fullmatch(word))


def _subtracts(tokens: list[re.Match[str]]) -> bool:
    return any(t["word"] is not None and _negated.match(t["word"]) and len(t["word"]) > 2 for t in tokens)


class _Parser:
    """expression = all-of {OR all-of}; all-of = sequence {AND sequence}; sequence = unary {unary}."""

    def __init__(self, text: str, tokens: list[re.Match[str]]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.depth = 0
        self.conditions: list[Condition] = []
        position = 0
        for token in self.tokens:
            if self.text[position : token.start()].strip():
                raise _Unparsable  # a quotation mark that is never closed
            position = token.end()
        if self.text[position:].strip():
            raise _Unparsable

    def expression(self, *, boolean: bool) -> Node | None:
        parts = [self._all_of(boolean)]
        while self._take("OR"):
            parts.append(self._all_of(boolean))
        return self._joined(parts, Either) if len(parts) > 1 else parts[0]

    def expect_end(self) -> None:
        if self.at != len(self.tokens):
            raise _Unparsable

    def _all_of(self, boolean: bool) -> Node | None:
        parts = [self._sequence(boolean)]
        while self._take("AND"):
            parts.append(self._sequence(boolean))
        return self._joined(parts, Both) if len(parts) > 1 else parts[0]

    @staticmethod
    def _joined(parts: list[Node | None], kind: type[Both] | type[Either]) -> Node:
        nodes = tuple(part for part in parts if part is not None)
        if len(nodes) != len(parts) or (kind is Either and any(isinstance(node, Without) for node in nodes)):
            raise _Unparsable
        return kind(nodes)

    def _sequence(self, boolean: bool) -> Node | None:
        loose: list[str] = []
        parts: list[Node] = []
        start = self.at
        while self.at < len(self.tokens) and not self._at_end_of_sequence():
            node = self._unary(boolean)
            if isinstance(node, Words):
                loose.append(node.text)
            elif node is not None:
                parts.append(node)
        if self.at == start:
            raise _Unparsable
        if loose:
            parts.insert(0, Words(" ".join(loose)))
        return parts[0] if len(parts) == 1 else Both(tuple(parts)) if parts else None

    def _at_end_of_sequence(self) -> bool:
        token = self.tokens[self.at]
        return token["close"] is not None or token["word"] in ("AND", "OR")

    def _unary(self, boolean: bool) -> Node | None:
        token = self.tokens[self.at]
        self.at += 1
        if token["word"] == "NOT":
            if self.at == len(self.tokens) or self._at_end_of_sequence() or self.tokens[self.at]["word"] == "NOT":
                raise _Unparsable
            return self._without(self._unary(boolean))
        if token["open"] is not None:
            return self._group(boolean)
        if token["near"] is not None:
            return _near(token["inside"])
        if token["field"] is not None:
            return self._field(token)
        if token["phrase"] is not None:
            return Exactly(token["phrase"]) if token["phrase"].strip() else None
        return self._word(token["word"], boolean)

    def _group(self, boolean: bool) -> Node | None:
        self.depth += 1
        if self.depth > 50:
            raise _Unparsable
        node = self.expression(boolean=boolean)
        if self.at == len(self.tokens) or self.tokens[self.at]["close"] is None:
            raise _Unparsable
        self.at += 1
        self.depth -= 1
        return node

    def _field(self, token: re.Match[str]) -> Node | None:
        name = token["field"].removeprefix("-")
        wanted = name == token["field"]
        value = token["quoted_value"] if token["quoted_value"] is not None else token["value"]
        if not value.strip():
            raise _Unparsable
        if name == "title":
            starting = _prefix.fullmatch(value) is not None
            node: Node = Starting(value[:-1], "title") if starting else Exactly(value, "title")
            return node if wanted else Without(node)
        if self.depth or any(t["word"] == "OR" for t in self.tokens):
            raise _Unparsable  # a filter holds for the whole query
        self.conditions.append(Condition(name, value, wanted))
        return None

    def _word(self, word: str, boolean: bool) -> Node:
        if _negated.match(word) and len(word) > 2:
            return self._without(Exactly(word[1:]))
        if _prefix.fullmatch(word):
            return Starting(word[:-1])
        return Exactly(word) if boolean else Words(word)

    def _without(self, node: Node | None) -> Node:
        if node is None or isinstance(node, Without):
            raise _Unparsable
        return Without(node)

    def _take(self, operator: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at]["word"] == operator:
            self.at += 1
            return True
        return False


def _near(inside: str) -> Near:
    words, comma, distance = inside.rpartition(",")
    if not comma:
        words, distance = inside, str(NEAR_DISTANCE)
    parts = tuple(words.split())
    if len(parts) < 2 or not distance.strip().isdecimal():
        raise _Unparsable
    return Near(parts, min(int(distance), 10_000))


def positive(node: Node | None) -> Iterator[str]:
    """Yield the texts that a passage may hold to be an answer."""
    match node:
        case Words(text) | Exactly(text) | Starting(text):
            yield text
        case Near(parts):
            yield from parts
        case Both(parts) | Either(parts):
            for part in parts:
                yield from positive(part)
