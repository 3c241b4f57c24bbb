"""What came of checking an answer -> lines of text for people."""

from __future__ import annotations  # so that the model is named here, but not loaded

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from yuanwen.cli import passage
from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.passage import INDENT
from yuanwen.cli.terminal import Role, Screen, Styled, cells, clip, flat, one_line, pad, short_path
from yuanwen.errors import UsageError
from yuanwen.verification import SUPPORTED

if TYPE_CHECKING:
    from yuanwen.verification import Change, Claim, Found, Verification

Side = tuple[str, list[Styled]]  # one of two texts that are compared, and the colours of what only it has

SIGNS: dict[str, tuple[str, Role]] = {"verbatim": ("✓", "good"), "normalised": ("✓", "good"), "stale": ("!", "changed")}
OTHER: tuple[str, Role] = ("✗", "missing")
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
LONG = 80  # characters of a quotation that needs no more said about it, and of a change
WHOLE = 400  # characters of a quotation that are shown in full
AROUND = 30  # characters that are kept on each side of a change
FEW = 10  # notes that are told

_line_break = re.compile(r"(?<=[\u2e80-\uffef])\s*\n\s*(?=[\u2e80-\uffef])")


def lines(
    screen: Screen,
    found: Verification,
    answer: str,
    *,
    file: str = "",
    verbose: bool = False,
    problems_only: bool = False,
) -> list[str]:
    """Return what came of each claim, where it stands in the answer, and the verdict.

    What is supported takes a line, with `verbose` as many as the rest, and with `problems_only` none, unless there is
    some doubt about the original words. A `file` is named as programs expect it: `file:line`.
    """
    shown: list[str] = []
    breaks = [each.start() for each in re.finditer("\n", answer)]
    for each in found.claims:
        is_brief = each.status in SUPPORTED and not verbose
        doubts = _doubts(screen, each)
        if is_brief and problems_only and not doubts:
            continue
        line = bisect_left(breaks, each.in_answer[0]) + 1
        where = f"{one_line(file)}:{line}" if file else say("line {n}", n=line)
        if is_brief:
            shown += [_brief(screen, each, where), *doubts]
        else:
            shown += [*_gap(shown), *_block(screen, each, where, verbose=verbose), ""]
    said = summary(found)
    if file:
        said = say("{name}: {note}", name=one_line(file), note=said)
    return [*shown, *_gap(shown), *screen.paragraph(said, role=_colour(found))]


def claim(screen: Screen, found: Claim) -> list[str]:
    """Return what came of one quotation."""
    return _block(screen, found, "", verbose=True)


def notes(screen: Screen, found: Sequence[Verification], *, verbose: bool) -> list[str]:
    """Return what could not be read of the files that answers were checked against, each once."""
    told = list(dict.fromkeys(note for each in found for note in each.notes))
    shown = told if verbose else told[:FEW]
    said = [sentences(short_path(filled(note))) for note in shown]
    if len(shown) < len(told):
        said.append(say("... and {n} more (-v names them all)", n=len(told) - len(shown)))
    return [line for text in said for line in screen.paragraph(text, role="changed")]


def summary(found: Verification) -> str:
    """Return the verdict in a sentence."""
    if found.verdict == "nothing_to_verify":
        return say("There is nothing to verify: no quotation, no citation, and nothing stated.")
    number = len(found.claims)
    good = sum(n for status, n in found.counts.items() if status in SUPPORTED)
    if found.verdict == "supported":
        return count(number, "Supported: the one claim stands.", "Supported: all {n} claims stand.")
    rest = [say(COUNTS[status], n=n) for status, n in found.counts.items() if status not in SUPPORTED]
    return say("Not supported: {good} of {n} claims stand; {rest}.", good=good, n=number, rest=say(", ").join(rest))


