"""The passages of a question set -> a library that holds them, kept in a folder of its own for the next time."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from yuanwen.errors import UsageError
from yuanwen.evaluation.sets import Record, passages_file, records
from yuanwen.library import Library

DIGITS = 12  # of a hash in the name of a library


def library(
    corpus: Path,
    name: str,
    kept: Path,
    *,
    pool: Sequence[Path] = (),
    index: str = "tantivy",
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[Library, Path, bool]:
    """Return a library that holds the passages of a set, its path in the folder `kept`, and whether it was made now.

    `pool` are further sets, or files of passages, among which those of the set have to be found. The library is named
    by a hash of the files of passages, so it never answers for others. Raises NotFound, UsageError.
    """
    content = hashlib.sha256(index.encode())
    for each in (corpus, *pool):
        file = passages_file(each)
        content.update(f"{file.parent.name}/{file.name}\0{len(pool)}\0".encode() + file.read_bytes())
    path = kept / f"{name}-{content.hexdigest()[:DIGITS]}.sqlite"
    kept.mkdir(parents=True, exist_ok=True)
    made = Library.open(path, index=index)
    try:
        new = not made.status().passages
        if new:
            report = made.add(_written(_pooled(corpus, pool), path.with_suffix(".jsonl")), progress=progress)
            if report.skipped:
                raise UsageError(
                    "{path} cannot be taken in: {reason}",
                    hint="Correct the passages of the set.",
                    path=corpus,
                    reason=report.skipped[0].reason,
                )
    except BaseException:
        made.close()
        raise
    return made, path, new


def _pooled(corpus: Path, pool: Sequence[Path]) -> Iterator[Record]:
    """Yield the passages of a set, then those of the pool, each once; ids that the set has already get a prefix."""
    texts: dict[str, int] = {}
    for place, path in enumerate((corpus, *pool)):
        for record in records(path):
            if texts.get(record.id) == hash(record.text):
                continue
            if record.id in texts:
                record = record._replace(id=f"{place}:{record.id}")
            texts[record.id] = hash(record.text)
            yield record


def _written(passages: Iterator[Record], file: Path) -> Path:
    """Write passages as the records that a library takes in, and return the file."""
    count: dict[str, int] = {}
    with file.open("w", encoding="utf-8") as out:
        for each in passages:
            count[each.source] = paragraph = count.get(each.source, 0) + 1
            row = {"id": each.id, "title": each.title, "source": each.source, "paragraph": paragraph}
            print(json.dumps({**row, "body": each.text}, ensure_ascii=False), file=out)
    return file
