"""Which of the passages that an index proposes answer best.

An index proposes by BM25 over pairs of characters and words. The text of the best CANDIDATES is then looked at, the
same way for every index. WEIGHTS names what counts, each as a share of what it could be at most:

- the BM25 that the index gave, against its ceiling and against the best of the others (`bm25`, `proposed`);
- which pairs and words occur, the BM25 of single characters, and that of stems (`words`, `characters`, `stems`);
- how few pieces of the question, each standing whole in title or text, cover it (`whole`), and whether it stands
  there entire (`verbatim`): 劳动合同法第三十八条 is two pieces for the article that it names, more for any other;
- a numbered place that starts a line (`numbered`) under a title that the question ends with or that ends with the
  question (`placed`): there the article itself stands, everywhere else it is only quoted;
- a piece that starts the title or the text (`start`);
- how much of the question the title holds, and whether the question names the whole title (`title`, `named`).
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from operator import mul
from typing import NamedTuple

from yuanwen import analysis, needle
from yuanwen.index import Clause, Index, Prefix, Some, Term
from yuanwen.needle import Span

CANDIDATES = 36
K1, B = 1.2, 0.75  # of BM25, as in Lucene
FEW = 6  # pieces that are worth counting exactly
TITLE_WEIGHT = 0.5  # of the title in what an index proposes
PLACE_WEIGHT = 3.0  # of a numbered place, such as 第三十八条
SYNONYM = 0.7  # of what a word counts that its synonym counts

# Set once on all the question sets; `python -m benchmarks.quality` prints what they reach.
WEIGHTS = {
    "bm25": 1.0,
    "words": 0.5,
    "characters": 0.9,
    "stems": 0.6,
    "whole": 2.0,
    "verbatim": 1.0,
    "start": 0.4,
    "numbered": 0.8,
    "placed": 2.5,
    "title": 0.2,
    "named": 0.5,
    "proposed": 0.2,
}
_WEIGHTS = tuple(WEIGHTS.values())

# Words that only ask: an answer does not hold them. Longer ones first.
_ASKING = re.compile(
    "为什么|为甚么|是什么|什么时候|什么样|什么|甚么|为何|怎么样|怎么办|怎么|怎样|如何|哪一|哪些|哪里|哪儿|哪个|哪位|哪年"
    "|哪|谁|多少|多久|多长|多大|多高|是否|何时|何地|何人|何种|何处|请问|几个|几次|几年|吗|呢"
)


class Question:
    """Plain words as they are ranked: `folded` is the text without the words that only ask.

    `also` are words of it with their synonyms, which count for them, though for less.
    """

    def __init__(self, text: str, also: Sequence[tuple[str, Sequence[str]]] = ()) -> None:
        self.text = text.strip()
        self.also = [
            (analysis.fold_words(word), other, needle.WholeWords(other)) for word, others in also for other in others
        ]
        whole = analysis.fold_words(text).strip()
        self.whole = "".join(whole.split()) if any(map(analysis.is_cut, whole)) else whole
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

    def reworded(self, folded: str) -> str:
        """Return a folded text with the words of the question in the place of their synonyms."""
        for word, _, other in self.also:
            for start, end in reversed(list(other.stand(folded))):
                folded = folded[:start] + word + folded[end:]
        return folded


def proposing(asked: Question) -> Clause | None:
    """Return the clause by which an index proposes passages, None if there is nothing to look for."""
    ordered = [pair for pair in asked.pairs if len(pair) > 1] + [f"_{word}" for word in asked.words]
    terms: list[Clause] = [Term("text", token) for token in ordered]
    terms += [Prefix(character) for character in asked.pairs if len(character) == 1]
    terms += [Term("title", token, TITLE_WEIGHT) for token in ordered]
    named = [*asked.stems, *sorted(analysis.identifiers(asked.text))]
    terms += [Term("terms", token) for token in dict.fromkeys(named)]
    terms += [Term("terms", place, PLACE_WEIGHT) for place in asked.ordinals]
    for other in dict.fromkeys(other for _, other, _ in asked.also):
        same = Question(other)
        terms += [Term("text", token, SYNONYM) for token in (*same.pairs, *(f"_{word}" for word in same.words))]
        terms += [Term("terms", stem, SYNONYM) for stem in same.stems]
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
    """A passage with its score, the share of the question's weight that it covers, and the values that are weighed."""

    passage: int
    score: float
    coverage: float
    values: tuple[float, ...]
    folded: str = ""  # the text as it was looked at
    near: float = 0.0  # in meaning, 0 to 1
    added: float = 0.0  # to the score, for that

    def meaning(self, weight: float, near: float) -> "Ranked":
        """Return it with `weight` times how near it is in meaning counted as well."""
        added = weight * near
        return self._replace(score=round(self.score + added, 6), near=near, added=added)

    @property
    def by_words(self) -> float:
        """The score without what meaning added to it."""
        return self.score - self.added

    def raised(self, other: "Ranked") -> "Ranked":
        """Return it raised to SYNONYM of what it gains by being as another: its text with synonyms reworded."""
        if other.score <= self.score:
            return self
        score = self.score + SYNONYM * (other.score - self.score)
        coverage = self.coverage + SYNONYM * max(0.0, other.coverage - self.coverage)
        return self._replace(score=round(score, 6), coverage=coverage, values=other.values)

    @property
    def parts(self) -> dict[str, float]:
        """The parts of the score, before they are weighed, by name."""
        return dict(zip(WEIGHTS, self.values, strict=False)) | ({"meaning": self.near} if self.near else {})


