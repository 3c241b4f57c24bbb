"""Word documents: notes, headers and embedded files beside the body; and what of them is damaged."""

import pytest
from docx_files import NAMESPACES, NUMBERING, STYLES, docx, listed, one, p, r, read, styled, table
from extracted import marked
from hypothesis import given, settings
from hypothesis import strategies as st
from office_files import with_parts, zipped

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Place
from yuanwen.errors import Unreadable
from yuanwen.passages import split

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
