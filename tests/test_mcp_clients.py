"""Configurations of other programs: where they are, what goes in, and that nothing else is ever changed."""

import json
import os
import re
import stat
import sys
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from yuanwen import mcp_clients
from yuanwen.errors import Busy, NotFound, Refused, Unreadable, UsageError
from yuanwen.mcp_clients import Client, Server, merging
from yuanwen.mcp_clients.merging import Shape

OURS = Server(
    name="yuanwen", command="/opt/程序/yuanwen", args=("mcp", "-L", '/home/a b/文"\\\x7f.sqlite'), env={"A": "b"}
)
JSON, TOML = Shape(), Shape(format="TOML", table="mcp_servers")
VARIABLES = (
    *("XDG_CONFIG_HOME", "APPDATA", "LOCALAPPDATA", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"),
    *("CLINE_MCP_SETTINGS_PATH", "CLINE_DIR", "CLINE_DATA_DIR"),
)


@pytest.fixture(autouse=True, name="home")
def home_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without any program, and another folder to work in."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.chdir(project)
    return home


def client(name: str, platform: str = "linux") -> Client:
    return next(each for each in mcp_clients.clients(platform) if each.name == name)


def file_of(found: Client) -> Path:
    assert found.file is not None
    return found.file


def cursor(home: Path, content: str | bytes | None = None) -> Path:
    """Have Cursor on this machine, with this configuration; return where that is."""
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir(exist_ok=True)
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def install(name: str = "cursor", server: Server = OURS) -> None:
    mcp_clients.make(mcp_clients.change(client(name), server))


def with_ours(content: str | bytes, shape: Shape = JSON) -> str:
    before = content if isinstance(content, bytes) else content.encode()
    return merging.merged(before, OURS, shape, "file").decode()


# ------------------------------------------------------------------------------------------- the places

LINUX, MAC = ".config", "Library/Application Support"
CLINE = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


@pytest.mark.parametrize(("platform", "support"), [("linux", LINUX), ("darwin", MAC), ("win32", "AppData/Roaming")])
def test_every_client_has_its_place_on_each_system(home: Path, platform: str, support: str) -> None:
    found = {each.name: each.file for each in mcp_clients.clients(platform)}
    assert tuple(found) == mcp_clients.NAMES
    assert {name: str(file.relative_to(home)) for name, file in found.items() if file} == {
        "claude-desktop": f"{support}/Claude/claude_desktop_config.json",
        "claude-code": ".claude.json",
        "cursor": ".cursor/mcp.json",
        "vscode": f"{support}/Code/User/mcp.json",
        "cline": ".cline/data/settings/cline_mcp_settings.json",
        "codex": ".codex/config.toml",
        "gemini-cli": ".gemini/settings.json",
    }
    assert not any(each.is_here for each in mcp_clients.clients(platform))


def test_variables_move_the_places_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, str(tmp_path / name))
    found = {each.name: each.file for each in mcp_clients.clients("linux")}
    assert found["vscode"] == tmp_path / "XDG_CONFIG_HOME" / "Code" / "User" / "mcp.json"
    assert found["claude-code"] == tmp_path / "CLAUDE_CONFIG_DIR" / ".claude.json"
    assert found["codex"] == tmp_path / "CODEX_HOME" / "config.toml"
    assert found["gemini-cli"] == tmp_path / "GEMINI_CLI_HOME" / ".gemini" / "settings.json"
    assert found["cline"] == tmp_path / "CLINE_MCP_SETTINGS_PATH"
    assert file_of(client("vscode", "win32")) == tmp_path / "APPDATA" / "Code" / "User" / "mcp.json"
    monkeypatch.delenv("CLINE_MCP_SETTINGS_PATH")
    assert file_of(client("cline")) == tmp_path / "CLINE_DATA_DIR" / "settings" / "cline_mcp_settings.json"


def test_a_relative_folder_in_a_variable_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = mcp_clients.clients()
    for name in VARIABLES:
        monkeypatch.setenv(name, ".")
    assert mcp_clients.clients() == usual


