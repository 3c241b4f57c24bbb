"""Whether two stretches of text are the same words, and which foldings that takes: a list of what may differ.

Stricter than `analysis`, which folds to find: here a superscript is no digit, and café is not cafe.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from typing import get_args

from yuanwen import analysis, tables
from yuanwen.verification import Folding

FOLDINGS: tuple[Folding, ...] = get_args(Folding)
ALL = frozenset(FOLDINGS)
_OF_CHARACTERS = ALL - {"white space", "hyphen", "markup"}

_VARIANTS = {
    '"': "'‘’‚‛“”„‟「」『』﹁﹂﹃﹄〝〞〟«»‹›ʼ´",
    "-": "‐‑‒–—―−﹘─━⸺⸻",
    "~": "〜∼",
    "·": "•‧∙⋅・",
    ".": "。",
    ",": "、",
    ":": "∶",
    "...": "…⋯",
}
_MARKS = frozenset("\"',.:;!?()[]{}-~、。「」『』・…—–")  # of which other forms are punctuation
_PLAIN = {variant: plain for plain, variants in _VARIANTS.items() for variant in variants}
_WIDTHLESS = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0100-\U000e01ef]"
)
_OTHERWISE = ("<compat>", "<initial>", "<medial>", "<final>", "<isolated>")  # written otherwise, if a letter
_RADICALS = ("\u2e80", "\u2fdf")
# Forms of one character that converters between the scripts give, beside those of the table: OpenCC's TWVariants,
# HKVariants and STPhrases (Apache-2.0), and pronouns that only one script has.
_FORMS = dict(
    zip(
        "著擡簷痺睪顎颚齶鯰鲶糭枱敍衞粧揹馀伕薰幷锺讬讎雠繐鏚賙赒谘钜薴暱幺缐牠妳",
        "着抬檐痹睾腭腭腭鲇鲇粽台叙卫妆背余夫熏并钟托仇仇穗戚周周咨巨苎昵么线它你",
        strict=True,
    )
)
SIMPLIFIED = {
    traditional: _FORMS.get(simplified, simplified)
    for traditional, simplified in zip(tables.TRADITIONAL, tables.SIMPLIFIED, strict=True)
} | _FORMS
# Characters for which the other script has another one in a few words only.
_IN_WORDS = {"画": "划", "畫": "划", "沈": "沉", "俱": "具", "座": "坐"}
_in_words = re.compile(
    "[画畫沈俱座](?:(?<=[计計企规規策筹籌谋謀][画畫])|(?<=沈)(?=[没沒默重思浸船积積])|(?<=[家傢]俱)|(?<=座)(?=[标標]))"
)

_LETTER = "[^\\W\\d_\u0e00-\uff20\uff3b-\uff40\uff5b-\U0010ffff]"  # of a script that is written with spaces
_dashes = re.compile("--+")
_dots = re.compile(r"\.{4,}")
inner_hyphen = re.compile(f"-(?<={_LETTER}-)(?={_LETTER})")
between_digits = re.compile(r"(?<=\d)\s*([.,。、])\s*(?=\d)")
_line_end = re.compile(f"(?<={_LETTER})[-\u2010\u00ad][^\\S\n]*\n\\s*(?={_LETTER})")
_negation = re.compile("(?i:no|not|never|none|neither|without|except|unless|cannot)")


# ----------------------------------------------------------------------------------------- characters


def fold_character(character: str, foldings: frozenset[Folding] = ALL) -> str:
    """Return what one character folds to: nothing, another character, or several."""
    return _table(foldings)[ord(character)]


def _folded(character: str, foldings: frozenset[Folding]) -> str:
    if "form" in foldings and _WIDTHLESS.match(character):
        return ""
    tag, _, _ = unicodedata.decomposition(character).partition(" ")
    if tag and _folds_by_tag(character, tag, foldings):
        character = unicodedata.normalize("NFKC", character)
    if "form" in foldings:
        character = unicodedata.normalize("NFD", character)
    if "case" in foldings:
        character = "".join(folded if len(folded := c.casefold()) == 1 else c for c in character)
    if "script" in foldings:
        character = "".join(SIMPLIFIED.get(c, c) for c in character)
    if "punctuation" in foldings:
        character = "".join(_PLAIN.get(c, c) for c in character)
    return character


def _folds_by_tag(character: str, tag: str, foldings: frozenset[Folding]) -> bool:
    category = unicodedata.category(character)
    if tag in ("<wide>", "<narrow>") and "width" in foldings:
        return True
    if tag in ("<wide>", "<narrow>", "<small>", "<vertical>") and "punctuation" in foldings:
        return unicodedata.normalize("NFKC", character) in _MARKS
    letter = category[0] == "L" or category == "Nl" or _RADICALS[0] <= character <= _RADICALS[1]
    return "form" in foldings and tag in _OTHERWISE and letter


EDGES = frozenset('".,;:!-()[]{}<>《》〈〉【】〔〕')  # marks that a quoter may put at an end, or leave out there


def core(text: str) -> tuple[int, int]:
    """Return the span of a text without the marks and white space at its ends; a point or minus of a number stays."""
    end = len(text)
    while end and _is_edge(text[end - 1]):
        end -= 1
    start = 0
    while start < end and _is_edge(text[start]):
        start += 1
    if 0 < start < end and text[start].isdigit() and every[ord(text[start - 1])] in (".", ",", "-"):
        start -= 1
    return start, end


def _is_edge(character: str) -> bool:
    return character.isspace() or EDGES.issuperset(every[ord(character)])


class _Table(dict[int, str]):
    def __init__(self, foldings: frozenset[Folding]) -> None:
        self._foldings = foldings

    def __missing__(self, point: int) -> str:
        folded = self[point] = _folded(chr(point), self._foldings)
        return folded


_table = cache(_Table)
every = _table(ALL)  # what each character folds to


def fold(text: str, foldings: frozenset[Folding] = ALL) -> str:
    """Return `text` with its characters folded and runs of dashes and dots made one; white space stays."""
    if not foldings & _OF_CHARACTERS:
        return text
    folded = (in_either_script(text) if "script" in foldings else text).translate(_table(foldings))
    return _dots.sub("...", _dashes.sub("-", folded)) if "punctuation" in foldings else folded


def in_either_script(text: str) -> str:
    """Return a text of the same length with one character for what is one word in both scripts."""
    return _in_words.sub(lambda found: _IN_WORDS[found[0]], text)


def key(text: str) -> str:
    """Return `text` as it is looked up: all folded, without white space and without hyphens inside of words."""
    return inner_hyphen.sub("", "".join(fold(text).split()))


def is_wordy(character: str) -> bool:
    """Return whether a folded character belongs to a word of a script that is written with spaces."""
    return (character.isalnum() or unicodedata.combining(character) > 0) and not analysis.is_cut(character)


# ------------------------------------------------------------------------------------------- sameness


def needed(quoted: str, original: str, given: Iterable[Folding] = ()) -> tuple[Folding, ...] | None:
    """Return the foldings that it takes to make both the same, as few as can be; None if all are not enough.

    Those `given` are needed in any case. They are tried in the order of `FOLDINGS`: the first that can be missed goes.
    """
    must = frozenset(given)
    if quoted == original:
        return tuple(folding for folding in FOLDINGS if folding in must)
    for foldings in (_likely(quoted, original) | must, ALL):
        if same(quoted, original, foldings):
            return _fewest(quoted, original, foldings, must)
    return None


def _likely(quoted: str, original: str) -> frozenset[Folding]:
    """Return the foldings of all characters that only one of the two has; they are enough unless others moved."""
    odd = set(quoted).symmetric_difference(original)
    return frozenset[Folding]({"white space", "hyphen"}).union(*map(_foldings_of, odd))


@cache
def _foldings_of(character: str) -> frozenset[Folding]:
    whole = fold_character(character)
    return frozenset(
        folding
        for folding in FOLDINGS
        if fold_character(character, frozenset({folding})) != character
        or fold_character(character, ALL - {folding}) != whole
    )


def _fewest(quoted: str, original: str, foldings: frozenset[Folding], must: frozenset[Folding]) -> tuple[Folding, ...]:
    for folding in FOLDINGS:
        if folding in foldings - must and same(quoted, original, foldings - {folding}):
            foldings -= {folding}
    return tuple(folding for folding in FOLDINGS if folding in foldings)


def same(quoted: str, original: str, foldings: frozenset[Folding]) -> bool:
    """Return whether a quotation is the same as the original words by these foldings."""
    if "punctuation" in foldings and _marks_of_numbers(quoted) != _marks_of_numbers(original):
        return False
    left, right = fold(original, foldings), fold(quoted, foldings)
    if "hyphen" in foldings:
        right = _joined(quoted, left, foldings)
        left = _joined(original, right, foldings)
    if left == right:
        return True
    if "white space" not in foldings or "".join(left.split()) != "".join(right.split()):
        return False
    return not any(True for _ in misplaced(left, right))


def _marks_of_numbers(text: str) -> list[str]:
    """Return the marks between digits: 1、2 are two numbers and 1,2 may be one."""
    return between_digits.findall(fold(text, frozenset({"form", "width"})))


def _joined(text: str, other: str, foldings: frozenset[Folding]) -> str:
    """Return a folded text, where words that go on in the next line are made whole as the other one has them."""
    parts = _line_end.split(text) if "\n" in text else [text]
    joined = fold(parts[0], foldings)
    if len(parts) == 1:
        return joined
    rest = "".join(other.split())
    at = len("".join(joined.split()))
    for part in parts[1:]:
        folded = fold(part, foldings)
        kept = rest.startswith("-", at)
        joined += "-\n" + folded if kept else folded
        at += kept + len("".join(folded.split()))
    return joined


def misplaced(original: str, quoted: str) -> Iterable[tuple[int, bool]]:
    """Yield where white space matters of two folded texts that are the same without: the offset without white space,
    and whether it is the original that has it.

    It matters between two words or parts of a number, and where the quotation makes a negation of a part of a word.
    """
    words = quoted.split()
    plain = "".join(words)
    gaps = {at: number for number, at in enumerate(accumulate(map(len, words)), 1)}
    own = set(accumulate(map(len, original.split())))
    for at in sorted(own.symmetric_difference(gaps)):
        if at in own:
            if _parts(plain, at):
                yield at, True
        elif is_wordy(plain[at - 1]) and is_wordy(plain[at]):
            before, after = words[gaps[at] - 1], words[gaps[at]]
            if _negation.fullmatch(_last_word(before)) or _negation.fullmatch(_first_word(after)):
                yield at, False


def _parts(plain: str, at: int) -> bool:
    """Return whether white space at this offset parts two words or two numbers."""
    before, after = plain[at - 1], plain[at]
    if is_wordy(before):
        return is_wordy(after) or (before.isdigit() and after in ".," and plain[at + 1 : at + 2].isdigit())
    return before in ".," and after.isdigit() and plain[max(0, at - 2) : at - 1].isdigit()


def _last_word(text: str) -> str:
    words = analysis.words(text)
    return words[-1] if words and text.endswith(words[-1]) else ""


def _first_word(text: str) -> str:
    words = analysis.words(text)
    return words[0] if words and text.startswith(words[0]) else ""
