"""Which sentence answers: F1 of the sentence that a hit marks as its evidence, beside that of simpler choices.

    python -m benchmarks.evidence [--model NAME] [SET ...]

F1 is that of ExpMRC: the words of the sentence, Chinese by characters, against those that a person marked, without
marks and articles, the best of the markings. `given`: in the passage that answers, which is the only one asked;
`first hit`: in whatever comes first. `halves`: `given`, for the questions of odd and of even number. `overlap` takes
the sentence with the most words of the question, `best` the one that a person would. `--model` asks with vectors too.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks import corpus
from benchmarks.quality import library
from yuanwen import Library, analysis
from yuanwen.answering import parts
from yuanwen.model import Hit

GOALS = {"eval/expmrc_cmrc_dev": 0.70, "eval/expmrc_squad_a": 0.75, "eval/qed_nq_dev": None}
ARTICLES = frozenset(("a", "an", "the"))
_word = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff_]+")


class Marked(NamedTuple):
    """A question with the passage that answers it and the sentences that a person marked, any of them right."""

    question: str
    passage: corpus.Passage
    evidence: tuple[str, ...]


def marked(name: str) -> Iterator[Marked]:
    """Yield the questions of a set for which sentences are marked."""
    passages = {p.id: p for p in corpus.passages(name)}
    relevant = {q.id: sorted(q.relevant) for q in corpus.questions(name)}
    with gzip.open(corpus.CORPUS / name / "queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row.get("evidence"):
                yield Marked(row["text"], passages[relevant[row["id"]][0]], tuple(row["evidence"]))


def words(text: str) -> list[str]:
    """Return the words of a text, Chinese as characters, without marks and articles."""
    return [word for word in _word.findall(text.lower()) if word not in ARTICLES]


def f1(chosen: str, evidence: Iterable[str]) -> float:
    """Return the harmonic mean of precision and recall of words, the best over the markings."""
    ours = words(chosen)
    best = 0.0
    for each in evidence:
        theirs = words(each)
        same = (Counter(ours) & Counter(theirs)).total()
        best = max(best, 2 * same / (len(ours) + len(theirs)) if same else 0.0)
    return best


def overlapping(question: str, text: str) -> str:
    """Return the sentence with the most distinct words of the question, Chinese as pairs; the first of several."""
    asked = set(analysis.tokens(question).ordered.split())
    sentences = [text[slice(*span)] for span in parts(text)]
    return max(sentences, key=lambda sentence: len(asked & set(analysis.tokens(sentence).ordered.split())), default="")


def sentence(hit: Hit | None) -> str:
    """Return the words of the evidence of a hit."""
    return hit.text[slice(*hit.evidence)] if hit is not None and hit.evidence else ""


def line(name: str, asked: Library, questions: Sequence[Marked]) -> bool:
    """Print what a set reaches; return whether that is less than it should be."""
    given: list[float] = []
    first: list[float] = []
    overlap: list[float] = []
    best: list[float] = []
    for each in questions:
        inside = asked.search(each.question, source=each.passage.document, limit=1).hits
        found = asked.search(each.question, limit=1).hits
        text = each.passage.text
        given.append(f1(sentence(inside[0] if inside else None), each.evidence))
        first.append(f1(sentence(found[0] if found else None), each.evidence))
        overlap.append(f1(overlapping(each.question, text), each.evidence))
        best.append(max(f1(text[slice(*span)], each.evidence) for span in parts(text)))
    goal = GOALS[name]
    figures = [f"{fmean(each):8.4f}" for each in (overlap, given, given[::2], given[1::2], first, best)]
    wanted = f"{goal:6.2f}" if goal else " " * 6
    print(f"{name.removeprefix('eval/'):18} {len(given):6} {wanted}", *figures, flush=True)
    return goal is not None and fmean(given) < goal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", help="only sets whose name contains one of these")
    parser.add_argument("--index", default="tantivy")
    parser.add_argument("--model", help="ask by words and by the vectors of this model")
    options = parser.parse_args()
    heads = ("overlap", "given", "halves", "", "first", "best")
    print(f"{'set':18} {'number':>6} {'goal':>6}", *(f"{head:>8}" for head in heads))
    missed = False
    for name in GOALS:
        if options.sets and not any(part in name for part in options.sets):
            continue
        with library((name,), options.index) as asked:
            if options.model:
                asked.use_model(options.model)
                asked.embed()
            missed |= line(name, asked, list(marked(name)))
    return missed


if __name__ == "__main__":
    sys.exit(main())
