"""The verbs that change a library, and `check`, which may repair one."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from yuanwen.cli.messages import say
from yuanwen.cli.options import Verb, option, password, several, typed
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit

if TYPE_CHECKING:
    from yuanwen.library import Library
    from yuanwen.reports import Report


def add() -> click.Command:
    """Return the verb `add`."""
    return Verb(
        "add",
        _add,
        brief=say("take in files and folders"),
        details=say("The library is made if it is not there. Doing it again is harmless."),
        usage=say("PATH... [OPTIONS]"),
        params=[
            several("paths", required=True, metavar=say("PATH"), type=click.Path()),
            option("--tag", "tags", metavar=say("TAG"), multiple=True, help=say("a tag for all that is taken in")),
            option("--include", metavar=say("GLOB"), multiple=True, help=say("take in only files like this")),
            option("--exclude", metavar=say("GLOB"), multiple=True, help=say("leave out files like this")),
            password(),
            option(
                "--index",
                metavar="tantivy|fts5",
                type=click.Choice(("tantivy", "fts5")),
                help=say("the index of a new library; fts5 keeps all in one file"),
            ),
        ],
        examples=("yuanwen add 文档/ --tag 工作", 'yuanwen add ~/notes --include "*.md"'),
    )


def _add(
    settings: Settings,
    *,
    paths: Sequence[str],
    tags: Sequence[str],
    include: Sequence[str],
    exclude: Sequence[str],
    passwords: Sequence[str],
    index: str | None,
) -> None:
    from yuanwen.cli.progress import progress

    words = typed(passwords)
    with settings.open(create=True, index=index) as library:
        with progress(settings) as shown:
            report = library.add(*paths, tags=tags, include=include, exclude=exclude, passwords=words, progress=shown)
        _report(settings, report)
        embed_what_is_new(settings, library)


def sync() -> click.Command:
    """Return the verb `sync`."""
    return Verb(
        "sync",
        _sync,
        brief=say("bring the library in step with the disk: new, changed, gone"),
        params=[
            option("--dry-run", help=say("say what would be done, and do nothing")),
            option("--allow-mass-removal", help=say("go ahead where most files of a folder are gone")),
            password(),
        ],
    )


def _sync(settings: Settings, *, dry_run: bool, allow_mass_removal: bool, passwords: Sequence[str]) -> None:
    from yuanwen.cli.progress import progress

    words = typed(passwords)
    with settings.open() as library:
        with progress(settings) as shown:
            report = library.sync(
                dry_run=dry_run, allow_mass_removal=allow_mass_removal, passwords=words, progress=shown
            )
        _report(settings, report, dry_run=dry_run)
        if not dry_run:
            embed_what_is_new(settings, library)


def embed_what_is_new(settings: Settings, library: "Library") -> None:
    """Give what is new its vectors, where the library has a model; the words are found already, whatever comes."""
    from yuanwen.cli.progress import progress
    from yuanwen.errors import Busy, NotFound, Unavailable

    if not library.lacks_vectors():
        return
    try:
        with progress(settings, say("embedding")) as shown:
            done = library.embed(progress=shown)
    except KeyboardInterrupt:
        settings.talk(say("Stopped. What is embedded is kept, and the rest follows with: yuanwen sync"))
    except (Busy, NotFound, Unavailable) as error:
        settings.talk(say("Nothing more was embedded: {error}", error=error.text(say)))
    else:
        settings.talk(say("Embedded {n} passages with {model}.", n=f"{done.embedded:,}", model=done.model))


def _report(settings: Settings, report: "Report", *, dry_run: bool = False) -> None:
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.report(report))
        return
    from yuanwen.cli import render

    lines = render.report(Screen(sys.stdout), report, verbose=settings.verbose, dry_run=dry_run)
    emit("\n".join(lines), sys.stdout)


def check() -> click.Command:
    """Return the verb `check`."""
    return Verb(
        "check",
        _check,
        brief=say("check the library and its index for damage"),
        params=[option("--repair", help=say("make the index anew if it is not sound"))],
    )


def _check(settings: Settings, *, repair: bool) -> int:
    with settings.open() as library:
        found = library.check(repair=repair)
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.check(found))
    else:
        from yuanwen.cli import render

        emit("\n".join(render.check(Screen(sys.stdout), found)), sys.stdout)
    return 1 if found.problems else 0


def compact() -> click.Command:
    """Return the verb `compact`."""
    return Verb(
        "compact",
        _compact,
        brief=say("give back space on the disk"),
        params=[
            option("--drop-old", help=say("drop superseded versions; citations of them can no longer be checked")),
            option(
                "--older-than",
                metavar=say("WHEN"),
                default="",
                help=say("with --drop-old: only those taken in before: 2026-01, 90d"),
            ),
        ],
    )


def _compact(settings: Settings, *, drop_old: bool, older_than: str) -> None:
    with settings.open() as library:
        done = library.compact(drop_old=drop_old, older_than=older_than)
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.compacted(done))
        return
    from yuanwen.cli import render

    emit("\n".join(render.compacted(done)), sys.stdout)


def forget() -> click.Command:
    """Return the verb `forget`."""
    return Verb(
        "forget",
        _forget,
        brief=say("remove documents, every version and every trace of them"),
        usage=say("SOURCE..."),
        params=[several("sources", required=True, metavar=say("SOURCE"), type=click.Path())],
    )


def _forget(settings: Settings, *, sources: Sequence[str]) -> None:
    with settings.open() as library:
        done = library.forget(*sources)
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.forgotten(done))
        return
    from yuanwen.cli import render

    emit("\n".join(render.forgotten(Screen(sys.stdout), done)), sys.stdout)


def export() -> click.Command:
    """Return the verb `export`."""
    return Verb(
        "export",
        _export,
        brief=say("write the whole library to a file of JSON Lines"),
        usage=say("FILE"),
        params=[click.Argument(["file"], metavar=say("FILE"), type=click.Path())],
    )


def _export(settings: Settings, *, file: str) -> None:
    with settings.open() as library:
        documents = library.export(file)
    if settings.json:
        settings.answer({"documents": documents})
        return
    from yuanwen.cli import render

    emit("\n".join(render.exported(documents, file)), sys.stdout)


def import_() -> click.Command:
    """Return the verb `import`."""
    return Verb(
        "import",
        _import,
        brief=say("take in what `export` wrote"),
        usage=say("FILE"),
        params=[click.Argument(["file"], metavar=say("FILE"), type=click.Path())],
    )


def _import(settings: Settings, *, file: str) -> None:
    from pathlib import Path

    from yuanwen import transfer

    transfer.check(Path(file))  # before a library is made for it
    with settings.open(create=True) as library:
        report = library.import_(file)
    _report(settings, report)
