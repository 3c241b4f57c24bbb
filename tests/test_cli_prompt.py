"""The command line prints a prompt alone, ready to paste, and says beside it what is in it and what to do next."""

import json
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    on_a_terminal,
    process,
    surroundings_fixture,
)

from yuanwen.library import Library


def test_the_prompt_alone_is_on_stdout_and_the_talk_beside_it(call: Call, made: Path) -> None:
    status, out, err = call("prompt", "什么是缓存穿透", "--limit", "2")
    with Library.open(made) as library:
        prompt = library.prompt("什么是缓存穿透", limit=2).prompt
    assert prompt is not None and (status, out) == (0, prompt.text + "\n")
    assert f"{len(prompt.passages)} passage" in err and f"{prompt.characters:,} characters" in err
    assert "yuanwen verify ANSWER.md" in err
    assert call("prompt", "什么是缓存穿透", "--limit", "2", "-q")[2] == ""


def test_what_is_cut_or_left_out_is_told_beside_the_prompt(call: Call) -> None:
    status, out, err = call("prompt", "缓存", "雪崩", "证据不足", "--budget", "800", "--json")
    prompt = json.loads(out)["prompt"]
    assert (status, err) == (0, "")
    assert prompt["left_out"] and prompt["question"] == "缓存 雪崩 证据不足"
    told = call("prompt", "缓存", "雪崩", "证据不足", "--budget", "800")[2]
    assert all(id in told for id in (*prompt["cut"], *prompt["left_out"])) and "--budget" in told


def test_json_of_a_prompt_has_every_field(call: Call) -> None:
    found = json.loads(call("prompt", "缓存穿透", "--lang", "en", "--json")[1])
    keys = "status query mode found found_is prompt absence searched notes elapsed_ms strength confidence doubts"
    assert " ".join(found) == keys
    assert " ".join(found["prompt"]) == "text question lang boundary passages cut left_out characters"
    assert found["prompt"]["lang"] == "en"
    nothing = json.loads(call("prompt", "zebra", "--json")[1])
    assert (nothing["status"], nothing["prompt"], nothing["absence"]["kind"]) == ("abstain", None, "unsearchable")


def test_with_nothing_found_the_reason_is_told_as_a_search_tells_it(call: Call) -> None:
    status, out, _ = call("prompt", "zebra")
    assert (status, out) == (0, call("search", "zebra")[1])


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ((), "QUESTION is missing"),
        (("缓存", "--budget", "100"), "a budget of 100 characters has no room for a sentence of any passage. Give it "),
        (("缓存", "--lang", "fr"), "no such choice"),
        (("缓存", "--since", "whenever"), "cannot read the time"),
    ],
)
def test_wrong_use_is_named(call: Call, args: tuple[str, ...], problem: str) -> None:
    status, out, err = call("prompt", *args)
    assert (status, out) == (2, "") and problem in err


def test_control_characters_reach_a_pipe_but_not_a_terminal() -> None:
    piped = process("prompt", "恶意").stdout
    assert b"\x1b[31mred" in piped
    shown = on_a_terminal("prompt", "恶意")
    assert "\x1b[31mred" not in shown and "\u241b[31mred" in shown
