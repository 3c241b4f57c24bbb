"""Pages per second of Chinese PDFs beside bare PDFium reading the same characters, in one run, in turn.

    python -m benchmarks.pages [--runs N] [--copies N]

Bare means: open, load each page, count its characters, ask for each. Ours adds form values, lines, running heads,
paragraphs, headings, marks and places. Nothing here asserts a time; what counts is the ratio.
"""

import argparse
import statistics
from collections.abc import Sequence

import pypdfium2_raw as pdfium

from benchmarks import corpus
from benchmarks.speed import seconds
from yuanwen.documents import Extracted, Raw
from yuanwen.extract.pdf import extract

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
    aim = "" if goal is None else f"  goal {goal:4.2f}{'' if ratio >= goal else '   missed'}"
    print(f"{name:44} {rates[0]:9.1f} p/s {rates[1]:9.1f} p/s ratio {ratio:5.2f}{aim}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=5)
    options = parser.parse_args()
    paths = sorted((corpus.CORPUS / "files").glob("texlive_*.pdf"))
    print(f"{'':44} {'yuanwen':>13} {'bare':>13}")
    for path in paths:
        compare(path.name, [path.read_bytes()], options.copies, options.runs)
    compare("all of them", [path.read_bytes() for path in paths], options.copies, options.runs, GOAL)


if __name__ == "__main__":
    main()
