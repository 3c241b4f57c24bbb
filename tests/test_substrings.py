"""Any substring of a document is found wherever it stands, also across the borders of passages."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Shelf, write
from extracted import documents
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yuanwen import Library, analysis
from yuanwen.documents import Raw
from yuanwen.extract import EXTRACTORS
from yuanwen.model import Hit
from yuanwen.passages import split

LONGEST = 64

HAN = "的一是在不了有证据不足临时验证码证據臨時驗證碼發髮后後里裏台臺乾干隻只龍龙龜龟𠮷𠀀𡃁㐂〇々豈更車⼀⼈⽔⻄⻝"
KANA = "かがかさしすただはばぱカガパヴｶﾞﾊﾟーゟヿゝゞ"
LATIN = "abcxyzABCXYZéÉñßẞİıſﬁﬃÅÅøłĳǅŉ"
GREEK_AND_OTHERS = "ΣσςωΏжЖёЁاﷺﻼעִกำไทខ្មែရမ한글가각ᄀ"
DIGITS = "0123456789０１２３٣۴²³①⑩Ⅷⅷ½"
WIDE = "ＡＢＣａｂｃ！？（）［］～￥"
EMOJI = "😀🎉👍🏽❤️👩‍👩‍👧🇨🇳1️⃣☺︎"
MARKS = "\u0301\u0300\u0308\u3099\u309a\u20dd\ufe0f\u200d\u200b\u200c\u00ad\u2060\u202e\u2066\u061c\U000e0100"
SPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
MARKUP = "，。、；：？！“”‘’「」『』（）《》【】…—～·.,;:!?'\"()[]{}<>@#$%^&*-_=+|\\/`~§¶†‡•‰′″‐‑–﹣﹏＿‿⁀"
SYMBOLS = "㈱㍿㎏№™℃℉®©㋿㏂ªº‼⁇﹪"
CONTROLS = "\x01\x07\x08\x0e\x1b\x7f\x80\x9f\ufffe\uffff\ue000"

KINDS = (HAN, HAN, HAN, LATIN, LATIN, DIGITS, KANA, GREEK_AND_OTHERS, WIDE, EMOJI, MARKS, SPACE, MARKUP, SYMBOLS)


def words(chance: random.Random) -> Iterator[str]:
    """Yield stretches of one kind of character, now and then a wild one."""
    while True:
        kind = chance.choice(KINDS)
        if chance.random() < 0.03:
            yield chance.choice(CONTROLS)
        elif chance.random() < 0.05:
            yield chr(chance.choice([chance.randrange(1, 0xD800), chance.randrange(0xE000, 0x110000)]))
        yield "".join(chance.choices(kind, k=chance.choice((1, 2, 3, 8))))


def wild(chance: random.Random) -> str:
    """Return a text of several passages: short lines, paragraphs too long for one, words that never end."""
    parts: list[str] = []
    length = chance.choice((700, 1500, 2500))
    source = words(chance)
    while sum(map(len, parts)) < length:
        parts.append(next(source))
        if chance.random() < 0.02:
            parts.append(chance.choice(("\n\n", "\r\n\r\n", "\n# ", "\n## 标题\n", "。\n", "\f")))
        if chance.random() < 0.003:
            parts.append(chance.choice(("x", "据", "é", "e\u0301", "か\u3099", "ﬃ", "_", "。")) * 700)
    text = "".join(parts)
    return text.lstrip("\ufeff\ufffe\uffff").replace("\x00", "") + "完"


def borders(name: str, text: str) -> list[int]:
    """Return where the passages of a file begin, after its first."""
    kind = "text/markdown" if name.endswith(".md") else "text/plain"
    assert kind in EXTRACTORS
    (document,) = documents(Raw(name=name, data=text.encode(), media_type=kind))
    assert document.text == text
    return [passage.start for passage in split(document)[1:]]


def substring(chance: random.Random, text: str, starts: list[int]) -> str:
    """Return a substring that is not all white space, half of the times one that crosses a border."""
    while True:
        length = chance.choice((1, 2, 2, 3, 4, 6, 10, 20, 40, LONGEST))
        start = chance.randrange(len(text))
        if starts and chance.random() < 0.5:
            start = max(0, chance.choice(starts) - chance.randrange(length + 1))
        found = text[start : start + length]
        if found.strip():
            return found


def shows(hit: Hit, wanted: str) -> bool:
    """Return whether a hit marks the words that were wanted, or what folds to the same."""
    assert all(0 <= start < end <= len(hit.text) for start, end in hit.matches)
    marked = [hit.text[start:end] for start, end in hit.matches]
    return wanted in marked or any(_plain(text) == _plain(wanted) for text in marked)


def _plain(text: str) -> str:
    return analysis.squeezed(analysis.fold(text))


def missed(library: Library, source: str, wanted: str) -> bool:
    found = library.search(wanted, mode="exact", limit=2000)
    assert len({(hit.source, hit.start, hit.end) for hit in found.hits}) == len(found.hits)
    return not any(hit.source == source and shows(hit, wanted) for hit in found.hits)


@pytest.mark.parametrize("seed", range(8))
def test_every_substring_of_any_text_is_found(shelf: Shelf, seed: int) -> None:
    chance = random.Random(seed)
    texts: dict[str, str] = {}
    for number in range(5):
        path = shelf.folder / f"{number}{chance.choice(('.txt', '.md'))}"
        texts[str(path)] = wild(chance)
        write(path, texts[str(path)])
    report = shelf.library.add(shelf.folder)
    assert report.indexed == len(texts), report.skipped
    for source, text in texts.items():
        starts = borders(source, text)
        for _ in range(30):
            wanted = substring(chance, text, starts)
            assert not missed(shelf.library, source, wanted), (seed, Path(source).name, wanted)


AROUND = st.text(st.sampled_from("".join(dict.fromkeys("".join(KINDS) + CONTROLS))), max_size=40)


@settings(max_examples=40)
@given(before=AROUND, after=AROUND, data=st.data())
@example(before="か", after="\u3099き", data=None)
@example(before="e", after="\u0301", data=None)
@example(before="x" * 390, after="y" * 390, data=None)
def test_a_substring_is_found_across_a_border_that_falls_anywhere(
    tmp_path_factory: pytest.TempPathFactory, kind: str, before: str, after: str, data: st.DataObject | None
) -> None:
    """A paragraph without a pause is cut after 400 characters, whatever stands there."""
    text = "始" + "字" * (399 - len(before)) + before + after + "符" * 300
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), kind)
    path = shelf.write("a.txt", text)
    report = shelf.library.add(path)
    if report.skipped:
        assert report.skipped[0].reason == "binary file"
    else:
        for border in borders("a.txt", text) if data is None else [data.draw(st.sampled_from(borders("a.txt", text)))]:
            left = 3 if data is None else data.draw(st.integers(1, 32))
            right = 3 if data is None else data.draw(st.integers(1, 32))
            wanted = text[max(0, border - left) : border + right]
            assert not wanted.strip() or not missed(shelf.library, str(path), wanted), wanted
    shelf.library.close()


def test_a_substring_that_runs_over_several_passages_is_found(shelf: Shelf) -> None:
    text = "".join(f"# 第{i}节\n{i}\n" for i in range(30))
    path = shelf.write("a.md", text)
    shelf.library.add(path)
    assert len(shelf.raw()) == 30
    for start in range(len(text) - LONGEST):
        wanted = text[start : start + LONGEST]
        found = shelf.exact(wanted)
        assert [hit.text[slice(*hit.matches[0])] for hit in found] == [wanted]


def test_white_space_folding_and_script_may_differ(shelf: Shelf) -> None:
    shelf.add(a_txt="證 據\n不足，Ｃafé\u0301 か\u3099く ㈱山田  and\tmore")
    for typed in ("证据不足", "證據 不足", "cafe", "CAFÉ", "がく", "かく", "(株)山田", "山田 and more"):
        hits = shelf.exact(typed)
        assert len(hits) == 1 and shows(hits[0], typed), typed
    assert not shelf.exact("andmore")
