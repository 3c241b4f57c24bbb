"""Speed and size on corpus/scale (132,962 passages) beside the usual recipe, in one run, as ratios of medians.

    python -m benchmarks.speed [--runs N] [--questions N] [build] [ask] [fresh] [process]

Nothing here asserts a time. The machine should be quiet; what counts is the ratio.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from shutil import rmtree

from benchmarks import corpus
from benchmarks.recipe import Recipe, build
from yuanwen import Library

RECIPE = corpus.WORK / "recipe.db"
LIBRARY = corpus.WORK / "scale.sqlite"
EMPTY = corpus.WORK / "empty.sqlite"


def line(what: str, ours: float, theirs: float, unit: str, goal: float) -> None:
    """Print a figure beside its reference."""
    ratio = ours / theirs
    mark = "" if ratio <= goal else "   missed"
    print(
        f"{what:44} {ours:9.2f} {unit:3} {theirs:9.2f} {unit:3} ratio {ratio:5.2f}  goal {goal:4.2f}{mark}", flush=True
    )


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes, in seconds of the clock on the wall."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def remove(library: Path) -> None:
    """Delete a library or a database with all that lies beside it."""
    for file in library.parent.glob(library.name + "*"):
        rmtree(file) if file.is_dir() else file.unlink()


def size(library: Path) -> float:
    """Return the megabytes of a library with its index, or of a database."""
    files = [
        f for path in library.parent.glob(library.name + "*") for f in (path.rglob("*") if path.is_dir() else [path])
    ]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def built(records: Path, runs: int) -> None:
    """Build both, each in a process of its own, in turn."""
    ours, theirs = [], []
    for _ in range(runs):
        remove(RECIPE)
        theirs.append(seconds(lambda: run("recipe", records)))
        remove(LIBRARY)
        ours.append(seconds(lambda: run("yuanwen", records)))
    line("library built", statistics.median(ours), statistics.median(theirs), "s", 0.7)
    line("size on disk", size(LIBRARY), size(RECIPE), "MB", 0.7)


def run(which: str, records: Path) -> None:
    """Build one of the two in a process of its own."""
    subprocess.run([sys.executable, "-m", "benchmarks.speed", f"--only-{which}", str(records)], check=True)


def asked(number: int) -> None:
    """Ask both the same questions and phrases, in turn."""
    questions = [q.text for q in corpus.questions("eval/cmrc2018_dev") if q.answerable]
    phrases = [q.text for q in corpus.questions("scale") if q.kind == "phrase"]
    recipe = Recipe(RECIPE)
    with Library.open(LIBRARY, create=False) as library:
        pairs: Sequence[tuple[str, list[str], Callable[[str], object], Callable[[str], object], float]] = (
            ("ranked, natural questions, best 10", questions, library.search, recipe.question, 0.8),
            ("exact, phrases, best 10", phrases, lambda t: library.search(t, mode="exact"), recipe.phrase, 0.4),
            (
                "exact, two characters, beside its phrases",
                [p[:2] for p in phrases],
                lambda t: library.search(t, mode="exact"),
                lambda t: recipe.phrase(phrases[0]),
                4.0,
            ),
        )
        for what, texts, ours, theirs, goal in pairs:
            chosen = texts[:: max(1, len(texts) // number)][:number]
            for text in chosen[:20]:
                ours(text), theirs(text)
            times = [(seconds(partial(ours, text)), seconds(partial(theirs, text))) for text in chosen]
            medians = [statistics.median(column) * 1e3 for column in zip(*times, strict=True)]
            line(what, medians[0], medians[1], "ms", goal)


def fresh(runs: int) -> None:
    """Change one file and search for what it says now, in the full library and in an empty one."""
    folder = corpus.WORK / "changing"
    folder.mkdir(parents=True, exist_ok=True)
    remove(EMPTY)
    medians = []
    for path in (LIBRARY, EMPTY):
        times = []
        file = folder / f"{path.stem}.txt"
        with Library.open(path) as library:
            for turn in range(runs + 1):
                word = f"变更{turn}次{time.time_ns()}"
                file.write_text(f"这个文件已经{word}。\n", encoding="utf-8")
                time.sleep(0.12)  # a file that has only just been written is waited for
                times.append(seconds(partial(_visible, library, file, word)))
        medians.append(statistics.median(times[1:]) * 1e3)
    line("a changed file is visible, beside an empty one", medians[0], medians[1], "ms", 3.0)


def _visible(library: Library, file: Path, word: str) -> None:
    library.add(file)
    assert library.search(word, mode="exact").found == 1


def process(runs: int) -> None:
    """Start `yuanwen search` as a process beside a Python that does nothing."""
    search = [sys.executable, "-m", "yuanwen", "-L", str(LIBRARY), "search", "劳动合同法第三十八条"]
    nothing = [sys.executable, "-c", "pass"]
    times = [(seconds(lambda: _quiet(search)), seconds(lambda: _quiet(nothing))) for _ in range(runs + 1)]
    medians = [statistics.median(column) * 1e3 for column in zip(*times[1:], strict=True)]
    line("yuanwen search, beside python -c pass", medians[0], medians[1], "ms", 7.0)


def _quiet(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["build", "ask", "fresh", "process"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--questions", type=int, default=900)
    parser.add_argument("--only-recipe", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only-yuanwen", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only_recipe:
        build(options.only_recipe, RECIPE)
    elif options.only_yuanwen:
        with Library.open(LIBRARY) as library:
            library.add(options.only_yuanwen)
    else:
        records = corpus.WORK / "scale.jsonl"
        if not records.exists():
            corpus.records(["scale"], records)
        print(f"{'':44} {'yuanwen':>13} {'reference':>13}")
        for part in options.parts:
            {
                "build": lambda: built(records, options.runs),
                "ask": lambda: asked(options.questions),
                "fresh": lambda: fresh(options.runs * 3),
                "process": lambda: process(options.runs * 5),
            }[part]()


if __name__ == "__main__":
    main()
