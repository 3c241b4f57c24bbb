"""Names of what lies within a file: without what only a file system understands, and each given once."""

import re

_NO_TEXT = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def path(name: str) -> str:
    """Return a path with forward slashes that leads nowhere but down; empty if nothing is left of it."""
    parts = _NO_TEXT.sub("", name).replace("\\", "/").split("/")
    return "/".join(part.strip() for part in parts if part.strip() not in ("", ".", ".."))


def within(outer: str, inner: str) -> str:
    """Return the path of what lies at `inner` within `outer`; either may be empty."""
    return "/".join(filter(None, (outer, inner)))


class Names:
    """The names given so far within one file."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def give(self, name: str) -> str:
        """Return the name, or `name (2).suffix` and so on where it was given before."""
        stem, dot, suffix = name.rpartition(".")
        if not stem or "/" in suffix:
            stem, dot, suffix = name, "", ""
        unique = name
        while unique in self._given:
            self._given[name] += 1
            unique = f"{stem} ({self._given[name]}){dot}{suffix}"
        self._given[unique] = 1
        return unique
