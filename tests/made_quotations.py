"""Quotations made from any corpus in the manner of the shared sets: right ones, and ones that were tampered with."""

import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conftest import CORPUS

from yuanwen import analysis, tables

HAN = re.compile("[\u3400-\u9fff]")
_LATIN = re.compile("(?<=[A-Za-z0-9])(?=[A-Za-z0-9])")
_WORD = re.compile("(?<=[a-z]{2})(?=[a-z]{2})")
_half = str.maketrans("，。；：？！（）“”‘’「」『』", ',.;:?!()""\'\'""""')
_full = {at: at + 0xFEE0 for at in (*range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))}
_full_digits = {at: at + 0xFEE0 for at in range(0x30, 0x3A)}
_simplified = str.maketrans(tables.TRADITIONAL, tables.SIMPLIFIED)
_traditional = str.maketrans(tables.SIMPLIFIED, tables.TRADITIONAL)

Change = Callable[[str, random.Random], str | None]


@dataclass(frozen=True, kw_only=True)
class Made:
    """A quotation, what was done to the `original`, and the passage that has that."""

    text: str
    original: str
    passage: str
    how: str


def rows(name: str, kind: str) -> list[dict[str, Any]]:
    """Return the lines of a shared set."""
    with gzip.open(CORPUS / name / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def kernel(text: str) -> str:
    """Return the letters and digits of a text, folded: another way to compare than the one that is tested."""
    return "".join(filter(str.isalnum, analysis.fold(text)))


def sentences(text: str) -> Iterator[str]:
    """Yield what is long enough to quote."""
    is_han = 4 * len(HAN.findall(text)) > len(text)
    for found in re.finditer(r"[^。！？]+[。！？]?" if is_han else r"(?s)\S.*?(?:[.!?](?=\s)|\Z)", text):
        sentence = found[0].strip()
        if len(HAN.findall(sentence)) >= 10 or (len(sentence.split()) >= 6 and not HAN.search(sentence)):
            yield sentence


# ------------------------------------------------------------------------------------- what stays the same


def _put(mark: str, places: re.Pattern[str] | None = None) -> Change:
    def put(text: str, chance: random.Random) -> str | None:
        at = [found.start() for found in places.finditer(text)] if places else range(1, len(text))
        if not at:
            return None
        place = chance.choice(at)
        return text[:place] + mark + text[place:]

    return put


def _translated(table: dict[int, Any]) -> Change:
    return lambda text, _: text.translate(table)


def _wrapped(text: str, chance: random.Random) -> str:
    marks = chance.choice(["“”", "「」", "『』", '""', "''", "‘’", "«»", "„“", "《》"])
    return marks[0] + text + marks[1]


def _curly(text: str, _: random.Random) -> str:
    return re.sub(r'"([^"]*)"', r"“\1”", re.sub(r"(?<=\w)'", "’", text))


def _bold(text: str, chance: random.Random) -> str | None:
    words = [found.span() for found in re.finditer(r"(?<![*_`])[A-Za-z]{3,}|[\u4e00-\u9fff]{2,4}", text)]
    if not words or "`" in text:
        return None
    start, end = chance.choice(words)
    return f"{text[:start]}**{text[start:end]}**{text[end:]}"


SAME: dict[str, Change] = {
    "half-width marks": _translated(_half),
    "a line break": _put("\n"),
    "a space": _put(" "),
    "a line break of Windows, indented": _put("\r\n    "),
    "a line break in a word": _put("\n", _LATIN),
    "a space in a word": _put(" ", _LATIN),
    "a hyphen at the end of a line": _put("-\n", _WORD),
    "full-width letters": _translated(_full),
    "full-width digits": _translated(_full_digits),
    "simplified": _translated(_simplified),
    "traditional": _translated(_traditional),
    "quotation marks": _wrapped,
    "spaces doubled": lambda text, _: text.replace(" ", "  "),
    "curly marks": _curly,
    "dashes": lambda text, _: text.replace("-", "–"),
    "capitals": lambda text, _: text.upper(),
    "no full stop": lambda text, _: text.rstrip("。.!！？?"),
    "bold type": _bold,
}


def same(name: str, number: int, seed: int = 1) -> Iterator[Made]:
    """Yield quotations that are the same as what stands in a set, or differ only in ways that fold, one or two each."""
    chance = random.Random(f"{name} {seed}")
    originals = _originals(rows(name, "corpus"))
    for _ in range(number):
        passage, original = chance.choice(originals)
        yield Made(text=original, original=original, passage=passage, how="verbatim")
        one, other = chance.sample(sorted(SAME), 2)
        for ways in ((one,), (other,), (one, other)):
            text: str | None = original
            for way in ways:
                text = SAME[way](text, chance) if text else None
            if text:
                yield Made(text=text, original=original, passage=passage, how=" and ".join(ways))


def _originals(passages: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["id"], sentence) for each in passages for sentence in sentences(each["text"])]


