"""Presentations: slides in the order in which they are shown, with all that a reader can see, and their notes."""

import zipfile
from io import BytesIO
from xml.etree import ElementTree

import pytest
from corpus_files import file
from extracted import marked, only
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import OFFICE, relationships, zipped

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
from yuanwen.extract.formats import PPTX
from yuanwen.passages import split

NAMESPACES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    f' xmlns:r="{OFFICE}"'
)


def shape(*paragraphs: str, kind: str = "", hidden: bool = False) -> str:
    holder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else ""
    name = f'<p:cNvPr id="2" name="形状" descr="替代文字"{" hidden=" + chr(34) + "1" + chr(34) if hidden else ""}/>'
    return f"<p:sp><p:nvSpPr>{name}{holder}</p:nvSpPr><p:txBody>{''.join(map(para, paragraphs))}</p:txBody></p:sp>"


def para(words: str) -> str:
    return f"<a:p><a:r><a:t>{words}</a:t></a:r></a:p>"


def slide(*shapes: str, show: str = "1") -> str:
    return f'<p:sld {NAMESPACES} show="{show}"><p:cSld><p:spTree>{"".join(shapes)}</p:spTree></p:cSld></p:sld>'


def pptx(
    slides: dict[str, str],
    related: dict[str, dict[str, tuple[str, str]]] | None = None,
    parts: dict[str, str | bytes] | None = None,
) -> bytes:
    """Return a presentation that shows these slides in this order; `related` are relations of a slide, by name."""
    ids = "".join(f'<p:sldId id="{256 + at}" r:id="{name}"/>' for at, name in enumerate(slides))
    files: dict[str, str | bytes] = {
        "_rels/.rels": relationships(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {NAMESPACES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relationships(*((name, "slide", f"slides/{name}.xml") for name in slides)),
    }
    for name in sorted(slides):
        files[f"ppt/slides/{name}.xml"] = slides[name]
    for name, relations in (related or {}).items():
        files[f"ppt/slides/_rels/{name}.xml.rels"] = relationships(
            *((id, *relation) for id, relation in relations.items())
        )
    return zipped(files | (parts or {}))


def read(data: bytes) -> tuple[Extracted | Skip, ...]:
    return extract(Raw(name="a.pptx", data=data, media_type=PPTX))


def one(data: bytes) -> Extracted:
    return only(read(data))


# -------------------------------------------------------------------------------------- real documents


@pytest.mark.parametrize("name", ["chatchat_ocr_test.pptx", "tika_testPPT_diagramData.pptx"])
def test_every_run_of_text_of_a_real_presentation_is_there(name: str) -> None:
    data = file(name)
    document = one(data)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = [
            part for part in archive.namelist() if part.startswith(("ppt/slides/s", "ppt/notesS", "ppt/diagrams/d"))
        ]
        texts = [
            e.text for part in parts for e in ElementTree.fromstring(archive.read(part)).iter() if e.tag[-2:] == "}t"
        ]
    expected = [text for text in texts if text and text.strip()]
    assert expected
    assert all(text in document.text for text in expected)


def test_smart_art_and_notes_are_read() -> None:
    document = one(file("tika_testPPT_diagramData.pptx"))
    assert document.text == "President\nVP – HR\nManager 1\nVP - Marketing\nManager 1\n\n1"
    assert marked(document, "running head") == ["1"]


def test_cells_are_parted_by_tabs_and_rows_by_lines() -> None:
    assert one(file("chatchat_ocr_test.pptx")).text == "我是文字\n我是表格1\t我是表格5\n我是表格3\t我是表格4"


# ---------------------------------------------------------------------------------------------- slides


def test_slides_come_in_the_order_of_the_presentation_each_a_place_with_its_title() -> None:
    document = one(
        pptx(
            {
                "slide2": slide(shape("收入"), shape("年度预算", kind="title")),
                "slide1": slide(shape("没有标题")),
                "slide3": slide(shape("决算", "说明", kind="ctrTitle")),
            }
        )
    )
    assert document.text == "年度预算\n收入\n\n没有标题\n\n决算\n说明"
    assert document.places == (
        (0, Place(unit="slide", number=1, name="年度预算")),
        (9, Place(unit="slide", number=2)),
        (15, Place(unit="slide", number=3, name="决算 说明")),
    )
    paths = [list(filter(None, passage.heading)) for passage in split(document)]
    assert paths == [["年度预算"], [], ["决算 说明"]]
    assert document.title == "年度预算"


def test_the_first_slide_is_not_headed_by_the_title_of_the_second() -> None:
    document = one(pptx({"a": slide(shape("封面")), "b": slide(shape("目录", kind="title"))}))
    assert [list(filter(None, passage.heading)) for passage in split(document)] == [[], ["目录"]]


def test_groups_tables_and_alternatives_are_read_once() -> None:
    cells = "".join(f"<a:tc><a:txBody>{para(words)}</a:txBody></a:tc>" for words in ("甲", "乙"))
    merged = f'<a:tc gridSpan="2"><a:txBody>{para("合并")}</a:txBody></a:tc><a:tc hMerge="1"><a:txBody/></a:tc>'
    grid = f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr><a:tr>{merged}</a:tr></a:tbl></p:graphicFrame>"
    ways = f"<mc:Choice>{shape('选')}</mc:Choice><mc:Fallback>{shape('选')}</mc:Fallback>"
    either = f"<mc:AlternateContent>{ways}</mc:AlternateContent>"
    body = f"<p:grpSp><p:grpSp>{shape('组内')}</p:grpSp>{shape('组外')}</p:grpSp>{grid}{either}"
    assert one(pptx({"a": slide(body)})).text == "组内\n组外\n甲\t乙\n合并\n选"


def test_a_break_is_a_line_of_the_same_paragraph() -> None:
    broken = "<a:p><a:r><a:t>上</a:t></a:r><a:br/><a:r><a:t>下</a:t></a:r></a:p>"
    document = one(pptx({"a": slide(f"<p:sp><p:txBody>{broken}</p:txBody></p:sp>")}))
    assert (document.text, document.paragraphs) == ("上\n下", (0,))


def test_hidden_slides_and_shapes_are_kept_and_marked_and_footers_are_running_heads() -> None:
    document = one(
        pptx(
            {
                "a": slide(shape("明"), shape("藏", hidden=True), shape("内部资料", kind="ftr")),
                "b": slide(shape("隐"), show="0"),
            }
        )
    )
    assert document.text == "明\n藏\n内部资料\n\n隐"
    assert marked(document, "invisible") == ["藏", "隐"]
    assert marked(document, "running head") == ["内部资料"]


def test_comments_then_notes_follow_the_text_of_their_slide() -> None:
    old = f"<p:cmLst {NAMESPACES}><p:cm><p:text>旧批注</p:text></p:cm></p:cmLst>"
    new = f"<x:cmLst xmlns:x='x' {NAMESPACES}><x:cm><x:txBody>{para('新批注')}</x:txBody></x:cm></x:cmLst>"
    notes = f"<p:notes {NAMESPACES}>{shape('讲稿', kind='body')}{shape('标题', kind='title')}</p:notes>"
    related = {
        "a": {
            "n": ("notesSlide", "../notesSlides/n.xml"),
            "c": ("comments", "/ppt/comments/old.xml"),
            "d": ("comments", "../comments/new.xml"),
            "l": ("slideLayout", "../slideLayouts/l.xml"),
        }
    }
    parts: dict[str, str | bytes] = {
        "ppt/notesSlides/n.xml": notes,
        "ppt/comments/old.xml": old,
        "ppt/comments/new.xml": new,
        "ppt/slideLayouts/l.xml": slide(shape("单击此处添加标题")),
    }
    document = one(pptx({"a": slide(shape("正文")), "b": slide(shape("下页"))}, related, parts))
    assert document.text == "正文\n\n旧批注\n\n新批注\n\n讲稿\n标题\n\n下页"
    assert [(at, place.number) for at, place in document.places] == [(0, 1), (21, 2)]
    assert document.headings == ()


def test_a_chart_is_its_titles_and_a_table_of_its_values() -> None:
    def cache(name: str, *values: str) -> str:
        points = "".join(f'<c:pt idx="{i}"><c:v>{value}</c:v></c:pt>' for i, value in enumerate(values))
        return f"<c:{name}><c:ref><c:cache>{points}</c:cache></c:ref></c:{name}>"

    chart = (
        f"<c:chartSpace {NAMESPACES}><c:title>{para('营收')}</c:title><c:ser>{cache('tx', '一部')}"
        f"{cache('cat', '上半年', '下半年')}{cache('val', '10', '20.5')}</c:ser></c:chartSpace>"
    )
    frame = '<p:graphicFrame><c:chart r:id="x"/></p:graphicFrame>'
    document = one(
        pptx({"a": slide(frame)}, {"a": {"x": ("chart", "../charts/c.xml")}}, {"ppt/charts/c.xml": chart}),
    )
    assert document.text == "营收\n\t一部\n上半年\t10\n下半年\t20.5"


def test_a_chart_of_the_newer_kind_is_read_by_column() -> None:
    points = ('<x:pt idx="0">一季度</x:pt><x:pt idx="1">二季度</x:pt>', '<x:pt idx="0">3</x:pt><x:pt idx="1">4</x:pt>')
    columns = "".join(f"<x:dim><x:f>A1</x:f><x:lvl>{one}</x:lvl></x:dim>" for one in points)
    chart = f"<x:chartSpace xmlns:x='x' {NAMESPACES}>{columns}<x:title>{para('瀑布')}</x:title></x:chartSpace>"
    frame = '<p:graphicFrame><c:chart r:id="x"/></p:graphicFrame>'
    data = pptx({"a": slide(frame)}, {"a": {"x": ("chartEx", "../charts/c.xml")}}, {"ppt/charts/c.xml": chart})
    assert one(data).text == "瀑布\n一季度\t3\n二季度\t4"


def test_automatic_numbers_are_marks() -> None:
    def item(words: str, kind: str, level: int = 0, start: int = 1) -> str:
        bullet = f'<a:pPr lvl="{level}"><a:buAutoNum type="{kind}" startAt="{start}"/></a:pPr>' if kind else ""
        return f"<a:p>{bullet}<a:r><a:t>{words}</a:t></a:r></a:p>"

    items = item("甲", "ea1ChsPeriod") + item("乙", "arabicParenR", 1) + item("丙", "arabicParenR", 1) + item("", "")
    items += (
        item("丁", "ea1ChsPeriod")
        + item("戊", "arabicParenR", 1)
        + item("己", "")
        + item("庚", "alphaUcParenBoth", 0, 3)
    )
    document = one(pptx({"a": slide(f"<p:sp><p:txBody>{items}</p:txBody></p:sp>")}))
    assert document.text == "甲\n乙\n丙\n丁\n戊\n己\n庚"
    numbers = {document.text[mark.start]: mark.note for mark in document.marks}
    assert numbers == {"甲": "一.", "乙": "1)", "丙": "2)", "丁": "二.", "戊": "1)", "庚": "(C)"}


# ---------------------------------------------------------------------------------------------- damage


def test_a_damaged_slide_is_named_and_the_others_keep_their_numbers() -> None:
    data = pptx({"a": "<broken", "b": slide(shape("完好"))}, {"b": {"n": ("notesSlide", "../missing.xml")}})
    document, *skips = read(data)
    assert isinstance(document, Extracted)
    assert document.text == "完好"
    assert document.places == ((0, Place(unit="slide", number=2)),)
    assert [(skip.source, skip.reason) for skip in skips if isinstance(skip, Skip)] == [
        ("ppt/slides/a.xml", "its XML is damaged"),
        ("ppt/missing.xml", "it is damaged"),
    ]


def test_any_depth_of_groups_is_read() -> None:
    deep = "<p:grpSp>" * 5_000 + shape("底") + "</p:grpSp>" * 5_000
    assert one(pptx({"a": slide(deep)})).text == "底"


def test_a_damaged_presentation_is_refused() -> None:
    whole = pptx({"a": slide(shape("文"))})
    for damaged in (whole[: len(whole) // 2], whole.replace(b"ppt/presentation.xml", b"ppt/presentatiom.xml")):
        with pytest.raises(Unreadable, match="damaged"):
            read(damaged)


@given(st.lists(st.text("<>/a:tpr br文&", max_size=30), max_size=3))
@settings(max_examples=100)
def test_any_markup_is_read_or_refused(shapes: list[str]) -> None:
    try:
        read(pptx({"a": slide(*shapes)}))
    except Unreadable as error:
        assert "reader failed" not in str(error)
