"""Every error that Yuanwen raises on purpose.

    YuanwenError
    ├── UsageError        what was asked for makes no sense as it stands
    │   └── QueryError    an empty query, or a filter that cannot be read
    ├── NotFound          no such library, passage, document or file
    ├── Busy              another process has been writing for too long
    ├── Refused           it was possible, and it would have lost something
    ├── Unavailable       an endpoint that does not answer, or not now
    ├── Unreadable        a file that cannot become text
    └── LibraryDamaged    the library file is not what it says it is

An error names the thing and the next step. Its texts are templates filled from keyword values, so that a
surface can translate the template before it fills it: `error.text(translate)`.
"""

from collections.abc import Callable


class YuanwenError(Exception):
    """Base of all. `what` and `hint` are `str.format` templates over `values`."""

    def __init__(self, what: str, *, hint: str = "", **values: object) -> None:
        self.what = what
        self.hint = hint
        self.values = values
        super().__init__(self.text())

    def text(self, translate: Callable[[str], str] = str) -> str:
        """Return `What. What to do next.`, each template passed through `translate` before it is filled."""
        sentences = [translate(part).format(**self.values) for part in (self.what, self.hint) if part]
        return " ".join(s if s.endswith((".", "。", "?", "？", "!", "！")) else s + "." for s in sentences)


class UsageError(YuanwenError):
    """What was asked for makes no sense as it stands."""


class QueryError(UsageError):
    """An empty query, or a filter that cannot be read."""


class NotFound(YuanwenError):
    """No such library, passage, document or file."""


class Busy(YuanwenError):
    """Another process has been writing for too long."""


class Refused(YuanwenError):
    """It was possible, and it would have lost something."""


class Unavailable(YuanwenError):
    """An endpoint that does not answer, or not now."""


class Unreadable(YuanwenError):
    """A file that cannot become text. `what` is the reason, `hint` what its owner can do."""


class LibraryDamaged(YuanwenError):
    """The library file is not what it says it is."""
