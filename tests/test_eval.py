"""Question sets: how they are read, what counts as found, and figures that are those of the shared script."""

import gzip
import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import CORPUS, Shelf, write

from yuanwen import Library, evaluation
from yuanwen.errors import NotFound, UsageError
from yuanwen.evaluation import corpus, drafting, picture
from yuanwen.evaluation.run import AnsweredQuestion

SCORE = CORPUS / "score.py"
WARRANTY = "# 保修\n\n保修期为12个月，自收货之日起\n计算。\n\n人为损坏不在保修范围之内。\n"
REFUND = "# 退款\n\n退款在7个工作日内到账。\n\n缓存穿透是指查询一个一定不存在的数据。\n"
PASSAGES = (
    {"id": "p1", "title": "Kiln", "text": "A kiln fires clay at 1,200 degrees."},
    {"id": "p2", "title": "Glaze", "text": "A glaze melts over the clay in the kiln."},
    {"id": "p3", "title": "", "text": "Apples grow on trees."},
)
ASKED = (
    {"id": "q1", "text": "At how many degrees does a kiln fire clay?", "answerable": True, "kind": "answer"},
    {"id": "q2", "text": "What melts over the clay in a kiln?", "answerable": True, "kind": "answer"},
    {"id": "q3", "text": "Who invented the zither?", "answerable": False, "kind": "absent"},
)
QRELS = "query\tpassage\trelevance\nq1\tp1\t1\nq2\tp2\t2\nq2\tp1\t1\n"


def lines(*rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def folder(place: Path, passages: Any = PASSAGES, asked: Any = ASKED, qrels: str = QRELS) -> Path:
    """Write a set, with one file packed and one not."""
    write(place / "corpus.jsonl.gz", gzip.compress(lines(*passages).encode()))
    write(place / "queries.jsonl", lines(*asked))
    write(place / "qrels.tsv", qrels)
    return place


def by_id(found: tuple[AnsweredQuestion, ...]) -> dict[str, AnsweredQuestion]:
    return {each.question.id: each for each in found}


@pytest.fixture(name="kind")
def kind_fixture() -> str:
    return "fts5"


@pytest.fixture(name="shop")
def shop_fixture(shelf: Shelf) -> Library:
    shelf.add(warranty_md=WARRANTY, refund_md=REFUND)
    return shelf.library


# ----------------------------------------------------------------------------------------------- folders


def test_a_folder_is_asked_of_a_library_of_its_own_which_is_kept(tmp_path: Path) -> None:
    asked = evaluation.read(folder(tmp_path / "pottery"))
    made, path, new = corpus.library(tmp_path / "pottery", "pottery", tmp_path / "kept", index="fts5")
    with made:
        found = evaluation.run(made, asked)
    assert (new, found.name, found.answerable, found.unanswerable, found.passages) == (True, "pottery", 2, 1, 3)
    [mode] = found.modes
    assert mode.mode == "ranked"
    assert mode.figures["R@10"].value == 1
    assert mode.kinds["answer"][:2] == (2, 2)
    assert by_id(mode.questions)["q1"].rank == 1
    again, same, new = corpus.library(tmp_path / "pottery", "pottery", tmp_path / "kept", index="fts5")
    again.close()
    assert (same, new) == (path, False)
    folder(tmp_path / "pottery", passages=PASSAGES[:2])
    other, changed, new = corpus.library(tmp_path / "pottery", "pottery", tmp_path / "kept", index="fts5")
    other.close()
    assert new and changed != path


def test_a_pool_adds_passages_and_takes_no_name_from_those_of_the_set(tmp_path: Path) -> None:
    mine = folder(tmp_path / "pottery")
    more = ({"id": "p1", "title": "Other", "text": "Not of this set."}, PASSAGES[1], {"id": "x", "text": "More."})
    pool = write(tmp_path / "more.jsonl", lines(*more))
    made, _, _ = corpus.library(mine, "pottery", tmp_path / "kept", pool=[pool], index="fts5")
    with made:
        assert made.status().passages == 5
        assert [hit.text for hit in made.show("p1")] == [PASSAGES[0]["text"]]


def test_a_file_of_queries_is_the_same_set_asked_otherwise(tmp_path: Path) -> None:
    place = folder(tmp_path / "pottery")
    other = write(place / "queries_zh.jsonl", lines(*({**each, "text": "窑"} for each in ASKED)))
    asked = evaluation.read(other)
    assert (asked.name, asked.corpus) == ("pottery/queries_zh", place)
    assert {question.text for question in asked.questions} == {"窑"}
    assert [len(question.expected) for question in asked.questions] == [1, 2, 0]


def test_a_limit_takes_questions_evenly_spread(tmp_path: Path) -> None:
    rows = [{"id": f"q{n}", "text": f"question {n}", "answerable": True} for n in range(10)]
    qrels = "h\n" + "".join(f"q{n}\tp1\t1\n" for n in range(10))
    asked = evaluation.read(folder(tmp_path, asked=rows, qrels=qrels))
    assert [each.id for each in asked.limited(3).questions] == ["q0", "q3", "q6"]
    assert asked.limited(10) == asked == asked.limited(99)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda place: (place / "qrels.tsv").unlink(), "no file .*qrels.tsv"),
        (lambda place: (place / "queries.jsonl").unlink(), "no file .*queries.jsonl.gz"),
        (lambda place: write(place / "qrels.tsv", "h\nq1 p1 1\n"), "qrels.tsv: line 2: "),
        (lambda place: write(place / "qrels.tsv", "h\nq1\tp1\t1\n"), "line 2: .* no passage is judged"),
        (lambda place: write(place / "queries.jsonl", "{}\n"), "line 1: a question needs an id and a text"),
        (lambda place: write(place / "queries.jsonl", "[1]\n"), "line 1: it is not an object"),
        (lambda place: write(place / "queries.jsonl", "nothing\n"), "line 1: Expecting value"),
        (lambda place: write(place / "queries.jsonl", lines(ASKED[0], ASKED[0])), "has the question q1 twice"),
        (lambda place: write(place / "queries.jsonl", lines(ASKED[2])), "has no answerable question"),
    ],
)
def test_what_is_wrong_with_a_set_is_named(tmp_path: Path, spoil: Callable[[Path], object], told: str) -> None:
    spoil(folder(tmp_path))
    with pytest.raises((UsageError, NotFound), match=told):
        evaluation.read(tmp_path)


