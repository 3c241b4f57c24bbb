"""Near words: how often the word that was meant is suggested for one that is miswritten, and what that costs.

    python -m benchmarks.near [--words N] [LIBRARY]

Words are titles and words of `scale`, miswritten so that the library does not have them: one character by another that
sounds the same, or one edit of a Latin word. LIBRARY is that of benchmarks/speed.py unless it is named.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import corpus
from yuanwen import Library, analysis, near, ranking
from yuanwen.scope import Scope

SEED = 6


def titles() -> list[str]:
    """Return the titles of `scale` that are two to six Han characters, folded."""
    folded = {analysis.fold_words(passage.title) for passage in corpus.passages("scale")}
    return sorted(title for title in folded if 2 <= len(title) <= 6 and all("\u4e00" <= c <= "\u9fff" for c in title))


def words(scope: Scope) -> list[str]:
    """Return the Latin words of five letters and more that ten passages have."""
    found = (token[1:] for letter in near.LETTERS for token, n in scope.current.starting(f"_{letter}", 3000) if n >= 10)
    return sorted(word for word in found if len(word) > 4 and word.isalpha() and word.isascii())


def misheard(word: str, chance: random.Random) -> str:
    """Return a word with one character replaced by one that sounds the same; as it is where there is none."""
    place = chance.randrange(len(word))
    same = sorted(other for other, far in near.alike(word[place]).items() if far == 0)
    return word[:place] + chance.choice(same) + word[place + 1 :] if same else word


def mistyped(word: str, chance: random.Random) -> str:
    """Return a word with one edit."""
    at, letter = chance.randrange(len(word) - 1), chance.choice(near.LETTERS)
    start, rest = word[:at], word[at:]
    return chance.choice(
        (start + rest[1:], start + letter + rest, start + letter + rest[1:], start + rest[1::-1] + rest[2:])
    )


def miswritten(
    scope: Scope, words: list[str], change: Callable[[str, random.Random], str], number: int
) -> Iterator[tuple[str, str]]:
    """Yield words of the library, and each as something that it does not have."""
    chance = random.Random(SEED)
    chance.shuffle(words)
    for word in words:
        wrong = change(word, chance)
        if (
            number
            and wrong != word
            and ranking.missing(wrong, scope.current)
            and not ranking.missing(word, scope.current)
        ):
            number -= 1
            yield word, wrong


def measure(scope: Scope, name: str, asked: list[tuple[str, str]]) -> None:
    """Print how often what was meant is suggested first, and at all, and the processor time of a question."""
    first = among = 0
    took = []
    for word, wrong in asked:
        began = time.thread_time()
        found = [each.word for each in near.suggestions(scope, [wrong])]
        took.append(1000 * (time.thread_time() - began))
        held = [analysis.fold_words(each) in word and len(each) > 1 for each in found]
        first, among = first + any(held[:1]), among + any(held)
    took.sort()
    p50, p95 = took[len(took) // 2], took[len(took) * 95 // 100]
    count = len(asked)
    print(f"{name:10} {count:5} {first / count:6.3f} {among / count:6.3f} {p50:7.1f} {p95:7.1f} {took[-1]:7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?", type=Path, default=corpus.WORK / "scale.sqlite")
    parser.add_argument("--words", type=int, default=500)
    options = parser.parse_args()
    with Library.open(options.library, create=False) as library, library._scope(superseded=False) as (scope, _):
        print(f"{scope.totals.passages:,} passages\n{'':10} words  first  among  p50 ms  p95 ms  max ms")
        measure(scope, "sound", list(miswritten(scope, titles(), misheard, options.words)))
        measure(scope, "spelling", list(miswritten(scope, words(scope), mistyped, options.words)))


if __name__ == "__main__":
    main()