# ----------------------------------------------------------------------------------------- tampered with


def _swap(pattern: str, others: Sequence[str]) -> Change:
    """Return what puts one of these in the place of something that looks like this."""

    def swap(text: str, chance: random.Random) -> str | None:
        places = [found.span() for found in re.finditer(pattern, text)]
        if not places:
            return None
        start, end = chance.choice(places)
        return text[:start] + chance.choice([each for each in others if each != text[start:end]]) + text[end:]

    return swap


def _letter(change: str) -> Change:
    def changed(text: str, chance: random.Random) -> str:
        at = chance.choice([at for at, character in enumerate(text) if character.isalnum()])
        letter = chance.choice([character for character in text if character.isalnum()])
        return text[:at] + ("" if change == "dropped" else letter) + text[at + (change != "added") :]

    return changed


TAMPERED: dict[str, Change] = {
    "a digit changed": _swap(r"\d", "0123456789"),
    "a digit dropped": _swap(r"\d(?=\d)", [""]),
    "a point put into a number": _swap(r"(?<=\d)(?=\d)", ["."]),
    "a point of a number dropped": _swap(r"(?<=\d)[.](?=\d)", [""]),
    "a numeral changed": _swap("[一二三四五六七八九十]", "一二三四五六七八九十"),
    "negated": _swap("(?<=[是能会會有为為可应應在被将將])", ["不", "没有", "未", "非", "无"]),
    "no more negated": _swap(r"不|没有|未|沒有|无|無|\bnot |n't\b|\bnever |\bno |\bwithout ", [""]),
    "negated in English": _swap(r"(?<=\b(?:is|as|re|an|ld|ll|as|ve|ad|id|es|ay|st))(?= )", [" not", "n't", " never"]),
    "a letter dropped": _letter("dropped"),
    "a letter changed": _letter("changed"),
    "a letter added": _letter("added"),
}


def tampered(name: str, number: int, seed: int = 1) -> Iterator[Made]:
    """Yield quotations that were changed: one character, a number, a negation, an answer, or two halves put together.

    Some of them may stand in the set after all.
    """
    chance = random.Random(f"{name} {seed}")
    originals = _originals(rows(name, "corpus"))
    answers = sorted({each for row in rows(name, "queries") for each in row.get("answers", ()) if len(each) > 1})
    for _ in range(number):
        passage, original = chance.choice(originals)
        for how, change in TAMPERED.items():
            if text := change(original, chance):
                yield Made(text=text, original=original, passage=passage, how=how)
        _, other = chance.choice(originals)
        spliced = (
            original[: len(original) * chance.randrange(3, 8) // 10]
            + other[len(other) * chance.randrange(3, 8) // 10 :]
        )
        yield Made(text=spliced, original=original, passage=passage, how="spliced")
        if within := [each for each in answers if each in original]:
            text = original.replace(chance.choice(within), chance.choice(answers), 1)
            yield Made(text=text, original=original, passage=passage, how="answer swapped")
