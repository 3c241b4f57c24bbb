"""A question and a passage -> the sentence of it that answers best.

Each sentence is judged by what WEIGHTS names, each as a share of what it could be at most:

- the words of the question that stand in it, a word weighing the more the fewer passages of the library and the fewer
  sentences of the passage have it (`words`), and the same for single characters of Chinese (`characters`); what the
  title and the headings name is the subject of all of them and weighs HEADED times that, a pair with 的, 是 or 了
  PARTICLE times;
- those that it lacks and the sentence before it has: 他, `it` and the like stand for them (`before`);
- whether it has what is asked for beside the words of the question: a date for 何时, a number for `how many` (`kind`);
- how early it stands (`early`), and how near it is in meaning, where that is known (`near`).

Headings and questions answer nothing, unless there is nothing else; what follows a question has its words as well.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from yuanwen import analysis
from yuanwen.needle import Span
from yuanwen.ranking import Ranking, rarity
from yuanwen.sentences import sentences

# Set once on three question sets; `python -m benchmarks.evidence` prints what they reach.
WEIGHTS = {"words": 1.0, "characters": 0.3, "before": 0.2, "kind": 0.2, "early": 0.05, "near": 0.5}
HEADED = PARTICLE = 0.5
PARTICLES = frozenset("的是了")
LONG = 300  # characters of a sentence that falls apart at its line breaks: rows, lines of code


class _Kind(NamedTuple):
    """What asks for something, and what then stands in an answer."""

    asks: re.Pattern[str]
    answers: re.Pattern[str]


def _kind(asks: str, answers: str) -> _Kind:
    return _Kind(re.compile(asks, re.IGNORECASE), re.compile(answers))


_KINDS = (
    _kind(
        r"何时|什么时[候间]|哪一?年|几[年月日号点]|哪个?(?:时期|时间|朝代|世纪|年代|月|天|日)|什么(?:年代|时期|日期)"
        r"|\bwhen\b|\b(?:what|which) (?:\w+ )?(?:year|date|century|month|day|decade|time)\b",
        r"\d\s*[年月日号点]|[〇零一二三四五六七八九十]\s*[年月日]|世纪|年代|时期|\d[:：]\d\d|\b1\d{3}\b|\b20\d\d\b"
        r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b|[Cc]entury",
    ),
    _kind(
        r"多少|几|多[大长高久远重快深宽]|\bhow (?:many|much|long|old|tall|far|large|big|high|often|fast)\b"
        r"|\bwhat (?:\w+ )?(?:percent(?:age)?|number|age|amount|size|population)\b",
        r"\d|[一二三四五六七八九十百千万亿两半][个名人位次年月日岁层座家种部集场所条公米元天周倍成项章]|百分之"
        r"|\b(?:[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Tt]en|[Ee]leven|[Tt]welve"
        r"|hundred|thousand|million|billion|dozen|half|third|twice|once)\b",
    ),
    _kind(
        r"为什么|为甚么|为何|原因|何以|\bwhy\b",
        r"因|由于|为了|所以|导致|以致|\b(?:[Bb]ecause|[Dd]ue to|[Ss]ince|[Cc]aused?|[Rr]easons?|in order to)\b",
    ),
    _kind(
        r"哪里|哪儿|何处|何地|什么(?:地方|地点|位置)|哪个?(?:国家?|城市|地区|省|市|县|地方)|\bwhere\b"
        r"|\b(?:what|which) (?:city|country|state|place|region|county|continent)\b",
        r"位于|坐落|地处|[省市县区镇村国州岛]|\b(?:in|at|near|from|on|off|of|to) (?:the )?[A-Z]",
    ),
    _kind(
        r"谁|何人|哪位|哪个人|\bwho(?:m|se)?\b",
        r"·|由[^，。；]|\b[A-Z][\w.'-]* (?:[a-z]{2,3} )?[A-Z]",
    ),
    _kind(r"哪[部本首张幅篇]|什么(?:书|歌|电影|作品|专辑|小说)|书名|代表作", "《"),
)


class _Sentence(NamedTuple):
    """A sentence, folded, with the words of the question that it has."""

    span: Span
    held: frozenset[str]
    characters: frozenset[str]
    states: bool  # it is no heading and no question


def evidence_span(
    ranking: Ranking, text: str, *, headings: Collection[str] = (), near: Sequence[float] | None = None
) -> Span | None:
    """Return the span of the sentence of `text` that answers the question of a ranking best, the first of several.

    `headings` are lines that are no sentences: the title and what heads the passage. `near` is the cosine of each of
    `parts(text)` with the question, of which the differences count. None where nothing of the question stands in the
    text, and nothing is known to be near.
    """
    found = [_sentence(ranking, text, span, headings) for span in parts(text)]
    if near is None and not any(each.held or each.characters for each in found):
        return None
    scores = _scores(ranking, _rare(ranking, headings), text, found, near)
    stating = [at for at, each in enumerate(found) if each.states] or range(len(found))
    return found[max(stating, key=lambda at: (scores[at], -at))].span if found else None


def parts(text: str) -> list[Span]:
    """Return the spans of what is taken for a sentence, without the white space around it."""
    return [(start, end) for whole in sentences(text) for start, end in _lines(text, *whole) if start < end]


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    if end - start <= LONG:
        yield _trimmed(text, start, end)
        return
    for line in text[start:end].splitlines(keepends=True):
        yield _trimmed(text, start, start + len(line))
        start += len(line)


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())


def _sentence(ranking: Ranking, text: str, span: Span, headings: Collection[str]) -> _Sentence:
    part = text[slice(*span)]
    asked = ranking.asked
    folded = asked.reworded(analysis.fold_words(part)) if asked.also else analysis.fold_words(part)
    held: list[str] = []
    if ranking.pairs:
        flat = "".join(folded.split())
        held += [pair for pair in ranking.pairs if pair in flat]
    if ranking.stems:
        stems = analysis.stems(folded)
        held += [stem for stem in ranking.stems if stem in stems]
    states = part[-1] not in "?？" and not part.startswith("#") and part not in headings
    return _Sentence(span, frozenset(held), frozenset(asked.characters).intersection(folded), states)


def _rare(ranking: Ranking, headings: Collection[str]) -> dict[str, float]:
    """Return the weight of each word in the library, less for those in the headings and those with particles."""
    rare = ranking.pairs | ranking.stems
    folded = analysis.fold_words("\n".join(headings))
    flat = folded.replace(" ", "")
    named = {pair for pair in ranking.pairs if pair in flat}
    if ranking.stems:
        named |= rare.keys() & analysis.stems(folded)
    for word in named:
        rare[word] *= HEADED
    for pair in ranking.pairs:
        if not PARTICLES.isdisjoint(pair):
            rare[pair] *= PARTICLE
    return rare


def _scores(
    ranking: Ranking, rare: dict[str, float], text: str, found: Sequence[_Sentence], near: Sequence[float] | None
) -> list[float]:
    whole = sum(rare.values()) or 1.0
    words = _rarity(rare, [each.held for each in found])
    words = {word: rare[word] * weight for word, weight in words.items()}
    characters = _rarity(ranking.asked.characters, [each.characters for each in found])
    all_words, all_characters = sum(words.values()), sum(characters.values())
    answers = _answers_to(ranking.asked.text)
    scores = []
    before = _Sentence((0, 0), frozenset(), frozenset(), True)
    for at, each in enumerate(found):
        lacking = before.held - each.held
        held = each.held if before.states else each.held | lacking
        score = WEIGHTS["words"] * _share(words, held, all_words)
        score += WEIGHTS["characters"] * _share(characters, each.characters, all_characters)
        score += WEIGHTS["before"] * sum([rare[word] for word in lacking]) / whole
        score -= WEIGHTS["early"] * at / len(found)
        if answers and _has(answers, text[slice(*each.span)], ranking.asked.text):
            score += WEIGHTS["kind"]
        scores.append(score)
        before = each
    least, most = (min(near), max(near)) if near else (0.0, 0.0)
    if near and least < most:
        return [score + WEIGHTS["near"] * (n - least) / (most - least) for score, n in zip(scores, near, strict=True)]
    return scores


@lru_cache(maxsize=64)
def _answers_to(question: str) -> re.Pattern[str] | None:
    """Return what stands in an answer to a question that asks for something of a kind."""
    return next((kind.answers for kind in _KINDS if kind.asks.search(question)), None)


def _has(answers: re.Pattern[str], part: str, question: str) -> bool:
    """Return whether something of a kind stands in a sentence that the question does not say itself."""
    return any(match[0] not in question for match in answers.finditer(part))


def _rarity(words: Collection[str], sentences: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the weight of words by how few of the sentences have them."""
    return rarity(words, [sum(word in each for each in sentences) for word in words], len(sentences))


def _share(weights: dict[str, float], held: Collection[str], whole: float) -> float:
    return sum([weights[word] for word in held]) / whole if whole else 0.0
