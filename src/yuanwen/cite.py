"""A passage, or words of it -> a citation: one line with a receipt, and references that people read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from yuanwen import evidence
from yuanwen.comparison import Match, Original, Quotation, nearest, reach, standing
from yuanwen.errors import UsageError
from yuanwen.receipt import Receipt, digest, place_name, spans
from yuanwen.reference import Style, Work, references
from yuanwen.store import history, reading
from yuanwen.store.connection import Connection
from yuanwen.store.history import Version
from yuanwen.store.reading import Row
from yuanwen.verification import Folding, Found
from yuanwen.wording import Language, in_words, language_of

NEAR = 80  # characters that are named of what is nearest to a quotation
LONG = 150  # characters of a passage that stand in the line whole
HEAD, TAIL = 60, 40  # characters of a longer one that do
ELLIPSIS = "……"
MARKS = (("「", "」"), ("“", "”"), ("『", "』"))


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Original words, and how to cite them.

    `id` is the passage in which they start, `quote` the words as they stand in the document. `line` has both, and the
    receipt, which is in `receipt` alone; of a long passage that is cited whole the line leaves out the middle.
    `references` are by style. `folding` says in which respects the words that were given differ from `quote`. `found`
    is where they stand: its `state` is `changed` if the document has changed since.
    """

    id: str
    quote: str
    line: str
    receipt: str
    references: dict[Style, str]
    folding: tuple[Folding, ...]
    found: Found


def cite(db: Connection, row: Row, quote: str, *, today: str, lang: Language | None = None) -> Citation:
    """Return the citation of a quotation from a passage, of the whole passage without one.

    `today` is the day of citing, an ISO date. References are in `lang`, else in the language of the words. Raises
    UsageError for a quotation that is not in the passage, nor runs over its border.
    """
    rows, start, end, folding, shown = _quoted(db, row, quote) if quote.strip() else _whole(row)
    words = "".join(each.text for each in rows)[start:end]
    start, end = start + rows[0].start, end + rows[0].start
    covered = [each for each in rows if each.start < end and each.end > start] or [row]
    first = covered[0]
    found = evidence.found(covered, start - first.start, end - first.start, evidence.state(first))
    lang = lang or language_of(found.title + words)
    version = history.version(db, first.version)
    receipt = _receipt(version, first, found).line()
    return Citation(
        id=found.id,
        quote=words,
        line=f"[{found.id}]{_in_marks(shown)} {receipt}",
        receipt=receipt,
        references=references(_work(version, first, found, today=today, lang=lang), lang),
        folding=folding,
        found=found,
    )


class _Quoted(NamedTuple):
    """Where words stand in passages that follow each other. `shown` is how the line has them."""

    rows: Sequence[Row]
    start: int
    end: int
    folding: tuple[Folding, ...]
    shown: str


def _whole(row: Row) -> _Quoted:
    """Return a passage without the white space around it."""
    end = len(row.text.rstrip())
    start = end - len(row.text[:end].lstrip())
    return _Quoted([row], start, end, (), _abridged(_on_one_line(row.text[start:end])))


def _quoted(db: Connection, row: Row, words: str) -> _Quoted:
    """Return where a quotation stands in a passage, or over its border in those around it."""
    quotation = Quotation(words)
    parted = len(quotation.parts) > 1
    rows = reading.beyond(db, row, reach(quotation))
    original = Original("".join(each.text for each in rows))
    inside = (row.start - rows[0].start, row.end - rows[0].start)
    match = standing(quotation, original, inside)
    if match is None:
        raise _not_held(row, nearest(quotation, original, inside), original.text)
    text = original.text[match.start : match.end]
    if not parted:
        shown = _on_one_line(text)
    elif match.status == "verbatim":
        shown = _on_one_line(words)
    else:
        shown = _abridged(_on_one_line(text))
    return _Quoted(rows, match.start, match.end, match.folding, shown)


def _not_held(row: Row, near: Match | None, text: str) -> UsageError:
    if near is None:
        return UsageError("{id} does not hold the quotation", hint="Look for it with: --mode exact", id=row.id)
    words = _on_one_line(text[near.start : near.end])
    return UsageError(
        "{id} does not hold the quotation",
        hint="The nearest that it holds: {words}",
        id=row.id,
        words=f"{words[:NEAR]}…" if len(words) > NEAR else words,
    )


def _receipt(version: Version, row: Row, found: Found) -> Receipt:
    return Receipt(
        source=row.file,
        sha256=row.sha256,
        extractor=version.extractor,
        text_sha256=row.text_sha256,
        ordinal=row.ordinal,
        start=found.start,
        end=found.end,
        page=found.page,
        place=place_name(found.place),
        quote_sha256=digest(found.text),
    )


def _work(version: Version, row: Row, found: Found, *, today: str, lang: Language) -> Work:
    place = found.place
    last = place.last if place is not None and place.last else None
    return Work(
        title=found.title,
        author=version.author,
        media_type=row.media_type,
        source=row.file,
        url=row.source if re.match("https?://", row.source) else "",
        dated=found.dated,
        cited=today,
        place=in_words(place, lang, paragraph=row.paragraph, heading=row.heading),
        pages="" if found.page is None else f"{found.page}-{last}" if last else str(found.page),
        version=row.sha256,
    )


def _on_one_line(words: str) -> str:
    """Return words on one line. A line break within a Chinese sentence, as a PDF has them, leaves no space.

    A receipt that a document has in its text is left out, so that a line has but its own.
    """
    at, kept = 0, []
    for start, end in spans(words):
        kept.append(words[at:start])
        at = end
    text = ELLIPSIS.join([*kept, words[at:]])
    if "\t" not in text:  # of which the rows of a sheet are made
        text = re.sub(r"(?<=[\u3400-\u9fff])[^\S\n]*\n[^\S\n]*(?=[\u3400-\u9fff])", "", text)
    return " ".join(text.split())


def _abridged(words: str) -> str:
    """Return the beginning and the end of words that are long."""
    if len(words) <= LONG:
        return words
    return f"{_cut(words[:HEAD])}{ELLIPSIS}{_cut(words[: -TAIL - 1 : -1])[::-1]}"


def _cut(text: str) -> str:
    """Return text without the word at its end, which is cut, if it is one of a language with spaces."""
    return text.rsplit(" ", 1)[0] if " " in text[-20:] and text[-1].isascii() else text


def _in_marks(words: str) -> str:
    """Return words in quotation marks that they do not have themselves."""
    opening, closing = next((pair for pair in MARKS if not set(pair) & set(words)), MARKS[0])
    return f"{opening}{words}{closing}"
