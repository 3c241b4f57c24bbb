"""What the command line prints as JSON."""

import json
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    names_of,
    surroundings_fixture,
)

from yuanwen import absence, documents, model, reports
from yuanwen.cli import output

HIT_KEYS = (
    "id label title source media_type version heading paragraph page place start end text excerpt matches match"
    " score tags dated state before after coverage evidence marks now"
)

EVIDENCE_KEYS = "status query mode found found_is hits absence searched notes elapsed_ms strength confidence doubts"


def test_json_of_a_search_has_the_keys_of_the_contract_in_their_order(call: Call) -> None:
    status, out, err = call("--json", "search", "缓存穿透", "--after", "1")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert " ".join(found) == EVIDENCE_KEYS
    assert found["status"] == "evidence_found"
    assert found["absence"] is None
    assert list(found["searched"]) == ["documents", "passages", "generation"]
    hit = next(each for each in found["hits"] if each["heading"])
    assert " ".join(hit) == HIT_KEYS
    assert hit["tags"] == ["工作"]
    assert hit["page"] is None
    assert hit["place"] == {"unit": "line", "number": 1, "last": 5, "name": "", "cells": "", "columns": []}
    assert hit["marks"] == []
    assert [hit["text"][start:end] for start, end in hit["matches"]]
    assert list(hit["after"][0]) == ["id", "start", "end", "text"]


def test_json_of_an_empty_answer_names_what_could_not_be_searched(call: Call, documents: Path) -> None:
    _, out, _ = call("search", "zebra", "--json")
    found = json.loads(out)
    assert (found["status"], found["hits"]) == ("abstain", [])
    assert list(found["absence"]) == ["kind", "missing_terms", "suggestions", "unsearchable", "stale"]
    assert found["absence"]["kind"] == "unsearchable"
    assert found["absence"]["unsearchable"] == [{"source": str(documents / "scan.pdf"), "reason": "it is damaged"}]


def test_json_of_a_stale_answer_names_source_and_state(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("old words")
    call("-L", "own.sqlite", "add", file)
    file.write_text("other words altogether")
    _, out, _ = call("-L", "own.sqlite", "search", "zebra", "--json")
    assert json.loads(out)["absence"]["stale"] == [{"source": str(file), "state": "changed"}]


def test_explain_is_in_json_only_when_asked_for(call: Call) -> None:
    plain = json.loads(call("search", "缓存", "--json")[1])
    explained = json.loads(call("search", "缓存", "--json", "--explain")[1])
    assert all("explain" not in hit for hit in plain["hits"])
    assert all(" ".join(hit) == HIT_KEYS + " explain" for hit in explained["hits"])
    assert all(isinstance(part, float) for part in explained["hits"][0]["explain"].values())


def test_json_of_add_and_sync_adds_up(call: Call, documents: Path) -> None:
    for args in (("add", documents), ("sync",), ("sync", "--dry-run")):
        status, out, err = call("-L", "own.sqlite", *args, "--json")
        report = json.loads(out)
        assert (status, err) == (0, "")
        assert " ".join(report) == "files indexed unchanged removed skipped warnings passages elapsed_ms"
        assert report["files"] == report["indexed"] + report["unchanged"] + len(report["skipped"]) == 4
        assert [list(skip) for skip in report["skipped"]] == [["source", "reason", "hint"]]


@pytest.mark.parametrize(
    ("args", "keys"),
    [
        (("list",), ["documents"]),
        (("tags",), ["tags"]),
        (("show", "P001"), ["hits"]),
        (("status",), names_of(reports.Status)),
        (("check",), names_of(reports.Check)),
    ],
)
def test_json_of_the_other_verbs_is_one_document(call: Call, args: tuple[str, ...], keys: list[str]) -> None:
    status, out, err = call(*args, "--json")
    assert (status, err) == (0, "")
    assert list(json.loads(out)) == keys
    assert out.count("\n") == 1


def test_json_of_what_is_listed_has_the_fields_of_the_model(call: Call) -> None:
    listed = json.loads(call("list", "--json")[1])["documents"]
    assert [list(each) for each in listed] == [names_of(reports.Document)] * 3
    assert json.loads(call("tags", "--json")[1]) == {"tags": [{"tag": "工作", "documents": 3}]}
    assert " ".join(json.loads(call("show", "P001", "--json")[1])["hits"][0]) == HIT_KEYS


def test_every_field_that_json_names_is_in_the_model() -> None:
    for names, kind in (
        (output.HIT, model.Hit),
        (output.PLACE, documents.Place),
        (output.MARK, documents.Mark),
        (output.PASSAGE, documents.Passage),
        (output.SKIP, absence.Skip),
        (output.EVIDENCE, model.Evidence),
        (output.ABSENCE, absence.Absence),
        (output.REPORT, reports.Report),
        (output.DOCUMENT, reports.Document),
        (output.STATUS, reports.Status),
        (output.CHECK, reports.Check),
        (output.COMPACTED, reports.Compacted),
        (output.FORGOTTEN, reports.Forgotten),
        (output.ROOT, reports.Root),
    ):
        assert set(names) <= set(names_of(kind))


def test_an_error_under_json_is_a_document_on_stdout_and_a_line_on_stderr(call: Call) -> None:
    status, out, err = call("show", "nothing-1", "--json")
    assert status == 3
    assert json.loads(out) == {
        "error": {
            "kind": "NotFound",
            "message": "no passage or document nothing-1",
            "hint": "Look it up with: yuanwen search or yuanwen list",
        }
    }
    assert err.startswith("yuanwen: no passage or document nothing-1. ")
    assert err.count("\n") == 1


def test_an_error_under_json_is_of_a_class_that_is_documented(call: Call, documents: Path) -> None:
    status, out, _ = call("extract", documents / "scan.pdf", "--json")
    assert status == 2
    assert json.loads(out)["error"] == {
        "kind": "Unreadable",
        "message": "it is damaged",
        "hint": "Save it again, or get another copy.",
    }


def test_wrong_use_under_json_is_a_document_too(call: Call) -> None:
    status, out, _ = call("search", "x", "--limit", "many", "--json")
    assert status == 2
    assert json.loads(out)["error"]["kind"] == "UsageError"


def test_the_words_of_json_do_not_depend_on_the_language(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    english = call("search", "zebra", "--json")[1]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    chinese = call("search", "zebra", "--json")[1]
    assert json.loads(english)["absence"] == json.loads(chinese)["absence"]
