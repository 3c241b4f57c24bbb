"""The command line: what it prints and where, its JSON, its exit statuses, its two languages."""

import ast
import dataclasses
import hashlib
import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import yuanwen
from yuanwen import absence, errors, model, reports
from yuanwen.cli import app, messages, output, terminal
from yuanwen.cli.chinese import CHINESE
from yuanwen.doctor import examine
from yuanwen.library import Library

SOURCE = Path(inspect.getfile(yuanwen)).parent
POSIX = os.name == "posix"
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202d\u202e]")

HANDBOOK = """# 缓存手册

## 缓存穿透

缓存穿透是指查询一个一定不存在的数据，于是每次请求都会打到数据库上。

## 缓存雪崩

大量的键在同一时刻过期。证据不足的请求不予放行。
"""
HOSTILE = "evil \x1b[31mred\x1b[0m \x1b]0;title\x07 bell\a c1 \x9b31m \u202e 恶意\n"
RECORD = {
    "id": "P001",
    "title": "劳动合同法",
    "source": "劳动合同法",
    "paragraph": 38,
    "body": "第三十八条 用人单位有下列情形之一的，劳动者可以解除劳动合同。",
}

Result = tuple[int, str, str]
Call = Callable[..., Result]


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "hostile.txt").write_text(HOSTILE, encoding="utf-8")
    (folder / "law.jsonl").write_text(json.dumps(RECORD, ensure_ascii=False), encoding="utf-8")
    (folder / "scan.pdf").write_bytes(b"%PDF-1.7 nothing to read")
    return folder


