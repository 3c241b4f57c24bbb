"""Spreadsheets become their cells, row by row, with the address of each row and the headings of its columns."""

import shutil
import subprocess
from pathlib import Path

import pytest
from corpus_files import file
from extracted import tiled
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import OFFICE, PACKAGE, relationships, zipped

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, media_type_of
from yuanwen.extract.formats import ODS, XLSX
from yuanwen.passages import split

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def read(data: bytes, name: str = "a.xlsx") -> Extracted:
    (document,) = extract(Raw(name=name, data=data, media_type=media_type_of(name, data) or ""))
    assert isinstance(document, Extracted)
    assert document.paragraphs == tuple(start for start, _ in document.places)
    return tiled(document)


def related(*targets: tuple[str, str]) -> str:
    return relationships(*((f"r{number}", kind, target) for number, (kind, target) in enumerate(targets, 1)))


def xlsx(*sheets: str, states: tuple[str, ...] = (), parts: dict[str, str] | None = None) -> bytes:
    """Return a workbook of sheets named 表1, 表2 ... that hold these rows."""
    listed = "".join(
        f'<sheet name="表{n}" sheetId="{n}" r:id="r{n}" state="{dict(enumerate(states, 1)).get(n, "visible")}"/>'
        for n in range(1, len(sheets) + 1)
    )
    kinds = {"xl/workbook": "sheet.main", "xl/styles": "styles"} | {
        f"xl/worksheets/sheet{n}": "worksheet" for n in range(1, len(sheets) + 1)
    }
    types = (
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(
            f'<Override PartName="/{name}.xml" ContentType="{XLSX[:-5]}{kind}+xml"/>' for name, kind in kinds.items()
        )
    )
    formats = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 22, 46, 20))
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">{types}</Types>',
            "_rels/.rels": related(("officeDocument", "xl/workbook.xml"), ("core-properties", "docProps/core.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": related(
                *(("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1))
            ),
            "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs count="5">{formats}</cellXfs></styleSheet>',
        }
        | {
            f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
            for n, rows in enumerate(sheets, 1)
        }
        | (parts or {})
    )


def cell(at: str, value: str, style: int | None = None) -> str:
    """Return a cell: a number, or with style -1 a text, -2 a truth value, -3 an error."""
    if style is None:
        return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'
    kind = {-2: ' t="b"', -3: ' t="e"'}.get(style, f' s="{max(style, 0)}"')
    return f'<c r="{at}"{kind}><v>{value}</v></c>'


def table(rows: list[list[str]]) -> str:
    """Return rows of texts from A1 on; an empty text is no cell."""
    lines = (
        "".join(cell(f"{chr(65 + column)}{row}", value) for column, value in enumerate(values) if value)
        for row, values in enumerate(rows, 1)
    )
    return "".join(f'<row r="{row}">{line}</row>' for row, line in enumerate(lines, 1))


# -------------------------------------------------------------------------------------- real workbooks


def test_a_chinese_workbook_is_read_row_by_row() -> None:
    document = read(file("chatchat_langchain-ChatGLM_closed.xlsx"))
    rows = document.text.split("\n")
    assert rows[0] == "\ttitle\tfile\turl\tdetail\tid"
    assert rows[1].split("\t")[:3] == ["0", "加油~以及一些建议", "2023-03-31.0002"]
    start, place = document.places[1]
    assert document.text[start:].startswith(rows[1])
    assert (place.unit, place.number, place.name, place.cells) == ("sheet", 1, "Sheet1", "A2:F2")
    assert place.columns == ("", "title", "file", "url", "detail", "id")
    assert [(heading.text, heading.level) for heading in document.headings] == [("Sheet1", 1)]
    assert document.dated == "2023-06-19T10:19:41+00:00"


def test_a_strict_workbook_is_read_whole() -> None:
    document = read(file("tika_testEXCEL.strict.xlsx"))
    cells = [cell for line in document.text.split("\n") for cell in line.split("\t") if cell]
    assert len(cells) == 15
    assert [heading.text for heading in document.headings] == ["First Sheet", "Sheet Number 2"]
    assert (document.title, document.author) == ("Sample Spreadsheet", "Nick Burch")


def test_cells_too_far_apart_are_refused_at_once() -> None:
    with pytest.raises(Unreadable, match="its cells are too far apart"):
        read(file("own/sparse.xlsx"))


@pytest.mark.parametrize("suffix", ["xls", "ods"])
def test_other_kinds_of_workbooks_give_the_same(suffix: str, tmp_path: Path) -> None:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not here to make the file")
    rows = [["年度", "预算", "说明"], ["2026-11-30", "12.5", "第一行\n第二行"], ["", "TRUE", "完"]]
    (tmp_path / "a.xlsx").write_bytes(xlsx(table(rows), table([["乙"]]), states=("visible", "hidden")))
    made = subprocess.run(
        [
            office,
            f"-env:UserInstallation=file://{tmp_path}/profile",
            "--convert-to",
            suffix,
            "--outdir",
            "out",
            "a.xlsx",
        ],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert made.returncode == 0
    document = read((tmp_path / "out" / f"a.{suffix}").read_bytes(), f"a.{suffix}")
    assert document.text == "年度\t预算\t说明\n2026-11-30\t12.5\t第一行\n第二行\n\tTRUE\t完\n乙"
    assert [place.cells for _, place in document.places] == ["A1:C1", "A2:C2", "A3:C3", "A1"]
    assert document.marks == (Mark(start=len(document.text) - 1, end=len(document.text), kind="invisible"),)


# ------------------------------------------------------------------------------------- cells and rows


def test_cells_are_what_is_stored_in_them() -> None:
    row = "".join(
        [
            cell("B3", "1", 0), cell("C3", "0.1", 0), cell("D3", "110105199001011", 0), cell("E3", "1.1E+20", 0),
            cell("F3", "46000", 1), cell("G3", "46000.4", 2), cell("H3", "1.5", 3), cell("I3", "0.5", 4),
            cell("J3", "1", -2), cell("K3", "0", -2), cell("L3", "#DIV/0!", -3), cell("M3", " 文 "),
        ]
    )  # fmt: skip
    document = read(xlsx(f'<row r="3">{row}</row>'))
    assert document.text.split("\t") == [
        "1", "0.1", "110105199001011", "110000000000000000000", "2025-12-09", "2025-12-09 09:36:00", "36:00:00",
        "12:00:00", "TRUE", "FALSE", "", " 文 ",
    ]  # fmt: skip
    assert document.places == ((0, Place(unit="sheet", number=1, name="表1", cells="B3:M3")),)


def test_an_empty_cell_keeps_its_tab_and_an_empty_row_has_no_line() -> None:
    document = read(xlsx(table([["a", "b", "c"], ["", "", "x"], ["", "", ""], ["y", "", ""]])))
    assert document.text == "a\tb\tc\n\t\tx\ny"
    assert [place.cells for _, place in document.places] == ["A1:C1", "A2:C2", "A4:C4"]


def test_a_line_break_in_a_cell_starts_no_row() -> None:
    document = read(xlsx(table([["a", "b"], ["x\ny", "z"]])))
    assert document.text == "a\tb\nx\ny\tz"
    assert document.paragraphs == (0, 4)


def test_a_passage_of_several_rows_has_their_range() -> None:
    document = read(xlsx(table([["名称", "说明"], *([f"n{n}", "x" * 30] for n in range(2, 40))])))
    passages = split(document)
    assert len(passages) > 2
    places = [passage.place for passage in passages if passage.place]
    assert places[0].cells.startswith("A1:B")
    assert [place.cells.partition(":")[0] for place in places[1:]] == [
        f"A{1 + int(place.cells.rpartition('B')[2])}" for place in places[:-1]
    ]
    assert {place.columns for place in places} == {("名称", "说明")}


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([["名称", "金额"], ["a", "b"]], [("名称", "金额")] * 2),
        ([["2026年预算表", ""], ["名称", "金额"], ["a", "b"]], [(), ("名称", "金额"), ("名称", "金额")]),
        ([["a", "a"], ["b", "c"]], [(), ()]),
        ([["这是一段很长的文字" * 10, "金额"], ["b", "c"]], [(), ()]),
        ([["a", "b", "", "", ""], ["", "", "", "", "e"]], [(), ()]),
        ([["名称"], ["a"]], [("名称",)] * 2),
    ],
)
def test_headings_of_columns_are_seen_as_such(rows: list[list[str]], columns: list[tuple[str, ...]]) -> None:
    document = read(xlsx(table(rows)))
    assert [place.columns for _, place in document.places] == columns


def test_numbers_head_no_columns() -> None:
    row = cell("A1", "1", 0) + cell("B1", "2", 0) + cell("C1", "c")
    assert read(xlsx(f'<row r="1">{row}</row>')).places[0][1].columns == ()


words = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="<>&_"), max_size=5)


