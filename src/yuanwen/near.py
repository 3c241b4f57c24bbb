"""A word that a library does not have -> words of it that are near: they sound the same, or are written alike."""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise, product
from math import isqrt
from typing import NamedTuple

from yuanwen import analysis, ranking, synonyms
from yuanwen.absence import Kind, Suggestion
from yuanwen.comparison.stretches import distance
from yuanwen.index import Index, Phrase, Prefix
from yuanwen.scope import Scope
from yuanwen.store import reading

MOST = 5  # words near to one term
FARTHER, RARER = 0.5, 10  # than the nearest: a word so much farther, or so much rarer, is not meant
TERMS = 6  # of a question, that near words are looked for
LONGEST = 12  # characters of such a term
SAMPLE = 40  # passages in which it is looked what stands before a character
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# In words of any kind.
_USUAL = frozenset("的了是在和与及或也都不就而为到于中上下有我你他她它们这那之其以对将被把从个一二三四五六七八九十")


class _Word(NamedTuple):
    """A word that may be near: how far it is from the term (less is nearer), and how many passages have it."""

    distance: float
    frequency: int
    text: str
    kind: Kind


def suggestions(scope: Scope, texts: Iterable[str]) -> tuple[Suggestion, ...]:
    """Return words of the library that are near to those of questions which it does not have, the best of each first.

    MOST of each term. Every one of them stands in a passage.
    """
    found: list[Suggestion] = []
    for text in map(analysis.whole, texts):
        found += _synonyms(scope, text)
        runs = ranking.Question(text).runs
        terms = [_Term(run, *span) for run in runs for span in ranking.absent(run, scope.current)]
        for term in terms[:TERMS]:
            found += _standing(scope.current, term, _near(scope, term))
    return tuple(dict.fromkeys(found))


class _Term(NamedTuple):
    """What the library does not have: `[start, end)` of a run."""

    run: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.run[self.start : self.end]


def _near(scope: Scope, term: _Term) -> Iterator[_Word]:
    """Yield words that may be near to a term."""
    if len(term.text) > LONGEST:
        return
    if not analysis.is_cut(term.run[0]):
        yield from _spelt(scope.current, term.run)
        yield from _spoken(scope.current, term.run)
        return
    chance = isqrt(scope.totals.passages) // 150
    heard = list(_heard(scope.current, term, chance)) or list(_misheard(scope.current, term, chance))
    if term.text == term.run and all(word.frequency < 2 for word in heard):  # one passage may have it by chance
        yield from (word._replace(distance=word.distance + 1) for word in heard)
        yield from _sharing(scope, term.run)
    else:
        yield from heard


def _standing(index: Index, term: _Term, words: Iterable[_Word]) -> Iterator[Suggestion]:
    """Yield the nearest of words, of those that stand in a passage."""
    given: list[_Word] = []
    for word in sorted(words, key=lambda word: (word.distance, -word.frequency, word.text))[: 4 * MOST]:
        if given and (word.distance >= given[0].distance + FARTHER or word.frequency * RARER < given[0].frequency):
            continue
        if len(given) < MOST and all(word.text != each.text for each in given) and _stands(index, word.text):
            given.append(word)
            yield Suggestion(term=term.text, word=word.text, kind=word.kind)


def _stands(index: Index, text: str) -> bool:
    """Return whether words stand together in a passage."""
    tokens = _tokens(text)
    return bool(tokens) and bool(index.search(Phrase(tokens), limit=1).hits)


def _tokens(text: str) -> tuple[str, ...]:
    """Return the tokens that stand one after another where words stand."""
    runs = analysis.runs(analysis.closed(analysis.fold_words(text)))
    tokens = analysis.ordered(runs).split()
    return tuple(tokens[:-1] if len(tokens) > 1 and len(runs[-1]) > 1 and analysis.is_cut(runs[-1][0]) else tokens)


# ------------------------------------------------------------------------------------------------- sound


class _Sounds(NamedTuple):
    """Syllables with their tone -> the characters that are usually read so, and others; and those that are like it."""

    read: dict[str, tuple[str, str]]
    plain: dict[str, list[str]]


@cache
def _sounds() -> _Sounds:
    from yuanwen.sounds import SOUNDS  # here, since few searches need it

    found = _Sounds({}, {})
    for sound, usual, others in re.findall(r"([a-z]+\d)([^ /]*)/([^ /]*)", SOUNDS):
        found.read[sound] = usual, others
        found.plain.setdefault(_plain(sound[:-1]), []).append(sound)
    return found


