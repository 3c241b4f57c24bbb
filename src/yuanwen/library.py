"""Library, the one facade: it wires the stages, and the surfaces only call it.

What a search does not need is imported where it is used: a command that only searches starts in half the time.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from yuanwen import analysis, disk, evidence
from yuanwen.catching_up import BEHIND, Indexes
from yuanwen.errors import Busy, UsageError
from yuanwen.index import check_kind
from yuanwen.meaning import Embedders, Meaning
from yuanwen.model import Evidence, Hit, Mode, Searched
from yuanwen.scope import Finding, Request, Scope
from yuanwen.search import lookup, search, unknown
from yuanwen.store import reading
from yuanwen.store.connection import Connection, Database

if TYPE_CHECKING:
    from yuanwen.absence import Absence
    from yuanwen.ask import Answered
    from yuanwen.chat.endpoint import Endpoint
    from yuanwen.cite import Citation
    from yuanwen.documents import Reading
    from yuanwen.embed import Embedder
    from yuanwen.index.vectors import VectorIndex
    from yuanwen.prompt import Prepared
    from yuanwen.proof import Asked, Proof, ProofCheck
    from yuanwen.reports import Check, Compacted, Document, Embedded, Forgotten, Report, Status, Tag
    from yuanwen.verification import Claim, Verification
    from yuanwen.verify import Verifier
    from yuanwen.wording import Language
    from yuanwen.workers import Workers

_TURNS = 5  # times that a search looks for an index and a store of the same state before it says that it found none
Progress = Callable[[int, int, str], None]  # done, in all, what is at work: the path of a file


class Library:
    """Documents of which the words can be found again. Use it as a context manager, from any thread.

    >>> with Library.open("notes.sqlite") as library:
    ...     library.add("docs/", tags=["手册"])
    ...     found = library.search("证据不足", mode="exact", limit=3)
    """

    def __init__(self, database: Database, indexes: Indexes, workers: int | None = None) -> None:
        self._database = database
        self._indexes = indexes
        self._number_of_workers = workers
        self._lock = threading.Lock()
        self._started: Workers | None = None
        self._embedders = Embedders()
        self._vector_index: VectorIndex | None = None

    @classmethod
    def open(
        cls,
        path: "str | os.PathLike[str]",
        *,
        create: bool = True,
        index: str | None = None,
        workers: int | None = None,
    ) -> Self:
        """Return the library at `path`, made anew with the index of this kind if it is not there.

        Files are read in as many processes as `workers` says, by default one for each processor, four at most.
        Raises NotFound if it is not there and `create` is False, UsageError for another kind than it was made with.
        """
        path = disk.absolute(path)
        database = Database(path)
        try:
            if create:
                check_kind(index or "tantivy")
                database.create(_totals(index or "tantivy"))
            database.check_format()
            with database.snapshot() as db:
                kind = reading.index_kind(db)
            if index is not None and index != kind:
                raise UsageError(
                    "{path} was made with the index {kind}", hint="Leave out --index.", path=path, kind=kind
                )
            return cls(database, Indexes(database, kind), workers)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Let go of every file, and end the processes that read files."""
        if self._started is not None:
            self._started.close()
            self._started = None
        self._indexes.close()
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------------------------- putting in

    def add(
        self,
        *paths: "str | os.PathLike[str]",
        tags: Sequence[str] = (),
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        passwords: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> "Report":
        """Register files and folders as roots, and index what they hold. Doing it again is harmless.

        `passwords` are tried on files that ask for one; they are not kept.

        Raises NotFound for a path that is not there; nothing is registered then.
        """
        from yuanwen import ingest

        roots = ingest.roots(paths, tags, include, exclude)
        return ingest.run(
            self._database,
            self._indexes,
            self._workers(),
            roots,
            register=True,
            passwords=passwords,
            progress=progress,
        )

    def sync(
        self,
        *,
        dry_run: bool = False,
        allow_mass_removal: bool = False,
        passwords: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> "Report":
        """Bring the library in step with its roots: what is new, changed, and gone.

        Raises Refused, once everything else is done, if a root is unavailable or most of its files are gone.
        """
        from yuanwen import ingest
        from yuanwen.store import inventory

        with self._database.snapshot() as db:
            roots = inventory.roots(db)
        return ingest.run(
            self._database,
            self._indexes,
            self._workers(),
            roots,
            dry_run=dry_run,
            allow_mass_removal=allow_mass_removal,
            passwords=passwords,
            progress=progress,
        )

    def use_model(self, model: "str | Embedder | None") -> None:
        """Have the library get vectors of a model, named or given, which `embed` then makes; None for none at all.

        Those of another model are searched until the new ones are complete. Raises NotFound for an unknown name,
        Unavailable where something has to be installed.
        """
        from yuanwen.store import vectors

        if model is None:
            with self._database.write() as db:
                vectors.want_none(db)
            vectors.drop_unused(self._database)
            return
        if isinstance(model, str):
            embedder = self._embedders.named(model)
        else:
            embedder = model
            self._embedders.keep(embedder)
        with self._database.write() as db:
            made = vectors.want(db, embedder.name, embedder.fingerprint, embedder.dimensions)
            vectors.finish(db, made.id)

    def embed(self, *, progress: Progress | None = None) -> "Embedded":
        """Give each passage that has none yet its vectors, of the model that `use_model` chose.

        What is done stays done, whatever ends it. Raises UsageError where no model was chosen, Unavailable where it is
        not installed, and Busy.
        """
        from yuanwen.store import vectors

        with self._database.snapshot() as db:
            model = vectors.wanted(db)
        if model is None:
            raise UsageError("the library has no model that embeds", hint="Choose one with: yuanwen models use")
        embedder = self._embedders.named(model.name)
        if embedder.fingerprint != model.fingerprint:  # another release of it
            self.use_model(model.name)
        from yuanwen import embedding  # here, since it needs numpy, as the model does

        return embedding.run(self._database, self._vectors(), embedder, progress)

    def lacks_vectors(self) -> bool:
        """Return whether there is something to do for `embed`."""
        from yuanwen.store import vectors

        with self._database.snapshot() as db:
            return vectors.wanted(db) is not None and vectors.is_behind(db)

    def _vectors(self) -> "VectorIndex":
        """Return what searches the vectors; it is made once, and only where there are some: it needs numpy."""
        from yuanwen.index.vectors import VectorIndex

        with self._lock:
            if self._vector_index is None:
                self._vector_index = VectorIndex(self._database.path)
            return self._vector_index

    # ---------------------------------------------------------------------------------------- finding

    def search(
        self,
        query: str,
        *,
        mode: Mode | None = None,
        limit: int = 10,
        offset: int = 0,
        before: int = 0,
        after: int = 0,
        tags: Sequence[str] = (),
        source: str = "",
        type: str = "",
        author: str = "",
        since: str = "",
        until: str = "",
        all_versions: bool = False,
        explain: bool = False,
    ) -> Evidence:
        """Return the evidence for a query, by default in the mode `hybrid` where there are vectors, else `ranked`.

        Raises QueryError for an empty query, UsageError for an unknown mode, and Unavailable for `semantic` without
        vectors.
        """
        began = time.perf_counter()
        request = Request(
            query=query,
            limit=limit,
            offset=offset,
            before=before,
            after=after,
            tags=tuple(tags),
            source=source,
            type=type,
            author=author,
            since=since,
            until=until,
            all_versions=all_versions,
        ).whole()
        with self._scope(superseded=all_versions) as (scope, notes):
            found = _evidence(scope, request._replace(mode=mode or scope.mode), notes, explain=explain)
        return replace(found, elapsed_ms=round((time.perf_counter() - began) * 1000, 3))

    def show(self, *ids: str, before: int = 0, after: int = 0, limit: int | None = None) -> tuple[Hit, ...]:
        """Return the passages that ids, labels or sources name, `limit` at most of each.

        Raises NotFound for a name that nothing has.
        """
        hits: list[Hit] = []
        with self._database.snapshot() as db:
            for name in ids:
                hits += [
                    evidence.hit(
                        db,
                        Finding(row=row, text=row.text, score=1.0, match="verbatim"),
                        before=before,
                        after=after,
                        section=False,
                        explain=False,
                    )
                    for row in _named(db, name)[:limit]
                ]
        return tuple(hits)

    def prompt(
        self,
        question: str,
        *,
        limit: int = 8,
        budget: int = 8000,
        lang: "Language | None" = None,
        mode: Mode | None = None,
        tags: Sequence[str] = (),
        source: str = "",
        type: str = "",
        author: str = "",
        since: str = "",
        until: str = "",
    ) -> "Prepared":
        """Return the passages found for a question, and the prompt that has a model answer from them alone.

        The prompt is at most `budget` characters long, in the language of the question unless `lang` is given. It is
        None where nothing is found: the evidence then says why. Raises QueryError for an empty question, UsageError for
        a budget without room for a sentence.
        """
        from yuanwen import prompt

        question = analysis.whole(question)
        found = self.search(
            question,
            mode=mode,
            limit=limit,
            tags=tags,
            source=source,
            type=type,
            author=author,
            since=since,
            until=until,
        )
        filled = prompt.fill(question, found.hits, budget=budget, lang=lang) if found.hits else None
        return prompt.Prepared(evidence=found, prompt=filled)

    def ask(
        self,
        question: str,
        *,
        endpoint: "Endpoint | None" = None,
        on_text: "Callable[[str], None] | None" = None,
        limit: int = 8,
        budget: int = 8000,
        lang: "Language | None" = None,
        mode: Mode | None = None,
        tags: Sequence[str] = (),
        source: str = "",
        type: str = "",
        author: str = "",
        since: str = "",
        until: str = "",
    ) -> "Answered":
        """Return what a model answers from the passages found for a question, and what of it is supported.

        The model is that of `endpoint`, else the one that the environment names; where there is none, or nothing is
        found, nothing is sent. `on_text` is told each piece as it is written, "" when the model starts anew.
        Raises as `prompt` does, and Unavailable where the endpoint gives no answer.
        """
        from yuanwen import ask
        from yuanwen.chat.endpoint import named

        prepared = self.prompt(
            question,
            limit=limit,
            budget=budget,
            lang=lang,
            mode=mode,
            tags=tags,
            source=source,
            type=type,
            author=author,
            since=since,
            until=until,
        )
        return ask.answer(prepared, endpoint or named(), self.verify, on_text)

    def page_image(self, id: str, *, quote: str = "", dpi: int = 150, passwords: Sequence[str] = ()) -> bytes:
        """Return the page on which a passage stands as PNG, the passage marked, and a quotation from it.

        The page is drawn from the file as it is now. Raises NotFound for an unknown passage, or a file that is not as
        it was; UsageError for a passage without a page, or without the quotation; Unreadable.
        """
        from yuanwen import pages

        with self._database.snapshot() as db:
            row = _named(db, id)[0]
            return pages.image(db, self._workers(), row, quote=analysis.whole(quote), dpi=dpi, passwords=passwords)

    # ------------------------------------------------------------------------------------------ proving

    def verify(self, answer: str, *, quotes_only: bool = False, progress: Progress | None = None) -> "Verification":
        """Return a verdict on an answer, and what came of each quotation, citation and sentence in it.

        With `quotes_only` sentences without a quotation are left alone. `progress` is told of each sentence. Raises
        UsageError for a damaged receipt.
        """
        with self._verifier() as (verifier, notes):
            return verifier.answer(answer, quotes_only=quotes_only, notes=notes, progress=progress)

    def verify_quote(self, text: str, id: str | None = None) -> "Claim":
        """Return what came of one quotation: at the passage `id`, or anywhere."""
        with self._verifier() as (verifier, _):
            return verifier.quotation(text, id)

    def verify_quotes(
        self, quotes: "Sequence[tuple[str, str | None]]", *, progress: Progress | None = None
    ) -> "Verification":
        """Return a verdict on quotations, each with the id of the passage that it cites, or None."""
        from yuanwen.verify import verification

        claims = []
        with self._verifier() as (verifier, notes):
            for number, (text, id) in enumerate(quotes, 1):
                claims.append(verifier.quotation(text, id))
                if progress is not None:
                    progress(number, len(quotes), "")
            return verification(claims, notes)

    @contextmanager
    def _verifier(self) -> "Iterator[tuple[Verifier, tuple[str, ...]]]":
        from yuanwen.verify import Verifier
        from yuanwen.witness import LibraryWitness

        with self._scope(superseded=True) as (scope, notes):
            yield Verifier(LibraryWitness(scope)), notes

    def prove(
        self,
        query: str,
        *,
        mode: Mode | None = None,
        limit: int = 10,
        offset: int = 0,
        tags: Sequence[str] = (),
        source: str = "",
        type: str = "",
        author: str = "",
        since: str = "",
        until: str = "",
        all_versions: bool = False,
    ) -> "Proof":
        """Return what `search` finds by words as a proof, to be kept, and checked later with `check_proof`.

        Raises as `search` does, UsageError for a limit or offset over a million, and Busy while the index is behind.
        """
        from yuanwen import proving

        request = Request(
            query=query,
            mode=mode or "ranked",
            limit=limit,
            offset=offset,
            tags=tuple(tags),
            source=source,
            type=type,
            author=author,
            since=since,
            until=until,
            all_versions=all_versions,
        ).whole()
        with self._proving(proving.asked(request)) as (_, proof):
            return proof

    def check_proof(self, document: str | bytes) -> "ProofCheck":
        """Return whether the proof in a JSON document holds: whether the same versions still give the same result.

        Raises UsageError for a document that is no proof, is damaged, or was changed; Busy while the index is behind.
        """
        from yuanwen import proof, proving

        given = proof.read(document)
        with self._proving(given.asked) as (scope, now):
            return proving.check(scope, given, now)

    @contextmanager
    def _proving(self, asked: "Asked") -> "Iterator[tuple[Scope, Proof]]":
        """Yield the proof of a search, and the state of the library in which it was found."""
        from yuanwen import proving

        request = proving.request(asked)
        with self._scope(superseded=asked.all_versions) as (scope, notes):
            if notes:
                raise Busy(
                    "the index has not seen the latest changes, and a proof needs them all",
                    hint="Try again when it has finished.",
                )
            scope = scope._replace(meaning=None)
            yield scope, proving.prove(scope, asked, _evidence(scope, request, ()), engine_versions())

    def cite(self, id: str, quote: str = "", *, lang: "Language | None" = None) -> "Citation":
        """Return how to cite words of the passage `id`, which may be of an old version; without a quote all of it.

        References are in the language `lang`, else in that of the words. Raises NotFound for an unknown passage;
        UsageError for a source with several, or a quote that the passage does not hold.
        """
        from datetime import date

        from yuanwen import cite

        with self._database.snapshot() as db:
            rows = _named(db, id)
            if len(rows) > 1:
                raise UsageError(
                    "{source} has {n} passages", hint="Name one of them: yuanwen show {source}", source=id, n=len(rows)
                )
            return cite.cite(db, rows[0], analysis.whole(quote), today=date.today().isoformat(), lang=lang)

    # ------------------------------------------------------------------------------------------ about

    def list(self, *, limit: int | None = None, offset: int = 0) -> "tuple[Document, ...]":
        """Return the documents of the library, ordered by source: `limit` at most, from number `offset` on."""
        from yuanwen import upkeep
        from yuanwen.store import inventory

        with self._database.snapshot() as db:
            return tuple(upkeep.documents(inventory.documents(db, limit=limit, offset=offset)))

    def tags(self) -> "tuple[Tag, ...]":
        """Return the tags of the library, the most used first."""
        from yuanwen.store import inventory

        with self._database.snapshot() as db:
            return tuple(inventory.tags(db))

    def status(self) -> "Status":
        """Return the health of the library, compared with the disk as it is now."""
        from yuanwen import upkeep

        return upkeep.status(self._database, self._indexes)

    # --------------------------------------------------------------------------------------- synonyms

    def synonyms(self) -> "tuple[tuple[str, ...], ...]":
        """Return the words that count as the same in a search, group by group."""
        from yuanwen.store import synonyms

        with self._database.snapshot() as db:
            return tuple(synonyms.groups(db))

    def add_synonyms(self, *words: str) -> tuple[str, ...]:
        """Have words count as the same, and as the same as those that each already does; return all of them.

        Raises UsageError unless they are two words or more.
        """
        from yuanwen import synonyms

        return synonyms.add(self._database, words)

    def remove_synonyms(self, *words: str) -> tuple[str, ...]:
        """Have words count as themselves alone; return them, and a word that has no synonym left.

        Raises NotFound for a word without synonyms; nothing is removed then.
        """
        from yuanwen import synonyms

        return synonyms.remove(self._database, words)

    def import_synonyms(self, path: "str | os.PathLike[str]") -> "tuple[tuple[str, ...], ...]":
        """Take in a file with one group a line, its words parted by commas, semicolons or tabs; return the groups.

        Raises NotFound, and UsageError for a line that is no group; nothing is taken in then.
        """
        from pathlib import Path

        from yuanwen import synonyms

        return tuple(synonyms.read(self._database, Path(disk.absolute(path))))

    # ----------------------------------------------------------------------------------------- upkeep

    def forget(self, *sources: str) -> "Forgotten":
        """Remove documents, every version, and every trace of them in the library file and the index.

        Raises NotFound for a source that the library does not have; nothing is removed then.
        """
        from yuanwen import upkeep

        return upkeep.forget(self._database, self._indexes, sources)

    def check(self, *, repair: bool = False) -> "Check":
        """Return what is wrong with the library and its index; with `repair` the index is made anew if need be."""
        from yuanwen import upkeep

        return upkeep.check(self._database, self._indexes, repair=repair)

    def compact(self, *, drop_old: bool = False, older_than: str = "") -> "Compacted":
        """Give back space; with `drop_old` drop superseded versions, if given only those added before a time."""
        from yuanwen import upkeep

        return upkeep.compact(self._database, self._indexes, drop_old=drop_old, older_than=older_than)

    def export(self, path: "str | os.PathLike[str]") -> int:
        """Write the library as JSON Lines, all versions included; return the number of documents."""
        from pathlib import Path

        from yuanwen import transfer

        return transfer.write(self._database, Path(disk.absolute(path)))

    def import_(self, path: "str | os.PathLike[str]") -> "Report":
        """Take in what `export` wrote. Raises UsageError for a file that is not an export, naming the line."""
        from pathlib import Path

        from yuanwen import transfer

        return transfer.read(self._database, self._indexes, Path(disk.absolute(path)))

    @contextmanager
    def _scope(self, *, superseded: bool) -> Iterator[tuple[Scope, tuple[str, ...]]]:
        """Yield a snapshot and indexes that have seen the same changes, and notes on what they have not seen."""
        for turn in range(_TURNS):
            notes = self._indexes.see_changes(superseded=superseded)
            with self._database.snapshot() as db:
                totals = reading.totals(db)
                if not notes and not self._indexes.have_seen(totals.position, superseded=superseded):
                    if turn + 1 < _TURNS:
                        continue  # something was written since the index was looked at
                    notes = (BEHIND,)
                old = self._indexes.superseded if superseded else None
                yield (
                    Scope(
                        path=self._database.path,
                        db=db,
                        current=self._indexes.current,
                        old=old,
                        totals=totals,
                        meaning=self._meaning(db),
                    ),
                    notes,
                )
                return

    def _meaning(self, db: Connection) -> Meaning | None:
        """Return how to search by meaning in a state of the library, if it has vectors."""
        from yuanwen.store import vectors

        model = vectors.searched(db)
        return None if model is None else Meaning(self._vectors, db, model, self._embedders)

    def _workers(self) -> "Workers":
        """Return the processes that read files; they are made once and start when there is something to read."""
        from yuanwen.workers import Workers

        with self._lock:
            if self._started is None:
                self._started = Workers(self._number_of_workers)
            return self._started


def extract(path: "str | os.PathLike[str]", *, passwords: Sequence[str] = ()) -> "Reading":
    """Return what a file would become in a library. Raises NotFound, Unreadable."""
    from yuanwen import ingest

    return ingest.read(path, tuple(passwords))


def _evidence(scope: Scope, request: Request, notes: tuple[str, ...], *, explain: bool = False) -> Evidence:
    """Return what a search finds in one state of the library."""
    outcome = search(scope, request)
    before, after = request.before, request.after
    section = request.mode == "expand" and not (before or after)
    totals = scope.totals
    verdict = outcome.verdict
    strength: Literal["strong", "weak"] | None = "strong" if verdict.strength == "strong" else "weak"
    if not outcome.total:
        strength = None
    return Evidence(
        status="evidence_found" if outcome.total else "abstain",
        strength=strength,
        confidence=round(verdict.confidence, 4) if outcome.total else 0.0,
        doubts=verdict.why if strength == "weak" else (),
        query=request.query,
        mode=request.mode,
        found=outcome.total,
        found_is="exact" if outcome.counted else "at_least",
        hits=tuple(
            evidence.hit(scope.db, f, before=before, after=after, section=section, explain=explain)
            for f in outcome.findings
        ),
        absence=None if outcome.total else _absence(scope, outcome.sought, notes),
        searched=Searched(documents=totals.documents, passages=totals.passages, generation=totals.generation),
        notes=(*notes, *outcome.notes),
        elapsed_ms=0.0,
    )


def _absence(scope: Scope, sought: Sequence[str], unseen: tuple[str, ...]) -> "Absence":
    """Return why there is nothing; what the index has not seen stands against saying that it is not there."""
    from yuanwen import upkeep
    from yuanwen.absence import Skip

    why = upkeep.absence(scope, sought)
    if not unseen or why.kind != "absent":
        return why
    skipped = tuple(Skip(source=scope.path, reason=each) for each in unseen)
    return replace(why, kind="unsearchable", missing_terms=(), unsearchable=skipped)


def _named(db: Connection, name: str) -> list[reading.Row]:
    """Return the passages that an id, a label, a source or a path names. Raises NotFound where there are none."""
    path = os.path.abspath(name)
    found = lookup(db, analysis.whole(name)) or reading.by_source(db, analysis.whole(path)) or reading.by_file(db, path)
    if not found:
        raise unknown(db, analysis.whole(name))
    return found


def _totals(kind: str) -> str:
    from datetime import UTC, datetime

    now = datetime.now(UTC).isoformat(timespec="seconds")
    return f"INSERT INTO totals VALUES(0, '', 0, 0, 0, '{kind}', '{now}')"


def engine_versions() -> dict[str, str]:
    """Return the versions of the libraries that store and find."""
    from importlib.metadata import version

    import apsw

    return {
        "SQLite": apsw.sqlite_lib_version(),
        "apsw": version("apsw"),
        "tantivy": version("tantivy"),
        "PyStemmer": version("PyStemmer"),
    }
