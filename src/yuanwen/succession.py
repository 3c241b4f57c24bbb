"""A passage of an older version -> what stands there in the version of its document that is current."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Literal, NamedTuple

from yuanwen.comparison import pieces
from yuanwen.model import Context, Now, Piece
from yuanwen.store import history, reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row

Span = tuple[int, int]

_NEIGHBOURS = 4  # unchanged passages on each side among which the two are chosen that hold the place together
_NEAR = 16  # passages between those two that are aligned as a whole
_ALIGNED = 2**24  # pairs of characters that are aligned one by one, about 10 ms
_ANYWHERE = 6  # words with fewer characters say nothing by standing elsewhere in the document
_PROBES = 64  # pieces of a text by which it is looked for in a longer one
_OFTEN = 8  # pieces that occur so often tell nothing
_LIKE = 0.3  # of them have to be found there


@dataclass(frozen=True, kw_only=True)
class Successor:
    """What stands in the current version of a document where words of an older one stood.

    `rows` are the passages of the current version that hold it: none if the words were deleted, or if the document is
    gone (`version` is None then). `span` is the stretch of the text of that version which corresponds to the old words,
    None where there are no rows, and `text` what stands in it. `unchanged` is whether the very words stand there.
    """

    version: history.Version | None = None
    rows: tuple[Row, ...] = ()
    span: Span | None = None
    text: str = ""
    unchanged: bool = False


def successor(
    db: Connection, row: Row, span: Span | None = None, *, texts: dict[int, str] | None = None
) -> Successor | None:
    """Return what stands now where `span` (by default all of `row`) of an older version stood.

    `span` are offsets in the text of that version, and overlaps `row`. None for a row of a current version. Who asks
    often within one snapshot keeps `texts`: the whole texts of current versions that had to be read.
    """
    return None if row.current else _Old(db, row, span or (row.start, row.end), texts).successor()


def now(db: Connection, row: Row, span: Span) -> Now | None:
    """Return what a person has to know of a stretch of an older version; None for one of a current version."""
    if row.current:
        return None
    old = _Old(db, row, span)
    found = old.successor()
    since = None
    if found.version is not None and not found.unchanged:
        since = history.without(db, row.document, row.version, old.first, old.last)
    return Now(
        state=_state(found),
        added=history.version(db, row.version).added,
        since=since.added if since else None,
        version=f"sha256:{found.version.sha256}" if found.version else None,
        dated=found.version.dated if found.version else None,
        passages=tuple(Context(id=r.id, start=r.start, end=r.end, text=r.text) for r in found.rows),
        diff=difference(old.words, found.text) if found.rows and not found.unchanged else (),
    )


def _state(found: Successor) -> Literal["unchanged", "changed", "deleted", "gone"]:
    if found.version is None:
        return "gone"
    if not found.rows:
        return "deleted"
    return "unchanged" if found.unchanged else "changed"


def difference(old: str, new: str) -> tuple[Piece, ...]:
    """Return what leads from one text to another, each change as a whole; between long texts, all of both."""
    if len(old) * len(new) > _ALIGNED:
        return ("-", old), ("+", new)
    pairs: list[tuple[str, str]] = []
    for a, b in _blocks(pieces(old, new)):
        pairs.append((old[slice(*a)], new[slice(*b)]))
        if len(pairs) > 2 and _is_gap(*pairs[-3:]):
            pairs[-3:] = [("".join(was), "".join(came)) for was, came in [zip(*pairs[-3:], strict=True)]]
    found: list[Piece] = []
    for was, came in pairs:
        shown: list[Piece] = [("=", was)] if was == came else [("-", was), ("+", came)]
        found += [piece for piece in shown if piece[1]]
    return tuple(_slid(found))


def _is_gap(before: tuple[str, str], kept: tuple[str, str], after: tuple[str, str]) -> bool:
    """Return whether a change goes on behind something that is the same: mere white space between words."""
    return before[0] != before[1] and kept[0] == kept[1] and after[0] != after[1] and kept[0].isspace()


def _slid(diff: list[Piece]) -> Iterator[Piece]:
    """Yield a diff in which what was put in or taken out as a whole begins a line or a sentence, where it can.

    `a[bc a]bc` and `[abc ]abc` say the same.
    """
    texts = ["", *(text for _, text in diff), ""]
    kinds = ["=", *(kind for kind, _ in diff), "="]
    for n in range(1, len(texts) - 1):
        if kinds[n - 1 : n + 2] not in (["=", "+", "="], ["=", "-", "="]):
            continue
        left, change, right = texts[n - 1 : n + 2]
        around = left + change + right
        first = len(left) - _alike(reversed(left), reversed(change))
        last = len(left) + _alike(right, change)
        start = max(range(first, last + 1), key=lambda at: _begins(around, at))
        end = start + len(change)
        texts[n - 1 : n + 2] = around[:start], around[start:end], around[end:]
    yield from ((kind, text) for kind, text in zip(kinds, texts, strict=True) if text)


def _alike(one: Iterable[str], other: Iterable[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _begins(text: str, at: int) -> int:
    """Return how well a place suits as a beginning: 2 for that of a line, 1 for that of a sentence."""
    if at == 0 or text[at - 1] == "\n" != text[at]:
        return 2
    return int(text[at - 1] in "。！？")


class _Gap(NamedTuple):
    """The texts between the nearest passages that did not change, and where they start in their versions.

    `old` is None where it is too long to be aligned as a whole.
    """

    old_start: int
    old: str | None
    new_start: int
    new: str


class _Old:
    """Words of an older version, in search of their place in the current one."""

    def __init__(self, db: Connection, row: Row, span: Span, texts: dict[int, str] | None = None) -> None:
        self.db = db
        self.row = row
        self.texts = {} if texts is None else texts
        start, end = span
        self.first = self.last = row.ordinal
        base, text = row.start, row.text
        if start < row.start or end > row.end:
            self.first, self.last = (history.ordinal_at(db, row.version, at) for at in (start, end - 1))
            base, text = history.text(db, row.version, self.first, self.last)
        words = text[start - base : end - base]
        self.words = words.strip()
        self.start = start + len(words) - len(words.lstrip())
        self.end = self.start + len(self.words)

    def successor(self) -> Successor:
        """Return what stands now in the place of the words."""
        version = history.current(self.db, self.row.document)
        place = self._place(version) if version is not None else None
        if version is None or place is None:
            return Successor(version=version)
        first, last = (history.ordinal_at(self.db, version.version, at) for at in (place[0], place[1] - 1))
        rows = tuple(reading.around(self.db, version.version, first, last))
        text = "".join(row.text for row in rows)[place[0] - rows[0].start : place[1] - rows[0].start]
        return Successor(version=version, rows=rows, span=place, text=text, unchanged=text == self.words)

    def _place(self, version: history.Version) -> Span | None:
        """Return the span of the text of the current version that took the place of the words, None for nothing."""
        if not self.words:
            return None
        kept = history.start(self.db, version.version, self.row.passage)
        if kept is not None and self.first == self.last:
            return self.start - self.row.start + kept, self.end - self.row.start + kept
        gap = self._record(version) if self.row.label is not None else self._gap(version)
        expected = gap.new_start + self.start - gap.old_start
        if (here := _nearest(self.words, gap.new, gap.new_start, expected)) is not None:
            return here
        replaced = self._replaced(gap)
        if len(self.words) < _ANYWHERE:
            return replaced
        whole = self._whole(version)
        moved = _nearest(self.words, whole, 0, expected)
        if moved is not None or replaced is not None or self.row.label is not None:
            return moved or replaced
        return _likest(self.words, whole)

    def _whole(self, version: history.Version) -> str:
        if version.version not in self.texts:
            _, self.texts[version.version] = history.text(self.db, version.version, 1, version.passages)
        return self.texts[version.version]

    def _record(self, version: history.Version) -> _Gap:
        """Return a record of old and the one that has its label now."""
        assert self.row.label is not None
        ordinal = history.labelled(self.db, version.version, self.row.label)
        new_start, new = history.text(self.db, version.version, ordinal, ordinal) if ordinal else (0, "")
        return _Gap(self.row.start, self.row.text, new_start, new)

    def _gap(self, version: history.Version) -> _Gap:
        before, after = self._neighbours(version)
        if after.new - before.new - 1 > _NEAR:
            new_start = history.offset(self.db, version.version, before.new + 1) or 0
            new = self._whole(version)[new_start : history.offset(self.db, version.version, after.new)]
        else:
            new_start, new = history.text(self.db, version.version, before.new + 1, after.new - 1)
        if after.old - before.old - 1 > _NEAR:
            return _Gap(self.start, None, new_start, new)
        old_start, old = history.text(self.db, self.row.version, before.old + 1, after.old - 1)
        return _Gap(old_start, old, new_start, new)

    def _neighbours(self, version: history.Version) -> tuple[history.Shared, history.Shared]:
        """Return the unchanged passages next to the words, one before and one after them in both versions."""
        old = history.version(self.db, self.row.version)
        pair = (old.version, version.version)
        before = history.shared(self.db, *pair, self.first, step=-1, limit=_NEIGHBOURS)
        after = history.shared(self.db, *pair, self.last, step=1, limit=_NEIGHBOURS)
        before.append(history.Shared(0, 0))
        after.append(history.Shared(old.passages + 1, version.passages + 1))
        pairs = [(b, a) for b in before for a in after if b.new < a.new]
        return min(pairs, key=lambda pair: (pair[1].old - pair[0].old, pair[1].new - pair[0].new))

    def _replaced(self, gap: _Gap) -> Span | None:
        """Return what took the place of the words between the passages that did not change."""
        if gap.old is None or len(gap.old) * len(gap.new) > _ALIGNED:
            found = _likest(self.words, gap.new)
        else:
            at = self.start - gap.old_start
            found = _aligned(gap.old, gap.new, (at, at + len(self.words)))
        if found is None:
            return None
        text = gap.new[found[0] : found[1]]
        start = gap.new_start + found[0] + len(text) - len(text.lstrip())
        return (start, start + len(text.strip())) if text.strip() else None


def _nearest(words: str, text: str, base: int, expected: int) -> Span | None:
    """Return where `words` stand in a text that starts at `base`, nearest to an offset; None if they do not."""
    best = min(_occurrences(words, text), key=lambda at: abs(base + at - expected), default=None)
    return (base + best, base + best + len(words)) if best is not None else None


def _aligned(old: str, new: str, span: Span) -> Span | None:
    """Return the stretch of `new` that corresponds to `span` of `old`; None if nothing does.

    What is left of few of its characters, while others around it may have gone elsewhere, is taken for deleted.
    """
    start, end = span
    touched: list[Span] = []
    kept = 0
    for a, b in _blocks(pieces(old, new)):
        left, right = max(start, a[0]), min(end, a[1])
        if left < right and a[1] - a[0] == b[1] - b[0]:
            touched.append((left - a[0] + b[0], right - a[0] + b[0]))
        elif left < right or start < a[0] == a[1] < end:
            touched.append(b)
        if old[a[0] : a[1]] == new[b[0] : b[1]]:
            kept += max(right - left, 0)
    touched = [stretch for stretch in touched if stretch[0] < stretch[1]]
    alone = old.strip() == old[start:end]
    return (touched[0][0], touched[-1][1]) if touched and (alone or kept >= _LIKE * (end - start)) else None


def _blocks(diff: Sequence[Piece]) -> Iterator[tuple[Span, Span]]:
    """Yield the stretches of two texts that correspond, equal or changed; each tiles its text."""
    a = b = 0
    change = (0, 0)
    for kind, text in [*diff, ("=", "")]:
        if kind == "-":
            change = (change[0] + len(text), change[1])
        elif kind == "+":
            change = (change[0], change[1] + len(text))
        else:
            if change != (0, 0):
                yield (a, a + change[0]), (b, b + change[1])
                a, b, change = a + change[0], b + change[1], (0, 0)
            yield (a, a + len(text)), (b, b + len(text))
            a, b = a + len(text), b + len(text)


def _likest(words: str, text: str) -> Span | None:
    """Return the stretch of a long text that has most pieces of `words` in the order in which they stand there."""
    size = 8 if len(words) >= _PROBES else 4
    step = max(1, (len(words) - size) // _PROBES)
    slack = max(len(words) // 2, 2 * size)
    telling = 0
    found: list[tuple[int, int]] = []
    for offset in range(0, max(len(words) - size, 0) + 1, step):
        places = list(islice(_occurrences(words[offset : offset + size], text), _OFTEN))
        if len(places) < _OFTEN:
            telling += 1
            found += [(at, offset) for at in places]
    votes = Counter((at - offset) // slack for at, offset in found)
    if not votes:
        return None
    best = max(votes, key=lambda bucket: (votes[bucket] + votes[bucket + 1], -bucket))
    inside = [(at, offset) for at, offset in found if (at - offset) // slack in (best, best + 1)]
    if len({offset for _, offset in inside}) < _LIKE * telling:
        return None
    start = max(min(at - offset for at, offset in inside), 0)
    end = min(max(at - offset for at, offset in inside) + len(words), len(text))
    if len(words) * (end - start) > _ALIGNED:
        return start, end
    within = _aligned(words, text[start:end], (0, len(words)))
    return (start + within[0], start + within[1]) if within is not None else None


def _occurrences(words: str, text: str) -> Iterator[int]:
    at = text.find(words)
    while at >= 0:
        yield at
        at = text.find(words, at + 1)