def _plain(syllable: str) -> str:
    """Return what a syllable comes to where z and zh, l and n, n and ng are not told apart."""
    if syllable[0] in "zcs" and syllable[1:2] == "h":
        syllable = syllable[0] + syllable[2:]
    if syllable[0] == "l":
        syllable = "n" + syllable[1:]
    return syllable[:-1] if syllable.endswith(("ang", "eng", "ing")) else syllable


def alike(character: str) -> dict[str, int]:
    """Return the characters that sound like one, and how far they are from it.

    0: just so, 1: in another tone, 2: so that many speakers do not tell them apart. Of one of the two it is the usual
    reading.
    """
    found: dict[str, int] = {}
    for own, (usual, others) in _sounds().read.items():
        if character not in usual and character not in others:
            continue
        for sound in _sounds().plain[_plain(own[:-1])]:
            far = 2 if sound[:-1] != own[:-1] else int(sound != own)
            for other in "".join(_sounds().read[sound][: 1 + (character in usual)]):
                found[other] = min(far, found.get(other, far))
    return {other: far for other, far in found.items() if other != character and other not in "的了"}


class _Change(NamedTuple):
    """A run in which another character that sounds alike stands at a place.

    `far` is how far the sounds are, `mended` the pairs that occur now; `open` whether one beside them does not, and
    `whole` whether no pair of the run does not.
    """

    run: str
    place: int
    far: int
    mended: tuple[str, ...]
    frequency: int
    open: bool
    whole: bool


def _changes(index: Index, run: str, places: Iterable[int]) -> Iterator[_Change]:
    """Yield what becomes of a run by putting another character at one of the places, if that mends more than it breaks:
    pairs of which the library has none, and pairs that it has."""
    others = {place: alike(run[place]) for place in places}
    changed = {(place, other): _around(run, place, other) for place in others for other in others[place]}
    known = _frequencies(index, [*pairs(run), *(pair for found in changed.values() for pair in found)])
    missing = sum(1 for pair in pairs(run) if not known[pair])
    for (place, other), found in changed.items():
        both = list(zip(found, _around(run, place, run[place]), strict=True))
        mended = tuple(new for new, old in both if known[new] and not known[old])
        if len(mended) > sum(1 for new, old in both if known[old] and not known[new]):
            fewest = min(known[new] for new in mended)
            text, still = run[:place] + other + run[place + 1 :], not all(known[new] for new in found)
            yield _Change(text, place, others[place][other], mended, fewest, still, len(mended) == missing)


def _heard(index: Index, term: _Term, chance: int) -> Iterator[_Word]:
    """Yield what becomes of a term by putting for one character, or for two neighbours, others that sound alike."""
    changes = list(_changes(index, term.run, range(term.start, term.end)))
    closed = False
    for change in changes:
        distance = change.far / 10
        joined = change.mended[0] + change.mended[-1][1:] * (len(change.mended) == 2)
        if change.whole and len(change.run) > 2 and _stands(index, change.run):
            yield _Word(distance - 0.5, change.frequency, change.run, "sound")
        elif len(joined) == 3 and _stands(index, joined):
            yield _Word(distance, change.frequency, joined, "sound")
        elif change.frequency > chance:
            yield from (_Word(distance + change.open / 2, change.frequency, pair, "sound") for pair in change.mended)
        else:
            continue
        closed = closed or not change.open
    half = sorted((change for change in changes if change.open), key=lambda change: (change.far, -change.frequency))
    for change in half[: 0 if closed else MOST]:
        beside = [place for place in (change.place - 1, change.place + 1) if term.start <= place < term.end]
        for again in _changes(index, change.run, beside):
            if again.whole and _stands(index, again.run):
                yield _Word((change.far + again.far) / 10 - 0.3, again.frequency, again.run, "sound")


def _misheard(index: Index, term: _Term, chance: int) -> Iterator[_Word]:
    """Yield the pairs that sound just like those of a term, with both characters others."""
    for pair in dict.fromkeys(pairs(term.text)):
        first, second = ([c for c, far in alike(each).items() if far == 0] for each in pair)
        for text, frequency in _frequencies(index, map("".join, product(first, second))).items():
            if frequency > chance:
                yield _Word(0.6, frequency, text, "sound")


def pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters."""
    return ["".join(pair) for pair in pairwise(run)]


def _around(run: str, place: int, character: str) -> list[str]:
    """Return the pairs of a run that hold the character at a place, if that were another one."""
    before = [run[place - 1] + character] if place else []
    return before + ([character + run[place + 1]] if place + 1 < len(run) else [])


def _frequencies(index: Index, tokens: Iterable[str]) -> dict[str, int]:
    distinct = list(dict.fromkeys(tokens))
    return dict(zip(distinct, index.frequencies("text", distinct), strict=True))


# ------------------------------------------------------------------------------------------- characters


def _sharing(scope: Scope, run: str) -> Iterator[_Word]:
    """Yield words that are written with characters of a term: in another order, some of many, or one of two."""
    apart = [run[i] + run[k] for i in range(len(run)) for k in range(len(run)) if i != k]
    for pair, frequency in _frequencies(scope.current, apart).items():
        if frequency:
            yield _Word(0.8, frequency, pair, "characters")
    if len(run) != 2:
        return
    first, second = run[0], run[1]
    chance = isqrt(scope.totals.passages) // 20
    beside = dict(scope.current.starting(first, SAMPLE))
    beside |= _frequencies(scope.current, [other + second for other in _before(scope, second)])
    for pair, frequency in beside.items():
        if len(pair) == 2 and frequency > chance and not _USUAL & set(pair):
            yield _Word(1.5, frequency, pair, "characters")


def _before(scope: Scope, character: str) -> list[str]:
    """Return characters that stand before one in some of the passages that have it, the most frequent first."""
    passages = [passage for passage, _ in scope.current.search(Prefix(character), limit=SAMPLE).hits]
    found: Counter[str] = Counter()
    for _, _, text in reading.texts(scope.db, passages):
        folded = analysis.closed(analysis.fold_words(text))
        found.update(before for before, after in pairwise(folded) if after == character and analysis.is_cut(before))
    return [before for before, _ in found.most_common(SAMPLE)]


# --------------------------------------------------------------------------------------------- spelling


def _spelt(index: Index, word: str) -> Iterator[_Word]:
    """Yield words that take one edit to become a word, or two if it is long, and that have the same figures."""
    most = 0 if len(word) < 3 else 1 if len(word) < 6 else 2
    if not most or word.isdecimal():
        return
    known = dict(index.starting(f"_{word[:2]}", 20_000))
    starts = [f"_{other}" for other in _slips(word)]
    known |= {token: n for token, n in _frequencies(index, starts).items() if n}
    figures = [c for c in word if c.isdecimal()]
    for token, frequency in known.items():
        apart = distance(word, token[1:], most)
        if apart and figures == [c for c in token if c.isdecimal()]:
            yield _Word(apart - (0.3 if token[1] == word[0] else 0), frequency, token[1:], "spelling")


def _slips(word: str) -> Iterator[str]:
    """Yield what becomes of a word by one edit of its first two characters."""
    for place in range(2):
        start, rest = word[:place], word[place:]
        yield start + rest[1:]
        yield start + rest[1] + rest[0] + rest[2:]
        for letter in LETTERS:
            yield start + letter + rest
            yield start + letter + rest[1:]


def _spoken(index: Index, word: str) -> Iterator[_Word]:
    """Yield words of cut script that a word spells in pinyin: 账户 for zhanghu."""
    first, *rest = _syllables(word) or ("",)
    texts = {character: sys.maxsize for character in first}
    for characters in rest:
        known = _frequencies(index, [text[-1] + c for text in texts for c in characters])
        longer = {text + c: min(texts[text], known[text[-1] + c]) for text in texts for c in characters}
        best = sorted(longer, key=lambda text: (-longer[text], text))[: 4 * MOST]
        texts = {text: longer[text] for text in best if longer[text]}
    yield from (_Word(0.6, frequency, text, "sound") for text, frequency in texts.items())


def _syllables(word: str) -> list[str]:
    """Return the fewest syllables, two to four, that a word may be read as, each as the characters usually read so."""
    by_syllable: dict[str, str] = {}
    for sound, (usual, _) in _sounds().read.items():
        by_syllable[sound[:-1]] = by_syllable.get(sound[:-1], "") + usual
    ways: list[list[tuple[str, ...]]] = [[()]]  # by how much of the word they read
    for end in range(1, len(word) + 1):
        ways.append(
            [
                (*before, word[start:end])
                for start in range(max(0, end - 6), end)
                if by_syllable.get(word[start:end])
                for before in ways[start]
                if len(before) < 4
            ]
        )
    found = sorted((way for way in ways[-1] if len(way) > 1), key=len)
    return [by_syllable[syllable] for syllable in found[0]] if found else []


# --------------------------------------------------------------------------------------------- synonyms


def _synonyms(scope: Scope, text: str) -> Iterator[Suggestion]:
    """Yield the synonyms of words of a question that stand in the library."""
    for word, others in synonyms.of(scope.db, text):
        for other in others:
            if _stands(scope.current, other):
                yield Suggestion(term=word, word=other, kind="synonym")
