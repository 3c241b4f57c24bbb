"""In step with the disk: what is new, changed, moved and gone; and what is not believed to be gone."""

import os
import shutil
import threading
import time
import unicodedata
from pathlib import Path

import pytest
from conftest import Shelf, names, write

from yuanwen.errors import Refused

PLUGIN = """
from yuanwen.documents import Extracted

def extract(raw):
    return (Extracted(text=raw.data.decode(), media_type=raw.media_type),)
"""


def sources(shelf: Shelf) -> set[str]:
    return {str(Path(document.source).relative_to(shelf.folder)) for document in shelf.library.list()}


def many(shelf: Shelf, count: int, below: str = "") -> None:
    for number in range(count):
        shelf.write(f"{below}{number}.txt", f"证据 {below}{number}")


def test_new_changed_and_gone_files_are_followed(shelf: Shelf) -> None:
    shelf.add(a_txt="证据一", b_txt="证据二", c_txt="证据三")
    shelf.write("a.txt", "证据甲")
    (shelf.folder / "b.txt").unlink()
    shelf.write("d.txt", "证据四")
    report = shelf.library.sync()
    assert (report.files, report.indexed, report.unchanged, report.removed) == (3, 2, 1, 1)
    assert {hit.text for hit in shelf.exact("证据")} == {"证据甲", "证据三", "证据四"}
    assert {hit.state for hit in shelf.exact("证据")} == {"current"}
    again = shelf.library.sync()
    assert (again.files, again.unchanged, again.removed) == (3, 3, 0)


def test_files_deleted_while_the_tool_was_off_leave_no_ghosts(shelf: Shelf) -> None:
    """Fault 20."""
    shelf.add(a_txt="证据一", ab_txt="证据二", a_md="证据三")
    shelf.library.close()
    (shelf.folder / "a.txt").unlink()
    shelf.open()
    assert shelf.library.sync().removed == 1
    assert sources(shelf) == {"ab.txt", "a.md"}
    assert {hit.text for hit in shelf.exact("证据")} == {"证据二", "证据三"}


def test_a_moved_file_is_found_where_it_is_now(shelf: Shelf) -> None:
    shelf.add(a_txt="证据一", b_txt="证据二")
    (shelf.folder / "sub").mkdir()
    (shelf.folder / "a.txt").rename(shelf.folder / "sub" / "z.txt")
    shelf.library.sync()
    assert sources(shelf) == {"sub/z.txt", "b.txt"}
    assert [hit.state for hit in shelf.exact("证据一")] == ["current"]


NAMES = (
    "a#b.txt", "a b.txt", "[x].txt", "😀.txt", "報告（終）.txt", "e\u0301.txt", "é.txt", "A.txt", "a.txt", "%41.txt",
    "-v.txt",    "a'b\".txt", "a\\b.txt", "new\nline.txt", "x" * 200 + ".txt", " lead.txt", "q?*.txt",
)  # fmt: skip


def test_names_come_back_as_they_were(shelf: Shelf) -> None:
    """Fault 20: no name evicts another, whatever is in it."""
    for name in NAMES:
        shelf.write(name, f"证据 {name}")
    there = {path.name for path in shelf.folder.iterdir()}
    report = shelf.add()
    assert report.indexed == len(there) and sources(shelf) == there
    assert set(names(shelf.exact("证据"))) == there
    for gone in sorted(there):
        (shelf.folder / gone).unlink()
        there.remove(gone)
        if there:
            assert shelf.library.sync().removed == 1 and sources(shelf) == there


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_name_that_is_not_unicode_is_indexed_and_followed(shelf: Shelf) -> None:
    path = os.fsencode(shelf.folder) + b"/caf\xe9.txt"
    try:
        with open(path, "wb") as file:
            file.write("证据".encode())
    except OSError:
        pytest.skip("this file system takes Unicode names only")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert shelf.add(b_txt="别的").indexed == 2
    (hit,) = shelf.exact("证据")
    assert hit.state == "current" and hit.source.endswith(".txt")
    assert [h.text for h in shelf.library.show(hit.source)] == ["证据"]
    assert shelf.add().unchanged == 2
    os.unlink(path)
    assert shelf.library.sync().removed == 1 and not shelf.exact("证据")


def test_a_glob_matches_a_name_in_any_normal_form(shelf: Shelf) -> None:
    shelf.add()
    shelf.write(unicodedata.normalize("NFD", "réunion.txt"), "证据")
    shelf.add()
    for form in ("NFC", "NFD"):
        assert len(shelf.exact("证据", source=unicodedata.normalize(form, "réu*"))) == 1


