"""`prompt`: a question and its passages, as one text to give to any model."""

from __future__ import annotations  # so that the prompt is named here, but not loaded

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from yuanwen.cli.direct import MODES, PROTECTED
from yuanwen.cli.messages import count, filled, say, sentences
from yuanwen.cli.options import option, several
from yuanwen.cli.reading import SearchVerb
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, clean, emit, one_line

if TYPE_CHECKING:
    from yuanwen.prompt import Prepared, Prompt


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
        option("--limit", metavar="N", type=click.IntRange(min=1), default=8, help=say("passages at most (8)")),
        option(
            "--budget",
            metavar=say("CHARS"),
            type=click.IntRange(min=1),
            default=8000,
            help=say("characters of the prompt at most (8000)"),
        ),
        option(
            "--lang",
            metavar=say("LANGUAGE"),
            type=click.Choice(("zh", "en")),
            help=say("the language of the prompt, zh or en; else that of the question"),
        ),
        option(
            "--mode",
            metavar=say("MODE"),
            type=click.Choice(MODES),
            default="ranked",
            help=say("ranked (the default), exact (the very string), expand, raw, semantic or hybrid"),
        ),
        option("--tag", "tags", metavar=say("TAG"), multiple=True, help=say("only documents with this tag")),
        option("--source", metavar=say("GLOB"), default="", help=say("only from sources like this: *.md")),
        option("--type", metavar=say("TYPE"), default="", help=say("only of this type: md, pdf, text/html")),
        option("--author", metavar=say("NAME"), default="", help=say("only by an author with this in the name")),
        option("--since", metavar=say("WHEN"), default="", help=say("only from then on: 2026-11, 7d, yesterday")),
        option("--until", metavar=say("WHEN"), default="", help=say("only up to then")),
    ]


def asked(question: Sequence[str]) -> str:
    """Return the question that stands on the command line."""
    return " ".join(word.removeprefix(PROTECTED) for word in question)


def _prompt(settings: Settings, *, question: Sequence[str], lang: str | None, **options: object) -> None:
    with settings.open() as library:
        prepared = library.prompt(asked(question), lang=lang or "", **options)  # type: ignore[arg-type]
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.prepared(prepared))
    elif prepared.prompt is None:
        from yuanwen.cli import render

        found = prepared.evidence
        emit("\n".join(render.evidence(Screen(sys.stdout), found, offset=0, verbose=settings.verbose)), sys.stdout)
        settings.talk("\n".join(render.about(Screen(sys.stderr), found, offset=0)))
    else:
        text = prepared.prompt.text
        emit(clean(text) if Screen(sys.stdout).terminal else text, sys.stdout)  # verbatim but to a terminal
        settings.talk("\n".join(["", *about(Screen(sys.stderr), prepared, prepared.prompt)]))


def about(screen: Screen, prepared: Prepared, made: Prompt) -> list[str]:
    """Return what there is to say about a prompt, and what to do with it."""
    paragraphs = [sentences(one_line(filled(note))) for note in prepared.evidence.notes]
    held = count(len(made.passages), "{n} passage in the prompt", "{n} passages in the prompt")
    size = say("{n} characters", n=f"{made.characters:,}")
    cut = say("Only some sentences: {ids}", ids=say(", ").join(made.cut)) if made.cut else ""
    left_out = ""
    if made.left_out:
        left_out = say("Did not fit: {ids}; make room with --budget", ids=say(", ").join(made.left_out))
    next_step = say("Give it to a model, save the answer, and check it with: yuanwen verify ANSWER.md")
    paragraphs += (sentences(say("; ").join((held, size)), cut, left_out), sentences(next_step))
    return [line for text in paragraphs for line in screen.paragraph(text, role="quiet")]
