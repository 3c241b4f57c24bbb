"""What the library returns -> the replies of the tools.

Words of documents stand in the text behind `> `, line by line, so that no document can pass for anything else. Fields
of the structured content are named as on the other surfaces; those that are empty are left out.
"""

from collections.abc import Sequence
from dataclasses import replace

from yuanwen.absence import Absence, Skip
from yuanwen.evidence import EXCERPT, excerpt
from yuanwen.mcp_server.reply import (
    DATA,
    PASSAGE,
    Json,
    Next,
    Reply,
    again,
    closing,
    fields,
    fitted,
    flat,
    joined,
    noted,
    quoted,
)
from yuanwen.model import Context, Evidence, Hit, Now
from yuanwen.reports import Document, Report
from yuanwen.verification import SUPPORTED, Claim, Verification
from yuanwen.wording import in_words

# Characters that the excerpts of one reply share: EXCERPT for each of the first ones, as far as that goes.
EXCERPTS = 880
LEAST_EXCERPT = 80  # characters that each of them has at least
WEAK = " Weak evidence: they may not answer the question. Read them; say so if they do not."
FEW = 5  # files that are named of those that stand against an answer


# ---------------------------------------------------------------------------------------------- search


def evidence(found: Evidence, given: Json, *, offset: int, room: int, notes: Sequence[str] = ()) -> Reply:
    """Return what a search found. `given` are the arguments that were sent, for the call that goes on."""
    notes = [*notes, *found.notes]
    if found.absence is not None:
        return _nothing(found, found.absence, given, notes, room)
    total = f"{found.found:,}" if found.found_is == "exact" else f"at least {found.found:,}"

    def build(shown: int, width: int) -> Reply:
        hits, reached = found.hits[:shown], offset + shown
        excerpts = _excerpts(hits, 2 * width)
        head = f"{shown} of {total} {'passage' if found.found == 1 else 'passages'} found ({found.mode})."
        if shown < len(found.hits):
            head += f" Cut at max_chars: {len(found.hits) - shown} more hits were left out."
        elif not hits:
            head = f"Nothing stands after the first {offset:,} of {total} passages ({found.mode})."
        elif found.strength == "weak":
            head += WEAK
        following = _to_read(found, excerpts)
        if hits and (reached < found.found or found.found_is != "exact"):
            following.append(Next("search", again(given, width, offset=reached), "for more"))
        text = [head + (" " + DATA if hits else ""), *noted(notes, width)]
        for hit, part in excerpts:
            text += [_head(hit, width, part), quoted(part)]
        if hits:
            text += [f"Cite as [{hits[0].id}]「exact words」, then check the answer with verify."]
        text += [each.line() for each in following]
        return Reply(
            joined(text),
            fields(found, "status", "strength", "query", "mode", "found", "found_is", width=width)
            | {"hits": [_brief(hit, part, width) for hit, part in excerpts]}
            | {"searched": fields(found.searched, "documents", "passages", "generation", width=width)}
            | closing(following, notes, width),
        )

    return fitted(build, len(found.hits), room)


def _excerpts(hits: Sequence[Hit], most: int) -> list[tuple[Hit, str]]:
    """Return hits with what is shown of them; the likeliest come first, and have most of the room."""
    shown = []
    left = EXCERPTS - LEAST_EXCERPT * len(hits)
    for hit in hits:
        size = min(EXCERPT, most, LEAST_EXCERPT + max(0, left))
        part = hit.excerpt if size == EXCERPT else excerpt(hit.text, hit.matches, size, evidence=hit.evidence)
        left -= len(part) - LEAST_EXCERPT
        shown.append((hit, part))
    return shown


def _to_read(found: Evidence, excerpts: Sequence[tuple[Hit, str]]) -> list[Next]:
    """Return the call that reads what the excerpts do not show."""
    if found.mode == "expand" and excerpts and (excerpts[0][0].before or excerpts[0][0].after):
        first = excerpts[0][0]
        around = {"id": first.id, "before": len(first.before), "after": len(first.after)}
        return [Next("fetch", around, "for the section around the first")]
    cut = [hit for hit, part in excerpts if len(part) < len(hit.text)]
    return [Next("fetch", {"id": cut[0].id}, "for the whole of a passage")] if cut else []


