"""Files -> what is in them, read in processes that can be killed: a parser may crash, hang or ask for all memory.

A worker is kept from one file to the next, so that small files stay fast, and replaced when it dies. What it answers
is not trusted: only the plain data of `documents.py` is unpickled.
"""

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar, cast

import yuanwen
from yuanwen.absence import Skip
from yuanwen.documents import Passage, Reading
from yuanwen.errors import Unreadable
from yuanwen.garbage import uncollected
from yuanwen.worker import BEAT, LAST, LENGTH, MEMORY, READY, SECONDS

MOST = 4  # workers: beyond that the one process that writes is what takes the time
AHEAD = 2  # files that are read ahead for each worker
MAX_ANSWER = 2**31  # bytes
WHOLE_SECONDS = 3600.0  # for one file, however alive its reader is
MOST_SECONDS = 600.0  # that a worker may ask to be waited for at once
WATCH_SECONDS = 0.2
START_SECONDS = 0.2  # a further worker is started only where those at work are busy for as long as starting one takes

NEVER = float("inf")

Item = TypeVar("Item")
Result = TypeVar("Result")


class CannotRead(Unreadable):
    """A file that cannot become text, and the `version` of what tried."""

    version = ""


class Workers:
    """A few processes that read files. Use it as a context manager, or close it; it starts them when it needs them.

    One that gives no sign of life for `seconds` is killed.
    """

    def __init__(self, number: int | None = None, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self.number = number or min(MOST, os.cpu_count() or 1)
        self._threads = ThreadPoolExecutor(self.number, "yuanwen-reading")
        self._idle: deque[_Worker] = deque()
        self._all: list[_Worker] = []
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None
        self._lock = threading.Condition()

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes, also in the middle of a file."""
        self._closed.set()
        with self._lock:
            workers = list(self._all)
        for worker in workers:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._idle:
            worker.end()
        if self._watch is not None:
            self._watch.join()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Future[Result]]:
        """Yield what `work` returns or raises for each item, in order; a few items are worked at ahead, in threads."""
        running: deque[Future[Result]] = deque()
        try:
            for item in items:
                running.append(self._threads.submit(work, item))
                if len(running) > AHEAD * self.number:
                    yield running.popleft()
            while running:
                yield running.popleft()
        finally:
            for future in running:
                future.cancel()

    def read(self, name: str, data: bytes, passwords: tuple[str, ...] = ()) -> Reading:
        """Return what a file of this name holds. Raises CannotRead, also where the reader crashed or hung."""
        version, items = self._ask("read", name, data, passwords)
        found = [item for item in items if not isinstance(item, Skip)]
        return Reading(
            version=version,
            documents=tuple((replace(document, text=joined(passages)), passages) for document, passages in found),
            unread=tuple(item for item in items if isinstance(item, Skip)),
        )

    def picture(self, name: str, data: bytes, passwords: tuple[str, ...] = (), **asked: Any) -> bytes:
        """Return a page as PNG: see `extract.picture`. Raises CannotRead."""
        (png,) = self._ask("picture", name, data, passwords, **asked)
        return cast(bytes, png)

    def _ask(self, job: str, name: str, data: bytes, passwords: tuple[str, ...], **asked: object) -> tuple[Any, ...]:
        kind, *answer = self._answered((job, name, len(data), passwords, asked), data)
        if kind == "unreadable":
            version, what, hint, values = answer
            error = CannotRead(what, hint=hint, **values)
            error.version = version
            raise error
        return tuple(answer)

    def _answered(self, message: object, data: bytes) -> tuple[Any, ...]:
        with self._lock:
            if self._all and not self._idle:
                self._lock.wait_for(lambda: self._idle or self._closed.is_set(), START_SECONDS)
            if self._closed.is_set():
                raise CannotRead("the reading was stopped", hint="Start it again.")
            worker = self._spare()
            if self._watch is None:
                self._watch = threading.Thread(target=self._watching, name="yuanwen-watching", daemon=True)
                self._watch.start()
        try:
            return worker.ask(message, data)
        finally:
            with self._lock:
                if worker.lives:
                    self._idle.append(worker)
                else:
                    self._all.remove(worker)
                self._lock.notify()

    def _spare(self) -> "_Worker":
        """Return a worker that waits for a job, else a new one."""
        while self._idle:
            worker = self._idle.popleft()
            if worker.runs:
                return worker
            worker.end()  # it was killed from outside while it waited
            self._all.remove(worker)
        self._all.append(_Worker(self._seconds))
        return self._all[-1]

    def _watching(self) -> None:
        """Kill each worker that has given no sign of life for too long."""
        while not self._closed.wait(WATCH_SECONDS):
            with self._lock:
                workers = list(self._all)
            for worker in workers:
                if time.monotonic() > worker.deadline:
                    worker.kill()


class _Worker:
    """One process, and what is said to it and by it."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        root = str(Path(yuanwen.__file__).parents[1])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "yuanwen.worker"],  # -P: nothing is imported from the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "ORT_DISABLE_TELEMETRY": "1"},
        )
        assert self._process.stdin and self._process.stdout
        self._jobs, self._answers = self._process.stdin, self._process.stdout
        self.deadline = NEVER
        self.lives = True
        self._ready = False

    @property
    def runs(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Have the process end now; who waits for its answer hears of it."""
        self._process.kill()

    def end(self) -> None:
        """End the process and let go of it, once nobody waits for its answer."""
        self.lives = False
        self._process.kill()
        self._process.wait()
        for stream in (self._jobs, self._answers):
            with suppress(OSError):
                stream.close()

    def ask(self, message: object, data: bytes) -> tuple[Any, ...]:
        """Return the answer to a job on data. Raises CannotRead where the process does not live to give it."""
        began = time.monotonic()
        self.deadline = began + self._seconds
        head = pickle.dumps(message, protocol=5)
        with suppress(OSError):
            self._jobs.write(len(head).to_bytes(LENGTH) + head)
            self._jobs.write(data)
            self._jobs.flush()
            heard: tuple[Any, ...] | float = 0.0 if self._is_ready() else ()
            while isinstance(heard, float):
                self.deadline = min(time.monotonic() + max(self._seconds, heard), began + WHOLE_SECONDS)
                heard = self._heard()
            if heard:
                self.deadline = NEVER
                return heard
        ended = time.monotonic()
        self.end()
        if ended <= self.deadline:
            raise _crashed()
        raise _slow() if ended > began + WHOLE_SECONDS else _hung(self._seconds)

    def _is_ready(self) -> bool:
        """Wait for the process to be ready, whatever was printed before it was; False if it is gone."""
        last = b""
        while not self._ready:
            byte = self._answers.read(1)
            if not byte:
                return False
            last = (last + byte)[-len(READY) :]
            self._ready = last == READY
        return True

    def _heard(self) -> tuple[Any, ...] | float:
        """Return an answer; for a sign of life how many seconds it asks to be waited for; nothing at all where the
        process is gone or makes no sense."""
        head = self._answers.read(1 + LENGTH)
        kind, length = head[:1], int.from_bytes(head[1:])
        if len(head) != 1 + LENGTH or length > MAX_ANSWER:
            return ()
        data = self._answers.read(length)
        if len(data) != length:
            return ()
        if kind == BEAT:
            return min(_patience(data), MOST_SECONDS)
        if kind == LAST:
            self.end()
        return _plain(data)


def joined(passages: Sequence[Passage]) -> str:
    """Return the text of a document, which its passages tile."""
    return "".join([passage.text for passage in passages])


class _Plain(pickle.Unpickler):
    """Reads plain data, and of classes only those that a worker has to answer with."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class. Raises UnpicklingError for any that is not data."""
        if module in ("yuanwen.documents", "yuanwen.place") or (module, name) == ("yuanwen.absence", "Skip"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no answer")


def _plain(data: bytes) -> tuple[Any, ...]:
    """Return an answer; nothing at all for one that is no plain data."""
    try:
        with uncollected():
            answer = _Plain(BytesIO(data)).load()
    except Exception:  # unpickling what was broken may raise anything
        return ()
    return answer if isinstance(answer, tuple) else ()


def _patience(data: bytes) -> float:
    (seconds,) = _plain(data) or (0.0,)
    return float(seconds) if isinstance(seconds, float) else 0.0


def _hung(seconds: float) -> CannotRead:
    return CannotRead(
        "its reader made no progress for {n} seconds", hint="Save it again, or split it.", n=round(seconds)
    )


def _slow() -> CannotRead:
    return CannotRead("it takes more than {n} minutes to read", hint="Split it.", n=round(WHOLE_SECONDS / 60))


def _crashed() -> CannotRead:
    return CannotRead(
        "its reader crashed, or asked for more than {n} GiB of memory",
        hint="It may be damaged or hostile; save it again, or split it.",
        n=MEMORY // 2**30,
    )
