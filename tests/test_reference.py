"""References that people read: in both languages, in three styles, and for titles that try to be something else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.place import Place
from yuanwen.reference import Work, references
from yuanwen.wording import Language, in_words

CONTRACT = Work(
    title="设备采购合同",
    author="周启明",
    media_type="application/pdf",
    source="设备采购合同.pdf",
    url="",
    dated="2026-03-18T09:00:00+00:00",
    cited="2026-11-30",
    place="第 3 页",
    pages="3",
    version="c340594c77ba" + "0" * 52,
)
PAGE = replace(
    CONTRACT,
    title="Billing_questions *FAQ*",
    author="",
    media_type="text/html",
    source="faq.html",
    url="https://example.org/faq_(1)?a=1&b=2",
    place="paragraph 1",
    pages="",
)
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def test_a_reference_names_title_author_place_date_version_and_source() -> None:
    assert references(CONTRACT, "zh") == {
        "plain": "《设备采购合同》，周启明，第 3 页，2026-03-18，版本 c340594c77ba，设备采购合同.pdf",
        "markdown": "《设备采购合同》，周启明，第 3 页，2026-03-18，版本 c340594c77ba，设备采购合同.pdf",
        "gbt7714": "周启明. 设备采购合同[Z]. 2026-03-18: 3. 设备采购合同.pdf.",
    }
    assert references(replace(CONTRACT, place="page 3"), "en") == {
        "plain": '"设备采购合同", 周启明, page 3, 2026-03-18, version c340594c77ba, 设备采购合同.pdf',
        "markdown": "*设备采购合同*, 周启明, page 3, 2026-03-18, version c340594c77ba, 设备采购合同.pdf",
        "gbt7714": "周启明. 设备采购合同[Z]. 2026-03-18: 3. 设备采购合同.pdf.",
    }


def test_what_is_online_is_cited_with_its_address_and_the_day() -> None:
    found = references(PAGE, "en")
    assert found["markdown"].startswith(
        r"[Billing\_questions \*FAQ\*](<https://example.org/faq_(1)?a=1&b=2>), paragraph 1, 2026-03-18, version "
    )
    assert found["gbt7714"] == (
        "Billing_questions *FAQ*[EB/OL]. (2026-03-18)[2026-11-30]. https://example.org/faq_(1)?a=1&b=2."
    )
    assert references(replace(PAGE, dated=""), "en")["gbt7714"].startswith(
        "Billing_questions *FAQ*[EB/OL]. [2026-11-30]. https"
    )


@pytest.mark.parametrize(
    ("media_type", "entry"),
    [
        ("application/epub+zip", "设备采购合同[M]. 2026: 3."),
        (EXCEL, "设备采购合同[DS]. 2026-03-18: 3."),
        ("text/csv", "设备采购合同[DS]. 2026-03-18: 3."),
        ("text/x-python", "设备采购合同[CP]. 2026-03-18: 3."),
        ("text/x-rst", "设备采购合同[Z]. 2026-03-18: 3."),
        ("text/html", "设备采购合同[Z]. 2026-03-18: 3."),
        ("message/rfc822", "设备采购合同[Z]. 2026-03-18: 3."),
    ],
)
def test_an_entry_bears_the_mark_of_its_kind(media_type: str, entry: str) -> None:
    assert entry in references(replace(CONTRACT, media_type=media_type), "zh")["gbt7714"]


@pytest.mark.parametrize(
    ("author", "entry"),
    [
        ("", "设备采购合同[Z]."),
        ("王一、李二", "王一, 李二. 设"),
        ("王一，李二,张三；赵四", "王一, 李二, 张三, 等. 设"),
        ("Ann Smith; Bob Lee; Carl Ng; Dan Wu", "Ann Smith, Bob Lee, Carl Ng, et al. 设"),
        ("Smith, Ann", "Smith, Ann. 设"),
        ("Example Ltd.", "Example Ltd. 设"),
        ("李文静 <li.wenjing@qinghe.example>", "李文静. 设"),
        ("<li@qinghe.example>", "li@qinghe.example. 设"),
    ],
)
def test_an_entry_names_three_authors_at_most_and_leaves_out_one_that_is_not_known(author: str, entry: str) -> None:
    assert references(replace(CONTRACT, author=author), "zh")["gbt7714"].startswith(entry)


def test_an_entry_says_the_place_where_there_are_no_pages() -> None:
    sheet = replace(CONTRACT, place="工作表 折扣 A1:C5", pages="")
    assert (
        references(sheet, "zh")["gbt7714"]
        == "周启明. 设备采购合同[Z]. 2026-03-18: 工作表 折扣 A1:C5. 设备采购合同.pdf."
    )
    assert ": 3-5." in references(replace(CONTRACT, pages="3-5"), "zh")["gbt7714"]


HOSTILE = st.text(st.sampled_from("a甲 \n\t*_`[]()<>!#&|\\~$:@.-+=\"'《》\u202e\u200b\x1b\x00\ud800"), max_size=20)


@given(HOSTILE, HOSTILE, HOSTILE, st.sampled_from(["zh", "en"]))
def test_no_title_or_name_breaks_a_line_or_turns_the_text_around(
    title: str, author: str, source: str, lang: Language
) -> None:
    for text in references(replace(CONTRACT, title=title, author=author, source=source), lang).values():
        assert text.isprintable()
        assert "\u202e" not in text and "\u200b" not in text


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_title_is_no_markdown(lang: Language) -> None:
    title = (
        "# <img src=x onerror=a()> [x](javascript:a) **b** `c` &lt; https://evil.example www.evil.example | d ![e](f)"
    )
    shown = references(replace(CONTRACT, title=title, author="*甲*", source="_a_.md"), lang)["markdown"]
    unescaped = re.sub(r"\\[!-/:-@\[-`{-~]", "", shown)  # CommonMark 2.4
    assert not set(unescaped) & set("`_[]<>&|~!#@:")
    assert unescaped.count("*") == (2 if lang == "en" else 0)
    assert "www." not in shown
    bare = shown.replace("\\", "")
    assert title in bare and "*甲*" in bare and "_a_.md" in bare


@pytest.mark.parametrize("url", ["https://a.example/)\n> b", 'https://a.example/"<x>', "https://a.example/\\`{}"])
def test_an_address_cannot_end_its_link(url: str) -> None:
    shown = references(replace(PAGE, url=url), "en")["markdown"]
    target = shown[shown.index("](<") + 3 : shown.index(">)")]
    assert target.startswith("https://a.example/") and not set(target) & set(' <>"\\`{}\n')
    assert shown.count("<") == shown.count(">") == 1


@pytest.mark.parametrize(
    ("place", "english", "chinese"),
    [
        (None, "paragraph 7", "第 7 段"),
        (Place(unit="body"), "paragraph 7", "第 7 段"),
        (Place(unit="page", number=3, name="iv"), "page 3 (iv)", "第 3 页（iv）"),
        (Place(unit="page", number=3, last=5), "pages 3 to 5", "第 3 至 5 页"),
        (Place(unit="slide", number=2, name="目标"), "slide 2", "第 2 张幻灯片"),
        (Place(unit="sheet", number=1, name="销售", cells="A2:F9"), "sheet 销售 A2:F9", "工作表 销售 A2:F9"),
        (Place(unit="chapter", number=4, name="起源"), "chapter 4", "第 4 章"),
        (Place(unit="footnotes", number=2), "footnote 2", "脚注 2"),
        (Place(unit="comments", name="销售", cells="B2"), "comment 销售 B2", "批注 销售 B2"),
        (Place(unit="canto", number=3), "canto 3", "canto 3"),
    ],
)
def test_a_place_is_said_in_both_languages(place: Place | None, english: str, chinese: str) -> None:
    assert in_words(place, "en", paragraph=7, heading=("起源",)) == english
    assert in_words(place, "zh", paragraph=7, heading=("起源",)) == chinese
    assert in_words(None, "en") == ""