def overall(found: Sequence[Verification]) -> str:
    """Return in a sentence what came of several answers."""
    verdicts = Counter(each.verdict for each in found)
    parts = [say("{n} supported", n=verdicts["supported"]), say("{n} not supported", n=verdicts["unsupported"])]
    if verdicts["nothing_to_verify"]:
        parts.append(say("{n} with nothing to verify", n=verdicts["nothing_to_verify"]))
    files = count(len(found), "{n} file", "{n} files")
    return sentences(say("{name}: {note}", name=files, note=say(", ").join(parts)))


def _colour(found: Verification) -> Role:
    return "missing" if found.verdict == "unsupported" else "good"


def _gap(shown: Sequence[str]) -> list[str]:
    """Return the empty line that parts a block from what stands above it, unless there is one."""
    return [""] if shown and shown[-1] else []


# ---------------------------------------------------------------------------------------------- claims


def _head(found: Claim, where: str) -> str:
    """Return the sign of a claim, where it stands, what came of it, and the passage that it cites."""
    named = say(NAMES[found.status])
    if found.folding:
        differs = say(", ").join(say(FOLDINGS[each]) for each in found.folding)
        named = say("{name} ({note})", name=named, note=differs)
    sign = SIGNS.get(found.status, OTHER)[0]
    return f"{sign} " + " · ".join(filter(None, (where, named, one_line(found.citation or ""))))


def _brief(screen: Screen, found: Claim, where: str) -> str:
    """Return the line for a claim that is supported."""
    head = _head(found, where)
    quote = " “" + screen.clip(clip(_words(found), LONG), screen.width - cells(head) - 3) + "”"
    return screen.style(head, SIGNS[found.status][1]) + quote


def _block(screen: Screen, found: Claim, where: str, *, verbose: bool) -> list[str]:
    """Return all there is to say of a claim: its words, those of the original, and where these stand."""
    shown = [screen.style(_head(found, where), SIGNS.get(found.status, OTHER)[1])]
    if found.status == "stale" and found.found is not None and found.now is not None:
        old, new = _sides(found.found.text, found.now.text, verbose=verbose, roles=("missing", "good"))
        then, now = _dated(say("then"), found.found, found.now), _dated(say("now"), found.now, found.found)
        shown += _labelled(screen, (then, old), (now, new))
    elif found.found is not None and found.status in ("altered", "normalised", "not_found"):
        original, quoted = _sides(found.found.text, found.quote, verbose=verbose, roles=("good", "missing"))
        shown += _labelled(screen, (say("quoted"), quoted), (say("original"), original))
    else:
        words = _words(found)
        shown += screen.paragraph(words if verbose else clip(words, WHOLE), indent=INDENT)
    shown += (line for text in _remarks(found) for line in screen.paragraph(text, indent=INDENT, role="changed"))
    shown += _doubts(screen, found)
    places = dict.fromkeys(filter(None, (found.found, found.now, *found.elsewhere)))
    return shown + [line for each in places for line in screen.paragraph(_address(each), indent=INDENT, role="quiet")]


def _doubts(screen: Screen, found: Claim) -> list[str]:
    """Return what casts doubt on the original words: a line for each kind of mark."""
    return passage.marks(screen, found.found) if found.found is not None else []


def _words(found: Claim) -> str:
    """Return the words of a claim on one line; those that a receipt vouches for, where it is one."""
    from yuanwen import receipt

    try:
        parsed = receipt.parse(found.quote) if found.quote.startswith("yuanwen:") else None
    except UsageError:
        parsed = None
    if parsed is None:
        return flat(found.quote)
    return flat(found.found.text) if found.found else say("receipt for {source}", source=one_line(parsed.source))


def _remarks(found: Claim) -> Iterator[str]:
    """Yield what there is to say of a claim in words."""
    for change in found.changes:
        yield _change(change)
    if found.status == "uncited" and found.citation:
        yield say("it cites a passage, and quotes nothing from it")
    elif found.status == "too_short":
        yield say("at least 6 Han characters or 4 words are needed, or the whole passage")
    elif found.status == "stale" and found.found is None:
        yield say("The file is not the one that was cited")
    elif found.status == "stale" and found.found is not None and found.now is None:
        if found.found.state == "missing":
            yield say("The document is gone.")
        else:
            yield sentences(say("The file has changed since"), say("Run yuanwen sync, and verify again."))


