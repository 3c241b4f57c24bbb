"""The verb `cite`: words of a passage as one line with a receipt, and as references that people read."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from yuanwen.cli.messages import language, say, sentences
from yuanwen.cli.options import Verb, option, several
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, one_line

if TYPE_CHECKING:
    from yuanwen.cite import Citation

ALL, RECEIPT = "all", "receipt"
NAMES = {"plain": "Plain", "markdown": "Markdown", "gbt7714": "GB/T 7714"}  # of the styles


def cite() -> click.Command:
    """Return the verb `cite`."""
    return Verb(
        "cite",
        _cite,
        brief=say("cite a passage, or words of it, so that anyone can check it against the file"),
        details=say("The first line is a receipt: yuanwen verify --against FILE needs nothing else."),
        usage=say("ID [QUOTE] [OPTIONS]"),
        params=[
            click.Argument(["identity"], metavar="ID"),
            several("quote", required=False, metavar=say("QUOTE")),
            option(
                "--style",
                metavar=say("STYLE"),
                type=click.Choice((ALL, RECEIPT, *NAMES)),
                default=ALL,
                help=say("print one thing alone: receipt, plain, markdown or gbt7714"),
            ),
        ],
        examples=(
            'yuanwen cite 3fa92c1b77d0-17 "within thirty days"',
            "yuanwen cite 3fa92c1b77d0-17 --style gbt7714",
        ),
    )


def _cite(settings: Settings, *, identity: str, quote: Sequence[str], style: str) -> None:
    with settings.open() as library:
        citation = library.cite(identity, " ".join(quote), lang=language())
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.citation(citation))
        return
    references = {name: one_line(citation.references[name]) for name in citation.references}
    if style != ALL:
        emit(({RECEIPT: one_line(citation.line)} | references)[style], sys.stdout)
    else:
        screen = Screen(sys.stdout)
        named = (
            say("{name}: {note}", name=screen.style(say(NAMES[each]), "quiet"), note=text)
            for each, text in references.items()
        )
        emit("\n".join([one_line(citation.line), "", *named]), sys.stdout)
    settings.talk(sentences(*_notes(citation)))


def _notes(citation: "Citation") -> Iterator[str]:
    """Yield what there is to know of a citation beyond its words."""
    if citation.folding:
        from yuanwen.cli.verdict import FOLDINGS

        differs = say(", ").join(say(FOLDINGS[each]) for each in citation.folding)
        yield say("Cited are the original words, which differ in {what}", what=differs)
    if citation.found.state == "changed":
        yield say("The file has changed since")
    elif citation.found.state == "missing":
        yield say("The document is gone.")
