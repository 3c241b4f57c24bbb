"""How a passage is shown: its place in both languages, its words in columns, the marks on it."""

import re

import pytest

from yuanwen.cli import passage
from yuanwen.cli.terminal import Screen, cells
from yuanwen.documents import Mark, Passage, Place


def at(place: Place | None, heading: tuple[str, ...] = ()) -> Passage:
    return Passage(ordinal=1, start=0, end=2, text="原文", paragraph=7, place=place, heading=heading)


def marked(text: str, *marks: Mark, place: Place | None = None) -> Passage:
    return Passage(ordinal=1, start=0, end=len(text), text=text, marks=marks, place=place)


def screen(width: int = 0) -> Screen:
    """Return a terminal of a width without colours; one of no width is a file."""
    made = Screen(None)
    made.width = width
    return made


# ------------------------------------------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("place", "english", "chinese"),
    [
        (None, "paragraph 7", "第 7 段"),
        (Place(unit="body"), "paragraph 7", "第 7 段"),
        (Place(unit="main"), "paragraph 7", "第 7 段"),
        (Place(unit="page", number=3), "page 3", "第 3 页"),
        (Place(unit="page", number=3, name="iv"), "page 3 (iv)", "第 3 页（iv）"),
        (Place(unit="page", number=3, last=5), "pages 3 to 5", "第 3 至 5 页"),
        (Place(unit="slide", number=2, name="目标"), "slide 2", "第 2 张幻灯片"),
        (Place(unit="sheet", number=1, name="销售", cells="A2:F9"), "sheet 销售 A2:F9", "工作表 销售 A2:F9"),
        (Place(unit="chapter", number=4, name="起源"), "chapter 4 (起源)", "第 4 章（起源）"),
        (Place(unit="line", number=12), "line 12", "第 12 行"),
        (Place(unit="line", number=12, last=15), "lines 12 to 15", "第 12 至 15 行"),
        (Place(unit="footnotes", number=2), "footnote 2", "脚注 2"),
        (Place(unit="endnotes", number=2), "endnote 2", "尾注 2"),
        (Place(unit="comments", number=1), "comment 1", "批注 1"),
        (Place(unit="comments", name="销售", cells="B2"), "comment 销售 B2", "批注 销售 B2"),
        (Place(unit="drawings", name="销售"), "drawing 销售", "图形 销售"),
        (Place(unit="headers", number=1), "header or footer 1", "页眉或页脚 1"),
        (Place(unit="beside"), "beside the main text", "正文之外"),
        (Place(unit="hidden"), "hidden part", "隐藏部分"),
        (Place(unit="canto", number=3), "canto 3", "canto 3"),
    ],
)
def test_a_place_is_said_in_the_terms_of_its_format(
    monkeypatch: pytest.MonkeyPatch, place: Place | None, english: str, chinese: str
) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "en")
    assert passage.place(at(place)) == english
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    assert passage.place(at(place)) == chinese


def test_no_name_is_said_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "en")
    chapter = at(Place(unit="chapter", number=4, name="起源"), ("起源", "海边"))
    assert (passage.headings(chapter), passage.place(chapter)) == (["起源", "海边"], "chapter 4")
    sheet = at(Place(unit="sheet", name="销售", cells="A1"), ("销售",))
    assert (passage.headings(sheet), passage.place(sheet)) == ([], "sheet 销售 A1")
    slide = at(Place(unit="slide", number=2, name="目标"), ("目标",))
    assert (passage.headings(slide), passage.place(slide)) == (["目标"], "slide 2")
    assert passage.headings(at(None, ("题目", "一")), "题目") == ["一"]


# -------------------------------------------------------------------------------------------------- words


ROWS = "成都\t第1季度\t1000\nChongqing\t第2季度\t20"
SHEET = Place(unit="sheet", name="销售", cells="A3:C4", columns=("地区", "季度", "销售额"))


def test_rows_stand_in_columns_under_their_headings() -> None:
    assert passage.words(screen(60), marked(ROWS, place=SHEET)) == [
        "   地区         季度       销售额",
        "   成都         第1季度    1000",
        "   Chongqing    第2季度    20",
    ]


def test_rows_that_are_too_wide_have_lines_between_their_cells() -> None:
    lines = passage.words(screen(30), marked(ROWS, place=SHEET))
    assert all(cells(line) <= 30 for line in lines)
    assert lines[:2] == ["   地区 │    季度 │    销售额", "   成都 │    第1季度 │    1000"]


def test_in_a_file_rows_are_as_they_are() -> None:
    lines = passage.words(screen(), marked(f"\n{ROWS}\n", place=SHEET))
    assert lines == ["   地区\t季度\t销售额", *(f"   {row}" for row in ROWS.split("\n"))]


def test_headings_of_columns_are_not_shown_twice() -> None:
    whole = f"地区\t季度\t销售额\n{ROWS}"
    assert passage.words(screen(60), marked(whole, place=SHEET))[0].split() == ["地区", "季度", "销售额"]
    assert len(passage.words(screen(60), marked(whole, place=SHEET))) == 3
    assert len(passage.words(screen(60), marked(ROWS, place=SHEET), columns=False)) == 2