@given(rows=st.lists(st.lists(words, min_size=3, max_size=3), min_size=1, max_size=6))
@settings(deadline=None)
def test_the_nth_field_is_the_nth_column_of_the_used_range(rows: list[list[str]]) -> None:
    used = [column for column in range(3) if any(values[column] for values in rows)]
    if not used:
        return
    first, last = used[0], used[-1] + 1
    document = read(xlsx(table(rows)))
    expected = {row: values[first:last] for row, values in enumerate(rows, 1) if any(values)}
    lines = dict(zip(expected, document.text.split("\n"), strict=True))
    for (row, values), (_, place) in zip(expected.items(), document.places, strict=True):
        fields = lines[row].split("\t")
        assert fields + [""] * (len(values) - len(fields)) == values
        assert place.cells.startswith(f"{chr(65 + first)}{row}")


# ------------------------------------------------------------------------------- sheets and other parts


def test_a_hidden_sheet_is_marked() -> None:
    document = read(xlsx(table([["甲"]]), table([["乙"]]), table([["丙"]]), states=("visible", "veryHidden")))
    assert document.text == "甲\n乙\n丙"
    assert [(document.text[m.start : m.end].strip(), m.kind) for m in document.marks] == [("乙", "invisible")]
    assert [(heading.start, heading.text) for heading in document.headings] == [(0, "表1"), (2, "表2"), (4, "表3")]


