"""What a passage must be, whatever it says: a folder, a type, an author, a tag, a time."""

import fnmatch
import re
import unicodedata
from collections.abc import Callable, Sequence

from yuanwen import analysis, query
from yuanwen.index import Filters
from yuanwen.scope import Request, Scope
from yuanwen.store import reading
from yuanwen.store.connection import Connection
from yuanwen.store.reading import Row


def filters(scope: Scope, request: Request, conditions: Sequence[query.Condition]) -> Filters:
    """Return what a passage must be, from the filters of the request and those typed into the query."""
    conditions = [
        *conditions,
        *(query.Condition("source", request.source) for _ in range(bool(request.source))),
        *(query.Condition("type", request.type) for _ in range(bool(request.type))),
        *(query.Condition("author", request.author) for _ in range(bool(request.author))),
        *(query.Condition("tag", tag) for tag in request.tags),
    ]
    documents: frozenset[int] | None = None
    media_types: tuple[str, ...] | None = None
    for condition in conditions:
        if condition.field in ("source", "author"):
            matching = _documents(scope.db, condition)
            documents = matching if documents is None else documents & matching
        elif condition.field == "type":
            known = reading.media_types(scope.db) if media_types is None else list(media_types)
            media_types = tuple(m for m in known if is_type(m, condition.value) == condition.wanted)
    tags = [c for c in conditions if c.field == "tag"]
    since, until = _seconds(request)
    return Filters(
        documents=documents,
        media_types=media_types,
        tags=tuple(c.value for c in tags if c.wanted),
        unwanted_tags=tuple(c.value for c in tags if not c.wanted),
        since=since,
        until=until,
    )


def _seconds(request: Request) -> tuple[int | None, int | None]:
    if not request.since and not request.until:
        return None, None
    from datetime import datetime

    from yuanwen import when

    now = datetime.now().astimezone()
    since = int(when.period(request.since, now)[0].timestamp()) if request.since else None
    until = int(when.period(request.until, now)[1].timestamp()) if request.until else None
    return since, until


def _documents(db: Connection, condition: query.Condition) -> frozenset[int]:
    if condition.field == "author":
        name = analysis.fold(condition.value)
        return frozenset(d for d, author in reading.authors(db) if (name in analysis.fold(author)) == condition.wanted)
    matches = source_matcher(condition.value)
    return frozenset(d for d, source in reading.sources(db) if matches(source) == condition.wanted)


def source_matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a source is meant: by its very name, or by a glob that matches all of it, its last parts, or a
    folder above it."""
    name = pattern
    pattern = unicodedata.normalize("NFC", pattern.replace("\\", "/").rstrip("/"))
    globs = [re.compile(fnmatch.translate(p), re.IGNORECASE) for p in (pattern, f"*/{pattern}", f"{pattern}/*")]
    globs.append(re.compile(fnmatch.translate(f"*/{pattern}/*"), re.IGNORECASE))

    def matches(source: str) -> bool:
        path = unicodedata.normalize("NFC", source.replace("\\", "/"))
        return source == name or any(glob.match(path) for glob in globs)

    return matches


def is_type(media_type: str, asked: str) -> bool:
    """Return whether a media type is what a person means by `asked`: `pdf`, `md`, `text`, `text/html`."""
    from yuanwen.extract import MEDIA_TYPES

    asked = asked.lower()
    kind, _, name = media_type.partition("/")
    return asked in (media_type, kind, name) or MEDIA_TYPES.get(f".{asked.lstrip('.')}") == media_type


def selected(row: Row, filters: Filters) -> bool:
    from yuanwen import when

    dated = when.seconds(row.dated)
    return (
        (filters.documents is None or row.document in filters.documents)
        and (filters.media_types is None or row.media_type in filters.media_types)
        and set(filters.tags) <= set(row.tags)
        and not set(filters.unwanted_tags) & set(row.tags)
        and (filters.since is None or dated >= filters.since)
        and (filters.until is None or dated <= filters.until)
    )
