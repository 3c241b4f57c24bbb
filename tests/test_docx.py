"""Word documents: every run of text is there once, in order; what is no text of the author is a mark or left out."""

import re
import sys
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
from yuanwen.extract.docx import MAX_HEADING
from yuanwen.extract.formats import DOCX, ENCRYPTED
from yuanwen.extract.office import numeral
from yuanwen.passages import split

FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"
READABLE = (
    "chatchat_ocr_test.docx",
    "docling_Strict.docx",
    "docling_docx_comments.docx",
    "docling_textbox.docx",
    "docling_unit_test_headers_numbered.docx",
    "tika_testWORD_phonetic.docx",
)

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:o="urn:schemas-microsoft-com:office:office"'
    ' xmlns:v="urn:schemas-microsoft-com:vml"'
    f' xmlns:r="{OFFICE}"'
)


def relationships(*items: tuple[str, str, str]) -> str:
    lines = "".join(f'<Relationship Id="{id}" Type="{kind}" Target="{target}"/>' for id, kind, target in items)
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{lines}</Relationships>'
    )


def docx(body: str, *related: tuple[str, str], main: str = "word/document.xml", **parts: str) -> bytes:
    """Return a document with this body; `parts` stand beside it, `related` are (kind, name) of more."""
    kinds = [(kind, f"{kind}.xml") for kind in parts] + list(related)
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": relationships(
            ("r1", f"{OFFICE}/officeDocument", main),
            ("r2", "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties", "core.xml"),
        ),
        main: f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        f"word/_rels/{main.rpartition('/')[2]}.rels": relationships(
            *((target.partition(".")[0], f"{OFFICE}/{kind}", target) for kind, target in kinds)
        ),
    } | {f"word/{kind}.xml": f"<w:{kind} {NAMESPACES}>{content}</w:{kind}>" for kind, content in parts.items()}
    return zipped(files)


