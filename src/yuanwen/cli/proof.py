"""A proof of a search: made by `search --proof`, and in words what `verify --proof` finds."""

from __future__ import annotations  # so that the model is named here, but not loaded

import os
import sys
from typing import TYPE_CHECKING, Any

from yuanwen.cli.messages import count, say, sentences
from yuanwen.cli.passage import local_time
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, one_line, short_path
from yuanwen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from yuanwen.proof import ChangedDocument, ProofCheck

FEW = 10  # documents and passages that are named


def prove(settings: Settings, query: str, *, before: int, after: int, explain: bool, **filters: Any) -> None:
    """Search the library, and print the proof. Raises UsageError for what a proof does not hold."""
    if before or after or explain:
        raise UsageError(
            "a proof holds neither surroundings nor scores", hint="Leave out --before, --after and --explain."
        )
    with settings.open() as library:
        made = library.prove(query, **filters)
    from yuanwen.cli import output

    settings.answer(output.proof(made))


def check(settings: Settings, file: str) -> int:
    """Run the search of a proof again, print what came of it, and return the exit status: 0 where the proof holds.

    Raises NotFound for a file that is not there, UsageError for one that is no proof.
    """
    path = os.path.expanduser(file)
    if not os.path.isfile(path):
        raise NotFound("no file {path}", hint="Check the spelling.", path=file)
    with open(path, "rb") as kept, settings.open() as library:
        checked = library.check_proof(kept.read())
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.proof_check(checked))
    else:
        emit("\n".join(lines(Screen(sys.stdout), checked, verbose=settings.verbose)), sys.stdout)
    return 0 if checked.verdict == "holds" else 1


def lines(screen: Screen, checked: ProofCheck, *, verbose: bool) -> list[str]:
    """Return what came of checking a proof, the verdict first."""
    time, query = local_time(checked.made), one_line(checked.query)
    quiet = [say("Asked at {time}: {query} ({mode})", time=time, query=query, mode=checked.mode)]
    quiet += [
        say(
            "{program}: {then} then, {now} now",
            program=one_line(name),
            then=one_line(then) or "-",
            now=one_line(now) or "-",
        )
        for name, then, now in checked.programs
    ]
    told = screen.paragraph(_verdict(checked), role="good" if checked.verdict == "holds" else "missing")
    told += [line for text in _result(checked, verbose) for line in screen.paragraph(text)]
    told += _documents(screen, checked, verbose)
    return told + [line for text in quiet for line in screen.paragraph(text, role="quiet")]


def _verdict(checked: ProofCheck) -> str:
    match checked.verdict:
        case "holds" if checked.same_library:
            return sentences(say("The proof holds: the same versions give the same result"))
        case "holds":
            return sentences(say("The proof holds: it was made with another library, which holds the same versions"))
        case "another_library":
            return sentences(
                say("The proof was made with another library"), say("If you have that one, name it with -L.")
            )
        case "library_changed":
            return sentences(say("The library has changed since the proof was made"))
        case "result_differs":
            return sentences(say("The same versions do not give the same result"))


def _result(checked: ProofCheck, verbose: bool) -> list[str]:
    then, now = (count(n, "{n} passage found", "{n} passages found") for n in checked.found)
    if checked.same_result:
        told = [sentences(say("The result is the same: {found}", found=now))]
    elif then == now:
        told = [sentences(say("The result is not the same"))]
    else:
        told = [sentences(say("The result is not the same: then {then}, now {now}", then=then, now=now))]
    if checked.lost:
        told.append(say("Found no longer: {ids}", ids=_few(checked.lost, verbose)))
    if checked.gained:
        told.append(say("Found only now: {ids}", ids=_few(checked.gained, verbose)))
    if checked.reordered:
        told.append(sentences(say("The passages are the same, in another order")))
    if checked.same_result and checked.absence[0] != checked.absence[1]:
        told.append(sentences(say("Files on the disk, or what can be read of them, are not as they were then")))
    return told


def _few(ids: tuple[str, ...], verbose: bool) -> str:
    shown = ids if verbose else ids[:FEW]
    return say(", ").join(map(one_line, shown)) + (" …" if len(shown) < len(ids) else "")


def _documents(screen: Screen, checked: ProofCheck, verbose: bool) -> list[str]:
    then, now = (f"{n:,}" for n in checked.versions)
    if checked.documents is None:
        text = say("Versions searched: {then} then, {now} now; the proof does not name them", then=then, now=now)
        return screen.paragraph(sentences(text))
    named = [each for each in checked.documents if each.source]
    shown = named if verbose else named[:FEW]
    told = [_change(each) for each in shown]
    if len(shown) < len(named):
        told.append("  " + say("... and {n} more (-v names them all)", n=len(named) - len(shown)))
    if len(named) < len(checked.documents):
        unnamed = len(checked.documents) - len(named)
        told.append("  " + count(unnamed, "{n} document was forgotten", "{n} documents were forgotten"))
    return ([say("Documents that changed since:")] if told else []) + told


def _change(changed: ChangedDocument) -> str:
    words = {"added": say("added"), "changed": say("changed"), "gone": say("gone")}
    return "  " + say("{source}: {change}", source=short_path(changed.source), change=words[changed.change])