def test_a_damaged_corpus_is_named_and_leaves_no_library_behind_that_is_taken_for_whole(tmp_path: Path) -> None:
    place = folder(tmp_path / "set", passages=(PASSAGES[0], {"id": "p2"}))
    for _ in range(2):
        with pytest.raises(UsageError, match="line 2: a passage needs an id and a text"):
            corpus.library(place, "set", tmp_path / "kept", index="fts5")


@pytest.mark.skipif(not SCORE.exists(), reason="needs the shared corpora")
def test_figures_are_those_of_the_shared_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = evaluation.read(CORPUS / "cmrc2018_dev").limited(40)
    known = {question.id for question in few.questions}
    with gzip.open(CORPUS / "cmrc2018_dev" / "queries.jsonl.gz", "rt", encoding="utf-8") as queries:
        kept = [line for line in queries if json.loads(line)["id"] in known]
    write(tmp_path / "queries.jsonl.gz", gzip.compress("".join(kept).encode()))
    write(tmp_path / "qrels.tsv", (CORPUS / "cmrc2018_dev" / "qrels.tsv").read_bytes())
    made, _, _ = corpus.library(CORPUS / "cmrc2018_dev", "cmrc", tmp_path / "kept")
    run = []
    with made:
        [mode] = evaluation.run(made, few, ["ranked"]).modes
        for each in mode.questions:
            labels = [hit.label for hit in made.search(each.question.text, mode="ranked").hits] or ["nothing"]
            for place, label in enumerate(labels):
                run.append(f"{each.question.id}\t{label}\t{each.verdict.confidence - place * 1e-6!r}\n")
    write(tmp_path / "run.tsv", "".join(run))
    runpy.run_path(str(SCORE))["main"](str(tmp_path), str(tmp_path / "run.tsv"))
    scored = json.loads(capsys.readouterr().out)
    same = {"R@1": "R@1", "R@10": "R@10", "MRR@10": "MRR@10", "nDCG@10": "nDCG@10"}
    same |= {"AUROC_top_score": "AUROC", "answerable_kept_at_10%_false": "kept"}
    assert {name: scored[name] for name in same} == {
        name: round(mode.figures[ours].value, 4) for name, ours in same.items()
    }
    assert (scored["queries"], scored["unanswerable"]) == (
        sum(question.answerable for question in few.questions),
        sum(not question.answerable for question in few.questions),
    )


