"""One file of every kind, from the command line and back: counted, found in its place, filtered, exported, imported."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import write
from docx_files import docx
from docx_files import p as docx_p
from every_kind import AUTHOR, DATED, KINDS, LEFT_OUT, OUTSIDE, TAG, TITLE, Kind, contents, word, write_every_kind
from pdf_files import made as pdf
from pdf_files import prose
from PIL import Image, ImageChops

from yuanwen import Library
from yuanwen.cli import app
from yuanwen.model import Hit

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals, and links need rights"),
]

HERE = [kind for kind in KINDS if kind.is_here]
PICTURES = ("a.png", "a.jpg", "a.tiff")


@dataclass(frozen=True)
class Added:
    """A library with a file of every kind: what the program printed on the terminal, and as JSON."""

    folder: Path
    library: Path
    shown: str
    report: dict[str, Any]

    def name(self, source: str) -> str:
        return Path(source).relative_to(self.folder).as_posix()


Search = Callable[..., list[dict[str, Any]]]


def on_a_terminal(folder: Path, *args: str | Path, **environment: str) -> tuple[int, str, str]:
    """Run the program with a terminal for what it says; return its status, what it said there, and its output."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    settings = {"YUANWEN_LANG": "en", "TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": os.pathsep.join(sys.path)}
    said = b""
    with (folder / "stdout").open("wb") as output:
        running = subprocess.Popen(command, stdout=output, stderr=theirs, env=os.environ | settings | environment)
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                said += part
        except OSError:
            pass  # the program has ended
    status = running.wait(timeout=60)
    os.close(ours)
    return status, said.decode(), (folder / "stdout").read_text("utf-8")


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Added:
    place = tmp_path_factory.mktemp("kinds")
    write_every_kind(place / "docs")
    status, said, output = on_a_terminal(place, "-L", place / "library.sqlite", "--json", "add", place / "docs")
    assert status == 0, said
    return Added(place / "docs", place / "library.sqlite", said, json.loads(output))


@pytest.fixture
def search(added: Added, capsys: pytest.CaptureFixture[str]) -> Search:
    """Search on the command line; return the hits."""

    def run(query: str, *args: str) -> list[dict[str, Any]]:
        assert app.run(["-L", str(added.library), "--json", "search", query, "--limit", "100", *args]) == 0
        return list(json.loads(capsys.readouterr().out)["hits"])

    return run


# ------------------------------------------------------------------------------------------------ adding


def test_progress_is_shown_and_names_the_files_at_work(added: Added) -> None:
    """Fault 25."""
    assert re.search(rf"\d+/{len(list(_walked(added.folder)))}", added.shown)
    assert any(kind.name in added.shown for kind in KINDS) and "Traceback" not in added.shown


def _walked(folder: Path) -> Iterator[str]:
    """Yield the files that are opened: all but those whose name or size tells that they are left out."""
    for path in folder.iterdir():
        if not path.is_symlink() and path.is_file() and path.stat().st_size and not path.name.startswith("."):
            yield path.name


def test_counts_add_up_to_the_files_that_there_are(added: Added) -> None:
    report = added.report
    skipped = {added.name(skip["source"]): skip["reason"] for skip in report["skipped"]}
    missing = {kind.name for kind in KINDS if kind not in HERE and (added.folder / kind.name).exists()}
    assert {name: reason for name, reason in skipped.items() if name not in missing} == LEFT_OUT
    assert set(skipped) == set(LEFT_OUT) | missing
    assert report["files"] == len(list(added.folder.iterdir())) == report["indexed"] + len(skipped)
    assert report["indexed"] == len({kind.name for kind in HERE}) and report["unchanged"] == 0


def test_again_all_is_unchanged(added: Added, tmp_path: Path) -> None:
    status, _, output = on_a_terminal(tmp_path, "-L", added.library, "--json", "add", added.folder)
    again = json.loads(output)
    assert (status, again["indexed"], again["unchanged"]) == (0, 0, added.report["indexed"])
    assert {skip["source"]: skip["reason"] for skip in again["skipped"]} == {
        skip["source"]: skip["reason"] for skip in added.report["skipped"]
    }


