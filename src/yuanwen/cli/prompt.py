"""`prompt`: a question and its passages, as one text to give to any model."""

from __future__ import annotations  # so that the prompt is named here, but not loaded

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from yuanwen.cli.direct import PROTECTED
from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.options import filters, mode, number, option, several
from yuanwen.cli.reading import SearchVerb
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, clean, emit, one_line

if TYPE_CHECKING:
    from yuanwen.model import Evidence
    from yuanwen.prompt import Prompt


def prompt() -> click.Command:
    """Return the verb `prompt`."""
    return SearchVerb(
        "prompt",
        _prompt,
        brief=say("fill in a prompt that has a model answer from your documents alone"),
        details=say(
            "It holds the question, the passages found for it, and the rules for the answer; paste it into any chat."
        ),
        usage=say("QUESTION... [OPTIONS]"),
        params=asking(),
        examples=(
            "yuanwen prompt 住宿费每晚最多报销多少",
            "yuanwen prompt When are fees due --budget 4000 --source '*.md'",
        ),
    )


def asking() -> list[click.Parameter]:
    """Return the question, and the options of every verb that prepares a prompt: how much, and from which documents."""
    return [
        several("question", required=True, metavar=say("QUESTION")),
        number("--limit", 8, 1, say("passages at most (8)")),
        number("--budget", 8000, 1, say("characters of the prompt at most (8000)"), metavar=say("CHARS")),
        option(
            "--lang",
            metavar=say("LANGUAGE"),
            type=click.Choice(("zh", "en")),
            help=say("the language of the prompt, zh or en; else that of the question"),
        ),
        mode(),
        *filters(),
    ]


def asked(question: Sequence[str]) -> str:
    """Return the question that stands on the command line."""
    return " ".join(word.removeprefix(PROTECTED) for word in question)


def _prompt(settings: Settings, *, question: Sequence[str], lang: str | None, **options: object) -> None:
    with settings.open() as library:
        prepared = library.prompt(asked(question), lang=lang, **options)  # type: ignore[arg-type]
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.prepared(prepared))
    else:
        text, beside = said(prepared.evidence, prepared.prompt, verbose=settings.verbose)
        emit(text, sys.stdout)
        settings.talk(beside)


def said(found: Evidence, made: Prompt | None, *, verbose: bool) -> tuple[str, str]:
    """Return a prompt, or why there is none, and what there is to say beside it."""
    out, err = Screen(sys.stdout), Screen(sys.stderr)
    if made is None:
        from yuanwen.cli import render

        absent = render.evidence(out, found, offset=0, verbose=verbose)
        return "\n".join(absent), "\n".join(render.about(err, found, offset=0))
    text = clean(made.text) if out.terminal else made.text  # verbatim but to a terminal
    return text, "\n".join(["", *_about(err, found, made)])


def _about(screen: Screen, found: Evidence, made: Prompt) -> list[str]:
    """Return what there is to say about a prompt, and what to do with it."""
    paragraphs = [sentences(one_line(filled(note))) for note in found.notes]
    held = count(len(made.passages), "{n} passage in the prompt", "{n} passages in the prompt")
    size = say("{n} characters", n=f"{made.characters:,}")
    cut = say("Only some sentences: {ids}", ids=say(", ").join(made.cut)) if made.cut else ""
    left_out = ""
    if made.left_out:
        left_out = say("Did not fit: {ids}; make room with --budget", ids=say(", ").join(made.left_out))
    next_step = say("Give it to a model, save the answer, and check it with: yuanwen verify ANSWER.md")
    paragraphs += (sentences(say("; ").join((held, size)), cut, left_out), sentences(next_step))
    return [line for text in paragraphs for line in screen.paragraph(text, role="quiet")]