# ------------------------------------------------------------------------------------------------ tables


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("comma", [",", ";", "\t"])
def test_a_table_is_read_as_spreadsheets_write_it(tmp_path: Path, encoding: str, comma: str) -> None:
    rows = ["问题,来源,引文,可答", "保修期多长？,warranty.md,保修期为12个月,是", "多少钱？,,,否", ",,,"]
    file = write(tmp_path / "q.csv", "\r\n".join(row.replace(",", comma) for row in rows).encode(encoding))
    asked = evaluation.read(file)
    assert [(each.text, each.answerable) for each in asked.questions] == [("保修期多长？", True), ("多少钱？", False)]
    assert asked.questions[0].expected == (evaluation.Expected("warranty.md", "保修期为12个月"),)


def test_a_question_that_is_asked_twice_has_two_answers(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", "question,source\nWhy?,a.md\nWhen?,b.md\nWhy?,c.md\n")
    asked = evaluation.read(file).questions
    assert [[each.source for each in question.expected] for question in asked] == [["a.md", "c.md"], ["b.md"]]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("question,answer\nWhy?,a\n", "has no column source"),
        ("", "has no answerable question"),
        ("question,source\n,a.md\n", "line 2: the question is empty"),
        ("question,source,answerable\nWhy?,a.md,perhaps\n", "line 2: answerable is yes or no"),
        ("question,source,answerable\nWhy?,,yes\n", "line 2: the question is answerable, and has no source"),
    ],
)
def test_what_is_wrong_with_a_table_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        evaluation.read(write(tmp_path / "q.csv", text))


def test_a_source_may_be_named_as_people_do_and_a_quote_says_where_in_it(shop: Library, tmp_path: Path) -> None:
    whole = str(shop.list()[0].source)
    rows = [
        f"保修期多长,{whole},",
        "退款几日到账,docs/refund.md,",
        "缓存穿透,refund.md,一定不存在的数据",
        "退款,warranty.md,保修期为",
    ]
    file = write(tmp_path / "q.csv", "question,source,quote\n" + "\n".join(rows) + "\n")
    [mode] = evaluation.run(shop, evaluation.read(file), ["ranked"]).modes
    found = by_id(mode.questions)
    assert [found[str(n)].rank is not None for n in range(2, 6)] == [whole.endswith("warranty.md"), True, True, False]
    assert all(not each.unknown for each in mode.questions)


def test_what_the_library_does_not_have_is_told_and_nothing_at_all_is_an_error(shop: Library, tmp_path: Path) -> None:
    rows = "question,source,quote\n退款,refund.md,\n保修,gone.md,\n保修期,warranty.md,这句话没有\n"
    found = evaluation.run(shop, evaluation.read(write(tmp_path / "q.csv", rows)), ["ranked"])
    assert found.notes == ("the library does not have what these questions expect, so they cannot be answered: 3, 4",)
    elsewhere = evaluation.read(write(tmp_path / "other.csv", "question,source\n退款,elsewhere.md\n"))
    with pytest.raises(UsageError, match=r"nothing of what other expects: elsewhere\.md"):
        evaluation.run(shop, elsewhere)


def test_failures_say_what_came_instead_the_gravest_first(shop: Library, tmp_path: Path) -> None:
    rows = "question,source\n退款几日到账,warranty.md\n保修期多长,warranty.md\n人为损坏,refund.md\n"
    [mode] = evaluation.run(shop, evaluation.read(write(tmp_path / "q.csv", rows)), ["ranked"]).modes
    failed = mode.failures
    assert {each.question.text for each in failed} == {"退款几日到账", "人为损坏"}
    assert all(each.first is not None and each.first.source.endswith(".md") for each in failed)
    ranks = [each.rank or 1000 for each in failed]
    assert ranks == sorted(ranks, reverse=True)


