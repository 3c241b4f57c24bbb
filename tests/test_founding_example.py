"""The example that Yuanwen was made for: six records of a handbook, and the words 证据不足."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Shelf, records

from yuanwen import Library
from yuanwen.errors import NotFound

SOURCE = "云台客服工作手册"
RULE = "证据不足时不作答复：先请来信人补充材料，并在三个工作日内登记。"
EXAMPLE = "检索词宜短而具体，例如“证据不足”“退款期限”，不要整句照抄来信。"
CODE = "临时验证码仅在十分钟内有效，任何人不得代收、转发或抄录。"
HANDBOOK = records(
    *(
        {"id": f"P00{number}", "title": title, "source": SOURCE, "paragraph": number, "body": body}
        for number, (title, body) in enumerate(
            (
                ("验证码", CODE),
                ("怎样检索", EXAMPLE),
                ("值班", "值班员每天九点交接，未办结的来信逐件移交。"),
                ("答复", RULE),
                ("存档", "办结的来信当月归档，保存五年。"),
                ("退款", '退款期限为七日；写作 A OR B 的选项按 "从宽" 理解。'),
            ),
            1,
        )
    )
)


def labels(library: Library, query: str, **options: Any) -> list[str]:
    return sorted(str(hit.label) for hit in library.search(query, mode="exact", **options).hits)


@pytest.fixture
def handbook(shelf: Shelf) -> Shelf:
    shelf.add(handbook_jsonl=HANDBOOK)
    return shelf


def test_exactly_the_rule_and_the_example_are_found(handbook: Shelf) -> None:
    found = handbook.library.search("证据不足", mode="exact")
    assert (found.status, found.found, found.found_is, found.absence) == ("evidence_found", 2, "exact", None)
    hits = {hit.label: hit for hit in found.hits}
    assert set(hits) == {"P002", "P004"}
    rule = hits["P004"]
    assert (rule.title, rule.source, rule.paragraph, rule.text) == ("答复", SOURCE, 4, RULE)
    assert rule.matches == ((0, 4),) and rule.match == "verbatim" and rule.score > 0
    assert rule.state == "current" and rule.excerpt == RULE
    assert hits["P002"].text == EXAMPLE


@pytest.mark.parametrize("query", ["证据", "据", "證據不足", "证据 不足", "证\n据不足"])
def test_fewer_characters_the_other_script_and_white_space_find_them_too(handbook: Shelf, query: str) -> None:
    assert labels(handbook.library, query) == ["P002", "P004"]


def test_the_temporary_code_is_found(handbook: Shelf) -> None:
    for query in ("临时验证码", "验证码", "码", "臨時驗證碼"):
        assert labels(handbook.library, query) == ["P001"]
    assert handbook.ranked("临时验证码怎么用")[0].label == "P001"


@pytest.mark.parametrize(
    ("query", "found"),
    [("A OR B", ["P006"]), ('"', ["P002", "P006"]), ('"从宽"', ["P006"]), ("证据 OR 不足", []), ("证据不足*", [])],
)
def test_operators_and_quotation_marks_are_literal(handbook: Shelf, query: str, found: list[str]) -> None:
    assert labels(handbook.library, query) == found


def test_the_rule_answers_a_question_before_the_example(handbook: Shelf) -> None:
    assert handbook.ranked("证据不足怎么办")[0].label == "P004"


def test_adding_the_unchanged_file_again_changes_nothing(handbook: Shelf) -> None:
    before = handbook.library.status().generation
    report = handbook.add()
    assert (report.files, report.indexed, report.unchanged, report.removed) == (1, 0, 1, 0)
    assert handbook.library.status().generation == before
    assert handbook.library.search("证据不足").searched.generation == before


def test_a_changed_file_is_a_new_version_and_the_old_words_are_no_longer_current(handbook: Shelf) -> None:
    before = handbook.library.status().generation
    handbook.add(handbook_jsonl=HANDBOOK.replace("不作答复", "暂缓答复"))
    assert handbook.library.status().generation > before
    assert handbook.library.list()[0].versions == 2
    assert labels(handbook.library, "不作答复") == []
    assert labels(handbook.library, "暂缓答复") == ["P004"]
    (old,) = handbook.library.search("不作答复", mode="exact", all_versions=True).hits
    assert (old.label, old.text, old.state) == ("P004", RULE, "changed")
    assert labels(handbook.library, "证据不足") == ["P002", "P004"]


def test_an_unknown_library_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        Library.open(tmp_path / "none.sqlite", create=False)
    assert not list(tmp_path.iterdir())


def test_searching_never_writes(handbook: Shelf) -> None:
    handbook.library.close()
    before = handbook.bytes_on_disk()
    with Library.open(handbook.file, create=False) as library:
        for mode in ("ranked", "exact", "expand", "raw"):
            library.search("证据不足", mode=mode)
        library.search("没有这句话", mode="exact")
        library.show("P004")
        library.list(), library.tags(), library.status()
    assert handbook.bytes_on_disk() == before
    with Library.open(handbook.file, create=False) as library:  # may make an index of old versions, beside the library
        assert library.search("证据不足", mode="exact", all_versions=True).found == 2
    after = handbook.bytes_on_disk()
    assert {name: after[name] for name in before} == before
    handbook.open()


# -------------------------------------------------------------------------------------- as a real process


def run(*args: str | Path) -> tuple[int, str, str]:
    environment = os.environ | {"YUANWEN_LANG": "en", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-m", "yuanwen", *map(str, args)], capture_output=True, text=True, env=environment
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_line_tells_it_all(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    file = tmp_path / "handbook.jsonl"
    file.write_text(HANDBOOK, encoding="utf-8")
    assert run("-L", library, "search", "证据不足")[0] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["handbook.jsonl"]
    status, out, _ = run("-L", library, "--json", "add", file)
    assert status == 0 and json.loads(out)["indexed"] == 1 and json.loads(out)["passages"] == 6
    status, out, _ = run("-L", library, "--json", "add", file)
    assert status == 0 and json.loads(out)["unchanged"] == 1 and json.loads(out)["indexed"] == 0
    status, out, talk = run("-L", library, "--json", "search", "证据不足", "--mode", "exact")
    found = json.loads(out)
    assert status == 0 and not talk
    assert {hit["label"]: hit["text"] for hit in found["hits"]} == {"P002": EXAMPLE, "P004": RULE}
    for hit in found["hits"]:
        assert hit["source"] == SOURCE and hit["paragraph"] == int(hit["label"][-1]) and hit["score"] > 0
    status, out, _ = run("-L", library, "search", "证据不足", "--mode", "exact")
    assert status == 0 and RULE in out and "P004" in out
    status, out, _ = run("-L", library, "--json", "search", "没有这句话", "--mode", "exact")
    assert status == 0 and json.loads(out)["status"] == "abstain"
