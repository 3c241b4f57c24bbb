"""The verb `eval`: how well a library answers a question set, and the draft of such a set."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yuanwen.cli.direct import MODES
from yuanwen.cli.messages import count, say, sentences
from yuanwen.cli.options import Verb, number, option
from yuanwen.cli.settings import Settings, collect_garbage
from yuanwen.cli.terminal import Screen, emit, one_line
from yuanwen.errors import NotFound, UsageError

if TYPE_CHECKING:
    from yuanwen.evaluation.run import Comparison, Evaluation, Values
    from yuanwen.evaluation.sets import QuestionSet
    from yuanwen.library import Library

VARIABLE = "YUANWEN_EVAL"
MEASURES = ("R@1", "R@10", "MRR@10", "nDCG@10", "answered", "refused", "AUROC", "kept")
ASKING = tuple(mode for mode in MODES if mode != "raw")  # modes that take a question
_EARLIER = "Make one with: yuanwen eval SET --json > run.json"


def eval_() -> click.Command:
    """Return the verb `eval`."""
    return Verb(
        "eval",
        _eval,
        brief=say("measure how well a library answers a question set, or draft such a set"),
        details=say(
            "SET is a CSV with the columns question and source (and quote, answerable), asked of your library; or a"
            " folder with corpus.jsonl.gz, queries.jsonl.gz and qrels.tsv. Its passages are taken into a library of"
            " their own, kept in your cache folder or in {variable}, unless -L names one that holds them.",
            variable=VARIABLE,
        ),
        usage=say("[SET] [OPTIONS]"),
        params=[
            click.Argument(["questions"], required=False, type=click.Path()),
            option(
                "--mode",
                "modes",
                metavar=say("MODE"),
                multiple=True,
                type=click.Choice(ASKING),
                help=say("measure this mode; else ranked, and hybrid where there are vectors"),
            ),
            option("--limit", metavar="N", type=click.IntRange(min=1), help=say("so many questions at most")),
            option(
                "--compare",
                metavar="A B",
                nargs=2,
                help=say("test B against A: modes, or earlier runs kept with --json"),
            ),
            option(
                "--pool", metavar=say("SET"), multiple=True, type=click.Path(), help=say("add these passages to SET")
            ),
            option("--picture", metavar=say("FILE"), help=say("draw the figures, as an SVG file")),
            option(
                "--min", "least", metavar="R@10=0.9", multiple=True, help=say("exit with 1 where a figure is below")
            ),
            option("--make", metavar=say("FILE"), help=say("draft a set from your library, as a CSV to be edited")),
            option(
                "--left-out",
                metavar=say("FILE"),
                multiple=True,
                type=click.Path(),
                help=say("with --make: ask about this file, too, which the library does not have"),
            ),
            number("--seed", 1, 0, say("another draft, or other samples for the intervals (1)")),
        ],
        examples=(
            "yuanwen eval --make questions.csv",
            "yuanwen eval questions.csv --min R@10=0.9",
            "yuanwen eval questions.csv --compare ranked hybrid --picture figures.svg",
        ),
    )


def _eval(
    settings: Settings,
    *,
    questions: str | None,
    modes: Sequence[str],
    limit: int | None,
    compare: tuple[str, str] | None,
    pool: Sequence[str],
    picture: str | None,
    least: Sequence[str],
    make: str | None,
    left_out: Sequence[str],
    seed: int,
) -> int:
    if make is not None:
        if questions or modes or compare or pool or picture or least:
            raise UsageError("--make drafts a set, and measures nothing", hint="Leave out the rest, but --limit.")
        _make(settings, Path(make), limit, seed, [Path(each).expanduser() for each in left_out])
        return 0
    if not questions:
        raise UsageError("no question set was given", hint="Draft one with: yuanwen eval --make questions.csv")
    if left_out:
        raise UsageError("--left-out is for a draft", hint="Add: --make FILE")
    return _measure(settings, questions, modes, limit, compare or (), pool, picture, _wanted(least), seed)


def _measure(
    settings: Settings,
    questions: str,
    modes: Sequence[str],
    limit: int | None,
    compare: Sequence[str],
    pool: Sequence[str],
    picture: str | None,
    least: Sequence[tuple[str, float]],
    seed: int,
) -> int:
    from yuanwen.cli.progress import progress
    from yuanwen.evaluation import read, run

    asked = read(Path(questions).expanduser())
    if limit is not None:
        asked = asked.limited(limit)
    chosen = [mode for mode in (*modes, *compare) if mode in ASKING]
    with _library(settings, asked, pool) as library, progress(settings) as shown:
        found = run(library, asked, chosen, seed=seed, progress=shown)  # type: ignore[arg-type]
    compared = _compared(found, compare, seed) if compare else None
    below = _below(found, least)
    if picture:
        from yuanwen.evaluation.picture import svg

        Path(picture).expanduser().write_text(svg(found, say), encoding="utf-8")
    _show(settings, found, compared, below)
    if picture and not settings.json:
        settings.talk("\n" + sentences(say("{file} written", file=one_line(picture))))
    return 1 if below else 0


@contextmanager
def _library(settings: Settings, asked: "QuestionSet", pool: Sequence[str]) -> "Iterator[Library]":
    """Yield the library that is asked: the user's own, or the one that is kept for the passages of the set."""
    if asked.corpus is None or settings.library:
        if pool:
            raise UsageError("--pool adds to the passages of a set", hint="Leave it out, or leave out -L.")
        with settings.open() as library:
            yield library
        return
    from yuanwen.cli.progress import progress
    from yuanwen.evaluation import corpus

    collect_garbage()
    with progress(settings) as shown:
        more = [Path(each).expanduser() for each in pool]
        made, path, new = corpus.library(asked.corpus, asked.corpus.name, _kept(), pool=more, progress=shown)
    with made:
        if new:
            kept = one_line(str(path))
            settings.talk(
                sentences(
                    say("The passages are kept in {path}", path=kept),
                    say("To have them searched by meaning as well: yuanwen -L {path} models use", path=kept),
                )
            )
        yield made


