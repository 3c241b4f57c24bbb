"""Which of the passages that an index proposes answer best.

An index proposes by BM25 over pairs of characters and words. The text of the best CANDIDATES is then looked at, the
same way for every index. WEIGHTS names what counts, each as a share of what it could be at most:

- the BM25 of pairs and words, of single characters, and of stems;
- how few pieces of the question, each standing whole in title or text, cover it: 劳动合同法第三十八条 is two pieces
  for the article that it names, and more for any other;
- a numbered place that starts a line, and how long a piece starts one: there the article itself stands;
- how much of the question the title holds, and whether the question names the whole title.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from yuanwen import analysis, needle
from yuanwen.index import Clause, Index, Prefix, Some, Term

CANDIDATES = 100
K1, B = 1.2, 0.75  # of BM25, as in Lucene
TITLE_WEIGHT = 0.5  # of the title in what the index proposes

# Set once on all the question sets; `python -m benchmarks.quality` prints what they reach.
WEIGHTS = {
    "words": 1.0,
    "characters": 0.5,
    "stems": 0.6,
    "whole": 2.0,
    "verbatim": 1.0,
    "line": 0.4,
    "numbered": 0.7,
    "title": 0.2,
    "named": 0.5,
    "proposed": 0.3,
}

# Words that only ask: an answer does not hold them. Longer ones first.
_ASKING = re.compile(
    "为什么|为甚么|是什么|什么时候|什么样|什么|甚么|为何|怎么样|怎么办|怎么|怎样|如何|哪一|哪些|哪里|哪儿|哪个|哪位|哪年"
    "|哪|谁|多少|多久|多长|多大|多高|是否|何时|何地|何人|何种|何处|请问|几个|几次|几年|吗|呢"
)


class Question:
    """Plain words as they are ranked: `folded` is the text without the words that only ask."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        whole = analysis.fold_words(text).strip()
        self.whole = analysis.closed(whole)
        asking = _ASKING.sub("\n", whole)
        self.folded = asking if analysis.runs(asking) else whole
        self.runs = analysis.runs(self.folded)

    @cached_property
    def stretches(self) -> list[str | list[str]]:
        """What stands without a gap and has cut script in it, and the words between such stretches in sequence."""
        found: list[str | list[str]] = []
        for stretch, cut in analysis.stretches(self.folded):
            if cut:
                found.append(stretch)
            elif found and isinstance(found[-1], list):
                found[-1].append(stretch)
            else:
                found.append([stretch])
        return found

    @cached_property
    def pairs(self) -> list[str]:
        """The distinct pairs of cut script, a lone character counting as one."""
        cut = [run for run in self.runs if analysis.is_cut(run[0])]
        return list(dict.fromkeys(run[i : i + 2] for run in cut for i in range(max(1, len(run) - 1))))

    @cached_property
    def characters(self) -> list[str]:
        """The distinct characters of cut script."""
        return list(dict.fromkeys("".join(run for run in self.runs if analysis.is_cut(run[0]))))

    @cached_property
    def words(self) -> list[str]:
        """The distinct words."""
        return list(dict.fromkeys(run for run in self.runs if not analysis.is_cut(run[0])))

    @cached_property
    def stems(self) -> list[str]:
        """The distinct stems of the words."""
        return list(dict.fromkeys(map(analysis.stem, self.words)))

    @cached_property
    def ordinals(self) -> list[str]:
        """The distinct numbered places."""
        return list(dict.fromkeys(analysis.ordinals(self.folded)))


def proposing(asked: Question) -> Clause | None:
    """Return the clause by which an index proposes passages, None if there is nothing to look for."""
    ordered = [pair for pair in asked.pairs if len(pair) > 1] + [f"_{word}" for word in asked.words]
    terms: list[Clause] = [Term("text", token) for token in ordered]
    terms += [Prefix(character) for character in asked.pairs if len(character) == 1]
    terms += [Term("title", token, TITLE_WEIGHT) for token in ordered]
    named = [*asked.stems, *sorted(analysis.identifiers(asked.text)), *asked.ordinals]
    terms += [Term("terms", token) for token in dict.fromkeys(named)]
    if not terms:
        terms += [Term("terms", token) for token in sorted(analysis.symbols(asked.text))]
    return Some(tuple(terms)) if terms else None


