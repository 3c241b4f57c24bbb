"""OpenDocument: texts and presentations are read by the rules of the format, changes and white space included."""

import pytest
from extracted import marked, only
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import zipped

from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
from yuanwen.extract.formats import ODP, ODT
from yuanwen.extract.odf import MAX_SPACES
from yuanwen.passages import split

NAMESPACES = (
    "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"'
        for name, kind in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("draw", "drawing"),
            ("style", "style"),
            ("presentation", "presentation"),
            ("chart", "chart"),
            ("svg", "svg-compatible"),
            ("meta", "meta"),
        )
    )
    + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'
)


def odf(body: str, *, kind: str = ODT, styles: str = "", parts: dict[str, str] | None = None) -> bytes:
    main = "presentation" if kind == ODP else "text"
    files = {
        "mimetype": kind,
        "content.xml": f"<office:document-content{NAMESPACES}>"
        f"<office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{main}>{body}</office:{main}></office:body></office:document-content>",
    }
    return zipped(files | (parts or {}))


def one(data: bytes, kind: str = ODT) -> Extracted:
    return only(extract(Raw(name="a", data=data, media_type=kind)))


def text(body: str) -> str:
    return one(odf(body)).text


def p(words: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{words}</text:p>'


# ----------------------------------------------------------------------------------------------- texts


def test_paragraphs_headings_and_lists_are_lines() -> None:
    body = '<text:h text:outline-level="2">总 则</text:h>' + p("正文")
    body += f"<text:list><text:list-item>{p('一')}<text:list><text:list-item>{p('二')}</text:list-item></text:list>"
    document = one(odf(body + "</text:list-item></text:list>"))
    assert (document.text, document.paragraphs) == ("总 则\n正文\n一\n二", (0, 4, 7, 9))
    assert [(h.start, h.level, h.text) for h in document.headings] == [(0, 2, "总 则")]
    assert document.places == ()


def test_white_space_collapses_as_the_format_says() -> None:
    inner = " \n 甲 <text:span>\t 乙 </text:span> 丙<text:s text:c='2'/> 丁<text:tab/>戊<text:line-break/> 己 \n"
    assert text(p(inner)) == "甲 乙 丙   丁\t戊\n 己"


def test_a_count_of_spaces_is_limited() -> None:
    assert text(p("甲<text:s text:c='999999999'/>乙")) == "甲" + " " * MAX_SPACES + "乙"


def test_cells_are_parted_by_tabs_and_each_is_there_once() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cell = "<table:table-cell{}>{}</table:table-cell>"
    first = row.format(cell.format("", p("甲")) + cell.format("", p("乙")))
    head = f"<table:table-header-rows>{first}</table:table-header-rows>"
    nested = f"<table:table>{row.format(cell.format('', p('丙')) + cell.format('', p('丁')))}</table:table>"
    merged = row.format(cell.format(' table:number-columns-spanned="2"', nested) + "<table:covered-table-cell/>")
    empty = row.format(cell.format(' table:number-columns-repeated="2"', p("")) + cell.format("", p("戊")))
    document = one(odf(f"<table:table>{head}{merged}{empty}</table:table>" + p("后")))
    assert document.text == "甲\t乙\n丙\t丁\n\t\t戊\n后"
    assert document.paragraphs == (0, 4, 8, 12)


def test_deletions_are_left_out_and_insertions_marked_across_paragraphs() -> None:
    changes = (
        '<text:tracked-changes><text:changed-region text:id="i"><text:insertion/></text:changed-region>'
        f'<text:changed-region text:id="d"><text:deletion>{p("删去")}</text:deletion></text:changed-region>'
        "</text:tracked-changes>"
    )
    start, end = '<text:change-start text:change-id="i"/>', '<text:change-end text:change-id="i"/>'
    document = one(odf(changes + p(f'甲<text:change text:change-id="d"/>{start}乙') + p(f"丙{end}丁")))
    assert document.text == "甲乙\n丙丁"
    assert marked(document, "inserted") == ["乙\n丙"]


def test_notes_and_comments_follow_the_body_and_headers_come_last() -> None:
    citation = "<text:note-citation>1</text:note-citation>"
    note = '<text:note text:note-class="{}">' + citation + "<text:note-body>{}</text:note-body></text:note>"
    comment = f"<office:annotation><dc:creator>王五</dc:creator>{p('批注')}</office:annotation>"
    master = f"<style:header>{p('机密')}</style:header><style:header-left>{p('机密')}</style:header-left>"
    document = one(
        odf(
            p(f"甲{note.format('endnote', p('尾注'))}乙{note.format('footnote', p('脚注'))}丙{comment}"),
            parts={
                "styles.xml": f"<office:document-styles{NAMESPACES}><style:master-page>{master}</style:master-page>"
                "</office:document-styles>"
            },
        )
    )
    assert document.text == "甲乙丙\n\n脚注\n\n尾注\n\n批注\n\n机密"
    assert [place for _, place in document.places] == [
        Place(unit="body"),
        *(Place(unit=unit, number=1) for unit in ("footnotes", "endnotes", "comments", "headers")),
    ]
    assert marked(document, "running head") == ["机密"]


def test_a_reading_is_a_mark_over_its_base() -> None:
    ruby = "<text:ruby><text:ruby-base>汉字</text:ruby-base><text:ruby-text>hànzì</text:ruby-text></text:ruby>"
    document = one(odf(p(f"学 {ruby}")))
    assert document.text == "学 汉字"
    assert document.marks == (Mark(start=2, end=4, kind="reading", note="hànzì"),)


def test_frames_follow_their_paragraph_without_the_descriptions_of_pictures() -> None:
    picture = "<draw:frame><draw:image/><svg:title>图名</svg:title><svg:desc>说明</svg:desc></draw:frame>"
    box = f"<draw:frame><draw:text-box>{p('框')}</draw:text-box></draw:frame>"
    assert text(p(f"前{picture}{box}后") + p("下")) == "前后\n框\n下"


def test_formulas_stand_in_the_line_and_charts_below_the_paragraph() -> None:
    formula = "<math><mi>x</mi><mo>=</mo><mn>1</mn><annotation>x = 1</annotation></math>"
    title = f"<chart:chart><chart:title>{p('营收')}</chart:title></chart:chart>"
    chart = f"<office:document-content{NAMESPACES}>{title}</office:document-content>"
    frames = [f'<draw:frame><draw:object xlink:href="./Object {n}"/><draw:image/></draw:frame>' for n in (1, 2)]
    parts = {"Object 1/content.xml": formula, "Object 2/content.xml": chart}
    assert one(odf(p(f"由 {frames[0]}{frames[1]}得") + p("下"), parts=parts)).text == "由 x=1得\n营收\n下"


def test_hidden_text_is_kept_and_marked() -> None:
    styles = (
        '<style:style style:name="T" style:family="text"><style:text-properties text:display="none"/></style:style>'
        '<style:style style:name="P" style:family="paragraph" style:parent-style-name="Q"/>'
        '<style:style style:name="Q" style:family="paragraph" style:parent-style-name="P">'
        '<style:text-properties text:display="none"/></style:style>'
    )
    section = f'<text:section text:display="none">{p("节")}</text:section>'
    document = one(
        odf(p('明<text:span text:style-name="T">藏</text:span>') + p("段", "P") + p("又") + section, styles=styles)
    )
    assert document.text == "明藏\n段\n又\n节"
    assert marked(document, "invisible") == ["藏\n段", "节"]


def test_a_number_that_the_file_keeps_is_a_mark() -> None:
    document = one(odf('<text:h text:outline-level="1"><text:number>第一章</text:number>总则</text:h>'))
    assert document.text == "总则"
    assert document.marks == (Mark(start=0, end=0, kind="number", note="第一章"),)
    assert document.headings[0].text == "第一章 总则"


def test_the_properties_of_the_file_are_kept_and_a_title_is_found_by_its_style() -> None:
    meta = (
        f"<office:document-meta{NAMESPACES}><office:meta><meta:initial-creator>王五</meta:initial-creator>"
        "<dc:creator>赵六</dc:creator><meta:keyword>合同</meta:keyword><meta:keyword>采购</meta:keyword>"
        "<dc:date>2024-03-01T08:00:00.123</dc:date></office:meta></office:document-meta>"
    )
    document = one(odf(p("采购  合同", "Title") + p("正文"), parts={"meta.xml": meta}))
    assert (document.title, document.author, document.tags) == ("采购 合同", "王五", ("合同", "采购"))
    assert document.dated == "2024-03-01T08:00:00+00:00"


# --------------------------------------------------------------------------------------- presentations


def frame(words: str, kind: str = "") -> str:
    return f'<draw:frame presentation:class="{kind}"><draw:text-box>{p(words)}</draw:text-box></draw:frame>'


def test_pages_are_slides_with_their_title_first_and_their_notes_last() -> None:
    note = f"<presentation:notes>{frame('讲稿', 'notes')}{frame('1', 'page-number')}</presentation:notes>"
    comment = f"<office:annotation><dc:creator>王五</dc:creator>{p('批注')}</office:annotation>"
    first = f"<draw:page>{comment}<draw:g>{frame('收入')}</draw:g>{frame('预算', 'title')}{note}</draw:page>"
    second = f'<draw:page draw:style-name="H"><draw:custom-shape>{p("隐页")}</draw:custom-shape></draw:page>'
    styles = (
        '<style:style style:name="H" style:family="drawing-page">'
        '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
    )
    document = one(odf(first + second, kind=ODP, styles=styles), ODP)
    assert document.text == "预算\n收入\n\n批注\n\n讲稿\n1\n\n隐页"
    assert document.places == (
        (0, Place(unit="slide", number=1, name="预算")),
        (17, Place(unit="slide", number=2)),
    )
    assert [list(filter(None, passage.heading)) for passage in split(document)] == [["预算"], []]
    assert (marked(document, "invisible"), marked(document, "running head")) == (["隐页"], ["1"])
    assert document.title == "预算"


# ---------------------------------------------------------------------------------------------- damage


def test_an_encrypted_file_needs_a_password() -> None:
    manifest = "<manifest><file-entry full-path='content.xml'><encryption-data/></file-entry></manifest>"
    with pytest.raises(Unreadable, match="it needs a password"):
        one(odf(p("文"), parts={"META-INF/manifest.xml": manifest, "content.xml": "\x01\x02"}))


def test_nesting_without_end_is_refused() -> None:
    for name in ("text:section", "text:span", "draw:g"):
        body = f"<{name}>" * 300 + f"</{name}>" * 300
        with pytest.raises(Unreadable, match="its elements are nested too deeply"):
            one(odf(p(body) if name == "text:span" else body))


@pytest.mark.parametrize("name", ["text:section", "draw:text-box"])
def test_nesting_up_to_the_limit_is_read(name: str) -> None:
    assert text(f"<{name}>" * 240 + p("条款") + f"</{name}>" * 240) == "条款"


@pytest.mark.parametrize("data", [b"PK\x03\x04", odf("<text:p>"), odf(p("文")).replace(b"content.xml", b"kontent.xml")])
def test_a_damaged_document_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        one(data)


words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Cn", "Z"), exclude_characters="<&>"), min_size=1, max_size=9
)
blocks = st.recursive(
    words.map(p),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda some: f"<text:section>{''.join(some)}</text:section>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda some: (
                "<table:table><table:table-row>"
                + "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in some)
                + "</table:table-row></table:table>"
            )
        ),
        inner.map(lambda box: p(f"<draw:frame><draw:text-box>{box}</draw:text-box></draw:frame>")),
    ),
    max_leaves=10,
)


@given(st.lists(blocks, min_size=1, max_size=4).map("".join))
@settings(max_examples=60)
def test_any_nesting_of_tables_sections_and_frames_keeps_each_paragraph_once(body: str) -> None:
    document = one(odf(body))
    expected = [piece.partition("</text:p>")[0].partition(">")[2] for piece in body.split("<text:p")[1:]]
    assert document.text.split() == [piece for piece in expected if piece and "<" not in piece]