def test_two_settings_are_compared_question_by_question(shop: Library, tmp_path: Path) -> None:
    rows = "question,source\n退款在7个工作日内到账,refund.md\n保修期是多长,warranty.md\n天气如何,\n"
    modes = evaluation.run(shop, evaluation.read(write(tmp_path / "q.csv", rows)), ["ranked", "exact"]).modes
    found = evaluation.compare(modes[0].questions, modes[1].questions, ("ranked", "exact"))
    assert (found.questions, found.differences["R@1"].worse, found.differences["R@1"].same) == (3, 1, 1)
    assert "refused" in found.differences
    with pytest.raises(UsageError, match="were not asked the same questions"):
        evaluation.compare(modes[0].questions, (), ("a", "b"))


def test_a_picture_is_sound_whatever_the_set_is_called(shop: Library, tmp_path: Path) -> None:
    asked = evaluation.read(write(tmp_path / "a<b>&c\u202e.csv", "question,source\n退款,refund.md\n天气,\n"))
    drawn = picture.svg(evaluation.run(shop, asked, ["ranked", "exact"]), str.format)
    texts = [each.text for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "a<b>&c\N{REPLACEMENT CHARACTER}"
    assert {"R@1", "R@10", "AUROC", "kept"} <= set(texts)


# -------------------------------------------------------------------------------------------- drafting


def test_a_draft_can_be_measured_as_it_is_and_comes_again_with_its_seed(shop: Library, tmp_path: Path) -> None:
    drafts = drafting.draft(shop, questions=6, seed=3)
    assert drafts == drafting.draft(shop, questions=6, seed=3)
    assert {"number", "definition"} & {each.kind for each in drafts}
    drafting.write(drafts, tmp_path / "draft.csv")
    asked = evaluation.read(tmp_path / "draft.csv")
    assert [(each.text, each.answerable) for each in asked.questions] == [
        (each.question, each.answerable) for each in drafts
    ]
    found = evaluation.run(shop, asked, ["ranked"])
    assert found.notes == ()
    assert found.modes[0].figures["R@10"].value == 1
    with pytest.raises(UsageError, match="is there already"):
        drafting.write(drafts, tmp_path / "draft.csv")


def test_what_a_draft_expects_stands_in_the_library_and_what_has_no_answer_does_not(
    shop: Library, tmp_path: Path
) -> None:
    elsewhere = write(tmp_path / "else.md", "# 配送\n\n配送费为15元，满一百元免收。\n")
    drafts = drafting.draft(shop, questions=8, left_out=[elsewhere])
    for each in drafts:
        if each.answerable:
            assert shop.search(each.quote, mode="exact").hits[0].source == each.source
    assert [(each.question, each.answerable) for each in drafts if each.kind == "left out"] == [
        ("配送费为多少元？", False)
    ]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("保修期为12个月，自收货之日起计算。", "保修期为多少个月？"),
        ("设备的保修期为12个月。", "设备的保修期为多少个月？"),
        ("公司成立于1998年，总部在上海。", "公司成立于哪一年？"),
        ("这家公司最早于1998年成立。", None),
        ("所以公司最早于1998年成立。", None),
        ("会议改在五月十六日举行。", "会议改在哪一天举行？"),
        ("单个客户的故障在二十四小时内处理。", "单个客户的故障在多少小时内处理？"),
        ("水电故障拨打值班电话，二十四小时有人值班。", "水电故障拨打值班电话，多少小时有人值班？"),
        ("本办法自二〇二六年起施行。", "本办法自哪一年起施行？"),
        ("本合同第三条另有约定。", None),
        ("缓存穿透是指查询一个一定不存在的数据。", "缓存穿透是什么？"),
        (
            "Requests to the server time out after 30 seconds.",
            "Requests to the server time out after how many seconds?",
        ),
        ("The bridge over the river was opened in 1994.", "The bridge over the river was opened in which year?"),
        ("A kiln is an oven that fires clay.", "What is kiln?"),
        ("It is a thing of which nobody knows.", None),
    ],
)
def test_questions_are_made_of_sentences_that_stand_alone(sentence: str, question: str | None) -> None:
    made = drafting.asked(sentence)
    assert (made.text if made is not None else None) == question


def test_a_library_without_a_sentence_gives_no_draft(shelf: Shelf) -> None:
    with pytest.raises(UsageError, match="no sentence to make a question of"):
        drafting.draft(shelf.library)