class _Title(NamedTuple):
    """What a title has of a question: the weight that it holds, its length if the question names it whole (both as
    shares), and whether one ends as the other does, numbered places left out."""

    held: float
    named: float
    ends: bool


class Ranking:
    """A question with the weights that its words have in one library."""

    def __init__(self, asked: Question, index: Index, passages: int, average_length: float) -> None:
        self.asked = asked
        self.average_length = average_length
        marked = [f"_{word}" for word in asked.words]
        self.pairs = rarity(asked.pairs, index.frequencies("text", asked.pairs), passages)
        self.words = rarity(asked.words, index.frequencies("text", marked), passages)
        self.stems = rarity(asked.stems, index.frequencies("terms", asked.stems), passages)
        self.ceiling = sum(self.pairs.values()) + sum(self.words.values()) or 1.0
        self.length = sum(map(len, asked.runs)) or 1
        self.cut = sum(len(run) for run in asked.runs if analysis.is_cut(run[0]))
        self.joined = "".join(asked.runs)
        self.subject = self.joined
        for place in asked.ordinals:
            self.subject = self.subject.replace(place, "")
        self._titles: dict[str, _Title] = {}

    def best(self, candidates: Sequence[Candidate]) -> list[Ranked]:
        """Return the candidates, best first; ties end on the passage."""
        folded = [analysis.fold_words(f"\n{c.title}\x1f\n{c.text}") for c in candidates]
        ranked = self._judged(candidates, folded)
        if self.asked.also:
            others = self._judged(candidates, [self.asked.reworded(text) for text in folded])
            ranked = [one.raised(other) for one, other in zip(ranked, others, strict=True)]
        return sorted(ranked, key=lambda r: (-r.score, r.passage))

    def _judged(self, candidates: Sequence[Candidate], folded: Sequence[str]) -> list[Ranked]:
        """Return the candidates by what their folded texts say, in the order in which they came."""
        if not candidates:
            return []
        counted = [[text.count(c) for c in self.asked.characters] for text in folded]
        holding = [len(column) - column.count(0) for column in zip(*counted, strict=True)]
        rare = list(rarity(self.asked.characters, holding, len(folded) + 1).values())
        all_rare = sum(rare) or 1.0
        most = max([c.proposed for c in candidates]) or 1.0
        ranked = []
        for candidate, text, counts in zip(candidates, folded, counted, strict=True):
            length = K1 * (1 - B + B * len(text) / self.average_length)
            characters = sum([weight * n / (n + length) for weight, n in zip(rare, counts, strict=True) if n])
            ranked.append(self._score(candidate, text, length, characters / all_rare, candidate.proposed / most))
        return ranked

    def _score(self, candidate: Candidate, text: str, length: float, characters: float, proposed: float) -> Ranked:
        flat = text.replace("\n", "").replace(" ", "") if self.pairs else text
        held = [pair for pair in self.pairs if pair in flat]
        covered = standing = sum([self.pairs[pair] for pair in held])
        stems = 0.0
        found = analysis.words(text) if self.words else []
        if found:
            counts = Counter(found)
            stemmed = self._stemmed(counts)
            standing += sum([weight for word, weight in self.words.items() if counts[word]])
            covered += sum([weight for word, weight in self.words.items() if stemmed[analysis.stem(word)]])
            stems = self._stems(stemmed, length)
        pieces = self._pieces(flat, found, held)
        titled = self._titles.get(candidate.title)
        if titled is None:
            titled = self._titles[candidate.title] = self._titled(candidate.title)
        verbatim = 0.0
        if pieces <= len(self.asked.stretches) and self.asked.whole in flat:
            verbatim = 1.0 if self.asked.text in candidate.text else 0.2
        numbered = 0.0
        if self.asked.ordinals:
            numbered = float(any([f"\n{place}" in text for place in self.asked.ordinals]))
        values = (
            candidate.proposed / (K1 + 1) / self.ceiling,
            standing / (1 + length) / self.ceiling,
            characters,
            stems,
            1 / pieces if pieces else 0.0,
            verbatim,
            self._start(text) / self.length,
            numbered,
            numbered * titled.ends,
            titled.held,
            titled.named,
            proposed,
        )
        coverage = min(1.0, covered / self.ceiling)
        return Ranked(
            candidate.passage,
            round(sum(map(mul, _WEIGHTS, values)), 6),
            coverage,
            values,
            text[text.index("\x1f") + 2 :],
        )

    def _stemmed(self, counts: Counter[str]) -> Counter[str]:
        """Return how often each stem of the question stands among the words of a text."""
        stemmed: Counter[str] = Counter()
        for word, count in counts.items():
            stem = analysis.stem(word)
            if stem in self.stems:
                stemmed[stem] += count
        return stemmed

    def _stems(self, stemmed: Counter[str], length: float) -> float:
        score = sum([weight * (n := stemmed[stem]) / (n + length) for stem, weight in self.stems.items()])
        return _share(score, sum(self.stems.values()))

    def _titled(self, title: str) -> "_Title":
        squeezed = _squeezed(title)
        held = sum(weight for token, weight in (*self.pairs.items(), *self.words.items()) if token in squeezed)
        whole = len(squeezed) > 1 and squeezed in self.joined
        named = len(squeezed) / self.length if whole else 0.0
        ends = bool(self.subject and squeezed) and (squeezed.endswith(self.subject) or self.subject.endswith(squeezed))
        return _Title(held / self.ceiling, named, ends)

    def _pieces(self, flat: str, words: list[str], held: list[str]) -> int:
        """Return how few pieces cover the question. `held` are the pairs that stand in the text.

        Where they leave more than FEW pieces at the least, that many are taken for the answer.
        """
        least = self.cut - len(held)
        if least > FEW:
            return least + len(self.words)
        wanting = [pair for pair in self.pairs if pair not in held]
        spaced = f" {' '.join(words)} " if words else ""
        count = 0
        for stretch in self.asked.stretches:
            if isinstance(stretch, list):
                count += _count_words(stretch, spaced)
            else:
                count += len(_cover(stretch, flat, wanting))
        return count

    def _start(self, text: str) -> int:
        """Return the length of the longest piece of the question that starts the title or the text."""
        longest = 0
        for place in (1, text.index("\x1f") + 2):
            if text[place : place + 2] in self.pairs:
                for stretch in self.asked.stretches:
                    if isinstance(stretch, str):
                        longest = max(longest, _standing_at(place, text, stretch))
        return longest


