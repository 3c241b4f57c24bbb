"""Synonyms: the user's own list of words that count as the same, kept in the library and softly used by a search."""

import json
from pathlib import Path

import pytest
from commandline import Call, call_fixture  # noqa: F401 - a fixture
from conftest import Shelf, names
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.errors import NotFound, UsageError


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    """A shelf of three notes; none of them says 户头."""
    shelf.add(
        a_txt="账户余额不足时，不能转出。",
        b_txt="Close the bank account, then the log-in.",
        c_txt="余额每天结转一次。",
    )
    return shelf


def test_words_are_joined_listed_and_taken_out(shelf: Shelf) -> None:
    library = shelf.library
    assert library.synonyms() == ()
    assert library.add_synonyms("账户", "账号", "Account") == ("账户", "账号", "Account")
    assert library.add_synonyms("苹果", "apple") == ("苹果", "apple")
    assert library.add_synonyms("ACCOUNT", "acct") == ("账户", "账号", "Account", "acct")
    assert set(library.synonyms()) == {("苹果", "apple"), ("账户", "账号", "Account", "acct")}
    assert library.remove_synonyms("賬號") == ("账号",)
    assert library.remove_synonyms("apple") == ("apple", "苹果")
    assert shelf.reopen().synonyms() == (("账户", "Account", "acct"),)


def test_two_groups_with_a_word_in_common_are_one(shelf: Shelf) -> None:
    shelf.library.add_synonyms("a1", "b1")
    shelf.library.add_synonyms("c1", "d1")
    assert shelf.library.add_synonyms("b1", "c1") == ("a1", "b1", "c1", "d1")
    assert len(shelf.library.synonyms()) == 1