# ---------------------------------------------------------------------------------- what is not believed


@pytest.mark.parametrize("how", ["renamed", "emptied", "unmounted"])
def test_a_root_that_is_not_there_removes_nothing(shelf: Shelf, how: str) -> None:
    """Faults 12, 21: an unmounted drive, a renamed folder or one that is briefly empty do not empty the index."""
    many(shelf, 20)
    shelf.add()
    away = shelf.place / "away"
    shelf.folder.rename(away)
    if how == "emptied":
        shelf.folder.mkdir()
    with pytest.raises(Refused):
        shelf.library.sync()
    assert {hit.state for hit in shelf.exact("证据")} == {"missing"} and len(shelf.exact("证据")) == 20
    absence = shelf.library.search("没有", mode="exact").absence
    assert absence is not None and absence.kind == "stale" and len(absence.stale) == 20
    if how == "emptied":
        shelf.folder.rmdir()
    away.rename(shelf.folder)
    report = shelf.library.sync()
    assert (report.unchanged, report.removed) == (20, 0)
    assert {hit.state for hit in shelf.exact("证据")} == {"current"}
    assert not shelf.library.status().skipped


@pytest.mark.parametrize("how", ["renamed", "emptied"])
def test_removals_that_are_meant_can_be_allowed(shelf: Shelf, how: str) -> None:
    many(shelf, 20)
    shelf.add()
    shutil.rmtree(shelf.folder)
    if how == "emptied":
        shelf.folder.mkdir()
    assert shelf.library.sync(allow_mass_removal=True).removed == 20
    assert not shelf.library.list() and not shelf.exact("证据")


def test_most_files_of_a_root_gone_at_once_are_not_believed(shelf: Shelf) -> None:
    many(shelf, 30)
    shelf.add()
    for number in range(25):
        (shelf.folder / f"{number}.txt").unlink()
    shelf.write("29.txt", "改过的证据")
    with pytest.raises(Refused):
        shelf.library.sync()
    assert len(shelf.exact("证据")) == 30 and shelf.exact("改过的证据")
    with pytest.raises(Refused):
        shelf.library.add(shelf.folder)
    assert shelf.library.sync(allow_mass_removal=True).removed == 25
    assert len(shelf.exact("证据")) == 5


def test_a_few_files_gone_are_believed(shelf: Shelf) -> None:
    many(shelf, 5)
    shelf.add()
    for number in range(4):
        (shelf.folder / f"{number}.txt").unlink()
    assert shelf.library.sync().removed == 4


def test_a_refusal_for_one_root_holds_up_no_other(shelf: Shelf) -> None:
    many(shelf, 20)
    other = shelf.place / "zother"
    for name in ("a.txt", "b.txt"):
        write(other / name, f"别的 {name}")
    shelf.library.add(shelf.folder, other)
    shelf.folder.rename(shelf.place / "away")
    (other / "a.txt").unlink()
    write(other / "c.txt", "别的 c")
    with pytest.raises(Refused):
        shelf.library.sync()
    assert set(names(shelf.exact("别的"))) == {"b.txt", "c.txt"} and len(shelf.exact("证据")) == 20


def test_a_dry_run_tells_and_changes_nothing(shelf: Shelf) -> None:
    shelf.add(a_txt="证据一", b_txt="证据二")
    shelf.write("a.txt", "改过的")
    (shelf.folder / "b.txt").unlink()
    shelf.write("c.txt", "新的")
    before = shelf.library.status().generation
    told = shelf.library.sync(dry_run=True)
    assert (told.indexed, told.removed) == (2, 1)
    assert shelf.library.status().generation == before and len(shelf.exact("证据")) == 2
    done = shelf.library.sync()
    assert (done.files, done.indexed, done.unchanged, done.removed) == (
        told.files, told.indexed, told.unchanged, told.removed,
    )  # fmt: skip


def test_a_file_root_that_was_deleted_goes_when_that_is_allowed(shelf: Shelf) -> None:
    path = shelf.write("a.txt", "证据")
    shelf.library.add(path)
    path.unlink()
    with pytest.raises(Refused):
        shelf.library.sync()
    assert [hit.state for hit in shelf.exact("证据")] == ["missing"]
    assert shelf.library.sync(allow_mass_removal=True).removed == 1
    assert not shelf.exact("证据")


