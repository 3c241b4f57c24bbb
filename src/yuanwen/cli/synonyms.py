"""The verb `synonyms`: the words that count as the same in a search, by the list of the user."""

import sys
from collections.abc import Sequence

import click

from yuanwen.cli.messages import count, say
from yuanwen.cli.options import Verb, several
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import emit, flat
from yuanwen.errors import UsageError

LIST, ADD, REMOVE, IMPORT = "list", "add", "remove", "import"


def synonyms() -> click.Command:
    """Return the verb `synonyms`."""
    return Verb(
        "synonyms",
        _synonyms,
        brief=say("keep a list of words that count as the same in a search"),
        details=say(
            "add joins words into a group, and remove takes them out; import reads a file with one group a line, its"
            " words parted by commas. Without any of them the list is printed. exact finds a string as it stands."
        ),
        usage=say("[add WORD WORD...|remove WORD...|import FILE]"),
        params=[
            click.Argument(["action"], required=False, default=LIST, type=click.Choice((LIST, ADD, REMOVE, IMPORT))),
            several("words"),
        ],
        examples=(
            "yuanwen synonyms add 账户 账号 account",
            "yuanwen synonyms remove account",
            "yuanwen synonyms import words.csv",
        ),
    )


def _synonyms(settings: Settings, *, action: str, words: Sequence[str]) -> None:
    if (action == LIST and words) or (action == IMPORT and len(words) != 1) or (action != LIST and not words):
        raise UsageError("yuanwen synonyms {action} does not go so", hint="See: yuanwen synonyms --help", action=action)
    groups: Sequence[Sequence[str]]
    with settings.open() as library:
        if action == ADD:
            groups = (library.add_synonyms(*words),)
        elif action == REMOVE:
            groups = (library.remove_synonyms(*words),)
        elif action == IMPORT:
            groups = library.import_synonyms(words[0])
        else:
            groups = library.synonyms()
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.without_synonyms(groups[0]) if action == REMOVE else output.synonyms(groups))
        return
    emit("\n".join(_lines(action, groups)), sys.stdout)


def _lines(action: str, groups: Sequence[Sequence[str]]) -> list[str]:
    """Return what was done, or what the list holds."""
    if action == IMPORT:
        return [count(len(groups), "{n} group taken in", "{n} groups taken in")]
    if not groups:
        return [say("There are no synonyms. Add some with: yuanwen synonyms add WORD WORD")]
    shown = [say(", ").join(map(flat, group)) for group in groups]
    if action == ADD:
        return [say("These count as the same: {words}", words=shown[0])]
    return [say("Taken out: {words}", words=shown[0])] if action == REMOVE else shown
