"""The library that a server serves: opened once, when it is first asked for, and anew when its file was replaced."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from yuanwen import disk
from yuanwen.errors import Busy, YuanwenError
from yuanwen.library import Library

_File = tuple[int, int]  # device and number of a file


class _Closing(Exception):
    """The server ends, and embeds no more."""


class Served:
    """A library for as long as a server runs. Use it as a context manager, from any thread.

    Changes that another process makes are seen by the library itself. This class sees that the file was made, put
    back from a copy, or removed: a server that starts before its library serves it as soon as it is there.

    After a call a thread embeds what is new, if the library has a model, and its file may be written to.
    """

    def __init__(self, path: "str | os.PathLike[str]", *, allow_write: bool = False) -> None:
        self.path = disk.absolute(path)
        self.allow_write = allow_write
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._file: _File | None = None
        self._users: dict[Library, int] = {}
        self._embedding: threading.Thread | None = None
        self._closing = threading.Event()

    @contextmanager
    def library(self) -> Iterator[Library]:
        """Yield the library as its file is now. Raises NotFound where there is none, unless it may be written to."""
        with self._lock:
            library = self._current()
            self._users[library] = self._users.get(library, 0) + 1
        try:
            yield library
            self._embed_what_is_new(library)
        finally:
            self._done_with(library)

    def close(self) -> None:
        """Let go of the library, or have the last call that is at work in it do so."""
        self._closing.set()
        with self._lock:
            self._retire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _done_with(self, library: Library) -> None:
        with self._lock:
            self._users[library] -= 1
            if not self._users[library] and library is not self._library:
                self._let_go(library)

    def _embed_what_is_new(self, library: Library) -> None:
        """Start a thread that embeds, unless one is at work, or one failed: then a new server may have more luck."""
        with self._lock:
            if self._embedding is not None or self._closing.is_set() or not os.access(self.path, os.W_OK):
                return
            if not library.lacks_vectors():
                return
            self._embedding = threading.Thread(target=self._embed, args=(library,), name="embedding", daemon=True)
            self._users[library] += 1
            self._embedding.start()

    def _embed(self, library: Library) -> None:
        try:
            library.embed(progress=self._go_on)
        except Busy:
            self._embedding = None  # the next call tries again
        except YuanwenError:
            pass  # the model is not there: status says what lacks vectors
        except _Closing:
            pass
        else:
            self._embedding = None
        finally:
            self._done_with(library)

    def _go_on(self, done: int, passages: int, model: str) -> None:
        if self._closing.is_set():
            raise _Closing

    def _current(self) -> Library:
        if self._library is None or self._identity() != self._file:
            self._retire()
            before = self._identity()
            self._library = Library.open(self.path, create=self.allow_write)
            self._file = before or self._identity()  # what is put in its place meanwhile is seen by the next call
        return self._library

    def _retire(self) -> None:
        library, self._library = self._library, None
        if library is not None and not self._users.get(library):
            self._let_go(library)

    def _let_go(self, library: Library) -> None:
        self._users.pop(library, None)
        library.close()

    def _identity(self) -> _File | None:
        with suppress(OSError):
            found = os.stat(self.path)
            return found.st_dev, found.st_ino
        return None
