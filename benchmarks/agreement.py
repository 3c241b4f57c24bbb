"""Whether the two indexes find the same passages: every question asked of both, and strings cut from the texts.

python -m benchmarks.agreement [--questions N]
"""

import argparse
import random
from collections.abc import Iterator

from benchmarks import corpus
from benchmarks.quality import library
from yuanwen import Library

SETS = ("eval/cmrc2018_dev", "eval/drcd_a", "eval/xquad_zh_a", "eval/squad2_a", "eval/qed_nq_dev")


def found(asked: Library, text: str, mode: str) -> list[str]:
    """Return the labels of the best ten."""
    return [hit.label or hit.id for hit in asked.search(text, mode=mode, limit=10).hits]  # type: ignore[arg-type]


def count(asked: Library, text: str) -> int | None:
    """Return how many passages hold a string, None where they were too many to look at them all."""
    evidence = asked.search(text, mode="exact")
    return evidence.found if evidence.found_is == "exact" else None


def strings(name: str, number: int) -> Iterator[str]:
    """Yield strings of 2 to 20 characters that stand in passages of a set, the same in every run."""
    chance = random.Random(1)
    texts = [passage.text for passage in corpus.passages(name)]
    for text in chance.choices(texts, k=number):
        length = chance.randint(2, 20)
        start = chance.randrange(max(1, len(text) - length))
        yield text[start : start + length].strip() or text[:2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=int, default=500)
    number = parser.parse_args().questions
    print(f"{'set':20} {'asked':>6}  {'same first':>10} {'same ten':>9} {'overlap':>8}   exact: same number found")
    for name in SETS:
        tantivy, fts5 = library((name,), "tantivy"), library((name,), "fts5")
        questions = [q.text for q in corpus.questions(name)]
        questions = questions[:: max(1, len(questions) // number)][:number]
        pairs = [(found(tantivy, q, "ranked"), found(fts5, q, "ranked")) for q in questions]
        first = sum(a[:1] == b[:1] for a, b in pairs) / len(pairs)
        whole = sum(set(a) == set(b) for a, b in pairs) / len(pairs)
        overlap = sum(len(set(a) & set(b)) / max(1, len(set(a) | set(b))) for a, b in pairs) / len(pairs)
        cut = list(strings(name, number))
        same = sum(count(tantivy, s) == count(fts5, s) for s in cut) / len(cut)
        print(f"{name[5:]:20} {len(pairs):6}  {first:10.3f} {whole:9.3f} {overlap:8.3f}   {same:.3f}", flush=True)


if __name__ == "__main__":
    main()
