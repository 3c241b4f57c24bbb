"""What workers cost: many small files beside the same read in the one process that writes.

    python -m benchmarks.files [--runs N]

Nothing here asserts a time. The machine should be quiet; what counts is the ratio.
"""

import argparse
import statistics
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

from benchmarks import corpus
from benchmarks.speed import line, remove, seconds
from yuanwen import Library, worker
from yuanwen.allowance import Allowance
from yuanwen.documents import Reading
from yuanwen.workers import Workers, joined

SMALL = 1000
FOLDER = corpus.WORK / "files"
LIBRARY = corpus.WORK / "files.sqlite"


class OneProcess(Workers):
    """Reads every file in the process that writes, as there were no workers."""

    def read(self, name: str, data: bytes, passwords: tuple[str, ...] = ()) -> Reading:
        """Return what a file holds; whatever its reader does is done to this process."""
        _, version, items = worker.read(name, data, passwords, Allowance())
        assert isinstance(items, tuple) and isinstance(version, str)
        return Reading(version=version, documents=tuple((replace(d, text=joined(p)), p) for d, p in items))


def added(folder: Path, workers: Workers) -> float:
    """Return how long it takes to take a folder into a new library."""
    remove(LIBRARY)
    with Library.open(LIBRARY) as library, workers:
        library._started = workers
        took = seconds(lambda: library.add(folder))
        library._started = None
    return took


def small(runs: int) -> None:
    """Take in small Markdown files, by turns with workers and without."""
    folder = fresh(FOLDER / "small")
    for number, passage in zip(range(SMALL), corpus.passages("eval/cmrc2018_dev"), strict=False):
        (folder / f"{number}.md").write_text(f"# {passage.title}\n\n{passage.text}\n", encoding="utf-8")
    added(folder, Workers())  # the disk has the files now, and the machine is warm
    times = [(added(folder, Workers()), added(folder, OneProcess(1))) for _ in range(runs)]
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    line(f"{SMALL} small files, beside one process", ours, theirs, "s", 1.3)


def fresh(folder: Path) -> Path:
    """Return the folder, empty."""
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print(f"{'':44} {'workers':>13} {'one process':>13}")
    small(options.runs)


if __name__ == "__main__":
    main()
