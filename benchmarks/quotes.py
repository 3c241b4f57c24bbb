"""Quotations that are right, and quotations that were tampered with: which of them are accepted, and as what.

    python -m benchmarks.quotes [SET ...]

Every quotation that is marked as supported has to be accepted as what it is, `verbatim` or `normalised`, with the words
of a passage that is marked as right; none of the others may be.
"""

import argparse
import sys
from collections import Counter

from benchmarks import corpus
from benchmarks.quality import library
from yuanwen import Library, analysis
from yuanwen.verification import SUPPORTED, Claim

SETS = ("quotes_zh_a", "quotes_zht_a", "quotes_en_a")


def kernel(text: str) -> str:
    """Return the letters and digits of a text, folded: another way to compare than the one that is measured."""
    return "".join(filter(str.isalnum, analysis.fold(text)))


def mistake(asked: Library, question: corpus.Question, claim: Claim) -> str | None:
    """Return what is wrong with the verdict on a quotation, None if it is right."""
    if not question.answerable:
        return "accepted" if claim.status in SUPPORTED else None
    if claim.status != question.kind:
        return f"{question.kind}, called {claim.status}"
    found = claim.found
    if found is None or kernel(found.text) != kernel(claim.quote):
        return "other words"
    passages = asked.show(found.id)
    if not any(
        p.label in question.relevant and p.text[found.start - p.start :].startswith(found.text) for p in passages
    ):
        return "another place"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args()
    print(f"{'set':14} {'kind':16} {'number':>6} {'right':>6}   called")
    mistakes = 0
    for name in options.sets:
        with library((f"eval/{name}",), "tantivy") as asked:
            right, number = Counter[str](), Counter[str]()
            called: dict[str, Counter[str]] = {}
            for question in corpus.questions(f"eval/{name}"):
                claim = asked.verify_quote(question.text)
                wrong = mistake(asked, question, claim)
                number[question.kind] += 1
                right[question.kind] += wrong is None
                called.setdefault(question.kind, Counter())[claim.status] += 1
                if wrong is not None:
                    mistakes += 1
                    print(f"{question.id}: {wrong}: {question.text}", file=sys.stderr)
        for kind, of_kind in number.items():
            statuses = ", ".join(f"{status} {n}" for status, n in called[kind].most_common())
            print(f"{name:14} {kind:16} {of_kind:6} {right[kind]:6}   {statuses}", flush=True)
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