def test_a_relative_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "here")
    with pytest.raises(UsageError, match="home folder"):
        mcp_clients.clients("linux")


def test_an_older_cline_keeps_its_own_file_until_it_has_the_shared_one(home: Path) -> None:
    older = home / LINUX / "Code" / CLINE
    older.parent.mkdir(parents=True)
    assert file_of(client("cline")) == older
    (home / ".cline").mkdir()
    assert file_of(client("cline")) == home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    older.write_text("{}")
    assert file_of(client("cline")) == older


def test_a_packaged_claude_desktop_has_a_place_of_its_own(home: Path) -> None:
    plain = home / "AppData" / "Roaming" / "Claude" / "claude_desktop_config.json"
    package = home / "AppData" / "Local" / "Packages" / "Claude_0a1b"
    package.mkdir(parents=True)
    packaged = package / "LocalCache" / "Roaming" / "Claude" / "claude_desktop_config.json"
    assert file_of(client("claude-desktop", "win32")) == packaged
    plain.parent.mkdir(parents=True)
    plain.write_text("{}")
    assert file_of(client("claude-desktop", "win32")) == plain
    packaged.parent.mkdir(parents=True)
    packaged.write_text("{}")
    assert file_of(client("claude-desktop", "win32")) == packaged


# -------------------------------------------------------------------------------------------- the entry


def test_the_entry_names_everything_by_absolute_paths() -> None:
    server = mcp_clients.server("notes.sqlite", name="work", allow_write=True)
    assert os.path.isabs(server.command)
    assert server.args[-4:] == ("mcp", "-L", os.path.abspath("notes.sqlite"), "--allow-write")
    assert server.library == os.path.abspath("notes.sqlite")


def test_the_entry_is_the_script_beside_python_if_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert mcp_clients.server("a").args[:3] == ("-P", "-m", "yuanwen")
    script = tmp_path / ("yuanwen.exe" if os.name == "nt" else "yuanwen")
    script.touch(mode=0o755)
    assert (mcp_clients.server("a").command, mcp_clients.server("a").args[0]) == (str(script), "mcp")


def test_a_package_run_from_its_source_is_found_by_the_client_too(monkeypatch: pytest.MonkeyPatch) -> None:
    source = str(Path(mcp_clients.__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["elsewhere", source]))
    assert mcp_clients.server("a").env == {"PYTHONPATH": source}
    monkeypatch.delenv("PYTHONPATH")
    assert mcp_clients.server("a").env == {}


@pytest.mark.parametrize("name", ["", "a b", "原文", "a.b", "x" * 33, 'a"'])
def test_a_name_that_no_client_takes_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        mcp_clients.server("a", name=name)


@pytest.mark.parametrize("name", [name for name in mcp_clients.NAMES if name != "cherry-studio"])
def test_each_client_gets_the_entry_in_its_own_shape(home: Path, name: str) -> None:
    client(name).home.mkdir(parents=True)
    install(name)
    found = client(name)
    text = file_of(found).read_text("utf-8")
    table = (tomllib.loads(text) if name == "codex" else json.loads(text))[found.shape.table]
    typed = {"type": "stdio"} if name in ("claude-code", "vscode", "cline") else {}
    assert table == {"yuanwen": typed | {"command": OURS.command, "args": list(OURS.args), "env": {"A": "b"}}}
    assert found.shape.table == {"vscode": "servers", "codex": "mcp_servers"}.get(name, "mcpServers")
    assert mcp_clients.snippet(found, OURS) == text.rstrip()


# ------------------------------------------------------------------------------------------ JSON


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_others = st.dictionaries(st.text().filter(lambda name: name != "yuanwen"), _values, max_size=3)
_keys = st.text(max_size=12) | st.sampled_from(["mcpServers ", "a{", '"}', "servers"])
_objects = st.dictionaries(_keys.filter(lambda key: key != "mcpServers"), _values, max_size=4)


