"""What it costs to verify an answer, as ratios in one run.

    python -m benchmarks.verifying [--quotations N] [--runs N] [library] [growth] [file]

`library`: an answer with 2,000 quotations against corpus/scale (132,962 passages), for each of them beside one `exact`
search for it. `growth`: a quarter of the answer, and a tenth of the library. `file`: such an answer, a short one, and
one that is right, against files with 5 MB of text alone, beside extracting them. Of eight quotations four are right but
where it says so. Nothing here asserts a time.
"""

import argparse
import hashlib
import io
import random
import re
import statistics
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks import corpus
from benchmarks.speed import LIBRARY, line, run, seconds
from yuanwen import Library
from yuanwen.library import extract
from yuanwen.originals import Originals

FILE_BYTES = 5_000_000
TENTH = corpus.WORK / "tenth.sqlite"
RECORDS = corpus.WORK / "scale.jsonl"
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


def answer(passages: Sequence[tuple[str, str]], number: int, *, right: bool = False) -> tuple[str, list[str]]:
    """Return an answer with quotations from (id, text), and those quotations as they stand in the texts.

    Of eight, four are right; two are changed in one character; one cites another passage; one cites nothing. With
    `right` all are right.
    """
    chance = random.Random(4)
    sentences, quotes = [], []
    for turn in range(number):
        identity, text = passages[turn % len(passages)]
        quote = quotation(text, chance)
        quotes.append(quote)
        kind = 0 if right else turn % 8
        if kind in (4, 5):
            quote = tampered(quote, chance)
        if kind == 6:
            identity = passages[(turn + 1) % len(passages)][0]
        sentences.append(f"第{turn}条如此规定：「{quote}」" + ("。" if kind == 7 else f"[{identity}]。"))
    return "\n\n".join(sentences), quotes


def sample(library: Library, number: int) -> list[tuple[str, str]]:
    """Return (label, text) of records all over a library."""
    found = []
    total = library.status().passages
    for offset in range(0, total, max(1, total // 20)):
        hits = library.search("", mode="raw", limit=max(1, number // 20), offset=offset).hits
        found += [(hit.label or hit.id, hit.text) for hit in hits if quotable(hit.text)]
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
        part = corpus.WORK / "tenth.jsonl"
        with RECORDS.open(encoding="utf-8") as records, part.open("w", encoding="utf-8") as file:
            file.writelines(islice(records, 13_296))
        with Library.open(TENTH) as library:
            library.add(part)
    with Library.open(TENTH, create=False) as small, Library.open(LIBRARY, create=False) as large:
        passages = sample(small, number)
        found = large.verify(answer(passages, 8)[0])
        assert found.claims[0].status == "verbatim", "the smaller library is not a part of the larger one"
        whole, quarter = answer(passages, number)[0], answer(passages[::4], number // 4)[0]
        times = [
            (
                seconds(partial(large.verify, whole)) / number,
                seconds(partial(large.verify, quarter)) / (number // 4),
                seconds(partial(small.verify, whole)) / number,
            )
            for _ in range(runs)
        ]
        medians = [statistics.median(column) * 1e3 for column in zip(*times, strict=True)]
        line("a quotation, beside a quarter of the answer", medians[0], medians[1], "ms", 1.3)
        line("a quotation, beside a tenth of the library", medians[0], medians[2], "ms", 2.0)


def against_file(number: int, runs: int) -> None:
    """Print the time that it takes to read a file and verify an answer, beside that of extracting the file."""
    texts = list(islice(_five_megabytes(), 1_000_000))
    for path, data in (
        (corpus.WORK / "five.txt", "\n\n".join(texts).encode()),
        (corpus.WORK / "five.html", html(texts)),
        (corpus.WORK / "five.docx", docx(texts)),
    ):
        path.write_bytes(data)
        ((extracted, passages),) = extract(path).documents
        key = hashlib.sha256(extracted.text.encode()).hexdigest()[:12]
        identified = [(f"{key}-{passage.ordinal}", passage.text) for passage in passages if quotable(passage.text)]
        chosen = identified[:: max(1, len(identified) // number)]
        kind = path.suffix[1:]
        for quotations, right in ((number // 20, False), (number, True), (number, False)):
            text, _ = answer(chosen, quotations, right=right)
            times = [(seconds(partial(verified, path, text)), seconds(partial(extract, path))) for _ in range(runs)]
            medians = [statistics.median(column) for column in zip(*times, strict=True)]
            line(f"{kind}: {quotations}, {'all right' if right else 'half wrong'}", medians[0], medians[1], "s", 3.0)
        answered = corpus.WORK / "answer.md"
        answered.write_text(text, encoding="utf-8")
        times = [
            (
                seconds(partial(run_quietly, "verify", answered, "--against", path)),
                seconds(partial(run_quietly, "extract", path)),
            )
            for _ in range(runs)
        ]
        medians = [statistics.median(column) for column in zip(*times, strict=True)]
        line(f"{kind}: {number}, half wrong, as commands", medians[0], medians[1], "s", 3.0)


def run_quietly(*arguments: object) -> None:
    """Run `yuanwen` as a process whose output nobody reads."""
    command = [sys.executable, "-m", "yuanwen", *map(str, arguments), "--json"]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def verified(path: Path, text: str) -> None:
    """Verify an answer against a file alone."""
    Originals.read([path], answers=[text]).verify(text)


def _five_megabytes() -> Iterator[str]:
    """Yield passages of corpus/scale, together 5 MB."""
    size = 0
    for passage in corpus.passages("scale"):
        size += len(passage.text.encode()) + 2
        yield passage.text
        if size > FILE_BYTES:
            return


def html(texts: Sequence[str]) -> bytes:
    """Return texts as a page."""
    body = "\n".join(f"<p>{escape(text)}</p>" for text in texts)
    return f"<!doctype html><meta charset=utf-8><title>Five</title><body><main>{body}</main>".encode()


def docx(texts: Sequence[str]) -> bytes:
    """Return texts as a Word file."""
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    body = "".join(f"<w:p><w:r><w:t xml:space='preserve'>{escape(text)}</w:t></w:r></w:p>" for text in texts)
    parts = {
        "[Content_Types].xml": f"<Types xmlns='{package}/content-types'><Default Extension='rels' ContentType="
        "'application/vnd.openxmlformats-package.relationships+xml'/>"
        f"<Override PartName='/word/document.xml' ContentType='{kind}'/></Types>",
        "_rels/.rels": f"<Relationships xmlns='{package}/relationships'>"
        f"<Relationship Id='r1' Type='{office}' Target='word/document.xml'/></Relationships>",
        "word/document.xml": f"<w:document xmlns:w='{word}'><w:body>{body}</w:body></w:document>",
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return written.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["library", "growth", "file"])
    parser.add_argument("--quotations", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    corpus.WORK.mkdir(parents=True, exist_ok=True)
    if not LIBRARY.exists() and {"library", "growth"} & set(options.parts):
        run("yuanwen", corpus.records(["scale"], RECORDS))
    print(f"{'':44} {'ours':>13} {'reference':>13}")
    for name, part in (("library", against_library), ("growth", growth), ("file", against_file)):
        if name in options.parts:
            part(options.quotations, options.runs)


if __name__ == "__main__":
    main()
