"""A user's own library -> a draft of a question set about it, for a person to correct.

Questions are made from single sentences: a number is asked for, or what something is, or its rarest words stand for it.
"""

import csv
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from yuanwen.errors import UsageError
from yuanwen.evaluation.sets import COLUMNS
from yuanwen.library import Library, extract
from yuanwen.sentences import sentences

QUESTIONS = 40
ONE_ALTERED = 4  # of so many answerable questions one is also asked of something that is not there
TRIES = 8  # passages that are looked at for each question
LONGEST = 60  # characters of a quote
KEYWORDS = 3
FORMULA = tuple("=+-@\t\r")  # with these a cell begins that a spreadsheet computes

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_gap = re.compile(rf"(?<=[{_HAN}，。；：、]) (?=[{_HAN}])")
_clause = re.compile(r"[^，。；：！？、,;:!?\n]+")
_FIGURES = "一二三四五六七八九十百千"
_INSTEAD = {"year": "哪一年", "day": "哪一天", "share": "百分之多少"}
_COMMON = frozenset(
    """about after again before being could every other shall should since still their there these thing things those
    through under until where which while whose would without another anything something""".split()  # noqa: SIM905
)
_han_number = re.compile(
    rf"(?P<year>(?:\d{{4}}|[{_FIGURES}〇零]{{4}})年)|(?P<day>[\d{_FIGURES}]+月[\d{_FIGURES}]+日)|(?P<share>\d[\d.]*[%％]|百分之[{_FIGURES}]+)"
    rf"|(?<![第\d〇零])(?P<number>\d[\d,.]*|[二三四五六七八九十两][{_FIGURES}]{{0,4}})"
    r"(?P<unit>小时|分钟|公里|公斤|个|名|人|元|万|亿|次|条|项|天|年|米|吨|倍|岁|种|家|本|页|件)"
)
_number = re.compile(r"\b(?:(?P<year>[Ii]n (?:1[5-9]|20)\d\d)|(?P<number>\d[\d,.]*)(?= [a-z]{3,}s\b))\b")
_han_definition = re.compile(rf"^(?P<name>[{_HAN}A-Za-z0-9·]{{2,14}}?)(?:是指|指的是|是一种|是一个|是一项|，是)")
_definition = re.compile(r"^(?:The |An? )?(?P<name>[A-Za-z][\w-]*(?: [\w-]+){0,3}?) (?P<verb>is|are) (?:an?|the) ")
_vague = re.compile(
    r"^(?:[其这该此它他她并但而则也又即若如]|所以|因此|由于|另外"
    r"|(?:It|This|That|These|He|She|They|There|Neither|Both|Each|Nothing|What|Which|If)\b)"
)
_word = re.compile(rf"[A-Za-z][A-Za-z-]{{4,}}|[{_HAN}]+")
_joins = re.compile("[的了和是在与及或被把将对为以由从到等也都不有这那其此于而并且中上下个时所之可能会应须]+")
_prose = re.compile(rf"[\w《“「{_HAN}][^|`_={{}}<>\\\t]{{8,158}}[。！？.!?][”」]?")


class Draft(NamedTuple):
    """A row of a question set. Of one that is not answerable source and quote are empty."""

    question: str
    source: str
    quote: str
    answerable: bool
    kind: str


class Asked(NamedTuple):
    """A question made from a sentence, and the word on which it turns."""

    text: str
    kind: str
    word: str


