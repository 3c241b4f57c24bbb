"""A passage -> lines of text for people: where it stands, its words, and what has to be known about them."""

from __future__ import annotations  # so that the model is named here, but not loaded

from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING

from yuanwen.cli.messages import language, say
from yuanwen.cli.terminal import TAB, Role, Screen, Span, Styled, cells, clip, flat, one_line, pad
from yuanwen.wording import in_words

if TYPE_CHECKING:
    from yuanwen.documents import Mark, Passage
    from yuanwen.model import Hit, Now, Piece
    from yuanwen.verification import Found

INDENT = "   "
LONG = 300  # characters of a passage that are shown in full
STRETCHES = 5  # that are quoted of one kind of mark
STRETCH = 30  # columns for each of them
LINE = " │"  # between the cells of a row that is wider than the terminal

Insert = tuple[int, str, Role | None]  # what is shown before the character at an offset and is not part of the text

# What decides whether words can be trusted, then what else there is to know of them.
DOUBTS = {
    "garbled": "garbled, not what a reader sees",
    "invisible": "not to be seen by a reader",
    "recognised": "read from a picture",
    "running head": "repeated on each page",
}
CHANGES = {"inserted": "inserted as a tracked change"}
INLINE = ("number", "reading")  # which stand in the text in brackets


def headings(found: Hit | Passage, title: str = "") -> list[str]:
    """Return the headings above a passage, without what is said beside them: the title, the name of a sheet."""
    path = [flat(each) for each in found.heading if each.strip()]
    said = {title, flat(found.place.name) if found.place and found.place.unit == "sheet" else ""}
    return path[1:] if path[:1] and path[0] in said else path


def place(found: Hit | Passage) -> str:
    """Return where a passage stands, in the terms of its format."""
    return one_line(in_words(found.place, language(), paragraph=found.paragraph, heading=found.heading))


def stand(found: Found) -> str:
    """Return where original words stand, in the terms of the format."""
    return one_line(in_words(found.place, language(), paragraph=found.paragraph))


def words(
    screen: Screen,
    found: Hit | Passage,
    matches: Sequence[Span] = (),
    evidence: Span | None = None,
    *,
    inline: bool = True,
    columns: bool = True,
) -> list[str]:
    """Return the whole text of a passage with its automatic numbers, `inline` with readings as well, in brackets.

    In colours, the words that match stand out, and less so the sentence that is the `evidence`.
    Rows of a sheet stand under the headings of their `columns`, aligned where the terminal is wide enough for them.
    """
    end = len(found.text.rstrip("\r\n"))
    start = end - len(found.text[:end].lstrip("\r\n"))
    inserts = list(_inline(found.marks, INLINE if inline else INLINE[:1]))
    return _lines(screen, found, (start, end), _coloured(matches, evidence, (start, end)), inserts, columns=columns)


def excerpt(screen: Screen, hit: Hit) -> list[str]:
    """Return the part of a long passage that answers, whole rows of a sheet; all of a short one."""
    if len(hit.text) <= LONG:
        return words(screen, hit, hit.matches, hit.evidence, inline=False)
    text = hit.text.rstrip("\r\n")
    start = max(hit.text.find(hit.excerpt), 0)
    end = min(start + len(hit.excerpt), len(text))
    lead, trail = "…", "…"
    if _is_sheet(hit):
        lead, trail = "…\n", "\n…"
        start = text.rfind("\n", 0, start) + 1
        end = text.find("\n", end) if "\n" in text[end:] else len(text)
    cuts: list[Insert] = [(start, lead, None)] if start else []
    cuts += [insert for insert in _inline(hit.marks, INLINE[:1]) if start <= insert[0] < end]
    if end < len(text):
        cuts.append((end, trail, None))
    return _lines(screen, hit, (start, end), _coloured(hit.matches, hit.evidence, (start, end)), cuts, columns=True)


def marks(screen: Screen, found: Hit | Passage | Found, *, doubts_only: bool = False) -> list[str]:
    """Return what has to be known about a passage: a line for each kind of mark."""
    kinds = list(DOUBTS) if doubts_only else [*DOUBTS, *CHANGES, *(mark.kind for mark in found.marks)]
    lines = []
    for kind in dict.fromkeys(kinds):
        ours = [mark for mark in found.marks if mark.kind == kind]
        if ours and kind not in INLINE:
            line = screen.clip(f"! {_said(found.text, kind, ours)}", screen.width - len(INDENT))
            lines.append(INDENT + screen.style(line, "changed"))
    return lines


