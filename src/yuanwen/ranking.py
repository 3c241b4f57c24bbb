"""Which of the passages that an index proposes answer best.

An index proposes by BM25 over pairs of characters and words. The text of the best CANDIDATES is then looked at, the
same way for every index:

- BM25 over pairs and words, over single characters, and over stems, each as a share of what it could be at most;
- how few pieces of the question, each standing whole in title or text, cover it: 劳动合同法第三十八条 is two pieces
  for the article that it names, and more for any other;
- how long a piece stands at the start of a line, where the places that people name by number start;
- how much of the question the title holds.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from yuanwen import analysis, needle
from yuanwen.index import Clause, Index, Prefix, Some, Term

CANDIDATES = 100
K1, B = 1.2, 0.75  # of BM25, as in Lucene
TITLE_WEIGHT = 0.5  # of the title in what the index proposes

# Weights of the parts of a score, set once on the question sets (see benchmarks/quality.py).
WEIGHTS = {
    "words": 1.0,
    "characters": 0.5,
    "stems": 0.5,
    "pieces": 0.5,
    "whole": 2.0,
    "line": 0.5,
    "title": 0.2,
    "proposed": 0.3,
}

# Words that ask: the answer does not hold them. Longer ones first.
_ASKING = re.compile(
    "为什么|为甚么|是什么|什么时候|什么样|什么|甚么|为何|怎么样|怎么办|怎么|怎样|如何|哪一|哪些|哪里|哪儿|哪个|哪位|哪年"
    "|哪|谁|多少|多久|多长|多大|多高|是否|何时|何地|何人|何种|何处|请问|几个|几次|几年|吗|呢"
)


@dataclass
class Question:
    """Plain words as they are ranked: `runs` in order, without the words that only ask."""

    text: str
    runs: list[str]

    @cached_property
    def stretches(self) -> list[str | list[str]]:
        """The runs of cut script, and the words between them in sequence."""
        found: list[str | list[str]] = []
        for run in self.runs:
            if analysis.is_cut(run[0]):
                found.append(run)
            elif found and isinstance(found[-1], list):
                found[-1].append(run)
            else:
                found.append([run])
        return found

    @cached_property
    def pairs(self) -> list[str]:
        """The distinct pairs of cut script, a lone character counting as one."""
        cut = [run for run in self.runs if analysis.is_cut(run[0])]
        return list(dict.fromkeys(run[i : i + 2] for run in cut for i in range(max(1, len(run) - 1))))

    @cached_property
    def words(self) -> list[str]:
        return list(dict.fromkeys(run for run in self.runs if not analysis.is_cut(run[0])))

    @cached_property
    def stems(self) -> list[str]:
        return list(dict.fromkeys(map(analysis.stem, self.words)))

    @cached_property
    def characters(self) -> list[str]:
        return list(dict.fromkeys(c for run in self.runs if analysis.is_cut(run[0]) for c in run))

    @cached_property
    def named(self) -> list[str]:
        """Parts of identifiers, and numbered places."""
        folded = analysis.fold_words(self.text)
        return sorted(analysis.identifiers(self.text)) + list(dict.fromkeys(analysis.ordinals(folded)))


def question(text: str) -> Question:
    """Return the plain words of `text` as they are ranked."""
    folded = analysis.fold_words(text)
    runs = analysis.runs(_ASKING.sub("。", folded))
    return Question(text, runs or analysis.runs(folded))


def proposing(asked: Question) -> Clause | None:
    """Return the clause by which an index proposes passages, None if there is nothing to look for."""
    pairs = [pair for pair in asked.pairs if len(pair) > 1]
    ordered = [*pairs, *(f"_{word}" for word in asked.words)]
    terms: list[Clause] = [Term("text", token) for token in ordered]
    terms += [Prefix(character) for character in asked.pairs if len(character) == 1]
    terms += [Term("title", token, TITLE_WEIGHT) for token in ordered]
    terms += [Term("terms", token) for token in dict.fromkeys([*asked.stems, *asked.named])]
    terms += [Term("terms", token) for token in analysis.symbols(asked.text)] if not terms else []
    return Some(tuple(terms)) if terms else None


_word = re.compile(f"{analysis.WORD}+")


@dataclass(frozen=True)
class Candidate:
    """A passage that an index proposed, with the score it gave."""

    passage: int
    proposed: float
    title: str
    text: str


@dataclass(frozen=True)
class Ranked:
    """A passage with its score, the parts that make it up, and the share of the question's weight it covers."""

    passage: int
    score: float
    coverage: float
    parts: dict[str, float]


