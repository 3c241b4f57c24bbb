"""The shared question sets and passages, as files that Yuanwen takes in.

They lie in `../shared/corpus` beside the checkout, or where YUANWEN_CORPUS says.
"""

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("YUANWEN_CORPUS", ROOT.parent / "shared/corpus"))
WORK = Path(os.environ.get("YUANWEN_BENCH", ROOT / ".bench"))
POOL = ("scale", "eval/cmrc2018_dev", "eval/drcd_a", "eval/xquad_zh_a")  # 134,834 passages


@dataclass(frozen=True)
class Passage:
    id: str
    title: str
    text: str
    document: str


@dataclass(frozen=True)
class Question:
    id: str
    text: str
    kind: str
    answerable: bool
    relevant: frozenset[str]
    answers: tuple[str, ...] = ()


def passages(name: str) -> Iterator[Passage]:
    """Yield the passages of a set, such as `scale` or `eval/cmrc2018_dev`."""
    file = CORPUS / name / ("passages.jsonl.gz" if name == "scale" else "corpus.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            title = row["title"] or "-"
            document = f"{row['source']}/{title}" if "source" in row else f"{name}/{row['id']}"
            yield Passage(row["id"], title, row["text"], document)


def questions(name: str, file: str = "queries.jsonl.gz") -> list[Question]:
    """Return the questions of a set with the ids of the passages that answer them."""
    relevant: dict[str, set[str]] = defaultdict(set)
    for line in (CORPUS / name / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        question, passage, _ = line.split("\t")
        relevant[question].add(passage)
    with gzip.open(CORPUS / name / file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Question(
            row["id"],
            row["text"],
            row["kind"],
            row["answerable"],
            frozenset(relevant[row["id"]]),
            tuple(row.get("answers", ())),
        )
        for row in rows
    ]


def records(names: Iterable[str], file: Path) -> Path:
    """Write sets as the JSON records that `yuanwen add` takes; return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    count: dict[str, int] = defaultdict(int)
    with file.open("w", encoding="utf-8") as out:
        for name in names:
            for p in passages(name):
                count[p.document] += 1
                row = {"id": p.id, "title": p.title, "source": p.document}
                print(
                    json.dumps({**row, "paragraph": count[p.document], "body": p.text}, ensure_ascii=False),
                    file=out,
                )
    return file