def zipped(files: dict[str, str]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def with_parts(data: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    packed = BytesIO(data)
    with zipfile.ZipFile(packed, "a") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def p(words: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{r(words)}</w:p>"


def r(words: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc><w:tcPr/>{cell}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl><w:tblPr/>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def read(data: bytes) -> tuple[Extracted | Skip, ...]:
    return extract(Raw(name="a.docx", data=data, media_type=DOCX))


def one(data: bytes) -> Extracted:
    (document,) = read(data)
    assert isinstance(document, Extracted)
    assert "".join(passage.text for passage in split(document)) == document.text
    for start in document.paragraphs:
        assert start == 0 or document.text[start - 1] == "\n"
    assert not document.places or document.places[0][0] == 0
    return document


def text(body: str) -> str:
    return one(docx(body)).text


def file(name: str) -> bytes:
    path = FILES / name
    if not path.exists():
        pytest.skip(f"the corpus file {name} is not here")
    return path.read_bytes()


def marked(document: Extracted, kind: str) -> list[str]:
    return [document.text[mark.start : mark.end] for mark in document.marks if mark.kind == kind]


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


def test_a_password_that_is_missing_wrong_or_right_for_an_encrypted_document() -> None:
    pytest.importorskip("msoffcrypto", reason="needs yuanwen[office-password]")
    data = file("tika_testWORD_protected_passtika.docx")
    for passwords in ((), ("", "wrong")):
        with pytest.raises(Unreadable, match="it needs a password") as refused:
            extract(Raw(name="a.docx", data=data, media_type=ENCRYPTED, passwords=passwords))
        assert refused.value.hint == "Give it with: --password"
    (document,) = extract(Raw(name="a.docx", data=data, media_type=ENCRYPTED, passwords=("wrong", "tika")))
    assert isinstance(document, Extracted)
    assert (document.text, document.media_type) == ("This is an encrypted Word 2007 File.", DOCX)


def test_a_file_that_is_only_protected_against_changes_needs_no_password() -> None:
    ooxml = pytest.importorskip("msoffcrypto.format.ooxml", reason="needs yuanwen[office-password]")
    words = "".join(map(chr, range(0x4E00, 0x9FA5)))  # the package encrypts nothing below 4 kB as it should
    packed = BytesIO()
    ooxml.OOXMLFile(BytesIO(docx(p(words)))).encrypt("VelvetSweatshop", packed)
    (document,) = extract(Raw(name="a.docx", data=packed.getvalue(), media_type=ENCRYPTED))
    assert isinstance(document, Extracted)
    assert document.text == words


def test_the_package_that_decrypts_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msoffcrypto", None)
    with pytest.raises(Unreadable, match="it needs a password") as refused:
        extract(Raw(name="a.docx", data=b"", media_type=ENCRYPTED, passwords=("tika",)))
    assert refused.value.hint == 'Run: pip install "yuanwen[office-password]", then give it with: --password'


def test_a_damaged_encrypted_document_is_refused() -> None:
    pytest.importorskip("msoffcrypto", reason="needs yuanwen[office-password]")
    data = file("tika_testWORD_protected_passtika.docx")
    for damaged in (data[: len(data) // 3], data[:600] + bytes(len(data) - 600)):
        with pytest.raises(Unreadable):
            extract(Raw(name="a.docx", data=damaged, media_type=ENCRYPTED, passwords=("tika",)))


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


# --------------------------------------------------------------------------------- headings and numbers

STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="a"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/><w:basedOn w:val="a"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="2"><w:name w:val="节"/><w:pPr><w:outlineLvl w:val="1"/>'
    '<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="3"><w:name w:val="小节"/><w:basedOn w:val="2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="4"><w:name w:val="正文"/><w:basedOn w:val="1"/>'
    '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
)


def styled(words: str, style: str, more: str = "") -> str:
    return p(words, f'<w:pStyle w:val="{style}"/>{more}')


def level(number: int, form: str, pattern: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{pattern}"/></w:lvl>'
    )


NUMBERING = (
    '<w:abstractNum w:abstractNumId="7">'
    + level(0, "chineseCountingThousand", "第%1条")
    + level(1, "decimal", "%1.%2", '<w:pStyle w:val="2"/><w:isLgl/>')
    + level(2, "lowerLetter", "(%3)")
    + level(3, "bullet", "●")
    + '</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="7"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="10"/></w:lvlOverride></w:num>'
)


def listed(words: str, number: int, at: int) -> str:
    return p(words, f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>')


def numbers(document: Extracted) -> list[tuple[str, str]]:
    return [(m.note, document.text[m.start :].partition("\n")[0]) for m in document.marks if m.kind == "number"]


def test_headings_have_the_outline_level_of_the_paragraph_its_style_or_what_that_is_based_on() -> None:
    body = styled("章", "1") + styled("节", "2", '<w:numPr><w:numId w:val="0"/></w:numPr>') + styled("正文", "4")
    body += styled("直接", "a", '<w:outlineLvl w:val="3"/>') + styled("长" * (MAX_HEADING + 1), "1")
    document = one(docx(body, styles=STYLES))
    assert [(h.start, h.level, h.text) for h in document.headings] == [(0, 1, "章"), (2, 2, "节"), (7, 4, "直接")]


def test_the_title_is_that_of_the_properties_else_the_paragraph_of_that_style() -> None:
    data = docx(styled("采购　合同", "T") + p("正文"), styles=STYLES)
    assert one(data).title == "采购 合同"
    core = (
        '<x xmlns:dc="d" xmlns:cp="c"><dc:title>属性标题</dc:title><dc:creator>王五</dc:creator>'
        "<cp:keywords>合同；采购, 合同</cp:keywords><created>2024-03-01T08:00:00Z</created></x>"
    )
    document = one(with_parts(data, {"core.xml": core}))
    assert (document.title, document.author, document.tags) == ("属性标题", "王五", ("合同", "采购"))
    assert document.dated == "2024-03-01T08:00:00+00:00"


def test_levels_count_restart_and_continue_as_word_does() -> None:
    body = listed("甲", 1, 0) + listed("乙", 1, 2) + listed("丙", 1, 2) + listed("丁", 1, 0) + listed("戊", 1, 2)
    body += listed("点", 1, 3) + listed("己", 2, 0) + listed("庚", 1, 0)
    document = one(docx(body, numbering=NUMBERING))
    assert numbers(document) == [
        ("第一条", "甲"),
        ("(a)", "乙"),
        ("(b)", "丙"),
        ("第二条", "丁"),
        ("(a)", "戊"),
        ("第十条", "己"),
        ("第十一条", "庚"),
    ]
    assert document.text == "甲\n乙\n丙\n丁\n戊\n点\n己\n庚"


def test_a_style_numbers_its_paragraphs_at_the_level_that_names_it() -> None:
    body = listed("总则", 1, 0) + styled("范围", "2") + styled("术语", "2")
    document = one(docx(body, styles=STYLES, numbering=NUMBERING))
    assert [heading.text for heading in document.headings] == ["1.1 范围", "1.2 术语"]
    assert numbers(document)[1:] == [("1.1", "范围"), ("1.2", "术语")]


@pytest.mark.parametrize(
    ("form", "value", "said"),
    [
        ("chineseCounting", 10, "十"),
        ("chineseCounting", 21, "二十一"),
        ("chineseCounting", 101, "一〇一"),
        ("taiwaneseCounting", 99, "九十九"),
        ("taiwaneseCounting", 100, "一○○"),
        ("chineseCountingThousand", 105, "一百零五"),
        ("chineseCountingThousand", 1010, "一千零一十"),
        ("chineseCountingThousand", 2000, "二千"),
        ("chineseLegalSimplified", 15, "壹拾伍"),
        ("ideographDigital", 20, "二〇"),
        ("ideographTraditional", 2, "乙"),
        ("ideographTraditional", 11, "11"),
        ("decimalEnclosedCircleChinese", 20, "⑳"),
        ("decimalFullWidth", 12, "１２"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerLetter", 28, "bb"),
        ("upperLetter", 10**9, "1000000000"),
        ("decimalZero", 3, "03"),
        ("none", 3, ""),
        ("unknown", 3, "3"),
    ],
)
def test_numbers_are_written_as_word_writes_them(form: str, value: int, said: str) -> None:
    assert numeral(value, form) == said


@given(st.sampled_from(["chineseCountingThousand", "chineseLegalSimplified"]), st.integers(1, 9_999))
def test_chinese_numbers_read_back_as_the_number_they_were(form: str, value: int) -> None:
    digits = "零一二三四五六七八九" if form == "chineseCountingThousand" else "零壹贰叁肆伍陆柒捌玖"
    units = dict(zip("十百千拾佰仟", (10, 100, 1_000) * 2, strict=True))
    total, digit = 0, 1
    for character in numeral(value, form):
        if character in units:
            total += digit * units[character]
            digit = 0
        else:
            digit = digits.index(character)
    assert total + (digit if numeral(value, form)[-1] in digits else 0) == value


# -------------------------------------------------------------------------------------- parts beside it


def test_notes_follow_the_body_in_the_order_in_which_it_refers_to_them() -> None:
    def reference(id: int) -> str:
        return f'<w:r><w:footnoteReference w:id="{id}"/></w:r>'

    notes = f'<w:footnote w:id="0" w:type="separator">{p("—")}</w:footnote>' + "".join(
        f'<w:footnote w:id="{id}">{p(words)}</w:footnote>' for id, words in ((1, "后引"), (2, "先引"), (3, "未引"))
    )
    body = styled("第一章", "1") + f"<w:p>{r('正文')}{reference(2)}{r('续')}{reference(1)}</w:p>"
    document = one(docx(body, footnotes=notes, endnotes=f'<w:endnote w:id="1">{p("尾注")}</w:endnote>', styles=STYLES))
    assert document.text == "第一章\n正文续\n\n先引\n\n后引\n\n未引\n\n尾注"
    assert [(document.text[at], place.unit, place.number) for at, place in document.places] == [
        ("第", "body", None),
        ("先", "footnotes", 1),
        ("后", "footnotes", 2),
        ("未", "footnotes", 3),
        ("尾", "endnotes", 1),
    ]
    assert [list(filter(None, passage.heading)) for passage in split(document)] == [["第一章"], [], [], [], []]


def test_headers_and_footers_that_say_the_same_are_there_once_and_marked() -> None:
    data = docx(p("正文"), *(("header", f"h{number}.xml") for number in range(3)), ("footer", "f.xml"))
    hdr = f"<w:hdr {NAMESPACES}>{p('机密')}</w:hdr>"
    same = {f"word/h{number}.xml": hdr for number in (1, 2)}
    data = with_parts(data, same | {"word/h0.xml": "<hdr/>", "word/f.xml": hdr.replace("机密", "页脚")})
    document = one(data)
    assert document.text == "正文\n\n机密\n\n页脚"
    assert marked(document, "running head") == ["机密", "页脚"]
    assert document.places[-1][1] == Place(unit="headers", number=2)


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


def test_the_main_part_is_the_one_that_the_package_names() -> None:
    assert one(docx(p("正文"), main="word/document2.xml")).text == "正文"


def test_an_embedded_file_is_a_document_of_its_own() -> None:
    embedded = '<w:p><w:r><w:object><o:OLEObject ProgID="Word.Document.12" r:id="inner"/></w:object></w:r></w:p>'
    data = docx(p("外") + embedded, ("package", "inner.docx"))
    outer, inner = read(with_parts(data, {"word/inner.docx": docx(p("内"))}))
    assert isinstance(outer, Extracted)
    assert isinstance(inner, Extracted)
    assert (outer.text, inner.text, inner.inside) == ("外", "内", "word/inner.docx")


# ----------------------------------------------------------------------------------------------- damage


def test_a_part_that_cannot_be_read_is_named_and_the_rest_is_read() -> None:
    deep = "<w:footnote w:id='1'>" + "<w:ins>" * 300 + "</w:ins>" * 300 + "</w:footnote>"
    data = docx(p("正文"), ("comments", "comments.xml"), ("header", "missing.xml"), footnotes=deep)
    document, *skips = read(with_parts(data, {"word/comments.xml": "<broken"}))
    assert isinstance(document, Extracted)
    assert document.text == "正文"
    assert [(skip.source, skip.reason) for skip in skips if isinstance(skip, Skip)] == [
        ("word/footnotes.xml", "its elements are nested too deeply"),
        ("word/comments.xml", "its XML is damaged"),
        ("word/missing.xml", "it is damaged"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04",
        zipped({"word/document.xml": "<a/>"}),
        docx("<w:p>").replace(b"_rels", b"_relz"),
        docx("</w:p>"),
    ],
)
def test_a_damaged_document_is_refused(data: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        read(data)


@given(st.data())
@settings(max_examples=100)
def test_a_document_with_changed_bytes_is_read_or_refused(data: st.DataObject) -> None:
    whole = docx(listed("甲", 1, 0) + table((p("乙"), p("丙"))), styles=STYLES, numbering=NUMBERING)
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:at] + data.draw(st.binary(max_size=8)) + whole[at + data.draw(st.integers(0, 8)) :]
    try:
        items = read(changed)
    except Unreadable:
        return
    assert any(isinstance(item, Extracted) for item in items)


@given(body=st.text("<>/w:pt rul=\"'甲&;", max_size=60))
@settings(max_examples=100)
def test_any_markup_is_read_or_refused(body: str) -> None:
    try:
        read(docx(body))
    except Unreadable as error:
        assert "reader failed" not in str(error)
