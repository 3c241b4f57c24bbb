"""A proof of a search: what was asked, what was searched and what was found, to be kept and checked later.

It is one JSON document. Each of its sections has a SHA-256 digest, and the whole has one over those: they tell a proof
that was damaged or changed by mistake. They are no signature; what proves is that the search is run again.
"""

import hashlib
import json
import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from yuanwen.absence import StaleSource
from yuanwen.errors import UsageError
from yuanwen.model import Mode

FORMAT = "yuanwen-proof"
VERSION = 1
LISTED = 200  # versions up to which a proof names them all
MOST = 1_000_000  # passages that a proof may ask for, or leave out at the start
LONGEST = 1 << 26  # bytes of a proof
_WHOLE = 1 << 53  # from here on numbers of JSON are not whole for every reader


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A search as it was asked. `since` and `until` are moments in ISO 8601, whatever was typed; "" is not given."""

    query: str
    mode: Mode
    limit: int
    offset: int
    tags: tuple[str, ...]
    source: str
    type: str
    author: str
    since: str
    until: str
    all_versions: bool


@dataclass(frozen=True, kw_only=True)
class Understood:
    """What the search made of it: the query tree with its words folded, the terms of the index, every filter."""

    query: str
    terms: tuple[str, ...]
    filters: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The library that was searched. `generation` and `stamp` name its last change: no other library has it."""

    created: str
    generation: int
    stamp: str
    index: str
    documents: int
    passages: int


@dataclass(frozen=True, kw_only=True)
class Version:
    """A version that was searched: the SHA-256 of its file, and of the text that was extracted from it."""

    source: str
    sha256: str
    text_sha256: str


@dataclass(frozen=True, kw_only=True)
class Versions:
    """The versions that were searched. `digest` is over all, `listed` names them where there are at most 200.

    `selected` are the current passages that the filters leave to be searched, None where there are no filters.
    """

    versions: int
    digest: str
    selected: int | None
    listed: tuple[Version, ...]


