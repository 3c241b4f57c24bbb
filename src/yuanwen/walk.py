"""Roots -> files, and a reason for each thing that is not taken.

Every file below a root comes out once, as a File or within a Skip; a folder that is not entered is one Skip.
"""

import errno
import fnmatch
import os
import re
import stat
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from yuanwen.absence import Skip
from yuanwen.documents import File
from yuanwen.errors import Unreadable
from yuanwen.reports import Root
from yuanwen.secrecy import is_secret_name

MAX_BYTES = 512 * 2**20
SETTLE_SECONDS = 0.1
ATTEMPTS = 3

IGNORE_FILES = (".gitignore", ".yuanwenignore")  # the later wins
JUNK = frozenset(
    (
        ".git", "node_modules", "bower_components", "__pycache__", "__MACOSX", "@eaDir", "lost+found",
        "$RECYCLE.BIN", "System Volume Information",
    )
)  # fmt: skip

# Reason -> hint: what is left out on purpose, and what could not be had.
_BY_RULE = {
    "symbolic link": "Add its target instead.",
    "it may hold secrets": "Files with such a name are never taken in.",
    "hidden": "Add it by its own path to take it in.",
    "folder of a program": "Add it by its own path to take it in.",
    "ignored by .gitignore": "Add it by its own path to take it in.",
    "ignored by .yuanwenignore": "Add it by its own path to take it in.",
    "left out by --include or --exclude": "Change these options to take it in.",
    "not a regular file": "Only files and folders can be taken in.",
    "empty file": "It will be taken in once it holds something.",
}
_BY_FAILURE = {
    "too large": "The limit is 512 MiB; split it.",
    "permission denied": "Make it readable for yourself.",
    "it is not there": "Check the path, and that its drive is connected.",
    "it cannot be read": "Check the drive that it is on.",
}
_HINTS = _BY_RULE | _BY_FAILURE


# ----------------------------------------------------------------------------------------- what there is


def walk(root: Root) -> Iterator[File | Skip]:
    """Yield what is below a root in order of path: each file, and each file or folder that is not taken."""
    path = Path(root.path)
    try:
        info = path.lstat()
        if stat.S_ISDIR(info.st_mode):
            yield from _below(str(path), _Choice(root))
        else:
            yield _taken(str(path), info)
    except OSError as error:
        yield _skip(str(path), _reason(error))


def unavailable(root: Root) -> str | None:
    """Return why a root cannot be trusted right now, so that nothing is removed because of it; else None."""
    path = Path(root.path)
    try:
        if not path.is_dir():
            path.open("rb").close()
            return None
        with os.scandir(path) as entries:
            return None if next(entries, None) else "the folder is empty"
    except OSError as error:
        return _reason(error)


@dataclass(frozen=True)
class _Ignores:
    """The patterns of one ignore file, for what lies below `folder` (which ends with a separator)."""

    folder: str
    name: str
    spec: GitIgnoreSpec


_Found = tuple["os.DirEntry[str]", tuple[_Ignores, ...]]


def _below(top: str, choice: "_Choice") -> Iterator[File | Skip]:
    """Yield what is below a folder, without recursion: folders may be nested deeper than Python's stack."""
    pending = _entries(top, ())
    while pending:
        entry, ignores = pending.pop()
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            relative = entry.path[len(os.path.join(top, "")) :].replace(os.sep, "/")
            if reason := _unwanted(entry, is_folder, ignores) or choice.refuses(relative, is_folder):
                yield _skip(entry.path, reason)
            elif not is_folder:
                yield _taken(entry.path, entry.stat(follow_symlinks=False))
            elif os.path.lexists(os.path.join(entry.path, "pyvenv.cfg")):
                yield _skip(entry.path, "folder of a program")
            else:
                pending += _entries(entry.path, ignores)
        except OSError as error:
            yield _skip(entry.path, _reason(error))


