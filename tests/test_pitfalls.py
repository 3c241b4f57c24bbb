"""What readers of documents stumble over, in files made for it where the corpus has none."""

import re
import struct
from base64 import b64encode
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from conftest import write
from docx_files import docx, p
from every_kind import contents
from outlook_files import compound, message, wide
from pdf_files import line, made, prose
from test_epub import epub
from test_sheet import table, xlsx

from yuanwen import Library
from yuanwen.documents import Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract

UNFIT = {"half a character": 0xD800, "the other half": 0xDFFF, "a NUL": 0}
UNFIT_CHARACTERS = re.compile("[\0\ud800-\udfff]")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite") as library:
        yield library


def found_on_page(library: Library, folder: Path, data: bytes, query: str) -> list[str]:
    """Return what a query finds in a PDF, after checking that the page can be drawn with it marked."""
    write(folder / "docs" / "a.pdf", data)
    library.add(folder / "docs")
    hits = library.search(query, mode="exact").hits
    assert all(library.page_image(hit.id, quote=query).startswith(b"\x89PNG") for hit in hits)
    return [hit.text[start:end] for hit in hits for start, end in hit.matches]


# --------------------------------------------------------------------------------------------------- PDF


def test_a_ligature_is_found_by_its_letters(library: Library, tmp_path: Path) -> None:
    """Pitfall 9."""
    font = "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman/Encoding<</Differences[65/fi/fl/ffi]>>>>"
    data = made(["BT /F3 12 Tf 72 700 Td (Are in the Boor) Tj ET"], fonts="/F3 10 0 R", objects=[font])
    assert found_on_page(library, tmp_path, data, "fire") == ["fire"]
    assert library.search("floor", mode="exact").found == 1


def test_two_columns_are_read_one_after_the_other(library: Library, tmp_path: Path) -> None:
    """Pitfall 13."""
    columns = {72: ("左栏第一行的内容，", "左栏第二行。"), 320: ("右栏第一行的内容，", "右栏第二行。")}
    page = "".join(line(x, 700 - 18 * n, words) for x, lines in columns.items() for n, words in enumerate(lines))
    found = found_on_page(library, tmp_path, made([page]), "左栏第一行的内容，左栏第二行。")
    assert found == ["左栏第一行的内容，\n左栏第二行。"]
    assert library.search("右栏第一行的内容，右栏第二行", mode="exact").found == 1


def test_a_word_that_a_page_breaks_is_found_on_both_pages(library: Library, tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.pdf", made([prose("证据不"), prose("足的请求")]))
    library.add(tmp_path / "docs")
    (hit,) = library.search("证据不足", mode="exact").hits
    assert hit.place is not None and (hit.page, hit.place.last) == (1, 2)


# ------------------------------------------------------------------------------------------------ sheets


def test_a_workbook_with_a_password_asks_for_it() -> None:
    """Pitfall 17."""
    ooxml = pytest.importorskip("msoffcrypto.format.ooxml", reason="needs yuanwen[office-password]")
    packed = BytesIO()
    cells = table([[chr(0x4E00 + 100 * row + column) for column in range(100)] for row in range(100)])
    ooxml.OOXMLFile(BytesIO(xlsx(cells))).encrypt("密码", packed)
    raw = Raw(name="a.xlsx", data=packed.getvalue(), media_type="application/x-ole-encrypted")
    with pytest.raises(Unreadable, match="it needs a password"):
        extract(raw)


def test_a_workbook_at_which_its_reader_panics_is_damaged() -> None:
    """Pitfall 26: a panic is a BaseException."""
    data = bytearray(contents()["a.xls"])
    data[537] = 0xFF  # where the sheet begins: far outside of the file
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(Raw(name="a.xls", data=bytes(data), media_type="application/vnd.ms-excel"))


# ------------------------------------------------------------------------------------- what is no character


def unfit_files(code: int) -> dict[str, bytes]:
    """Return files that say such a character in every way that their format has."""
    entity, hexed = f"&#x{code:X};", f"{code:04X}"
    wide_unit = struct.pack("<H", code)
    said = "=?utf-16be?B?" + b64encode(b"\0s" + struct.pack(">H", code) + b"\0s").decode() + "?="
    page = f"<title>t{entity}t</title><meta name=author content='a{entity}a'><h1>h{entity}h</h1><p>words {entity} here"
    outline = f"<</Title<FEFF0077{hexed}0077>/Parent 10 0 R/Dest[8 0 R/Fit]>>"
    codes = f"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <{hexed}> endbfchar endcmap end end"
    cmap = f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap {codes}"
    mail = f"From: {said} <a@example.com>\r\nSubject: {said}\r\nContent-Type: text/plain; charset=utf-16be\r\n"
    return {
        "a.html": page.encode(),
        "a.epub": epub([f"<h1>h{entity}</h1><p>words {entity} here</p>"]),
        "a.docx": docx(p("words") + f'<w:p><w:r><w:sym w:font="SimSun" w:char="{hexed}"/></w:r></w:p>'),
        "a.xlsx": xlsx(table([[f"words _x{hexed}_ here"]])),
        "a.csv": b"words," + chr(code).encode("utf-8", "surrogatepass") + b",here\n" * 9,
        "a.md": b"# h" + chr(code).encode("utf-8", "surrogatepass") + b"\n\nwords here and there\n" * 9,
        "a.txt": b"\xff\xfe" + wide("words here") + wide_unit + wide("there"),
        "a.msg": compound(
            message(_0037001F=wide("s") + wide_unit + wide("s"), _1000001F=wide("words ") + wide_unit + wide("here"))
        ),
        "a.eml": f"{mail}Content-Transfer-Encoding: base64\r\n\r\n".encode()
        + b64encode("words here ".encode("utf-16-be") + struct.pack(">H", code)),
        "a.jsonl": f'{{"id": "P", "title": "t", "source": "s", "paragraph": 1, "body": "w\\u{hexed}"}}\n'.encode(),
        "a.pdf": made(
            ["BT /F3 12 Tf 72 700 Td (words A here) Tj ET"],
            catalog="/Outlines 10 0 R", fonts="/F3 12 0 R", info=f"/Title<FEFF0074{hexed}0074>",
            objects=["<</First 11 0 R/Last 11 0 R/Count 1>>", outline,
                     "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 13 0 R>>",
                     f"<</Length {len(cmap)}>>stream\n{cmap}\nendstream"],
        ),
    }  # fmt: skip


@pytest.mark.parametrize("code", UNFIT.values(), ids=UNFIT)
def test_what_is_no_character_gets_into_no_library(library: Library, tmp_path: Path, code: int) -> None:
    for name, data in unfit_files(code).items():
        write(tmp_path / "docs" / name, data)
    report = library.add(tmp_path / "docs")
    assert report.indexed >= 8 and report.files == report.indexed + len(report.skipped) == 11
    for hit in library.search("", mode="raw", limit=1000).hits:
        place = hit.place.name if hit.place else ""
        said = (hit.text, hit.title, place, *hit.heading, *(mark.note for mark in hit.marks))
        assert not [text for text in said if UNFIT_CHARACTERS.search(text)], hit.source
    for document in library.list():
        assert not UNFIT_CHARACTERS.search(document.title + document.author), document.source
    library.export(tmp_path / "all.jsonl")
    assert not library.check().problems
