"""What a search is asked, where it looks, and what it comes back with."""

from collections.abc import Mapping
from typing import NamedTuple

from yuanwen import analysis
from yuanwen.index import Index
from yuanwen.meaning import Meaning
from yuanwen.model import Match, Mode
from yuanwen.needle import Span
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row, Totals
from yuanwen.verdict import SURE, Verdict


class Request(NamedTuple):
    """What is asked of a library. Times and filters as a person writes them."""

    query: str
    mode: Mode = "ranked"
    limit: int = 10
    offset: int = 0
    before: int = 0
    after: int = 0
    tags: tuple[str, ...] = ()
    source: str = ""
    type: str = ""
    author: str = ""
    since: str = ""
    until: str = ""
    all_versions: bool = False

    def whole(self) -> "Request":
        """Return the request with half characters replaced, which no document and no filter can hold."""
        return self._replace(
            query=analysis.whole(self.query),
            tags=tuple(map(analysis.whole, self.tags)),
            source=analysis.whole(self.source),
            type=analysis.whole(self.type),
            author=analysis.whole(self.author),
        )


class Scope(NamedTuple):
    """Where a search looks: one snapshot of the store, an index that has seen the same changes, and vectors if any."""

    path: str
    db: Connection
    current: Index
    old: Index | None
    totals: Totals
    meaning: Meaning | None = None

    @property
    def mode(self) -> Mode:
        """The mode of a search that names none."""
        return "ranked" if self.meaning is None else "hybrid"


class Finding(NamedTuple):
    """A passage that was found; `text` may run on over the border to the following passages."""

    row: Row
    text: str
    score: float
    match: Match
    matches: tuple[Span, ...] = ()
    evidence: Span | None = None
    coverage: float = 1.0
    parts: Mapping[str, float] = {}
    folded: str = ""


class Outcome(NamedTuple):
    """What a mode found. `total` is a lower bound unless `counted`; `sought` are the words that were looked for, and
    `verdict` is whether what comes first answers them."""

    findings: list[Finding]
    total: int
    counted: bool
    notes: tuple[str, ...] = ()
    sought: tuple[str, ...] = ()
    verdict: Verdict = SURE