def test_numbers_stand_in_brackets_and_readings_where_they_are_wanted() -> None:
    number = Mark(start=4, end=4, kind="number", note="(二)")
    reading = Mark(start=1, end=3, kind="reading", note="とうきょう")
    found = marked("\n東京\n交通", reading, number)
    assert passage.words(screen(), found) == ["   東京[とうきょう]", "   [(二)] 交通"]
    assert passage.words(screen(), found, inline=False) == ["   東京", "   [(二)] 交通"]


def test_matches_keep_their_colour_beside_what_is_put_in() -> None:
    coloured = screen(40)
    coloured.colour = True
    found = marked(
        "甲方交货", Mark(start=0, end=0, kind="number", note="1."), Mark(start=2, end=2, kind="number", note="2.")
    )
    (line,) = passage.words(coloured, found, [(1, 3)])
    assert line == "   \x1b[2m[1.] \x1b[0m甲\x1b[31;1m方\x1b[0m\x1b[2m[2.] \x1b[0m\x1b[31;1m交\x1b[0m货"
    (row,) = passage.words(coloured, marked("甲\t乙", place=Place(unit="sheet", name="表")), [(0, 3)])
    assert re.sub("\x1b\\[[0-9;]*m", "", row) == "   甲    乙"


def test_nothing_that_is_shown_of_a_passage_can_steer_a_terminal() -> None:
    evil = "\x1b[2J\x07\x9b"
    for place in (
        Place(unit="sheet", name=evil, columns=(evil, "b")),
        Place(unit="page", number=1, name=evil),
        Place(unit=evil),
    ):
        kinds = ("number", "reading", "garbled", evil)
        found = marked(evil + "\tx", *(Mark(start=0, end=2, kind=kind, note=evil) for kind in kinds), place=place)
        for width in (0, 20, 80):
            lines = passage.words(screen(width), found) + passage.marks(screen(width), found)
            shown = "".join([*lines, passage.place(found), *passage.headings(at(place, (evil,)))])
            assert not re.search(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]", shown)


# -------------------------------------------------------------------------------------------------- marks

TEXT = "甲方应当在十日内交货"


def spans(kind: str, *starts: int, note: str = "") -> list[Mark]:
    return [Mark(start=start, end=start + 1, kind=kind, note=note) for start in starts]


@pytest.mark.parametrize(
    ("kind", "english", "chinese"),
    [
        ("garbled", "garbled, not what a reader sees", "乱码，与读者所见不同"),
        ("invisible", "not to be seen by a reader", "读者看不见"),
        ("running head", "repeated on each page", "每页重复"),
        ("inserted", "inserted as a tracked change", "修订时插入"),
        ("recognised", "read from a picture", "由图片识别"),
        ("a kind of another package", "a kind of another package", "a kind of another package"),
    ],
)
def test_marks_of_one_kind_take_one_line(
    monkeypatch: pytest.MonkeyPatch, kind: str, english: str, chinese: str
) -> None:
    for language, what in (("en", english), ("zh", chinese)):
        monkeypatch.setenv("YUANWEN_LANG", language)
        colon, few, many = ("：", "（2）", "（7）") if language == "zh" else (": ", " (2)", " (7)")
        whole = Mark(start=0, end=len(TEXT), kind=kind)
        assert passage.marks(screen(), marked(f"{TEXT}\n", whole)) == [f"   ! {what}"]
        assert passage.marks(screen(), marked(TEXT, *spans(kind, 2))) == [f"   ! {what}{colon}应"]
        assert passage.marks(screen(), marked(TEXT, *spans(kind, 0, 2))) == [f"   ! {what}{few}{colon}甲 · 应"]
        seven = passage.marks(screen(), marked(TEXT, *spans(kind, *range(7))))
        assert seven == [f"   ! {what}{many}{colon}甲 · 方 · 应 · 当 · 在 · …"]


def test_a_line_of_marks_fits_the_terminal() -> None:
    (line,) = passage.marks(screen(40), marked(TEXT * 9, *spans("garbled", *range(0, 80, 2))))
    assert cells(line) <= 40 and line.endswith("…")


def test_recognised_text_says_how_sure_the_least_sure_of_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "en")
    sure = Mark(start=0, end=5, kind="recognised", note="0.98")
    unsure = Mark(start=5, end=10, kind="recognised", note="0.61")
    assert passage.marks(screen(), marked(TEXT, sure, unsure)) == ["   ! read from a picture, confidence 61%"]


def test_a_hit_has_only_the_marks_that_decide_about_trust() -> None:
    found = marked(TEXT, *spans("inserted", 0), *spans("invisible", 2), *spans("number", 3, note="1."))
    assert len(passage.marks(screen(), found)) == 2
    (line,) = passage.marks(screen(), found, doubts_only=True)
    assert "应" in line