def _head(hit: Hit, width: int, shown: str | None = None) -> str:
    """Return the line above the words of a hit, of which a part may be `shown`."""
    place = in_words(hit.place, "en", paragraph=0 if hit.heading else hit.paragraph, heading=hit.heading)
    parts = [flat(each, width) for each in (hit.label, hit.title, " › ".join(hit.heading), place) if each]
    if hit.state != "current":
        parts.append(f"FILE {hit.state.upper()} SINCE" if hit.state == "changed" else "FILE MISSING")
    if shown is not None and len(shown) < len(hit.text):
        parts.append(f"excerpt of {len(hit.text):,} characters")
    return f"[{hit.id}] " + " · ".join(dict.fromkeys(filter(None, parts)))


def _brief(hit: Hit, part: str, width: int) -> Json:
    """Return a hit of a search: enough to choose by."""
    shown = fields(hit, "id", "label", "title", "source", "heading", "page", width=width)
    shown |= {"excerpt": part, "characters": len(hit.text)}
    return shown | ({"state": hit.state} if hit.state != "current" else {})


def _nothing(found: Evidence, why: Absence, given: Json, notes: Sequence[str], room: int) -> Reply:
    """Return why a search found nothing, and what makes sense next."""

    def build(named: int, width: int) -> Reply:
        following = _after_nothing(found, given, width)
        skipped, stale = why.unsearchable[:named], why.stale[:named]
        more = len(why.unsearchable) + len(why.stale) - len(skipped) - len(stale)
        absence = fields(why, "kind", "missing_terms", "suggestions", width=width) | {
            "unsearchable": [fields(each, "source", "reason", width=width) for each in skipped],
            "stale": [fields(each, "source", "state", width=width) for each in stale],
        }
        text = [
            f"Nothing found ({found.mode}): {why.kind}. {_reason(found, why)}",
            _terms("Never in the library", absence.get("missing_terms")),
            _terms("Near words that are", absence.get("suggestions")),
            *_skips(skipped, width),
            *(f"- {flat(each.source, 2 * width)}: {each.state}" for each in stale),
            f"- and {more:,} more" if more else "",
            *noted(notes, width),
            "Say so instead of answering from memory.",
            *(each.line() for each in following),
        ]
        return Reply(
            joined(text),
            fields(found, "status", "query", "mode", width=width)
            | {"found": 0, "found_is": found.found_is, "hits": [], "absence": absence}
            | {"searched": fields(found.searched, "documents", "passages", "generation", width=width)}
            | closing(following, notes, width),
        )

    return fitted(build, FEW, room, least=0)


def _after_nothing(found: Evidence, given: Json, width: int) -> list[Next]:
    following = [Next("sources", {}, "to see what the library holds")]
    if found.mode == "exact":
        following[:0] = [Next("search", again(given, width, mode="ranked"), "to look for the words apart")]
    elif len(found.query.split()) > 1 or len(found.query) > FEW:
        following[:0] = [Next("search", {"query": "…"}, "with fewer words, or those that the documents would use")]
    return following


def _reason(found: Evidence, why: Absence) -> str:
    documents, passages = found.searched.documents, found.searched.passages
    looked = f"{documents:,} documents ({passages:,} passages)"
    if why.kind == "absent":
        return f"All of {looked} are indexed and current, and the words do not occur together."
    if why.kind == "stale":
        return f"{looked} were searched, but {len(why.stale):,} of them changed or went away since."
    if not documents:
        return "The library is empty: nothing was searched."
    return f"Not all could be searched: {looked} were, but {len(why.unsearchable):,} files or parts not."


def _terms(head: str, terms: Sequence[str] | None) -> str:
    return f"{head}: {', '.join(map(flat, terms))}." if terms else ""


