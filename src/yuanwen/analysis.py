"""Text -> folded text with a way back -> tokens. The same path for documents and for questions.

Folding is for finding only: width and compatibility forms, case, diacritics, traditional characters, variants of
quotes and dashes, characters without width. Two texts that fold to the same string count as the same words.

Scripts that are written without spaces are cut into overlapping pairs of characters, the rest into words; no
dictionary. A run of pairs goes on across white space, since a PDF breaks words anywhere, and ends at
punctuation. The tokens of a text are one string, separated by spaces:

    配置API接口的  ->  配置 置 _api 接口 口的 的

Each character of a run starts exactly one token, so a prefix finds a single character; `_` marks words, so that
the words of a dictionary can be walked alone.
"""

import re
import unicodedata
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from yuanwen import tables

if TYPE_CHECKING:
    import Stemmer

VERSION = 2  # of the tokens: an index made with another version is rebuilt

# Scripts from Thai on (Tibetan, Burmese, Hangul, Khmer, kana, Han, ...) are cut: most are written without spaces.
# That is every letter from U+0E00 up, and the vowel signs of the blocks in _SIGNS. It holds for folded text.
_FIRST_CUT = "\u0e00"
_SIGNS = "\u0e00-\u109f\u1780-\u17ff"
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u061c\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u20d0-\u20ff\ufe00-\ufe0f"
    "\u3099\u309a\ufe20-\ufe2f\ufeff"
)
_VARIANTS = {
    "'": "‘’‚‛′`´",
    '"': "“”„‟″「」『』﹁﹂﹃﹄〝〞«»",
    "-": "‐‑‒–—―−﹣",
    "~": "～〜",
    "·": "・•‧",
    ".": "。",
    ",": "、",
}
_PLAIN = str.maketrans({variant: plain for plain, variants in _VARIANTS.items() for variant in variants})
WORD_LIMIT = 1000  # longer words are indexed in pieces that overlap by NEEDLE characters
NEEDLE = 64  # the longest part of a word that the dictionary is asked for

