"""Files -> store: walked, read by workers a little ahead, and written in one transaction a file."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from yuanwen import disk, extract, walk
from yuanwen.absence import Skip
from yuanwen.catching_up import Indexes
from yuanwen.documents import Extracted, File, Reading
from yuanwen.errors import NotFound, Refused, Unreadable
from yuanwen.extract.names import within
from yuanwen.index import index_folder
from yuanwen.reports import Report, Root
from yuanwen.secrecy import holds_key
from yuanwen.store import inventory, writing
from yuanwen.store.connection import Database
from yuanwen.store.writing import NewDocument, path_value
from yuanwen.workers import CannotRead, Workers

CATCH_UP_SECONDS = 10.0  # a long run makes what it has done searchable this often
LARGE = 64 * 2**20  # bytes of a file beyond which no other such file is held in memory beside it
NEEDS_PASSWORD = "it needs a password"
MASS = 10  # more files than this, and most of a root, gone at once, are not believed

Progress = Callable[[int, int, str], None]


def roots(
    paths: Sequence[str | os.PathLike[str]], tags: Sequence[str], include: Sequence[str], exclude: Sequence[str]
) -> list[Root]:
    """Return the roots that paths name. Raises NotFound for one that is not there."""
    found = []
    for path in paths:
        absolute = Path(path).expanduser().absolute()
        if not absolute.exists():
            raise NotFound("no file or folder {path}", hint="Check the spelling.", path=path)
        resolved = str(absolute.resolve()) if absolute.is_symlink() else str(absolute)
        found.append(Root(path=resolved, tags=tuple(tags), include=tuple(include), exclude=tuple(exclude)))
    return found


def run(
    database: Database,
    indexes: Indexes,
    workers: Workers,
    roots: Sequence[Root],
    *,
    register: bool = False,
    dry_run: bool = False,
    allow_mass_removal: bool = False,
    passwords: Sequence[str] = (),
    progress: Progress | None = None,
) -> Report:
    """Bring the library in step with `roots`. Raises Refused, at the end, for removals that are not believed."""
    began = time.perf_counter()
    if register:
        roots = _register(database, roots)
    show = progress or (lambda done, all, path: None)
    run = _Run(database, indexes, workers, roots, dry_run, tuple(passwords), show)
    run.walk()
    run.take()
    refused = run.remove(allow_mass_removal)
    if not dry_run:
        indexes.catch_up()
        database.checkpoint()
    if refused:
        raise refused
    return run.report(time.perf_counter() - began)


def read(path: str | os.PathLike[str], passwords: tuple[str, ...]) -> Reading:
    """Return what a file would become. Raises NotFound for one that is not there, Unreadable."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise NotFound("no file {path}", hint="Check the spelling.", path=path)
    info = file.stat()
    data = walk.read(File(path=file, size=info.st_size, mtime_ns=info.st_mtime_ns))
    with Workers(1) as workers:
        reading = workers.read(file.name, data, passwords)
    return reading


def _register(database: Database, roots: Sequence[Root]) -> list[Root]:
    """Store the roots; return them with the tags and patterns that they had before as well."""
    with database.write() as db:
        known = {root.path: root for root in inventory.roots(db)}
        merged = [_merge(known.get(root.path), root) for root in roots]
        for root in merged:
            writing.put_root(db, root)
    return merged


def _merge(old: Root | None, new: Root) -> Root:
    if old is None:
        return new
    return Root(
        path=new.path,
        tags=tuple(dict.fromkeys([*old.tags, *new.tags])),
        include=new.include or old.include,
        exclude=new.exclude or old.exclude,
    )


class _Empty(Exception):
    """A file that holds nothing but white space."""


@dataclass
class _Work:
    """A file that was walked to, with the tags of the roots that hold it."""

    file: File
    tags: tuple[str, ...]


@dataclass
class _Read:
    """A file that was read: the hash of its bytes, and what is in it unless that is known already."""

    sha256: str
    reading: Reading | None


