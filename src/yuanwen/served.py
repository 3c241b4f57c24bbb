"""The library that a server serves: opened once, when it is first asked for, and anew when its file was replaced."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Self

from yuanwen import disk
from yuanwen.library import Library

_File = tuple[int, int]  # device and number of a file


class Served:
    """A library for as long as a server runs. Use it as a context manager, from any thread.

    Changes that another process makes are seen by the library itself. This class sees that the file was made, put
    back from a copy, or removed: a server that starts before its library serves it as soon as it is there.
    """

    def __init__(self, path: "str | os.PathLike[str]", *, allow_write: bool = False) -> None:
        self.path = disk.absolute(path)
        self.allow_write = allow_write
        self._lock = threading.Lock()
        self._library: Library | None = None
        self._file: _File | None = None
        self._users: dict[Library, int] = {}

    @contextmanager
    def library(self) -> Iterator[Library]:
        """Yield the library as its file is now. Raises NotFound where there is none, unless it may be written to."""
        with self._lock:
            library = self._current()
            self._users[library] = self._users.get(library, 0) + 1
        try:
            yield library
        finally:
            with self._lock:
                self._users[library] -= 1
                if not self._users[library] and library is not self._library:
                    self._let_go(library)

    def close(self) -> None:
        """Let go of the library, or have the last call that is at work in it do so."""
        with self._lock:
            self._retire()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

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
