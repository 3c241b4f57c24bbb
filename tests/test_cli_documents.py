"""Documents of every kind on the command line: `extract`, pictures of pages, passwords, authors."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commandline import (  # noqa: F401 - fixtures
    FILES,
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    on_a_terminal,
    piped,
    surroundings_fixture,
)

from yuanwen.cli import output
from yuanwen.library import Library

pytestmark = pytest.mark.skipif(not FILES.is_dir(), reason="the shared files are not here")

EXAM = "texlive_exam-zh_example-single.pdf"
LOCKED = "tika_testWORD_protected_passtika.docx"
PASSWORD = "tika"
LOCKED_PDF = "pdfjs_pr6531_1.pdf"
PDF_PASSWORD = "asdfasdf"
PAPERS = (EXAM, LOCKED, "docling_textbox.docx", "tika_testEXCEL.strict.xlsx", "docling_invisible_text_layer.pdf")


@pytest.fixture(scope="module", name="papers")
def papers_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of a few documents of other people, which tests only read."""
    folder = tmp_path_factory.mktemp("papers")
    for name in PAPERS:
        shutil.copy(FILES / name, folder)
    with Library.open(folder / "library.sqlite") as library:
        library.add(folder)
    return folder / "library.sqlite"


def hits(call: Call, library: Path, *args: str) -> list[dict[str, Any]]:
    """Return what a search finds."""
    found: list[dict[str, Any]] = json.loads(call("-L", library, "search", *args, "--json")[1])["hits"]
    return found


# ------------------------------------------------------------------------------------------------ extract


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("docling_textbox.docx", ["傳染病通報作業流程", "paragraph 1", "   Student falls ill"]),
        (
            "docling_unit_test_headers_numbered.docx",
            ["1. Section 1 › 1.1. Section 1.1 › paragraph 5", "   [1.1.] Section 1.1"],
        ),
        ("docling_docx_comments.docx", ["comment 2", "   Another comment by a different reviewer."]),
        ("tika_testWORD_phonetic.docx", ["   東京[とうきょう]"]),
        ("tika_testEXCEL.strict.xlsx", ["sheet First Sheet A1:B4", "   2nd row\t2nd row 2nd column"]),
        ("chatchat_ocr_test.pptx", ["slide 1", "   我是文字"]),
        ("tika_testEPUB.epub", ["Chapter 2 › Subchapter 2.1 › chapter 4"]),
        ("pdfjs_vertical.pdf", ["page 1", "   あいうえお"]),
        ("markitdown_test_mskanji.csv", ["lines 1 to 4", "   名前,年齢,住所"]),
        ("docling_invisible_text_layer.pdf", ["   ! not to be seen by a reader: Invisible OCR text layer"]),
    ],
)
def test_extract_prints_places_and_text(call: Call, name: str, lines: list[str]) -> None:
    status, out, err = call("extract", FILES / name)
    assert (status, err) == (0, "")
    for line in lines:
        assert line in out.splitlines()


def test_extract_says_what_a_document_says_of_itself(call: Call) -> None:
    about = call("extract", FILES / "tika_testEXCEL.strict.xlsx")[1].splitlines()[:3]
    assert about == [
        "Sample Spreadsheet",
        "xlsx · Nick Burch · 2015-03-13 · Testing Sample Formulas · 2 passages · 166 characters",
        str(FILES / "tika_testEXCEL.strict.xlsx"),
    ]


