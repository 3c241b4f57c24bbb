"""The process in which files are read: `python -m yuanwen.worker`, started and, if need be, killed by `workers.py`.

It takes one job after another from its standard input, and answers on what was its standard output. Whatever a parser
prints goes nowhere. It ends when its input does, so it never outlives the process that started it by much.
"""

import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

from yuanwen import extract
from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable, YuanwenError
from yuanwen.garbage import uncollected
from yuanwen.passages import split

MEMORY = 2 * 2**30  # bytes of address space
SECONDS = 60.0  # without a sign of life
BEAT_SECONDS = 0.5  # signs of life are given no more often than that
HEAVY = 1280 * 2**20  # a worker that grew beyond this is replaced after its job; the models of OCR take 1 GiB

TITLE = 500  # characters of a title, or of the names of authors
TAG, TAGS = 100, 100  # characters of a tag, and tags of a document

BEAT, ANSWER, LAST = b"b", b"a", b"l"  # what the parent hears: work goes on, it is done, it is done and I am leaving
READY = b"\0yuanwen\0"  # the first that the parent heeds: before that, a library may have printed while it was loaded
LENGTH = 8  # bytes of the length before each pickled message


def read(name: str, data: bytes, passwords: tuple[str, ...], allowance: Allowance) -> tuple[object, ...]:
    """Return `documents`, the version of what read them, and for each document or unread part what was found."""
    raw = _raw(name, data, passwords, allowance)
    try:
        extract.extractor(raw.media_type or None)
        found = extract.extract(raw)
    except Unreadable as error:
        return "unreadable", extract.version(raw.media_type, None), error.what, error.hint, error.values
    items = tuple((_brief(item), tuple(split(item))) if isinstance(item, Extracted) else item for item in found)
    return "documents", extract.version(raw.media_type, found), items


def _raw(name: str, data: bytes, passwords: tuple[str, ...], allowance: Allowance) -> Raw:
    media_type = extract.media_type_of(name, data) or ""
    return Raw(name=name, data=data, media_type=media_type, passwords=passwords, allowance=allowance)


def _brief(document: Extracted) -> Extracted:
    """Return a document without what its passages hold as well, and with what it says of itself cut to what fits."""
    own = replace(document, text="", headings=(), paragraphs=(), places=(), records=(), marks=())
    tags = tuple(tag for tag in document.tags if len(tag) <= TAG)[:TAGS]
    return replace(own, title=document.title[:TITLE], author=document.author[:TITLE], tags=tags)


def picture(
    name: str, data: bytes, passwords: tuple[str, ...], allowance: Allowance, *, inside: str, **asked: Any
) -> tuple[object, ...]:
    """Return `picture` and the PNG of a page of a file, or of one inside it, with stretches of its text marked."""
    raw = _raw(name, data, passwords, allowance)
    try:
        return "picture", extract.picture(extract.member(raw, inside), **asked)
    except YuanwenError as error:
        return "unreadable", "", error.what, error.hint, error.values


JOBS: dict[str, Callable[..., tuple[object, ...]]] = {"read": read, "picture": picture}


def main() -> None:
    """Work as the process that was started for it."""
    jobs, answers = _channels()
    answers.write(READY)
    answers.flush()
    _limit(MEMORY)
    work(jobs, answers)


def work(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Do jobs until there are no more, or this process has grown too large for another."""
    while (length := jobs.read(LENGTH)) and len(length) == LENGTH:
        job, name, size, passwords, asked = pickle.loads(jobs.read(int.from_bytes(length)))
        with uncollected():  # or half of the time would go into looking for cycles
            answer = JOBS[job](name, jobs.read(size), passwords, _allowance(answers), **asked)
            _alarm(0)
            leaving = _grown() > HEAVY
            _send(answers, LAST if leaving else ANSWER, answer)
        if leaving:
            return


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Return where jobs come from and answers go to; from now on prints and questions of parsers go nowhere."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1) if os.environ.get("YUANWEN_DEBUG") else (0, 1, 2):
        os.dup2(nothing, stream)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interrupt means
    return jobs, answers


def _limit(memory: int) -> None:
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):  # macOS knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _grown() -> int:
    """Return how much memory this process has, in bytes; 0 where that is not known.

    The most that it had, as getrusage tells, would be that of the process that started it, if that had more.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _allowance(answers: BinaryIO) -> Allowance:
    """Return the allowance of one job, whose beat is heard by the parent."""
    last = time.monotonic()
    _alarm(SECONDS)

    def beat(patience: float) -> None:
        nonlocal last
        now = time.monotonic()
        if patience or now - last > BEAT_SECONDS:
            last = now
            _alarm(max(SECONDS, patience))
            _send(answers, BEAT, (patience,))

    return Allowance(beat)


def _alarm(seconds: float) -> None:
    """Have the system end this process, should it hang when its parent is no longer there to do that; 0 for never."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 2 * seconds)


def _send(answers: BinaryIO, kind: bytes, answer: object) -> None:
    data = pickle.dumps(answer, protocol=5)
    answers.write(kind + len(data).to_bytes(LENGTH))
    answers.write(data)
    answers.flush()


if __name__ == "__main__":
    main()
