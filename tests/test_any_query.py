"""Any string is a query: none makes a search fail but an empty one and a time that cannot be read."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Shelf, records
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.errors import QueryError, UsageError
from yuanwen.index import INDEXES
from yuanwen.model import MODES, Mode

WORDS = ["缓存", "穿透", "雪崩", "redis", "fragment", "证", "据", "P001", "1.0.21", "C++", "é", "㈱", "か\u3099", "😀"]
SYNTAX = [
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "NEAR(缓存 穿透, 5)",
    ",",
    "(",
    ")",
    '"',
    "-",
    "*",
    ":",
    "title:",
    "tag:",
    "^",
    "+",
]
SYNTAX += [
    "source:",
    "type:",
    "-tag:",
    "-title:",
    "“",
    "”",
    "‘",
    "「",
    "『",
    "\0",
    "\ud800",
    "\udfff",
    "~",
    "\\",
    "_",
    "'",
]
SPACE = ["", " ", "\n", "\u3000", "\x1f"]

soup = st.lists(st.sampled_from(WORDS + SYNTAX + SPACE * 3), min_size=1, max_size=25).map("".join)
spaced_soup = st.lists(st.sampled_from(WORDS + SYNTAX), min_size=1, max_size=20).map(" ".join)
nested = st.builds(
    lambda depth, inside, closed: "(" * depth + inside + ")" * (depth if closed else depth // 2),
    st.integers(1, 200),
    st.sampled_from(["缓存", "缓存 OR redis", "", "NOT redis", "-redis 缓存", '"缓存']),
    st.booleans(),
)
anything = st.text(st.characters(categories=None), max_size=60)  # lone surrogates as well
queries = soup | spaced_soup | nested | anything

BY_WORDS = [mode for mode in MODES if mode != "semantic"]


@pytest.fixture(scope="module", params=INDEXES)
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), request.param)
    shelf.add(
        a_md="# 缓存手册\n\n## 缓存穿透\n\n缓存穿透会打到数据库。redis 1.0.21\n\n"
        '## 雪崩\n\nfragment (C++) "x" AND OR NOT\n',
        b_txt="证据不足，e\u0301 か\u3099 ㈱ 😀\n\n" + "很长的一段。" * 200,
        c_jsonl=records({"id": "P001", "body": "一条记录", "tags": ["工作"]}),
    )
    shelf.write("a.md", "# 缓存手册\n\n## 缓存穿透\n\n改过的缓存穿透。redis\n")
    shelf.add()
    yield shelf.library
    shelf.library.close()


def ask(library: Library, query: str, mode: Mode, **filters: Any) -> None:
    found = library.search(query, mode=mode, all_versions=bool(len(query) % 2), tags=[], **filters)
    assert (found.found > 0) == (found.status == "evidence_found") == (found.absence is None)
    assert found.found >= len(found.hits)
    for hit in found.hits:
        assert hit.excerpt in hit.text and len(hit.excerpt) <= 200
        assert list(hit.matches) == sorted(hit.matches)
        assert all(0 <= start < end <= len(hit.text) for start, end in hit.matches)


@pytest.mark.parametrize("mode", BY_WORDS)
@settings(max_examples=80)
@given(query=queries)
@example(query='a"b')
@example(query="foo AND")
@example(query="(x")
@example(query="C++")
@example(query="k:v")
@example(query="*")
@example(query="NEAR(")
@example(query="-")
@example(query="“证据”")
@example(query="\0")
@example(query="\ud800")
@example(query="证\udc00据")
@example(query="title:， OR 缓存")
@example(query="\x01 OR 缓存")
@example(query='"\x01" 缓存')
@example(query='"。" -"，"')
@example(query="NOT NOT x")
@example(query="title:* x")
@example(query="tag:\ud800 缓存")
@example(query="source:[z-a] 缓存")
@example(query="NEAR(缓存 穿透, ²)")
@example(query="NEAR(缓存 穿透, 99999999999999999999)")
@example(query="3fa92c1b77d0-99999999999999999999999")
def test_no_string_makes_a_search_fail(library: Library, mode: Mode, query: str) -> None:
    if query.strip() or mode == "raw":
        ask(library, query, mode)
    else:
        with pytest.raises(QueryError):
            ask(library, query, mode)


@pytest.mark.parametrize("mode", ["ranked", "exact"])
@pytest.mark.parametrize(
    "part", ["缓存 ", "x", "(", "-缓存 ", "a -bc ", "缓存 OR ", '"', "，", "NEAR(缓存 穿透) ", "\ufdfa", "ᄀ"]
)
def test_ten_thousand_characters_are_a_query(library: Library, mode: Mode, part: str) -> None:
    ask(library, (part * 10_000)[:10_000], mode)


@pytest.mark.parametrize("mode", BY_WORDS)
@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000", "\x1c\x1f\x85\u2028"])
def test_only_white_space_is_no_query(library: Library, mode: Mode, query: str) -> None:
    if mode == "raw":
        assert library.search(query, mode=mode).found
    else:
        with pytest.raises(QueryError):
            library.search(query, mode=mode)


@pytest.mark.parametrize("mode", BY_WORDS)
@settings(max_examples=30)
@given(source=queries, type=queries, tag=queries)
@example(source="[", type="", tag="")
@example(source="*" * 1000, type="", tag="")
@example(source="\ud800", type="\ud800", tag="\ud800")
@example(source="\0", type="\0", tag="\0")
@example(source="/", type="/", tag="")
def test_any_string_is_a_filter(library: Library, mode: Mode, source: str, type: str, tag: str) -> None:
    ask(library, "缓存", mode, source=source)
    ask(library, "缓存", mode, type=type)
    library.search("缓存", mode=mode, tags=[tag])
    library.search("证", mode=mode, source=source, type=type, tags=[tag], all_versions=True)


times = st.from_regex(r"\s*\d{1,5}[-/.年]?\d{0,2}[-/.月]?\d{0,2}[日dwmy天周月年]?", fullmatch=True)
times |= st.from_regex(r"(最近|过去|近|last )?(\d{1,5}|[一二两十]) ?(d|天|周|星期|个月|年|weeks)(内)?", fullmatch=True)


@settings(max_examples=100)
@given(when=times | anything)
@example(when="9999")
@example(when="9999-12")
@example(when="9999-12-31")
@example(when="9999-12-31T23:59:59+00:00")
@example(when="0001-01-01")
@example(when="0001")
@example(when="0000")
@example(when="٣d")
@example(when="最近99999年")
@example(when="2026-02-30")
def test_a_time_is_read_or_refused(library: Library, when: str) -> None:
    for filters in ({"since": when}, {"until": when}):
        with contextlib.suppress(UsageError):
            library.search("缓存", **filters)  # type: ignore[arg-type]


def test_a_mode_or_number_that_makes_no_sense_is_refused(library: Library) -> None:
    with pytest.raises(UsageError):
        library.search("缓存", mode="exakt")  # type: ignore[arg-type]
    for wrong in ({"limit": 0}, {"offset": -1}, {"before": -1}, {"after": -1}):
        with pytest.raises(UsageError):
            library.search("缓存", **wrong)  # type: ignore[arg-type]
