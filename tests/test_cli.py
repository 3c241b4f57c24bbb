"""The command line: its verbs, options and exit statuses, and what it leaves alone."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commandline import (  # noqa: F401 - fixtures
    POSIX,
    Call,
    call_fixture,
    digests,
    documents_fixture,
    made_fixture,
    names_of,
    process,
    surroundings_fixture,
)

import yuanwen
from yuanwen import errors, reports
from yuanwen.cli import app

# -------------------------------------------------------------------------------------------------------- exit statuses


def test_finding_nothing_is_done(call: Call) -> None:
    assert call("search", "zebra")[0] == 0


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (("search",), 2),
        (("search", ""), 2),
        (("search", "x", "--limit", "0"), 2),
        (("search", "x", "--since", "the day before"), 2),
        (("search", "x", "--mode", "magic"), 2),
        (("search", "x", "--no-such-option"), 2),
        (("search", "x", "-limit", "3"), 2),
        (("search", "x", "--json=yes"), 2),
        (("search", "--since"), 2),
        (("show",), 2),
        (("serch", "x"), 2),
        ((), 2),
        (("show", "nothing-1"), 3),
        (("forget", "nothing.md"), 3),
        (("add", "nothing.md"), 3),
        (("import", "nothing.jsonl"), 3),
        (("-L", "nothing.sqlite", "search", "x"), 3),
        (("export", "no/such/folder/file"), 2),
    ],
)
def test_exit_status_says_what_went_wrong(call: Call, args: tuple[str, ...], status: int) -> None:
    got, out, err = call(*args)
    assert (got, out) == (status, "")
    assert err if not args else re.fullmatch(r"yuanwen: .+[.?]\n", err)


def test_a_check_that_finds_something_exits_with_1(call: Call, documents: Path, tmp_path: Path) -> None:
    call("-L", "own.sqlite", "add", documents)
    shutil.rmtree(tmp_path / "own.sqlite.index")
    status, out, _ = call("-L", "own.sqlite", "check")
    assert status == 1
    assert "Problems:" in out
    status, out, _ = call("-L", "own.sqlite", "check", "--repair")
    assert status == 0
    assert "Repaired:" in out


def test_a_mass_removal_is_refused_with_5(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.txt").write_text(f"note {number}")
    call("-L", "own.sqlite", "add", folder)
    for number in range(29):
        (folder / f"{number}.txt").unlink()
    status, out, err = call("-L", "own.sqlite", "sync")
    assert (status, out) == (5, "")
    assert "--allow-mass-removal" in err
    status, out, _ = call("-L", "own.sqlite", "sync", "--allow-mass-removal")
    assert status == 0
    assert "29 documents removed" in out


def test_a_file_that_is_no_library_exits_with_2(call: Call, tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("this is not a database, and long enough to be looked at " * 20)
    status, _, err = call("-L", "text.sqlite", "search", "x")
    assert status == 2
    assert "is not a Yuanwen library" in err


def test_a_fault_of_ours_exits_with_70_and_shows_a_traceback_only_when_asked(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.VERBS, "status", "yuanwen.cli.app:NO_SUCH_THING")
    status, out, err = call("status")
    assert (status, out) == (70, "")
    assert err.startswith("yuanwen: a fault of ours: AttributeError: ")
    assert err.count("\n") == 1
    assert "Traceback" in call("-v", "status")[2]


def test_every_class_of_error_has_its_exit_status() -> None:
    wanted = {
        errors.UsageError: 2,
        errors.QueryError: 2,
        errors.LibraryDamaged: 2,
        errors.Unreadable: 2,
        errors.NotFound: 3,
        errors.Busy: 4,
        errors.Unavailable: 4,
        errors.Refused: 5,
    }
    ours = {c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.YuanwenError)}
    assert set(wanted) == ours - {errors.YuanwenError}
    for kind, status in wanted.items():
        nearest = next(app.EXIT[c] for c in kind.__mro__ if c in app.EXIT)
        assert nearest == status


@pytest.mark.skipif(not POSIX, reason="Windows has no such signals")
def test_an_interrupt_exits_with_130(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(3000):
        (folder / f"{number}.txt").write_text(f"note {number} " * 50)
    command = [sys.executable, "-m", "yuanwen", "-L", "own.sqlite", "add", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        deadline = time.monotonic() + 30
        while not (tmp_path / "own.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")


@pytest.mark.skipif(not POSIX, reason="Windows says it in another way")
def test_a_reader_who_goes_away_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("\n\n".join(f"line {number} of a long text" * 40 for number in range(400)))
    process("-L", "own.sqlite", "add", file)
    command = [sys.executable, "-m", "yuanwen", "-L", "own.sqlite", "show", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None and running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said_on_one_line() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "yuanwen", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"No space left on device" in done.stderr


# -------------------------------------------------------------------------------------------- libraries and their files


@pytest.mark.parametrize(
    "args",
    [
        ("search", "x"),
        ("show", "x"),
        ("list",),
        ("status",),
        ("tags",),
        ("check",),
        ("sync",),
        ("compact",),
        ("forget", "x"),
        ("export", "out.jsonl"),
    ],
)
def test_only_add_and_import_make_a_library(call: Call, args: tuple[str, ...], tmp_path: Path) -> None:
    status, out, err = call("-L", "new.sqlite", *args)
    assert (status, out) == (3, "")
    assert "no library at" in err
    assert list(tmp_path.iterdir()) == []


def test_reading_leaves_every_byte_of_the_library_as_it_was(made: Path) -> None:
    before = digests(made.parent)
    for args in (
        ("search", "缓存"),
        ("search", "zebra"),
        ("show", "P001"),
        ("list",),
        ("status",),
        ("tags",),
    ):
        assert process(*args).returncode == 0
    assert digests(made.parent) == before


def test_the_library_is_named_by_option_then_variable(
    call: Call, made: Path, documents: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert json.loads(call("status", "--json")[1])["path"] == str(made)
    call("-L", "own.sqlite", "add", documents / "handbook.md")
    assert json.loads(call("status", "--json", "-L", "own.sqlite")[1])["documents"] == 1
    monkeypatch.delenv("YUANWEN_LIBRARY")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path))
    status, _, err = call("status")
    assert status == 3
    assert "yuanwen" in err and "library.sqlite" in err


def test_the_index_is_chosen_when_a_library_is_made(call: Call, documents: Path, tmp_path: Path) -> None:
    assert call("-L", "one.sqlite", "add", documents, "--index", "fts5")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.sqlite"]
    assert json.loads(call("-L", "one.sqlite", "status", "--json")[1])["index"] == "fts5"
    status, _, err = call("-L", "one.sqlite", "add", documents, "--index", "tantivy")
    assert status == 2
    assert "made with the index fts5" in err


def test_a_library_can_be_exported_imported_forgotten_and_compacted(call: Call, documents: Path) -> None:
    call("-L", "one.sqlite", "add", documents)
    assert "3 documents written to all.jsonl." in call("-L", "one.sqlite", "export", "all.jsonl")[1]
    assert json.loads(call("-L", "one.sqlite", "export", "all.jsonl", "--json")[1]) == {"documents": 3}
    assert "3 indexed" in call("-L", "two.sqlite", "import", "all.jsonl")[1]
    found = json.loads(call("-L", "two.sqlite", "forget", documents / "handbook.md", "--json")[1])
    assert list(found) == names_of(reports.Forgotten)
    assert found["documents"] == 1
    assert json.loads(call("-L", "two.sqlite", "search", "雪崩", "--json")[1])["status"] == "abstain"
    compacted = json.loads(call("-L", "two.sqlite", "compact", "--drop-old", "--json")[1])
    assert list(compacted) == names_of(reports.Compacted)
    assert "before" in call("-L", "two.sqlite", "compact")[1]


# ---------------------------------------------------------------------------------------------- the command line itself


def test_global_options_stand_before_the_verb_and_after_it(call: Call, made: Path) -> None:
    before = call("-L", made, "--json", "-q", "search", "缓存")[1]
    after = call("search", "缓存", "-q", "--library", made, "--json")[1]
    between = call("--json", "search", "-L", made, "缓存", "-q")[1]
    hits = [json.loads(out)["hits"] for out in (before, after, between)]
    assert hits[0] and hits[0] == hits[1] == hits[2]


def test_version_is_printed_before_and_after_the_verb(call: Call) -> None:
    wanted = (0, f"yuanwen {yuanwen.__version__}\n", "")
    assert call("--version") == call("search", "--version") == wanted


@pytest.mark.parametrize(
    ("words", "query"),
    [
        (("缓存", "穿透"), "缓存 穿透"),
        (("缓存", "-雪崩"), "缓存 -雪崩"),
        (("缓存", "-vector"), "缓存 -vector"),
        (('-"a phrase"', "缓存"), '-"a phrase" 缓存'),
        (("--", "缓存", "--json", "-q"), "缓存 --json -q"),
        (("缓存", "--", "-x"), "缓存 -x"),
        (("C++", "k:v", "*", "NEAR("), "C++ k:v * NEAR("),
        (("50%", "a{b}c"), "50% a{b}c"),
    ],
)
def test_the_query_is_what_was_typed(call: Call, words: tuple[str, ...], query: str) -> None:
    status, out, _ = call("--json", "search", "--limit", "2", *words)
    assert status == 0
    assert json.loads(out)["query"] == query


def test_options_of_search_reach_the_library(call: Call, documents: Path) -> None:
    def hits(*args: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(call("search", *args, "--json")[1])["hits"]
        return found

    assert len(hits("缓存")) > 1
    assert len(hits("缓存", "--limit", "1")) == 1
    assert hits("缓存", "--limit", "1", "--offset", "1")[0]["id"] == hits("缓存")[1]["id"]
    assert hits("缓存", "--tag", "工作") and not hits("缓存", "--tag", "别的")
    assert {hit["media_type"] for hit in hits("缓存", "--type", "md")} == {"text/markdown"}
    assert not hits("缓存", "--source", "*.txt") and hits("缓存", "--source", "*.md")
    assert not hits("缓存", "--since", "2999-01-01") and not hits("缓存", "--until", "1999-01")
    assert hits("证据不足", "--mode", "exact")[0]["match"] == "verbatim"
    assert hits("P001", "--mode", "raw")[0]["label"] == "P001"
    assert hits("缓存穿透", "--after", "1")[0]["after"]


def test_an_unknown_word_is_answered_with_the_nearest(call: Call) -> None:
    assert "Did you mean search?" in call("serch", "x")[2]
    assert "yuanwen search 缓存" in call("缓存")[2]
    assert "Did you mean --limit?" in call("search", "x", "--limt", "3")[2]
    assert "Did you mean --limit?" in call("search", "x", "-limit", "3")[2]
    assert "ranked, exact" in call("search", "x", "--mode", "exakt")[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_both_names(call: Call, shell: str) -> None:
    status, out, err = call("completion", shell)
    assert (status, err) == (0, "")
    assert "_YUANWEN_COMPLETE=" + shell in out and "_YW_COMPLETE=" + shell in out
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=out.encode(), check=False).returncode == 0


def test_the_shell_is_told_verbs_options_and_choices() -> None:
    def complete(words: str) -> list[str]:
        done = process(_YUANWEN_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
        return [line.partition(",")[2] for line in done.stdout.decode().splitlines()]

    assert complete("yuanwen ") == list(app.VERBS)
    assert complete("yuanwen sea") == ["search"]
    assert "--mode" in complete("yuanwen search --m")
    assert complete("yuanwen search --mode ex") == ["exact", "expand"]


# ------------------------------------------------------------------------------------------------------------- start-up


def test_help_does_not_load_the_library() -> None:
    code = (
        "import sys; from yuanwen.cli.app import run; run(['search', '--help']);"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('rich', 'platformdirs', 'json', 'asyncio', 'apsw', 'tantivy', 'importlib.metadata')"
        " or m in ('yuanwen.library', 'yuanwen.cli.chinese', 'pathlib')), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr.strip() == b""


def test_search_does_not_load_what_only_other_verbs_need() -> None:
    code = (
        "import sys; from yuanwen.cli.app import run; run(['-q', 'search', '缓存']);"
        "print(*sorted(m for m in ('rich', 'platformdirs', 'asyncio', 'yuanwen.cli.writing',"
        " 'yuanwen.cli.output', 'yuanwen.cli.chinese', 'yuanwen.doctor')"
        " if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr.strip() == b""