def _kept() -> Path:
    """Return the folder for the libraries of question sets, which can be deleted at will."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("yuanwen", appauthor=False)) / "eval"


# ------------------------------------------------------------------------------- what is to be reached


def _wanted(least: Sequence[str]) -> list[tuple[str, float]]:
    """Return measures and the figures that they have to reach. Raises UsageError."""
    wanted = []
    for each in least:
        name, _, value = each.partition("=")
        known = next((measure for measure in MEASURES if measure.casefold() == name.strip().casefold()), None)
        try:
            reached = float(value)
        except ValueError:
            reached = -1.0
        if known is None or not 0 <= reached <= 1:
            raise UsageError(
                "--min takes a measure and a share, not {given}",
                hint="Write, for example, --min R@10=0.9; the measures are {measures}.",
                given=each,
                measures=", ".join(MEASURES),
            )
        wanted.append((known, reached))
    return wanted


def _below(found: "Evaluation", least: Sequence[tuple[str, float]]) -> list[dict[str, object]]:
    """Return the figures that are below what they have to reach. Raises UsageError for one that is not measured."""
    below: list[dict[str, object]] = []
    for measure, wanted in least:
        for mode in found.modes:
            if measure not in mode.figures:
                raise UsageError(
                    "{measure} is not measured: the set has only answerable questions",
                    hint="Add questions without an answer.",
                    measure=measure,
                )
            value = mode.figures[measure].value
            if value < wanted:
                below.append({"mode": mode.mode, "measure": measure, "value": value, "least": wanted})
    return below


# --------------------------------------------------------------------------------------------- comparing


def _compared(found: "Evaluation", names: Sequence[str], seed: int) -> "Comparison":
    from yuanwen.evaluation.run import compare_values, values_of

    measured = {mode.mode: values_of(mode.questions) for mode in found.modes}
    a, b = (measured[name] if name in measured else _earlier(name) for name in names)
    return compare_values(a, b, (names[0], names[1]), seed=seed)


def _earlier(name: str) -> "Values":
    """Return the values of the first mode of a run that was kept as JSON. Raises NotFound, UsageError."""
    path = Path(name).expanduser()
    if not path.is_file():
        raise NotFound("{name} is neither a mode nor a file", hint=_EARLIER, name=name)
    values: dict[str, dict[str, float]] = {}
    try:
        for each in json.loads(path.read_bytes())["modes"][0]["questions"]:
            for measure, value in each["values"].items():
                values.setdefault(str(measure), {})[str(each["id"])] = float(value)
            right = "answered" if each["answerable"] else "refused"
            values.setdefault(right, {})[str(each["id"])] = float(each["answered"] == each["answerable"])
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise UsageError("{path} is not a run of yuanwen eval", hint=_EARLIER, path=name) from error
    return values


# ------------------------------------------------------------------------------------------------ telling


def _show(
    settings: Settings, found: "Evaluation", compared: "Comparison | None", below: Sequence[dict[str, object]]
) -> None:
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.evaluation(found, compared) | {"below": list(below)})
        return
    from yuanwen.cli import measured

    screen = Screen(sys.stdout)
    lines = measured.lines(screen, found, verbose=settings.verbose, figures_only=settings.quiet)
    if compared is not None:
        lines += ["", *measured.comparison(screen, compared)]
    if below:
        lines += ["", *measured.below(screen, below)]
    emit("\n".join(lines), sys.stdout)


def _make(settings: Settings, path: Path, limit: int | None, seed: int, left_out: Sequence[Path]) -> None:
    from yuanwen.evaluation import drafting

    path = path.expanduser()
    if path.exists():
        raise drafting.is_there(path)
    with settings.open() as library:
        drafts = drafting.draft(library, questions=limit or drafting.QUESTIONS, seed=seed, left_out=left_out)
    drafting.write(drafts, path)
    answerable = sum(each.answerable for each in drafts)
    if settings.json:
        settings.answer({"file": str(path), "answerable": answerable, "unanswerable": len(drafts) - answerable})
        return
    number_of = count(len(drafts), "{n} question", "{n} questions")
    told = [
        say("{file} has {questions}", file=one_line(str(path)), questions=number_of),
        say("It is a draft: correct the questions, and put in those that you really ask"),
        say("Some have no answer in the library: see that this is so, or delete them"),
        say("Then: yuanwen eval {file}", file=one_line(str(path))),
    ]
    emit("\n".join(line for each in told for line in Screen(sys.stdout).paragraph(sentences(each))), sys.stdout)