@pytest.fixture(scope="module")
def made(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the documents, which tests only read."""
    path = tmp_path_factory.mktemp("made") / "library.sqlite"
    with Library.open(path) as library:
        library.add(documents, tags=["工作"])
    return path


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made: Path) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "NO_COLOR", "COLUMNS", "YUANWEN_LIBRARY", "PYTHONUNBUFFERED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("YUANWEN_LANG", "en")
    monkeypatch.setenv("YUANWEN_LIBRARY", str(made))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE.parent), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the program in this process; return its exit status, stdout and stderr."""

    def run(*args: str | Path) -> Result:
        status = app.run([str(arg) for arg in args])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def process(*args: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a process of its own."""
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    return subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)


def on_a_terminal(*args: str | Path, columns: int = 80, **environment: str) -> str:
    """Run the program on a terminal of its own; return all that it printed there."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    settings = {"COLUMNS": str(columns), "TERM": "xterm-256color"} | environment
    command = [sys.executable, "-m", "yuanwen", *map(str, args)]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=os.environ | settings) as running:
        os.close(slave)
        printed = b""
        try:
            while part := os.read(master, 65536):
                printed += part
        except OSError:
            pass  # the other side is closed
        running.wait(timeout=60)
    os.close(master)
    return printed.decode("utf-8").replace("\r\n", "\n")


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


# ------------------------------------------------------------------------------------------------- JSON

HIT_KEYS = (
    "id label title source media_type version heading paragraph page start end text excerpt matches match"
    " score tags dated state before after coverage evidence"
)


def test_json_of_a_search_has_the_keys_of_the_contract_in_their_order(call: Call) -> None:
    status, out, err = call("--json", "search", "缓存穿透", "--after", "1")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert " ".join(found) == "status query mode found found_is hits absence searched notes elapsed_ms"
    assert found["status"] == "evidence_found"
    assert found["absence"] is None
    assert list(found["searched"]) == ["documents", "passages", "generation"]
    hit = found["hits"][0]
    assert " ".join(hit) == HIT_KEYS
    assert hit["tags"] == ["工作"]
    assert hit["page"] is None
    assert [hit["text"][start:end] for start, end in hit["matches"]]
    assert list(hit["after"][0]) == ["id", "start", "end", "text"]


def test_json_of_an_empty_answer_names_what_could_not_be_searched(call: Call, documents: Path) -> None:
    _, out, _ = call("search", "zebra", "--json")
    found = json.loads(out)
    assert (found["status"], found["hits"]) == ("abstain", [])
    assert list(found["absence"]) == ["kind", "missing_terms", "suggestions", "unsearchable", "stale"]
    assert found["absence"]["kind"] == "unsearchable"
    assert found["absence"]["unsearchable"] == [
        {"source": str(documents / "scan.pdf"), "reason": "PDF is not supported yet"}
    ]


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


def fields(kind: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(kind)]


@pytest.mark.parametrize(
    ("args", "keys"),
    [
        (("list",), ["documents"]),
        (("tags",), ["tags"]),
        (("show", "P001"), ["hits"]),
        (("status",), fields(reports.Status)),
        (("check",), fields(reports.Check)),
    ],
)
def test_json_of_the_other_verbs_is_one_document(call: Call, args: tuple[str, ...], keys: list[str]) -> None:
    status, out, err = call(*args, "--json")
    assert (status, err) == (0, "")
    assert list(json.loads(out)) == keys
    assert out.count("\n") == 1


def test_json_of_what_is_listed_has_the_fields_of_the_model(call: Call) -> None:
    documents = json.loads(call("list", "--json")[1])["documents"]
    assert [list(each) for each in documents] == [fields(reports.Document)] * 3
    assert json.loads(call("tags", "--json")[1]) == {"tags": [{"tag": "工作", "documents": 3}]}
    assert " ".join(json.loads(call("show", "P001", "--json")[1])["hits"][0]) == HIT_KEYS


def test_every_field_that_json_names_is_in_the_model() -> None:
    for names, kind in (
        (output.HIT, model.Hit),
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
        assert set(names) <= set(fields(kind))


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


def test_wrong_use_under_json_is_a_document_too(call: Call) -> None:
    status, out, _ = call("search", "x", "--limit", "many", "--json")
    assert status == 2
    assert json.loads(out)["error"]["kind"] == "UsageError"


def test_the_words_of_json_do_not_depend_on_the_language(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    english = call("search", "zebra", "--json")[1]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    chinese = call("search", "zebra", "--json")[1]
    assert json.loads(english)["absence"] == json.loads(chinese)["absence"]


# --------------------------------------------------------------------------------------- exit statuses


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


# ----------------------------------------------------------------------------------------- the language


def test_messages_follow_the_language(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing found" in call("search", "zebra")[1]
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    status, out, err = call("show", "nothing-1")
    assert (status, out) == (3, "")
    assert err == ("yuanwen: 没有片段或文档 nothing-1。请用 yuanwen search 或 yuanwen list 查找。\n")
    assert "没有找到" in call("search", "zebra")[1]
    assert "暂不支持 PDF（1 个）。请另存为纯文本、Markdown 或 HTML。" in call("status")[1]
    assert call("search", "x", "--limit", "0")[2] == (
        "yuanwen: --limit 要用不小于 1 的整数。用法见：yuanwen search --help。\n"
    )


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW.Big5"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LC_ALL": ""}, "en"),
        ({"LANG": "C", "LC_ALL": "C", "YUANWEN_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "YUANWEN_LANG": "en"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_names_the_language(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], language: str
) -> None:
    for name in messages.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert messages.language() == language


@pytest.mark.parametrize("verb", ["", *app.VERBS])
def test_every_verb_has_help_in_both_languages(call: Call, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    args = [verb, "--help"] if verb else ["--help"]
    status, english, err = call(*args)
    assert (status, err) == (0, "")
    assert english.startswith(f"Usage: yuanwen {verb}")
    assert english.isascii() or verb in ("search", "add")  # which have Chinese examples
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    status, chinese, _ = call(*args)
    assert status == 0
    assert chinese.startswith(f"用法：yuanwen {verb}")
    meanings = [line.split("  ")[-1] for line in chinese.splitlines() if line.startswith("  -")]
    assert meanings and all(re.search(r"[\u4e00-\u9fff]|JSON", meaning) for meaning in meanings)


def test_every_message_has_a_translation_with_the_same_fields() -> None:
    found = list(_messages())
    assert len(found) > 150
    for template, where in found:
        if re.search("[A-Za-z]{2}", re.sub(r"\{[^{}]*\}", "", template)):
            assert template in CHINESE, f"{where}: {template!r} has no translation"
    for template, translation in CHINESE.items():
        assert _fields(template) == _fields(translation), template


def test_every_sentence_that_is_filled_already_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LANG", "zh")
    for sentence, where in _filled_messages():
        assert messages.filled(sentence) != sentence, f"{where}: {sentence!r} has no translation"
    assert messages.filled("PDF is not supported yet") == "暂不支持 PDF"
    assert messages.filled("a note that nobody wrote") == "a note that nobody wrote"
    record = 'record 2 (id "P9"): "body" is empty'
    assert messages.filled(record) == '第 2 (id "P9") 条记录的“body”是空的'


def _fields(template: str) -> list[str]:
    return sorted(re.findall(r"\{[^{}]*\}", template))


def _messages() -> Iterator[tuple[str, str]]:
    """Yield the texts that are translated as they stand, with the module of each."""
    makers = {name for name, kind in vars(errors).items() if isinstance(kind, type)} | {"Skip", "Finding"}
    for path, tree, names in _modules():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = _name(call.func)
            wanted: list[ast.expr] = []
            if name in ("say", "count", "_see_help"):
                wanted = [arg for arg in call.args if name == "say" or not isinstance(arg, ast.Name)]
            elif name in makers:
                keys = ("hint", "reason", "detail", "fix", *(["name"] if name == "Finding" else []))
                wanted = [*call.args[:1], *(k.value for k in call.keywords if k.arg in keys)]
            elif name == "append" and isinstance(call.func, ast.Attribute) and _name(call.func.value) in LISTS:
                wanted = call.args
            wanted += [k.value for k in call.keywords if k.arg in LISTS]
            yield from ((text, path) for node in wanted for text in _texts(node, names) if text)
        if path == "walk.py":
            for table in (node for node in ast.walk(tree) if isinstance(node, ast.Dict)):
                for node in (*table.keys, *table.values):
                    if isinstance(node, ast.Constant) and isinstance(node.value, str):
                        yield node.value, path


LISTS = ("notes", "warnings", "problems", "repaired")


def _filled_messages() -> Iterator[tuple[str, str]]:
    """Yield the f-strings that the library hands out as sentences, each field filled with a 7."""
    for path, tree, names in _modules():
        if path.startswith(("cli", "doctor")):
            continue
        for node in ast.walk(tree):
            found: list[ast.expr] = []
            if isinstance(node, ast.Call) and _name(node.func) == "append":
                assert isinstance(node.func, ast.Attribute)
                found = list(node.args) if _name(node.func.value) in LISTS else []
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.List):
                found = node.value.elts
            elif isinstance(node, ast.Call) and _name(node.func) in ("Skip", "Unreadable"):
                found = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "reason")]
            for each in found:
                for string in _options(each, names):
                    if isinstance(string, ast.JoinedStr):
                        parts = (p.value if isinstance(p, ast.Constant) else "7" for p in string.values)
                        yield re.sub(r"\{\w+\}", "7", "".join(map(str, parts))), path


def _modules() -> Iterator[tuple[str, ast.Module, dict[str, list[ast.expr]]]]:
    """Yield each module with what its names are assigned."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        names.setdefault(target.id, []).append(node.value)
        yield path.relative_to(SOURCE).as_posix(), tree, names


def _name(node: ast.expr) -> str:
    return getattr(node, "id", "") or getattr(node, "attr", "")


def _options(node: ast.expr, names: dict[str, list[ast.expr]]) -> Iterator[ast.expr]:
    """Yield what an expression may be: both sides of a choice, the values of a name, the items of a tuple."""
    if isinstance(node, ast.IfExp):
        yield from (*_options(node.body, names), *_options(node.orelse, names))
    elif isinstance(node, ast.Tuple | ast.List):
        yield from (option for item in node.elts for option in _options(item, names))
    elif isinstance(node, ast.Name):
        yield from (option for value in names.get(node.id, ()) for option in _options(value, {}))
    else:
        yield node


def _texts(node: ast.expr, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    for option in _options(node, names):
        if isinstance(option, ast.Constant) and isinstance(option.value, str):
            yield option.value


# ------------------------------------------------------------------------------- libraries and their files


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
    assert list(found) == fields(reports.Forgotten)
    assert found["documents"] == 1
    assert json.loads(call("-L", "two.sqlite", "search", "雪崩", "--json")[1])["status"] == "abstain"
    compacted = json.loads(call("-L", "two.sqlite", "compact", "--drop-old", "--json")[1])
    assert list(compacted) == fields(reports.Compacted)
    assert "before" in call("-L", "two.sqlite", "compact")[1]


# ---------------------------------------------------------------------------------- the command line itself


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


# -------------------------------------------------------------------------------------- stdout and stderr


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


# ------------------------------------------------------------------------------------------- for people


@pytest.mark.skipif(sys.platform == "win32", reason="such names cannot be made here")
def test_no_control_character_reaches_a_person(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "names"
    folder.mkdir()
    name = "new\nline\x1b[31m\x9b.txt"
    (folder / name).write_text(HOSTILE, encoding="utf-8")
    (folder / "\x1b]0;x\x07.pdf").write_bytes(b"%PDF-1.7")
    title = {**RECORD, "id": "\x1b[1m", "title": "\x1b[2J标题", "source": "\x1b[3m"}
    (folder / "law.jsonl").write_text(json.dumps(title), encoding="utf-8")
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
    assert re.fullmatch(r"1  缓存手册 › 缓存雪崩  paragraph \d", lines[0])
    assert "   大量的键在同一时刻过期。证据不足的请求不予放行。" in lines
    assert re.fullmatch(r"   [0-9a-f]{12}-\d · handbook\.md · \d+\.\d", lines[-1])
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
    assert "scan.pdf" in out and "PDF is not supported yet (1)" in out
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


# --------------------------------------------------------------------------------------------- the doctor


def test_doctor_finds_a_sound_machine(call: Call) -> None:
    status, out, err = call("doctor")
    assert (status, err) == (0, "")
    assert "✓ Python" in out and "✓ SQLite" in out and "✗" not in out
    findings = json.loads(call("doctor", "--json")[1])["findings"]
    assert all(list(finding) == ["name", "ok", "detail", "fix"] for finding in findings)
    assert {"Python", "SQLite", "tantivy", "library", "terminal", "formats"} <= {f["name"] for f in findings}


def test_doctor_says_what_to_do_about_what_is_wrong(call: Call, tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("this is not a database, and long enough to be looked at " * 20)
    status, out, _ = call("-L", "text.sqlite", "doctor")
    assert status == 1
    assert "✗ library" in out and "→ Name another file with -L." in out


def test_doctor_makes_no_library(call: Call, tmp_path: Path) -> None:
    assert call("-L", "new.sqlite", "doctor")[0] == 0
    assert list(tmp_path.iterdir()) == []
    (finding,) = [each for each in examine(tmp_path / "new.sqlite") if each.name == "library"]
    assert finding.ok and "not there yet" in finding.detail


# ---------------------------------------------------------------------------------------------- start-up


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
