"""Yuanwen 原文 brings back the original words of documents you own, each with an address that anyone can check."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yuanwen.errors import YuanwenError
    from yuanwen.library import Library
    from yuanwen.originals import Originals

__all__ = ["Library", "Originals", "YuanwenError", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that `import yuanwen` alone costs nothing."""
    if name == "Library":
        from yuanwen.library import Library

        return Library
    if name == "Originals":
        from yuanwen.originals import Originals

        return Originals
    if name == "YuanwenError":
        from yuanwen.errors import YuanwenError

        return YuanwenError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