@st.composite
def configurations(draw: st.DrawFn) -> str:
    """Return the text of an object that may have servers, anywhere in it, written in any of the usual ways."""
    members = list(draw(_objects).items())
    if draw(st.booleans()):
        members.insert(draw(st.integers(0, len(members))), ("mcpServers", draw(_others)))
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    text = json.dumps(dict(members), indent=indent, ensure_ascii=draw(st.booleans()))
    text = text.replace('"mcpServers"', draw(st.sampled_from(['"mcpServers"', '"mcp\\u0053ervers"'])))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return draw(st.sampled_from(["", "\ufeff", " \n"])) + text + draw(st.sampled_from(["", "\n", "\r\n\r\n"]))


@given(configurations())
@example('{"mcpServers":{ }}')
@example('{"a": "\\ud800", "b": -0, "c": 1e999, "mcpServers": {"x": {"y": 12345678901234567890.10}}}')
@example('{\n\t"a": [{"mcpServers": {}}, "mcpServers"], "mcpServers": {\n}\n}')
def test_any_json_keeps_all_that_it_had(text: str) -> None:
    before = json.loads(text.removeprefix("\ufeff"))
    after = with_ours(text)
    found = json.loads(after.removeprefix("\ufeff"))
    ours = found["mcpServers"].pop("yuanwen")
    assert (ours["command"], ours["args"], ours["env"]) == (OURS.command, list(OURS.args), OURS.env)
    assert found == {"mcpServers": {}} | before
    assert list(found)[: len(before)] == list(before)
    assert merging.merged(after.encode(), OURS, JSON, "file").decode() == after
    assert is_inserted(text, after)


def is_inserted(before: str, after: str) -> bool:
    """Return whether the second text is the first with something put in at one place, white space apart."""
    old, new = (re.sub(r"[ \t\r\n]", "", text) for text in (before, after))
    same = next((at for at, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old))
    return any(new.endswith(old[at:]) for at in range(same + 1))


def test_what_was_written_by_hand_keeps_its_look() -> None:
    text = '{\r\n    "mcpServers": {\r\n        "b": { "args": ["x",  "y"] }\r\n    },\r\n    "n": 1.50\r\n}'
    assert with_ours(text) == text.replace(
        "] }\r\n",
        '] },\r\n        "yuanwen": {\r\n            "command": "/opt/程序/yuanwen",\r\n            "args": [\r\n'
        '                "mcp",\r\n                "-L",\r\n                "/home/a b/文\\"\\\\\x7f.sqlite"\r\n'
        '            ],\r\n            "env": {\r\n                "A": "b"\r\n            }\r\n        }\r\n',
    )
    assert "\n" not in with_ours('{"a": 1}')


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "{}", "{ }\n"])
def test_an_empty_configuration_becomes_a_readable_one(text: str) -> None:
    after = with_ours(text)
    assert after.lstrip("\ufeff").startswith('{\n  "mcpServers": {\n    "yuanwen": {\n      "command"')
    assert after.endswith("\n  }\n}" if text == "{}" else "\n  }\n}\n")
    assert after.startswith("\ufeff") == text.startswith("\ufeff")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{\n "a": 1,\n}', "line 3: this is not plain JSON"),
        (b'{\n "a": 1, // mine\n "b": 2}', "line 2: plain JSON has no comments"),
        (b"/* mine */ {}", "line 1: plain JSON has no comments"),
        (b'{"a": 1, "a": 2}', "has the key a twice"),
        (b'{"mcpServers": {"x": {"y": 1, "y": 1}}}', "has the key y twice"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b"[]", "not an object"),
        (b"5", "not an object"),
        (b'{"mcpServers": []}', "mcpServers is not a table"),
        (b'{"mcpServers": null}', "mcpServers is not a table"),
        (b'{"a": "\xff"}', "not UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8"),
        (b'{"a":' + b"[" * 100_000, "cannot be read"),
    ],
)
def test_a_broken_configuration_is_left_byte_for_byte_as_it_was(home: Path, content: bytes, why: str) -> None:
    file = cursor(home, content)
    with pytest.raises(Unreadable, match=re.escape(why)) as caught:
        install()
    assert str(file) in str(caught.value) and "by hand" in str(caught.value)
    assert file.read_bytes() == content
    assert os.listdir(file.parent) == ["mcp.json"]


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\/ \n1ae.-mcpServers').map(str.encode))
def test_no_bytes_make_it_fail_in_another_way(content: bytes) -> None:
    for shape in (JSON, TOML):
        with suppress(Unreadable, Refused):
            merging.merged(content, OURS, shape, "file")


