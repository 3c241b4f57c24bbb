"""What it costs to verify an answer, as ratios in one run.

    python -m benchmarks.verifying [--quotations N] [--runs N] [library] [growth] [file]

`library`: an answer with 2,000 quotations against corpus/scale (132,962 passages), for each of them beside one `exact`
search for it. `growth`: a quarter of the answer, and a tenth of the library. `file`: the same kind of answer against a
file of 5 MB alone, beside extracting that file. Nothing here asserts a time.
"""

import argparse
import hashlib
import random
import re
import statistics
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from benchmarks import corpus
from benchmarks.speed import LIBRARY, line, run, seconds
from yuanwen import Library
from yuanwen.library import extract
from yuanwen.originals import Originals

FILE_BYTES = 5_000_000
TENTH = corpus.WORK / "tenth.sqlite"
DIGITS = "0123456789"


def quotable(text: str) -> list[str]:
    """Return the stretches of a text that hold no mark of a quotation, a citation or an ellipsis."""
    return re.findall(r"[^\s「」『』“”‘’\"'\[\]【】.…][^\n「」『』“”\"\[\]【】.…]{18,}", text)


def quotation(text: str, chance: random.Random) -> str:
    """Return 12 to 60 characters of a text."""
    stretch = chance.choice(quotable(text))
    length = min(len(stretch), chance.randint(12, 60))
    start = chance.randrange(len(stretch) - length + 1)
    return stretch[start : start + length]


def tampered(quote: str, chance: random.Random) -> str:
    """Return a quotation with one character changed."""
    at = chance.randrange(len(quote))
    other = chance.choice(DIGITS) if quote[at] in DIGITS else chance.choice("不非未甲乙大小上下")
    return quote[:at] + other + quote[at + 1 :]


def answer(passages: Sequence[tuple[str, str]], number: int) -> tuple[str, list[str]]:
    """Return an answer with quotations from (id, text), and those quotations as they stand in the texts.

    Of eight, four are right; two are changed in one character; one cites another passage; one cites nothing.
    """
    chance = random.Random(4)
    sentences, quotes = [], []
    for turn in range(number):
        identity, text = passages[turn % len(passages)]
        quote = quotation(text, chance)
        quotes.append(quote)
        if turn % 8 in (4, 5):
            quote = tampered(quote, chance)
        if turn % 8 == 6:
            identity = passages[(turn + 1) % len(passages)][0]
        sentences.append(f"第{turn}条如此规定：「{quote}」" + ("。" if turn % 8 == 7 else f"[{identity}]。"))
    return "\n\n".join(sentences), quotes


def sample(library: Library, number: int) -> list[tuple[str, str]]:
    """Return (id, text) of passages all over a library."""
    found = []
    total = library.status().passages
    for offset in range(0, total, max(1, total // 20)):
        hits = library.search("", mode="raw", limit=max(1, number // 20), offset=offset).hits
        found += [(hit.id, hit.text) for hit in hits if quotable(hit.text)]
    return found


def against_library(number: int, runs: int) -> None:
    """Print the cost of a quotation beside that of an exact search for it."""
    with Library.open(LIBRARY, create=False) as library:
        text, quotes = answer(sample(library, number), number)
        times = []
        for _ in range(runs):
            ours = seconds(lambda: library.verify(text))
            theirs = seconds(lambda: [library.search(quote, mode="exact") for quote in quotes])
            times.append((ours, theirs))
        ours, theirs = (statistics.median(column) / number * 1e3 for column in zip(*times, strict=True))
        line("a quotation verified, beside an exact search", ours, theirs, "ms", 2.0)


def growth(number: int, runs: int) -> None:
    """Print what a larger answer and a larger library cost for each quotation."""
    if not TENTH.exists():
        records = corpus.records(["scale"], corpus.WORK / "scale.jsonl")
        part = corpus.WORK / "tenth.jsonl"
        with records.open(encoding="utf-8") as whole, part.open("w", encoding="utf-8") as file:
            file.writelines(islice(whole, 13_296))
        with Library.open(TENTH) as library:
            library.add(part)
    with Library.open(TENTH, create=False) as small, Library.open(LIBRARY, create=False) as large:
        whole, _ = answer(sample(large, number), number)
        quarter, _ = answer(sample(large, number), number // 4)
        elsewhere, _ = answer(sample(small, number), number)
        times = [
            (
                seconds(partial(large.verify, whole)) / number,
                seconds(partial(large.verify, quarter)) / (number // 4),
                seconds(partial(small.verify, elsewhere)) / number,
            )
            for _ in range(runs)
        ]
        medians = [statistics.median(column) * 1e3 for column in zip(*times, strict=True)]
        line("a quotation, beside one of a quarter of it", medians[0], medians[1], "ms", 1.3)
        line("a quotation, beside a tenth of the library", medians[0], medians[2], "ms", 1.5)


def against_file(number: int, runs: int) -> None:
    """Print the time that it takes to read a file and verify an answer, beside that of extracting the file."""
    path = corpus.WORK / "five.txt"
    write(path)
    ((extracted, passages),) = extract(path).documents
    key = hashlib.sha256(extracted.text.encode()).hexdigest()[:12]
    identified = [(f"{key}-{passage.ordinal}", passage.text) for passage in passages if quotable(passage.text)]
    text, _ = answer(identified[:: max(1, len(identified) // number)], number)
    times = []
    for _ in range(runs):
        ours = seconds(lambda: Originals.read([path]).verify(text))
        theirs = seconds(lambda: extract(path))
        times.append((ours, theirs))
    medians = [statistics.median(column) for column in zip(*times, strict=True)]
    line(f"{number} quotations against 5 MB, beside extracting", medians[0], medians[1], "s", 3.0)


def write(path: Path) -> None:
    """Write passages of corpus/scale as one text of 5 MB."""
    size = 0
    with path.open("w", encoding="utf-8") as file:
        for passage in corpus.passages("scale"):
            size += len(passage.text.encode()) + 2
            file.write(passage.text + "\n\n")
            if size > FILE_BYTES:
                return


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["library", "growth", "file"])
    parser.add_argument("--quotations", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    corpus.WORK.mkdir(parents=True, exist_ok=True)
    if not LIBRARY.exists() and {"library", "growth"} & set(options.parts):
        run("yuanwen", corpus.records(["scale"], corpus.WORK / "scale.jsonl"))
    print(f"{'':44} {'ours':>13} {'reference':>13}")
    for name, part in (("library", against_library), ("growth", growth), ("file", against_file)):
        if name in options.parts:
            part(options.quotations, options.runs)


if __name__ == "__main__":
    main()
