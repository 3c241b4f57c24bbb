"""What people see of the command line: texts, tables, colours, encodings."""

import json
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    HOSTILE,
    RECORD,
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    on_a_terminal,
    process,
    surroundings_fixture,
)

from yuanwen.cli import terminal

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]")


# ---------------------------------------------------------------------------------------------------- stdout and stderr


def test_stdout_holds_the_result_and_stderr_the_talk(documents: Path) -> None:
    done = process("search", "缓存穿透")
    assert "缓存手册 › 缓存穿透" in done.stdout.decode()
    assert "passages found" not in done.stdout.decode()
    assert "passages found" in done.stderr.decode()
    assert process("-q", "search", "缓存穿透").stderr == b""
    added = process("-L", "own.sqlite", "add", documents)
    assert added.stderr == b""
    assert added.stdout.decode().startswith("4 files: 3 indexed, 0 unchanged, 1 skipped. ")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
    ],
)
def test_output_is_utf8_where_the_locale_knows_no_chinese(environment: dict[str, str]) -> None:
    arguments = {"YUANWEN_LANG": "zh"} | environment
    shown = process("show", "P001", **arguments).stdout.decode("utf-8")
    assert "第三十八条" in shown
    printed = process("show", "P001", "--json", **arguments).stdout.decode("utf-8")
    assert json.loads(printed)["hits"][0]["title"] == "劳动合同法"


def test_people_get_the_encoding_of_their_locale_and_programs_get_utf8() -> None:
    shown = process("show", "P001", PYTHONIOENCODING="gb18030").stdout
    assert "第三十八条" in shown.decode("gb18030")
    printed = process("show", "P001", "--json", PYTHONIOENCODING="gb18030").stdout
    assert json.loads(printed.decode("utf-8"))["hits"][0]["title"] == "劳动合同法"
    unknown = process("show", "hostile.txt-1", PYTHONIOENCODING="gbk", YUANWEN_LANG="zh")
    assert unknown.returncode == 3


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names cannot be made here")
def test_a_name_that_is_not_unicode_does_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    (folder / os.fsdecode(b"\xff\xfe.pdf")).write_bytes(b"%PDF-1.7")
    added = process("-L", "own.sqlite", "add", folder)
    assert added.returncode == 0
    assert b"\\udcff\\udcfe.pdf" in added.stdout
    printed = process("-L", "own.sqlite", "status", "--json").stdout
    assert json.loads(printed)["skipped"][0]["source"] == str(folder / "\udcff\udcfe.pdf")
    assert process("search", os.fsdecode(b"\xff")).returncode == 0