def test_a_part_that_is_not_read_is_named(added: Added) -> None:
    with Library.open(added.library) as library:
        unread = {added.name(part.source): part.reason for part in library.status().unread}
    assert unread == {"a.tar/目录/账户.txt": "link", "a.tar.gz/目录/账户.txt": "link"}


# ----------------------------------------------------------------------------------------------- finding


@pytest.mark.parametrize("kind", HERE, ids=lambda kind: f"{kind.name}-{kind.inside}")
def test_a_word_is_found_in_its_place(added: Added, search: Search, kind: Kind) -> None:
    (hit,) = search(kind.word, "--mode", "exact")
    place = hit["place"] or {"unit": "", "number": None, "name": "", "cells": ""}
    record = kind.name == "a.jsonl"
    assert hit["source"] == ("手册" if record else "/".join(filter(None, (str(added.folder / kind.name), kind.inside))))
    assert (kind.unit, kind.number) in ((place["unit"], place["number"]), ("", None))
    assert kind.place in ("", place["name"]) and kind.cells in ("", place["cells"])
    assert hit["page"] == (kind.number if kind.unit == "page" else None)
    assert [hit["text"][start:end] for start, end in hit["matches"]] == [kind.word]
    assert hit["state"] == "current" and hit["match"] == "verbatim"
    assert not record or (hit["label"], hit["paragraph"]) == ("D1", 7)
    assert kind.needs != "rapidocr" or [mark["kind"] for mark in hit["marks"]] == ["recognised"]
    assert search(kind.word)[0]["id"] == hit["id"]


@pytest.mark.parametrize("kind", HERE, ids=lambda kind: f"{kind.name}-{kind.inside}")
def test_a_filter_by_type_tells_the_kinds_apart(search: Search, kind: Kind) -> None:
    assert len(search(kind.word, "--type", kind.type)) == 1
    assert search(kind.word, "--type", "md" if kind.type != "md" else "pdf") == []


SAYING = [kind for kind in HERE if kind.says]


@pytest.mark.parametrize("kind", SAYING, ids=lambda kind: str(kind.name))
def test_what_a_file_says_of_itself_can_be_filtered_by(search: Search, kind: Kind) -> None:
    (hit,) = search(kind.word, "--author", AUTHOR, "--tag", TAG, "--since", "2024-03-01", "--until", "2024-03-01")
    assert (hit["title"], hit["dated"], hit["tags"]) == (TITLE, DATED, [TAG])
    for other in (("--author", "李四"), ("--tag", "别的"), ("--since", "2024-03-02"), ("--until", "2024-02-29")):
        assert search(kind.word, *other) == []


def test_what_no_file_says_is_not_made_up(search: Search) -> None:
    authors = search("动物 园 第 有 里", "--author", AUTHOR)
    assert {Path(hit["source"]).name for hit in authors} <= {*(kind.name for kind in SAYING), "a.doc"}


# ------------------------------------------------------------------------------------------ there and back


def test_an_export_gives_the_same_places_and_marks(added: Added, tmp_path: Path) -> None:
    copy = ["-L", str(tmp_path / "copy.sqlite")]
    assert app.run(["-L", str(added.library), "export", str(tmp_path / "all.jsonl")]) == 0
    assert app.run([*copy, "import", str(tmp_path / "all.jsonl")]) == 0
    with Library.open(added.library) as one, Library.open(tmp_path / "copy.sqlite") as other:
        assert _passages(one) == _passages(other)
        assert any(hit.marks for hit in _passages(one)) and any(hit.place for hit in _passages(one))
        assert one.status().unread == other.status().unread and not other.check().problems
        assert {skip.source: skip.reason for skip in one.status().skipped} == {
            skip.source: skip.reason for skip in other.status().skipped
        }


def _passages(library: Library) -> list[Hit]:
    hits = library.search("", mode="raw", limit=10_000).hits
    return sorted((replace(hit, score=0.0) for hit in hits), key=lambda hit: (hit.source, hit.start))


# ----------------------------------------------------------------------------------------------- faults

