"""Connections to a library file: opened, migrated, and one writer at a time. The home of `apsw`."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from yuanwen.errors import Busy, LibraryDamaged, NotFound, UsageError
from yuanwen.store.schema import APPLICATION_ID, FORMAT, MIGRATIONS

Connection = apsw.Connection
BUSY_SECONDS = 60.0
PAGE_BYTES = 16384  # passages of 1,200 bytes leave a sixth of a page of 4,096 unused, of this a thirtieth


class Database:
    """A library file. Each thread reads through a connection of its own; `write` holds the one for writing."""

    def __init__(self, path: "str | os.PathLike[str]", *, busy_seconds: float = BUSY_SECONDS) -> None:
        self.path = os.path.abspath(path)
        self._busy_ms = int(busy_seconds * 1000)
        self._local = threading.local()
        self._open: list[tuple[threading.Thread, apsw.Connection]] = []
        self._lock = threading.Lock()
        self._writing = threading.RLock()
        self._writer: apsw.Connection | None = None
        self._closed = False

    def read(self) -> apsw.Connection:
        """Return this thread's connection, which cannot write."""
        connection: apsw.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            self._forget_ended_threads()
            connection = self._local.connection = self._connect(apsw.SQLITE_OPEN_READWRITE)
            connection.pragma("query_only", True)
        return connection

    def connection(self) -> apsw.Connection:
        """Return the connection of the write transaction that this thread is in, else the one for reading."""
        writing = getattr(self._local, "writing", False)
        return self.writer() if writing else self.read()

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """Give this thread's connection, in a transaction: every read within sees the same state."""
        connection = self.read()
        if connection.in_transaction:
            yield connection
            return
        try:
            connection.execute("BEGIN")
            yield connection
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise self._damaged(error) from error
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Give the writing connection, in a transaction that is kept whole or not at all. Raises Busy."""
        with self._writing:
            connection = self.writer()
            if connection.in_transaction:
                yield connection
                return
            try:
                connection.execute("BEGIN IMMEDIATE")
            except apsw.BusyError as error:
                raise self._busy() from error
            self._local.writing = True
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if isinstance(error, apsw.CorruptError | apsw.NotADBError):
                    raise self._damaged(error) from error
                raise
            finally:
                self._local.writing = False

    def writer(self) -> apsw.Connection:
        """Return the connection for writing, outside a transaction."""
        if self._writer is None:
            self._writer = self._connect(apsw.SQLITE_OPEN_READWRITE)
        return self._writer

    def create(self, prepare: str) -> None:
        """Make the file a library of the present format unless it is one; bring an older one up to it.

        `prepare` is SQL that runs once, when the library is new. Several processes may do this at once.
        """
        if self._is_ready():
            return
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._writer = self._connect(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            self._writer.pragma("page_size", PAGE_BYTES)
            self._keep_a_log(self._writer)
        except OSError as error:
            raise UsageError(
                "cannot create {path}: {error}",
                hint="Choose another place with -L.",
                path=self.path,
                error=error,
            ) from error
        with self.write() as connection:
            self._identify(connection, new=_is_empty(connection) and connection.pragma("application_id") == 0)
            have = int(connection.pragma("user_version"))
            for number in range(have, FORMAT):
                connection.execute(MIGRATIONS[number])
            if have == 0:
                connection.execute(prepare)
            connection.pragma("user_version", FORMAT)

    def _keep_a_log(self, connection: apsw.Connection) -> None:
        """Have the file keep a write-ahead log. Raises Busy.

        Of processes that ask for it at once SQLite turns all but one away without a wait, lest they wait for others.
        """
        until = time.monotonic() + self._busy_ms / 1000
        while True:
            try:
                connection.pragma("journal_mode", "wal")
                return
            except apsw.BusyError as error:
                if time.monotonic() > until:
                    raise self._busy() from error
            time.sleep(_RETRY_SECONDS)

    def _is_ready(self) -> bool:
        """Return whether the file is a library of the present format; one that another process is making is not."""
        if not os.path.isfile(self.path) or os.path.getsize(self.path) == 0:
            return False
        # SQLite takes a short file for an empty one, and writes over it. It is not looked into: to close it again would
        # give up every lock of this process on it, and another one then takes the log for nobody's, and deletes it.
        if os.path.getsize(self.path) < _LEAST_BYTES:
            raise self._foreign()
        try:
            connection = self.read()
            if _is_empty(connection) and connection.pragma("application_id") == 0:
                return False
            self._identify(connection, new=False)
            return bool(connection.pragma("user_version") == FORMAT)
        except apsw.NotADBError as error:
            raise self._foreign() from error
        except apsw.BusyError:
            return False

    def check_format(self) -> None:
        """Raise NotFound, LibraryDamaged or UsageError unless the file is a library that this release can read."""
        if not os.path.isfile(self.path):
            raise NotFound("no library at {path}", hint="Make one with: yuanwen -L {path} add FOLDER", path=self.path)
        try:
            connection = self.read()
            self._identify(connection, new=False)
            have = int(connection.pragma("user_version"))
        except apsw.NotADBError as error:
            raise self._foreign() from error
        if have < FORMAT:
            self.create("")

    def checkpoint(self, *, patient: bool = False) -> bool:
        """Fold the write-ahead log into the file as far as readers let it; return whether all of it is there.

        SQLite keeps writers out while it waits for readers, so it only waits for them if it has to.
        """
        with self._writing:
            connection = self.writer()
            connection.set_busy_timeout(self._busy_ms if patient else 0)
            try:
                held_up, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
            finally:
                connection.set_busy_timeout(self._busy_ms)
            return not held_up

    def vacuum(self) -> None:
        """Write the file anew without what was deleted. Raises Busy, also if a reader holds on to what was there."""
        with self._writing:
            try:
                self.writer().execute("VACUUM")
            except apsw.BusyError as error:
                raise self._busy() from error
        if not self.checkpoint(patient=True):
            raise Busy(
                "{path} is being read, and still holds what was deleted",
                hint="Run yuanwen compact when nobody reads it.",
                path=self.path,
            )

    def damage(self) -> list[str]:
        """Return what SQLite finds wrong with the file."""
        found = self.read().execute("PRAGMA integrity_check(20)").fetchall()
        orphans = self.read().execute("PRAGMA foreign_key_check").fetchall()
        problems = [str(row[0]) for row in found if row[0] != "ok"]
        return problems + [f"a row of {table} refers to nothing" for table, *_ in orphans]

    def close(self) -> None:
        """Close every connection; the last one to close a library folds its write-ahead log into it."""
        with self._lock:
            connections, self._open = self._open, []
            self._closed = True
        for _, connection in connections:
            connection.close()
        self._writer = None
        self._local = threading.local()

    def _connect(self, flags: int) -> apsw.Connection:
        if self._closed:
            raise UsageError("{path} is closed", hint="Open the library again.", path=self.path)
        try:
            connection = apsw.Connection(self.path, flags=flags)
        except apsw.CantOpenError as error:
            if flags & apsw.SQLITE_OPEN_CREATE or not os.path.isfile(self.path):
                raise NotFound(
                    "cannot open {path}", hint="Check the path and its permissions.", path=self.path
                ) from error
            from pathlib import Path  # here, since a search seldom needs it, and starts faster without

            connection = apsw.Connection(f"{Path(self.path).as_uri()}?immutable=1", flags=_READ_ONLY)
        connection.set_busy_timeout(self._busy_ms)
        connection.execute(
            "PRAGMA foreign_keys=ON; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;"
            " PRAGMA mmap_size=2147483648; PRAGMA journal_size_limit=16777216; PRAGMA secure_delete=ON"
        ).fetchall()  # a statement that returns a row holds up those after it
        with self._lock:
            self._open.append((threading.current_thread(), connection))
        return connection

    def _forget_ended_threads(self) -> None:
        """Close the connections that threads read through which are no more: a server may start thousands."""
        with self._lock:
            ended = [each for each in self._open if not each[0].is_alive() and each[1] is not self._writer]
            self._open = [each for each in self._open if each not in ended]
        for _, connection in ended:
            connection.close()

    def _identify(self, connection: apsw.Connection, *, new: bool) -> None:
        if new:
            connection.pragma("application_id", APPLICATION_ID)
        elif connection.pragma("application_id") != APPLICATION_ID:
            raise self._foreign()
        elif int(connection.pragma("user_version")) > FORMAT:
            raise UsageError(
                "{path} was made by a newer Yuanwen",
                hint="Update with: pip install -U yuanwen",
                path=self.path,
            )

    def _foreign(self) -> LibraryDamaged:
        return LibraryDamaged("{path} is not a Yuanwen library", hint="Name another file with -L.", path=self.path)

    def _damaged(self, error: Exception) -> LibraryDamaged:
        return LibraryDamaged("{path} is damaged: {error}", hint="Put back a copy of it.", path=self.path, error=error)

    def _busy(self) -> Busy:
        return Busy(
            "{path} is busy: another process has been writing for {seconds} seconds",
            hint="Try again when it has finished.",
            path=self.path,
            seconds=self._busy_ms // 1000,
        )


_LEAST_BYTES = 512  # of any file that SQLite made
_RETRY_SECONDS = 0.01
_READ_ONLY = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


def _is_empty(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get == 0)
