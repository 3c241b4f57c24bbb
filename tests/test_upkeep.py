"""Upkeep: forgetting leaves no trace, damage is found and mended, and what is no library is refused."""

import sqlite3
from pathlib import Path

import pytest
from conftest import Shelf, names

from yuanwen import Library, YuanwenError
from yuanwen.errors import LibraryDamaged, NotFound, UsageError

# ----------------------------------------------------------------------------------- forgetting and mending


def traces(shelf: Shelf, *words: str) -> list[str]:
    return [name for name, data in shelf.bytes_on_disk().items() if any(w.encode() in data for w in words)]


SECRET = ("绝密龙舟", "klandestinwort", "geheimetikett", "密题")


@pytest.mark.parametrize("when", ["current", "changed", "deleted"])
def test_forgetting_leaves_no_trace(shelf: Shelf, when: str) -> None:
    path = shelf.write("a.md", "---\ntags: [geheimetikett]\n---\n\n# 密题\n\n绝密龙舟 klandestinwort\n" * 30)
    for number in range(30):
        shelf.write(f"{number}.txt", f"别的话 {number}" * 50)
    shelf.add()
    if when != "current":
        shelf.write("a.md", "无关的新话")
        shelf.add()
    if when == "deleted":
        path.unlink()
        shelf.library.sync()
    forgotten = shelf.library.forget(str(path))
    assert forgotten.documents == 1 and forgotten.versions >= 1 and forgotten.sources == (str(path),)
    assert not shelf.exact("绝密龙舟", all_versions=True) and not shelf.exact("landestin", all_versions=True)
    assert traces(shelf, *SECRET) == []
    shelf.reopen()
    shelf.library.close()
    assert traces(shelf, *SECRET) == []
    shelf.open()
    assert len(shelf.exact("别的话")) == 30 and not shelf.library.check().problems
    shelf.library.sync()
    assert not shelf.exact("无关的新话") and not shelf.exact("绝密龙舟", all_versions=True)


def test_forgetting_something_unknown_removes_nothing(shelf: Shelf) -> None:
    shelf.add(a_txt="证据")
    with pytest.raises(NotFound):
        shelf.library.forget(str(shelf.folder / "a.txt"), "nothing.txt")
    assert names(shelf.exact("证据")) == ["a.txt"]


def test_forgetting_a_file_does_not_evict_one_of_the_same_name(shelf: Shelf) -> None:
    shelf.write("a.txt", "证据一")
    shelf.write("sub/a.txt", "证据二")
    shelf.add()
    shelf.library.forget(str(shelf.folder / "a.txt"))
    shelf.library.sync()
    assert [hit.text for hit in shelf.exact("证据")] == ["证据二"]


def test_compacting_drops_old_versions_and_gives_back_space(shelf: Shelf) -> None:
    for version in range(4):
        for number in range(20):
            shelf.write(f"{number}.txt", f"第{version}版 " + f"{version}{number}的话，" * 400)
        shelf.add()
    before = shelf.library.status()
    assert before.versions == 80
    done = shelf.library.compact(drop_old=True)
    assert done.versions == 60 and done.passages > 0 and done.after_bytes < done.before_bytes
    assert shelf.library.status().versions == 20 and not shelf.library.check().problems
    assert not shelf.exact("第2版", all_versions=True) and len(shelf.exact("第3版")) == 20
    assert traces(shelf, "第2版") == []
    again = shelf.library.compact(drop_old=True)
    assert again.versions == 0 and again.after_bytes <= done.after_bytes * 1.1


def test_compacting_keeps_versions_that_are_not_old_enough(shelf: Shelf) -> None:
    shelf.add(a_txt="旧话")
    shelf.add(a_txt="新话")
    assert shelf.library.compact(drop_old=True, older_than="7d").versions == 0
    assert shelf.exact("旧话", all_versions=True)
    with pytest.raises(UsageError):
        shelf.library.compact(drop_old=True, older_than="很久")


def tamper(shelf: Shelf, statement: str) -> None:
    """Change the library file behind the library's back, with plain SQLite."""
    shelf.library.close()
    plain = sqlite3.connect(shelf.file)
    plain.execute(statement)
    plain.commit()
    plain.close()
    shelf.open()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE passages SET text = replace(text, '不足', '充足')",
        "UPDATE passages SET text = text || 'x' WHERE id = 1",
        "UPDATE totals SET passages = passages + 1",
        "UPDATE totals SET documents = 77",
        "UPDATE totals SET generation = generation - 1",
        "DELETE FROM spans WHERE ordinal = 2",
        "UPDATE spans SET start = start + 1 WHERE ordinal = 2",
        "DELETE FROM passages WHERE id = 1",
        "UPDATE versions SET text_sha256 = replace(text_sha256, '1', '2')",
    ],
)
def test_checking_finds_damage_in_the_truth(shelf: Shelf, statement: str) -> None:
    shelf.add(a_md="# 一\n\n证据不足\n\n# 二\n\n别的\n", b_txt="证据1不足 2")
    assert not shelf.library.check().problems
    tamper(shelf, statement)
    assert shelf.library.check().problems
    assert shelf.library.check(repair=True).problems  # no copy of the truth can be made up