@dataclass(frozen=True, kw_only=True)
class Proved:
    """A passage that was found: `[start, end)` of the text of a version."""

    id: str
    source: str
    version: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Unsearched:
    """A file that could not be searched."""

    source: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Result:
    """What was found, in order; where nothing was, `absence` and the rest say why, by the disk as it was then."""

    status: Literal["evidence_found", "abstain"]
    found: int
    found_is: Literal["exact", "at_least"]
    hits: tuple[Proved, ...]
    absence: Literal["absent", "unsearchable", "stale"] | None
    missing_terms: tuple[str, ...]
    unsearchable: tuple[Unsearched, ...]
    stale: tuple[StaleSource, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Proof:
    """A search that can be run again. `made` is when, `programs` are the versions of what decides the result."""

    made: str
    asked: Asked
    understood: Understood
    library: Origin
    searched: Versions
    result: Result
    programs: dict[str, str]

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each section."""
        return {section.name: digest(_plain(getattr(self, section.name))) for section in fields(self)}

    @property
    def digest(self) -> str:
        """The digest of the whole: over the format, its version, and the digests of the sections."""
        return _whole_digest(self.digests)


@dataclass(frozen=True, kw_only=True)
class ChangedDocument:
    """A document that is not what it was when a proof was made; `source` is empty where no trace is left of it."""

    source: str
    change: Literal["added", "changed", "gone"]


@dataclass(frozen=True, kw_only=True)
class ProofCheck:
    """What came of running a proved search again.

    `verdict` is `holds` where the same versions gave the same result; `another_library` where the proof was made with a
    library that held others. `lost` and `gained` are ids of passages that only the proof, or only the search of now,
    has; `reordered` tells that the same ones stand in another order. `documents` are those that changed since, None
    where that is not known. `programs` are (name, then, now) of what is not the same version. `found` and `absence` are
    (then, now).
    """

    verdict: Literal["holds", "library_changed", "result_differs", "another_library"]
    made: str
    query: str
    mode: Mode
    same_library: bool
    same_versions: bool
    same_result: bool
    versions: tuple[int, int]
    found: tuple[int, int]
    absence: tuple[str | None, str | None]
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    reordered: bool
    documents: tuple[ChangedDocument, ...] | None
    programs: tuple[tuple[str, str, str], ...]


def digest(value: object) -> str:
    """Return `sha256:` and the hash of a value as JSON in its one canonical form: ASCII, sorted keys, no spaces."""
    return _sha256([json.dumps(value, sort_keys=True, separators=(",", ":"))])


def versions_digest(versions: Iterable[Version]) -> str:
    """Return the digest over versions: of the lines `["source","sha256","text_sha256"]` in ASCII JSON, sorted."""
    rows = ([v.source, v.sha256, v.text_sha256] for v in versions)
    return _sha256(sorted(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))


def _sha256(parts: Iterable[str]) -> str:
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(part.encode("ascii"))
    return f"sha256:{hashed.hexdigest()}"


def _plain(value: object) -> object:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _whole_digest(digests: Mapping[str, object]) -> str:
    return digest([FORMAT, VERSION, dict(digests)])


# ---------------------------------------------------------------------------------------------- reading


def read(document: str | bytes) -> Proof:
    """Return the proof that a JSON document holds.

    Raises UsageError for a document that is none, is damaged, or was changed, naming the field.
    """
    try:
        return _proof(_json(document))
    except RecursionError:
        raise _refusal("it is nested too deep") from None


def _json(document: str | bytes) -> dict[str, Any]:
    if len(document) > LONGEST:
        raise _refusal("it is too long")
    try:
        text = document if isinstance(document, str) else document.decode(_encoding(document))
        given = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise _refusal(f"it is not JSON, or was cut off, at character {error.pos}") from None
    except ValueError:  # what is no Unicode, and whole numbers that are too long to be read
        raise _refusal("it is not JSON") from None
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise _refusal("it does not say that it is one")
    return given


def _encoding(document: bytes) -> str:
    """Return the encoding of a file that a shell wrote: UTF-8, or UTF-16 where PowerShell did."""
    return "utf-16" if document[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _refusal(f"it has the field {name} twice")
        found[name] = value
    return found


def _proof(given: dict[str, Any]) -> Proof:
    if given.get("version") != VERSION or isinstance(given["version"], bool):
        raise UsageError(
            "the proof is of version {version}, which this Yuanwen does not know",
            hint="Update with: pip install -U yuanwen",
            version=_shown(given.get("version")),
        )
    sections = [section.name for section in fields(Proof)]
    _check_names(given, [*sections, "format", "version", "digests", "digest"], "")
    digests = given["digests"]
    _check_names(digests, sections, "digests")
    for name in sections:
        if digests[name] != digest(given[name]):
            raise _changed(name)
    if given["digest"] != _whole_digest(digests):
        raise _changed("digests")
    proof: Proof = _dataclass(Proof, {name: given[name] for name in sections}, "")
    _check_asked(proof.asked)
    return proof


def _check_asked(asked: Asked) -> None:
    for name, number, least in (("limit", asked.limit, 1), ("offset", asked.offset, 0)):
        if not least <= number <= MOST:
            _wrong(f"asked.{name}")
    for name, moment in (("since", asked.since), ("until", asked.until)):
        try:
            absolute = not moment or datetime.fromisoformat(moment).utcoffset() is not None
        except ValueError:
            absolute = False
        if not absolute:
            _wrong(f"asked.{name}")


def _value(kind: Any, value: object, where: str) -> Any:
    """Return a value of JSON as what the annotation of a field says. Raises UsageError naming the field."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):  # something, or None
        return None if value is None else _value(args[0], value, where)
    if origin is Literal:
        return value if isinstance(value, str) and value in args else _wrong(where)
    if origin is tuple:
        items = value if isinstance(value, list) else _wrong(where)
        return tuple(_value(args[0], item, f"{where}[{place}]") for place, item in enumerate(items))
    if origin is dict:
        return {name: _value(args[1], item, f"{where}.{name}") for name, item in _mapping(value, where).items()}
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    if type(value) is not kind or not _is_sound(value):
        _wrong(where)
    return value


def _is_sound(value: object) -> bool:
    """Return whether a text has no half of a character (a lone surrogate), and a number is one of ours."""
    if isinstance(value, str):
        return not re.search("[\ud800-\udfff]", value)
    return not isinstance(value, int) or 0 <= value < _WHOLE


def _dataclass(kind: Any, value: object, where: str) -> Any:
    hints = get_type_hints(kind)
    given = _check_names(value, hints, where)
    return kind(**{name: _value(hints[name], given[name], _within(where, name)) for name in hints})


def _check_names(value: object, names: Iterable[str], where: str) -> dict[str, Any]:
    given = _mapping(value, where)
    for name in names:
        if name not in given:
            raise _refusal(f"it has no field {_within(where, name)}")
    for name in given.keys() - set(names):
        _wrong(_within(where, name))
    return given


def _mapping(value: object, where: str) -> dict[str, Any]:
    return value if isinstance(value, dict) else _wrong(where)


def _within(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _shown(value: object) -> str:
    return str(value)[:20] if isinstance(value, int | str) and not isinstance(value, bool) else type(value).__name__


def _wrong(field: str) -> NoReturn:
    raise _refusal(f"its field {field[:100]} cannot be what it says")


def _refusal(problem: str) -> UsageError:
    return UsageError(
        "this is no proof of a search: {problem}",
        hint="Make one with: yuanwen search WORDS --proof > proof.json",
        problem=problem,
    )


def _changed(field: str) -> UsageError:
    return UsageError(
        "the proof was changed after it was made: {field}",
        hint="Use the file as it was made; nothing else can be checked.",
        field=field,
    )