@dataclass
class _Run:
    database: Database
    indexes: Indexes
    workers: Workers
    roots: Sequence[Root]
    dry_run: bool
    passwords: tuple[str, ...]
    progress: Progress
    todo: list[_Work] = field(default_factory=list)
    skipped: dict[str, Skip] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    passages: int = 0
    done: int = 0
    caught_up: float = field(default_factory=time.monotonic)
    large: threading.Lock = field(default_factory=threading.Lock)

    def walk(self) -> None:
        """Find the files of the roots; a file that several roots hold is taken once, with the tags of all."""
        with self.database.snapshot() as db:
            self.known = inventory.files(db, [str(root.path) for root in self.roots])
            self.all_roots = {root.path: root for root in [*inventory.roots(db), *self.roots]}
        found: dict[str, _Work] = {}
        for root in self.roots:
            for item in walk.walk(root):
                if isinstance(item, Skip):
                    self.skipped[item.source] = item
                elif not self._is_ours(str(item.path)):
                    found.setdefault(str(item.path), _Work(item, self._tags(str(item.path))))
                self.progress(0, 0, str(root.path))
        for path in found:
            self.skipped.pop(path, None)
        self.todo = [found[path] for path in sorted(found)]

    def _tags(self, path: str) -> tuple[str, ...]:
        """Return the tags of every root that holds a file, of this run or not."""
        roots = [root for root in self.all_roots.values() if root.tags and _is_below(path, root.path)]
        return tuple(dict.fromkeys(tag for root in roots for tag in root.tags))

    def _is_ours(self, path: str) -> bool:
        """Return whether a file belongs to the library itself, which is not a document."""
        library = self.database.path
        part = disk.part_of_library(path, library, index_folder(library))
        if part is not None:
            self.skipped[part] = Skip(source=part, reason="the library itself", by_rule=True)
        return part is not None

    def take(self) -> None:
        """Index each file, or find that it is unchanged, or skip it with a reason."""
        versions = extract.versions()
        changed = [work for work in self.todo if not self._is_untouched(work, versions)]
        readings = self.workers.map(lambda work: self._prepare(work, versions), changed)
        rest = iter(changed)
        following = next(rest, None)
        for work in self.todo:
            path = str(work.file.path)
            self.progress(self.done, len(self.todo), path)
            if work is following:
                self._take(work, next(readings))
                following = next(rest, None)
            else:
                self._leave(work, self.known[path])
            self.done += 1
            self.progress(self.done, len(self.todo), path)
            if not self.dry_run and time.monotonic() - self.caught_up > CATCH_UP_SECONDS:
                self.indexes.catch_up()
                self.caught_up = time.monotonic()

    def _is_untouched(self, work: _Work, versions: frozenset[str]) -> bool:
        known = self.known.get(str(work.file.path))
        if known is None or self._may_unlock(known):
            return False
        same = known.size == work.file.size and known.mtime_ns == work.file.mtime_ns
        return same and known.extractor in versions

    def _may_unlock(self, known: inventory.FileRow) -> bool:
        """Return whether a file, or a part of it, needed a password when it was read, and now there is one to try."""
        return bool(self.passwords) and NEEDS_PASSWORD in f"{known.reason} {known.unread}"

    def _prepare(self, work: _Work, versions: frozenset[str]) -> "_Read | Unreadable | _Empty":
        """Return what a file holds, or why it cannot be told, without what was read of it. This runs in a thread."""
        try:
            with self.large if work.file.size > LARGE else nullcontext():
                return self._read(work, versions)
        except (Unreadable, _Empty) as error:
            return error.with_traceback(None)

    def _read(self, work: _Work, versions: frozenset[str]) -> _Read:
        path = str(work.file.path)
        data = walk.read(work.file)
        if not data.strip():
            raise _Empty
        sha256 = hashlib.sha256(data).hexdigest()
        known = self.known.get(path)
        is_same = known is not None and known.sha256 == sha256 and known.extractor in versions
        if known is not None and is_same and not self._may_unlock(known):
            return _Read(sha256, None)
        if holds_key(data):
            raise Unreadable("it holds a private key", hint="Keep secrets out of the library.")
        return _Read(sha256, self.workers.read(work.file.path.name, data, self.passwords))

    def _take(self, work: _Work, future: "Future[_Read | Unreadable | _Empty]") -> None:
        path = str(work.file.path)
        read = future.result()
        if isinstance(read, _Empty):
            hint = "There is nothing to find in it."
            self.skipped[path] = Skip(source=path, reason="empty file", hint=hint, by_rule=True)
        elif isinstance(read, Unreadable):
            self._skip(work.file, Skip.because(path, read), read.version if isinstance(read, CannotRead) else "")
        elif read.reading is None:
            self._touch(work)
        else:
            self._index(work, read.sha256, read.reading)

    def _leave(self, work: _Work, known: inventory.FileRow) -> None:
        if known.reason is not None:
            self.skipped[known.path] = Skip(source=known.path, reason=known.reason, hint=known.hint or "")
            return
        self.unchanged += 1
        if work.tags and not self.dry_run:
            with self.database.write() as db:
                writing.add_tags(db, path_value(known.path), work.tags)
                self.indexes.write_through(db)

    def _touch(self, work: _Work) -> None:
        if not self.dry_run:
            with self.database.write() as db:
                writing.touch_file(db, work.file)
        self._leave(work, self.known[str(work.file.path)])

    def _skip(self, file: File, skip: Skip, version: str) -> None:
        self.skipped[skip.source] = skip
        if not self.dry_run:
            version = version or extract.version(extract.media_type_of(file.path.name, b"") or "", None)
            with self.database.write() as db:
                writing.put_skip(db, skip.source, file.size, file.mtime_ns, version, skip)

    def _index(self, work: _Work, sha256: str, reading: Reading) -> None:
        documents = list(self._documents(work, reading))
        self.warnings += [
            f"{within(str(work.file.path), part.source)}: {part.reason}" for part in reading.unread if not part.by_rule
        ]
        if not self.dry_run:
            with self.database.write() as db:
                self.passages += writing.put_file(
                    db, work.file, sha256, reading.version, documents, _now(), reading.unread
                )
                self.indexes.write_through(db)
        self.indexed += 1

    def _documents(self, work: _Work, reading: Reading) -> Iterator[NewDocument]:
        for extracted, passages in reading.documents:
            self._warn(work.file.path, extracted)
            title = extracted.title or title_of(extracted.source or work.file.path.name)
            yield NewDocument(
                extracted=replace(extracted, title=title),
                passages=passages,
                tags=tuple(dict.fromkeys([*work.tags, *extracted.tags])),
                dated=extracted.dated or iso(work.file.mtime_ns / 1e9),
            )

    def _warn(self, path: Path, extracted: Extracted) -> None:
        place = within(str(path), extracted.inside)
        if extracted.replaced:
            self.warnings.append(
                f"{place}: {extracted.replaced} characters could not be decoded as {extracted.encoding}"
            )
        self.warnings += [f"{place}: {warning}" for warning in extracted.warnings]

    def remove(self, allow_mass_removal: bool) -> Refused | None:
        """Take out what is gone from the roots; return a refusal if too much of one is."""
        here = {str(work.file.path) for work in self.todo} | set(self.skipped)
        refused = None
        for root in self.roots:
            below = [path for path in self.known if _is_below(path, root.path)]
            reason = walk.unavailable(root) if below else None
            gone = [path for path in below if path not in here and not self._is_unread(path)]
            if reason is not None:
                gone = below  # the root as a whole does not answer
            elif len(gone) > MASS and len(gone) > len(below) / 2:
                reason = f"{len(gone)} of its {len(below)} files are gone"
            if reason is None or allow_mass_removal:
                for path in gone:
                    self._remove(path)
            else:
                refused = Refused(
                    "{root}: {reason}; nothing of it was removed",
                    hint="If that is meant: yuanwen sync --allow-mass-removal",
                    root=root.path,
                    reason=reason,
                )
        self._store_skips()
        return refused

    def _remove(self, path: str) -> None:
        known = self.known.pop(path)
        if self.dry_run:
            self.removed += known.sha256 is not None
            return
        with self.database.write() as db:
            self.removed += writing.remove_path(db, path_value(path))
            self.indexes.write_through(db)

    def _is_unread(self, path: str) -> bool:
        """Return whether a file lies in a folder that could not be read, so that nothing is known of it."""
        return any(not skip.by_rule and _is_below(path, source) for source, skip in self.skipped.items())

    def _store_skips(self) -> None:
        """Remember files that the walk could not take; what a rule leaves out is no longer a document."""
        if self.dry_run:
            return
        read = {str(work.file.path) for work in self.todo}
        with self.database.write() as db:
            for path, skip in self.skipped.items():
                if path in read and not skip.by_rule:
                    continue  # remembered when it was read
                known = self.known.get(path)
                if skip.by_rule and known is not None:
                    self.removed += writing.remove_path(db, path_value(path))
                elif not skip.by_rule and (known is None or known.reason != skip.reason):
                    writing.put_skip(db, path, 0, 0, extract.version("", None), skip)
            self.indexes.write_through(db)

    def report(self, elapsed: float) -> Report:
        """Return what was done; the counts add up."""
        return Report(
            files=self.indexed + self.unchanged + len(self.skipped),
            indexed=self.indexed,
            unchanged=self.unchanged,
            removed=self.removed,
            skipped=tuple(self.skipped[path] for path in sorted(self.skipped)),
            warnings=tuple(self.warnings),
            passages=self.passages,
            elapsed_ms=round(elapsed * 1000, 1),
        )


def title_of(name: str) -> str:
    """Return the title of a document that has none: the stem of its name, as far as that is Unicode."""
    return Path(name).stem.encode("utf-8", "replace").decode()


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def iso(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