def _change(change: Change) -> str:
    """Return what a quotation changes, in the words of the original and its own."""
    kind = say(CHANGES[change.kind])
    original, quoted = clip(flat(change.original), LONG), clip(flat(change.quoted), LONG)
    if not quoted:
        return say("{kind}: {original} is left out", kind=kind, original=original)
    if not original:
        return say("{kind}: {quoted} is added", kind=kind, quoted=quoted)
    return say("{kind}: {original} became {quoted}", kind=kind, original=original, quoted=quoted)


def _address(found: Found) -> str:
    return " · ".join(filter(None, ("→ " + one_line(found.id), passage.stand(found), short_path(found.source))))


def _dated(label: str, found: Found, other: Found) -> str:
    """Return a label with the date of a version, where that tells it from the other one."""
    date = found.dated[:10]
    return say("{name} ({note})", name=label, note=date) if date != other.dated[:10] else label


# ------------------------------------------------------------------------------------------- two texts


def _labelled(screen: Screen, *texts: tuple[str, Side]) -> list[str]:
    """Return texts as lines, each behind its label."""
    labels = [say("{name}: {note}", name=label, note="") for label, _ in texts]
    width = max(map(cells, labels))
    shown: list[str] = []
    for label, (_, (text, styled)) in zip(labels, texts, strict=True):
        padded = pad(label, width)
        at = len(padded)
        shown += screen.passage(padded + text, [(at + a, at + b, role) for a, b, role in styled], indent=INDENT)
    return shown


def _sides(original: str, quoted: str, *, verbose: bool, roles: tuple[Role, Role]) -> tuple[Side, Side]:
    """Return two texts on a line each: `[-what only the first has-]`, and `{+what only the second has+}`.

    Unless `verbose`, only the surroundings of what differs are kept of long texts.
    """
    from yuanwen.comparison import pieces

    found: list[tuple[str, str]] = [*pieces(_flowing(original), _flowing(quoted))]
    if not verbose:
        last = len(found) - 1
        found = [
            (kind, _shortened(piece, is_first=not at, is_last=at == last) if kind == "=" else piece)
            for at, (kind, piece) in enumerate(found)
        ]
    return _side(found, "-", "[-{}-]", roles[0]), _side(found, "+", "{{+{}+}}", roles[1])


def _side(pieces: Sequence[tuple[str, str]], own: str, marked: str, role: Role) -> Side:
    """Return one of two texts, with what only it has marked, but for white space."""
    text = ""
    styled: list[Styled] = []
    ours = [(kind == own and not piece.isspace(), piece) for kind, piece in pieces if kind in ("=", own)]
    for is_own, group in groupby(ours, key=itemgetter(0)):
        joined = "".join(piece for _, piece in group)
        shown = marked.format(joined) if is_own else joined
        if is_own:
            styled.append((len(text), len(text) + len(shown), role))
        text += shown
    return text, styled


def _flowing(text: str) -> str:
    """Return text on one line, without the line breaks between characters that are written without spaces."""
    return flat(_line_break.sub("", text))


def _shortened(text: str, *, is_first: bool, is_last: bool) -> str:
    """Return what two texts share, without what is far from where they differ; all of it if they do not."""
    if (is_first and is_last) or len(text) <= (1 if is_first or is_last else 2) * AROUND + AROUND // 2:
        return text
    before = "" if is_first else text[:AROUND]
    after = "" if is_last else text[-AROUND:]
    if " " in before[-AROUND // 3 :]:
        before = before[: before.rindex(" ") + 1]
    if " " in after[: AROUND // 3]:
        after = after[after.index(" ") :]
    return f"{before}…{after}"
