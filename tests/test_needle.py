"""Where words stand in a text: verbatim first, else folded; at word borders, within a distance."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from yuanwen import analysis
from yuanwen.needle import Needle, WholeWords, near

pieces = st.lists(
    st.sampled_from(
        ["证据", "證據", "a", "B", "é", "e\u0301", " ", "\n", "，", "㈱", "😀", "1", "-", "かか\u3099", "_", "ß"]
    ),
    max_size=20,
).map("".join)


@given(pieces, pieces, pieces)
def test_a_part_of_a_text_is_found_verbatim_where_it_stands(before: str, part: str, after: str) -> None:
    assume(part.strip())
    spans, verbatim = Needle(part).spans(before + part + after)
    assert verbatim and (len(before), len(before) + len(part)) in overlapping(part, before + part + after)
    assert all((before + part + after)[start:end] == part for start, end in spans) and spans
    assert spans == sorted(spans) and all(a[1] <= b[0] for a, b in pairwise(spans))


def overlapping(part: str, text: str) -> list[tuple[int, int]]:
    return [(i, i + len(part)) for i in range(len(text)) if text.startswith(part, i)]


@given(pieces, pieces)
def test_what_is_found_folds_to_what_was_sought(needle: str, text: str) -> None:
    assume(needle.strip())
    spans, verbatim = Needle(needle).spans(text)
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        if not verbatim:
            plain = (analysis.squeezed(analysis.fold(t)) for t in (text[start:end], needle))
            assert len(set(plain)) == 1


@pytest.mark.parametrize(
    ("needle", "text", "found"),
    [
        ("证据", "證據不足", "證據"),
        ("证据不足", "证 据\n不\u3000足。", "证 据\n不\u3000足"),
        ("API接口", "api 接口", "api 接口"),
        ("cafe", "un Café\u0301!", "Café\u0301"),
        ("(株)", "a㈱b", "㈱"),
        ("株", "a㈱b", "㈱"),
        ("a b", "a\n\tb", "a\n\tb"),
        ("据", "😀證據", "據"),
        ("ragm", "Fragment", "ragm"),
        ("“引”", '说"引"', '"引"'),
    ],
)
def test_folded_words_are_found_with_their_span(needle: str, text: str, found: str) -> None:
    (span,) = Needle(needle).spans(text)[0]
    assert text[slice(*span)] == found


@pytest.mark.parametrize(
    ("needle", "text"), [("证据不足", "证据，不足"), ("a b", "ab"), ("ab", "a b"), ("证据。", "证据，"), ("38", "3 8")]
)
def test_punctuation_and_the_space_between_words_count(needle: str, text: str) -> None:
    assert Needle(needle).spans(text)[0] == []


def test_whole_words_start_and_end_where_words_do() -> None:
    def stands(words: str, text: str, *, prefix: bool = False) -> bool:
        return bool(list(WholeWords(words, prefix=prefix).stand(analysis.fold(text))))

    assert stands("run", "a run!") and not stands("run", "running") and not stands("un", "run")
    assert stands("run", "running", prefix=True) and not stands("un", "running", prefix=True)
    assert stands("证据", "的證 據不") and stands("C++", "C++ x") and stands("API", "配置API接口")


def test_words_are_near_within_a_distance() -> None:
    patterns = [WholeWords("缓存"), WholeWords("穿透")]
    assert near(patterns, 0, "缓存穿透") and near(patterns, 0, "穿透 缓存")
    assert near(patterns, 2, "缓存的大穿透") and not near(patterns, 1, "缓存的大穿透")
    assert near([WholeWords("a"), WholeWords("d")], 2, "a b c d") and not near(patterns, 99, "缓存")


def test_many_words_that_stand_often_are_told_near_or_not_without_trying_all_ways() -> None:
    text = "".join(f"{c}{'，间' * 30}" for c in "甲乙丙丁戊己庚辛" * 40)
    assert not near([WholeWords(c) for c in "甲乙丙丁戊己庚辛"], 3, text)