# ----------------------------------------------------------------------------------------------------------- for people


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be made here")
def test_no_control_character_reaches_a_person(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    name = "new\nline\x1b[31m\x9b.txt"
    (folder / name).write_text(HOSTILE, encoding="utf-8")
    (folder / "\x1b]0;x\x07.pdf").write_bytes(b"%PDF-1.7")
    title = {**RECORD, "id": "\x1b[1m", "title": "\x1b[2J标题", "source": "\x1b[3m"}
    (folder / "law.jsonl").write_text(json.dumps(title), encoding="utf-8")
    with zipfile.ZipFile(folder / "post.zip", "w") as archive:
        archive.writestr("\x1b[6m/note\x07.txt", HOSTILE)
        archive.writestr("\x9b6m.pdf", b"%PDF-1.7")
    outputs = [
        call("-L", "own.sqlite", "add", folder, "--tag", "\x1b[5mtag"),
        *(call("-L", "own.sqlite", verb) for verb in ("list", "status", "tags", "check", "sync")),
        call("-L", "own.sqlite", "search", "恶意", "--explain"),
        call("-L", "own.sqlite", "search", "zebra\x1b[31m"),
        call("-L", "own.sqlite", "show", "\x1b[3m", folder / name),
        call("-L", "own.sqlite", "show", "\x1b[31mnothing"),
        call("-L", "\x1b[31m.sqlite", "status"),
        call("\x1b[31m"),
        call("-L", "own.sqlite", "forget", folder / name),
        call("extract", folder / "post.zip"),
        call("extract", folder / "\x1b]0;x\x07.pdf"),
    ]
    for status, out, err in outputs:
        assert status in (0, 2, 3)
        assert not CONTROLS.search(out) and not CONTROLS.search(err)
    assert "␛[31mred␛[0m" in outputs[8][1]


def test_json_has_every_character_as_it_is(call: Call) -> None:
    found = json.loads(call("search", "恶意", "--json")[1])
    assert found["hits"][0]["text"] == HOSTILE


def test_a_terminal_gets_colour_and_lines_that_fit(documents: Path) -> None:
    shown = on_a_terminal("search", "数据库 请求 缓存", columns=40)
    assert "\x1b[1m" in shown
    assert re.search("\x1b\\[[0-9;]+m数据库\x1b\\[0m", shown) or "\x1b[31m" in shown
    plain = re.sub("\x1b\\[[0-9;]*m", "", shown)
    passage = [line for line in plain.splitlines() if line.startswith("   ") and "·" not in line]
    assert passage and all(terminal.cells(line) <= 40 for line in passage)
    assert not re.search(r"^ +[，。、；：]", plain, re.MULTILINE)


def test_no_color_means_no_colour() -> None:
    assert "\x1b[" not in on_a_terminal("search", "缓存", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("search", "缓存", TERM="dumb")


def test_on_a_terminal_json_cannot_steer_it() -> None:
    shown = on_a_terminal("search", "恶意", "--json")
    assert not re.search("[\x1b\x9b\x07]", shown)
    assert json.loads(shown)["hits"][0]["text"] == HOSTILE


def test_progress_is_shown_on_a_terminal_only_and_not_under_quiet(documents: Path) -> None:
    shown = on_a_terminal("-L", "one.sqlite", "add", documents)
    assert "looking for files" in shown or "4/4" in shown or "3/3" in shown
    assert "looking for files" not in on_a_terminal("-q", "-L", "two.sqlite", "add", documents)


def test_a_hit_shows_place_passage_and_address(call: Call, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(documents)
    lines = call("search", "大量的键", "--mode", "exact")[1].splitlines()
    assert re.fullmatch(r"1  缓存手册 › 缓存雪崩  lines \d to \d", lines[0])
    assert "   大量的键在同一时刻过期。证据不足的请求不予放行。" in lines
    assert re.fullmatch(r"   [0-9a-f]{12}-\d · handbook\.md", lines[-1])
    last = call("search", "大量的键")[1].splitlines()[-1]
    assert re.fullmatch(r"   [0-9a-f]{12}-\d · handbook\.md · (?:covers \d+ %|覆盖 \d+%)", last)
    record = call("search", "第三十八条")[1].splitlines()
    assert record[0] == "1  劳动合同法  paragraph 38"
    assert record[-1].startswith("   P001 · ")


def test_a_long_passage_is_shown_by_its_excerpt_unless_all_is_wanted(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("前文" * 150 + "要找的词" + "后文" * 150, encoding="utf-8")
    call("-L", "own.sqlite", "add", file)
    excerpt = call("-L", "own.sqlite", "search", "要找的词", "--mode", "exact")[1]
    assert "要找的词" in excerpt and "   …" in excerpt and len(excerpt) < 350
    whole = call("-L", "own.sqlite", "-v", "search", "要找的词", "--mode", "exact")[1]
    assert "…" not in whole and len(whole) > len(excerpt)
    assert call("-L", "own.sqlite", "show", file)[1].count("前文") == 150


def test_the_state_of_a_file_is_shown_where_it_is_not_current(call: Call, tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"words of {name}")
    call("-L", "own.sqlite", "add", "a.md", "b.md")
    (tmp_path / "a.md").write_text("words that are others")
    (tmp_path / "b.md").unlink()
    for verb in (("search", "words"), ("list",), ("status",)):
        out = call("-L", "own.sqlite", *verb)[1]
        assert "[changed]" in out and "[missing]" in out
    empty = call("-L", "own.sqlite", "search", "zebra")[1]
    assert "[missing]  b.md" in empty and "yuanwen sync" in empty


def test_an_empty_answer_explains_itself(call: Call, documents: Path) -> None:
    out = call("search", "zebra", "缓存")[1]
    assert out  # one of the words is there
    out = call("search", "zebra")[1]
    assert "scan.pdf" in out and "it is damaged. Save it again" in out
    assert "Words that occur nowhere: zebra" in out
    call("-L", "own.sqlite", "add", documents / "handbook.md")
    out = call("-L", "own.sqlite", "search", "zebra")[1]
    assert out.startswith("Nothing found: everything is indexed and current")
    assert "Try fewer words" in out


def test_skipped_files_are_grouped_and_named_up_to_ten(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "scans"
    folder.mkdir()
    for number in range(13):
        (folder / f"{number:02}.pdf").write_bytes(b"%PDF-1.7")
    out = call("-L", "own.sqlite", "add", folder)[1]
    assert out.startswith("13 files: 0 indexed, 0 unchanged, 13 skipped. ")
    assert out.count(".pdf") == 10 and "... and 3 more" in out
    assert call("-L", "own.sqlite", "-v", "status")[1].count(".pdf") == 13


def test_what_could_not_be_read_stands_before_what_was_left_out_by_rule(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name in (".one", ".two", "scan.pdf"):
        (folder / name).write_bytes(b"%PDF-1.7")
    out = call("-L", "own.sqlite", "add", folder)[1]
    assert out.index("  it is damaged. Save it again") < out.index("  hidden (2). Add it by its own path")


def test_parts_that_were_not_read_are_named_up_to_ten(call: Call, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "post.zip", "w") as archive:
        archive.writestr("note.txt", "words of the note")
        for number in range(13):
            archive.writestr(f"{number:02}.pdf", b"%PDF-1.7")
    out = call("-L", "own.sqlite", "add", "post.zip")[1]
    assert out.count(": it is damaged\n") == 10 and "... and 3 more (-v names them all)" in out
    status = call("-L", "own.sqlite", "status")[1]
    assert "Parts of files that were not read:\n  it is damaged (13). Save it again" in status
    assert status.count(".pdf") == 10 and "... and 3 more" in status
    assert call("extract", "post.zip")[1].count(".pdf") == 13


def test_tables_are_aligned_by_columns_of_the_terminal(call: Call) -> None:
    lines = call("list")[1].splitlines()
    assert len(lines) == 4
    places = {terminal.cells(line[: re.search(r"\d{4}-\d\d-\d\d", line).start()]) for line in lines[1:]}  # type: ignore[union-attr]
    assert len(places) == 1


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("原文", 4), ("a\tb", 6), ("é", 1), ("한글", 4), ("ﾊﾝｶｸ", 4), ("🎉", 2), ("\ufeff", 0)],
)
def test_width_counts_columns(text: str, width: int) -> None:
    assert terminal.cells(text) == width


@pytest.mark.parametrize("width", [1, 2, 7, 20, 80])
def test_wrapping_loses_nothing_but_spaces_and_keeps_to_the_width(width: int) -> None:
    text = "缓存（cache）穿透，是指“查询”不存在的数据。\n\nA Bloom filter https://example.org/" + "x" * 90 + "\tend 。"
    lines = terminal.wrap(text, width)
    joined = "".join(text[start:end] for start, end in lines)
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", text)
    if width >= 7:
        assert all(terminal.cells(text[start:end]) <= width for start, end in lines)
