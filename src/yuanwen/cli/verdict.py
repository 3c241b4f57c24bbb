"""What came of checking an answer -> lines of text for people."""

from __future__ import annotations  # so that the model is named here, but not loaded

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yuanwen.cli import passage
from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.passage import INDENT
from yuanwen.cli.terminal import Role, Screen, Styled, flat, one_line, short_path

if TYPE_CHECKING:
    from yuanwen.verification import Change, Claim, Found, Verification

SIGNS: dict[str, tuple[str, Role]] = {"verbatim": ("✓", "good"), "normalised": ("✓", "good"), "stale": ("!", "changed")}
NAMES = {
    "verbatim": "verbatim",
    "normalised": "the same words",
    "altered": "altered",
    "elsewhere": "stands elsewhere",
    "not_found": "not found",
    "too_short": "too short to prove anything",
    "stale": "no longer current",
    "unknown_citation": "unknown citation",
    "uncited": "without a quotation",
}
COUNTS = {
    "altered": "{n} altered",
    "elsewhere": "{n} standing elsewhere",
    "not_found": "{n} not found",
    "too_short": "{n} too short",
    "stale": "{n} no longer current",
    "unknown_citation": "{n} with an unknown citation",
    "uncited": "{n} without a quotation",
}
FOLDINGS = {
    "width": "full width and half width",
    "form": "the form of characters",
    "case": "case",
    "script": "traditional and simplified characters",
    "punctuation": "punctuation",
    "white space": "white space",
    "hyphen": "hyphens at line ends",
    "markup": "markup",
}
CHANGES = {
    "number": "number",
    "date": "date",
    "name": "name",
    "negation": "negation",
    "words": "words",
    "punctuation": "punctuation",
}
LONG = 80  # characters of a sentence or a quotation that are repeated


def lines(screen: Screen, found: Verification, answer: str, *, verbose: bool = False) -> list[str]:
    """Return what came of each claim, where it stands in the answer, and the verdict."""
    shown: list[str] = []
    for each in found.claims:
        shown += [*_claim(screen, each, _line(answer, each.in_answer[0]), verbose=verbose), ""]
    for note in found.notes:
        shown += screen.paragraph(sentences(one_line(filled(note))), role="changed")
    return [*shown, *screen.paragraph(summary(found), role=_colour(found))]


def claim(screen: Screen, found: Claim) -> list[str]:
    """Return what came of one quotation."""
    return _claim(screen, found, 0, verbose=True)


def summary(found: Verification) -> str:
    """Return the verdict in a sentence."""
    if found.verdict == "nothing_to_verify":
        return say("There is nothing to verify: no quotation, no citation, and nothing stated.")
    number = len(found.claims)
    good = sum(n for status, n in found.counts.items() if status not in COUNTS)
    if found.verdict == "supported":
        return count(number, "Supported: the one claim stands.", "Supported: all {n} claims stand.")
    rest = [say(COUNTS[status], n=n) for status, n in found.counts.items() if status in COUNTS]
    return say("Not supported: {good} of {n} claims stand; {rest}.", good=good, n=number, rest=say(", ").join(rest))


def _colour(found: Verification) -> Role:
    return "missing" if found.verdict == "unsupported" else "good"


def _line(answer: str, at: int) -> int:
    return answer.count("\n", 0, at) + 1


def _claim(screen: Screen, found: Claim, line: int, *, verbose: bool) -> list[str]:
    sign, role = SIGNS.get(found.status, ("✗", "missing"))
    place = [say("line {n}", n=line)] if line else []
    head = " · ".join([*place, say(NAMES[found.status])])
    words = flat(found.quote)
    if len(words) > LONG and not verbose:
        words = words[:LONG] + "…"
    cited = f" [{one_line(found.citation)}]" if found.citation else ""
    shown = [screen.style(f"{sign} {head}", role)]
    shown += screen.paragraph(words + cited, indent=INDENT)
    return [*shown, *_details(screen, found)]


def _details(screen: Screen, found: Claim) -> Iterator[str]:
    """Yield what there is to say of a claim beyond its status."""
    if found.folding:
        differs = say(", ").join(say(FOLDINGS[each]) for each in found.folding)
        yield from screen.paragraph(say("differs in: {what}", what=differs), indent=INDENT, role="quiet")
    for change in found.changes:
        yield from screen.paragraph(_change(change), indent=INDENT, role="changed")
    if found.status == "altered" and found.found is not None:
        yield from _difference(screen, found.found.text, found.quote)
    if found.status == "uncited" and found.citation:
        yield from screen.paragraph(say("it cites a passage, and quotes nothing from it"), indent=INDENT, role="quiet")
    if found.status == "too_short":
        least = say("at least 6 Han characters or 4 words are needed, or the whole passage")
        yield from screen.paragraph(least, indent=INDENT, role="quiet")
    if found.found is not None:
        yield from _address(screen, found.found, dated=found.status == "stale")
    for place in found.elsewhere:
        yield from _address(screen, place, dated=False)
    if found.status == "stale":
        yield from _stale(screen, found)


def _change(change: Change) -> str:
    """Return what a quotation changes, in the words of the original and its own."""
    kind = say(CHANGES[change.kind])
    original, quoted = flat(change.original), flat(change.quoted)
    if not quoted:
        return say("{kind}: {original} is left out", kind=kind, original=original)
    if not original:
        return say("{kind}: {quoted} is added", kind=kind, quoted=quoted)
    return say("{kind}: {original} became {quoted}", kind=kind, original=original, quoted=quoted)


def difference(screen: Screen, original: str, quoted: str) -> list[str]:
    """Return both texts as one: what only the original has in [- -], what only the quotation has in {+ +}."""
    from yuanwen.comparison import pieces

    text = ""
    styled: list[Styled] = []
    for kind, piece in pieces(original, quoted):
        shown = {"-": f"[-{piece}-]", "+": f"{{+{piece}+}}"}.get(kind, piece)
        if kind != "=":
            styled.append((len(text), len(text) + len(shown), "missing" if kind == "-" else "good"))
        text += shown
    return screen.passage(text, styled, indent=INDENT)


def _difference(screen: Screen, original: str, quoted: str) -> list[str]:
    return difference(screen, " ".join(original.split()), " ".join(quoted.split()))


def _stale(screen: Screen, found: Claim) -> Iterator[str]:
    """Yield what stands now where the words of a stale claim stood."""
    if found.now is not None and found.found is not None:
        head = say("now, as of {date}:", date=found.now.dated[:10])
        yield from screen.paragraph(head, indent=INDENT, role="changed")
        yield from _difference(screen, found.found.text, found.now.text)
        yield from _address(screen, found.now, dated=False)
    elif found.found is not None and found.found.state == "missing":
        yield from screen.paragraph(say("the document is gone"), indent=INDENT, role="changed")
    else:
        again = sentences(say("the file has changed since"), say("Run yuanwen sync, and verify again."))
        yield from screen.paragraph(again, indent=INDENT, role="changed")


def _address(screen: Screen, found: Found, *, dated: bool) -> list[str]:
    parts = ["→ " + found.id, passage.stand(found.place), short_path(found.source)]
    if dated:
        parts.append(found.dated[:10])
    return [INDENT + screen.style(" · ".join(filter(None, parts)), "quiet")]