@lru_cache(maxsize=1 << 16)
def _squeezed(title: str) -> str:
    return "".join(analysis.runs(analysis.fold_words(title)))


def rarity(tokens: Iterable[str], frequencies: Iterable[int], passages: int) -> dict[str, float]:
    """Return the weight of each token: its inverse document frequency, as in Lucene's BM25."""
    return {
        token: math.log(1 + (max(passages - frequency, 0) + 0.5) / (frequency + 0.5))
        for token, frequency in zip(tokens, frequencies, strict=True)
    }


def _cover(stretch: str, text: str, wanting: Collection[str] = ()) -> list[str]:
    """Return the fewest pieces that cover a stretch, each as long as it can be to stand in `text`.

    `wanting` are pairs of characters that are known not to stand there.
    """
    pieces: list[str] = []
    start, length = 0, len(stretch)
    while start < length:
        end = start + 1
        while end < length and stretch[end - 1 : end + 1] not in wanting and stretch[start : end + 1] in text:
            end += 1
        pieces.append(stretch[start:end])
        start = end
    return pieces


def _standing_at(place: int, text: str, stretch: str) -> int:
    """Return the length of the longest piece of a stretch, of two characters or more, that stands at `place`."""
    longest = 0
    start = stretch.find(text[place : place + 2])
    while start >= 0:
        end = start + 2
        while end < len(stretch) and text.startswith(stretch[start : end + 1], place):
            end += 1
        longest = max(longest, end - start)
        start = stretch.find(text[place : place + 2], start + 1)
    return longest


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


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# ------------------------------------------------------------------------------- what stands, and what does not


