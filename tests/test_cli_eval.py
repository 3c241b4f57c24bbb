"""`yuanwen eval` as a person and a CI job meet it: figures, failures, comparisons, pictures, drafts, exit statuses."""

import csv
import gzip
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    digests,
    documents_fixture,
    made_fixture,
    surroundings_fixture,
)

from yuanwen.cli import output

QUESTIONS = """question,source,quote,answerable
缓存穿透是指什么,handbook.md,查询一个一定不存在的数据,yes
哪些请求不予放行,handbook.md,证据不足的请求不予放行,yes
什么时候可以解除劳动合同,P001,,yes
月亮离地球多远,,,no
"""


@pytest.fixture(name="questions")
def questions_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "questions.csv"
    file.write_text(QUESTIONS, encoding="utf-8")
    return file


@pytest.fixture(name="pottery")
def pottery_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set that is a folder, and a place to keep its library."""
    monkeypatch.setenv("YUANWEN_EVAL", str(tmp_path / "kept"))
    place = tmp_path / "pottery"
    place.mkdir()
    passages = [
        {"id": "p1", "title": "Kiln", "text": "A kiln fires clay."},
        {"id": "p2", "text": "Apples grow on trees."},
    ]
    (place / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, passages)).encode()))
    (place / "queries.jsonl.gz").write_bytes(
        gzip.compress(b'{"id": "q1", "text": "What fires clay?", "answerable": true}')
    )
    (place / "qrels.tsv").write_text("query\tpassage\trelevance\nq1\tp1\t1\n")
    return place


def test_a_table_is_measured_in_the_users_own_library(call: Call, questions: Path) -> None:
    status, out, err = call("eval", questions, "--mode", "ranked")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("questions: 3 answerable and 1 unanswerable questions, ")
    measured = {line.split()[0]: line.split()[1] for line in lines[3:] if len(line.split()) > 1}
    assert measured["R@10"] == "1.000"
    assert {"MRR@10", "nDCG@10", "answered", "refused", "AUROC", "kept"} <= set(measured)


def test_nothing_is_written_where_the_library_is_the_users(call: Call, questions: Path, made: Path) -> None:
    before = digests(made.parent)
    assert call("eval", questions)[0] == 0
    assert digests(made.parent) == before


def test_json_has_every_question_and_can_be_compared_with_later(call: Call, questions: Path, tmp_path: Path) -> None:
    status, out, err = call("eval", questions, "--mode", "ranked", "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert [*found] == [*output.EVALUATION, "below"]
    [mode] = found["modes"]
    assert tuple(mode) == output.MEASURED
    assert tuple(mode["figures"]["R@1"]) == output.FIGURE
    assert len(mode["questions"]) == 4
    assert mode["questions"][0]["expected"] == [
        {"source": "handbook.md", "quote": "查询一个一定不存在的数据", "grade": 1}
    ]
    (tmp_path / "run.json").write_text(out, encoding="utf-8")
    status, out, _ = call("eval", questions, "--compare", "run.json", "exact", "--json")
    compared = json.loads(out)["comparison"]
    assert (status, compared["a"], compared["b"], compared["questions"]) == (0, "run.json", "exact", 4)
    assert compared["differences"]["R@10"]["worse"] == 3
    assert tuple(compared["differences"]["R@10"]) == output.DIFFERENCE


def test_two_modes_are_tested_against_each_other(call: Call, questions: Path) -> None:
    status, out, _ = call("eval", questions, "--compare", "exact", "ranked")
    table = out[out.index("ranked beside exact: 4 questions") :].splitlines()
    assert status == 0
    assert table[1].split() == ["exact", "ranked", "difference", "p", "better", "worse"]
    assert table[3].split()[:3] == ["R@10", "0.000", "1.000"]
    assert table[3].split()[-3:] == ["0.250", "3", "0"]


def test_failures_are_listed_with_what_came_instead(call: Call, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,source\n证据不足的请求,P001\n劳动合同,P001\n", encoding="utf-8")
    out = call("eval", "q.csv", "--mode", "ranked")[1]
    failures = out[out.index("ranked: 1 question fails") :].splitlines()
    assert failures[1] == "  证据不足的请求"
    assert failures[2].startswith("    expected: P001 (")
    assert failures[3].startswith("    first came: ") and "handbook.md" in failures[3]


@pytest.mark.parametrize(("least", "status"), [("R@10=0.9", 0), ("r@10=1", 0), ("AUROC=0", 0), ("MRR@10=1.0", 1)])
def test_a_figure_below_what_it_has_to_reach_exits_with_1(
    call: Call, tmp_path: Path, questions: Path, least: str, status: int
) -> None:
    questions.write_text(QUESTIONS + "放行的请求与数据,P001,,yes\n" * (status == 1), encoding="utf-8")
    found, out, err = call("eval", questions, "--mode", "ranked", "--min", least)
    assert (found, err) == (status, "")
    assert ("MRR@10 of ranked is " in out) == (status == 1)


@pytest.mark.parametrize("least", ["R@10", "R@10=x", "R@10=2", "recall=0.5", "R@10=nan"])
def test_what_is_no_measure_is_refused(call: Call, questions: Path, least: str) -> None:
    status, _, err = call("eval", questions, "--min", least)
    assert status == 2
    assert f"--min takes a measure and a share, not {least}" in err


def test_a_figure_that_is_not_measured_cannot_be_reached(call: Call, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,source\n劳动合同,P001\n", encoding="utf-8")
    status, _, err = call("eval", "q.csv", "--min", "AUROC=0.5")
    assert status == 2
    assert "AUROC is not measured: the set has only answerable questions" in err


def test_a_folder_is_measured_in_a_library_that_is_kept(call: Call, pottery: Path) -> None:
    status, out, err = call("eval", pottery)
    assert status == 0
    assert out.startswith("pottery: 1 answerable and 0 unanswerable questions, 2 passages")
    assert "The passages are kept in " in err
    [kept] = (pottery.parent / "kept").glob("pottery-*.sqlite")
    assert call("eval", pottery)[2] == ""
    assert call("-L", kept, "eval", pottery, "--json")[0] == 0
    status, _, err = call("-L", kept, "eval", pottery, "--pool", pottery)
    assert (status, "--pool adds to the passages of a set" in err) == (2, True)
    status, out, _ = call("eval", pottery, "--pool", write_pool(pottery))
    assert (status, ", 3 passages" in out) == (0, True)


def write_pool(pottery: Path) -> Path:
    file = pottery.parent / "pool.jsonl"
    file.write_text(json.dumps({"id": "x", "text": "A third passage."}))
    return file


def test_a_picture_is_drawn_in_the_language_of_the_user(
    call: Call, questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    status, out, err = call("eval", questions, "--mode", "ranked", "--picture", "figures.svg")
    assert (status, "已写入" in err) == (0, True)
    assert out.startswith("questions：可答 3 题，不可答 1 题，")
    texts = [each.text for each in ElementTree.parse("figures.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "应答片段的名次" in texts


def test_a_draft_is_made_to_be_edited_and_is_never_written_over(call: Call) -> None:
    status, out, _ = call("eval", "--make", "draft.csv", "--limit", "3")
    assert status == 0
    assert out.startswith("draft.csv has ")
    assert "It is a draft: correct the questions" in out
    with open("draft.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["answerable"] for row in rows} <= {"yes", "no"}
    assert 1 <= sum(row["answerable"] == "yes" for row in rows) <= 3
    assert call("eval", "draft.csv")[0] == 0
    status, _, err = call("eval", "--make", "draft.csv")
    assert (status, "draft.csv is there already" in err) == (2, True)
    assert json.loads(call("eval", "--make", "other.csv", "--json")[1])["file"] == "other.csv"


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        ((), 2, "no question set was given. Draft one with: yuanwen eval --make questions.csv"),
        (("gone.csv",), 3, "no question set gone.csv"),
        (("questions.csv", "--make", "x.csv"), 2, "--make drafts a set, and measures nothing"),
        (("questions.csv", "--left-out", "x.md"), 2, "--left-out is for a draft"),
        (("questions.csv", "--compare", "ranked", "gone.json"), 3, "gone.json is neither a mode nor a file"),
        (("questions.csv", "--compare", "ranked", "questions.csv"), 2, "questions.csv is not a run of yuanwen eval"),
        (("questions.csv", "--mode", "raw"), 2, "--mode: no such choice"),
        (("questions.csv", "--compare", "ranked", "raw"), 3, "raw is neither a mode nor a file"),
    ],
)
def test_what_is_wrong_with_a_call_is_said(
    call: Call, questions: Path, args: tuple[str, ...], status: int, told: str
) -> None:
    found, out, err = call("eval", *args)
    assert (found, out) == (status, "")
    assert told in err
