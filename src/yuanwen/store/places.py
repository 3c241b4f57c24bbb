"""Places, marks and unread parts as they are stored: JSON without what is empty, and nothing at all for nothing."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yuanwen.absence import Skip
    from yuanwen.place import Mark, Place


def place_text(place: "Place | None") -> str | None:
    """Return a place as it is stored."""
    if place is None:
        return None
    return _encode()({name: value for name, value in vars(place).items() if value})


def place(stored: str | None) -> "Place | None":
    """Return a place that was stored."""
    if stored is None:
        return None
    from yuanwen.place import Place

    values = _loaded(stored)
    return Place(**values | {"columns": tuple(values.get("columns", ()))})


def marks_text(marks: "Sequence[Mark]") -> str | None:
    """Return marks as they are stored: a list of [start, end, kind, note]."""
    return _encode()([[mark.start, mark.end, mark.kind, mark.note] for mark in marks]) if marks else None


def marks(stored: str | None) -> "tuple[Mark, ...]":
    """Return marks that were stored."""
    if stored is None:
        return ()
    from yuanwen.place import Mark

    found = _loaded(stored)
    return tuple(Mark(start=start, end=end, kind=kind, note=note) for start, end, kind, note in found)


def unread_text(unread: "Sequence[Skip]") -> str | None:
    """Return parts that could not be read as they are stored: a list of [source, reason, hint, by_rule]."""
    return _encode()([[skip.source, skip.reason, skip.hint, skip.by_rule] for skip in unread]) if unread else None


def unread(stored: str | None) -> "tuple[Skip, ...]":
    """Return parts that were stored; their sources are paths within the file."""
    if stored is None:
        return ()
    from yuanwen.absence import Skip

    found = _loaded(stored)
    return tuple(Skip(source=source, reason=reason, hint=hint, by_rule=rule) for source, reason, hint, rule in found)


@cache
def _encode() -> Callable[[object], str]:
    import json

    return json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _loaded(stored: str) -> Any:
    import json  # here, as the classes above: a search among records needs none, and starts faster without

    return json.loads(stored)
