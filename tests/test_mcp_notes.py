"""Notes that an assistant keeps: found at once, cited and verified, and in their folder, whatever the title."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import write
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp import Client

from yuanwen import Library
from yuanwen.mcp_server import notes, server
from yuanwen.served import Served

TITLES = [
    "a/b/../../c",
    "..",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\Windows\\x",
    "a\0b",
    "CON",
    "nul.md",
    "   spaces   ",
    "题" * 190,
    "🎉🎉",
    "…",
    "a\nb\rc\u2028d",
    "---",
    "[x]: y # z",
    '"quoted": {yaml}',
    "-" * 50,
    ".hidden",
    "con",
    "\u202etxt.exe",
]
TAGS = ["工作", "a,b", "[x]", '"y"', "two\nlines", "#hash", "a: b", "- item", "，、", "emoji🎉", "é", "null", "*"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("notes")
    write(place / "docs" / "a.md", "# 差旅\n\n差旅费的报销上限是五百元。\n")
    with Library.open(place / "library.sqlite") as library:
        library.add(place / "docs")
    with Served(place / "library.sqlite", allow_write=True) as served:
        yield served


def call(served: Served, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async def session() -> list[Any]:
        async with Client(server(served)) as client:
            return [await client.call_tool(name, sent) for name, sent in calls]

    return anyio.run(session)


def one(served: Served, tool: str, /, **sent: Any) -> Any:
    """Return what a tool answers, which is no error."""
    result = call(served, (tool, sent))[0]
    assert not result.is_error, result.content[0].text
    return result.structured_content


def files(served: Served) -> set[str]:
    """Return the files beside the library and its index."""
    place = Path(served.path).parent
    found = (f.relative_to(place) for f in place.rglob("*") if f.is_file())
    return {str(f) for f in found if not f.name.startswith("library.sqlite") and f.parts[0] != "library.sqlite.index"}


@pytest.mark.parametrize("title", TITLES)
def test_a_note_of_any_title_is_found_at_once_cited_and_verified(served: Served, title: str) -> None:
    before, words = files(served), f"备忘内容编号{TITLES.index(title)}号，差旅标准另行通知。"
    added = one(served, "add_note", text=words, title=title)
    [new] = files(served) - before
    assert re.fullmatch(r"library\.sqlite\.notes/\d{4}-\d\d-\d\d-?[^/\\]{0,40}\.md", new)
    assert len(Path(new).name.encode()) < 200
    assert added["source"] == str(Path(served.path).parent / new)
    found = one(served, "search", query=words, mode="exact")
    assert [hit["source"] for hit in found["hits"]] == [added["source"]]
    assert added["id"] in {f"{hit['id'].rpartition('-')[0]}-1" for hit in found["hits"]}
    verdict = one(served, "verify", answer=f"标准另行通知 [{found['hits'][0]['id']}]「{words[:-1]}」。")
    assert verdict["verdict"] == "supported"
    assert verdict["counts"] == {"verbatim": 1}


@pytest.mark.parametrize("tag", TAGS)
def test_a_note_is_found_by_each_of_its_tags(served: Served, tag: str) -> None:
    words = f"标签测试{TAGS.index(tag)}号的内容。"
    added = one(served, "add_note", text=words, title="标签", tags=["备忘", tag])
    listed = one(served, "sources", filter=added["source"])["documents"]
    assert len(listed) == 1
    assert "备忘" in listed[0]["tags"]
    assert all(re.fullmatch(r"[^\s\[\]{}\"'#:|>,]+( [^\s\[\]{}\"'#:|>,]+)*", each) for each in listed[0]["tags"])
    for each in listed[0]["tags"]:
        found = one(served, "search", query=words, mode="exact", tags=[each])
        assert [hit["source"] for hit in found["hits"]] == [added["source"]]


def test_the_same_title_twice_is_two_notes(served: Served) -> None:
    first = one(served, "add_note", text="第一个，说的是甲。", title="同名")
    second = one(served, "add_note", text="第二个，说的是乙。", title="同名")
    assert first["source"] != second["source"]
    assert "说的是甲" in Path(first["source"]).read_text("utf-8")
    assert "说的是乙" in Path(second["source"]).read_text("utf-8")


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"text": " \n ", "title": "a"}, "a note needs a title and a text"),
        ({"text": "a", "title": " \u2028 "}, "a note needs a title and a text"),
        ({"text": "a", "title": "题" * 201}, "the note is too long"),
        ({"text": "a" * 100_001, "title": "a"}, "text has 100001 characters"),
        ({"text": "a"}, "add_note needs title"),
        ({"text": "a", "title": "b", "path": "/tmp/x"}, "add_note has no parameter path"),
    ],
)
def test_what_is_no_note_is_refused_and_leaves_nothing(served: Served, sent: dict[str, Any], said: str) -> None:
    before = files(served)
    [result] = call(served, ("add_note", sent))
    assert result.is_error and result.content[0].text.startswith(said)
    assert files(served) == before


def test_a_server_that_only_reads_has_no_tool_that_writes(served: Served) -> None:
    with Served(served.path) as reading:
        for name in ("add_note", "sync"):
            [result] = call(reading, (name, {"text": "a", "title": "b"}))
            assert result.is_error and f"there is no tool {name}" in result.content[0].text


def test_notes_kept_at_once_are_all_kept(served: Served) -> None:
    def keep(number: int) -> Any:
        return one(served, "add_note", text=f"并发备忘{number}号。", title="并发")

    with ThreadPoolExecutor(6) as threads:
        added = list(threads.map(keep, range(12)))
    assert len({each["source"] for each in added}) == 12
    found = one(served, "search", query="并发备忘", mode="exact", limit=50, max_chars=20_000)
    assert {hit["source"] for hit in found["hits"]} == {each["source"] for each in added}


def test_a_link_that_stands_in_the_place_of_the_notes_is_not_followed_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "l.sqlite.notes").symlink_to(outside, target_is_directory=True)
    with Served(tmp_path / "l.sqlite", allow_write=True) as served:
        [result] = call(served, ("add_note", {"text": "内容。", "title": "a"}))
    assert result.is_error
    assert list(outside.iterdir()) == []


def test_sync_takes_in_what_was_written_by_hand(served: Served) -> None:
    write(Path(served.path).parent / "docs" / "by-hand.md", "手写的新文件，写着量子纠缠。\n")
    assert one(served, "search", query="量子纠缠")["absence"]["kind"] == "unsearchable"
    report = one(served, "sync")
    assert report["indexed"] == 1
    assert one(served, "search", query="量子纠缠")["found"] == 1


@given(tags=st.lists(st.text(max_size=20), max_size=4))
@settings(max_examples=300)
def test_no_tag_breaks_out_of_its_line(tags: list[str]) -> None:
    made = notes.markdown("内容。", "题", tags, datetime(2026, 11, 30, tzinfo=UTC))
    front, _, body = made.removeprefix("---\n").partition("\n---\n")
    assert len(front.splitlines()) == (2 if "tags:" in front else 1)
    assert len(body.splitlines()) == 3
