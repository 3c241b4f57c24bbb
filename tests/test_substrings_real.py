"""No substring of a real collection is missed: 20,000 random ones, in a file of its own as it takes its minutes."""

import gzip
import json
import random
from itertools import groupby
from pathlib import Path

import pytest
from conftest import CORPUS, write
from test_substrings import LONGEST, missed

from yuanwen import Library
from yuanwen.index import INDEXES

SUBSTRINGS = {"tantivy": 8_000, "fts5": 2_000}  # of each collection


def _corpus(name: str) -> list[dict[str, str]]:
    path = CORPUS / name / "corpus.jsonl.gz"
    if not path.exists():
        pytest.skip("the question sets of ../shared are not here")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _as_records(found: list[dict[str, str]], folder: Path) -> dict[str, str]:
    """Write one file of records, each a document of its own."""
    write(
        folder / "records.jsonl",
        "".join(
            json.dumps(
                {"id": f["id"], "title": f["title"] or f["id"], "source": f["id"], "paragraph": 1, "body": f["text"]}
            )
            + "\n"
            for f in found
        ),
    )
    return {f["id"]: f["text"] for f in found}


def _as_files(found: list[dict[str, str]], folder: Path) -> dict[str, str]:
    """Write a text file for each title, of all its paragraphs."""
    texts: dict[str, str] = {}
    for number, (_, group) in enumerate(groupby(found, key=lambda f: f["title"])):
        text = "\n\n".join(f["text"] for f in group)
        texts[str(write(folder / f"{number}.txt", text))] = text
    return texts


@pytest.mark.big
@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("name", ["cmrc2018_dev", "drcd_a"])
def test_no_substring_of_a_real_collection_is_missed(tmp_path: Path, name: str, index: str) -> None:
    found = _corpus(name)
    texts = (_as_records if name == "cmrc2018_dev" else _as_files)(found, tmp_path / "docs")
    chance = random.Random(name)
    sources = sorted(texts)
    with Library.open(tmp_path / "library.sqlite", index=index) as library:
        assert not library.add(tmp_path / "docs").skipped
        lost = []
        for _ in range(SUBSTRINGS[index]):
            source = chance.choice(sources)
            text = texts[source]
            start = chance.randrange(len(text))
            wanted = text[start : start + chance.randint(1, LONGEST)]
            if wanted.strip() and missed(library, source, wanted):
                lost.append((source, wanted))
    assert not lost