def now(screen: Screen, hit: Hit, *, short: bool) -> list[str]:
    """Return what became of a passage of an older version; unless `short`, with what is different now."""
    found = hit.now
    if found is None:
        return []
    added, since = dates(found)
    ids = " · ".join(each.id for each in found.passages)
    if found.state == "gone":
        said = say("The document is gone.")
    elif found.state == "deleted":
        said = say("Since {since} the words are gone from the document.", since=since)
    elif found.state == "unchanged":
        said = say("The words still stand in the current version: {ids}", ids=ids)
    else:
        said = say("Since {since} it reads otherwise: {ids}", since=since, ids=ids)
    role: Role = "quiet" if found.state == "unchanged" else "changed"
    if short:
        return screen.paragraph(said, indent=INDENT, role=role)
    lines = screen.paragraph(say("This is the version of {added}.", added=added), indent=INDENT, role=role)
    lines += screen.paragraph(said, indent=INDENT, role=role)
    return lines + difference(screen, found.diff)


def dates(found: Now) -> tuple[str, str]:
    """Return when a version was taken in, and since when it reads otherwise, as exactly as tells them apart."""
    local = [local_time(each) if each else "" for each in (found.added, found.since)]
    exact = next((length for length in (10, 16) if local[0][:length] != local[1][:length]), 19)
    return local[0][:exact], local[1][:exact]


def local_time(time: str) -> str:
    """Return a time as the clock here shows it."""
    from datetime import datetime

    return datetime.fromisoformat(time).astimezone().isoformat(" ")


def difference(screen: Screen, pieces: Sequence[Piece]) -> list[str]:
    """Return the pieces of two texts as one: `[-what went-]` and `{+what came+}`, also where there are no colours."""
    text = ""
    styled: list[Styled] = []
    for kind, piece in pieces:
        start = len(text)
        if kind == "=":
            text += piece
        elif kind == "-":
            text += f"[-{piece}-]"
            styled.append((start, len(text), "missing"))
        else:
            text += "{+" + piece + "+}"
            styled.append((start, len(text), "good"))
    return screen.passage(text, styled, indent=INDENT) if text else []


# ------------------------------------------------------------------------------------------- the text


def _lines(
    screen: Screen,
    found: Hit | Passage,
    part: Span,
    coloured: Sequence[Styled],
    inserts: Sequence[Insert],
    *,
    columns: bool,
) -> list[str]:
    """Return part of the text of a passage; that of a sheet in columns, under the headings of its `columns`."""
    start, end = part
    names = _columns(found) if columns else ()
    head = "\t".join(names)
    if screen.width and _is_sheet(found):
        between, head = _cells(screen, found.text[start:end], names)
        inserts = [*inserts, *((start + at, piece, role) for at, piece, role in between)]
    text, styled = _spliced(found.text[:end], start, inserts, coloured)
    head = screen.clip(head, screen.width - len(INDENT))
    shown = screen.passage(text, styled, indent=INDENT)
    return [INDENT + screen.style(head, "quiet"), *shown] if head.strip() else shown


def _spliced(text: str, start: int, inserts: Sequence[Insert], coloured: Sequence[Styled]) -> tuple[str, list[Styled]]:
    """Return `text` from `start` on with the inserts in their places, and the colours of both."""
    pieces: list[str] = []
    styled: list[Styled] = []
    length, at = 0, start
    for offset, piece, role in [*sorted(inserts, key=lambda insert: insert[0]), (len(text), "", None)]:
        offset = min(max(offset, at), len(text))
        shift = length - at
        styled += [(a + shift, b + shift, role) for a, b, role in _within(coloured, at, offset)]
        length += offset - at
        if role is not None:
            styled.append((length, length + len(piece), role))
        pieces += (text[at:offset], piece)
        length += len(piece)
        at = offset
    return "".join(pieces), styled