class Candidate(NamedTuple):
    """A passage that an index proposed, with the score it gave."""

    passage: int
    proposed: float
    title: str
    text: str


class Ranked(NamedTuple):
    """A passage with its score, the share of the question's weight that it covers, and the parts of the score."""

    passage: int
    score: float
    coverage: float
    parts: dict[str, float]


class Ranking:
    """A question with the weights that its words have in one library."""

    def __init__(self, asked: Question, index: Index, passages: int, average_length: float) -> None:
        self.asked = asked
        self.average_length = average_length
        marked = [f"_{word}" for word in asked.words]
        self.pairs = _weights(asked.pairs, index.frequencies("text", asked.pairs), passages)
        self.words = _weights(asked.words, index.frequencies("text", marked), passages)
        self.stems = _weights(asked.stems, index.frequencies("terms", asked.stems), passages)
        self.ceiling = sum(self.pairs.values()) + sum(self.words.values())
        self.length = sum(map(len, asked.runs))
        self.joined = "".join(asked.runs)

    def best(self, candidates: Sequence[Candidate]) -> list[Ranked]:
        """Return the candidates, best first; ties end on the passage."""
        if not candidates:
            return []
        folded = [analysis.fold_words(f"\n{c.title}\n{c.text}") for c in candidates]
        holding = [sum(c in text for text in folded) for c in self.asked.characters]
        rare = _weights(self.asked.characters, holding, len(folded) + 1)
        most = max(c.proposed for c in candidates) or 1.0
        ranked = [self._score(c, text, rare, most) for c, text in zip(candidates, folded, strict=True)]
        return sorted(ranked, key=lambda r: (-r.score, r.passage))

    def _score(self, candidate: Candidate, text: str, rare: dict[str, float], most: float) -> Ranked:
        flat = analysis.closed(text) if self.pairs else text
        words = analysis.words(text) if self.words else []
        counts = Counter(words)
        length = K1 * (1 - B + B * len(text) / self.average_length)
        of_pairs, pairs_covered = _bm25(self.pairs, flat.count, length)
        of_words, words_covered = _bm25(self.words, counts.__getitem__, length)
        of_characters, _ = _bm25(rare, flat.count, length)
        of_stems, _ = _bm25(self.stems, self._stemmed(counts).__getitem__, length)
        pieces, line = self._pieces(text, flat, words)
        title = _squeezed_title(candidate.title)
        parts = {
            "words": _share(of_pairs + of_words, self.ceiling),
            "characters": _share(of_characters, sum(rare.values())),
            "stems": _share(of_stems, sum(self.stems.values())),
            "whole": _share(1, pieces),
            "verbatim": (self.asked.whole in flat) / 2 + (self.asked.text in candidate.text) / 2,
            "line": _share(line, self.length),
            "numbered": float(any(f"\n{place}" in text for place in self.asked.ordinals)),
            "title": _share(sum(w for pair, w in self.pairs.items() if pair in title), self.ceiling)
            + _share(sum(w for word, w in self.words.items() if word in title), self.ceiling),
            "named": _share(len(title), self.length) if len(title) > 1 and title in self.joined else 0.0,
            "proposed": candidate.proposed / most,
        }
        score = sum(WEIGHTS[name] * value for name, value in parts.items())
        return Ranked(candidate.passage, score, min(1.0, _share(pairs_covered + words_covered, self.ceiling)), parts)

    def _stemmed(self, counts: Counter[str]) -> Counter[str]:
        stemmed: Counter[str] = Counter()
        if self.stems:
            for word, count in counts.items():
                stem = analysis.stem(word)
                if stem in self.stems:
                    stemmed[stem] += count
        return stemmed

    def _pieces(self, text: str, flat: str, words: list[str]) -> tuple[int, int]:
        """Return how few pieces cover the question, and the length of the longest piece that starts a line."""
        count = line = 0
        spaced = f" {' '.join(words)} "
        for stretch in self.asked.stretches:
            if isinstance(stretch, list):
                count += _count_words(stretch, spaced)
                continue
            for piece in _cover(stretch, flat):
                count += 1
                if len(piece) > max(1, line) and f"\n{piece}" in text:
                    line = len(piece)
        return count, line


