"""A question and its hits -> a prompt that has a model answer from these passages and from nothing else.

Each passage stands between two lines that bear a boundary. The boundary occurs nowhere else in the prompt but where
the instructions name it, so no text, title or source can close its fence or open another.
"""

import hashlib
import os
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from yuanwen.errors import UsageError
from yuanwen.model import Evidence, Hit
from yuanwen.prompt_words import WORDS, Words
from yuanwen.sentences import sentences
from yuanwen.wording import Language, in_words, language_of

if TYPE_CHECKING:
    from yuanwen.model import Context

Span = tuple[int, int]

BUDGET = 8000  # characters
NAMED = 10  # passages that are named among those left out
LINE = 200  # characters of a title, a source or the like that are shown
BEGINNING = 12  # characters of a paragraph by which its automatic number is told

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # without vowels and digits: neither a word nor an id
_LENGTH = 10  # letters of a boundary
_JOINERS = "\u200c\u200d"  # which scripts and emoji need
_beside_words = re.compile(r"[\W_]+")


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """A prompt, and which passages are in it, by id, in its order.

    `cut` are those of `passages` of which only some sentences are in; `left_out` are those that did not fit.
    `characters` is the length of `text`. `boundary` is what fences the passages.
    """

    text: str
    question: str
    lang: Language
    boundary: str
    passages: tuple[str, ...]
    cut: tuple[str, ...]
    left_out: tuple[str, ...]
    characters: int


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What a search found for a question, and the prompt that it fills: None where it found nothing."""

    evidence: Evidence
    prompt: Prompt | None


def fill(question: str, hits: Sequence[Hit], *, budget: int = BUDGET, lang: Language | None = None) -> Prompt:
    """Return the prompt that asks `question` of `hits`, at most `budget` characters long, the same for the same input.

    Passages come in the order of the hits while they fit; one that does not fit whole is cut to whole sentences around
    its matches, or left out. What stands around a hit comes beside it, once all hits are in. No passage comes twice.
    Without `lang` the language is that of the question.
    Raises UsageError for another language, for no hits, and for a budget that has no room for a sentence.
    """
    question = question.strip()
    lang = lang or language_of(question)
    if lang not in WORDS:
        raise UsageError("there is no prompt in the language {lang}", hint="Use zh or en.", lang=lang)
    ranked = _distinct(hits)
    passages = [passage for _, passage in ranked]
    if not passages:
        raise UsageError("there is no passage to answer from", hint="Search for other words.")
    form = _form(question, passages, lang)
    parts = _chosen(form, passages, budget)
    shown = [p for _, p in sorted(ranked, key=lambda pair: (pair[0], pair[1].start)) if p.id in parts]
    left_out = tuple(p.id for p in passages if p.id not in parts)
    text = form.written([form.block(p, parts[p.id]) for p in shown], left_out)
    return Prompt(
        text=text,
        question=question,
        lang=lang,
        boundary=form.boundary,
        passages=tuple(p.id for p in shown),
        cut=tuple(p.id for p in shown if parts[p.id] != _whole(p)),
        left_out=left_out,
        characters=len(text),
    )


# --------------------------------------------------------------------------------------- which passages


def _distinct(hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
    """Return the hits, then what stands around them, with the number of the hit; none of their text is there twice."""
    beside = [(n, _beside(hit, each)) for n, hit in enumerate(hits) for each in (*hit.before, *hit.after)]
    kept: list[tuple[int, Hit]] = []
    for number, passage in [*enumerate(hits), *beside]:
        overlapping = [at for at, (_, other) in enumerate(kept) if _overlap(other, passage)]
        for at in overlapping:
            passage = _joined(kept[at][1], passage)
        if overlapping:
            kept[overlapping[0]] = (kept[overlapping[0]][0], passage)
            kept = [each for at, each in enumerate(kept) if at not in overlapping[1:]]
        else:
            kept.append((number, passage))
    return [(number, passage) for number, passage in kept if passage.text.strip()]


def _beside(hit: Hit, other: "Context") -> Hit:
    """Return a passage around a hit, as one; what is not known of it is left empty."""
    known = replace(hit, id=other.id, start=other.start, end=other.end, text=other.text)
    return replace(known, place=None, page=None, paragraph=0, matches=(), evidence=None, marks=())


def _overlap(one: Hit, other: Hit) -> bool:
    same = one.id.rpartition("-")[0] == other.id.rpartition("-")[0]  # the same text, at whatever source
    return same and (one.id == other.id or (one.start < other.end and other.start < one.end))


def _joined(one: Hit, other: Hit) -> Hit:
    """Return two stretches of one text that overlap as one, with the id of the first in the text."""
    if other.start < one.start:
        one, other = other, one
    shift = other.start - one.start
    return replace(
        one,
        end=max(one.end, other.end),
        text=one.text + other.text[one.end - other.start :],
        matches=tuple(sorted({*one.matches, *((start + shift, end + shift) for start, end in other.matches)})),
    )


# ------------------------------------------------------------------------------------ how much of each


def _chosen(form: "_Form", passages: Sequence[Hit], budget: int) -> dict[str, Span]:
    """Return which part of which passage is in, by id. Raises UsageError if none can be."""
    everything = {p.id: _whole(p) for p in passages}
    all_blocks = [form.block(p, everything[p.id]) for p in passages]
    if len(form.written(all_blocks, ())) <= budget:
        return everything
    parts: dict[str, Span] = {}
    blocks: list[str] = []
    for passage in passages:
        others = [p.id for p in passages if p.id not in parts and p is not passage]  # as if none of the rest would fit
        room = budget - len(form.written(blocks, others))
        part = _fitting(form, passage, room)
        if part is not None:
            parts[passage.id] = part
            blocks.append(form.block(passage, part))
    if not parts:
        raise UsageError(
            "a budget of {budget} characters has no room for a sentence of any passage",
            hint="Give it {least} or more.",
            budget=budget,
            least=min(len(form.written(all_blocks, ())), *_least(form, passages)),
        )
    return parts


def _least(form: "_Form", passages: Sequence[Hit]) -> Iterator[int]:
    """Yield the lengths of the prompts with all of one passage, or with one sentence of it, and nothing else."""
    for passage in passages:
        others = [p.id for p in passages if p is not passage]
        yield from (len(form.written([form.block(passage, part)], others)) for part in _smallest(passage))


def _fitting(form: "_Form", passage: Hit, room: int) -> Span | None:
    """Return the part of a passage that fits into `room` characters: all of it, or whole sentences, or nothing."""

    def fits(part: Span) -> bool:
        return len(form.block(passage, part)) <= room

    whole, least = _smallest(passage)
    if fits(whole):
        return whole
    return _grown(passage, least, fits) if fits(least) else None


def _smallest(passage: Hit) -> tuple[Span, Span]:
    """Return all of a passage, and the sentence of it that has the most of what matches, the first of several.

    A heading is not taken for a sentence, unless there is nothing else.
    """
    wanted = (passage.evidence,) if passage.evidence else sorted(passage.matches)
    starts = [start for start, _ in wanted]
    longest = max((end - start for start, end in wanted), default=0)
    headings = {_line(each) for each in (passage.title, *passage.heading)}

    def worth(span: Span) -> int:
        if _line(passage.text[slice(*span)].lstrip("# \t")) in headings:
            return -1
        near = wanted[bisect_left(starts, span[0] - longest) : bisect_left(starts, span[1])]
        return sum(max(0, min(end, span[1]) - max(start, span[0])) for start, end in near)

    return _whole(passage), max(_sentences(passage), key=worth)


def _grown(passage: Hit, part: Span, fits: Callable[[Span], bool]) -> Span:
    """Return a sentence with those that follow it and those before it, in turn, while they fit."""
    spans = _sentences(passage)
    first = last = spans.index(part)
    sides = [1, -1]
    while sides:
        side = sides.pop(0)
        a, b = (first, last + 1) if side > 0 else (first - 1, last)
        if a >= 0 and b < len(spans) and fits((spans[a][0], spans[b][1])):
            first, last = a, b
            sides.append(side)
    return spans[first][0], spans[last][1]


def _whole(passage: Hit) -> Span:
    """Return the span of all of a passage, without the line breaks before it and the white space behind."""
    return _trimmed(passage.text, 0, len(passage.text))


def _sentences(passage: Hit) -> list[Span]:
    """Return the spans of the sentences of a passage, as those of a whole one."""
    spans = (_trimmed(passage.text, start, end) for start, end in sentences(passage.text))
    return [(start, end) for start, end in spans if start < end]


def _trimmed(text: str, start: int, end: int) -> Span:
    end = start + len(text[start:end].rstrip())
    return end - len(text[start:end].lstrip("\r\n")), end


# ------------------------------------------------------------------------------------- how it is written


@dataclass(frozen=True)
class _Form:
    """A prompt without its passages, and how they are written into it."""

    question: str
    lang: Language
    boundary: str

    @property
    def words(self) -> Words:
        """What is said in its language."""
        return WORDS[self.lang]

    def written(self, blocks: Sequence[str], left_out: Sequence[str]) -> str:
        """Return the prompt with these passages."""
        words = self.words
        opening = words.opening.format(question=self.question, boundary=self.boundary)
        closing = words.closing.format(question=self.question)
        ids = words.comma.join(left_out[:NAMED]) + words.more * (len(left_out) > NAMED)
        missing = [words.left_out.format(n=len(left_out), ids=ids)] if left_out else []
        return "".join([opening, *blocks, *missing, closing]).rstrip()

    def block(self, passage: Hit, part: Span) -> str:
        """Return a passage within its fence, or the part of it that is in."""
        start, end = part
        whole = part == _whole(passage)
        words = self.words
        said = words.text if whole else words.part.format(first=start + 1, last=end, n=len(passage.text))
        lines = [
            f"===== {self.boundary} [{passage.id}] =====",
            *_about(passage, part, self.lang),
            said,
            passage.text[start:end],
            f"===== {self.boundary} {words.end} =====",
        ]
        return "\n".join(lines) + "\n\n"


def _form(question: str, passages: Sequence[Hit], lang: Language) -> _Form:
    """Return the form whose boundary occurs neither in the question nor in what is shown of the passages."""
    unfenced = _Form(question, lang, "")
    contents = "\0".join([question, *(unfenced.block(p, _whole(p)) for p in passages)])
    return _Form(question, lang, _boundary(contents))


def _boundary(contents: str) -> str:
    """Return letters that are not in `contents`, however these are written: the first of a row made by SHA-256."""
    bare = _bare(contents)
    data = contents.encode("utf-8", "surrogatepass")
    for turn in count():
        digest = hashlib.sha256(b"%d\0" % turn + data).digest()
        boundary = "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:_LENGTH])
        if _bare(boundary) not in bare:
            return boundary
    raise AssertionError("a text holds every boundary")


def _bare(text: str) -> str:
    """Return the letters and digits of a text: no case, no width, nothing between them, visible or not."""
    return _beside_words.sub("", unicodedata.normalize("NFKC", text).casefold())


def _about(passage: Hit, part: Span, lang: Language) -> Iterator[str]:
    """Yield what is known of a passage, each on a line of its own."""
    words = WORDS[lang]
    title = " › ".join(dict.fromkeys(filter(None, map(_line, (passage.title, *passage.heading)))))
    columns = tuple(map(_line, passage.place.columns)) if passage.place is not None else ()
    first_row = tuple(map(_line, passage.text[part[0] : part[1]].partition("\n")[0].split("\t")))
    numbers = [
        f"{_line(mark.note)} {_line(passage.text[mark.start : mark.start + BEGINNING])}"
        for mark in passage.marks
        if mark.kind == "number" and part[0] <= mark.start < part[1]
    ]
    where = in_words(passage.place, lang, paragraph=passage.paragraph, heading=passage.heading)
    kinds = [passage.state, *(m.kind for m in passage.marks if m.start < part[1] and m.end > part[0])]
    cautions = dict.fromkeys(words.cautions[kind] for kind in kinds if kind in words.cautions)
    for template, value in (
        (words.title, title),
        (words.source, _line(_at_home(passage.source))),
        (words.place, _line(where)),
        (words.date, passage.dated[:10]),
        (words.columns, " | ".join(columns) if columns != first_row else ""),
        (words.numbers, words.comma.join(numbers)),
        (words.note, words.comma.join(cautions)),
    ):
        if value:
            yield template.format(value)


def _at_home(source: str) -> str:
    """Return a source without the name of the user, which stands in the path of the home folder."""
    home = os.path.join(os.path.expanduser("~"), "")
    return os.path.join("~", source[len(home) :]) if len(home) > 2 and source.startswith(home) else source


def _line(text: str) -> str:
    """Return a text on one line, its middle left out if it is long, with a sign for what could not be seen in it."""
    text = " ".join(text.split())
    if not (text.isascii() and text.isprintable()):
        text = "".join(c if c in _JOINERS or unicodedata.category(c)[0] != "C" else "\ufffd" for c in text)
    return text if len(text) <= LINE else f"{text[: LINE // 2]}…{text[1 - LINE // 2 :]}"
