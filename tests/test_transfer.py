"""A library as JSON Lines and back: nothing is lost, and what is no export is refused whole."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Shelf, records

from yuanwen import Library, YuanwenError
from yuanwen.errors import NotFound, UsageError
from yuanwen.index import INDEXES


@pytest.fixture
def full(shelf: Shelf) -> Shelf:
    """A shelf with versions, tags, dates, records, skips, and a file that went."""
    shelf.write("a.md", "---\ntags: [甲]\ndate: 2026-05-06\nauthor: 某\n---\n\n# 一\n\n旧话\n\n# 二\n\n不变的话\n")
    shelf.write(
        "b.jsonl",
        records({"id": "P1", "body": "证据一", "tags": ["急"], "date": "2020-01-02"}, {"id": "P2", "body": "据"}),
    )
    shelf.write("gone.txt", "去了的话")
    shelf.write("big5.txt", "繁體中文的檔案，編碼是大五碼。".encode("big5"))
    shelf.write("scan.png", b"\x89PNG\r\n\x1a\n\0")
    shelf.library.add(shelf.folder, tags=["工作"], exclude=["*.tmp"])
    shelf.write("a.md", "---\ntags: [甲]\n---\n\n# 一\n\n新话 \u2028 \ufeff 😀 \x01\n\n# 二\n\n不变的话\n")
    (shelf.folder / "gone.txt").unlink()
    shelf.library.sync()
    return shelf


def everything(library: Library) -> object:
    return (
        library.list(),
        library.tags(),
        [library.search("", mode="raw", limit=1000).hits],
        [
            sorted(
                (h.id, h.text, h.state, h.tags, h.source)
                for h in library.search(q, mode="exact", all_versions=True).hits
            )
            for q in ("话", "证据", "据", "檔案")
        ],
        library.status().roots,
        library.status().skipped,
        library.status().versions,
    )


@pytest.mark.parametrize("into", INDEXES)
def test_an_export_imports_to_the_same_library(full: Shelf, into: str, tmp_path: Path) -> None:
    first, second = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert full.library.export(first) == 4
    with Library.open(tmp_path / "other.sqlite", index=into) as other:
        report = other.import_(first)
        assert (report.files, report.indexed, report.unchanged) == (4, 4, 0)
        assert everything(other) == everything(full.library)
        other.export(second)
        assert second.read_bytes() == first.read_bytes()
        assert not other.check().problems
        assert other.sync().unchanged == full.library.sync().unchanged
        again = other.import_(first)
        assert (again.indexed, again.unchanged) == (0, 4) and everything(other) == everything(full.library)
        assert not other.check().problems


def test_an_import_adds_to_what_is_there(full: Shelf, tmp_path: Path) -> None:
    full.library.export(tmp_path / "one.jsonl")
    other = Shelf(tmp_path / "other", full.kind)
    other.add(mine_txt="我的证据")
    other.library.import_(tmp_path / "one.jsonl")
    assert {h.text for h in other.exact("证据")} == {"我的证据", "证据一"}
    assert not other.library.check().problems
    other.library.close()


def test_an_empty_library_goes_out_and_in(shelf: Shelf, tmp_path: Path) -> None:
    assert shelf.library.export(tmp_path / "one.jsonl") == 0
    assert shelf.library.import_(tmp_path / "one.jsonl").files == 0


def test_each_line_is_json_and_text_is_readable_in_it(full: Shelf, tmp_path: Path) -> None:
    full.library.export(tmp_path / "one.jsonl")
    text = (tmp_path / "one.jsonl").read_text("utf-8")
    assert "不变的话" in text
    kinds = [json.loads(line).get("kind") for line in text.split("\n")[1:-1]]
    assert kinds.count("document") == 4 and kinds.count("root") == 1


def break_line(kind: str, change: Callable[[Any], object]) -> Callable[[list[str]], list[str]]:
    def act(lines: list[str]) -> list[str]:
        for place, line in enumerate(lines):
            value = json.loads(line)
            if value.get("kind") == kind and (kind != "document" or len(value["versions"]) > 1):
                change(value)
                return [*lines[:place], json.dumps(value, ensure_ascii=False), *lines[place + 1 :]]
        raise AssertionError(kind)

    return act


DAMAGES: dict[str, Callable[[list[str]], list[str]]] = {
    "no first line": lambda lines: lines[1:],
    "no export": lambda lines: ["hello", *lines],
    "another format": lambda lines: [lines[0].replace("2", "99"), *lines[1:]],
    "cut short": lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]],
    "a list": lambda lines: [*lines, "[]"],
    "another kind": lambda lines: [*lines, '{"kind": "elephant"}'],
    "no path": break_line("document", lambda d: d.pop("path")),
    "a path of another type": break_line("document", lambda d: d.update(path=5)),
    "no versions": break_line("document", lambda d: d.pop("versions")),
    "versions of another type": break_line("document", lambda d: d.update(versions="x")),
    "a version without spans": break_line("document", lambda d: d["versions"][0].pop("spans")),
    "a version without a digest": break_line("document", lambda d: d["versions"][0].pop("text_sha256")),
    "a version without a mark": break_line("document", lambda d: d["versions"][0].pop("current")),
    "a span that is none": break_line("document", lambda d: d["versions"][0]["spans"].append([1])),
    "a span of nothing": break_line("document", lambda d: d["versions"][0]["spans"].append([99, 0, 1])),
    "a passage without text": break_line("document", lambda d: d["contents"][0].pop("text")),
    "a passage of another type": break_line("document", lambda d: d["contents"].append("x")),
    "a text of another type": break_line("document", lambda d: d["contents"][0].update(text=[])),
    "no text at all": break_line("document", lambda d: d["contents"][0].update(text=None)),
    "a changed text": break_line("document", lambda d: d["contents"][0].update(text="篡改过的话")),
    "tags of another type": break_line("document", lambda d: d.update(tags=5)),
    "a file without size": break_line("file", lambda d: d.pop("size")),
    "a file of no size": break_line("file", lambda d: d.update(size=None)),
    "a root without tags": break_line("root", lambda d: d.pop("tags")),
    "a root of another type": break_line("root", lambda d: d.update(tags="x", include=7)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_no_export_is_refused_whole(full: Shelf, damage: str, tmp_path: Path) -> None:
    full.library.export(tmp_path / "one.jsonl")
    lines = (tmp_path / "one.jsonl").read_text("utf-8").rstrip("\n").split("\n")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join(DAMAGES[damage](lines)) + "\n", encoding="utf-8")
    with Library.open(tmp_path / "other.sqlite", index=full.kind) as other:
        before = other.status().generation
        with pytest.raises(UsageError, match="line"):
            other.import_(bad)
        assert other.list() == () and other.status().generation == before and other.status().roots == ()
        assert not other.check().problems


def test_bytes_that_are_no_text_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b'{"yuanwen": "library", "format": 1}\n\xff\xfe\n')
    with pytest.raises(UsageError):
        shelf.library.import_(tmp_path / "bad.jsonl")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    with pytest.raises(UsageError):
        shelf.library.import_(tmp_path / "empty.jsonl")
    with pytest.raises(NotFound):
        shelf.library.import_(tmp_path / "nowhere.jsonl")


def test_an_export_that_cannot_be_written_leaves_nothing(shelf: Shelf, tmp_path: Path) -> None:
    shelf.add(a_txt="证据")
    with pytest.raises(YuanwenError):
        shelf.library.export(tmp_path / "no" / "such" / "folder.jsonl")
    (tmp_path / "here").mkdir()
    with pytest.raises(YuanwenError):
        shelf.library.export(tmp_path / "here")
    assert [p.name for p in tmp_path.glob("here*")] == ["here"]
