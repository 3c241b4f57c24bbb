"""The disk as it is now, compared with what the library knows of it."""

import os

from yuanwen.errors import UsageError
from yuanwen.model import State

_JOURNALS = ("", "-wal", "-shm", "-journal")
_REHASH_BYTES = 16 * 2**20


def absolute(path: "str | os.PathLike[str]") -> str:
    """Return the absolute path of a library or an export. Raises UsageError for a name that is not Unicode text."""
    text = os.path.abspath(path)
    try:
        whole = b"\0" not in text.encode()
    except UnicodeEncodeError:
        whole = False
    if not whole:
        raise UsageError("{path} cannot be the name of a file", hint="Choose another.", path=ascii(text))
    return text


def state(
    path: str | bytes, size: int | None, mtime_ns: int | None, sha256: str | None, *, thorough: bool = False
) -> State:
    """Return whether a file is still as it was when it was indexed.

    `sha256` is None if the file could not be read when it was last seen. A file whose time alone has changed is
    read again, unless it is large and this need not be `thorough`.
    """
    try:
        now = os.stat(path)
    except OSError:
        return "missing"
    if now.st_size != size or sha256 is None:
        return "changed"
    if now.st_mtime_ns == mtime_ns:
        return "current"
    if now.st_size > _REHASH_BYTES and not thorough:
        return "changed"
    import hashlib

    try:
        with open(path, "rb") as file:
            return "current" if hashlib.file_digest(file, "sha256").hexdigest() == sha256 else "changed"
    except OSError:
        return "changed"


def part_of_library(path: str, library: str, derived: str) -> str | None:
    """Return what of a library a file belongs to: a file of its own or the folder of `derived` data; else None."""
    if path == derived or path.startswith(derived + os.sep):
        return derived
    return path if path.startswith(library) and path[len(library) :] in _JOURNALS else None
