"""Passages tile the text: none is empty or too long, none reaches over a heading, each knows its place."""

from collections.abc import Sequence

import pytest
from extracted import documents
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.documents import Extracted, Heading, Passage, Place, Raw, Record
from yuanwen.passages import LIMIT, TARGET, split

prose = st.text(st.sampled_from("甲乙丙 。，a.\n\r\f\u2028；!\u3000"), max_size=1500)


def document(text: str, starts: Sequence[int] = ()) -> Extracted:
    headings = tuple(Heading(start=s, level=1 + s % 3, text=f"标题{s}") for s in sorted(set(starts)))
    return Extracted(text=text, media_type="text/plain", headings=headings)


def check(text: str, passages: Sequence[Passage]) -> None:
    assert "".join(p.text for p in passages) == text
    assert [p.ordinal for p in passages] == list(range(1, len(passages) + 1))
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text != ""
        assert len(passage.text) <= LIMIT and passage.paragraph >= 1
    assert [p.paragraph for p in passages] == sorted(p.paragraph for p in passages)


@given(prose, st.lists(st.integers(0, 1500), max_size=6))
def test_the_passages_of_any_text_tile_it(text: str, starts: list[int]) -> None:
    starts = [s for s in starts if s < len(text)]
    passages = split(document(text, starts))
    check(text, passages)
    for passage in passages:
        above = [s for s in sorted(set(starts)) if s < passage.end]
        assert passage.heading[-1:] == tuple(f"标题{s}" for s in above[-1:])


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=2000))
def test_the_passages_of_a_file_tile_it(text: str) -> None:
    for kind in ("text/plain", "text/markdown"):
        data = ("始" + text).encode()
        for extracted in documents(Raw(name="a", data=data, media_type=kind)):
            check(extracted.text, split(extracted))


def test_paragraphs_are_merged_and_counted() -> None:
    text = "".join(f"第{n}段，" + "话" * 90 + "\n\n" for n in range(12))
    passages = split(document(text))
    check(text, passages)
    assert all(TARGET / 2 <= len(p.text) <= TARGET for p in passages[:-1])
    assert passages[0].paragraph == 1 and passages[1].paragraph == 5
    assert all(p.text.startswith("第") for p in passages)


def test_a_long_paragraph_is_cut_at_the_ends_of_sentences() -> None:
    text = "这一句话有十二个字左右。" * 200
    passages = split(document(text))
    check(text, passages)
    assert all(p.text.endswith("。") for p in passages) and {p.paragraph for p in passages} == {1}


def test_a_text_without_any_pause_is_cut_all_the_same() -> None:
    for text in ("字" * 5000, "x" * 5000, "👩‍👩‍👧" * 700):
        check(text, split(document(text)))


def test_a_passage_has_the_path_of_its_headings() -> None:
    text = "前\n# 一\n甲\n## 二\n乙\n### 三\n丙\n## 四\n丁\n# 五\n戊\n"
    (extracted,) = documents(Raw(name="a.md", data=text.encode(), media_type="text/markdown"))
    found = [(p.heading, p.text.splitlines()[-1]) for p in split(extracted)]
    assert found == [
        (("一",), "甲"),
        (("一", "二"), "乙"),
        (("一", "二", "三"), "丙"),
        (("一", "四"), "丁"),
        (("五",), "戊"),
    ]


def test_records_are_passages_just_as_they_are() -> None:
    bodies = ["甲" * 2000, "乙", "丙\n\n丙"]
    starts = [0, 2000, 2001]
    records = tuple(
        Record(start=s, end=s + len(b), label=f"P{n}", title=f"题{n}", paragraph=n + 5, tags=("t",), dated="2026-01-01")
        for n, (s, b) in enumerate(zip(starts, bodies, strict=True))
    )
    passages = split(Extracted(text="".join(bodies), media_type="application/json", records=records))
    assert [(p.text, p.label, p.title, p.paragraph) for p in passages] == [
        (body, f"P{n}", f"题{n}", n + 5) for n, body in enumerate(bodies)
    ]


@pytest.mark.parametrize("space", ["\n\n", "\r\n\r\n", "\n \t\n", "\f", "\n\u3000\n"])
def test_blank_lines_of_every_kind_divide_paragraphs(space: str) -> None:
    text = space.join("段" * 250 for _ in range(4))
    assert [p.paragraph for p in split(document(text))] == [1, 2, 3, 4]


def test_lines_are_counted_from_the_first_that_holds_something() -> None:
    (extracted,) = documents(Raw(name="a.txt", data="\n\n甲\n乙\n\n".encode(), media_type="text/plain"))
    (passage,) = split(extracted)
    assert passage.place == Place(unit="line", number=3, last=4)
