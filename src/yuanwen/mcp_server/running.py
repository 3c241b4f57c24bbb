"""What a tool has the library do with the arguments that were read for it, on a thread of its own."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Protocol

from yuanwen.errors import UsageError
from yuanwen.mcp_server import notes, replies
from yuanwen.mcp_server.reply import PASSAGE, Json, Reply, flat
from yuanwen.reports import Document
from yuanwen.served import Served

DOCUMENT = "yuanwen://document/"

ROOM = 8000  # characters of a whole reply, unless the client says otherwise
AUTO = "auto"  # the mode of a search that names none
READ_ON = 50  # passages around one that are fetched at most

_MARKS = ("「」", "『』", "“”", "‘’", '""', "«»")
_id_before = re.compile(r"\[(?P<id>[^\[\]\n]{1,100})\]\s*(?P<words>.+)", re.DOTALL)
_id_behind = re.compile(r"(?P<words>.+?)\s*\[(?P<id>[^\[\]\n]{1,100})\]\Z", re.DOTALL)

Arguments = dict[str, Any]


class Progress(Protocol):
    """Tells the client how far a call is. Raises where the client does not want the reply any more."""

    def __call__(self, done: int, total: int, message: str) -> None: ...


class Call(NamedTuple):
    """What a tool works with besides its arguments, which are `given` as the client may send them again."""

    served: Served
    given: Json
    notes: list[str]
    progress: Progress


def search(call: Call, asked: Arguments) -> Reply:
    with call.served.library() as library:
        found = library.search(
            asked["query"],
            mode=None if asked["mode"] == AUTO else asked["mode"],
            limit=asked["limit"],
            offset=asked["offset"],
            tags=asked["tags"],
            source=asked["source"],
            since=asked["since"],
            until=asked["until"],
        )
    return replies.evidence(found, call.given, offset=asked["offset"], room=asked["max_chars"], notes=call.notes)


def fetch(call: Call, asked: Arguments) -> Reply:
    name, before, after = _named(asked["id"]), asked["before"], asked["after"]
    with call.served.library() as library:
        hits = library.show(name, before=before, after=after + 1, limit=2)
        if len(hits) > 1 and not after:  # a document: from its start, as far as there is room
            after = READ_ON
            hits = (*library.show(name, before=before, after=after + 1, limit=1), hits[1])
    hit = hits[0]
    if len(hits) > 1 and hits[1].version != hit.version:
        call.notes.append(f"{name} names other passages, too: {hits[1].id}")
    if asked["start"] > len(hit.text):
        raise UsageError(
            "{id} has {n} characters, and start is {start}",
            hint="Leave start out.",
            id=hit.id,
            n=len(hit.text),
            start=asked["start"],
        )
    return replies.passage(
        hit, call.given, start=asked["start"], after=after, room=asked["max_chars"], notes=call.notes
    )


def _named(id: str) -> str:
    """Return what an id names, without what it may be wrapped in: a URI, brackets."""
    name = id.strip()
    if name[:1] + name[-1:] in ("[]", "【】"):
        name = name[1:-1].strip()
    return name.removeprefix(PASSAGE).removeprefix(DOCUMENT)


def verify(call: Call, asked: Arguments) -> Reply:
    answer, quotes = asked["answer"], asked["quotes"]
    if bool(answer) == bool(quotes):
        raise UsageError("verify needs an answer, or quotes", hint="Give one of the two.")
    with call.served.library() as library:
        if answer:
            found = library.verify(answer, progress=call.progress)
        else:
            found = library.verify_quotes([_cited(each) for each in quotes], progress=call.progress)
    return replies.verification(found, call.given, offset=asked["offset"], room=asked["max_chars"], notes=call.notes)


def _cited(quote: str) -> tuple[str, str | None]:
    """Return the words of a quotation, without its marks, and the id that stands in brackets before or behind it."""
    quote = quote.strip()
    found = _id_before.match(quote) or _id_behind.match(quote)
    words = found["words"] if found else quote
    if len(words) > 1 and words[0] + words[-1] in _MARKS:
        words = words[1:-1]
    return words, found["id"].strip() if found else None


def sources(call: Call, asked: Arguments) -> Reply:
    wanted, offset = asked["filter"].casefold(), asked["offset"]
    with call.served.library() as library:
        documents = library.list()
        fitting = [each for each in documents if _is_like(wanted, _names(each))]
        unread = library.status().skipped if not fitting else ()
    return replies.sources(
        fitting[offset : offset + asked["limit"]],
        call.given,
        found=len(fitting),
        total=len(documents),
        offset=offset,
        room=asked["max_chars"],
        unread=[each for each in unread if not each.by_rule and _is_like(wanted, [each.source])],
        notes=call.notes,
    )


def _names(document: Document) -> list[str]:
    return [document.source, document.title, document.media_type, *document.tags]


def _is_like(wanted: str, names: Sequence[str]) -> bool:
    """Return whether a filter is part of one of these names, or their pattern."""
    folded = [each.casefold() for each in names]
    if any(sign in wanted for sign in "*?"):
        return any(fnmatchcase(name, wanted) or fnmatchcase(name, f"*/{wanted}") for name in folded)
    return any(wanted in name for name in folded)


def add_note(call: Call, asked: Arguments) -> Reply:
    with call.served.library() as library:
        path, report = notes.add(library, call.served.path, asked["text"], title=asked["title"], tags=asked["tags"])
        hits = library.show(str(path), limit=1)
    id = hits[0].id
    head = f"The note is {flat(str(path), 300)}, its first passage [{id}]."
    return replies.report(report, head=head, extra={"id": id, "source": str(path)}, room=ROOM)


def sync(call: Call, asked: Arguments) -> Reply:
    with call.served.library() as library:
        report = library.sync(progress=call.progress)
    return replies.report(report, head="The library is in step with its folders.", extra={}, room=ROOM)