def _entries(folder: str, ignores: tuple[_Ignores, ...]) -> list[_Found]:
    """Return what is in a folder, last name first, with the ignore files that hold for it."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name, reverse=True)
    for name in IGNORE_FILES:
        if any(entry.name == name and entry.is_file(follow_symlinks=False) for entry in entries):
            lines = Path(folder, name).read_text("utf-8-sig", "replace").splitlines()
            ignores += (_Ignores(os.path.join(folder, ""), name, _spec(lines)),)
    return [(entry, ignores) for entry in entries]


def _spec(lines: list[str]) -> GitIgnoreSpec:
    """Return the patterns of an ignore file. As git does, leave out those that make no sense."""
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    try:
        return bool(GitIgnoreSpec.from_lines([line]))
    except ValueError:
        return False


# ---------------------------------------------------------------------------------------- what is taken


def _taken(path: str, info: os.stat_result) -> File | Skip:
    """Return the file, or why it is not taken even when it is named directly."""
    if stat.S_ISLNK(info.st_mode):
        return _skip(path, "symbolic link")
    if is_secret_name(os.path.basename(path)):
        return _skip(path, "it may hold secrets")
    if not stat.S_ISREG(info.st_mode):
        return _skip(path, "not a regular file")
    if not info.st_size:
        return _skip(path, "empty file")
    if info.st_size > MAX_BYTES:
        return _skip(path, "too large")
    return File(path=Path(path), size=info.st_size, mtime_ns=info.st_mtime_ns)


def _unwanted(entry: "os.DirEntry[str]", is_folder: bool, ignores: tuple[_Ignores, ...]) -> str | None:
    """Return why something is left out when a folder above it was named, rather than itself."""
    if entry.is_symlink():
        return "symbolic link"
    if not is_folder and is_secret_name(entry.name):
        return "it may hold secrets"
    if is_folder and entry.name in JUNK:
        return "folder of a program"
    if entry.name.startswith("."):
        return "hidden"
    for ignore in reversed(ignores):
        below = entry.path[len(ignore.folder) :] + "/" * is_folder
        ignored = ignore.spec.check_file(below).include
        if ignored is not None:
            return f"ignored by {ignore.name}" if ignored else None
    return None


class _Choice:
    """What the globs of a root choose. A glob is compared with the path below the root and with the name; one that
    starts with `/` with the path alone."""

    def __init__(self, root: Root) -> None:
        self._include = _globs(root.include)
        self._exclude = _globs(root.exclude)

    def refuses(self, relative: str, is_folder: bool) -> str | None:
        """Return why a file is left out, or a folder with all that is in it."""
        below = unicodedata.normalize("NFC", relative)
        names = [f"/{below}", below, below.rpartition("/")[2]]
        excluded = self._exclude and any(map(self._exclude.fullmatch, names))
        included = is_folder or not self._include or any(map(self._include.fullmatch, names))
        return None if included and not excluded else "left out by --include or --exclude"


def _globs(globs: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern for what any of the globs matches, `*` also across `/`; None for no globs."""
    plain = [unicodedata.normalize("NFC", glob).removeprefix("./").rstrip("/") for glob in globs]
    either = [*plain, *(glob.removeprefix("**/") for glob in plain)]  # `**/` may stand for no folder at all
    return re.compile("|".join(map(fnmatch.translate, either))) if globs else None


def _skip(path: str, reason: str) -> Skip:
    return Skip(source=str(Path(path)), reason=reason, hint=_HINTS[reason], by_rule=reason in _BY_RULE)


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "it is not there"
    return "symbolic link" if error.errno == errno.ELOOP else "it cannot be read"


# --------------------------------------------------------------------------------------------- contents


def read(file: File) -> bytes:
    """Return the bytes of a file that stayed the same while they were read. Raises Unreadable."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            data = _read_settled(file.path)
        except FileNotFoundError as error:
            if attempt == ATTEMPTS:
                raise _unreadable(_reason(error)) from error
            time.sleep(SETTLE_SECONDS)  # some editors save by deleting the file and creating it again
        except OSError as error:
            raise _unreadable(_reason(error)) from error
        else:
            if data is not None:
                return data
    raise Unreadable("it is being written", hint="It will be taken in once it is finished.")


def _read_settled(path: Path) -> bytes | None:
    """Return the bytes of a file that was left alone for a moment; None if it changed meanwhile."""
    # Without these flags a link or a pipe that took the file's place would be followed, or waited for.
    flags = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    with open(os.open(path, os.O_RDONLY | flags), "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise _unreadable("not a regular file")
        rest = SETTLE_SECONDS - (time.time_ns() - found.st_mtime_ns) / 1e9
        if 0 < rest <= SETTLE_SECONDS:
            time.sleep(rest)
        before = os.fstat(stream.fileno())
        if before.st_size > MAX_BYTES:
            raise _unreadable("too large")
        data = stream.read(before.st_size + 1)
        after = os.fstat(stream.fileno())
    same = (found.st_mtime_ns, len(data)) == (after.st_mtime_ns, before.st_size) == _state(after)
    return data if same else None


def _state(info: os.stat_result) -> tuple[int, int]:
    return info.st_mtime_ns, info.st_size


def _unreadable(reason: str) -> Unreadable:
    return Unreadable(reason, hint=_HINTS[reason])
