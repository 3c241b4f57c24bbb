"""A search -> its proof; a proof and the same search of now -> whether it holds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime

from yuanwen import __version__, analysis, query, when
from yuanwen.errors import UsageError
from yuanwen.filters import filters
from yuanwen.index import NO_FILTERS
from yuanwen.model import Evidence
from yuanwen.proof import (
    LISTED,
    MOST,
    Asked,
    ChangedDocument,
    Origin,
    Proof,
    ProofCheck,
    Proved,
    Result,
    Understood,
    Unsearched,
    Version,
    Versions,
    versions_digest,
)
from yuanwen.scope import Request, Scope
from yuanwen.store import changes, inventory, reading
from yuanwen.store.reading import Position


def asked(request: Request) -> Asked:
    """Return what a request asks, its times as moments. Raises UsageError for what cannot be proven."""
    now = datetime.now().astimezone()
    if request.mode == "semantic":
        raise UsageError("a proof is of a search by words", hint="Search with: --mode ranked")
    if request.limit > MOST or request.offset > MOST:
        raise UsageError("a proof is of at most {n} passages", hint="Change the number.", n=f"{MOST:,}")
    return Asked(
        query=request.query,
        mode=request.mode,
        limit=request.limit,
        offset=request.offset,
        tags=request.tags,
        source=request.source,
        type=request.type,
        author=request.author,
        since=when.period(request.since, now)[0].isoformat() if request.since else "",
        until=when.period(request.until, now)[1].isoformat() if request.until else "",
        all_versions=request.all_versions,
    )


def request(asked: Asked) -> Request:
    """Return the request that asks this."""
    return Request(**{section.name: getattr(asked, section.name) for section in fields(asked)})


def prove(scope: Scope, asked: Asked, found: Evidence, engines: Mapping[str, str]) -> Proof:
    """Return the proof of a search that found this in the state of the library that `scope` shows."""
    conditions = query.parse(asked.query).conditions if asked.mode in ("ranked", "hybrid", "expand") else ()
    versions = _versions(scope, asked)
    return Proof(
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        asked=asked,
        understood=_understood(asked, conditions),
        library=Origin(
            created=inventory.created(scope.db),
            generation=scope.totals.generation,
            stamp=scope.totals.stamp,
            index=reading.index_kind(scope.db),
            documents=scope.totals.documents,
            passages=scope.totals.passages,
        ),
        searched=Versions(
            versions=len(versions),
            digest=versions_digest(versions),
            selected=_selected(scope, asked, conditions),
            listed=tuple(versions) if len(versions) <= LISTED else (),
        ),
        result=_result(found),
        programs={"Yuanwen": __version__, "analysis": str(analysis.VERSION), **engines},
    )


def check(scope: Scope, given: Proof, now: Proof) -> ProofCheck:
    """Return whether a proof holds, by the proof that the same search gives now."""
    before, after = given.result, now.result
    then, ids = [hit.id for hit in before.hits], [hit.id for hit in after.hits]
    same_versions = given.searched.digest == now.searched.digest and given.searched.versions == now.searched.versions
    same_library = _is_same_library(scope, given, now)
    same_result = _decided(before) == _decided(after)
    return ProofCheck(
        verdict="holds"
        if same_versions and same_result
        else "another_library"
        if not same_library
        else "library_changed"
        if not same_versions
        else "result_differs",
        made=given.made,
        query=given.asked.query,
        mode=given.asked.mode,
        same_library=same_library,
        same_versions=same_versions,
        same_result=same_result,
        versions=(given.searched.versions, now.searched.versions),
        found=(before.found, after.found),
        absence=(before.absence, after.absence),
        lost=tuple(dict.fromkeys(id for id in then if id not in set(ids))),
        gained=tuple(dict.fromkeys(id for id in ids if id not in set(then))),
        reordered=then != ids and sorted(then) == sorted(ids),
        documents=() if same_versions else _changed_documents(scope, given, same_library),
        programs=tuple(
            (name, given.programs.get(name, ""), now.programs.get(name, ""))
            for name in dict.fromkeys([*now.programs, *given.programs])
            if given.programs.get(name) != now.programs.get(name)
        ),
    )


def _is_same_library(scope: Scope, given: Proof, now: Proof) -> bool:
    position = Position(given.library.generation, given.library.stamp)
    return given.library.created == now.library.created and changes.is_known(scope.db, position)


def _decided(result: Result) -> tuple[object, ...]:
    """Return what of a result the library alone decides; what could not be searched depends on the disk."""
    return result.status, result.found, result.found_is, result.hits, result.missing_terms


def _changed_documents(scope: Scope, given: Proof, same_library: bool) -> tuple[ChangedDocument, ...] | None:
    if given.searched.versions == len(given.searched.listed):
        return tuple(_compared(given.searched.listed, _versions(scope, given.asked)))
    if not same_library:
        return None
    return tuple(
        ChangedDocument(
            source=row.source,
            change="gone" if not row.current else "added" if row.first > given.library.generation else "changed",
        )
        for row in changes.changed_documents(scope.db, given.library.generation)
    )


def _compared(then: Sequence[Version], now: Sequence[Version]) -> list[ChangedDocument]:
    before, after = _by_source(then), _by_source(now)
    return [
        ChangedDocument(
            source=source, change="added" if source not in before else "gone" if source not in after else "changed"
        )
        for source in sorted(before.keys() | after.keys())
        if before.get(source) != after.get(source)
    ]


def _by_source(versions: Sequence[Version]) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for version in versions:
        found.setdefault(version.source, []).append((version.sha256, version.text_sha256))
    return {source: sorted(hashes) for source, hashes in found.items()}


# ----------------------------------------------------------------------------------------- what is proved


def _versions(scope: Scope, asked: Asked) -> list[Version]:
    rows = inventory.version_hashes(scope.db, superseded=asked.all_versions)
    return [Version(source=source, sha256=sha256, text_sha256=text) for source, sha256, text in rows]


def _selected(scope: Scope, asked: Asked, conditions: Sequence[query.Condition]) -> int | None:
    wanted = filters(scope, request(asked), conditions)
    return None if wanted == NO_FILTERS else len(reading.newest(scope.db, *wanted))


def _result(found: Evidence) -> Result:
    absence = found.absence
    return Result(
        status=found.status,
        found=found.found,
        found_is=found.found_is,
        hits=tuple(
            Proved(id=hit.id, source=hit.source, version=hit.version, start=hit.start, end=hit.end)
            for hit in found.hits
        ),
        absence=absence.kind if absence else None,
        missing_terms=absence.missing_terms if absence else (),
        unsearchable=tuple(Unsearched(source=s.source, reason=s.reason) for s in absence.unsearchable)
        if absence
        else (),
        stale=absence.stale if absence else (),
        notes=found.notes,
    )


def _understood(asked: Asked, conditions: Sequence[query.Condition]) -> Understood:
    typed = [*conditions, *(query.Condition("tag", tag) for tag in asked.tags)]
    named = (("source", asked.source), ("type", asked.type), ("author", asked.author))
    typed += [query.Condition(field, value) for field, value in named if value]
    told = [f"{'' if c.wanted else '-'}{c.field}:{c.value}" for c in typed]
    texts: list[str]
    match asked.mode:
        case "exact":
            meaning, texts = f"string({_quoted(asked.query.strip())})", [asked.query]
        case "raw":
            meaning, texts = f"names({_quoted(asked.query, folded=False)})" if asked.query.strip() else "everything", []
        case _:
            node = query.parse(asked.query).node
            meaning, texts = (_tree(node), list(query.positive(node))) if node else ("everything", [])
    terms = (term for text in texts for term in analysis.tokens(text).ordered.split())
    return Understood(query=meaning, terms=tuple(dict.fromkeys(terms)), filters=tuple(told))


def _tree(node: query.Node) -> str:
    """Return a query tree in words, such as `all(words("a b"), not(phrase("c")))`."""
    match node:
        case query.Words(text):
            return f"words({_quoted(text)})"
        case query.Exactly(text, field):
            return f"{'phrase' if field == 'text' else 'title'}({_quoted(text)})"
        case query.Starting(text, field):
            return f"{'prefix' if field == 'text' else 'title_prefix'}({_quoted(text)})"
        case query.Near(parts, distance):
            return f"near({', '.join(map(_quoted, parts))}, {distance})"
        case query.Both(nodes):
            return f"all({', '.join(map(_tree, nodes))})"
        case query.Either(nodes):
            return f"any({', '.join(map(_tree, nodes))})"
        case query.Without(part):
            return f"not({_tree(part)})"


def _quoted(text: str, *, folded: bool = True) -> str:
    return json.dumps(analysis.fold(text) if folded else text, ensure_ascii=False)
