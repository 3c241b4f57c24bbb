"""Markdown or plain prose -> its blocks: paragraphs, headings, items, rows of tables, block quotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from yuanwen.needle import Span

Kind = Literal["prose", "heading", "row", "head of a table", "quotation"]
HEADING = 100  # characters of a line that is underlined to make it a heading


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of a text. `lines` are the spans of its lines, without the marks that stand before them."""

    kind: Kind
    lines: tuple[Span, ...]

    @property
    def span(self) -> Span:
        """From the first character to the end of the last line."""
        return self.lines[0][0], self.lines[-1][1]


_line = re.compile(r"[^\r\n]*+(?:\r\n?|\n|\Z)")
_fence = re.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+#.{}=-]*\s*", re.ASCII)
_rule = re.compile(r"\s*([-*_=])(?:\s*\1){2,}\s*")
_underline = re.compile(r"\s{0,3}(?:=+|-{2,})\s*")
_heading = re.compile(r"\s{0,3}#{1,6}(?:\s+|(?<=##)(?!#)|\Z)")
_bold = re.compile(r"\s*(\*\*|__)(?!\s)(?:(?!\1).)+\1\s*[:：]?\s*")
_quoted = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:>[^\S\n]?)++(?:[^\S\n]*>[^\S\n]?)*+")
_item = re.compile(
    r"\s*(?:[-*+•·●▪◦○■]\s+|\d{1,3}(?:[.)．]\s+|[、）]\s*)|[（(]\d{1,3}[）)]\s*|[①-⑳]\s*|\[\^[^\]\s]{1,40}\]:\s+)"
    r"(?:\[[ xX]\]\s+)?"
)
_chapter = re.compile(r"\s*(?:[（(][一二三四五六七八九十]{1,3}[）)]|[一二三四五六七八九十]{1,3}、)")
_definition = re.compile(
    r"\s*\[([^\]\[^][^\]\[]*)\]:\s*(?:<[^<>\s]+>|(?:[a-z]+://|mailto:|www\.|\.{0,2}/|#)\S*)(?:\s+[\"'(].*[\"')])?\s*",
    re.I,
)
_columns = re.compile(r"\s*+\|?\s*+:?-+:?\s*+(?:\|\s*+:?-+:?\s*+)*+\|?\s*+")
_stop = re.compile(r"[。！？!?.…]\W*\Z")
_alert = re.compile(r"\s*\[![A-Za-z]+\]\s*")


class Blocks:
    """The blocks of a text, in order, and the names of the links that it defines."""

    def __init__(self, text: str) -> None:
        self.definitions: set[str] = set()
        self._text = text
        self._lines: list[Span] = []
        self._kind: Kind = "prose"
        self._in_table = False

    def __iter__(self) -> Iterator[Block]:
        for found in _line.finditer(self._text):
            yield from self._read(found.start(), found.start() + len(found[0].rstrip("\r\n")))
        yield from self._close()

    def _close(self, kind: Kind | None = None) -> Iterator[Block]:
        """Yield the block that ends here."""
        if self._lines:
            yield Block(kind=kind or self._kind, lines=tuple(self._lines))
        self._lines = []
        self._kind = "prose"

    def _read(self, start: int, end: int) -> Iterator[Block]:
        """Yield the blocks that end before, or with, the line `[start, end)`."""
        line = self._text[start:end]
        if ">" in line and (prefix := _quoted.match(line)):
            if self._kind != "quotation":
                yield from self._close()
            rest = line[prefix.end() :]
            if rest.strip() and not _alert.fullmatch(rest) and not _fence.fullmatch(rest):
                self._kind = "quotation"
                self._lines.append((start + prefix.end(), end))
            else:
                yield from self._close()
            return
        if self._kind == "quotation":
            yield from self._close()
        first = line.lstrip()[:1]
        if not first:
            self._in_table = False
            yield from self._close()
        elif "|" in line and _columns.fullmatch(line):
            self._in_table = True
            yield from self._close("head of a table" if len(self._lines) == 1 else None)
        elif first in "=-" and _underline.fullmatch(line) and self._is_title():
            yield from self._close("heading")
        elif first == "[" and (definition := _definition.fullmatch(line)):
            self.definitions.add(definition[1].strip().casefold())
            yield from self._close()
        elif first in "`~-*_=" and (_fence.fullmatch(line) or _rule.fullmatch(line)):
            yield from self._close()
        else:
            yield from self._words(line, start, end)

    def _is_title(self) -> bool:
        """Return whether what stands above a line of dashes is a title, not a paragraph above a rule."""
        if len(self._lines) != 1 or self._kind != "prose":
            return False
        title = self._text[slice(*self._lines[0])]
        return len(title) <= HEADING and not _stop.search(title)

    def _words(self, line: str, start: int, end: int) -> Iterator[Block]:
        """Yield the blocks that end before, or with, a line that has words."""
        if "#" in line and (prefix := _heading.match(line)):
            yield from self._close()
            yield Block(kind="heading", lines=((start + prefix.end(), end),))
        elif (self._in_table and "|" in line) or line.lstrip().startswith("|"):
            yield from self._close()
            self._lines, self._kind = [(start, end)], "row"
        else:
            prefix = _item.match(line)
            if prefix or _chapter.match(line) or self._kind == "row":
                yield from self._close()
            first = start + prefix.end() if prefix else start
            bold = ("**" in line or "__" in line) and _bold.fullmatch(line, prefix.end() if prefix else 0)
            if bold and not _stop.search(line):
                yield from self._close()
                yield Block(kind="heading", lines=((first, end),))
            else:
                self._lines.append((first, end))
