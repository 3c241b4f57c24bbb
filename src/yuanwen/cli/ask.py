"""`ask`: a question -> the answer of a model, what of it is supported, and by what."""

from __future__ import annotations  # so that the answer is named here, but not loaded

import re
import sys
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from yuanwen.cli import prompt, verdict
from yuanwen.cli.messages import filled, say, sentences
from yuanwen.cli.options import option
from yuanwen.cli.passage import INDENT, stand
from yuanwen.cli.progress import writing
from yuanwen.cli.reading import SearchVerb
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, Styled, emit, flat, one_line, short_path
from yuanwen.verification import SUPPORTED

if TYPE_CHECKING:
    from yuanwen.ask import Answered
    from yuanwen.verification import Claim, Verification

CITED = re.compile(r"(?: ?\[[^\[\]\n]{1,80}\])+")  # behind a quotation
CLOSING = "」』”’\"'*_`"  # what closes a quotation, and stands before the mark behind it


def ask() -> click.Command:
    """Return the verb `ask`."""
    return SearchVerb(
        "ask",
        _ask,
        brief=say("have a model answer from your documents, and verify what it says"),
        details=say(
            "The question and the passages found for it are sent to the model that you name, with YUANWEN_LLM_URL,"
            " YUANWEN_LLM_MODEL and YUANWEN_LLM_KEY, and nowhere else. Without one the prompt is printed."
        ),
        usage=say("QUESTION... [OPTIONS]"),
        params=[
            *prompt.asking(),
            option("--url", metavar="URL", default="", help=say("the server to ask; else YUANWEN_LLM_URL")),
            option("--model", metavar=say("MODEL"), default="", help=say("the model to ask; else YUANWEN_LLM_MODEL")),
        ],
        examples=(
            "yuanwen ask 住宿费每晚最多报销多少 --url http://localhost:11434 --model qwen3:8b",
            "yuanwen ask When are fees due --source '*.md'",
        ),
    )


def _ask(
    settings: Settings, *, question: Sequence[str], lang: str | None, url: str, model: str, **options: object
) -> int:
    from yuanwen.chat import endpoint

    named = endpoint.named(url=url, model=model)
    with settings.open() as library, writing(settings) as on_text:
        found = library.ask(prompt.asked(question), endpoint=named, on_text=on_text, lang=lang, **options)  # type: ignore[arg-type]
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.answered(found))
    else:
        said, about_it = _said(found, verbose=settings.verbose)
        emit(said, sys.stdout)
        settings.talk(about_it)
    unsupported = found.verification is not None and found.verification.verdict == "unsupported"
    return 1 if unsupported else 0


def _said(found: Answered, *, verbose: bool) -> tuple[str, str]:
    """Return the result, and what there is to say beside it."""
    out, err = Screen(sys.stdout), Screen(sys.stderr)
    if found.prompt is None or found.status == "not_asked":
        text, beside = prompt.said(found.evidence, found.prompt, verbose=verbose)
        how = sentences(
            say("No model is named, so nothing was sent."),
            say("With Ollama, for instance: export YUANWEN_LLM_URL=http://localhost:11434 YUANWEN_LLM_MODEL=qwen3:8b"),
        )
        return text, "\n".join([beside, *(err.paragraph(how, role="quiet") if found.prompt else [])])
    return "\n".join(_lines(out, found, verbose=verbose)), "\n".join(["", *_about(err, found)])


# ------------------------------------------------------------------------------------------ the answer


def _lines(screen: Screen, found: Answered, *, verbose: bool) -> list[str]:
    """Return the answer with marks, what came of each claim, and the sources."""
    if found.verification is None:
        refused = screen.paragraph(sentences(say("The model refuses to answer")), role="missing")
        return refused + (screen.paragraph(found.text, indent=INDENT) if found.text else [])
    return [
        *marked(screen, found.text, found.verification, counted=found.counted),
        "",
        *verdict.lines(screen, found.verification, found.text, verbose=verbose, problems_only=True),
        *_sources(screen, found.verification),
    ]


def marked(screen: Screen, text: str, found: Verification, *, counted: int) -> list[str]:
    """Return an answer as lines: each claim in its colour, and a mark in words behind what is not supported.

    What follows the first `counted` characters was not verified, and is marked as well.
    """
    shown = ""
    styled: list[Styled] = []
    at = 0
    for end, claim in sorted(((_end(text, claim), claim) for claim in found.claims), key=lambda pair: pair[0]):
        end = max(end, at)
        begins = len(shown) + max(claim.in_answer[0] - at, 0)
        shown, at = shown + text[at:end], end
        if claim.status not in SUPPORTED:
            shown += f" [⚠ {say(verdict.NAMES[claim.status])}]"
        styled.append((begins, len(shown), "good" if claim.status in SUPPORTED else "missing"))
    shown += text[at:counted]
    if counted < len(text):
        begins = len(shown)
        shown += f"{text[counted:]} [⚠ {say('cut off')}]"
        styled.append((begins, len(shown), "quiet"))
    return screen.passage(shown, styled)


def _end(text: str, claim: Claim) -> int:
    """Return where a claim ends in an answer, with the marks that close it and what it cites."""
    start, end = claim.in_answer
    end = start + len(text[start:end].rstrip())
    while text[end : end + 1] and text[end] in CLOSING:
        end += 1
    cited = CITED.match(text, end)
    return cited.end() if cited else end


def _sources(screen: Screen, found: Verification) -> list[str]:
    """Return the passages that support something, each once."""
    places = {each.found.id: each.found for each in found.claims if each.found and each.status in SUPPORTED}
    if not places:
        return []
    lines = ["", screen.style(say("Sources:"), "title")]
    for name, place in places.items():
        parts = (flat(place.title), stand(place), short_path(place.source))
        lines += screen.paragraph(f"[{one_line(name)}] {' · '.join(dict.fromkeys(filter(None, parts)))}", indent=INDENT)
    return lines


def _about(screen: Screen, found: Answered) -> list[str]:
    """Return what there is to say beside the answer."""
    file = PurePath(found.model)  # as a server calls a model that it has read from there
    parts = [say("Answered by {model}", model=one_line(file.name if file.is_absolute() else found.model))]
    if found.repaired:
        parts.append(say("This is its second answer: the first was not supported, and was sent back"))
    parts += (one_line(filled(note)) for note in (*found.evidence.notes, *found.notes))
    return [line for part in parts for line in screen.paragraph(sentences(part), role="quiet")]