@dataclass
class Ranking:
    """A question with the weights that its words have in one library."""

    asked: Question
    average_length: float
    pairs: dict[str, float]
    words: dict[str, float]
    stems: dict[str, float]

    @classmethod
    def of(cls, asked: Question, index: Index, passages: int, average_length: float) -> "Ranking":
        """Return the ranking of a question in a library of `passages` passages."""
        marked = [f"_{word}" for word in asked.words]
        pairs = zip(asked.pairs, index.frequencies("text", asked.pairs), strict=True)
        words = zip(asked.words, index.frequencies("text", marked), strict=True)
        stems = zip(asked.stems, index.frequencies("terms", asked.stems), strict=True)
        weighed = ({token: _idf(f, passages) for token, f in group} for group in (pairs, words, stems))
        return cls(asked, average_length, *weighed)

    def best(self, candidates: Sequence[Candidate]) -> list[Ranked]:
        """Return the candidates, best first; ties end on the passage."""
        if not candidates:
            return []
        folded = [analysis.fold_words(f"\n{c.title}\n{c.text}") for c in candidates]
        n = len(folded)
        rare = {c: _idf(sum(c in text for text in folded), n + 1) for c in self.asked.characters}
        most = max(c.proposed for c in candidates) or 1.0
        ranked = [self._score(c, text, rare, most) for c, text in zip(candidates, folded, strict=True)]
        return sorted(ranked, key=lambda r: (-r.score, r.passage))

    def _score(self, candidate: Candidate, text: str, rare: dict[str, float], most: float) -> Ranked:
        flat = analysis.closed(text) if self.pairs else text
        words = _word.findall(text) if self.words else []
        counts = Counter(words)
        length = K1 * (1 - B + B * len(text) / self.average_length)
        ceiling = sum(self.pairs.values()) + sum(self.words.values())
        of_pairs, pairs_covered = _bm25(self.pairs, flat.count, length)
        of_words, words_covered = _bm25(self.words, counts.__getitem__, length)
        of_characters, _ = _bm25(rare, flat.count, length)
        pieces, line = self._pieces(text, flat, words)
        title = text[1 : len(candidate.title) + 1]
        titled = sum(weight for token, weight in (*self.pairs.items(), *self.words.items()) if token in title)
        parts = {
            "words": _share(of_pairs + of_words, ceiling),
            "characters": _share(of_characters, sum(rare.values())),
            "stems": self._stems(counts, length),
            "pieces": _share(len(self.asked.runs), pieces),
            "whole": _share(1, pieces),
            "line": _share(line, sum(map(len, self.asked.runs))),
            "title": _share(titled, ceiling),
            "proposed": candidate.proposed / most,
        }
        score = sum(WEIGHTS[name] * value for name, value in parts.items())
        return Ranked(candidate.passage, score, min(1.0, _share(pairs_covered + words_covered, ceiling)), parts)

    def _stems(self, counts: Counter[str], length: float) -> float:
        if not self.stems:
            return 0.0
        stemmed: Counter[str] = Counter()
        for word, count in counts.items():
            stem = analysis.stem(word)
            if stem in self.stems:
                stemmed[stem] += count
        score, _ = _bm25(self.stems, stemmed.__getitem__, length)
        return _share(score, sum(self.stems.values()))

    def _pieces(self, text: str, flat: str, words: list[str]) -> tuple[int, int]:
        """Return how few pieces cover the question, and the length of the longest piece that starts a line."""
        count = line = 0
        spaced = f" {' '.join(words)} "
        for stretch in self.asked.stretches:
            if isinstance(stretch, str):
                pieces = list(_cover(stretch, flat))
                count += len(pieces)
                starting = [len(p) for p in pieces if len(p) > max(1, line) and f"\n{p}" in text]
                line = max([line, *starting])
            else:
                count += _cover_words(stretch, spaced)
        return count, line


def _bm25(weights: dict[str, float], count: Callable[[str], int], length: float) -> tuple[float, float]:
    """Return the BM25 of tokens that occur as `count` says, as a sum of weights at most, and the weights of those
    that occur at all."""
    score = covered = 0.0
    for token, weight in weights.items():
        frequency = count(token)
        if frequency:
            score += weight * frequency / (frequency + length)
            covered += weight
    return score, covered


def _cover(run: str, text: str) -> Iterator[str]:
    """Yield the fewest pieces that cover a run, each as long as it can be to stand in `text`."""
    start, length = 0, len(run)
    while start < length:
        end = start + 1
        if run[start:end] in text:
            while end < length and run[start : end + 1] in text:
                end += 1
        yield run[start:end]
        start = end


def _cover_words(words: list[str], spaced: str) -> int:
    """Return the number of the fewest pieces of whole words that cover a sequence of words."""
    count = start = 0
    while start < len(words):
        end = start + 1
        while end < len(words) and f" {' '.join(words[start : end + 1])} " in spaced:
            end += 1
        count += 1
        start = end
    return count


def missing(asked: Question, index: Index) -> list[str]:
    """Return the words of a question that stand in no passage: pairs that occur nowhere, joined, and words."""
    found: list[str] = []
    for run in asked.runs:
        if not analysis.is_cut(run[0]):
            if index.frequencies("text", [f"_{run}"]) == [0] and index.frequencies("terms", [analysis.stem(run)]) == [0]:
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


def spans(asked: Question, text: str) -> list[tuple[int, int]]:
    """Return the spans of an original text where pieces of the question, or words of its stems, stand."""
    folding = analysis.Folding(text)
    found: list[tuple[int, int]] = []
    for run in asked.runs:
        if analysis.is_cut(run[0]):
            found += _standing(run, folding.text)
    stems = set(asked.stems)
    if stems:
        found += [m.span() for m in _word.finditer(folding.text) if analysis.stem(m[0]) in stems]
    merged: list[tuple[int, int]] = []
    for start, end in sorted(folding.span(*span) for span in found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _standing(run: str, folded: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a run stand, of two characters or more unless the run is one alone."""
    pieces = [p for p in _cover(run, folded) if len(p) > 1 or len(run) == 1]
    if not any(p in folded for p in pieces):  # perhaps there is white space between the characters
        pieces = [run[i : i + 2] for i in range(max(1, len(run) - 1))]
    for piece in dict.fromkeys(pieces):
        yield from (match.span() for match in re.finditer(needle.spaced(piece), folded))


def _idf(frequency: int, passages: int) -> float:
    return math.log(1 + (max(passages - frequency, 0) + 0.5) / (frequency + 0.5))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
