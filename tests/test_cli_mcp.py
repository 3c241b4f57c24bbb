"""The verb `mcp`: the library in the hands of an assistant, installed and looked after."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    digests,
    documents_fixture,
    made_fixture,
    on_a_terminal,
    surroundings_fixture,
)

from yuanwen import mcp_clients
from yuanwen.mcp_clients import Server
from yuanwen.mcp_server.checkup import examine


@pytest.fixture(autouse=True, name="home")
def home_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, surroundings: None) -> Path:
    """A home folder where Cursor and Codex have been started once."""
    home = tmp_path / "home"
    for name in (".cursor", ".codex"):
        (home / name).mkdir(parents=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    return home


def answer(call: Call, *args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call("mcp", *args, "--json")[1])
    return found


# ------------------------------------------------------------------------------------------ installing


def test_installing_writes_the_entry_and_says_what_comes_next(call: Call, home: Path, made: Path) -> None:
    status, out, err = call("mcp", "install", "cursor")
    assert status == 0
    assert out == f"Cursor has the server yuanwen now: {shown(home / '.cursor' / 'mcp.json')}\n"
    assert "Restart Cursor" in err
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["yuanwen"]
    assert entry["args"][-3:] == ["mcp", "-L", str(made)]
    assert "has the server yuanwen already" in call("mcp", "install", "cursor")[1]


def shown(path: Path) -> str:
    return str(path).replace(str(Path.home()), "~") if os.name == "posix" else str(path)


def test_a_dry_run_shows_all_and_writes_nothing(call: Call, home: Path) -> None:
    before = digests(home)
    for client in mcp_clients.NAMES:
        status, out, _ = call("mcp", "install", client, "--dry-run")
        assert status == (0 if client in ("cursor", "codex", "cherry-studio") else 3)
        assert '"mcpServers": {' in out or '"servers": {' in out or "[mcp_servers.yuanwen]" in out
    assert digests(home) == before
    assert sorted(os.listdir(home)) == [".codex", ".cursor"]
    assert answer(call, "install", "codex", "--dry-run")["status"] == "to_do"


def test_a_second_library_has_a_name_of_its_own(call: Call, home: Path) -> None:
    call("mcp", "install", "codex")
    status, _, err = call("mcp", "install", "codex", "-L", "work.sqlite")
    assert status == 5 and "--name" in err
    status, _, err = call("mcp", "install", "codex", "-L", "work.sqlite", "--name", "work", "--allow-write")
    assert status == 0 and "no library at" in err
    text = (home / ".codex" / "config.toml").read_text("utf-8")
    assert "[mcp_servers.yuanwen]" in text and "[mcp_servers.work]" in text
    assert text.rstrip().splitlines()[-2].endswith(f'"{Path("work.sqlite").absolute()}", "--allow-write"]')


def test_what_cannot_be_written_is_printed_to_be_pasted(call: Call, home: Path) -> None:
    status, out, err = call("mcp", "install", "cherry-studio")
    assert status == 0 and "Import from JSON" in err
    assert json.loads(out)["mcpServers"]["yuanwen"]["type"] == "stdio"
    (home / ".cursor" / "mcp.json").write_text("{\n// mine\n}")
    status, out, err = call("mcp", "install", "cursor")
    assert status == 2 and "line 2: plain JSON has no comments" in err
    assert "yuanwen" in json.loads(out)["mcpServers"]
    status, out, err = call("mcp", "install", "vscode")
    assert status == 3 and "Visual Studio Code is not on this machine" in err
    assert "yuanwen" in json.loads(out)["servers"]
    assert json.loads(call("mcp", "install", "vscode", "--json")[1])["error"]["kind"] == "NotFound"


def test_installing_under_json_says_what_was_done(call: Call, home: Path, made: Path) -> None:
    done = answer(call, "install", "cursor")
    assert list(done) == ["client", "status", "file", "server", "entry"]
    assert (done["client"], done["status"], done["server"]["library"]) == ("cursor", "done", str(made))
    assert done["file"] == str(home / ".cursor" / "mcp.json")
    assert json.loads(done["entry"]) == json.loads((home / ".cursor" / "mcp.json").read_text())
    assert answer(call, "install", "cursor")["status"] == "there"
    assert answer(call, "install", "cherry-studio")["status"] == "by_hand"


# --------------------------------------------------------------------------------------------- listing


def test_the_list_names_every_client_and_what_it_has(call: Call, home: Path) -> None:
    call("mcp", "install", "cursor")
    (home / ".codex" / "config.toml").write_text("broken")
    status, out, err = call("mcp", "install")
    assert status == 0 and "yuanwen mcp install CLIENT" in err
    assert [name for name in mcp_clients.NAMES if name in out] == list(mcp_clients.NAMES)
    assert "✓ cursor          Cursor: has yuanwen" in out
    assert "Codex: cannot be looked into" in out and "line 1: this is not TOML" in out
    assert "  cline           Cline: not on this machine" in out
    clients = {each["name"]: each for each in answer(call, "install")["clients"]}
    assert tuple(clients) == mcp_clients.NAMES
    assert list(clients["cursor"]) == ["name", "title", "file", "is_here", "servers", "problem"]
    assert [each["name"] for each in clients["cursor"]["servers"]] == ["yuanwen"]
    assert not clients["cline"]["is_here"] and "not TOML" in clients["codex"]["problem"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_list_fits_a_terminal(home: Path, language: str) -> None:
    printed = on_a_terminal("mcp", "install", NO_COLOR="1", YUANWEN_LANG=language)
    assert max(map(len, printed.splitlines())) <= 80
    assert ("尚未安装" if language == "zh" else "does not have it yet") in printed


def test_a_wrong_word_is_answered_with_the_nearest(call: Call) -> None:
    for args, near in (
        (("instal",), "install"),
        (("install", "curser"), "cursor"),
        (("install", "claude"), "claude-desktop, claude-code"),
        (("install", "Cherry"), "cherry-studio"),
        (("doctor", "gemini"), "gemini-cli"),
    ):
        status, out, err = call("mcp", *args)
        assert (status, out) == (2, "")
        assert err.endswith(f"Did you mean {near}?\n")
    assert "Choose one of: claude-desktop," in call("mcp", "install", "zzz")[2]
    assert call("mcp", "install", "cursor", "--name", "a b")[0] == 2
    assert "--dry-run goes with: yuanwen mcp install" in call("mcp", "doctor", "--dry-run")[2]
    assert "--name goes with: yuanwen mcp install" in call("mcp", "--name", "x")[2]


# ------------------------------------------------------------------------------------------ the doctor


def test_the_doctor_starts_the_server_as_clients_do(
    call: Call, home: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("mcp", "install", "cursor")
    gone = {"old": {"command": str(home / "yuanwen"), "args": ["mcp"]}}
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text(json.dumps({"mcpServers": gone}))
    monkeypatch.setenv("PATH", "")
    before = digests(made.parent)
    status, out, err = call("mcp", "doctor", "--json")
    assert (status, err) == (1, "")
    found = {each["name"]: each for each in json.loads(out)["findings"]}
    assert [name for name, each in found.items() if not each["ok"]] == ["Gemini CLI"]
    assert "is not there any more" in found["Gemini CLI"]["detail"]
    assert "protocol 2026-07-28" in found["newer clients"]["detail"]
    assert "protocol 2025-11-25" in found["older clients"]["detail"]
    assert all("search, fetch, verify, sources" in found[name]["detail"] for name in ("newer clients", "older clients"))
    assert found["stdout"]["detail"] == "nothing but the protocol"
    assert found["library"]["detail"] == f"{made}: documents: 3"
    assert " found in " in found["search"]["detail"]
    assert found["Cursor"]["detail"] == f"yuanwen searches {made}"
    assert found["Codex"]["fix"] == "Run: yuanwen mcp install codex"
    assert "Cline" not in found
    assert digests(made.parent) == before


def test_the_doctor_says_where_there_is_no_library(call: Call, tmp_path: Path) -> None:
    call("mcp", "install", "cursor", "-L", "new.sqlite")
    status, out, _ = call("mcp", "doctor", "cursor", "-L", "new.sqlite")
    assert status == 1
    assert f"✗ library        there is no library at {tmp_path / 'new.sqlite'} yet" in out
    assert f"✗ Cursor         yuanwen: there is no library at {tmp_path / 'new.sqlite'}" in out
    assert "✓ newer clients" in out
    assert not (tmp_path / "new.sqlite").exists()


def test_a_server_that_does_not_start_is_told_with_its_last_words() -> None:
    code = "import sys; sys.exit('the last words')"
    for server, why in (
        (Server(name="x", command=sys.executable, args=("-c", code)), "the last words"),
        (Server(name="x", command=os.path.abspath("not-there")), "No such file" if os.name == "posix" else ""),
    ):
        found = {each.name: each for each in examine(server, [])}
        for name in ("newer clients", "older clients"):
            assert not found[name].ok
            assert why in found[name].text(found[name].detail)


def test_a_line_on_stdout_that_is_not_of_the_protocol_is_found(made: Path) -> None:
    server = mcp_clients.server(str(made))
    code = (
        f"import sys, runpy; print('noise', flush=True); sys.argv[1:] = ['mcp', '-L', {str(made)!r}];"
        " runpy.run_module('yuanwen', run_name='__main__')"
    )
    noisy = Server(name="x", command=sys.executable, args=("-c", code), env=server.env)
    found = {each.name: each for each in examine(noisy, [])}
    assert not found["stdout"].ok and found["stdout"].values == {"count": 2}


def test_the_entry_runs_nothing_of_the_folder_it_is_started_in(tmp_path: Path) -> None:
    for name in ("yuanwen", "json"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("print('of the folder')")
    server = mcp_clients.server("library.sqlite")
    command = [server.command, *server.args, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=server.env, check=True)
    assert done.stdout.startswith("yuanwen ")


def test_a_person_who_starts_it_is_told_what_it_waits_for() -> None:
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "yuanwen", "mcp"]
    with subprocess.Popen(
        command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as running:
        os.close(slave)
        assert running.stderr is not None and b"yuanwen mcp install" in running.stderr.readline()
        os.close(master)
        out, _ = running.communicate(timeout=60)
        assert out == b""