@pytest.mark.parametrize(
    "words", [(), ("账户",), ("账户", "賬戶"), ("账户", " "), ("账户", "..."), ("账户", "长" * 61)]
)
def test_what_makes_no_group_is_refused(shelf: Shelf, words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        shelf.library.add_synonyms(*words)
    assert shelf.library.synonyms() == ()


def test_a_word_without_synonyms_cannot_be_taken_out(shelf: Shelf) -> None:
    shelf.library.add_synonyms("账户", "账号")
    with pytest.raises(NotFound):
        shelf.library.remove_synonyms("账户", "苹果")
    assert len(shelf.library.synonyms()) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_file_of_groups_is_taken_in(shelf: Shelf, tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "words.csv"
    file.write_text('# 同义词\n账户,账号\r\n\n苹果，apple;"i phone"\nREST => 接口\t端点\n', encoding)
    assert shelf.library.import_synonyms(file) == (
        ("账户", "账号"),
        ("苹果", "apple", "i phone"),
        ("REST", "接口", "端点"),
    )


def test_a_file_with_a_line_that_is_no_group_is_refused_whole(shelf: Shelf, tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text("账户,账号\n苹果\n", "utf-8")
    with pytest.raises(UsageError, match="line 2"):
        shelf.library.import_synonyms(file)
    assert shelf.library.synonyms() == ()
    with pytest.raises(NotFound):
        shelf.library.import_synonyms(tmp_path / "none.csv")


# ---------------------------------------------------------------------------------------------- search


@pytest.mark.parametrize("mode", ["ranked", "hybrid", "expand"])
def test_a_search_finds_the_synonym_and_says_so(filled: Shelf, mode: str) -> None:
    assert not filled.library.search("户头", mode=mode).hits  # type: ignore[arg-type]
    filled.library.add_synonyms("户头", "账户", "bank account")
    found = filled.library.search("户头", mode=mode)  # type: ignore[arg-type]
    assert sorted(names(found)) == ["a.txt", "b.txt"]
    assert "synonyms count as well: 账户, bank account" in found.notes
    for hit in found.hits:
        assert {hit.text[slice(*span)] for span in hit.matches} in ({"账户"}, {"bank account"})
        assert 0 < hit.coverage < 1


def test_the_word_itself_counts_for_more_than_its_synonym(filled: Shelf) -> None:
    filled.add(d_txt="户头余额不足时，不能转出。")
    filled.library.add_synonyms("户头", "账户")
    assert names(filled.ranked("户头余额不足")) == ["d.txt", "a.txt", "c.txt"]
    assert names(filled.ranked("账户余额不足")) == ["a.txt", "d.txt", "c.txt"]


def test_exact_knows_no_synonyms_but_suggests_them(filled: Shelf) -> None:
    filled.library.add_synonyms("户头", "账户", "不在的词")
    found = filled.library.search("户头", mode="exact")
    assert (found.found, found.notes) == (0, ())
    assert found.absence is not None and found.absence.suggestions[:1] == ("账户",)
    assert "不在的词" not in found.absence.suggestions


def test_a_part_of_a_word_is_not_the_word(filled: Shelf) -> None:
    filled.library.add_synonyms("count", "余额")
    assert not filled.library.search("accounts").notes


def test_without_a_list_a_search_is_as_it_was(filled: Shelf) -> None:
    before = filled.library.search("账户余额")
    filled.library.add_synonyms("别的", "其他")
    after = filled.library.search("账户余额")
    assert (after.hits, after.notes) == (before.hits, before.notes)


def test_operators_ask_for_the_words_themselves(filled: Shelf) -> None:
    filled.library.add_synonyms("户头", "账户")
    assert names(filled.ranked("余额 AND 账户")) == ["a.txt"]
    assert names(filled.ranked("余额 AND 户头")) == []


words = st.lists(st.text(max_size=8), min_size=2, max_size=4)


@given(st.lists(words, max_size=4), st.text(max_size=20))
@settings(max_examples=20)
def test_any_words_and_any_question_go_together(filled: Shelf, groups: list[list[str]], question: str) -> None:
    for group in groups:
        try:
            assert len(filled.library.add_synonyms(*group)) > 1
        except UsageError:
            continue
        asked = f"{question} {group[0]}"
        found = filled.library.search(asked)
        assert all(0 <= start < end <= len(hit.text) for hit in found.hits for start, end in hit.matches)
    for known in filled.library.synonyms():
        filled.library.remove_synonyms(*known)
    assert filled.library.synonyms() == ()


# ----------------------------------------------------------------------------------------- the library


def test_an_export_carries_the_synonyms(filled: Shelf, tmp_path: Path) -> None:
    filled.library.add_synonyms("账户", "账号")
    filled.library.export(tmp_path / "library.jsonl")
    with Library.open(tmp_path / "copy.sqlite") as copy:
        copy.import_(tmp_path / "library.jsonl")
        assert copy.synonyms() == (("账户", "账号"),)
        (tmp_path / "bad.jsonl").write_text(
            '{"yuanwen": "library", "format": 2}\n{"kind": "synonyms", "words": ["x"]}\n', "utf-8"
        )
        with pytest.raises(UsageError, match="line 2"):
            copy.import_(tmp_path / "bad.jsonl")


def test_the_command_line_keeps_the_list(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "en")
    monkeypatch.setenv("YUANWEN_LIBRARY", str(tmp_path / "library.sqlite"))
    (tmp_path / "a.txt").write_text("账户余额", "utf-8")
    assert call("synonyms", "add", "a", "b")[0] == 3
    call("add", tmp_path / "a.txt")
    assert call("synonyms")[1] == "There are no synonyms. Add some with: yuanwen synonyms add WORD WORD\n"
    assert call("synonyms", "add", "账户", "户头")[:2] == (0, "These count as the same: 账户, 户头\n")
    assert json.loads(call("synonyms", "--json")[1]) == {"synonyms": [["账户", "户头"]]}
    assert "synonyms count as well: 账户" in call("search", "户头")[2]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert "同义词也算：账户" in call("search", "户头")[2]
    assert call("synonyms", "remove", "户头")[1] == "已去掉：户头、账户\n"
    (tmp_path / "words.csv").write_text("账户,户头\n", "utf-8")
    assert call("synonyms", "import", tmp_path / "words.csv")[1] == "收入 1 组\n"
    assert call("synonyms", "remove", "没有")[2].startswith("yuanwen: 没有 没有同义词。")
    for wrong in (("list", "x"), ("add",), ("import",), ("import", "a", "b"), ("sort",)):
        assert call("synonyms", *wrong)[0] == 2