# ------------------------------------------------------------------------------------------------ TOML

PIECES = (
    "# 注释 [mcp_servers.yuanwen]",
    'model = "o"\nmcp_servers.third.command = "dotted"',
    '[mcp_servers.other]\ncommand = "npx"\nargs = ["-y",\n  "x"]',
    '[mcp_servers.other.env]\nKEY = """\n[mcp_servers.yuanwen]\n"""',
    "[[profiles]]\nx = nan\ny = 1979-05-27T07:32:00Z\n[[profiles]]\nx = -inf",
    "[a.b]\n'c d' = '''\n\\'''\ne.f = { g = 0x1F, h = [1.50] }",
)


@given(st.lists(st.sampled_from(PIECES), unique=True).map(sorted), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_any_toml_keeps_all_that_it_had(pieces: list[str], newline: str, marked: bool) -> None:
    pieces.sort(key=lambda piece: piece.startswith("["))
    for ending in ("", "\n", "\n\n"):
        text = "\ufeff" * marked + ("\n\n".join(pieces) + ending).replace("\n", newline)
        try:
            before = tomllib.loads(text.removeprefix("\ufeff"), parse_float=str)
        except tomllib.TOMLDecodeError:  # a table that was closed by a dotted key
            continue
        after = with_ours(text, TOML)
        found = tomllib.loads(after.removeprefix("\ufeff"), parse_float=str)
        ours = found["mcp_servers"].pop("yuanwen")
        assert ours == {"command": OURS.command, "args": list(OURS.args), "env": OURS.env}
        assert found == {"mcp_servers": {}} | before
        assert after.startswith(text)
        assert with_ours(after, TOML) == after


def test_the_table_of_toml_stands_apart_from_what_is_before() -> None:
    entry = "\n".join(merging.snippet(OURS, TOML).splitlines()) + "\n"
    assert with_ours("a = 1", TOML) == f"a = 1\n\n{entry}"
    assert with_ours("a = 1\n\n", TOML) == f"a = 1\n\n{entry}"
    assert with_ours("", TOML) == entry


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('a = 1\nb = "', "line 2: this is not TOML"),
        ("a = 1\na = 2", "line 2: this is not TOML"),
        ("mcp_servers = { other = { command = 'x' } }", "nothing can be added to mcp_servers"),
        ("[[mcp_servers]]", "mcp_servers is not a table"),
    ],
)
def test_broken_and_closed_toml_is_left_as_it_was(home: Path, text: str, why: str) -> None:
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(Unreadable, match=re.escape(why)):
        install("codex")
    assert file.read_text() == text


# --------------------------------------------------------------------------------- what is there already


def test_an_entry_that_the_program_has_added_to_is_still_ours(home: Path) -> None:
    entry = {"type": "stdio", "command": OURS.command, "args": list(OURS.args), "env": OURS.env, "disabled": True}
    text = json.dumps({"mcpServers": {"yuanwen": entry}})
    cursor(home, text)
    assert mcp_clients.change(client("cursor"), OURS).is_made
    assert with_ours(text) == text


@pytest.mark.parametrize(
    "there",
    [
        {"command": "other", "args": list(OURS.args), "env": OURS.env},
        {"command": OURS.command, "args": [], "env": OURS.env},
        {"command": OURS.command, "args": list(OURS.args), "env": {}},
        {"type": "sse", "command": OURS.command, "args": list(OURS.args), "env": OURS.env},
        {"url": "http://x", "headers": {"Authorization": "secret"}},
        {"command": 5, "args": "no list"},
        {},
        None,
    ],
)
def test_another_entry_of_the_same_name_is_never_overwritten(home: Path, there: Any) -> None:
    text = json.dumps({"mcpServers": {"yuanwen": there}})
    file = cursor(home, text)
    with pytest.raises(Refused, match="--name") as caught:
        install()
    assert "secret" not in str(caught.value)
    assert file.read_text() == text
    install(server=Server(name="second", command="c"))
    assert list(json.loads(file.read_text())["mcpServers"]) == ["yuanwen", "second"]