def draft(
    library: Library, *, questions: int = QUESTIONS, seed: int = 1, left_out: Sequence[Path] = ()
) -> tuple[Draft, ...]:
    """Return a draft of `questions` answerable questions at most, and of some that have no answer in the library.

    Those are asked of a name put together from two, which stands nowhere, and of the files `left_out`, which are not
    in the library. The same library and seed give the same draft. Raises UsageError for a library without sentences.
    """
    chance = random.Random(seed)
    drafts: dict[str, Draft] = {}
    words: list[tuple[str, Asked]] = []
    for source, text in _sampled(library, chance, questions * TRIES):
        made = _made(library, text, chance)
        if made is not None and made[0].text not in drafts and source[:1] not in FORMULA:
            question, quote = made
            drafts[question.text] = Draft(question.text, source, quote, True, question.kind)
            words.append((source, question))
        if len(drafts) == questions:
            break
    if not drafts:
        raise UsageError("the library has no sentence to make a question of", hint="Add documents: yuanwen add FOLDER")
    drafts |= {each.question: each for each in _altered(library, words, chance)}
    drafts |= {each.question: each for each in _about(library, left_out, chance, len(words) // ONE_ALTERED)}
    return tuple(drafts.values())


def write(drafts: Sequence[Draft], path: Path) -> None:
    """Write a draft as CSV, for people and their spreadsheets. Raises UsageError for a file that is there already."""
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as file:  # with the mark by which spreadsheets know UTF-8
            rows = csv.writer(file)
            rows.writerow(COLUMNS)
            for each in drafts:
                rows.writerow((each.question, each.source, each.quote, "yes" if each.answerable else "no", each.kind))
    except FileExistsError as error:
        raise is_there(path) from error


def is_there(path: Path) -> UsageError:
    """Return the error for a file that is not written over."""
    return UsageError(
        "{path} is there already", hint="Name another file, so that nothing you edited is lost.", path=path
    )


# ------------------------------------------------------------------------------------------ answerable


def _sampled(library: Library, chance: random.Random, most: int) -> Iterator[tuple[str, str]]:
    """Yield source and text of passages of the library, in an order of chance, from many documents."""
    documents = library.list()
    places = [(document, number) for document in documents for number in range(1, document.passages + 1)]
    for document, number in chance.sample(places, min(most, len(places))):
        for hit in library.show(f"{document.id}-{number}"):
            yield document.source, hit.text


def _made(library: Library, text: str, chance: random.Random) -> tuple[Asked, str] | None:
    """Return a question about one sentence of a text, and the quote that answers it; of keywords, if nothing better."""
    told = [line for start, end in sentences(text) if _prose.fullmatch(line := _line(text[start:end]))]
    chance.shuffle(told)
    for sentence in told:
        made = asked(sentence)
        if made is not None:
            return made, _quote(sentence)
    for sentence in told:
        made = _keywords(library, sentence)
        if made is not None:
            return made, _quote(sentence)
    return None


def _line(text: str) -> str:
    """Return a text on one line, Chinese that a line break parted joined again."""
    return _gap.sub("", " ".join(text.split()))


def asked(sentence: str) -> Asked | None:
    """Return a sentence turned into a question: for its number, or for what something is. Else None."""
    return _number_asked(sentence) or _definition_asked(sentence)


def _quote(sentence: str) -> str:
    """Return the start of a sentence, whole words of it."""
    if len(sentence) <= LONGEST:
        return sentence
    cut = max(sentence.rfind(mark, 0, LONGEST) for mark in " ，；、。")
    return sentence[: cut if cut > 10 else LONGEST].rstrip("，；、 ")


def _number_asked(sentence: str) -> Asked | None:
    """Return a clause with its number asked for: 保修期为多少个月？"""
    if not re.search(f"[{_HAN}]", sentence):
        return _english_number(sentence)
    before = ""
    for match in _clause.finditer(sentence):
        last, clause = before, match[0].strip()
        before = clause
        found = _han_number.search(clause)
        if found is not None and not found.start() and last:  # what is counted stands before it
            clause = f"{last}，{clause}"
            found = _han_number.search(clause, len(last) + 1)
        if found is None or _vague.match(clause) or len(re.findall(f"[{_HAN}]", clause)) < 5 or len(clause) > 32:
            continue
        instead = _INSTEAD.get(found.lastgroup or "", f"多少{found['unit']}")
        asked = clause[: found.start()] + instead + clause[found.end() :]
        return Asked(f"{asked}？", "number", _longest(clause))
    return None


def _english_number(sentence: str) -> Asked | None:
    line = " ".join(sentence.split())
    found = _number.search(line)
    if found is None or _vague.match(line) or not 5 <= len(line.split()) <= 18:
        return None
    asked = line[: found.start()] + ("in which year" if found["year"] else "how many") + line[found.end() :]
    asked = asked[:1].upper() + asked[1:].rstrip(".!")
    return Asked(f"{asked}?", "number", _longest(line))


def _definition_asked(sentence: str) -> Asked | None:
    """Return what something is: 缓存穿透是什么？"""
    if _vague.match(sentence):
        return None
    found = _han_definition.search(sentence)
    if found is not None:
        return Asked(f"{found['name']}是什么？", "definition", found["name"])
    found = _definition.search(sentence)
    if found is not None:
        return Asked(f"What {found['verb']} {found['name']}?", "definition", found["name"])
    return None


def _keywords(library: Library, sentence: str) -> Asked | None:
    """Return the words of a sentence that are rarest in the library, in their order."""
    words = list(dict.fromkeys(_words(sentence)))[:12]
    if len(words) < KEYWORDS:
        return None
    rarest = sorted(words, key=lambda word: library.search(f'"{word}"', mode="exact", limit=1).found)[:KEYWORDS]
    kept = [word for word in words if word in rarest]
    return Asked(" ".join(kept), "keywords", rarest[0])


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text that say something: of Chinese what stands between the words that join others."""
    for found in _word.findall(text):
        if not found.isascii():
            yield from (each for each in _joins.split(found) if 2 <= len(each) <= 8)
        elif found.lower() not in _COMMON:
            yield found


def _longest(text: str) -> str:
    return max(_words(text), key=len, default="")


# ---------------------------------------------------------------------------------------- unanswerable


def _altered(library: Library, made: Sequence[tuple[str, Asked]], chance: random.Random) -> Iterator[Draft]:
    """Yield questions of which the main word is exchanged for that of another document, or for one made of both."""
    fit = [(source, each) for source, each in made if len(each.word) > 2 and each.word in each.text]
    wanted = max(1, len(made) // ONE_ALTERED)
    for source, each in chance.sample(fit, len(fit)):
        others = [other.word for place, other in fit if place != source and other.word.isascii() == each.word.isascii()]
        for other in chance.sample(others, min(TRIES, len(others))):
            name = _spliced(each.word, other) if each.kind == "definition" else other
            question = each.text.replace(each.word, name)
            if question != each.text and not _stands_together(library, question):
                yield Draft(question, "", "", False, "altered")
                wanted -= 1
                break
        if not wanted:
            return


def _spliced(first: str, second: str) -> str:
    """Return the first half of one name with the second half of another: in words where there are several."""
    if first.isascii():
        return f"{first.split()[0]} {second.split()[-1]}"
    return first[: (len(first) + 1) // 2] + second[len(second) // 2 :]


def _stands_together(library: Library, question: str) -> bool:
    """Return whether a passage has all the words of a question."""
    words = [word.removesuffix("是什么") for word in _words(question)]
    return any(all(word in hit.text for word in words) for hit in library.search(question).hits)


def _about(library: Library, files: Sequence[Path], chance: random.Random, most: int) -> Iterator[Draft]:
    """Yield questions that files answer which the library does not have."""
    texts = [passage.text for file in files for _, passages in extract(file).documents for passage in passages]
    wanted = max(1, most)
    for text in chance.sample(texts, len(texts)):
        made = _made(library, text, chance)
        if made is not None and not library.search(made[1], mode="exact", limit=1).found:
            yield Draft(made[0].text, "", "", False, "left out")
            wanted -= 1
        if not wanted:
            return
