"""Rows of a library as plain objects that JSON can carry, and back."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from yuanwen.store import places, synonyms, writing
from yuanwen.store.connection import Connection

_ROOT = ("path", "tags", "include", "exclude")
_FILE = ("path", "size", "mtime_ns", "sha256", "extractor", "reason", "hint", "unread")
_DOCUMENT = ("path", "name", "source", "tags", "added")
_VERSION = (
    *("sha256", "text_sha256", "title", "media_type", "author", "dated", "encoding", "replaced", "extractor"),
    *("added", "passages", "characters"),
)
_PASSAGE = ("label", "title", "heading", "tags", "dated", "text")
_LISTS = ("tags", "include", "exclude", "heading")


@dataclass
class Counts:
    """Documents taken in, those that were there already, and passages of the former."""

    documents: int = 0
    known: int = 0
    passages: int = 0


def lines(db: Connection) -> Iterator[dict[str, Any]]:
    """Yield the roots, the files, the synonyms and the documents of a library."""
    for row in db.execute(f"SELECT {', '.join(_ROOT)} FROM roots ORDER BY id"):
        yield {"kind": "root", **_plain(_ROOT, row)}
    for row in db.execute(f"SELECT {', '.join(_FILE)} FROM files ORDER BY id"):
        yield {"kind": "file", **_plain(_FILE, row)}
    for group in synonyms.groups(db):
        yield {"kind": "synonyms", "words": list(group)}
    for document, current, *row in db.execute(f"SELECT id, current, {', '.join(_DOCUMENT)} FROM documents ORDER BY id"):
        yield {"kind": "document", **_plain(_DOCUMENT, row), **_contents(db, document, current)}


def _contents(db: Connection, document: int, current: int | None) -> dict[str, Any]:
    """Return the passages of a document once each, and its versions, which refer to them by place."""
    passages = db.execute(
        f"SELECT id, {', '.join(_PASSAGE)} FROM passages WHERE document_id = ? ORDER BY id", (document,)
    ).fetchall()
    number = {row[0]: place for place, row in enumerate(passages)}
    versions = []
    for identity, *row in db.execute(
        f"SELECT id, {', '.join(_VERSION)} FROM versions WHERE document_id = ? ORDER BY id", (document,)
    ).fetchall():
        spans = db.execute(
            "SELECT passage_id, start, paragraph, place, marks FROM spans WHERE version_id = ? ORDER BY ordinal",
            (identity,),
        )
        versions.append(
            {
                **_plain(_VERSION, row),
                "current": identity == current,
                "spans": [[number[passage], start, paragraph, *stand] for passage, start, paragraph, *stand in spans],
            }
        )
    return {"contents": [_plain(_PASSAGE, row[1:]) for row in passages], "versions": versions}


def _plain(names: tuple[str, ...], row: Any) -> dict[str, Any]:
    values = dict(zip(names, row, strict=True))
    for name in _LISTS:
        if values.get(name) is not None:
            values[name] = json.loads(values[name])
    if isinstance(values.get("path"), bytes):
        values["path"] = {"hex": values["path"].hex()}
    return values


_NUMBERS = ("size", "mtime_ns", "replaced", "passages", "characters")


def problem(line: Any) -> str | None:
    """Return what is wrong with a line of an export, None if it can be taken in as it is."""
    kind = line.get("kind") if isinstance(line, dict) else None
    if kind == "synonyms":
        words = line.get("words")
        fits = isinstance(words, list) and len(words) > 1 and all(isinstance(word, str) and word for word in words)
        return None if fits else "synonyms that are no words"
    if kind not in ("root", "file", "document"):
        return "neither a root, nor a file, nor a document"
    found = _ill_formed(line, {"root": _ROOT, "file": _FILE, "document": _DOCUMENT}[kind], optional=_SKIPPED)
    if found is None and kind == "document":
        found = _ill_formed_contents(line)
    return f"{kind} with {found}" if found else None


_SKIPPED = ("sha256", "extractor", "reason", "hint", "unread")  # of a file one or the other is empty


def _ill_formed(values: Any, names: tuple[str, ...], *, optional: tuple[str, ...] = ()) -> str | None:
    """Return which of the named values is missing or of the wrong type."""
    if not isinstance(values, dict):
        return f"{values!r:.40} where an object should be"
    for name in names:
        if name not in values:
            return f"no {name}"
        value = values[name]
        if value is None and name in optional:
            continue
        if name == "path":
            fits = isinstance(value, str) or (isinstance(value, dict) and _is_hex(value.get("hex")))
        elif name in _LISTS:
            fits = isinstance(value, list) and all(isinstance(item, str) for item in value)
        elif name in _NUMBERS:
            fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63
        else:
            fits = isinstance(value, str)
        if not fits:
            return f"an unfit {name}"
    return None


def _is_hex(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(bytes.fromhex(value))
    except ValueError:
        return False


def _ill_formed_contents(line: dict[str, Any]) -> str | None:
    """Return what is wrong with the passages and the versions of a document."""
    contents, versions = line.get("contents"), line.get("versions")
    if not isinstance(contents, list) or not isinstance(versions, list) or not versions:
        return "no contents or no versions"
    for passage in contents:
        found = _ill_formed(passage, _PASSAGE, optional=("label", "title", "heading", "tags", "dated"))
        if found is not None:
            return f"a passage with {found}"
    for version in versions:
        found = _ill_formed(version, _VERSION) or _ill_formed_spans(version, contents)
        if found is not None:
            return f"a version with {found}"
    if sum(version["current"] for version in versions) > 1:
        return "several current versions"
    return None


def _ill_formed_spans(version: dict[str, Any], contents: list[dict[str, Any]]) -> str | None:
    """Return what is wrong with the spans of a version: joined, their passages have to be its text."""
    spans = version.get("spans")
    if not isinstance(spans, list) or not isinstance(version.get("current"), bool):
        return "no spans or no mark"
    digest = hashlib.sha256()
    position = 0
    for span in spans:
        if not isinstance(span, list) or len(span) != 5 or not all(type(number) is int for number in span[:3]):
            return f"an unfit span {span!r:.40}"
        passage, start, paragraph, *stand = span
        if not _are_places(*stand):
            return f"an unfit place {stand!r:.40}"
        if not 0 <= passage < len(contents) or start != position or not 0 < paragraph < 2**63:
            return f"an unfit span {span!r:.40}"
        text = contents[passage]["text"]
        position += len(text)
        digest.update(text.encode("utf-8", "surrogatepass"))
    counts = (version["passages"], version["characters"])
    if digest.hexdigest() != version["text_sha256"] or counts != (len(spans), position):
        return "a text that is not what was written"
    return None


def _are_places(place: object, marks: object) -> bool:
    """Return whether texts are a stored place and stored marks."""
    try:
        places.place(cast(str | None, place)), places.marks(cast(str | None, marks))
    except (TypeError, ValueError):
        return False
    return True


def take(db: Connection, lines: Iterator[dict[str, Any]]) -> Counts:
    """Put the lines of an export into a library; what it has already is left as it is."""
    counts = Counts()
    for line in lines:
        if line["kind"] == "document":
            _take_document(db, line, counts)
        elif line["kind"] == "synonyms":
            synonyms.add(db, line["words"])
        else:
            names = _ROOT if line["kind"] == "root" else _FILE
            _insert(db, line["kind"] + "s", names, line, " ON CONFLICT(path) DO NOTHING")
    return counts


def _take_document(db: Connection, line: dict[str, Any], counts: Counts) -> None:
    values = (_path(line["path"]), line["name"])
    if db.execute("SELECT 1 FROM documents WHERE path = ? AND name = ?", values).get is not None:
        counts.known += 1
        return
    _insert(db, "documents", _DOCUMENT, line)
    document = db.last_insert_rowid()
    ids = []
    for passage in line["contents"]:
        _insert(db, "passages", (*_PASSAGE, "document_id"), {**passage, "document_id": document})
        ids.append(db.last_insert_rowid())
    for version in line["versions"]:
        _insert(db, "versions", (*_VERSION, "document_id"), {**version, "document_id": document})
        identity = db.last_insert_rowid()
        spans = [
            (identity, ordinal, ids[passage], start, paragraph, *stand)
            for ordinal, (passage, start, paragraph, *stand) in enumerate(version["spans"], 1)
        ]
        db.executemany("INSERT INTO spans VALUES(?, ?, ?, ?, ?, ?, ?)", spans)
        if version["current"]:
            writing.make_current(db, document, None, identity)
    writing.log_change(db, document)
    counts.documents += 1
    counts.passages += len(ids)


def _insert(db: Connection, table: str, names: tuple[str, ...], values: dict[str, Any], more: str = "") -> None:
    row = [_path(values[n]) if n == "path" else _stored(n, values[n]) for n in names]
    marks = ", ".join("?" * len(names))
    db.execute(f"INSERT INTO {table}({', '.join(names)}) VALUES({marks}){more}", row)


def _stored(name: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if name in _LISTS and value is not None else value


def _path(value: Any) -> str | bytes:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else writing.path_value(os.fspath(value))
