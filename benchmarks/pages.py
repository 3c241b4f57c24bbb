"""Pages per second of Chinese PDFs beside bare PDFium reading the same characters, in one run, in turn.

    python -m benchmarks.pages [--runs N] [--copies N]

Bare means: open, load each page, count its characters, ask for each. Ours adds form values, lines, running heads,
paragraphs, headings, marks and places, and through workers also passages and the way to another process and back.
Nothing here asserts a time; what counts is the ratio.
"""

import argparse
import statistics
from collections.abc import Sequence

import pypdfium2_raw as pdfium

from benchmarks import corpus
from benchmarks.speed import seconds
from yuanwen.documents import Extracted, Raw
from yuanwen.extract.pdf import extract
from yuanwen.workers import Workers

GOAL = 0.7  # of the pages of bare PDFium


def bare(data: bytes) -> tuple[int, int]:
    """Return how many pages and characters bare PDFium finds."""
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    pages, characters = pdfium.FPDF_GetPageCount(document), 0
    for index in range(pages):
        page = pdfium.FPDF_LoadPage(document, index)
        text = pdfium.FPDFText_LoadPage(page)
        count = pdfium.FPDFText_CountChars(text)
        characters += len([pdfium.FPDFText_GetUnicode(text, slot) for slot in range(count)])
        pdfium.FPDFText_ClosePage(text)
        pdfium.FPDF_ClosePage(page)
    pdfium.FPDF_CloseDocument(document)
    return pages, characters


def ours(data: bytes) -> int:
    """Return how many characters the extractor finds."""
    found = extract(Raw(name="a.pdf", data=data, media_type="application/pdf"))
    return sum(len(item.text) for item in found if isinstance(item, Extracted))


def compare(name: str, files: Sequence[bytes], copies: int, runs: int, goal: float | None = None) -> None:
    """Print the pages per second of both, the median of `runs`, and the ratio beside its goal."""
    counts = [(ours(data), bare(data)) for data in files]  # PDFium has to be started by ours, with our font
    pages = copies * sum(found[0] for _, found in counts)
    times = [
        (
            seconds(lambda: [ours(data) for _ in range(copies) for data in files]),
            seconds(lambda: [bare(data) for _ in range(copies) for data in files]),
        )
        for _ in range(runs)
    ]
    rates = [pages / statistics.median(column) for column in zip(*times, strict=True)]
    ratio = statistics.median(theirs / mine for mine, theirs in times)
    report(name, rates[0], rates[1], ratio, goal)


def worked(files: Sequence[bytes], copies: int, runs: int) -> None:
    """Print the pages per second of one worker and of two, beside bare PDFium, the median of `runs`."""
    pages = copies * sum(bare(data)[0] for data in files)
    every = [data for _ in range(copies) for data in files]
    with Workers(1) as one, Workers(2) as two:
        for workers in (one, two):
            by(workers, every)  # starts them
        times = [
            (
                seconds(lambda: by(one, every)),
                seconds(lambda: [bare(data) for data in every]),
                seconds(lambda: by(two, every)),
            )
            for _ in range(runs)
        ]
    rates = [pages / statistics.median(column) for column in zip(*times, strict=True)]
    by_one, by_two = (statistics.median(row[1] / row[which] for row in times) for which in (0, 2))
    report("all of them, by one worker", rates[0], rates[1], by_one, GOAL)
    report("all of them, by two workers", rates[2], rates[1], by_two, by_one)


def by(workers: Workers, files: Sequence[bytes]) -> None:
    """Read files in the order given, as many at a time as there are workers."""
    for future in workers.map(lambda data: workers.read("a.pdf", data), files):
        future.result()


def report(what: str, ours: float, theirs: float, ratio: float, goal: float | None) -> None:
    """Print a line: pages per second of both, and the ratio beside its goal."""
    aim = "" if goal is None else f"  goal {goal:4.2f}{'' if ratio >= goal else '   missed'}"
    print(f"{what:44} {ours:9.1f} p/s {theirs:9.1f} p/s ratio {ratio:5.2f}{aim}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=5)
    options = parser.parse_args()
    paths = sorted((corpus.CORPUS / "files").glob("texlive_*.pdf"))
    print(f"{'':44} {'yuanwen':>13} {'bare':>13}")
    for path in paths:
        compare(path.name, [path.read_bytes()], options.copies, options.runs)
    files = [path.read_bytes() for path in paths]
    compare("all of them", files, options.copies, options.runs, GOAL)
    worked(files, options.copies, options.runs)


if __name__ == "__main__":
    main()
