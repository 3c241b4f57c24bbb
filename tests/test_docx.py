"""Word documents: every run of text is there once, in order; what is no text of the author is a mark or left out."""

import re
import zipfile
from io import BytesIO
from xml.etree import ElementTree

import pytest
from corpus_files import file
from docx_files import NAMESPACES, one, r, read, styled, table, text
from docx_files import docx as docx  # for every_kind.py
from docx_files import p as p
from extracted import marked
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import with_parts as with_parts  # for every_kind.py

from yuanwen.documents import Mark, Place
from yuanwen.errors import Unreadable
from yuanwen.passages import split

READABLE = (
    "chatchat_ocr_test.docx",
    "docling_Strict.docx",
    "docling_docx_comments.docx",
    "docling_textbox.docx",
    "docling_unit_test_headers_numbered.docx",
    "tika_testWORD_phonetic.docx",
)


# ------------------------------------------------------------------------------------ nothing is lost


def runs(root: ElementTree.Element) -> list[str]:
    """Return the texts of all `w:t` outside deletions, readings and fallbacks, independently of the reader."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("del", "moveFrom", "rt", "Fallback"):
                parent.remove(child)
    return [e.text for e in root.iter() if e.tag.rpartition("}")[2] == "t" and e.text and e.text.strip()]


@pytest.mark.parametrize("name", READABLE)
def test_every_run_of_text_of_a_real_document_is_there_as_often_as_in_the_file(name: str) -> None:
    data = file(name)
    document = one(data)
    expected: list[str] = []
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for part in archive.namelist():
            if re.fullmatch(r"word/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml", part):
                expected += runs(ElementTree.fromstring(archive.read(part)))
    assert expected
    for run in expected:
        assert run in document.text
    length = len("".join("".join(expected).split()))
    assert len("".join(document.text.split())) == length


words = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn", "Zl", "Zp")), min_size=1).filter(str.strip)
blocks = st.recursive(
    words.map(p),
    lambda inner: st.one_of(
        st.lists(st.lists(inner, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(
            lambda rows: table(*rows)
        ),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda some: f"<w:sdt><w:sdtContent>{''.join(some)}</w:sdtContent></w:sdt>"
        ),
        inner.map(
            lambda box: (
                f"<w:p><w:r><w:pict><v:textbox><w:txbxContent>{box}</w:txbxContent></v:textbox></w:pict></w:r></w:p>"
            )
        ),
    ),
    max_leaves=12,
)


@given(st.lists(blocks, min_size=1, max_size=4).map("".join))
@settings(max_examples=60)
def test_any_nesting_of_tables_controls_and_boxes_keeps_each_run_once_and_in_order(body: str) -> None:
    document = one(docx(body))
    expected = [
        e.text or "" for e in ElementTree.fromstring(f"<x {NAMESPACES}>{body}</x>").iter() if e.tag.endswith("}t")
    ]
    assert re.split(r"[\n\t]+", document.text.strip("\n\t")) == [run for run in expected]


# -------------------------------------------------------------------------------------- real documents


def test_text_boxes_of_alternatives_are_there_once() -> None:
    document = one(file("docling_textbox.docx"))
    assert document.text.count("Student falls ill") == 1
    assert document.title == "傳染病通報作業流程"


def test_a_strict_document_is_read_like_any_other() -> None:
    assert one(file("docling_Strict.docx")).text == "Some text"


def test_automatic_numbers_are_marks_and_stand_in_headings_not_in_the_text() -> None:
    document = one(file("docling_unit_test_headers_numbered.docx"))
    assert [(heading.level, heading.text) for heading in document.headings[:7]] == [
        (1, "1. Section 1"),
        (2, "1.1. Section 1.1"),
        (2, "1.2. Section 1.2"),
        (3, "1.2.1. Section 1.2.3"),
        (1, "2. Section 2"),
        (3, "2.1.1. Section 2.1.1"),
        (2, "2.2. Section 2.1"),
    ]
    assert "\nSection 1\n" in document.text
    numbers = {document.text[m.start :].partition("\n")[0]: m.note for m in document.marks if m.kind == "number"}
    assert numbers["Software Constraints"] == "2.3.2."
    assert numbers["Second sub-item at this level"] == "2.3.8.2."
    assert document.title == "Test Document"


def test_comments_stand_after_the_body_each_in_a_place_of_its_own() -> None:
    document = one(file("docling_docx_comments.docx"))
    assert [place for _, place in document.places] == [
        Place(unit="body"),
        *(Place(unit="comments", number=number) for number in (1, 2, 3)),
    ]
    comments = [
        passage.text.strip() for passage in split(document) if passage.place == Place(unit="comments", number=3)
    ]
    assert comments == ["Anonymous feedback on this paragraph."]
    assert (document.author, document.dated) == ("python-docx", "2013-12-23T23:15:00+00:00")


def test_a_reading_is_a_mark_over_its_base() -> None:
    document = one(file("tika_testWORD_phonetic.docx"))
    assert document.text == "東京"
    assert document.marks == (Mark(start=0, end=2, kind="reading", note="とうきょう"),)


def test_cells_are_parted_by_tabs_and_rows_by_lines() -> None:
    document = one(file("chatchat_ocr_test.docx"))
    assert document.text == "我是文字\n我是表格1\t我是表格2\n我是表格3\t我是表格4"
    assert document.paragraphs == (0, 5, 17)


@pytest.mark.parametrize("name", ["own/laughs.docx", "own/xxe.docx"])
def test_a_dtd_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="its XML has a DTD"):
        read(file(name))


@pytest.mark.parametrize("name", ["own/deep.docx", "own/tables.docx"])
def test_nesting_without_end_is_refused(name: str) -> None:
    with pytest.raises(Unreadable, match="its elements are nested too deeply"):
        read(file(name))


def test_a_part_that_unpacks_to_many_times_its_size_is_refused() -> None:
    with pytest.raises(Unreadable, match=r"it unpacks to \d+ times its size"):
        read(docx(p("文") + " " * 17 * 2**20))


@pytest.mark.parametrize("name", ["ins", "sdt", "tbl", "r"])
def test_nesting_up_to_the_limit_is_read(name: str) -> None:
    assert text(f"<w:{name}>" * 240 + p("条款") + f"</w:{name}>" * 240) == "条款"


# ------------------------------------------------------------------------------------- text of a body


def test_paragraphs_are_lines_and_each_starts_a_paragraph() -> None:
    document = one(docx(p("第一条　总则") + "<w:p/>" + p("第二条　附则")))
    assert (document.text, document.paragraphs, document.places) == ("第一条　总则\n第二条　附则", (0, 7), ())


def test_a_nested_table_keeps_its_cells_once() -> None:
    inner = table((p("内一"), p("内二")), (p("内三"), p("")))
    assert text(table((p("甲"), inner + p("")), (p(""), p("丁"))) + p("后")) == "甲\t内一\t内二\n内三\n\t丁\n后"


def test_an_empty_nested_table_takes_no_cell_away() -> None:
    empty = table((p(""), p("")), (p(""),))
    assert text(table((p("甲"), empty, p("丙"), empty + p("丁")), (empty, p("戊")))) == "甲\t\t丙\t丁\n\t戊"


def test_a_cell_of_several_paragraphs_is_one_paragraph_of_several_lines() -> None:
    document = one(docx(table((p("甲") + p("乙"), p("丙")))))
    assert (document.text, document.paragraphs) == ("甲\n乙\t丙", (0,))


def test_what_a_merged_cell_covers_is_marked_as_invisible() -> None:
    covered = "<w:tc><w:tcPr><w:vMerge/></w:tcPr>" + p("遮住") + "</w:tc>"
    document = one(docx(f"<w:tbl><w:tr><w:tc>{p('合并')}</w:tc></w:tr><w:tr>{covered}</w:tr></w:tbl>"))
    assert (document.text, marked(document, "invisible")) == ("合并\n遮住", ["遮住"])


def test_insertions_are_marked_and_deletions_left_out() -> None:
    document = one(
        docx(
            f"<w:p>{r('违约金为')}<w:del><w:r><w:delText>百分之五</w:delText></w:r></w:del>"
            f"<w:ins>{r('百分之')}{r('八')}</w:ins>{r('。')}</w:p>"
            f"<w:p><w:moveFrom>{r('移动')}</w:moveFrom></w:p><w:p><w:moveTo>{r('移动')}</w:moveTo></w:p>"
        )
    )
    assert document.text == "违约金为百分之八。\n移动"
    assert marked(document, "inserted") == ["百分之八", "移动"]


def test_a_paragraph_whose_break_was_deleted_goes_on_in_the_next() -> None:
    broken = "<w:rPr><w:del/></w:rPr>"
    assert text(p("甲方应当", broken) + p("付款") + p("乙方")) == "甲方应当付款\n乙方"


def test_controls_links_and_smart_tags_are_read_through() -> None:
    assert (
        text(
            f"<w:sdt><w:sdtPr><w:alias/></w:sdtPr><w:sdtContent>{p('块')}</w:sdtContent></w:sdt>"
            f"<w:p><w:sdt><w:sdtContent>{r('行')}</w:sdtContent></w:sdt><w:hyperlink>{r('链接')}</w:hyperlink>"
            f"<w:smartTag>{r('标记')}</w:smartTag><w:fldSimple>{r('域')}</w:fldSimple></w:p>"
        )
        == "块\n行链接标记域"
    )


def test_of_a_field_the_result_is_read_and_a_value_in_its_instruction_is_invisible() -> None:
    def char(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    document = one(
        docx(
            f"<w:p>{r('见')}{char('begin')}<w:r><w:instrText>IF </w:instrText></w:r>{char('begin')}"
            f"<w:r><w:instrText>REF x</w:instrText></w:r>{char('separate')}{r('条件')}{char('end')}"
            f"{char('separate')}{r('第三条')}{char('end')}{r('。')}</w:p>"
            f"<w:p>{char('begin')}<w:r><w:instrText>残缺</w:instrText></w:r></w:p>{p('下文')}"
        )
    )
    assert document.text == "见条件第三条。\n下文"
    assert marked(document, "invisible") == ["条件"]


def test_tabs_breaks_and_hyphens_are_characters() -> None:
    pieces = (r("甲"), "<w:tab/>", r("乙"), "<w:br/>", r("丙"), "<w:noBreakHyphen/>", r("丁"))
    document = one(docx(f"<w:p>{''.join(pieces)}</w:p>"))
    assert (document.text, document.paragraphs) == ("甲\t乙\n丙\u2011丁", (0,))


def test_a_page_break_at_the_end_of_a_paragraph_adds_no_line() -> None:
    assert text(f"<w:p>{r('甲')}<w:r><w:br w:type='page'/></w:r></w:p>{p('乙')}") == "甲\n乙"


def test_a_symbol_is_its_character_where_that_is_known() -> None:
    def symbol(font: str, char: str) -> str:
        return f'<w:r><w:sym w:font="{font}" w:char="{char}"/></w:r>'

    known = symbol("Wingdings 2", "F052") + symbol("Symbol", "F061") + symbol("宋体", "2264")
    document = one(docx(f"<w:p>{known}{symbol('Webdings', 'F0AB')}{symbol('Symbol', 'zz')}</w:p>"))
    assert (document.text, marked(document, "garbled")) == ("☑α≤\uf0ab", ["\uf0ab"])


def test_formulas_are_flattened() -> None:
    formula = "<m:oMath><m:r><m:t>x=</m:t></m:r><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num></m:f></m:oMath>"
    assert text(f"<w:p>{r('由')}{formula}{r('得')}</w:p>") == "由x=a得"


def test_hidden_text_is_kept_and_marked_whether_the_run_or_a_style_hides_it() -> None:
    styles = (
        '<w:style w:type="character" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="P"><w:basedOn w:val="Q"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Q"><w:basedOn w:val="P"/><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    hidden = r("自己", "<w:vanish/>") + r("样式", '<w:rStyle w:val="H"/>') + r("不藏", '<w:vanish w:val="0"/>')
    document = one(docx(f"<w:p>{r('明')}{hidden}</w:p>" + styled("整段", "P"), styles=styles))
    assert document.text == "明自己样式不藏\n整段"
    assert marked(document, "invisible") == ["自己样式", "整段"]


def test_a_text_box_follows_the_paragraph_that_it_is_anchored_in() -> None:
    box = f"<w:txbxContent>{p('框')}{p('内')}</w:txbxContent>"
    choice = f"<mc:Choice>{box}</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
    assert (
        text(f"<w:p>{r('前')}<w:r><mc:AlternateContent>{choice}</mc:AlternateContent></w:r>{r('后')}</w:p>")
        == "前后\n框\n内"
    )


def test_the_fallback_is_read_where_the_choice_has_no_text() -> None:
    fallback = f"<mc:AlternateContent><mc:Choice/><mc:Fallback>{r('替代')}</mc:Fallback></mc:AlternateContent>"
    assert text(f"<w:p>{fallback}</w:p>") == "替代"


def test_word_art_is_read() -> None:
    assert (
        text(f'<w:p>{r("文")}<w:r><w:pict><v:shape><v:textpath string="机密"/></v:shape></w:pict></w:r></w:p>')
        == "文\n机密"
    )


def test_charts_and_smart_art_are_read_where_they_stand() -> None:
    drawings = '<w:r><c:chart r:id="chart"/></w:r><w:r><dgm:relIds r:dm="data" r:lo="x"/></w:r>'
    data = docx(f"<w:p>{r('图')}{drawings}</w:p>{p('后')}", ("chart", "chart.xml"), ("diagramData", "data.xml"))

    def cache(name: str, *values: str) -> str:
        points = "".join(f'<c:pt idx="{i}"><c:v>{value}</c:v></c:pt>' for i, value in enumerate(values))
        return f"<c:{name}><c:ref><c:f>A1</c:f><c:cache>{points}</c:cache></c:ref></c:{name}>"

    years = cache("cat", "2023", "2024")
    series = "".join(
        f"<c:ser>{cache('tx', name)}{years}{cache('val', *values)}</c:ser>"
        for name, *values in (("收入", "1.5", "4.2999999999999998"), ("支出", "1", "2"))
    )
    chart = f"<c:chartSpace {NAMESPACES}><a:p><a:r><a:t>年度预算</a:t></a:r></a:p>{series}</c:chartSpace>"
    point = "<dgm:pt><dgm:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    diagram = f"<dgm:dataModel {NAMESPACES}>{point.format('总经理')}{point.format('财务')}</dgm:dataModel>"
    document = one(with_parts(data, {"word/chart.xml": chart, "word/data.xml": diagram}))
    table = "\t收入\t支出\n2023\t1.5\t1\n2024\t4.3\t2"
    assert document.text == f"图\n年度预算\n{table}\n总经理\n财务\n后"