def test_checking_mends_an_index_that_is_lost(shelf: Shelf) -> None:
    import shutil

    shelf.add(a_txt="证据不足", b_txt="别的")
    if shelf.kind == "tantivy":
        shelf.library.close()
        shutil.rmtree(f"{shelf.file}.index")
        shelf.open()
    else:
        tamper(shelf, "DELETE FROM fts5_current_entries")
    assert shelf.library.check().problems
    mended = shelf.library.check(repair=True)
    assert not mended.problems and mended.repaired
    assert not shelf.library.check().problems
    assert names(shelf.exact("证据")) == ["a.txt"]


def test_a_lost_index_is_made_anew_by_the_next_search(tmp_path: Path) -> None:
    import shutil

    shelf = Shelf(tmp_path, "tantivy")
    shelf.add(a_txt="证据不足")
    shelf.library.close()
    shutil.rmtree(f"{shelf.file}.index")
    shelf.open()
    assert names(shelf.exact("证据")) == ["a.txt"] and not shelf.library.check().problems
    shelf.library.close()


@pytest.mark.parametrize("damage", ["garbage", "truncated", "deleted", "meta"])
def test_a_damaged_index_is_found_and_mended(tmp_path: Path, damage: str) -> None:
    """A damaged index costs time, never data, and never a wrong answer."""
    shelf = Shelf(tmp_path, "tantivy")
    for number in range(50):
        shelf.write(f"{number}.txt", f"证据不足 word{number}")
    shelf.add()
    shelf.library.close()
    folder = next(path for path in Path(f"{shelf.file}.index").iterdir() if path.name.endswith("current"))
    for path in folder.iterdir():
        if damage == "meta" and path.name == "meta.json":
            path.write_bytes(b"{")
        elif damage != "meta" and path.suffix in (".term", ".idx", ".pos"):
            if damage == "deleted":
                path.unlink()
            else:
                data = path.read_bytes()
                path.write_bytes(data[: len(data) // 2] if damage == "truncated" else bytes(len(data)))
    library = shelf.open()
    try:
        assert len(library.search("证据", mode="exact", limit=100).hits) == 50  # it mended itself
    except YuanwenError:
        assert library.check().problems
        assert not library.check(repair=True).problems
        assert len(library.search("证据", mode="exact", limit=100).hits) == 50
    finally:
        library.close()


# ------------------------------------------------------------------------------------------ other files


@pytest.mark.parametrize("content", ["sqlite", "text", "zeros", "short", "empty"])
def test_a_file_that_is_no_library_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.sqlite"
    if content == "sqlite":
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE t(x)")
        other.commit()
        other.close()
    else:
        data = {"text": "这不是库\n" * 500, "zeros": "\0" * 5000, "short": "x", "empty": ""}
        path.write_text(data[content], encoding="utf-8")
    before = path.read_bytes()
    for create in (True, False) if content != "empty" else (False,):
        with pytest.raises(LibraryDamaged):
            Library.open(path, create=create)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(YuanwenError):
        Library.open(tmp_path)


def test_a_newer_format_is_refused(shelf: Shelf) -> None:
    shelf.add(a_txt="证据")
    shelf.library.close()
    plain = sqlite3.connect(shelf.file)
    plain.execute("PRAGMA user_version = 99")
    plain.close()
    for create in (True, False):
        with pytest.raises(UsageError, match="newer"):
            Library.open(shelf.file, create=create)


def test_a_library_keeps_the_index_that_it_was_made_with(shelf: Shelf) -> None:
    shelf.library.close()
    other = "fts5" if shelf.kind == "tantivy" else "tantivy"
    with pytest.raises(UsageError):
        Library.open(shelf.file, index=other)
    with Library.open(shelf.file) as library:
        assert library.status().index == shelf.kind
    with pytest.raises(UsageError):
        Library.open(shelf.place / "new.sqlite", index="trigram")
    assert not (shelf.place / "new.sqlite").exists()


def test_a_damaged_file_is_told_in_our_words(shelf: Shelf) -> None:
    for number in range(100):
        shelf.write(f"{number}.txt", f"证据{number}" * 100)
    shelf.add()
    shelf.library.close()
    data = bytearray(shelf.file.read_bytes())
    for start in range(16384, len(data), 16384):
        data[start : start + 200] = bytes(200)
    shelf.file.write_bytes(data)
    with pytest.raises(YuanwenError), Library.open(shelf.file) as library:
        library.search("证据", mode="exact")
        raise AssertionError("it was read all the same")
    with pytest.raises(YuanwenError), Library.open(shelf.file) as library:
        raise YuanwenError("; ".join(library.check().problems) or "nothing was found")