def _skips(skipped: Sequence[Skip], width: int) -> list[str]:
    return [f"- {flat(each.source or 'library', 2 * width)}: {flat(each.reason, 2 * width)}" for each in skipped]


# ----------------------------------------------------------------------------------------------- fetch


def passage(hit: Hit, given: Json, *, start: int, after: int, room: int, notes: Sequence[str] = ()) -> Reply:
    """Return a passage from offset `start` on, with those of its neighbours that fit, the nearest first.

    `after` of those behind it are wanted; one more, if there is one, is where reading goes on.
    """
    further = hit.after[after].id if after and after < len(hit.after) else None
    hit = replace(hit, after=hit.after[:after])
    nearest = _nearest(hit)
    going_on = {"after": after} if after else {}
    going_on |= {name: given[name] for name in ("max_chars",) if name in given}

    def build(neighbours: int, width: int) -> Reply:
        around = nearest[:neighbours]
        following = _to_read_on(hit, around, going_on, further)
        return _passages(hit, around, following, start=start, end=len(hit.text), width=width, notes=notes)

    def part(characters: int, width: int) -> Reply:
        end = start + characters
        following = [Next("fetch", {"id": hit.id, "start": end} | going_on, "for the rest of this passage")]
        return _passages(hit, [], following, start=start, end=end, width=width, notes=notes)

    reply = fitted(build, len(nearest), room, least=0)
    return reply if reply.size <= room else fitted(part, len(hit.text) - start - 1, room, least=room // 32)


def _nearest(hit: Hit) -> list[Context]:
    before, after = list(reversed(hit.before)), list(hit.after)
    pairs = [pair for at in range(max(len(before), len(after))) for pair in (after[at : at + 1], before[at : at + 1])]
    return [each for pair in pairs for each in pair]


def _to_read_on(hit: Hit, around: Sequence[Context], going_on: Json, further: str | None) -> list[Next]:
    """Return the calls for what was left out, each of them once: behind the last that is shown, before the first."""
    following = []
    behind = [each.id for each in hit.after if each not in around] + ([further] if further else [])
    if behind:
        following.append(Next("fetch", {"id": behind[0]} | going_on, "to read on"))
    ahead = [each.id for each in hit.before if each not in around]
    if ahead:
        rest = {"before": len(ahead) - 1} if len(ahead) > 1 else {}
        going_back = {name: value for name, value in going_on.items() if name != "after"}
        following.append(Next("fetch", {"id": ahead[-1]} | rest | going_back, "for what stands before these"))
    return following


def _passages(
    hit: Hit,
    around: Sequence[Context],
    following: Sequence[Next],
    *,
    start: int,
    end: int,
    width: int,
    notes: Sequence[str],
) -> Reply:
    before = [each for each in hit.before if each in around]
    later = [each for each in hit.after if each in around]
    left_out = len(hit.before) + len(hit.after) - len(before) - len(later)
    whole = not start and end == len(hit.text)
    shown = [
        f"{_head(hit, width)} · {flat(hit.source, 2 * width)} · {hit.dated[:10]}",
        _now(hit.now),
        "" if whole else f"Characters {start:,} to {end:,} of the {len(hit.text):,} of this passage.",
        f"Cut at max_chars: {left_out} passages around it were left out." if left_out else "",
        DATA,
        *noted(notes, width),
        *(line for each in before for line in (f"[{each.id}]", quoted(each.text))),
        *([f"[{hit.id}]"] if before or later else []),
        quoted(hit.text[start:end]),
        *(line for each in later for line in (f"[{each.id}]", quoted(each.text))),
        f"Cite as [{hit.id}]「exact words」.",
        *(each.line() for each in following),
    ]
    names = ("id", "label", "title", "source", "heading", "paragraph", "page", "start", "end", "tags", "dated", "state")
    structured = fields(hit, *names, width=width) | {"media_type": hit.media_type, "version": hit.version}
    structured |= {"text": hit.text[start:end], "url": f"{PASSAGE}{hit.id}"}
    structured |= {} if whole else {"text_from": start, "characters": len(hit.text)}
    for name, contexts in (("before", before), ("after", later)):
        structured |= {name: [{"id": each.id, "text": each.text} for each in contexts]} if contexts else {}
    structured |= {"now": fields(hit.now, "state", "since", "version", width=width)} if hit.now is not None else {}
    return Reply(joined(shown), structured | closing(following, notes, width))


def _now(now: Now | None) -> str:
    if now is None:
        return ""
    there = ", ".join(each.id for each in now.passages[:FEW])
    return f"THIS IS AN OLD VERSION: its words are {now.state} now" + (f": see {there}." if there else ".")


# ---------------------------------------------------------------------------------------------- verify


def verification(found: Verification, given: Json, *, offset: int, room: int, notes: Sequence[str] = ()) -> Reply:
    """Return the verdict on what was sent, and its claims from number `offset` on: what is wrong first of all."""
    notes = [*notes, *found.notes]
    wrong = [each for each in found.claims if each.status not in SUPPORTED]
    ordered = [*wrong, *(each for each in found.claims if each.status in SUPPORTED)][offset:]

    def build(shown: int, width: int) -> Reply:
        claims, left = ordered[:shown], len(ordered) - shown
        same = again(given, width) | {name: "…" for name in ("answer", "quotes") if name in given}
        following = []
        if left:
            following.append(Next("verify", same | {"offset": offset + shown}, "with the same words, for more claims"))
        if wrong:
            mended = {name: value for name, value in same.items() if name != "offset"}
            following.append(Next("verify", mended, "once what is wrong is mended or taken out"))
        cut = f" Cut at max_chars: {left} more claims." if left else ""
        text = [verdict(found) + cut, *noted(notes, width)]
        text += [line for each in claims for line in _claim(each, width)]
        text += [each.line() for each in following]
        shown_claims = [_claim_json(each, width) for each in claims]
        return Reply(
            joined(text),
            {"verdict": found.verdict, "counts": dict(found.counts), "claims": shown_claims}
            | closing(following, notes, width),
        )

    return fitted(build, len(ordered), room)


def verdict(found: Verification) -> str:
    """Return the verdict in a sentence."""
    if found.verdict == "nothing_to_verify":
        return "Nothing to verify: no quotation, no citation, and nothing stated."
    good = sum(number for status, number in found.counts.items() if status in SUPPORTED)
    counts = ", ".join(f"{number} {status}" for status, number in found.counts.items())
    return f"{found.verdict.capitalize()}: {good} of {len(found.claims)} claims stand ({counts})."


def _claim(claim: Claim, width: int) -> list[str]:
    cited = f" [{flat(claim.citation, width)}]" if claim.citation else ""
    sign = "✓" if claim.status in SUPPORTED else "✗"
    how = f" ({', '.join(claim.folding)})" if claim.folding else ""
    place = claim.found.id if claim.found is not None else ""
    at = f" → [{place}]" if place and place != claim.citation else ""
    lines = [f"{sign} {claim.status}{how}{cited}{at} “{flat(claim.quote, width)}”"]
    for change in claim.changes[: width // 10]:
        original, quote = flat(change.original, width) or "(nothing)", flat(change.quoted, width) or "(nothing)"
        lines.append(f"  {change.kind}: {original} became {quote}")
    if claim.found is not None and claim.status not in SUPPORTED:
        lines.append(quoted(flat(claim.found.text, 2 * width)))
    if claim.now is not None:
        lines += [f"  now [{claim.now.id}]:", quoted(flat(claim.now.text, 2 * width))]
    if claim.elsewhere:
        lines.append("  stands at: " + ", ".join(f"[{each.id}]" for each in claim.elsewhere[: _few(width)]))
    if claim.status == "too_short":
        lines.append("  at least 6 Han characters or 4 words are needed, or the whole passage")
    if claim.status == "uncited":
        lines.append("  quote the words of a passage for it: [id]「exact words」")
    return lines


def _few(width: int) -> int:
    return max(1, width // 24)


def _claim_json(claim: Claim, width: int) -> Json:
    names = ("id", "source", "start", "end", "page", "text")
    shown = fields(claim, "quote", "citation", "status", "in_answer", "folding", width=width)
    for name, found in (("found", claim.found), ("now", claim.now)):
        if found is not None:
            shown[name] = fields(found, *names, width=width)
            shown[name] |= {"state": found.state} if found.state != "current" else {}
    if claim.changes:
        changes = claim.changes[: width // 10]
        shown["changes"] = [fields(each, "kind", "original", "quoted", width=width) for each in changes]
    if claim.elsewhere:
        shown["elsewhere"] = [fields(each, *names, width=width) for each in claim.elsewhere[: _few(width)]]
    return shown


# --------------------------------------------------------------------------------------------- sources


def sources(
    page: Sequence[Document],
    given: Json,
    *,
    found: int,
    total: int,
    offset: int,
    room: int,
    unread: Sequence[Skip] = (),
    notes: Sequence[str] = (),
) -> Reply:
    """Return documents from number `offset` on, of `found` that fit the filter and `total` in all.

    `unread` are the files that fit it and are not in the library.
    """

    def build(shown: int, width: int) -> Reply:
        listed, reached = page[:shown], offset + shown
        following = []
        if listed and reached < found:
            following.append(Next("sources", again(given, width, offset=reached), "for more"))
        head = f"{shown} of {found:,} documents, of {total:,} in the library."
        if not total:
            head = "The library is empty. Its owner adds documents with: yuanwen add FOLDER"
        skipped = unread[: _few(width)]
        names = ("id", "source", "title", "media_type", "passages", "characters", "tags", "dated", "state")
        text = [
            head,
            *noted(notes, width),
            *(_document_line(each, width) for each in listed),
            f"{len(unread):,} more could not be read, or are not indexed yet:" if unread else "",
            *_skips(skipped, width),
            *(each.line() for each in following),
        ]
        structured: Json = {"documents": [fields(each, *names, width=width) for each in listed]}
        structured |= {"found": found, "total": total}
        structured |= {"unread": [fields(each, "source", "reason", width=width) for each in skipped]} if unread else {}
        return Reply(joined(text), structured | closing(following, notes, width))

    return fitted(build, len(page), room)


def _document_line(document: Document, width: int) -> str:
    parts = [flat(document.title, width), flat(document.source, 2 * width), f"{document.passages:,} passages"]
    parts += [document.dated[:10]]
    parts += [f"tags: {flat(', '.join(document.tags), width)}"] if document.tags else []
    parts += [f"FILE {document.state.upper()}"] if document.state != "current" else []
    return f"- {document.id} " + " · ".join(dict.fromkeys(filter(None, parts)))


# --------------------------------------------------------------------------------------------- writing


def report(done: Report, *, head: str, extra: Json, room: int) -> Reply:
    """Return what was taken in."""
    counts = f"{done.files} files: {done.indexed} indexed, {done.unchanged} unchanged, {len(done.skipped)} skipped"

    def build(shown: int, width: int) -> Reply:
        skipped, more = done.skipped[:shown], len(done.skipped) - shown
        text = [
            f"{head} {counts}; {done.removed} removed; {done.passages:,} passages written.",
            *_skips(skipped, width),
            f"- and {more:,} more" if more else "",
            *noted(done.warnings, width),
        ]
        return Reply(
            joined(text),
            extra
            | {name: getattr(done, name) for name in ("files", "indexed", "unchanged", "removed", "passages")}
            | {
                "skipped": [fields(each, "source", "reason", "hint", width=width) for each in skipped],
                "skipped_in_all": len(done.skipped),
            }
            | closing([], done.warnings, width),
        )

    return fitted(build, min(len(done.skipped), 50), room)