EMOJI = (
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
)
EMOJI += "1 beginbfchar <41> <D83DDE00> endbfchar endcmap end end"


def test_a_highlight_after_an_emoji_covers_the_right_characters_and_the_right_ink(tmp_path: Path) -> None:
    """Faults 8 and 15."""
    smiling = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 13 0 R>>"
    pages = [prose("one"), "BT /F3 12 Tf 72 700 Td (AA evidence AA here) Tj ET"]
    stream = f"<</Length {len(EMOJI)}>>stream\n{EMOJI}\nendstream"
    write(tmp_path / "docs" / "a.pdf", pdf(pages, fonts="/F3 12 0 R", objects=[smiling, stream]))
    write(tmp_path / "docs" / "a.docx", docx(docx_p("😀😀 evidence 😀 here")))
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(tmp_path / "docs")
        hits = {Path(hit.source).suffix: hit for hit in library.search("evidence").hits}
        assert set(hits) == {".pdf", ".docx"} and hits[".pdf"].page == 2
        for hit in hits.values():
            assert [hit.text[start:end] for start, end in hit.matches] == ["evidence"] and hit.text.startswith("😀😀 ")
        picture = Image.open(BytesIO(library.page_image(hits[".pdf"].id, quote="evidence", dpi=72)))
    left, top, right, bottom = _orange(picture)
    # The widths of Helvetica: A 667, space 278, "evidence" 4002 thousandths of 12 points.
    assert abs(left - (72 + 12 * (2 * 0.667 + 0.278))) < 3 and abs(right - left - 12 * 4.002) < 4
    assert top < 842 - 700 < bottom + 1


def _orange(picture: Image.Image) -> tuple[int, int, int, int]:
    """Return the box of what is marked as a quotation: full of red, with less green than the mark of a passage."""
    red, green, _ = picture.convert("RGB").split()
    marked = ImageChops.darker(red.point(lambda r: 255 * (r == 255)), green.point(lambda g: 255 * (g < 200)))
    box = marked.getbbox()
    assert box is not None
    return box


def test_a_scan_that_nothing_can_read_is_named_where_it_is_looked_for(tmp_path: Path) -> None:
    """Fault 23."""
    write(tmp_path / "without" / "sitecustomize.py", "import sys\nsys.modules['rapidocr'] = None\n")
    folder = tmp_path / "docs"
    for name in PICTURES:
        write(folder / name, contents()[name])
    image = "<</Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/Length 1>>stream\n0\nendstream"
    pages = [prose("words"), "q 400 0 0 100 72 600 cm /Im Do Q"]
    write(folder / "scan.pdf", pdf(pages, resources="/XObject<</Im 12 0 R>>", objects=[image]))
    library = tmp_path / "library.sqlite"
    paths = os.pathsep.join([str(tmp_path / "without"), *sys.path])
    status, said, output = on_a_terminal(tmp_path, "-L", library, "--json", "add", folder, PYTHONPATH=paths)
    report = json.loads(output)
    assert (status, report["indexed"], len(report["skipped"])) == (0, 1, 3), said
    assert {skip["reason"] for skip in report["skipped"]} == {"it is a picture"}
    assert any("page 2 is a scan without text" in warning for warning in report["warnings"])
    status, _, output = on_a_terminal(tmp_path, "-L", library, "--json", "search", word("a.png"), PYTHONPATH=paths)
    absence = json.loads(output)["absence"]
    named = {Path(each["source"]).name: each["reason"] for each in absence["unsearchable"]}
    assert named == dict.fromkeys(PICTURES, "it is a picture") | {"scan.pdf": "page 2 is a scan without text"}


def test_no_path_in_an_archive_and_no_link_leads_out_of_the_folder(added: Added, search: Search) -> None:
    """Fault 32."""
    found = search(OUTSIDE, "--mode", "exact")
    assert {added.name(hit["source"]) for hit in found} == {"a.zip/出去.txt", "a.zip/etc/绝对.txt"}
    assert search("root:x:0:0", "--mode", "exact") == []
    assert not list(added.folder.parent.rglob("出去.txt")) and not Path("/etc/绝对.txt").exists()
