"""Near words: for a word that the library does not have, words of it that sound alike or are written alike."""

import string
from collections.abc import Iterator

import pytest
from conftest import Shelf, names
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yuanwen import Library, analysis, near
from yuanwen.absence import Suggestion
from yuanwen.comparison.stretches import distance
from yuanwen.index import INDEXES

TEXT = """用户可以注销账户，账户余额须先清零。登录密码至少八位，登陆地点会记录在案。

证据不足的，不予受理。扎克伯格在会上说明了语言学家的看法。

The kubernetes cluster runs python, and the vacuum cleaner runs itself. Version 2024 replaces 2023.

各种币种之间的转换须经批准。繁体字与简体字一并检索。繁體字也是。
"""


@pytest.fixture(scope="module", params=INDEXES)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library of a few lines, which tests only read, for each kind of index."""
    shelf = Shelf(tmp_path_factory.mktemp("near"), request.param)
    shelf.add(a_txt=TEXT)
    yield shelf.library
    shelf.library.close()


def suggested(library: Library, *texts: str) -> list[tuple[str, str]]:
    with library._scope(superseded=False) as (scope, _):
        return [(each.word, each.kind) for each in near.suggestions(scope, texts)]


@pytest.mark.parametrize(
    ("asked", "word", "kind"),
    [
        ("帐户", "账户", "sound"),
        ("怎么注销帐户", "注销账户", "sound"),
        ("登路密码", "登录密码", "sound"),
        ("凳录", "登录", "sound"),
        ("正据", "证据", "sound"),
        ("扎克柏格", "扎克伯格", "sound"),
        ("语言学甲", "语言学家", "sound"),
        ("证据部族", "证据不足", "sound"),
        ("政剧", "证据", "sound"),
        ("zhanghu", "账户", "sound"),
        ("zhengju", "证据", "sound"),
        ("置换", "转换", "characters"),
        ("换转", "转换", "characters"),
        ("kuberntes", "kubernetes", "spelling"),
        ("pyhton", "python", "spelling"),
        ("Vaccum", "vacuum", "spelling"),
        ("ppython", "python", "spelling"),
        ("ython", "python", "spelling"),
        ("jython", "python", "spelling"),
    ],
)
def test_what_was_meant_comes_first(library: Library, asked: str, word: str, kind: str) -> None:
    found = suggested(library, asked)
    assert found[:1] == [(word, kind)]
    assert len(found) <= near.MOST


def test_a_traditional_word_is_asked_and_answered_alike(library: Library) -> None:
    assert suggested(library, "賬戶餘額") == []
    assert suggested(library, "帳戶餘額")[:1] == [("账户余额", "sound")]
    assert suggested(library, "煩體字")[:1] == [("繁体字", "sound")]


@pytest.mark.parametrize("asked", ["账户", "the kubernetes", "2025", "x", "", "？！", "银河系漫游指南", "qwrtzpsdfg"])
def test_nothing_is_suggested_for_what_is_there_or_like_nothing(library: Library, asked: str) -> None:
    assert suggested(library, asked) == []


def test_each_word_is_said_to_be_near_to_its_own_term(library: Library) -> None:
    with library._scope(superseded=False) as (scope, _):
        found = near.suggestions(scope, ["帐户 pyhton"])
    assert Suggestion(term="帐户", word="账户", kind="sound") in found
    assert Suggestion(term="pyhton", word="python", kind="spelling") in found


def test_an_absence_suggests_near_words(library: Library) -> None:
    found = library.search("帐户", mode="exact")
    assert found.absence is not None
    assert found.absence.missing_terms == ("帐户",)
    assert found.absence.suggestions[0] == "账户"


def test_a_word_that_is_gone_is_suggested_no_more(shelf: Shelf) -> None:
    shelf.add(a_txt="账户", b_txt="张户")
    assert names(shelf.exact("账户")) == ["a.txt"]
    shelf.write("a.txt", "别的")
    shelf.library.sync()
    assert suggested(shelf.library, "帐户") == [("张户", "sound")]


def test_an_empty_library_suggests_nothing(shelf: Shelf) -> None:
    assert suggested(shelf.library, "帐户 pyhton zhanghu") == []


PIECES = [
    "帐户",
    "登路",
    "正据",
    "缓存",
    "pyhton",
    "zhanghu",
    "kubernets",
    "_",
    "\ud800",
    "\0",
    "か",
    "서버",
    "é",
    "2025",
]
questions = st.text(st.characters(categories=None), max_size=40) | st.lists(st.sampled_from(PIECES)).map("".join)


@given(questions)
@example("帐" * 500)
@example("户帐" * 6)
@example("z" * 2000)
@example("zhuang" * 4)
@settings(max_examples=40)
def test_any_text_gives_words_that_stand_in_the_library(library: Library, text: str) -> None:
    with library._scope(superseded=False) as (scope, _):
        found = near.suggestions(scope, [text])
    per_term: dict[str, int] = {}
    for each in found:
        assert library.search(each.word, mode="exact").found, each
        assert each.word not in text
        per_term[each.term] = per_term.get(each.term, 0) + 1
    assert all(count <= near.MOST for count in per_term.values())


# ------------------------------------------------------------------------------------------------ edits


def edited(one: str, other: str) -> int:
    """Return the optimal string alignment distance of two words, from its table."""
    rows = [[i + k if not i * k else 0 for k in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for k in range(1, len(other) + 1):
            changed = rows[i - 1][k - 1] + (one[i - 1] != other[k - 1])
            rows[i][k] = min(rows[i - 1][k] + 1, rows[i][k - 1] + 1, changed)
            if i > 1 and k > 1 and one[i - 2 : i] == other[k - 1 : k - 3 if k > 2 else None : -1]:
                rows[i][k] = min(rows[i][k], rows[i - 2][k - 2] + 1)
    return rows[-1][-1]


letters = st.text("abc", max_size=7)


@given(letters, letters, st.integers(0, 2))
def test_edits_are_counted_as_the_table_counts_them(one: str, other: str, most: int) -> None:
    count = edited(one, other)
    assert distance(one, other, most) == (count if count <= most else None)


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("账", "帐", 0),
        ("登", "等", 1),
        ("张", "脏", 2),
        ("兰", "南", 2),
        ("音", "英", 2),
        ("乐", "月", 0),
        ("行", "航", 0),
    ],
)
def test_characters_sound_alike(one: str, other: str, far: int) -> None:
    assert near.alike(one)[other] == far == near.alike(other)[one]


def test_what_sounds_alike_is_one_folded_character_and_another() -> None:
    for character in "帐户登录乐行" + string.ascii_letters + "か서\0":
        for other in near.alike(character):
            assert other != character and analysis.fold(other) == other
