"""JSON records, `{"id", "title", "source", "paragraph", "body"}`: one document for each source.

A file of records is taken whole or refused whole. JSON of any other kind is plain text.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from yuanwen.documents import Extracted, Raw, Record
from yuanwen.errors import Unreadable
from yuanwen.extract import text
from yuanwen.extract.dates import iso

NAMES = ("id", "title", "source", "paragraph", "body")
LINES = "application/jsonl"

_HINT = "Nothing was taken from this file; correct it and add it again."
_ENOUGH_NAMES = 3
_ESCAPES = re.compile(rb"\\u(?:[dD][89a-fA-F]|0000)")
_TEXTS = ("id", "title", "source", "body")
_values = itemgetter(*NAMES)


class _NotRecords(Exception):
    """The file is JSON of another kind, or no JSON at all."""


@dataclass
class _Source:
    """The records of one source so far."""

    length: int = 0
    bodies: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return a document for each source, the first to appear first. Raises Unreadable, naming the record."""
    data = raw.data.removeprefix(b"\xef\xbb\xbf")
    try:
        items = _lines(data) if raw.media_type == LINES else _array(data)
        sources = _grouped(items, escapes=bool(_ESCAPES.search(data)))
    except _NotRecords:
        return text.extract(raw)
    if not sources:
        raise Unreadable("it holds no records", hint="Add records to it, or leave it out.")
    return tuple(
        Extracted(
            text="".join(source.bodies),
            media_type=raw.media_type,
            title=name,
            source=name,
            records=tuple(source.records),
        )
        for name, source in sources.items()
    )


# -------------------------------------------------------------------------------------- bytes -> items


def _array(data: bytes) -> Iterator[object]:
    """Yield the items of a JSON array."""
    if not data.lstrip().startswith(b"["):
        raise _NotRecords
    yield from _parsed(data, data, 1, in_array=True)


def _lines(data: bytes) -> Iterator[object]:
    """Yield the JSON value of each line that is not blank."""
    for number, line in enumerate(io.BytesIO(data), 1):
        if not line.isspace():
            yield _parsed(line, data, number, in_array=False)


def _parsed(part: bytes, data: bytes, line: int, *, in_array: bool) -> Any:
    """Return the JSON value of a part of the file that starts at `line`.

    What cannot be parsed is broken if it was meant to be data, as an array is; else it is of another kind.
    """
    try:
        return json.loads(part.decode("utf-8"))
    except UnicodeDecodeError as error:
        what = "it is not UTF-8 (line {line})"
        values: dict[str, object] = {"line": line + part.count(b"\n", 0, error.start)}
    except json.JSONDecodeError as error:
        what = "broken JSON at line {line}, column {column}: {problem}"
        values = {"line": line - 1 + error.lineno, "column": error.colno, "problem": error.msg}
        if in_array:
            raise Unreadable(what, hint=_HINT, **values) from None
    except (ValueError, RecursionError):  # numbers of thousands of digits, brackets thousands deep
        raise _NotRecords from None
    if sum(data.count(b'"%b"' % name.encode()) > 0 for name in NAMES) < _ENOUGH_NAMES:
        raise _NotRecords
    raise Unreadable(what, hint=_HINT, **values)


# ------------------------------------------------------------------------------------ items -> sources


def _grouped(items: Iterator[Any], *, escapes: bool) -> dict[str, _Source]:
    """Return the records by source. Raises Unreadable for the first that is wrong.

    Only a file with `escapes` can hold half characters or NULs; only there is every text looked through.
    """
    sources: dict[str, _Source] = {}
    numbers: dict[str, int] = {}
    for number, item in enumerate(items, 1):
        if not _is_sound(item) or (escapes and any(_text_fault(item[name]) for name in _TEXTS)):
            if number > 1 or _looks_like_record(item) or any(map(_looks_like_record, items)):
                raise _refusal(number, item)
            raise _NotRecords
        label, title, source, paragraph, body = _values(item)
        if numbers.setdefault(label, number) != number:
            raise _duplicate(numbers[label], number, label)
        group = sources.get(source)
        if group is None:
            group = sources[source] = _Source()
        tags, dated = _extras(number, item) if len(item) > len(NAMES) else ((), None)
        start, group.length = group.length, group.length + len(body)
        group.bodies.append(body)
        group.records.append(
            Record(
                start=start,
                end=group.length,
                label=label,
                title=title,
                paragraph=paragraph,
                tags=tags,
                dated=dated,
            )
        )
    return sources


def _is_sound(item: Any) -> bool:
    """Return whether an item has the five fields of a record, each of its type and not blank."""
    try:
        label, title, source, paragraph, body = _values(item)
    except (KeyError, TypeError):
        return False
    return bool(
        (type(label) is str and type(title) is str and type(source) is str and type(body) is str)
        and (label.strip() and title.strip() and source.strip() and body.strip())
        and (type(paragraph) is int and paragraph > 0)
    )


def _extras(number: int, item: dict[str, Any]) -> tuple[tuple[str, ...], str | None]:
    """Return the tags and the date of a record that may have them."""
    tags, date = item.get("tags"), item.get("date")
    if tags is not None and not (isinstance(tags, list) and all(_text_fault(tag) is None for tag in tags)):
        raise _wrong(number, item, "tags", "is not a list of texts")
    dated = iso(date) if isinstance(date, str) else None
    if date is not None and dated is None:
        raise _wrong(number, item, "date", "is not a date")
    return tuple(dict.fromkeys(tags or ())), dated


# ------------------------------------------------------------------------------------------- refusals


def _looks_like_record(item: object) -> bool:
    return isinstance(item, dict) and sum(name in item for name in NAMES) >= _ENOUGH_NAMES


def _refusal(number: int, item: Any) -> Unreadable:
    """Return the error that names the first field of the record that is wrong."""
    if not isinstance(item, dict):
        return Unreadable("record {number} is not an object", hint=_HINT, number=number)
    for name in NAMES:
        if name not in item:
            return _wrong(number, item, name, "is missing")
        value = item[name]
        if name == "paragraph":
            if type(value) is not int or value < 1:
                return _wrong(number, item, name, "is not a positive whole number")
        elif fault := _text_fault(value):
            return _wrong(number, item, name, fault)
    raise AssertionError("a sound record was refused")


def _text_fault(value: object) -> str | None:
    """Return what is wrong with a value that must be a text that is not blank."""
    if not isinstance(value, str):
        return "is not a text"
    if not value.strip():
        return "is empty"
    if "\0" in value:
        return "holds a NUL"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "holds half a character (a lone surrogate)"
    return None


def _wrong(number: int, item: dict[str, Any], field: str, fault: str) -> Unreadable:
    label = item.get("id")
    known = isinstance(label, str) and _text_fault(label) is None
    named = f'{number} (id "{label}")' if known else str(number)
    return Unreadable(f'record {{record}}: "{{field}}" {fault}', hint=_HINT, record=named, field=field)


def _duplicate(first: int, second: int, label: str) -> Unreadable:
    what = 'records {first} and {second} have the same id, "{label}"'
    return Unreadable(what, hint=_HINT, first=first, second=second, label=label)