def _weights(tokens: Sequence[str], frequencies: Sequence[int], passages: int) -> dict[str, float]:
    """Return the weight of each token: its inverse document frequency, as in Lucene's BM25."""
    return {
        token: math.log(1 + (max(passages - frequency, 0) + 0.5) / (frequency + 0.5))
        for token, frequency in zip(tokens, frequencies, strict=True)
    }


def _bm25(weights: Mapping[str, float], count: Callable[[str], int], length: float) -> tuple[float, float]:
    """Return the BM25 of tokens that occur as `count` says, at most the sum of their weights, and the weights of
    those that occur at all."""
    score = covered = 0.0
    for token, weight in weights.items():
        frequency = count(token)
        if frequency:
            score += weight * frequency / (frequency + length)
            covered += weight
    return score, covered


def _cover(stretch: str, text: str) -> Iterator[str]:
    """Yield the fewest pieces that cover a stretch, each as long as it can be to stand in `text`."""
    start, length = 0, len(stretch)
    while start < length:
        end = start + 1
        if stretch[start:end] in text:
            while end < length and stretch[start : end + 1] in text:
                end += 1
        yield stretch[start:end]
        start = end


def _count_words(words: list[str], spaced: str) -> int:
    """Return the number of the fewest sequences that cover `words`, each standing in `spaced`."""
    count = start = 0
    while start < len(words):
        end = start + 1
        while end < len(words) and f" {' '.join(words[start : end + 1])} " in spaced:
            end += 1
        count += 1
        start = end
    return count


@lru_cache(maxsize=4096)
def _squeezed_title(title: str) -> str:
    return "".join(analysis.runs(analysis.fold_words(title)))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# ------------------------------------------------------------------------------- what stands, and what does not


def spans(asked: Question, text: str) -> list[tuple[int, int]]:
    """Return the spans of an original text where pieces of the question, or words of its stems, stand."""
    folding = analysis.Folding(text)
    found: list[tuple[int, int]] = []
    for stretch in asked.stretches:
        if isinstance(stretch, str):
            found += _standing(stretch, folding.text)
    stems = set(asked.stems)
    if stems:
        found += [span for word, span in analysis.standing_words(folding.text) if analysis.stem(word) in stems]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(folding.span(*span) for span in found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _standing(stretch: str, folded: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a stretch stand, of two characters or more unless it is one alone."""
    pieces = [p for p in _cover(stretch, folded) if len(p) > 1 or len(stretch) == 1]
    if not any(p in folded for p in pieces):  # perhaps there is white space between the characters
        pieces = [stretch[i : i + 2] for i in range(max(1, len(stretch) - 1))]
    for piece in dict.fromkeys(pieces):
        if analysis.is_cut(piece[0]) or analysis.is_cut(piece[-1]):
            yield from (match.span() for match in re.finditer(needle.spaced(piece), folded))


def missing(text: str, index: Index) -> list[str]:
    """Return the words of a question that stand in no passage: pairs that occur nowhere, joined, and words."""
    asked = Question(text)
    found: list[str] = []
    for run in asked.runs:
        if not analysis.is_cut(run[0]):
            absent = index.frequencies("text", [f"_{run}"]) == [0]
            if absent and index.frequencies("terms", [analysis.stem(run)]) == [0]:
                found.append(run)
        elif len(run) > 1:
            found += _absent_stretches(run, index)
    return list(dict.fromkeys(found))


def _absent_stretches(run: str, index: Index) -> Iterator[str]:
    frequencies = index.frequencies("text", [run[i : i + 2] for i in range(len(run) - 1)])
    start = None
    for place, frequency in enumerate([*frequencies, 1]):
        if frequency == 0 and start is None:
            start = place
        elif frequency and start is not None:
            yield run[start : place + 1]
            start = None
