"""PDFium: started once a process, and called from Python. The home of pypdfium2_raw.

PDFium sees one font, ours, so that a page gives the same text and picture on every machine. It serves one thread at a
time.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import pypdfium2_raw

from yuanwen.extract import font

api = pypdfium2_raw
INT, HANDLE, ULONG = ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong
EMPTY = 2  # bytes of a string without characters


@cache
def library() -> object:
    """Start PDFium, once a process; return what it keeps a pointer to."""
    folder = ctypes.create_string_buffer(str(font.path().parent).encode())
    folders = (ctypes.POINTER(ctypes.c_char) * 2)(ctypes.cast(folder, ctypes.POINTER(ctypes.c_char)))
    config = api.FPDF_LIBRARY_CONFIG(version=2)
    config.m_pUserFontPaths = ctypes.cast(folders, type(config.m_pUserFontPaths))
    api.FPDF_InitLibraryWithConfig(config)
    return folder, folders, config


def quick(function: Any, result: type | None, *arguments: type) -> Callable[..., int]:
    """Return a function of PDFium that is called many times for a page: no checks, and the lock of Python is kept."""
    return cast(Callable[..., int], ctypes.PYFUNCTYPE(result, *arguments)(address(function)))


def string(function: Callable[..., int], *arguments: object) -> str:
    """Return what a function of PDFium writes into a buffer as UTF-16."""
    size = function(*arguments, None, 0)
    if size <= EMPTY:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    function(*arguments, buffer, size)
    return bytes(buffer)[: size - EMPTY].decode("utf-16-le", "replace").rstrip("\0").replace("\0", "\ufffd")


def address(handle: Any) -> int:
    """Return where a handle or a function of PDFium points to; quick functions take handles so."""
    return ctypes.cast(handle, HANDLE).value or 0