def _is_sheet(found: Hit | Passage) -> bool:
    return found.place is not None and found.place.unit == "sheet"


def _within(styled: Sequence[Styled], start: int, end: int) -> list[Styled]:
    return [(max(a, start), min(b, end), role) for a, b, role in styled if max(a, start) < min(b, end)]


def _coloured(matches: Sequence[Span], evidence: Span | None, part: Span) -> list[Styled]:
    """Return the colours of the words that match and, between them, of the evidence, unless that is the whole part."""
    found: list[Styled] = [(start, end, "match") for start, end in matches]
    if evidence is None or (evidence[0] <= part[0] and part[1] <= evidence[1]):
        return found
    at = evidence[0]
    for start, end in [*matches, (evidence[1], evidence[1])]:
        if at < min(start, evidence[1]):
            found.append((at, min(start, evidence[1]), "evidence"))
        at = max(at, end)
    return sorted(found)


def _inline(found: Sequence[Mark], kinds: Sequence[str]) -> Iterator[Insert]:
    """Yield automatic numbers before their paragraphs, and readings behind their words, if their kind is asked for."""
    for mark in found:
        if mark.kind not in kinds:
            continue
        if mark.kind == "number":
            yield mark.start, f"[{flat(mark.note)}] ", "quiet"
        elif mark.kind == "reading":
            yield mark.end, f"[{flat(mark.note)}]", "quiet"


def _columns(found: Hit | Passage) -> tuple[str, ...]:
    """Return the headings of the columns of a sheet, unless the rows begin with them."""
    names = tuple(map(flat, found.place.columns)) if found.place is not None else ()
    first = [flat(cell) for cell in found.text.lstrip("\n").partition("\n")[0].split("\t")]
    return () if tuple(first) == names[: len(first)] else names


def _cells(screen: Screen, text: str, names: Sequence[str]) -> tuple[list[Insert], str]:
    """Return what parts the cells of rows, and the line of their headings: spaces that align them, else lines."""
    rows = [row.split("\t") for row in text.split("\n")]
    widths = [max(map(cells, column)) for column in zip_longest(names[:-1], *(r[:-1] for r in rows), fillvalue="")]
    gaps = list(accumulate((width + len(TAB) for width in widths), initial=0))
    aligned = all(gaps[len(row) - 1] + cells(row[-1]) <= screen.width - len(INDENT) for row in [names or [""], *rows])
    inserts: list[Insert] = []
    at = 0
    for row in rows:
        for cell, width in zip(row, [*widths, 0], strict=False):
            at += len(cell) + 1
            inserts.append((at - 1, " " * (width - cells(cell)), None) if aligned else (at - 1, LINE, "quiet"))
        inserts.pop()  # the last cell of a row needs nothing behind it
    padded = [pad(name, width) for name, width in zip(names, [*widths, 0], strict=False)]
    return inserts, (TAB.join(padded) if aligned else (LINE + TAB).join(names)).rstrip()


# ------------------------------------------------------------------------------------------ the marks


def _said(text: str, kind: str, ours: Sequence[Mark]) -> str:
    """Return what marks of one kind say, and of which stretches where that is not the whole passage."""
    known = (DOUBTS | CHANGES).get(kind)
    what = say(known) if known else flat(kind)
    if kind == "recognised":
        what = _recognised(ours) or what
    rest, at = "", 0
    for mark in ours:
        rest, at = rest + text[at : mark.start], max(at, mark.end)
    if not (rest + text[at:]).strip():
        return what
    stretches = [clip(flat(text[mark.start : mark.end]), STRETCH) for mark in ours]
    shown = " · ".join(dict.fromkeys(filter(None, stretches[:STRETCHES])))
    more = " · …" * (len(ours) > STRETCHES)
    what = say("{name} ({note})", name=what, note=f"{len(ours):,}") if len(ours) > 1 else what
    return say("{name}: {note}", name=what, note=shown + more) if shown else what


def _recognised(ours: Sequence[Mark]) -> str:
    """Return how sure the least sure of recognised stretches is; nothing where their reader does not say so."""
    try:
        least = min(float(mark.note) for mark in ours)
    except ValueError:
        return ""
    return say("read from a picture, confidence {n}%", n=round(100 * least))