_mark = re.compile(f"[{_MARKS}]")
_half = re.compile("[\ud800-\udfff]")
_gap = re.compile(f"\\s+(?=[^\\x00-{chr(ord(_FIRST_CUT) - 1)}])")  # before what may be cut script
_nonword = re.compile(r"[^\w\s]")
# Classes of few ranges: large ones take longer to compile than a search takes.
_letters, _word = f"[^\\W_\\x00-{chr(ord(_FIRST_CUT) - 1)}]", f"[^\\W_{_FIRST_CUT}-\\U0010ffff]"
_run = re.compile(f"{_letters}+|{_word}+")
_signs = re.compile("[\u0e00-\u17ff]")  # whether to look closer: one range is quick to look for
_camel = re.compile("[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]")
_identifier = re.compile("[A-Za-z0-9]{2,}")
_part = re.compile("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ordinal = re.compile("第[0-9〇零一二三四五六七八九十百千万两]+[条章节款项编篇回卷部期届]")


# -------------------------------------------------------------------------------------------- folding


class _Folds(dict[int, str]):
    """Code point -> what it folds to, computed once. Hangul folds to loose letters, however it was written.

    Without `marks` only what a word may be made of folds.
    """

    def __init__(self, *, marks: bool) -> None:
        self._marks = marks
        self._simplified = dict(zip(tables.TRADITIONAL, tables.SIMPLIFIED, strict=True)) if marks else {}

    def __missing__(self, point: int) -> str:
        character = chr(point)
        if self._marks:
            folded = self._fold(character)
        else:
            folded = _FOLDS[point]
            if folded and not any(c.isalnum() or is_cut(c) for c in folded):
                folded = character
        self[point] = folded
        return folded

    def _fold(self, character: str) -> str:
        if "\u4e00" <= character <= "\u9fff":  # Han of the basic plane has no other form
            return self._simplified.get(character, character)
        text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", character).casefold())
        text = _mark.sub("", text).translate(_PLAIN)
        return "".join(self._simplified.get(c, c) for c in text)


_FOLDS, _WORD_FOLDS = _Folds(marks=True), _Folds(marks=False)


def fold_character(character: str) -> str:
    """Return what one character folds to: nothing, another character, or several."""
    return _FOLDS[ord(character)]


class _Folder:
    """Folds text after text: the first of them by a table, which is ready at once; a process that folds more than
    WARM characters then compiles a pattern for what folds, which takes 10 ms and is five times as fast."""

    WARM = 200_000

    def __init__(self, folds: _Folds, foldable: str) -> None:
        self._folds = folds
        self._foldable = foldable
        self._folded = 0

    def __call__(self, text: str) -> str:
        if self._folded > self.WARM:
            return self._pattern.sub(self._replacement, text)
        self._folded += len(text)
        return text.translate(self._folds)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(f"[{self._foldable}\\U00010000-\\U0010ffff]")

    def _replacement(self, match: re.Match[str]) -> str:
        return self._folds[ord(match[0])]


_fold = _Folder(_FOLDS, tables.WORD_CHARACTERS + tables.MARKS)
_fold_words = _Folder(_WORD_FOLDS, tables.WORD_CHARACTERS)


def whole(text: str) -> str:
    """Return `text` with what is half a character (a lone surrogate) replaced: no document holds one."""
    return text if text.isascii() else _half.sub("\ufffd", text)


def fold(text: str) -> str:
    """Return `text` as it is compared. Its length may differ: see `Folding` for the way back."""
    return _fold(text)


def fold_words(text: str) -> str:
    """Return `text` with its words folded and its punctuation as it was: cheaper, and enough for tokens."""
    return _fold_words(text)


_known_even: set[str] = set()


def _even(characters: set[str]) -> bool:
    """Return whether each of the characters folds to one character."""
    if characters <= _known_even:
        return True
    fresh = characters - _known_even
    even = {character for character in fresh if len(_FOLDS[ord(character)]) == 1}
    _known_even.update(even)
    return even == fresh


class Folding:
    """A folded text that leads back: `span` maps a span of `text` to the span of the original that it came from.

    Without `marks` punctuation stays as it was. `folded` is what the original folds to, if that is known.
    """

    def __init__(self, original: str, *, marks: bool = True, folded: str = "") -> None:
        self.text = folded or (fold(original) if marks else fold_words(original))
        self._starts: Sequence[int] = range(len(original))
        self._ends: Sequence[int] = range(1, len(original) + 1)
        if self.text != original and not _even(set(original)):
            folds = _FOLDS if marks else _WORD_FOLDS
            self._map([folds[ord(character)] for character in original])

    def _map(self, parts: list[str]) -> None:
        starts, ends = array("I"), array("I")
        for place, part in enumerate(parts):
            starts.extend([place] * len(part))
            ends.extend([place + 1] * len(part))
            if not part and ends:
                ends[-1] = place + 1  # a mark belongs to the character before it
        self._starts, self._ends = starts, ends

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original for the span `[start, end)` of `text`, which must not be empty."""
        return self._starts[start], self._ends[end - 1]


class _Cut(dict[str, bool]):
    def __missing__(self, character: str) -> bool:
        letter = character.isalnum() or "\u0e00" <= character <= "\u109f" or "\u1780" <= character <= "\u17ff"
        answer = self[character] = character >= _FIRST_CUT and letter
        return answer


_is_cut = _Cut()


def is_cut(character: str) -> bool:
    """Return whether a folded character belongs to a script that is cut into pairs."""
    return _is_cut[character]


def in_word(character: str) -> bool:
    """Return whether a folded character belongs to a word."""
    return character.isalnum() and not _is_cut[character]


# --------------------------------------------------------------------------------------------- tokens


class Tokens(NamedTuple):
    """The tokens of a text, separated by spaces: `ordered` as they stand, `terms` for which order does not count."""

    ordered: str
    terms: str


def tokens(text: str) -> Tokens:
    """Return the tokens of an original text.

    `terms` are the stems of words, parts of identifiers, numbered places, and a token for each symbol.
    """
    folded = fold_words(text)
    parts = _splitting(folded).split(folded)
    between, found = parts[0::2], parts[1::2]  # what stands between runs, and the runs
    if any(map(str.isspace, between[1:-1])):
        found = _run_on(found, between)
    cut = _is_cut
    stems = [stem(run) for run in found if not cut[run[0]] and len(run) <= NEEDLE]
    marks = {token for character in set("".join(between)) for token in _symbols[character]}
    terms = [*stems, *sorted(identifiers(text)), *ordinals(folded), *sorted(marks)]
    if _line_end_hyphen.search(folded):
        for before, after in broken(folded):
            terms += [stem(before + after), _crossing(before[-2:], after[:2])]
    return Tokens(ordered(found) if found else "", " ".join(terms))


def _run_on(found: list[str], between: list[str]) -> list[str]:
    """Return runs, of which those of cut script with nothing but white space between them are joined."""
    cut = _is_cut
    joined = found[:1]
    for gap, run in zip(between[1:], found[1:], strict=False):
        if gap.isspace() and cut[run[0]] and cut[joined[-1][0]]:
            joined[-1] += run
        else:
            joined.append(run)
    return joined


@cache
def _splitting_by(run: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(f"({run.pattern})")


def _splitting(folded: str) -> re.Pattern[str]:
    return _splitting_by(_runs(folded))


def runs(folded: str) -> list[str]:
    """Return the runs of a folded text in order: stretches of cut script, and words.

    For a stretch to go on across white space, close the text first.
    """
    return _runs(folded).findall(folded)


@cache
def _signed_run() -> re.Pattern[str]:
    return re.compile(f"(?:{_letters}|[{_SIGNS}])+|{_word}+")


def _runs(folded: str) -> re.Pattern[str]:
    return _signed_run() if _signs.search(folded) else _run


@cache
def _words() -> re.Pattern[str]:
    return re.compile(f"{_word}+")


def words(folded: str) -> list[str]:
    """Return the words of a folded text in order."""
    return _words().findall(folded)


def standing_words(folded: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield each word of a folded text with its span."""
    for match in _words().finditer(folded):
        yield match[0], match.span()


def units(folded: str) -> list[int]:
    """Return where each word and each character of cut script starts in a folded text."""
    found: list[int] = []
    for run in _runs(folded).finditer(folded):
        found += range(*run.span()) if _is_cut[run[0][0]] else [run.start()]
    return found


def closed(folded: str) -> str:
    """Return a folded text without the white space that stands between characters of cut script."""
    return _gap.sub(_close, folded)


class Closing:
    """A folded text without the white space between characters of cut script, and the way back to it."""

    def __init__(self, folded: str) -> None:
        self._after: list[int] = []  # where in `text` a gap was
        self._gone: list[int] = [0]  # how much white space is gone before and with that gap
        parts: list[str] = []
        done = 0
        for gap in _gap.finditer(folded):
            start, end = gap.span()
            if start and _is_cut[folded[start - 1]] and _is_cut[folded[end]]:
                parts.append(folded[done:start])
                self._after.append(start - self._gone[-1])
                self._gone.append(self._gone[-1] + end - start)
                done = end
        parts.append(folded[done:])
        self.text = "".join(parts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the folded text for the span `[start, end)` of `text`, which must not be empty."""
        first, last = bisect_right(self._after, start), bisect_right(self._after, end - 1)
        return start + self._gone[first], end + self._gone[last]


def _close(gap: re.Match[str]) -> str:
    start, end = gap.span()
    return "" if start and _is_cut[gap.string[start - 1]] and _is_cut[gap.string[end]] else gap[0]


def stretches(folded: str) -> list[tuple[str, bool]]:
    """Return the runs of a folded text joined where nothing stands between them, and whether each has cut script."""
    found: list[tuple[str, bool]] = []
    end = -1
    for run in _runs(folded).finditer(folded):
        cut = _is_cut[run[0][0]]
        if run.start() == end:
            before, mixed = found[-1]
            found[-1] = before + run[0], mixed or cut
        else:
            found.append((run[0], cut))
        end = run.end()
    return found


def pieces(word: str) -> Iterator[str]:
    """Yield `word`, or its overlapping pieces if it is longer than WORD_LIMIT."""
    yield word[:WORD_LIMIT]
    for start in range(WORD_LIMIT - NEEDLE, len(word) - NEEDLE, WORD_LIMIT - NEEDLE):
        yield word[start : start + WORD_LIMIT]


_WORD = "\ue000"  # stands for a word while the pairs are made; a private character is in no run
_unpaired = re.compile("\n. ")


def ordered(found: list[str]) -> str:
    """Return the tokens of runs as they stand, separated by spaces.

    The pairs of a whole text are made at once by strided copies: a loop in Python costs more than twice as much.
    """
    cut = _is_cut
    words = [run for run in found if not cut[run[0]]]
    characters = array("I")
    characters.frombytes("\n".join([run if cut[run[0]] else _WORD for run in found]).encode("utf-32-le"))
    paired = array("I", b"\x20\0\0\0" * (3 * len(characters)))
    paired[0::3] = characters
    paired[1:-2:3] = characters[1:]
    text = _unpaired.sub("", paired.tobytes().decode("utf-32-le")).replace("\n", "").rstrip()
    around = text.split(_WORD)
    return around[0] + "".join(f"_{word}{rest}" for word, rest in zip(map(_pieced, words), around[1:], strict=True))


def _pieced(word: str) -> str:
    return word if len(word) <= WORD_LIMIT else " _".join(pieces(word))


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the English stem of a folded word (Snowball); other words come back as they are."""
    return _stemmer().stemWord(word) if word.isascii() else word


def stems(folded: str) -> set[str]:
    """Return the stems of the words of a folded text."""
    return set(map(stem, words(folded)))


@cache
def _stemmer() -> "Stemmer.Stemmer":
    import Stemmer  # here, since a question in Chinese needs none

    return Stemmer.Stemmer("english")


def identifiers(text: str) -> set[str]:
    """Return the folded parts of identifiers in an original text: `use` and `effect` for `useEffect`."""
    found: set[str] = set()
    for word in _identifier.findall(text):
        if _camel.search(word):
            found.update(part.lower() for part in _part.findall(word) if len(part) > 1)
    return found


def ordinals(folded: str) -> list[str]:
    """Return the numbered places named in a folded text, such as 第三十八条."""
    return _ordinal.findall(folded) if "第" in folded else []


class _Symbols(dict[str, tuple[str, ...]]):
    """Character -> the tokens of what it folds to, if that is marks and symbols."""

    def __missing__(self, character: str) -> tuple[str, ...]:
        symbolic = not character.isalnum() and not is_cut(character)
        marks = [c for c in fold_character(character) if c.isprintable() and not c.isspace()] if symbolic else []
        found = self[character] = tuple(f"~{ord(mark):x}" for mark in marks)
        return found


_symbols = _Symbols()


def symbols(text: str) -> set[str]:
    """Return a token for each mark or symbol that stands in a text."""
    found = set(_nonword.findall(text))
    if "_" in text:
        found.add("_")
    return {token for character in found for token in _symbols[character]}


BROKEN = "-[^\\S\\n]*\\n\\s*"  # a pattern: what may stand inside a word that goes on in the next line
_line_end_hyphen = re.compile(r"-[^\S\n]*\n")
_hyphenated = re.compile(f"({_word}+){BROKEN}({_word}+)")


def broken(folded: str) -> Iterator[tuple[str, str]]:
    """Yield both parts of each word of a folded text that a hyphen breaks at the end of a line."""
    for match in _hyphenated.finditer(folded):
        yield match[1], match[2]


# -------------------------------------------------------------------------------------------- borders


def squeezed(folded: str) -> str:
    """Return a folded text without its white space."""
    return "".join(folded.split())


def squeezed_start(text: str) -> str:
    """Return the first one or two characters of an original text, folded and without white space."""
    return (squeezed(fold(text[:64])) or squeezed(fold(text)))[:2]


def squeezed_end(text: str) -> str:
    """Return the last one or two characters of an original text, folded and without white space."""
    return (squeezed(fold(text[-64:])) or squeezed(fold(text)))[-2:]


def border(before: str, after: str) -> list[str]:
    """Return tokens for a border of passages, from the squeezed texts on its two sides.

    A match across the border reaches at least one character, and mostly two, into each side; one token stands
    for each case. They are hashes: what they find is re-checked.
    """
    cases = {(before[-b:], after[:a]) for b in (1, 2) for a in (1, 2)} if before and after else set()
    return sorted(_crossing(left, right) for left, right in cases)


def crossings(needle: str) -> list[str]:
    """Return the tokens of every border that a squeezed needle could cross."""
    return [_crossing(needle[max(0, k - 2) : k], needle[k : k + 2]) for k in range(1, len(needle))]


def _crossing(before: str, after: str) -> str:
    return f"^{zlib.crc32(f'{before} {after}'.encode()):08x}"
