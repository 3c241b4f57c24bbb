"""What the library returns -> JSON. Every field is named here, so that none gets out by accident."""

from __future__ import annotations  # so that the model is named here, but not loaded

import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from yuanwen.cli.terminal import emit, speak_unicode
from yuanwen.errors import YuanwenError

if TYPE_CHECKING:
    from yuanwen import model, reports
    from yuanwen.absence import Absence
    from yuanwen.ask import Answered
    from yuanwen.cite import Citation
    from yuanwen.doctor import Finding
    from yuanwen.documents import Place, Reading
    from yuanwen.evaluation.run import Comparison, Evaluation
    from yuanwen.mcp_clients import Client, Server
    from yuanwen.models import Model
    from yuanwen.prompt import Prepared
    from yuanwen.proof import Proof, ProofCheck
    from yuanwen.verification import Claim, Found, Verification

Json = dict[str, Any]

HIT = (
    *(
        "id",
        "label",
        "title",
        "source",
        "media_type",
        "version",
        "heading",
        "paragraph",
        "page",
        "place",
        "start",
        "end",
    ),
    *("text", "excerpt", "matches", "match", "score", "tags", "dated", "state", "before", "after"),
    *("coverage", "evidence", "marks", "now"),
)
NOW = ("state", "added", "since", "version", "dated", "passages", "diff")
PLACE = ("unit", "number", "last", "name", "cells", "columns")
MARK = ("start", "end", "kind", "note")
PASSAGE = ("ordinal", "label", "heading", "paragraph", "place", "start", "end", "text", "marks")
EXTRACTED = (
    *("inside", "source", "title", "media_type", "author", "tags", "dated", "encoding", "replaced", "characters"),
    *("warnings", "passages"),
)
CONTEXT = ("id", "start", "end", "text")
EVIDENCE = (
    *("status", "query", "mode", "found", "found_is", "hits", "absence", "searched", "notes", "elapsed_ms"),
    *("strength", "confidence", "doubts"),
)
PREPARED = (
    *("status", "query", "mode", "found", "found_is", "prompt", "absence", "searched", "notes", "elapsed_ms"),
    *("strength", "confidence", "doubts"),
)
ANSWERED = (
    *("status", "text", "verification", "evidence", "prompt", "finish", "counted", "repaired", "first", "model"),
    "notes",
)
PROMPT = ("text", "question", "lang", "boundary", "passages", "cut", "left_out", "characters")
ABSENCE = ("kind", "missing_terms", "suggestions", "unsearchable", "stale")
UNSEARCHABLE = ("source", "reason")
STALE = ("source", "state")
SEARCHED = ("documents", "passages", "generation")
REPORT = ("files", "indexed", "unchanged", "removed", "skipped", "warnings", "passages", "elapsed_ms")
SKIP = ("source", "reason", "hint")
DOCUMENT = (
    *(
        "id",
        "source",
        "title",
        "media_type",
        "version",
        "versions",
        "passages",
        "characters",
        "tags",
        "author",
        "dated",
    ),
    *("added", "encoding", "replaced", "state"),
)
TAG = ("tag", "documents")
CLIENT = ("name", "title", "file", "is_here", "servers", "problem")
SERVER = ("name", "command", "args", "library")
EMBEDDER = ("name", "kind", "dimensions", "size", "installed", "used", "place", "model")
ROOT = ("path", "tags", "include", "exclude")
STATUS = (
    *("path", "format", "index", "generation", "index_position", "documents", "passages", "characters"),
    *("versions", "library_bytes", "index_bytes", "roots", "skipped", "stale", "unread", "replaced"),
    "vectors",
)
VECTORS = ("model", "searched", "embedded", "skipped", "missing")
CHECK = ("problems", "repaired", "passages")
COMPACTED = ("before_bytes", "after_bytes", "versions", "passages")
FORGOTTEN = ("documents", "versions", "passages", "sources")

VERIFICATION = ("verdict", "counts", "claims", "notes")
CLAIM = ("quote", "citation", "status", "in_answer", "found", "folding", "changes", "elsewhere", "now")
FOUND = (
    *("id", "source", "title", "version", "dated", "paragraph", "page", "place", "start", "end", "text", "state"),
    "marks",
)
CHANGE = ("kind", "original", "quoted", "in_quote", "in_text")
CITATION = ("id", "quote", "line", "receipt", "references", "folding", "found")
PROOF = (
    *("format", "version", "made", "asked", "understood", "library", "searched", "result", "programs"),
    "digests",
    "digest",
)
ASKED = (*("query", "mode", "limit", "offset", "tags", "source", "type", "author", "since", "until", "all_versions"),)
UNDERSTOOD = ("query", "terms", "filters")
ORIGIN = ("created", "generation", "stamp", "index", "documents", "passages")
VERSIONS = ("versions", "digest", "selected", "listed")
VERSION = ("source", "sha256", "text_sha256")
RESULT = (*("status", "found", "found_is", "hits", "absence", "missing_terms", "unsearchable", "stale", "notes"),)
PROVED = ("id", "source", "version", "start", "end")
PROOF_CHECK = (
    *("verdict", "made", "query", "mode", "same_library", "same_versions", "same_result", "versions", "found"),
    *("absence", "lost", "gained", "reordered", "documents", "programs"),
)
CHANGED = ("source", "change")
EVALUATION = ("name", "library", "answerable", "unanswerable", "passages", "notes", "modes", "comparison")
MEASURED = ("mode", "figures", "kinds", "p50_ms", "p95_ms", "curve", "questions")
FIGURE = ("value", "low", "high")
ASKED_QUESTION = ("id", "text", "kind", "answerable", "expected")
COUNTS = ("asked", "answered", "strong")
VERDICT = ("answered", "strength", "confidence")
OUTCOME = ("rank", "first", "values", "failed", "elapsed_ms")
EXPECTED = ("source", "quote", "grade")
CAME = ("id", "label", "source", "excerpt")
COMPARISON = ("a", "b", "questions", "differences")
DIFFERENCE = ("a", "b", "difference", "low", "high", "p", "better", "worse", "same")

