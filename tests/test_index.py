"""What every index promises: the same passages for the same tokens, filters, and nothing left of what went."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.errors import UsageError
from yuanwen.index import (
    INDEXES,
    All,
    AnyTerm,
    Clause,
    Entry,
    Everything,
    Field,
    Filters,
    Index,
    Phrase,
    Prefix,
    Some,
    Term,
    check_kind,
    index_folder,
)
from yuanwen.index.fts5 import Fts5Index
from yuanwen.index.tantivy import TantivyIndex
from yuanwen.store.connection import Database
from yuanwen.store.reading import START, Position

Opened = Callable[[], Index]


def entry(passage: int, text: str, *, document: int | None = None, title: str = "", terms: str = "") -> Entry:
    return Entry(
        passage=passage,
        document=passage if document is None else document,
        text=text,
        title=title,
        terms=terms,
        media_type="text/plain",
        tags=(),
        dated=0,
    )


def like(one: Entry, **other: Any) -> Entry:
    """Return an entry with other filters."""
    return one._replace(**other)


def open_index(library: Path, kind: str) -> Index:
    if kind == "fts5":
        return Fts5Index(Database(library), "current")
    return TantivyIndex(index_folder(str(library)), "current")


def new_library(folder: Path, kind: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "library.sqlite"
    Library.open(library, index=kind).close()
    return library


@pytest.fixture
def opened(tmp_path: Path, kind: str) -> Iterator[Opened]:
    """A function that opens the index of one library, as a process would."""
    library = new_library(tmp_path, kind)
    made: list[Index] = []

    def open_it() -> Index:
        made.append(open_index(library, kind))
        return made[-1]

    yield open_it
    for index in made:
        index.close()


@pytest.fixture
def index(opened: Opened) -> Index:
    return opened()


def at(seq: int) -> Position:
    return Position(seq, f"change {seq}")


def put(index: Index, seq: int, gone: Iterable[int], entries: Iterable[Entry]) -> None:
    assert index.update(index.refresh(), at(seq), gone, entries)


def found(index: Index, clause: Clause, filters: Filters | None = None, limit: int = 1000) -> set[int]:
    return {passage for passage, _ in index.search(clause, filters or Filters(), limit=limit).hits}


WORDS = [
    entry(1, "证据 据不 不足 足", title="手册 册", terms="证据"),
    entry(2, "缓存 存 _redis _fragment", title="_redis", terms="redi fragment ~2b"),
    entry(3, "证据 据 _fragments 不足 足", terms="fragment"),
]


@pytest.mark.parametrize(
    ("clause", "passages"),
    [
        (Term("text", "证据"), {1, 3}),
        (Term("text", "据"), {3}),
        (Term("title", "_redis"), {2}),
        (Term("terms", "fragment"), {2, 3}),
        (Term("terms", "~2b"), {2}),
        (Term("text", "没有"), set()),
        (Phrase(("证据", "据不", "不足")), {1}),
        (Phrase(("证据", "不足")), set()),
        (Phrase(("据", "_fragments")), {3}),
        (Phrase(("证据",)), {1, 3}),
        (Phrase(("手册", "册"), "title"), {1}),
        (Prefix("据"), {1, 3}),
        (Prefix("_frag"), {2, 3}),
        (Prefix("_red", "title"), {2}),
        (Prefix("龙"), set()),
        (AnyTerm(("_redis", "据不", "没有")), {1, 2}),
        (AnyTerm(()), set()),
        (Some((Term("text", "_redis"), Phrase(("据", "_fragments")))), {2, 3}),
        (Some((AnyTerm(()), Term("text", "_redis"))), {2}),
        (All((Term("text", "证据"), Prefix("_frag"))), {3}),
        (All((Term("text", "证据"), AnyTerm(()))), set()),
        (All((Term("text", "证据"),), but=(Prefix("_frag"),)), {1}),
        (All((Term("text", "证据"),), but=(AnyTerm(()),)), {1, 3}),
        (All((Term("text", "证据"),), rather=(Term("text", "没有"),)), {1, 3}),
        (All((Everything(),), but=(Term("text", "证据"),)), {2}),
        (All((Everything(),), rather=(Term("text", "证据"),)), {1, 2, 3}),
        (Some((Everything(), Term("text", "没有"))), {1, 2, 3}),
        (Everything(), {1, 2, 3}),
    ],
)
def test_a_clause_finds_its_passages(index: Index, clause: Clause, passages: set[int]) -> None:
    put(index, 1, [], WORDS)
    assert found(index, clause) == passages
    counted = index.search(clause, limit=1, count=True)
    assert counted.total == len(passages) and len(counted.hits) == min(1, len(passages))


def test_what_a_passage_has_rather_puts_it_first(index: Index) -> None:
    put(index, 1, [], WORDS)
    for wish in ("_fragments", "据不"):
        clause = All((Term("text", "证据"),), rather=(Term("text", wish),))
        best = index.search(clause, limit=1).hits[0][0]
        assert best == (3 if wish == "_fragments" else 1)


def test_hits_come_best_first_and_a_rarer_word_weighs_more(index: Index) -> None:
    entries = [entry(n, "常见 见 " + ("罕见 见" if n == 7 else f"_w{n}")) for n in range(1, 20)]
    put(index, 1, [], entries)
    hits = index.search(Some((Term("text", "常见"), Term("text", "罕见"))), limit=20).hits
    assert hits[0][0] == 7
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)


def test_an_index_that_is_not_there_finds_nothing(index: Index) -> None:
    assert index.refresh() == START
    assert index.search(Term("text", "证据"), limit=5, count=True).hits == ()
    assert index.frequencies("text", ["证据"]) == [0]
    assert index.words("a", 5) == [] and index.entries() == 0 and index.problems() == []
    index.clear()
    assert index.refresh() == START


def test_a_removed_document_is_not_found(index: Index) -> None:
    put(index, 1, [], [*WORDS, entry(4, "证据 据", document=3)])
    put(index, 2, [3], [])
    assert found(index, Term("text", "证据")) == {1}
    assert found(index, Everything()) == {1, 2}
    assert index.entries() == 2
    put(index, 3, [1], [entry(5, "证据 据", document=1)])
    assert found(index, Term("text", "证据")) == {5}
    assert index.entries() == 2
    put(index, 4, [99], [])
    assert index.entries() == 2


def test_the_position_survives_reopening(opened: Opened) -> None:
    first = opened()
    put(first, 7, [], WORDS)
    assert first.refresh() == at(7)
    put(first, 2**40, [1], [])
    first.close()
    second = opened()
    assert second.refresh() == at(2**40)
    assert found(second, Everything()) == {2, 3} and second.entries() == 2


def test_another_reader_sees_a_commit_when_it_refreshes(opened: Opened) -> None:
    writer, reader = opened(), opened()
    put(writer, 1, [], WORDS[:1])
    assert reader.refresh() == at(1)
    put(writer, 2, [1], WORDS[1:])
    assert reader.refresh() == at(2)
    assert found(reader, Everything()) == {2, 3}


def test_an_update_from_a_position_that_has_passed_does_nothing(opened: Opened) -> None:
    one, other = opened(), opened()
    assert one.update(START, at(1), [], WORDS[:1])
    assert not other.update(START, at(2), [], WORDS[1:])
    assert not other.update(Position(1, "of another history"), at(2), [], WORDS[1:])
    assert other.refresh() == at(1) and found(other, Everything()) == {1}
    assert other.update(at(1), at(2), [], WORDS[1:])
    assert one.refresh() == at(2) and found(one, Everything()) == {1, 2, 3}


def test_an_update_that_fails_changes_nothing(opened: Opened) -> None:
    def broken() -> Iterator[Entry]:
        yield WORDS[1]
        raise RuntimeError("the store fails")

    index = opened()
    put(index, 1, [], WORDS[:1])
    with pytest.raises(RuntimeError):
        put(index, 2, [1], broken())
    other = opened()
    assert other.refresh() == at(1)
    assert found(other, Everything()) == {1}
    put(index, 3, [1], WORDS[1:])
    assert found(index, Everything()) == {2, 3}


def test_frequencies_count_passages(index: Index) -> None:
    put(index, 1, [], WORDS)
    assert index.frequencies("text", ["证据", "据", "_redis", "没有"]) == [2, 1, 1, 0]
    assert index.frequencies("terms", ["fragment", "证据"]) == [2, 1]
    assert index.frequencies("title", ["_redis", "证据"]) == [1, 0]
    assert index.frequencies("text", []) == []


def test_words_are_found_by_any_part(index: Index) -> None:
    put(index, 1, [], [*WORDS, entry(4, "_ragged _défi _123")])
    assert sorted(index.words("rag", 10) or []) == ["_fragment", "_fragments", "_ragged"]
    assert index.words("ragm", 2) is not None and index.words("ragm", 1) is None
    assert index.words("éf", 5) == ["_défi"] and index.words("23", 5) == ["_123"]
    assert index.words("zzz", 5) == [] and index.words("证", 5) == []
    put(index, 2, [], [entry(5, "_dragon")])
    assert "_dragon" in (index.words("rag", 10) or [])


# ---------------------------------------------------------------------------------------------- filters

PLAIN = entry(0, "证据 据")


def test_each_filter_selects(index: Index) -> None:
    put(
        index,
        1,
        [],
        [
            like(PLAIN, passage=1, document=10, media_type="text/html", tags=("工作", "a b"), dated=100),
            like(PLAIN, passage=2, document=10, tags=("工作",), dated=200),
            like(PLAIN, passage=3, document=20, tags=('x"y',), dated=-300),
            like(PLAIN, passage=4, document=2**40, dated=400),
        ],
    )
    for filters, passages in (
        (Filters(documents=frozenset((10,))), {1, 2}),
        (Filters(documents=frozenset((20, 2**40, 77))), {3, 4}),
        (Filters(documents=frozenset()), set()),
        (Filters(media_types=("text/html",)), {1}),
        (Filters(media_types=()), set()),
        (Filters(tags=("工作",)), {1, 2}),
        (Filters(tags=("工作", "a b")), {1}),
        (Filters(tags=('x"y',)), {3}),
        (Filters(tags=("工",)), set()),
        (Filters(unwanted_tags=("工作",)), {3, 4}),
        (Filters(unwanted_tags=("a b", 'x"y')), {2, 4}),
        (Filters(since=200), {2, 4}),
        (Filters(until=200), {1, 2, 3}),
        (Filters(since=-300, until=100), {1, 3}),
        (Filters(documents=frozenset((10, 20)), tags=("工作",), since=150), {2}),
    ):
        for clause in (Term("text", "证据"), Everything(), Prefix("据")):
            assert found(index, clause, filters) == passages, (filters, clause)


def test_a_filter_comes_before_the_cut(index: Index) -> None:
    """Fault 10: 500 better matches of a big collection do not starve the one of a small collection."""
    big = [like(PLAIN, passage=n, document=n, text="证据 据 " * 5, tags=("大",)) for n in range(1, 501)]
    small = like(
        PLAIN, passage=600, document=600, text="证据 据 " + "_x " * 300, tags=("小",), media_type="a/b", dated=9
    )
    put(index, 1, [], [*big, small])
    for filters in (
        Filters(tags=("小",)),
        Filters(unwanted_tags=("大",)),
        Filters(documents=frozenset((600,))),
        Filters(media_types=("a/b",)),
        Filters(since=9),
    ):
        assert found(index, Term("text", "证据"), filters, limit=1) == {600}


def test_thousands_of_filters_and_terms_at_once(index: Index) -> None:
    """Fault 26: no limit on bound parameters, and none on the depth of a query."""
    many = [f"t{n}" for n in range(3000)]
    put(index, 1, [], [*WORDS, like(PLAIN, passage=9, document=9, tags=tuple(many))])
    assert found(index, Everything(), Filters(tags=tuple(many))) == {9}
    assert found(index, Everything(), Filters(unwanted_tags=tuple(many))) == {1, 2, 3}
    assert found(index, Everything(), Filters(documents=frozenset(range(9, 4000)))) == {9}
    assert found(index, Everything(), Filters(media_types=(*many, "text/plain"))) == {1, 2, 3, 9}
    assert found(index, AnyTerm((*many, "_redis"))) == {2}
    terms = tuple(Term("text", token) for token in many)
    assert found(index, Some((*terms, Term("text", "_redis")))) == {2}
    assert found(index, All((Term("text", "缓存"),), but=terms)) == {2}
    assert found(index, All((Term("text", "缓存"),), rather=terms)) == {2}
    assert found(index, All((Term("text", "缓存"), *terms))) == set()


# ----------------------------------------------------------------------------------------------- traces


def traces(folder: Path, words: list[str]) -> list[str]:
    """Return the files in which one of the words stands."""
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


def test_clearing_leaves_no_trace_on_disk(tmp_path: Path, kind: str, opened: Opened) -> None:
    secret = ["机密", "_klandestin", "geheimtag"]
    index = opened()
    put(index, 1, [], [like(PLAIN, passage=n, text="机密 密 _klandestin", tags=("geheimtag",)) for n in range(1, 50)])
    index.close()
    beside = {path.name for path in tmp_path.rglob("*.*") if path.suffix in (".term", ".idx", ".pos", ".store")}
    index = opened()
    index.refresh()
    index.clear()
    assert not beside & {path.name for path in tmp_path.rglob("*")}  # the terms in them are packed
    assert index.refresh() == START and index.entries() == 0
    put(index, 2, [], WORDS)
    assert found(index, Everything()) == {1, 2, 3}
    index.close()
    if kind == "fts5":
        Database(tmp_path / "library.sqlite").checkpoint()
    assert traces(tmp_path, secret) == []


def test_size_counts_what_lies_beside_the_library(index: Index, kind: str) -> None:
    put(index, 1, [], WORDS)
    assert (index.size() > 0) == (kind == "tantivy")


def test_there_is_no_other_kind_of_index() -> None:
    for kind in INDEXES:
        check_kind(kind)
    with pytest.raises(UsageError):
        check_kind("trigram")


# ------------------------------------------------------------------------------------ one and the other

TOKENS = ["甲乙", "乙甲", "甲", "乙", "_a", "_ab", "_abc", "~2c"]
token = st.sampled_from(TOKENS)
texts = st.lists(token, max_size=8).map(" ".join)
fields: st.SearchStrategy[Field] = st.sampled_from(("text", "title", "terms"))
ordered: st.SearchStrategy[Field] = st.sampled_from(("text", "title"))
leaves: st.SearchStrategy[Clause] = st.one_of(
    st.builds(Term, fields, token, st.sampled_from((1.0, 0.5))),
    st.builds(Phrase, st.lists(token, min_size=1, max_size=3).map(tuple), ordered),
    st.builds(Prefix, st.sampled_from(["甲", "乙", "_", "_a", "_ab", "x"]), fields),
    st.builds(AnyTerm, st.lists(token, max_size=3).map(tuple), fields),
    st.just(Everything()),
)


def _more(inner: st.SearchStrategy[Clause]) -> st.SearchStrategy[Clause]:
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    few = st.lists(inner, max_size=2).map(tuple)
    return st.builds(Some, some) | st.builds(All, some, few, few)


clauses = st.recursive(leaves, _more, max_leaves=6)
tags = st.lists(st.sampled_from(("a", "b", "工作")), max_size=2, unique=True).map(tuple)
types = st.sampled_from(("text/plain", "text/html"))
entries = st.lists(st.tuples(st.integers(1, 5), texts, texts, texts, types, tags, st.integers(0, 5)), max_size=8)
filters = st.builds(
    Filters,
    documents=st.none() | st.frozensets(st.integers(1, 6)),
    media_types=st.none() | st.lists(types, max_size=2).map(tuple),
    tags=tags,
    unwanted_tags=tags,
    since=st.none() | st.integers(0, 5),
    until=st.none() | st.integers(0, 5),
)


def holds(clause: Clause, one: Entry) -> bool:
    """Return whether a passage is what a clause asks for, told the plain way."""
    match clause:
        case Term(field, token, _):
            return token in _tokens(one, field)
        case AnyTerm(tokens, field):
            return bool(set(tokens) & set(_tokens(one, field)))
        case Prefix(prefix, field):
            return any(token.startswith(prefix) for token in _tokens(one, field))
        case Phrase(tokens, field):
            have = _tokens(one, field)
            return any(tuple(have[i : i + len(tokens)]) == tokens for i in range(len(have)))
        case Some(parts):
            return any(holds(part, one) for part in parts)
        case All(parts, but, _):
            return all(holds(part, one) for part in parts) and not any(holds(part, one) for part in but)
        case _:
            return True


def _tokens(one: Entry, field: Field) -> list[str]:
    return {"text": one.text, "title": one.title, "terms": one.terms}[field].split()


def selects(filters: Filters, one: Entry) -> bool:
    return (
        (filters.documents is None or one.document in filters.documents)
        and (filters.media_types is None or one.media_type in filters.media_types)
        and set(filters.tags) <= set(one.tags)
        and not set(filters.unwanted_tags) & set(one.tags)
        and (filters.since is None or one.dated >= filters.since)
        and (filters.until is None or one.dated <= filters.until)
    )


@settings(max_examples=40)
@given(entries=entries, asked=st.lists(st.tuples(clauses, filters), min_size=3, max_size=15), gone=st.integers(1, 6))
def test_every_index_finds_what_the_tokens_say(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[tuple[int, str, str, str, str, tuple[str, ...], int]],
    asked: list[tuple[Clause, Filters]],
    gone: int,
) -> None:
    held = [
        Entry(number, document, text, title, terms, media_type, tags, dated)
        for number, (document, text, title, terms, media_type, tags, dated) in enumerate(entries, 1)
    ]
    left = [one for one in held if one.document != gone]
    for kind in INDEXES:
        index = open_index(new_library(tmp_path_factory.mktemp("agree"), kind), kind)
        put(index, 1, [], held)
        put(index, 2, [gone], [])
        for clause, wanted in asked:
            expected = {one.passage for one in left if holds(clause, one) and selects(wanted, one)}
            assert found(index, clause, wanted) == expected, kind
        index.close()