def spans(asked: Question, text: str, folded: str = "") -> list[tuple[int, int]]:
    """Return the spans of an original text where pieces of the question, or words of its stems, stand.

    `folded` is the text with its words folded, if that is known.
    """
    folding = analysis.Folding(text, marks=False, folded=folded)
    found: list[tuple[int, int]] = []
    folded = folding.text
    closing = analysis.Closing(folded)
    for pair in asked.pairs:
        if pair in closing.text:
            found += [closing.span(*span) for span in needle.occurrences(pair, closing.text)]
    stems = set(asked.stems)
    if stems:
        found += [span for word, span in analysis.standing_words(folded) if analysis.stem(word) in stems]
    found += [span for _, _, other in asked.also for span in other.stand(folded)]
    merged: list[tuple[int, int]] = []
    found.sort()
    for start, end in [folding.span(*span) for span in found]:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def missing(text: str, index: Index) -> list[str]:
    """Return the words of a question that stand in no passage: pairs that occur nowhere, joined, and words."""
    found = [run[slice(*span)] for run in Question(text).runs for span in absent(run, index)]
    return list(dict.fromkeys(found))


def absent(run: str, index: Index) -> Iterator[Span]:
    """Yield the spans of a run of which no pair of characters occurs; of a word that does not, all of it."""
    if not analysis.is_cut(run[0]):
        if index.frequencies("text", [f"_{run}"]) == [0] == index.frequencies("terms", [analysis.stem(run)]):
            yield 0, len(run)
        return
    frequencies = index.frequencies("text", [run[i : i + 2] for i in range(len(run) - 1)])
    start = None
    for place, frequency in enumerate([*frequencies, 1]):
        if frequency == 0 and start is None:
            start = place
        elif frequency and start is not None:
            yield start, place + 1
            start = None