def test_an_empty_sheet_leaves_no_trace_but_counts() -> None:
    document = read(xlsx("", table([["乙"]])))
    assert (document.text, document.places[0][1].number, document.headings[0].text) == ("乙", 2, "表2")


def test_comments_and_drawings_follow_the_sheets() -> None:
    shapes = "http://schemas.openxmlformats.org/drawingml/2006/main"
    comment = '<comment ref="B2"><text><r><t>审计：</t></r><r><t>请核对</t></r></text></comment>'
    document = read(
        xlsx(
            table([["甲"]]),
            table([["乙"]]),
            parts={
                "xl/worksheets/_rels/sheet1.xml.rels": related(
                    ("comments", "../comments1.xml"), ("drawing", "../drawings/drawing1.xml")
                ),
                "xl/comments1.xml": f'<comments xmlns="{MAIN}"><commentList>{comment}</commentList></comments>',
                "xl/drawings/drawing1.xml": f'<wsDr xmlns:a="{shapes}"><a:p><a:r><a:t>文本框</a:t></a:r></a:p></wsDr>',
            },
        )
    )
    assert document.text == "甲\n乙\n审计：请核对\n文本框"
    assert document.places[2][1] == Place(unit="comments", name="表1", cells="B2")
    assert document.places[3][1] == Place(unit="drawings", name="表1")
    assert [heading.text for heading in document.headings] == ["表1", "表2", "表1", "表1"]


def test_a_damaged_sheet_is_named_and_the_others_are_read() -> None:
    data = xlsx(table([["甲"]]), "", parts={"xl/worksheets/sheet2.xml": "<worksheet><sheetData><row"})
    document, skip = sorted(
        extract(Raw(name="a.xlsx", data=data, media_type=media_type_of("a.xlsx", data) or "")), key=str
    )
    assert isinstance(document, Extracted)
    assert document.text == "甲"
    assert isinstance(skip, Skip)
    assert skip.reason == 'the sheet "表2" is damaged'


def test_damaged_comments_are_named_and_the_cells_are_read() -> None:
    related_parts = {"xl/worksheets/_rels/sheet1.xml.rels": related(("comments", "../comments1.xml"))}
    data = xlsx(table([["甲"]]), parts={"xl/comments1.xml": "<comments"} | related_parts)
    skip, document = extract(Raw(name="a.xlsx", data=data, media_type=XLSX))
    assert isinstance(document, Extracted)
    assert isinstance(skip, Skip)
    assert (document.text, skip.source, skip.reason) == ("甲", "xl/comments1.xml", "its XML is damaged")


def test_an_ods_file_whose_xml_is_damaged_ends_at_once() -> None:
    parts = {"mimetype": ODS, "content.xml": "<office:document-content><table:table"}
    with pytest.raises(Unreadable, match="it is damaged"):
        read(zipped(parts), "a.ods")


@pytest.mark.parametrize("name", ["a.xls", "a.xlsx", "a.ods", "a.xlsb"])
@pytest.mark.parametrize("data", [b"PK\3\4 not a package", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), b"text"])
def test_what_is_no_workbook_is_damaged(name: str, data: bytes) -> None:
    kind = {"a.xls": "application/vnd.ms-excel", "a.xlsb": "application/vnd.ms-excel.sheet.binary"}.get(name)
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(Raw(name=name, data=data, media_type=kind or media_type_of("a.xlsx", b"") or ""))


def test_a_workbook_without_cells_has_no_text() -> None:
    with pytest.raises(Unreadable, match="there is no text in it"):
        read(xlsx(""))


def test_a_part_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(Unreadable, match="it unpacks to"):
        read(xlsx(table([["甲"]]), parts={"xl/sharedStrings.xml": " " * 30_000_000}))
