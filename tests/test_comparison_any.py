"""Whatever the text: its own words are verbatim, and no change of them passes or goes unnamed."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from matched import check

from yuanwen import tables
from yuanwen.comparison import Original, Quotation, keys, nearest, pieces, standing
from yuanwen.comparison.keyed import Keyed
from yuanwen.comparison.places import SMALL, Places, occurrences
from yuanwen.comparison.sameness import key

signs = st.sampled_from(
    [
        *"证据不足除外未三千1942.,，。；：“”「」‘’'\"…—-–()（）！？%*_`\\&<>·~　\t\n  ", *"aBcdeT", "not ", "un", "é",
        "e\u0301", "ﬁ",
        "evi-\ndence", "\u200b", "\u00ad", "Ａ", "１", "²", "①", "證據", "가", "ᄀ", "か\u3099", "ｶﾞ", "……",
        "[...]", "（略）",
        "&quot;", "<br>", "**", "\r\n", "😀", "𠀾", "\0", "\ud800", "ไทย", "的", "了", "English", "words ",
    ]
)  # fmt: skip
texts = st.lists(signs, max_size=60).map("".join) | st.text(max_size=60)
REAL = (
    "第三十八条　犯罪嫌疑人在1942年3月5日以前，不得与未成年人会见；但“紧急情况”除外——例如：（一）生病……"
    "The court did not find any evi-\ndence of “wrong-doing” on 3 May 1950, and the café couldn't re-open. "
    "證據不足的，應當不起訴。面積為１０７,７７１平方公里，約佔12.5%。"
)
stretches = st.tuples(st.integers(0, len(REAL)), st.integers(8, 60)).map(lambda t: REAL[t[0] : t[0] + t[1]])


@given(texts, texts, texts)
def test_any_part_of_a_text_is_verbatim_where_it_stands(before: str, part: str, after: str) -> None:
    assume(part)
    text = before + part + after
    match = standing(Quotation(part), Original(text), (len(before), len(before) + len(part)))
    assert match and match.status == "verbatim" and text[match.start : match.end] == part
    indexed = Original(text)
    indexed.expect(keys([Quotation(part)]))
    assert standing(Quotation(part), indexed) == standing(Quotation(part), Original(text))


@settings(max_examples=400)
@given(stretches, st.integers(0, 60), st.sampled_from(["put", "drop", "change"]), signs.filter(lambda s: len(s) == 1))
def test_no_change_of_a_character_is_verbatim_and_each_is_named(part: str, at: int, how: str, sign: str) -> None:
    assume(len(part) >= 8)
    at %= len(part)
    quoted = part[:at] + ("" if how == "drop" else sign) + part[at + (how != "put") :]
    assume(quoted not in REAL)
    match = nearest(Quotation(quoted), Original(REAL))
    assert match and match.status != "verbatim"
    check(match, quoted, REAL)


@settings(max_examples=200)
@given(texts, texts)
def test_no_text_is_too_odd_to_be_compared(quoted: str, text: str) -> None:
    match = nearest(Quotation(quoted), Original(text))
    if match:
        check(match, quoted, text)
        assert (match.status == "verbatim") <= (quoted in text or len(Quotation(quoted).parts) > 1)
    assert isinstance(Quotation(quoted).is_short, bool)
    found = pieces(text, quoted)
    assert "".join(piece for sign, piece in found if sign != "+") == text
    assert "".join(piece for sign, piece in found if sign != "-") == quoted


_WIDE = {ord(c): chr(ord(c) + 0xFEE0) for c in "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"}
_TRADITIONAL = dict(zip(map(ord, tables.SIMPLIFIED), tables.TRADITIONAL, strict=True))
_HALF = str.maketrans("，。；：（）", ",.;:()")
VARIANTS: dict[str, Callable[[str], str]] = {
    "width": lambda text: text.translate(_WIDE),
    "script": lambda text: text.translate(_TRADITIONAL),
    "punctuation": lambda text: text.translate(_HALF),
    "white space": lambda text: text.replace("，", "，\n").replace("不", " 不"),
    "case": str.upper,
    "form": lambda text: text.replace("的", "\u200b的"),
}


@pytest.mark.parametrize("folding", VARIANTS)
@given(
    st.lists(st.sampled_from(["证据不足的，", "3月", "ABC", "b", "（一）", "无效。", "当事人", "；"]), min_size=3).map(
        "".join
    )
)
def test_a_variant_is_normalised_by_exactly_its_folding(folding: str, text: str) -> None:
    quoted = VARIANTS[folding](text)
    assume(quoted.strip() not in text)
    match = nearest(Quotation(quoted), Original(f"前{text}后"))
    assert match and (match.status, match.folding) == ("normalised", (folding,))


@given(st.lists(signs, max_size=600).map("".join))
def test_the_key_of_a_text_leads_back_to_it(text: str) -> None:
    long = text * 8
    keyed = Keyed(long)
    assert keyed.text == key(long)
    places = [keyed.source(at) for at in range(len(keyed.text))]
    assert places == sorted(places)
    for at, place in enumerate(places):
        assert keyed.text[at] in key(long[place]) or long[place] in "-\u2010.…—–"


@given(st.integers(), st.integers(2, 6), st.sets(st.text("甲乙丙丁𠀾a", min_size=1, max_size=9)))
def test_strings_that_are_looked_for_together_are_found_like_each_alone(
    seed: int, kinds: int, others: set[str]
) -> None:
    chance = Random(seed)
    text = "".join(chance.choices("甲乙丙丁𠀾a"[:kinds], k=SMALL + 200))
    starts = [chance.randrange(SMALL + 170) for _ in range(20)]
    soughts = {*others, *(text[start : start + size] for size, start in enumerate(starts, 3))}
    together = Places(text, soughts)
    for sought in soughts:
        for first, last in ((0, len(text)), (7, SMALL + 150)):
            assert list(together.find(sought, first, last)) == list(occurrences(sought, text, first, last))


@given(st.lists(signs, min_size=1, max_size=300).map("".join), st.data())
def test_a_part_of_a_text_is_within_what_its_key_says_about_it(text: str, data: st.DataObject) -> None:
    long = text * 8
    keyed = Keyed(long)
    start = data.draw(st.integers(0, len(long) - 1))
    end = data.draw(st.integers(start + 1, len(long)))
    first, last = keyed.about(start, end)
    assert first <= keyed.at(start) <= keyed.at(end) <= last