@pytest.mark.parametrize(
    "name", [EXAM, "docling_textbox.docx", "tika_testEXCEL.strict.xlsx", "tika_testMSG_chinese.msg"]
)
def test_json_of_extract_has_all_of_the_text_in_passages(call: Call, name: str) -> None:
    status, out, err = call("extract", FILES / name, "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert list(found) == ["source", "version", "documents", "unread"]
    for document in found["documents"]:
        assert tuple(document) == output.EXTRACTED
        passages = document["passages"]
        assert all(tuple(each) == output.PASSAGE for each in passages)
        assert all(tuple(each["place"]) == output.PLACE for each in passages if each["place"])
        assert all(tuple(mark) == output.MARK for each in passages for mark in each["marks"])
        assert [each["start"] for each in passages] == [0, *(each["end"] for each in passages[:-1])]
        assert passages[-1]["end"] == document["characters"] == sum(len(each["text"]) for each in passages)


def test_extract_names_the_parts_that_were_not_read(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "post.zip", "w") as archive:
        archive.writestr("合同/note.txt", "words of the note")
        archive.writestr("合同/scan.pdf", b"%PDF-1.7 nothing to read")
    status, out, _ = call("extract", "post.zip")
    assert status == 0
    assert "post.zip/合同/note.txt" in out.splitlines()
    assert "Not read:\n  it is damaged. Save it again, or get another copy.\n    合同/scan.pdf\n" in out
    found = json.loads(call("extract", "post.zip", "--json")[1])
    assert [document["inside"] for document in found["documents"]] == ["合同/note.txt"]
    assert [part["source"] for part in found["unread"]] == ["合同/scan.pdf"]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert "没有读到的部分：\n  已损坏。请重新保存，或另取一份。\n    合同/scan.pdf\n" in call("extract", "post.zip")[1]
    warned = call("-L", "own.sqlite", "add", "post.zip")[1]
    assert "post.zip/合同/scan.pdf：已损坏\n" in warned


def test_extract_needs_no_library_and_makes_none(call: Call, tmp_path: Path) -> None:
    assert call("-L", "new.sqlite", "extract", FILES / "markitdown_test_mskanji.csv")[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_extract_says_why_a_file_cannot_be_read(call: Call, documents: Path) -> None:
    assert call("extract", documents / "scan.pdf") == (
        2,
        "",
        "yuanwen: it is damaged. Save it again, or get another copy.\n",
    )
    assert call("extract", "nothing.pdf") == (3, "", "yuanwen: no file nothing.pdf. Check the spelling.\n")
    assert call("extract", FILES / LOCKED)[2] == "yuanwen: it needs a password. Give it with: --password.\n"


# --------------------------------------------------------------------------------------- pictures of pages


def test_the_page_of_a_passage_is_drawn_as_png(call: Call, papers: Path, tmp_path: Path) -> None:
    (hit,) = hits(call, papers, "考试用时", "--mode", "exact")
    status, out, err = call("-L", papers, "show", hit["id"], "--picture", "plain.png")
    assert status == 0
    assert "page 1" in out and err == "\nplain.png written.\n"
    plain = (tmp_path / "plain.png").read_bytes()
    assert plain.startswith(b"\x89PNG\r\n\x1a\n")
    status, out, err = call("-L", papers, "show", hit["id"], "--picture", "q.png", "--quote", "考试用时", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["hits"][0]["id"] == hit["id"]
    assert (tmp_path / "q.png").read_bytes() != plain


def test_a_passage_without_a_page_has_no_picture(call: Call, papers: Path, tmp_path: Path) -> None:
    (hit,) = hits(call, papers, "bold blue", "--mode", "exact")
    status, out, err = call("-L", papers, "show", hit["id"], "--picture", "page.png")
    assert (status, out) == (2, "")
    assert err == f"yuanwen: {hit['id']} has no page. PDF files and pictures have pages.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_quotation_that_is_not_in_the_passage_is_refused(call: Call, papers: Path, tmp_path: Path) -> None:
    (hit,) = hits(call, papers, "考试用时", "--mode", "exact")
    status, out, err = call("-L", papers, "show", hit["id"], "--picture", "page.png", "--quote", "没有的话")
    assert (status, out) == (2, "")
    assert "does not hold the quotation" in err
    assert list(tmp_path.iterdir()) == []


def test_a_picture_shows_one_passage(call: Call, papers: Path) -> None:
    exam = papers.parent / EXAM
    for name in ([exam], [*(hit["id"] for hit in hits(call, papers, "考试", "--mode", "exact"))]):
        assert call("-L", papers, "show", *name, exam, "--picture", "page.png")[2] == (
            "yuanwen: a picture shows one passage. Name one ID.\n"
        )
    single = papers.parent / "docling_invisible_text_layer.pdf"
    assert call("-L", papers, "show", single, "--picture", "page.png")[0] == 0


def test_a_quotation_is_for_a_picture(call: Call, papers: Path) -> None:
    assert call("-L", papers, "show", "x-1", "--quote", "x")[2] == (
        "yuanwen: --quote marks words in a picture. Add: --picture page.png.\n"
    )


# ----------------------------------------------------------------------------------- passwords and authors


def test_a_file_is_read_with_its_password(call: Call) -> None:
    status, out, err = call("extract", FILES / LOCKED, "--password", "wrong", "--password", PASSWORD)
    assert (status, err) == (0, "")
    assert "This is an encrypted Word 2007 File." in out


def test_a_password_can_be_piped_in() -> None:
    done = piped(f"{PASSWORD}\r\n", "extract", FILES / LOCKED, "--password", "-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"This is an encrypted Word 2007 File." in done.stdout
    nothing = piped("", "extract", FILES / LOCKED, "--password", "-")
    assert nothing.returncode == 2
    assert nothing.stderr == b"yuanwen: no password was typed. Give it with: --password WORD.\n"


@pytest.mark.parametrize(("language", "prompt"), [("en", "Password: "), ("zh", "密码：")])
def test_a_password_can_be_typed_without_being_seen(language: str, prompt: str) -> None:
    printed = on_a_terminal("extract", FILES / LOCKED, "--password", "-", password=PASSWORD, YUANWEN_LANG=language)
    assert printed.startswith(prompt)
    assert "This is an encrypted Word 2007 File." in printed and f"{prompt}{PASSWORD}" not in printed


def test_add_and_sync_take_in_what_has_a_password(call: Call, tmp_path: Path) -> None:
    shutil.copy(FILES / LOCKED, tmp_path / "locked.docx")
    assert "it needs a password. Give it with: --password." in call("-L", "own.sqlite", "add", "locked.docx")[1]
    assert "1 skipped" in call("-L", "own.sqlite", "sync", "--password", "wrong")[1]
    assert call("-L", "own.sqlite", "sync", "--password", PASSWORD)[1].startswith("1 file: 1 indexed, ")
    assert "1 unchanged" in call("-L", "own.sqlite", "sync")[1]
    added = call("-L", "two.sqlite", "add", "locked.docx", "--password", PASSWORD)[1]
    assert added.startswith("1 file: 1 indexed, ")


def test_a_page_is_drawn_with_the_password_of_its_file(call: Call, tmp_path: Path) -> None:
    shutil.copy(FILES / LOCKED_PDF, tmp_path / "locked.pdf")
    call("-L", "own.sqlite", "add", "locked.pdf", "--password", PDF_PASSWORD)
    refused = call("-L", "own.sqlite", "show", "locked.pdf", "--picture", "page.png")
    assert refused == (2, "", "yuanwen: it needs a password. Give it with: --password.\n")
    assert not (tmp_path / "page.png").exists()
    assert call("-L", "own.sqlite", "show", "locked.pdf", "--picture", "page.png", "--password", PDF_PASSWORD)[0] == 0
    assert (tmp_path / "page.png").exists()


def test_a_search_can_be_for_one_author(call: Call, papers: Path) -> None:
    everyone = {hit["title"] for hit in hits(call, papers, "sheet OR report")}
    assert everyone == {"Sample Spreadsheet", "傳染病通報作業流程"}
    for words in (("sheet OR report", "--author", "burch"), ("author:burch sheet",), ("-author:吳麗招 sheet",)):
        assert {hit["title"] for hit in hits(call, papers, *words)} == {"Sample Spreadsheet"}
    assert not hits(call, papers, "sheet", "--author", "nobody")
    listed = json.loads(call("-L", papers, "list", "--json")[1])["documents"]
    assert {each["author"] for each in listed} >= {"Nick Burch", "吳麗招"}


def test_kinds_of_files_are_listed_by_their_suffix(call: Call, papers: Path) -> None:
    rows = [line.split("  ") for line in call("-L", papers, "list")[1].splitlines()]
    kinds = {next(part for part in row[1:] if part.strip()).strip() for row in rows[1:]}
    assert kinds == {"docx", "pdf", "xlsx"}


def test_a_hit_warns_of_what_cannot_be_trusted(call: Call, papers: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        "\n   ! garbled, not what a reader sees (6): " in call("-L", papers, "search", "考试用时", "--mode", "exact")[1]
    )
    hidden = ("-L", papers, "search", "Invisible OCR text", "--mode", "exact")
    assert "\n   ! not to be seen by a reader: Invisible OCR text layer\n" in call(*hidden)[1]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert "\n   ! 读者看不见：Invisible OCR text layer\n" in call(*hidden)[1]


def test_numbers_stand_before_their_paragraphs_and_are_no_part_of_the_text(call: Call, papers: Path) -> None:
    (hit,) = hits(call, papers, "provide health education", "--mode", "exact")
    assert "   [1.] If necessary" in call("-L", papers, "show", hit["id"])[1]
    assert "   [1.] If necessary" in call("-L", papers, "search", "provide health education", "--mode", "exact")[1]
    assert "1." not in hit["text"]
    assert {"start": 0, "end": 0, "kind": "number", "note": "1."} in hit["marks"]
