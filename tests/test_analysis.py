"""Folding keeps what counts and leads back to the original; tokens are the same for documents and questions."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import analysis
from yuanwen.analysis import Folding, fold, tokens
from yuanwen.index.tantivy import SCHEMA

anything = st.text(st.characters(categories=None, exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize(
    ("original", "folded"),
    [
        ("臨時驗證碼", "临时验证码"),
        ("ＡＢＣ１２３", "abc123"),
        ("Café e\u0301", "cafe e"),
        ("Straße", "strasse"),
        ("㈱", "(株)"),
        ("ﬁn", "fin"),
        ("か\u3099ガｶﾞ", "かカカ"),
        ("⼈⽔", "人水"),
        ("“引”‘文’「」", '"引"\'文\'""'),
        ("a‐b–c—d", "a-b-c-d"),
        ("证\u200b据\ufeff", "证据"),
        ("\u1112\u1161\u11ab글", fold("한글")),
        ("①Ⅷ", "1viii"),
        ("𝐁old", "bold"),
    ],
)
def test_variants_of_the_same_words_fold_to_one(original: str, folded: str) -> None:
    assert fold(original) == folded


@given(anything)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(anything)
def test_case_width_and_script_do_not_count(text: str) -> None:
    assert fold(text.lower()) == fold(text.lower().casefold())
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@given(anything)
def test_a_folded_text_leads_back(text: str) -> None:
    folding = Folding(text)
    assert folding.text == fold(text)
    previous = 0
    for place in range(len(folding.text)):
        start, end = folding.span(place, place + 1)
        assert 0 <= start < end <= len(text) and start >= previous
        assert folding.text[place] in fold(text[start:end])
        previous = start
    if folding.text:
        assert fold(text[slice(*folding.span(0, len(folding.text)))]) == folding.text


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("配置API接口的", "配置 置 _api 接口 口的 的"),
        ("C盘", "_c 盘"),
        ("后itgc", "后 _itgc"),
        ("证 据\n不足", "证据 据不 不足 足"),
        ("证据，不足", "证据 据 不足 足"),
        ("v1.0.21", "_v1 _0 _21"),
        ("hello world", "_hello _world"),
        ("か\u3099く", "かく く"),
        ("，。 \n", ""),
        ("", ""),
    ],
)
def test_text_is_cut_into_pairs_and_words(text: str, ordered: str) -> None:
    assert tokens(text).ordered == ordered


def test_terms_hold_stems_parts_of_identifiers_numbered_places_and_symbols() -> None:
    terms = tokens("第三十八条 useEffect running foo_bar C++ v2.8.3").terms.split()
    assert {"第三十八条", "use", "effect", "run", "foo", "bar", "~2b"} <= set(terms)


@given(anything)
def test_tokens_are_made_of_folded_text_alone(text: str) -> None:
    assert tokens(fold(text)).ordered == tokens(text).ordered
    for token in tokens(text).ordered.split(" "):
        assert token == "".join(token.split())


@given(anything)
def test_every_character_of_cut_script_starts_one_token(text: str) -> None:
    cut = [c for c in fold(text) if analysis.is_cut(c)]
    assert [t[0] for t in tokens(text).ordered.split() if not t.startswith("_")] == cut


@given(st.text(st.sampled_from("证据a b，\n1_"), max_size=20), st.text(st.sampled_from("证据a b，\n1_"), max_size=20))
def test_the_tokens_of_a_part_are_among_those_of_the_whole(before: str, after: str) -> None:
    whole = f" {tokens(before + '。证据不足。' + after).ordered} "
    assert " 证据 据不 不足 足 " in whole


def test_a_very_long_word_is_cut_into_pieces_that_overlap() -> None:
    word = "".join(chr(97 + n % 26) + str(n) for n in range(3000))
    pieces = list(analysis.pieces(word))
    assert all(len(piece) <= analysis.WORD_LIMIT for piece in pieces)
    for start in range(0, len(word) - analysis.NEEDLE, 7):
        assert any(word[start : start + analysis.NEEDLE] in piece for piece in pieces)
    assert SCHEMA is not None


@given(anything, anything)
def test_a_border_has_the_token_of_every_string_that_crosses_it(before: str, after: str) -> None:
    left, right = (analysis.squeezed(fold(text)) for text in (before, after))
    marks = set(analysis.border(left[-2:], right[:2]))
    for reach in range(1, 5):
        if left and right:
            assert set(analysis.crossings(left[-reach:] + right[:reach])) & marks