def test_the_servers_of_ours_are_told_from_others(home: Path) -> None:
    assert mcp_clients.installed(client("cursor")) == ()
    entries = {
        "a": {"command": "/bin/yuanwen", "args": ["mcp", "-L", "/a.sqlite"]},
        "b": {"command": "C:\\Scripts\\YUANWEN.exe", "args": ["--library=/b.sqlite", "mcp"]},
        "c": {"command": "/bin/python", "args": ["-P", "-m", "yuanwen", "mcp"], "env": {"KEY": "secret"}},
        "d": {"command": "npx", "args": ["mcp", "yuanwen"]},
        "e": {"command": "yuanwen", "args": ["serve"]},
        "f": {"url": "http://x"},
        "g": [],
        "h": {"command": "yuanwen", "args": "mcp"},
    }
    cursor(home, json.dumps({"mcpServers": entries}))
    found = mcp_clients.installed(client("cursor"))
    assert [(each.name, each.library) for each in found] == [("a", "/a.sqlite"), ("b", "/b.sqlite"), ("c", "")]
    assert "secret" not in str(found)


# ------------------------------------------------------------------------------------------ the writing


def test_nothing_is_written_before_the_change_is_made(home: Path) -> None:
    file = cursor(home)
    change = mcp_clients.change(client("cursor"), OURS)
    assert not file.exists() and not change.is_made
    mcp_clients.make(change)
    assert file.read_bytes() == change.after
    assert os.listdir(file.parent) == ["mcp.json"]


def test_a_program_that_is_not_here_gets_no_folder(home: Path) -> None:
    with pytest.raises(NotFound, match="Cursor is not on this machine"):
        install()
    assert os.listdir(home) == []


def test_two_installations_equal_one(home: Path) -> None:
    file = cursor(home, '{"a": 1}')
    install()
    once, at = file.read_bytes(), file.stat().st_mtime_ns
    install()
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (once, at)


def test_a_file_that_changed_meanwhile_is_not_clobbered(home: Path) -> None:
    for before in (None, "{}"):
        file = cursor(home, before)
        change = mcp_clients.change(client("cursor"), OURS)
        file.write_text('{"mine": 1}')
        with pytest.raises(Busy, match="Run it again"):
            mcp_clients.make(change)
        assert file.read_text() == '{"mine": 1}'
        assert os.listdir(file.parent) == ["mcp.json"]
        file.unlink()


@pytest.mark.skipif(os.name != "posix", reason="permissions and links are those of POSIX")
def test_permissions_and_links_stay(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    file = cursor(home)
    file.symlink_to(real)
    install()
    assert file.is_symlink() and "yuanwen" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert os.listdir(real.parent) == ["cursor.json"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is closed to root")
def test_a_file_that_is_closed_to_writing_is_not_replaced(home: Path) -> None:
    file = cursor(home, "{}")
    file.chmod(0o444)
    with pytest.raises(PermissionError):
        install()
    assert file.read_text() == "{}"


def test_configurations_in_the_working_folder_are_left_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Path.cwd()
    for name in (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".codex/config.toml", ".gemini/settings.json"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("not read")
    for name in VARIABLES:
        monkeypatch.setenv(name, "." if "PATH" not in name else "./.mcp.json")
    for name in mcp_clients.NAMES:
        found = client(name)
        assert not found.is_here and mcp_clients.installed(found) == ()
        if found.file is not None:
            found.home.mkdir(parents=True)
            install(name)
            assert home in found.file.parents
    assert {path.read_text() for path in project.rglob("*.*") if path.is_file()} == {"not read"}
