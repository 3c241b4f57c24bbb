"""Search by meaning: what is said in other words is found too, and words, filters and operators keep their say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Shelf, names
from hashing_embedder import HashingEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.errors import QueryError, Unavailable
from yuanwen.model import Mode

BY_MEANING: tuple[Mode, ...] = ("semantic", "hybrid")


def embed(library: Library) -> None:
    library.use_model(HashingEmbedder())
    library.embed()


def test_a_search_that_names_no_mode_asks_the_vectors_where_there_are_some(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透")
    assert shelf.library.search("缓存").mode == "ranked"
    embed(shelf.library)
    assert shelf.library.search("缓存").mode == "hybrid"
    shelf.library.use_model(None)
    assert shelf.library.search("缓存").mode == "ranked"


def test_a_hit_says_whether_words_or_meaning_found_it(shelf: Shelf) -> None:
    shelf.add(words_txt="the reimbursement deadline", meaning_txt="reimbursements", other_txt="一二三四五六七八九十")
    embed(shelf.library)
    found = shelf.library.search("reimbursement deadline", mode="hybrid")
    assert {Path(hit.source).name: hit.match for hit in found.hits} == {
        "words.txt": "terms+semantic",
        "meaning.txt": "terms+semantic",  # by the stem of a word
        "other.txt": "semantic",
    }
    assert names(found)[0] == "words.txt"
    assert [hit.match for hit in shelf.library.search("reimbursement deadline", mode="ranked").hits] == ["terms"] * 2


def test_semantic_finds_what_shares_no_word_and_words_lead_in_hybrid(shelf: Shelf) -> None:
    shelf.add(near_txt="xrefundablex", words_txt="a refundable deposit, and much else that is said about other things")
    embed(shelf.library)
    assert names(shelf.library.search("refundable", mode="semantic"))[0] == "near.txt"
    assert names(shelf.library.search("refundable", mode="hybrid")) == ["words.txt", "near.txt"]
    assert names(shelf.library.search("refundable", mode="ranked")) == ["words.txt"]


def test_semantic_scores_by_the_cosine_alone(shelf: Shelf) -> None:
    shelf.add(same_txt="缓存穿透", other_txt="缓存雪崩")
    embed(shelf.library)
    found = shelf.library.search("缓存穿透", mode="semantic").hits
    assert found[0].score == pytest.approx(1, abs=0.01) and found[1].score < 0.9
    assert found[0].coverage == 1


@pytest.mark.parametrize("mode", BY_MEANING)
def test_filters_hold_whatever_is_near(shelf: Shelf, mode: Mode) -> None:
    for name, tag in (("a.txt", "x"), ("b.txt", "y")):
        shelf.library.add(shelf.write(f"{tag}/{name}", "缓存穿透的处理办法"), tags=[tag])
    embed(shelf.library)
    assert names(shelf.library.search("缓存穿透", mode=mode, tags=["y"])) == ["b.txt"]
    assert names(shelf.library.search("缓存穿透 source:*/a.txt", mode=mode)) == ["a.txt"]
    assert shelf.library.search("缓存穿透", mode=mode, tags=["z"]).status == "abstain"


def test_operators_are_about_words(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透", b_txt="缓存雪崩", c_txt="缓存击穿")
    embed(shelf.library)
    assert set(names(shelf.library.search("缓存 -雪崩", mode="hybrid"))) == {"a.txt", "c.txt"}
    assert names(shelf.library.search('"缓存穿透"', mode="hybrid")) == ["a.txt"]
    assert shelf.library.search('"缓存血崩"', mode="hybrid").status == "abstain"


@pytest.mark.parametrize("mode", BY_MEANING)
def test_what_is_gone_or_changed_is_not_found_any_more(shelf: Shelf, mode: Mode) -> None:
    shelf.add(a_txt="缓存穿透的处理办法", b_txt="缓存穿透的处理方法")
    embed(shelf.library)
    (shelf.folder / "a.txt").unlink()
    shelf.write("b.txt", "员工手册")
    shelf.library.sync()
    found = shelf.library.search("缓存穿透的处理", mode=mode)
    assert {hit.text for hit in found.hits} <= {"员工手册"}
    assert any("no vectors yet" in note for note in found.notes)
    shelf.library.embed()
    found = shelf.library.search("员工手册", mode=mode)
    assert (names(found), found.notes) == (["b.txt"], ())


def test_pages_of_hybrid_follow_each_other(shelf: Shelf) -> None:
    shelf.add(**{f"n{number}_txt": f"缓存 {'穿透' * (number % 7)} {number}" for number in range(60)})
    embed(shelf.library)
    whole = [hit.id for hit in shelf.library.search("缓存穿透 7", mode="hybrid", limit=60).hits]
    pages = [hit.id for at in range(0, 60, 20) for hit in shelf.library.search("缓存穿透 7", limit=20, offset=at).hits]
    assert pages == whole and len(set(whole)) == 60


def test_without_the_model_hybrid_searches_by_words_and_says_so(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透")
    embed(shelf.library)
    library = shelf.reopen()  # which knows of no model of that name
    found = library.search("缓存")
    assert names(found) == ["a.txt"] and found.hits[0].match == "terms"
    assert "hybrid searched by words alone: there is no model hashing" in found.notes[0]
    with pytest.raises(Exception, match="there is no model hashing"):
        library.search("缓存", mode="semantic")


def test_without_vectors_hybrid_is_ranked_and_semantic_says_how_to_get_some(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透")
    found = shelf.library.search("缓存", mode="hybrid")
    assert names(found) == ["a.txt"] and found.notes == ("the library has no vectors: hybrid searched by words alone",)
    with pytest.raises(Unavailable, match="yuanwen models use"):
        shelf.library.search("缓存", mode="semantic")


def test_a_proof_is_of_words_whatever_vectors_there_are(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透", b_txt="别的")
    before = shelf.library.prove("缓存")
    embed(shelf.library)
    assert shelf.library.prove("缓存").result == before.result


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A library that the properties only read."""
    shelf = Shelf(tmp_path_factory.mktemp("meaning"), "tantivy")
    shelf.add(a_txt="缓存穿透：查询不存在的数据。", b_txt="The cache is cold.", c_txt="😀 ﷺ\0")
    embed(shelf.library)
    yield shelf.library
    shelf.library.close()


@pytest.mark.parametrize("mode", BY_MEANING)
@settings(max_examples=60)
@given(query=st.text(st.sampled_from('缓存 cache"()-*:\0\ud800\ufdfa😀ANDOR'), max_size=12) | st.text(max_size=40))
def test_any_string_can_be_asked_by_meaning(library: Library, mode: Mode, query: str) -> None:
    try:
        found = library.search(query, mode=mode)
    except QueryError:
        assert not query.strip()
    else:
        assert all(0 <= hit.coverage <= 1 for hit in found.hits)
        assert (found.status == "abstain") == (found.absence is not None) == (not found.found)
