"""Processes that read files, lent from test to test: to start one takes longer than most tests do."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from yuanwen import workers
from yuanwen.workers import _Worker

MOST = 4  # that wait

_waiting: list["Lent"] = []


class Lent(_Worker):
    """A worker whose process, if it only waits when it is to end, is kept for the next of the same surroundings."""

    def __init__(self, seconds: float) -> None:
        self._waits = True
        self._surroundings = _surroundings()
        for other in _waiting[::-1]:
            if other._surroundings == self._surroundings and _taken(other):
                if other.runs:
                    vars(self).update(vars(other) | {"_seconds": seconds, "lives": True})
                    return
                _Worker.end(other)
        super().__init__(seconds)

    def ask(self, message: object, data: bytes) -> tuple[Any, ...]:
        self._waits = False
        answer = super().ask(message, data)
        self._waits = self.lives
        return answer

    def kill(self) -> None:
        if not self._waits:
            super().kill()

    def end(self) -> None:
        if not (self._waits and self.runs):
            return super().end()
        self.lives = False
        _waiting.append(self)
        while len(_waiting) > MOST:
            _Worker.end(_waiting.pop(0))


@contextmanager
def lending() -> Iterator[None]:
    """Have the libraries of this process lend their readers to those that come after them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_Worker", Lent)
        yield


def end_all() -> None:
    """End what waits."""
    while _waiting:
        _Worker.end(_waiting.pop())


def _taken(other: Lent) -> bool:
    """Return whether this one was still there to be taken, and is not any more."""
    try:
        _waiting.remove(other)
    except ValueError:  # another thread was faster
        return False
    return True


def _surroundings() -> tuple[object, ...]:
    """Return what a process takes over from this one."""
    given = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return os.getpid(), os.getcwd(), given
