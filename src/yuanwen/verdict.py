"""What was found -> whether it is evidence: strong, weak or none, and how likely it is that it answers.

Two things are judged on the passage that came first. Does it speak of what is asked at all (`_spoken`): its score,
the share of what the question is about that it holds, by how much it is ahead of those behind it, and how near it is in
meaning. And does it say what is asked (`_said`): a question that turns a fact around holds a negation, an opposite, a
name or a number that the sentence that comes nearest does not, or asks for a number or a time where none stands.
docs/verdict.md has the curve that the thresholds were read from; `python -m benchmarks.abstention` prints it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

from yuanwen import analysis
from yuanwen.ranking import Question
from yuanwen.sentences import sentences

Strength = Literal["strong", "weak", "none"]

LEAST, STRONG = 0.2, 0.82  # the confidence from which what was found is weak evidence, and strong
FOLLOWING = 5  # passages that the first is compared with
COMMON = 0.4  # of its weight that a pair or word counts which says little: 是, 在, "name"
MOST = 20_000  # characters of a passage that are looked at


class Verdict(NamedTuple):
    """Whether what was found is evidence. `confidence` (0 to 1) rises with it; `why` names what speaks against it."""

    confidence: float
    strength: Strength
    why: tuple[str, ...] = ()


class Seen(NamedTuple):
    """The passage that came first, as it is written, with its score by words, and those of passages that came behind it
    under other titles (`rivals`), the best first.

    `cosine` is how near it is to the question by the vectors of `model`, None where there are none.
    """

    title: str
    text: str
    score: float
    rivals: Sequence[float] = ()
    cosine: float | None = None
    model: str = ""


class Scale(NamedTuple):
    """How the cosines of a model count: `share` of what words say, and `slope` for each 1.0 above a middle.

    The middle is `words` for a question in words and `cut` for one in Chinese and the like, where texts that have
    nothing to do with each other are nearer. `across` is for a question in one of them and a passage in the other:
    there words say nothing.
    """

    share: float
    slope: float
    words: float
    cut: float
    across: float


NOTHING = Verdict(0.0, "none")
NEAR = Verdict(LEAST, "weak")  # found by a model alone of which it is not known what its cosines mean
SURE = Verdict(1.0, "strong")  # found by a filter, an operator or a phrase: what was required stands there

# Logistic, fitted on the question sets, each counting the same, and in each those with an answer as much as the others.
SPOKEN = {"score": 1.3, "held": 1.6, "ahead": 6.4, "sentence": 2.0}
SPOKEN_START, SPOKEN_LEAST, SPOKEN_MOST = -5.4, -1.1, 1.5
SAID = {"negation": -2.0, "opposite": -1.6, "name": -0.65, "number": -0.8, "kind": -0.5}
SAID_START, SAID_SENTENCE, SAID_WEIGHT = -0.3, 1.0, 1.5
SPOKEN_SCALES = {"use": Scale(0.9, 5.7, 0.22, 0.37, 0.24), "e5-small": Scale(0.65, 35.0, 0.815, 0.9, 0.755)}
SAID_SCALES = {"use": Scale(1.0, 2.2, 0.40, 0.46, 0.40), "e5-small": Scale(0.9, 8.2, 0.87, 0.92, 0.87)}
ACROSS, ACROSS_SAID = 3.0, -1.5  # slopes where the cosine is all there is, and what that says: weak evidence at most


def judge(asked: Question, weights: Mapping[str, float], seen: Seen | None) -> Verdict:
    """Return the verdict on what was found for plain words.

    `weights` are those of the pairs and words of the question. What holds every word that was looked for is strong
    evidence, unless it was asked for as a question; what holds none is none, where no vectors speak for it.
    """
    if seen is None:
        return NOTHING
    told = measure(asked, weights, seen)
    if told.held > 0.999 and not asks(asked):
        return SURE
    model = seen.model if seen.cosine is not None and seen.model in SPOKEN_SCALES else ""
    if not told.held and not model:
        return NOTHING if seen.cosine is None else NEAR
    spoken, said = _spoken(told), _said(told)
    if model and seen.cosine is not None:
        cut = bool(asked.pairs)
        scale = SPOKEN_SCALES[model]
        across = ACROSS * scale.slope * (seen.cosine - scale.across)
        if cut != _is_cut(seen.text) and across > spoken:
            return _verdict(across, ACROSS_SAID, ())
        spoken = _with(scale, spoken, seen.cosine, cut)
        said = _with(SAID_SCALES[model], said, seen.cosine, cut)
    return _verdict(spoken, said, told.doubts)


def rivals(title: str, behind: Iterable[tuple[str, float]]) -> list[float]:
    """Return the scores of passages, given with their titles, without those under the title of the first.

    Passages of one document speak of the same: that they come close says nothing against the first.
    """
    return [score for other, score in behind if other != title or title in ("", "-")]


def _spoken(told: "Told") -> float:
    """Return how much words say that a passage speaks of what is asked, as the logarithm of odds."""
    values = (told.score, told.held, told.ahead, told.sentence)
    return SPOKEN_START + sum(weight * value for weight, value in zip(SPOKEN.values(), values, strict=True))


def _said(told: "Told") -> float:
    """Return how much words say that a passage answers, if it speaks of what is asked, as the logarithm of odds."""
    return SAID_START + SAID_SENTENCE * told.sentence + sum(SAID[doubt] for doubt in told.doubts)


def _with(scale: Scale, words: float, cosine: float, cut: bool) -> float:
    return scale.share * words + scale.slope * (cosine - (scale.cut if cut else scale.words))


def _is_cut(text: str) -> bool:
    """Return whether most of the beginning of a text is in a script without spaces between words."""
    letters = [character for character in text[:400] if character.isalpha()]
    return sum(map(analysis.is_cut, letters)) * 2 > len(letters)


def _verdict(spoken: float, said: float, doubts: tuple[str, ...]) -> Verdict:
    if spoken < SPOKEN_LEAST:
        return Verdict(round(LEAST * _chance(spoken) / _chance(SPOKEN_LEAST), 4), "none", doubts)
    answers = _chance(min(spoken, SPOKEN_MOST) + SAID_WEIGHT * said)
    confidence = round(LEAST + (1 - LEAST) * answers, 4)
    return Verdict(confidence, "strong" if confidence >= STRONG else "weak", doubts)


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-500.0, min(500.0, odds))))


# ------------------------------------------------------------------------------------------ what a passage has


class Told(NamedTuple):
    """What a passage has of a question: its score, the share of what is asked that it holds, how far it is ahead of the
    others, the share that its best sentence and its title hold, and what in that sentence speaks against it."""

    score: float
    held: float
    ahead: float
    sentence: float
    doubts: tuple[str, ...]


def measure(asked: Question, weights: Mapping[str, float], seen: Seen) -> Told:
    """Return what a passage has of a question."""
    weighed = {token: weight * share for token, weight in weights.items() if (share := _share(token))}
    total = sum(weighed.values()) or 1.0
    text = seen.text[:MOST]
    titled = _holding(weighed, seen.title)
    all_held = titled | _holding(weighed, text)
    best, most, sentence = titled, -1.0, ""
    for start, end in sentences(text):
        held = _holding(weighed, text[start:end])
        weight = sum(weighed[token] for token in held)
        if weight > most:
            best, most, sentence = held | titled, weight, text[start:end]
    return Told(
        score=seen.score,
        held=sum(weighed[token] for token in all_held) / total,
        ahead=_ahead(seen.score, seen.rivals),
        sentence=sum(weighed[token] for token in best) / total,
        doubts=tuple(_doubts(asked, sentence, seen.title)),
    )


def _share(token: str) -> float:
    """Return the share of its weight that a pair or word of a question counts: words that only ask count nothing."""
    if not analysis.is_cut(token[0]):
        return 0.0 if token in _ASKING else COMMON if token in _LITTLE else 1.0
    said = [character not in _SAYING_LITTLE for character in token]
    return 1.0 if all(said) else COMMON if any(said) else 0.0


def _holding(weighed: Mapping[str, float], text: str) -> set[str]:
    """Return the pairs and words that stand in a text, words in any form of theirs."""
    folded = analysis.fold_words(text)
    flat = "".join(folded.split())
    stems: set[str] | None = None
    held = set()
    for token in weighed:
        if analysis.is_cut(token[0]):
            if token in flat:
                held.add(token)
            continue
        if stems is None:
            stems = analysis.stems(folded)
        if analysis.stem(token) in stems:
            held.add(token)
    return held


def _ahead(score: float, rivals: Sequence[float]) -> float:
    """Return how far a score is ahead of those behind it. Copies do not count; missing ones count as 0.8."""
    others = [other for other in rivals if other < 0.99 * score][:FOLLOWING]
    others += [min(score, 0.8)] * (FOLLOWING - len(others))
    return math.log((score + 0.01) / (sum(others) / FOLLOWING + 0.1))


# ------------------------------------------------------------------------------------------ what speaks against it


def _doubts(asked: Question, sentence: str, title: str) -> Iterator[str]:
    """Yield the kinds of things that a question has and the sentence that comes nearest has not."""
    question = asked.text
    words, standing = _stems(question), _stems(sentence)
    if _negation.search(question) and not _negation.search(sentence):
        yield "negation"
    opposites = _opposites() if words and standing else {}
    beside = {opposite for word in words - standing for opposite in opposites.get(word, ())}
    if beside & (standing - words):
        yield "opposite"
    named = standing | _stems(title)
    if any(analysis.stem(name.lower()) not in named for name in _names(question)):
        yield "name"
    folded = analysis.fold_words(sentence)
    if any(number.rstrip(".,") not in folded for number in _number.findall(analysis.fold_words(question))):
        yield "number"
    if _lacks_kind(question, sentence):
        yield "kind"


def asks(asked: Question) -> bool:
    """Return whether words are a question, not a name or a list of words to look for."""
    if asked.folded != asked.whole or asked.text.rstrip().endswith(("?", "？")):
        return True
    return any(word in _QUESTION for word in asked.words)


def _stems(text: str) -> set[str]:
    return analysis.stems(analysis.fold_words(text))


def _names(question: str) -> Iterator[str]:
    """Yield the words of a question that are written with a capital, but for the first."""
    for word in _latin.finditer(question):
        if word.start() and word[0][0].isupper():
            yield word[0].removesuffix("'s")


def _lacks_kind(question: str, sentence: str) -> bool:
    """Return whether a time, a number or a person is asked for, and the sentence has none but those of the question."""
    low = question.lower()
    digits = any(number not in question for number in _number.findall(sentence))
    if _when.search(low):
        return not digits and not _time.search(sentence)
    if _many.search(low):
        return not digits and not _counting.search(sentence.lower())
    if _who.search(low):
        words = _stems(question)
        return not any(analysis.stem(name.lower()) not in words for name in _names(sentence))
    return False


_latin = re.compile(r"[A-Za-z][\w'-]*")
_number = re.compile(r"\d[\d,.]*")
_negation = re.compile(
    r"\b(?:not|no|never|none|nor|neither|without|except|unless|cannot|isn|aren|wasn|weren|doesn|didn|won|unable|fail\w*"
    r"|lack\w*|un\w{4,})\b|n't|不|未|没|非|无|無|沒",
    re.IGNORECASE,
)
_when = re.compile(
    r"\bwhen\b|\bwhat (?:year|date|century|decade|day|month)\b|何时|何時|哪一?年|几年|幾年|什[么麼]时候|什麼時候"
)
_many = re.compile(
    r"\bhow (?:many|much|old|long|far|tall|big|large|often)\b|\bwhat (?:percent|number|amount)|多少|几个|幾個"
)
_who = re.compile(r"\bwho(?:m|se)?\b|\bwhich (?:person|king|man)\b")
_time = re.compile(r"centur|\bago\b|during|after|[一二三四五六七八九十]+[年月日]|世纪|世紀|时|時|[后後前]")
_counting = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion|half|third"
    r"|several|dozen|percent)\b|[一二两兩三四五六七八九十百千万萬亿億半]"
)

# Characters and words that say little of what a question is about.
_SAYING_LITTLE = frozenset(
    "的是在于了和与被有为以之其而及或对由从到这那个一年月日时中上下不也就都会能可所把让将向给用因该此则即并但还又再只最更很着过得地里"
    "们么什哪谁何几多少吗呢吧啊者"
)
_question = "what which who whom whose when where why how"
_asking = "much do does did is are was were the a an of in to many"
_little = (
    "on at for from by with and or as be been being am done has have had having that this these those it its"
    " their his her he she they there some any other than then into about between during after before can could"
    " will would should may might must not no name called type kind one two first"
)
_QUESTION = frozenset(_question.split())
_ASKING = _QUESTION.union(_asking.split())
_LITTLE = frozenset(_little.split())
_PAIRS = (
    "increase decrease|before after|first last|largest smallest|high low|higher lower|highest lowest|north south"
    "|east west|northern southern|eastern western|most least|more less|more fewer|begin end|start end|early late"
    "|earlier later|accept reject|win lose|won lost|above below|left right|old new|old young|large small"
    "|big small|long short|strong weak|rich poor|good bad|best worst|increase reduce|rise fall|positive negative"
    "|male female|men women|public private|major minor|allow prevent|support oppose|same different|always never"
    "|all none|inside outside|internal external|maximum minimum|upper lower|open close|true false|easy difficult"
    "|hard easy|fast slow|hot cold|war peace|build destroy|arrive leave|enter leave|buy sell|success failure"
    "|legal illegal|common rare|increase decline|add remove|include exclude|direct indirect|simple complex"
    "|finite infinite|even odd|sea land|religious secular|rural urban|death birth|die born|lead follow"
    "|create destroy|gain lose|permit forbid|import export|majority minority|active passive|expand contract"
    "|agree disagree|day night|summer winter|father mother|son daughter|husband wife|king queen|victory defeat"
    "|domestic foreign|heavy light|wide narrow|thick thin|deep shallow|modern ancient|natural artificial"
    "|optional mandatory|temporary permanent|liberal conservative|empty full"
)


@cache
def _opposites() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.split("|"):
        one, other = map(analysis.stem, pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found
