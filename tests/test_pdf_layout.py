"""PDF: running heads stand at the end, paragraphs begin where they begin, pages have their labels."""

from collections.abc import Sequence

import pytest
from corpus_files import file
from extracted import marked
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_files import bodies, book, line, made, prose, raw, read

from yuanwen.documents import Place
from yuanwen.extract.pdf_body import Pages
from yuanwen.extract.pdf_layout import edges, paragraphs, running_heads
from yuanwen.extract.pdf_page import Line, Reading
from yuanwen.extract.pdfium_document import Document
from yuanwen.passages import split

# ------------------------------------------------------------------------------------- pages, running heads


def test_what_is_repeated_on_each_page_stands_at_the_end() -> None:
    document = read(book([prose("第一页的正文，写到这里还没有"), prose("结束，下一页接着写。"), prose("第三页。")]))
    assert document.text == (
        "第一页的正文，写到这里还没有\n结束，下一页接着写。\n第三页。\n"
        "年度预算报告\n- 1 -\n年度预算报告\n- 2 -\n年度预算报告\n- 3 -"
    )
    assert marked(document, "running head") == [f"年度预算报告\n- {n} -" for n in (1, 2, 3)]
    assert [(place.unit, place.number) for _, place in document.places] == [("page", n) for n in (1, 2, 3, 1, 2, 3)]
    *bodies, heads = split(document)
    assert [passage.place and passage.place.number for passage in bodies] == [1, 2, 3]
    assert heads.place == Place(unit="page", number=1, last=3)


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    heads = ["左页的书名", "右页的章名"] * 3
    pages = [line(72, 800, head) + prose(f"Body number {n * n}") for n, head in enumerate(heads)]
    assert "".join(marked(read(made(pages)), "running head")) == "".join(heads)


def test_a_title_close_to_a_running_head_does_not_hide_it() -> None:
    first = line(72, 800, "合同编号 3") + line(72, 781, "采购合同", size=18) + prose("第一条")
    document = read(made([first, line(72, 800, "合同编号 3") + prose("第二条")]))
    assert document.text.startswith("采购合同\n第一条\n第二条\n")
    assert marked(document, "running head") == ["合同编号 3"] * 2


def test_a_head_that_names_the_section_is_known_by_its_page_number() -> None:
    document = read(
        made([line(72, 800, f"{title} {n}") + prose("正文") for n, title in enumerate(("总则", "附则", "罚则"), 7)])
    )
    assert marked(document, "running head") == ["总则 7", "附则 8", "罚则 9"]


def test_entries_of_a_table_of_contents_are_no_running_heads() -> None:
    rows = [f"{n}.1 {word} . . . . . . . . . {n + 6}" for n, word in enumerate(("Rules", "Doors", "Keys"), 1)]
    document = read(made([line(72, 800, row) + prose(f"{row} and so on") for row in rows]))
    assert not marked(document, "running head")


def test_roman_page_numbers_count() -> None:
    document = read(made([line(72, 800, f"手册 {number}") + prose("Preface") for number in ("viii", "ix", "x")]))
    assert marked(document, "running head") == ["手册 viii", "手册 ix", "手册 x"]
    document = read(made([prose("Preface goes on") + line(290, 40, number) for number in ("iii", "iv", "v", "vi")]))
    assert marked(document, "running head") == ["iii", "iv", "v", "vi"]


@pytest.mark.parametrize(
    "pages",
    [
        [prose(*["合格", "不合格"] * 4, top=800), prose(*["合格", "不合格"] * 4, top=800)],  # not apart from the body
        [prose("同一行", top=600), prose("同一行", top=600)],  # not near an edge
        [line(72, 800, "甲方：一公司") + prose("正文"), line(72, 800, "乙方：二公司") + prose("正文")],  # not alike
        [line(72, 800, "合计 5") + prose("正文"), line(72, 800, "合计 9") + prose("正文")],  # no page number
        [line(72, 800, "年度报告") + prose("只有一页")],
    ],
)
def test_lines_of_the_body_stay_where_they_are(pages: list[str]) -> None:
    assert not marked(read(made(pages)), "running head")


def test_running_heads_of_the_corpus() -> None:
    heads = marked(read(file("texlive_zhlipsum.pdf")), "running head")
    assert len(heads) == 14 and heads[0] == "第 1 节 简介 2" and heads[-1] == "代码索引 15"
    document = read(file("texlive_exam-zh_example-single.pdf"))
    assert marked(document, "running head") == [f"数学试题第 {n} 页（共 3 页）" for n in (1, 2, 3)]


def test_a_page_read_alone_has_the_body_that_it_has_in_the_document() -> None:
    data = file("texlive_zhlipsum.pdf")
    document = read(data)
    with Document(data) as opened:
        for start, end, place in bodies(document):
            part, _ = Pages(opened, raw(data)).parts((place.number or 0) - 1)
            assert part.text == document.text[start:end].rstrip("\n")
            assert len(part.slots) == len(part.text)


def test_pages_have_the_labels_that_the_document_gives_them() -> None:
    labels = "/PageLabels<</Nums[0<</S/r>>2<</S/D>>]>>"
    document = read(made([prose(word) for word in ("Contents", "Preface", "Chapter", "More")], catalog=labels))
    assert [(place.number, place.name) for _, place in document.places] == [(1, "i"), (2, "ii"), (3, "1"), (4, "2")]


def test_a_paragraph_begins_after_a_gap_or_with_an_indent() -> None:
    indented = line(96, 740, "首行缩进") + line(72, 722, "第二行") + line(96, 704, "又一段") + line(72, 686, "其第二行")
    document = read(made([indented + line(72, 640, "隔了一行") + line(72, 622, "最后")]))
    assert [document.text[start : start + 3] for start in document.paragraphs] == ["首行缩", "又一段", "隔了一"]


# ------------------------------------------------------------------------------------------------ layout


def laid(texts: Sequence[str], tops: Sequence[float]) -> Reading:
    lines = [
        Line(text=text, slots=range(len(text)), first=0, box=(72, top, 300, top + 12))
        for text, top in zip(texts, tops, strict=True)
    ]
    return Reading(number=1, width=595, height=842, lines=tuple(lines))


words = st.text("年度报告 0123456789IVX-", min_size=1, max_size=12).filter(str.strip)


@given(st.lists(st.lists(st.tuples(words, st.integers(0, 830)), max_size=6), min_size=1, max_size=5))
@settings(deadline=None)
def test_running_heads_come_in_pairs_from_the_edges_of_pages(pages: list[list[tuple[str, int]]]) -> None:
    readings = [laid([text for text, _ in page], [float(top) for _, top in page]) for page in pages]
    all_edges = [edges(reading) for reading in readings]
    heads = [running_heads(all_edges, at) for at in range(len(pages))]
    assert sum(map(bool, heads)) != 1
    for reading, found in zip(readings, heads, strict=True):
        for place in found:
            middle = (reading.lines[place].box[1] + reading.lines[place].box[3]) / 2
            assert middle <= 0.1 * reading.height or middle >= 0.9 * reading.height


@given(st.lists(st.integers(0, 800), min_size=1, max_size=20))
@settings(deadline=None)
def test_the_first_line_begins_a_paragraph_and_none_begins_two(tops: list[int]) -> None:
    found = list(paragraphs(laid(["words"] * len(tops), [float(top) for top in tops]).lines))
    assert found[0] == 0 and found == sorted(set(found))
