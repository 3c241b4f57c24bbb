"""The wire to the program that started this one, kept clear of whatever else reads from stdin or prints to stdout."""

import os
import sys
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from typing import NamedTuple


class Wire(NamedTuple):
    """What were stdin and stdout of this process."""

    reader: BufferedReader
    writer: BufferedWriter


def claim() -> Wire:
    """Return the wire. From then on whatever reads stdin finds its end, and whatever prints to stdout does to stderr.

    Call it before modules are loaded that may print. Processes that are started later have no hold of the wire.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:  # it is closed: the next that is opened gets its number
            os.open(os.devnull, os.O_RDWR)
    reader = os.fdopen(os.dup(0), "rb")
    writer = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    with suppress(AttributeError, OSError, ValueError):  # stdout was closed
        sys.stdout.flush()  # what was printed so far
    sys.stdout = sys.stderr
    return Wire(reader, writer)
