"""What was found -> hits, as the surfaces show them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from yuanwen import disk
from yuanwen.model import Context, Hit, State
from yuanwen.scope import Finding
from yuanwen.store import places, reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row

if TYPE_CHECKING:
    from yuanwen.model import Now
    from yuanwen.place import Mark, Place
    from yuanwen.verification import Found

EXCERPT = 200  # characters
SECTION = 10  # passages on each side that `expand` shows of a section
DOUBTS = frozenset({"invisible", "garbled", "recognised", "running head", "inserted"})  # kinds of marks


def hit(db: Connection, finding: Finding, *, before: int, after: int, section: bool, explain: bool) -> Hit:
    """Return a finding as a hit, with `before` and `after` passages around it or with its section."""
    row = finding.row
    covered = _covered(db, finding)
    last = covered[-1].ordinal
    place = joined(covered)
    if section:
        first_of, last_of = reading.section(db, row)
        before, after = min(row.ordinal - first_of, SECTION), min(last_of - last, SECTION)
    earlier = reading.around(db, row.version, row.ordinal - before, row.ordinal - 1) if before else []
    later = reading.around(db, row.version, last + 1, last + after) if after else []
    return Hit(
        id=row.id,
        label=row.label,
        title=row.title,
        source=row.source,
        media_type=row.media_type,
        version=f"sha256:{row.sha256}",
        heading=row.heading,
        paragraph=row.paragraph,
        page=place.page if place is not None else None,
        place=place,
        start=row.start,
        end=row.start + len(finding.text),
        text=finding.text,
        excerpt=excerpt(finding.text, finding.matches, evidence=finding.evidence),
        matches=finding.matches,
        match=finding.match,
        score=round(finding.score, 6),
        coverage=round(finding.coverage, 4),
        evidence=finding.evidence,
        marks=_marks(covered),
        tags=row.tags,
        dated=row.dated,
        state=state(row),
        before=tuple(_context(r) for r in earlier),
        after=tuple(_context(r) for r in later),
        now=None if row.current else _now(db, finding),
        explain={name: round(value, 4) for name, value in finding.parts.items()} if explain else None,
    )


def _now(db: Connection, finding: Finding) -> "Now | None":
    """Return what stands today where the passages of an older version stood that a finding covers."""
    from yuanwen import succession  # here, since few searches look at older versions

    return succession.now(db, finding.row, (finding.row.start, finding.row.start + len(finding.text)))


def found(stretch: Sequence[Row], start: int, end: int, state: State) -> "Found":
    """Return `[start, end)` of the text of passages that follow each other, and where it stands."""
    from yuanwen.verification import Found

    base = stretch[0].start
    rows = [row for row in stretch if row.start < base + end and row.end > base + start] or [stretch[0]]
    place = joined(rows)
    text = "".join([row.text for row in rows])
    shift = base - rows[0].start
    return Found(
        id=rows[0].id,
        source=rows[0].source,
        title=rows[0].title,
        version=f"sha256:{rows[0].sha256}",
        dated=rows[0].dated,
        paragraph=rows[0].paragraph,
        page=place.page if place is not None else None,
        place=place,
        start=base + start,
        end=base + end,
        text=text[start + shift : end + shift],
        state=state,
        marks=_doubts(rows, start + shift, end + shift),
    )


def _covered(db: Connection, finding: Finding) -> list[Row]:
    """Return the passages that a finding covers: a match that crosses borders covers several."""
    rows = [finding.row]
    length = len(finding.row.text)
    while length < len(finding.text):
        following = rows[-1].ordinal + 1
        rows += reading.around(db, finding.row.version, following, following)
        length += len(rows[-1].text)
    return rows


def joined(rows: Sequence[Row]) -> "Place | None":
    """Return the place of passages that follow each other: that of the first, up to where the last ends."""
    place = places.place(rows[0].place)
    last = places.place(rows[-1].place) if len(rows) > 1 else None
    if place is None or last is None or last.unit != place.unit:
        return place
    number = last.last or last.number
    return replace(place, last=number if number != place.number else None)


def _marks(rows: Sequence[Row]) -> "tuple[Mark, ...]":
    """Return the marks of passages that follow each other, counted from the start of the first."""
    return tuple(
        replace(mark, start=mark.start + row.start - rows[0].start, end=mark.end + row.start - rows[0].start)
        for row in rows
        for mark in places.marks(row.marks)
    )


def _doubts(rows: Sequence[Row], start: int, end: int) -> "tuple[Mark, ...]":
    """Return the marks that cast doubt on `[start, end)` of the text of passages, counted from `start`."""
    if not any(row.marks for row in rows):
        return ()
    return tuple(
        replace(mark, start=max(mark.start, start) - start, end=min(mark.end, end) - start)
        for mark in _marks(rows)
        if mark.kind in DOUBTS and mark.start < end and mark.end > start
    )


def state(row: Row, *, thorough: bool = False) -> State:
    """Return whether a passage is of the current version, and its file as it was; `thorough` also for a large one."""
    now = disk.state(row.path, row.size, row.mtime_ns, row.file_sha256, thorough=thorough)
    return "changed" if now == "current" and not row.current else now


def _context(row: Row) -> Context:
    return Context(id=row.id, start=row.start, end=row.end, text=row.text)


def excerpt(
    text: str, matches: Sequence[tuple[int, int]], most: int = EXCERPT, *, evidence: tuple[int, int] | None = None
) -> str:
    """Return at most `most` characters of `text`: the stretch that holds the most of the words that match, amid it.

    The sentence that is the `evidence` stands in it whole; only the fullest stretch of it if it is longer.
    """
    if len(text) <= most:
        return text
    start, end = _fullest(text, matches, most)
    if evidence is not None:
        around = min(start, evidence[0]), max(end, evidence[1])
        if around[1] - around[0] <= most:
            start, end = around
        elif evidence[1] - evidence[0] <= most:
            start, end = evidence
        else:
            inside = [span for span in matches if evidence[0] <= span[0] and span[1] <= evidence[1]]
            start, end = _fullest(text, inside, most) if inside else (evidence[0], evidence[0] + most)
    start = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    return text[start : start + most]


def _fullest(text: str, matches: Sequence[tuple[int, int]], most: int) -> tuple[int, int]:
    """Return the span of matches within `most` characters in which the most different words stand, the longer for more.

    A word that stands there twice counts once: a name that recurs says less than the rest of a question.
    """
    words = [text[start:end].casefold() for start, end in matches]
    best = (matches[0][0], min(matches[0][1], matches[0][0] + most)) if matches else (0, most)
    held = dict.fromkeys(words, 0)
    fullest = size = last = 0
    number = len(matches)
    for first, (start, _) in enumerate(matches):
        while last < number and matches[last][1] <= start + most:
            word = words[last]
            if not held[word]:
                size += len(word)
            held[word] += 1
            last += 1
        if size > fullest:
            best, fullest = (start, matches[last - 1][1]), size
        if last == number:  # what follows holds no more
            break
        if last == first:  # a match that is longer than all of it
            last += 1
            continue
        word = words[first]
        held[word] -= 1
        if not held[word]:
            size -= len(word)
    return best