# Control characters that JSON allows as they are, and a terminal would obey.
_ESCAPED = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one document: in UTF-8 always; on lines of its own if a person looks at it."""
    speak_unicode(sys.stdout, always_utf8=True)
    seen = sys.stdout is not None and sys.stdout.isatty()
    text = json.dumps(document, ensure_ascii=False, indent=2 if seen else None)
    emit(text.translate(_ESCAPED) if seen else text, sys.stdout)


def evidence(found: model.Evidence, *, explain: bool) -> Json:
    """Return the answer to a search."""
    searched = _fields(found.searched, SEARCHED)
    return _fields(
        found,
        EVIDENCE,
        hits=[hit(each, explain=explain) for each in found.hits],
        absence=absence(found.absence) if found.absence is not None else None,
        searched=searched,
    )


def prepared(found: Prepared) -> Json:
    """Return what was found for a question, with the prompt instead of the hits; null where nothing was found."""
    about = evidence(found.evidence, explain=False)
    filled = _fields(found.prompt, PROMPT) if found.prompt is not None else None
    return {name: about.get(name, filled) for name in PREPARED}


def answered(found: Answered) -> Json:
    """Return the answer to a question, with what it was made from."""
    return _fields(
        found,
        ANSWERED,
        verification=verification(found.verification) if found.verification is not None else None,
        evidence=evidence(found.evidence, explain=False),
        prompt=_fields(found.prompt, PROMPT) if found.prompt is not None else None,
    )


def hit(found: model.Hit, *, explain: bool = False) -> Json:
    """Return one hit."""
    shown = _fields(
        found,
        HIT,
        place=place(found.place),
        marks=_all(found.marks, MARK),
        before=_all(found.before, CONTEXT),
        after=_all(found.after, CONTEXT),
        now=_fields(found.now, NOW, passages=_all(found.now.passages, CONTEXT)) if found.now is not None else None,
    )
    return shown | {"explain": found.explain} if explain else shown


def place(found: Place | None) -> Json | None:
    """Return where a passage stands in terms of its format; null where the format has no places."""
    return _fields(found, PLACE) if found is not None else None


def reading(found: Reading, source: str) -> Json:
    """Return what a file would become."""
    documents = []
    for extracted, passages in found.documents:
        shown = [_fields(each, PASSAGE, place=place(each.place), marks=_all(each.marks, MARK)) for each in passages]
        documents.append(_fields(extracted, EXTRACTED, characters=len(extracted.text), passages=shown))
    return {"source": source, "version": found.version, "documents": documents, "unread": _all(found.unread, SKIP)}


def verification(found: Verification) -> Json:
    """Return what came of checking an answer."""
    return _fields(found, VERIFICATION, claims=[claim(each) for each in found.claims])


def claim(found: Claim) -> Json:
    """Return what came of one quotation, citation or sentence."""
    return _fields(
        found,
        CLAIM,
        found=_found(found.found),
        changes=_all(found.changes, CHANGE),
        elsewhere=[_found(each) for each in found.elsewhere],
        now=_found(found.now),
    )


def citation(found: Citation) -> Json:
    """Return how words are cited."""
    return _fields(found, CITATION, found=_found(found.found))


def _found(found: Found | None) -> Json | None:
    if found is None:
        return None
    return _fields(found, FOUND, place=place(found.place), marks=_all(found.marks, MARK))


def absence(found: Absence) -> Json:
    """Return why an answer is empty."""
    return _fields(found, ABSENCE, unsearchable=_all(found.unsearchable, UNSEARCHABLE), stale=_all(found.stale, STALE))


def report(done: reports.Report) -> Json:
    """Return what `add`, `sync` or `import` did."""
    return _fields(done, REPORT, skipped=_all(done.skipped, SKIP))


def document(found: reports.Document) -> Json:
    """Return one document."""
    return _fields(found, DOCUMENT)


def tag(found: reports.Tag) -> Json:
    """Return one tag."""
    return _fields(found, TAG)


def synonyms(groups: Iterable[Iterable[str]]) -> Json:
    """Return groups of words that count as the same."""
    return {"synonyms": [list(group) for group in groups]}


def without_synonyms(words: Iterable[str]) -> Json:
    """Return words that count as themselves alone from now on."""
    return {"removed": list(words)}


def status(found: reports.Status) -> Json:
    """Return the health of a library."""
    return _fields(
        found,
        STATUS,
        roots=_all(found.roots, ROOT),
        skipped=_all(found.skipped, SKIP),
        stale=_all(found.stale, STALE),
        unread=_all(found.unread, SKIP),
        replaced=_all(found.replaced, DOCUMENT),
        vectors=_fields(found.vectors, VECTORS) if found.vectors else None,
    )


def vectors(found: reports.Vectors | None) -> Json:
    """Return which vectors a library has, after `models use`."""
    return {"vectors": _fields(found, VECTORS) if found is not None else None}


def check(found: reports.Check) -> Json:
    """Return the result of a check."""
    return _fields(found, CHECK)


def compacted(done: reports.Compacted) -> Json:
    """Return what `compact` won."""
    return _fields(done, COMPACTED)


def forgotten(done: reports.Forgotten) -> Json:
    """Return what `forget` removed."""
    return _fields(done, FORGOTTEN)


def proof(made: Proof) -> Json:
    """Return a proof of a search."""
    from yuanwen.proof import FORMAT
    from yuanwen.proof import VERSION as version

    result = made.result
    return _fields(
        made,
        PROOF,
        format=FORMAT,
        version=version,
        asked=_fields(made.asked, ASKED),
        understood=_fields(made.understood, UNDERSTOOD),
        library=_fields(made.library, ORIGIN),
        searched=_fields(made.searched, VERSIONS, listed=_all(made.searched.listed, VERSION)),
        result=_fields(
            result,
            RESULT,
            hits=_all(result.hits, PROVED),
            unsearchable=_all(result.unsearchable, UNSEARCHABLE),
            stale=_all(result.stale, STALE),
        ),
    )


def proof_check(checked: ProofCheck) -> Json:
    """Return whether a proof holds."""
    documents = checked.documents
    return _fields(checked, PROOF_CHECK, documents=None if documents is None else _all(documents, CHANGED))


def evaluation(found: Evaluation, compared: Comparison | None) -> Json:
    """Return how well a library answers a question set, question by question, and how two settings differ."""
    differences = compared.differences if compared is not None else {}
    comparison = {name: _fields(each, DIFFERENCE) for name, each in differences.items()}
    return _fields(
        found,
        EVALUATION,
        modes=[
            _fields(
                mode,
                MEASURED,
                figures={name: _fields(each, FIGURE) for name, each in mode.figures.items()},
                kinds={kind: _fields(each, COUNTS) for kind, each in mode.kinds.items()},
                questions=[
                    _fields(each.question, ASKED_QUESTION, expected=_all(each.question.expected, EXPECTED))
                    | _fields(each.verdict, VERDICT)
                    | _fields(each, OUTCOME, first=_fields(each.first, CAME) if each.first is not None else None)
                    for each in mode.questions
                ],
            )
            for mode in found.modes
        ],
        comparison=_fields(compared, COMPARISON, differences=comparison) if compared is not None else None,
    )


def finding(found: Finding) -> Json:
    """Return one finding of the doctor."""
    return {
        "name": found.name,
        "ok": found.ok,
        "detail": found.text(found.detail),
        "fix": found.text(found.fix),
    }


def client(found: Client, servers: Iterable[Server], problem: str = "") -> Json:
    """Return a program that can start the server, and what it has of ours."""
    file = None if found.file is None else str(found.file)
    return _fields(found, CLIENT, file=file, servers=_all(servers, SERVER), problem=problem)


def installation(found: Client, server: Server, status: str, entry: str) -> Json:
    """Return what came of installing the server into a program: `done`, `there`, `to_do` or `by_hand`."""
    file = None if found.file is None else str(found.file)
    return {"client": found.name, "status": status, "file": file, "server": _fields(server, SERVER), "entry": entry}


def embedder(found: Model, *, used: bool) -> Json:
    """Return a model that embeds, and whether the library is searched with it."""
    return _fields(found, EMBEDDER, installed=found.is_installed, used=used)


def error(failed: YuanwenError) -> Json:
    """Return an error. Its words are English whatever the locale is: programs read them."""
    kind = next(each.__name__ for each in type(failed).__mro__ if each.__module__ == YuanwenError.__module__)
    return {
        "error": {
            "kind": kind if kind != "YuanwenError" else "Fault",
            "message": failed.what.format(**failed.values),
            "hint": failed.hint.format(**failed.values),
        }
    }


def _fields(thing: object, names: Iterable[str], **made: Any) -> Json:
    return {name: made[name] if name in made else getattr(thing, name) for name in names}


def _all(things: Iterable[object], names: Iterable[str]) -> list[Json]:
    return [_fields(each, names) for each in things]
