"""A file of another program with new content: whole or as it was, and never over a change that somebody else made."""

import errno
import os
import stat
import tempfile
from contextlib import suppress

from yuanwen.errors import Busy


def read(path: str) -> bytes | None:
    """Return the content of a file; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def replace(path: str, before: bytes | None, after: bytes) -> None:
    """Put new content in the place of what was read as `before`; None for a file that was not there.

    A symbolic link stays, and so do the permissions. Raises Busy where the content is not `before` any more, and
    OSError.
    """
    target = os.path.realpath(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    number, made = tempfile.mkstemp(dir=os.path.dirname(target), prefix=f".{os.path.basename(target)}.")
    try:
        with open(number, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            os.chmod(made, stat.S_IMODE(os.stat(target).st_mode))
        if read(target) != before:
            raise Busy("{path} was changed by another program just now", hint="Run it again.", path=path)
        os.replace(made, target)
    except BaseException:
        with suppress(OSError):
            os.remove(made)
        raise
    _keep_name(os.path.dirname(target))


def _keep_name(folder: str) -> None:
    """Have the new name of a file reach the disk, where the system can be asked for that."""
    if os.name != "posix":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)