# --------------------------------------------------------------------------------- files that are written


def test_a_file_that_is_being_written_is_not_indexed_as_it_stands(shelf: Shelf) -> None:
    """Fault 22."""
    path = shelf.folder / "a.txt"
    stop = threading.Event()

    def write_on() -> None:
        with path.open("w", encoding="utf-8") as file:
            while not stop.is_set():
                file.write("半截的证据。")
                file.flush()
                time.sleep(0.005)
            file.write("完")

    writer = threading.Thread(target=write_on)
    writer.start()
    while not path.exists():
        time.sleep(0.005)
    report = shelf.add()
    stop.set()
    writer.join()
    assert report.indexed == 0 and [Path(skip.source).name for skip in report.skipped] == ["a.txt"]
    assert not shelf.exact("证据")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert shelf.library.sync().indexed == 1
    assert shelf.library.list()[0].characters == len(path.read_text("utf-8"))


def test_a_file_saved_by_deleting_and_creating_is_not_lost(shelf: Shelf) -> None:
    """Fault 22."""
    path = shelf.write("a.txt", "旧的证据")
    shelf.add()
    for number in range(3):
        path.unlink()
        write(path, f"新的证据{number}")
        assert shelf.library.sync().indexed == 1
        assert [(hit.text, hit.state) for hit in shelf.exact("证据")] == [(f"新的证据{number}", "current")]
    assert shelf.library.list()[0].versions == 4


def test_a_file_that_became_readable_is_taken_in(shelf: Shelf) -> None:
    if os.name != "posix" or os.geteuid() == 0:
        pytest.skip("nothing is unreadable for this user")
    path = shelf.write("a.txt", "证据")
    path.chmod(0)
    assert [skip.reason for skip in shelf.add().skipped] == ["permission denied"]
    shelf.add()
    path.chmod(0o600)
    assert shelf.library.sync().indexed == 1 and shelf.exact("证据")


def test_a_file_that_could_not_be_read_last_time_is_tried_with_a_new_reader(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be read is tried again once there is more to read it with."""
    place = shelf.place / "installed"
    place.mkdir()
    monkeypatch.syspath_prepend(place)
    shelf.write("a.caj", "要另装软件才能读")
    for _ in range(3):
        assert len(shelf.add().skipped) == 1
    shelf.library.close()
    write(place / "plugin.py", PLUGIN)
    write(place / "plugin-1.0.dist-info" / "METADATA", "Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    points = "[yuanwen.extractors]\napplication/x-caj = plugin:extract\n"
    write(place / "plugin-1.0.dist-info" / "entry_points.txt", points)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]))
    shelf.open()
    assert shelf.library.sync().indexed == 1
    assert shelf.library.sync().unchanged == 1


def test_a_file_that_became_unreadable_is_stale_and_not_gone(shelf: Shelf) -> None:
    """Fault 21."""
    shelf.add(a_txt="证据一", b_txt="证据二")
    shelf.write("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(100))
    report = shelf.library.sync()
    assert report.removed == 0 and len(report.skipped) == 1
    assert {Path(h.source).name: h.state for h in shelf.exact("证据")} == {"a.txt": "changed", "b.txt": "current"}
    shelf.write("a.txt", "证据三")
    assert shelf.library.sync().indexed == 1
    assert {hit.text for hit in shelf.exact("证据")} == {"证据三", "证据二"}
    assert not shelf.library.status().skipped


def test_what_a_rule_leaves_out_from_now_on_is_no_longer_found(shelf: Shelf) -> None:
    shelf.add(a_txt="证据一", b_txt="证据二")
    shelf.write(".gitignore", "b.txt\n")
    assert shelf.library.sync().removed == 1
    assert names(shelf.exact("证据")) == ["a.txt"]
    (shelf.folder / ".gitignore").unlink()
    shelf.library.sync()
    assert set(names(shelf.exact("证据"))) == {"a.txt", "b.txt"}


def test_a_file_in_two_roots_is_one_document_with_the_tags_of_both(shelf: Shelf) -> None:
    path = shelf.write("sub/a.txt", "证据")
    shelf.library.add(shelf.folder, tags=["大"])
    shelf.library.add(path.parent, tags=["小"])
    shelf.library.sync()
    assert [set(d.tags) for d in shelf.library.list()] == [{"大", "小"}] and len(shelf.exact("证据")) == 1
