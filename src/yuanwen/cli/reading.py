"""The verbs that only read. They never create a library, and never write to one."""

import sys
from collections.abc import Sequence

import click

from yuanwen.cli.direct import PROTECTED, answer
from yuanwen.cli.messages import say, sentences
from yuanwen.cli.options import Verb, filters, mode, number, option, password, several, typed
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, one_line
from yuanwen.errors import UsageError


class SearchVerb(Verb):
    """`search`, whose query may hold words with a minus before them, without `--`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line; what can only be a word that is not wanted is kept from click."""
        options = [p for p in self.params if isinstance(p, click.Option)]
        known = {name: p for p in options for name in p.opts}
        kept: list[str] = []
        for place, arg in enumerate(args):
            if arg == "--":
                kept += args[place:]
                break
            before = known.get(args[place - 1]) if place else None
            is_value = before is not None and not before.is_flag
            kept.append(PROTECTED + arg if not is_value and _is_unwanted_word(arg, known) else arg)
        return super().parse_args(ctx, kept)


def _is_unwanted_word(arg: str, known: dict[str, click.Option]) -> bool:
    if len(arg) < 3 or arg[0] != "-" or arg[1] == "-":
        return False
    if f"-{arg}" in known:
        raise UsageError("there is no option {option}", hint="Did you mean {near}?", option=arg, near=f"-{arg}")
    first = known.get(arg[:2])
    if first is None:
        return True
    return first.is_flag and not all(f"-{letter}" in known for letter in arg[1:])


def search() -> click.Command:
    """Return the verb `search`."""
    return SearchVerb(
        "search",
        answer,
        brief=say("find passages"),
        details=say(
            'The query is plain words, and may use "a phrase", AND, OR, NOT, -word, ( ), redis*,'
            " NEAR(a b, 5), title:, tag:, source:, type: and author:."
        ),
        usage=say("QUERY... [OPTIONS]"),
        params=[
            several("query"),
            mode(),
            number("--limit", 10, 1, say("passages at most (10)")),
            number("--offset", 0, 0, say("passages to leave out at the start")),
            *_surroundings(),
            *filters(),
            option("--all-versions", help=say("superseded versions as well")),
            option("--explain", help=say("show what each score is made of")),
            option("--proof", help=say("print a proof of the search, as JSON, for yuanwen verify --proof FILE")),
        ],
        examples=(
            "yuanwen search 证据不足 --mode exact",
            "yuanwen search 缓存 -雪崩 --tag 工作 --since 最近3天",
            "yuanwen search 违约金 --mode exact --proof > proof.json",
        ),
    )


def show() -> click.Command:
    """Return the verb `show`."""
    return Verb(
        "show",
        _show,
        brief=say("print passages, or whole documents, with their surroundings"),
        details=say("An ID is a passage id, the label of a record, or a source."),
        usage=say("ID... [OPTIONS]"),
        params=[
            several("ids", required=True, metavar="ID"),
            *_surroundings(),
            option("--picture", metavar=say("FILE"), help=say("draw the page, with the passage marked, as a PNG file")),
            option("--quote", metavar=say("TEXT"), default="", help=say("mark these words of the passage as well")),
            password(),
        ],
        examples=(
            "yuanwen show 3fa92c1b77d0-17 --after 2",
            "yuanwen show 3fa92c1b77d0-17 --picture page.png --quote 证据不足",
        ),
    )


def _show(
    settings: Settings,
    *,
    ids: Sequence[str],
    before: int,
    after: int,
    picture: str | None,
    quote: str,
    passwords: Sequence[str],
) -> None:
    if quote and not picture:
        raise UsageError("--quote marks words in a picture", hint="Add: --picture page.png")
    with settings.open() as library:
        hits = library.show(*ids, before=before, after=after)
        if picture:
            if len({hit.id for hit in hits}) > 1:
                raise UsageError("a picture shows one passage", hint="Name one ID.")
            drawn = library.page_image(hits[0].id, quote=quote, passwords=typed(passwords))
            with open(picture, "wb") as file:
                file.write(drawn)
    if settings.json:
        from yuanwen.cli import output

        settings.answer({"hits": [output.hit(hit) for hit in hits]})
        return
    from yuanwen.cli import render

    emit("\n".join(render.passages(Screen(sys.stdout), hits)), sys.stdout)
    if picture:
        settings.talk("\n" + sentences(say("{file} written", file=one_line(picture))))


def list_() -> click.Command:
    """Return the verb `list`."""
    return Verb("list", _list, brief=say("list the documents"))


def _list(settings: Settings) -> None:
    with settings.open() as library:
        documents = library.list()
    if settings.json:
        from yuanwen.cli import output

        settings.answer({"documents": [output.document(each) for each in documents]})
        return
    from yuanwen.cli import render

    emit("\n".join(render.documents(Screen(sys.stdout), documents, verbose=settings.verbose)), sys.stdout)


def tags() -> click.Command:
    """Return the verb `tags`."""
    return Verb("tags", _tags, brief=say("list the tags"))


def _tags(settings: Settings) -> None:
    with settings.open() as library:
        found = library.tags()
    if settings.json:
        from yuanwen.cli import output

        settings.answer({"tags": [output.tag(each) for each in found]})
        return
    from yuanwen.cli import render

    emit("\n".join(render.tags(Screen(sys.stdout), found)), sys.stdout)


def status() -> click.Command:
    """Return the verb `status`."""
    return Verb("status", _status, brief=say("show the health of the library, and what was skipped and why"))


def _status(settings: Settings) -> None:
    with settings.open() as library:
        found = library.status()
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.status(found))
        return
    from yuanwen.cli import render

    emit("\n".join(render.status(Screen(sys.stdout), found, verbose=settings.verbose)), sys.stdout)


def _surroundings() -> list[click.Option]:
    return [
        number("--before", 0, 0, say("passages to show before each")),
        number("--after", 0, 0, say("passages to show after each")),
    ]
