"""Word documents: headings and titles, and the automatic numbers before paragraphs, as Word counts and writes them."""

import pytest
from docx_files import NUMBERING, STYLES, docx, listed, numbers, one, p, styled
from hypothesis import given
from hypothesis import strategies as st
from office_files import with_parts

from yuanwen.extract.docx import MAX_HEADING
from yuanwen.extract.numerals import numeral


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
