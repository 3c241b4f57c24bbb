"""RTF as Outlook packs it into a mail (MS-OXRTFCP) -> RTF as any program writes it."""

import struct
from collections.abc import Callable
from contextlib import suppress

from yuanwen.allowance import Allowance

# What stands in the window before the first byte.
_WINDOW = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans Serif"
    rb"SymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    + b"\r\n"
    + rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW_SIZE = 4096
_COMPRESSED, _PLAIN = 0x75465A4C, 0x414C454D
_HEAD = struct.Struct("<IIII")  # the packed size, the size, which of the two kinds, a checksum


def unpacked(data: bytes, allowance: Allowance) -> bytes:
    """Return the RTF; what there is of it, if it ends too soon, and nothing for what is of no known kind."""
    if len(data) < _HEAD.size:
        return b""
    _, size, kind, _ = _HEAD.unpack_from(data)
    packed = data[_HEAD.size :]
    if kind == _PLAIN:
        return packed[:size]
    if kind != _COMPRESSED:
        return b""
    allowance.unpack(size, len(data))
    return _expanded(packed, size, allowance.beat)


def _expanded(packed: bytes, size: int, beat: Callable[[], None]) -> bytes:
    """Return what bytes stand for: a bit of a control byte says whether a byte or a reference to the window follows."""
    window = bytearray(_WINDOW.ljust(_WINDOW_SIZE, b"\0"))
    at, out, rest = len(_WINDOW), bytearray(), iter(packed)
    with suppress(StopIteration):
        while len(out) < size:
            control = next(rest)
            beat()
            for bit in range(8):
                if control >> bit & 1:
                    token = next(rest) << 8 | next(rest)
                    start, length = token >> 4, (token & 0xF) + 2
                    if start == at:
                        return bytes(out)
                else:
                    start, length = at, 1
                    window[at] = next(rest)
                for offset in range(length):
                    byte = window[(start + offset) % _WINDOW_SIZE]
                    out.append(byte)
                    window[at] = byte
                    at = (at + 1) % _WINDOW_SIZE
    return bytes(out)
