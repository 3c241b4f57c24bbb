"""Which programs of this machine can start the server, where each of them keeps its servers, and what goes in there.

Folders come from the environment and the home folder alone, and only where they are absolute: nothing is read from
or written to a configuration in the folder that somebody happens to work in.
"""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from yuanwen import disk
from yuanwen.errors import NotFound, Unreadable, UsageError
from yuanwen.mcp_clients import merging, replacing
from yuanwen.mcp_clients.merging import Server, Shape

__all__ = ["NAMES", "Change", "Client", "Server", "change", "clients", "installed", "make", "server", "snippet"]

NAMES = ("claude-desktop", "claude-code", "cursor", "vscode", "cherry-studio", "cline", "codex", "gemini-cli")

_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")  # what every client takes, and leaves room for the names of tools
_PLAIN, _TYPED = Shape(), Shape(typed=True)


@dataclass(frozen=True, kw_only=True)
class Client:
    """A program that starts servers. `home` is a folder that is there where the program is.

    `file` is its configuration; None where that is not for others to write, and entries are pasted in.
    """

    name: str
    title: str
    home: Path
    file: Path | None
    shape: Shape

    @property
    def is_here(self) -> bool:
        """Whether the program is on this machine, by what it leaves there when it is first started."""
        return os.path.exists(self.home) or (self.file is not None and os.path.exists(self.file))


@dataclass(frozen=True, kw_only=True)
class Change:
    """What installing a server does to the configuration of a client: its bytes before (None: no file) and after."""

    client: Client
    server: Server
    file: Path
    before: bytes | None
    after: bytes

    @property
    def is_made(self) -> bool:
        """Whether there is nothing to do."""
        return self.before == self.after


def clients(platform: str = sys.platform) -> tuple[Client, ...]:
    """Return the clients in the order of NAMES, with their places on this machine."""
    home, support = _home(), _support(platform)
    code, cursor = support / "Code", home / ".cursor"
    codex = _folder("CODEX_HOME") or home / ".codex"
    gemini = (_folder("GEMINI_CLI_HOME") or home) / ".gemini"
    cherry = support / "CherryStudio"
    in_code, in_codex = Shape(table="servers", typed=True), Shape(format="TOML", table="mcp_servers")
    return (
        _client("claude-desktop", "Claude Desktop", _PLAIN, *_claude_desktop(home, support, platform)),
        _client("claude-code", "Claude Code", _TYPED, _claude_code(home)),
        _client("cursor", "Cursor", _PLAIN, (cursor, cursor / "mcp.json")),
        _client("vscode", "Visual Studio Code", in_code, (code, code / "User" / "mcp.json")),
        Client(name="cherry-studio", title="Cherry Studio", home=cherry, file=None, shape=_TYPED),
        _client("cline", "Cline", _TYPED, *_cline(home, code)),
        _client("codex", "Codex", in_codex, (codex, codex / "config.toml")),
        _client("gemini-cli", "Gemini CLI", _PLAIN, (gemini, gemini / "settings.json")),
    )


def server(library: str, *, name: str = "yuanwen", allow_write: bool = False) -> Server:
    """Return the server of a library, started so that it needs no PATH and no working folder. Raises UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            "{name} cannot be the name of a server",
            hint="Take up to 32 letters, digits, - and _ for it.",
            name=ascii(name),
        )
    command, *start = _started()
    args = (*start, "mcp", "-L", disk.absolute(library), *(["--allow-write"] if allow_write else []))
    return Server(name=name, command=command, args=args, env=_variables())


def snippet(client: Client, server: Server) -> str:
    """Return the entry as it stands in the configuration of a client."""
    return merging.snippet(server, client.shape)


def installed(client: Client) -> tuple[Server, ...]:
    """Return the servers of ours that a client has. Raises Unreadable."""
    try:
        content = replacing.read(str(client.file)) if client.file is not None else None
    except OSError as error:
        what = "{path} cannot be read: {cause}"
        raise Unreadable(what, hint=merging.BY_HAND, path=client.file, cause=error.strerror) from error
    found = merging.servers(content, client.shape, str(client.file)) if content is not None else {}
    return tuple(_ours(found))


def change(client: Client, server: Server) -> Change:
    """Return what installing a server into a client would do.

    Raises NotFound for a client that is not there, Unreadable for a configuration that cannot be read, and Refused
    where it has another server of that name.
    """
    assert client.file is not None, "its entries are pasted in"
    if not client.is_here:
        raise NotFound(
            "{title} is not on this machine: there is no {home}",
            hint="Nothing was written. Start it once, or put the entry in by hand where it keeps its servers.",
            title=client.title,
            home=client.home,
        )
    before = replacing.read(str(client.file))
    after = merging.merged(before or b"", server, client.shape, str(client.file))
    return Change(client=client, server=server, file=client.file, before=before, after=after)


def make(change: Change) -> None:
    """Write a configuration. Raises Busy where another program has changed it meanwhile, OSError."""
    if not change.is_made:
        replacing.replace(str(change.file), change.before, change.after)


# ------------------------------------------------------------------------------------------- the entry


def _started() -> tuple[str, ...]:
    """Return the command that runs this program, by its absolute path.

    -P keeps the working folder, which a client may set to that of a project, from being searched for modules.
    """
    python = disk.absolute(sys.executable)
    script = os.path.join(os.path.dirname(python), "yuanwen.exe" if os.name == "nt" else "yuanwen")
    return (script,) if os.access(script, os.X_OK) else (python, "-P", "-m", "yuanwen")


def _variables() -> dict[str, str]:
    """Return the variable without which Python would not find a package that is run from its source."""
    source = str(Path(__file__).parents[2])
    on_path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {"PYTHONPATH": source} if source in map(os.path.abspath, filter(None, on_path)) else {}


def _ours(found: dict[str, object]) -> Iterator[Server]:
    """Yield those entries of a configuration that start this program."""
    for name, entry in found.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
            continue
        command, args = entry["command"], entry.get("args")
        args = tuple(map(str, args)) if isinstance(args, list) else ()
        program = re.split(r"[/\\]", command)[-1].lower().removesuffix(".exe")
        if "mcp" in args and (program in ("yuanwen", "yw") or ("-m", "yuanwen") in pairwise(args)):
            yield Server(name=name, command=command, args=args)


# ------------------------------------------------------------------------------------------ the places


def _client(name: str, title: str, shape: Shape, *places: tuple[Path, Path]) -> Client:
    """Return a client with the first of its places that has a file, else the first that has a folder."""
    home, file = next(
        (place for place in places if os.path.exists(place[1])),
        next((place for place in places if os.path.exists(place[0])), places[0]),
    )
    return Client(name=name, title=title, home=home, file=file, shape=shape)


def _claude_desktop(home: Path, support: Path, platform: str) -> Iterator[tuple[Path, Path]]:
    """Yield the places of Claude Desktop. Windows keeps the files of a packaged program where it alone looks."""
    name = "claude_desktop_config.json"
    if platform == "win32":
        local = _folder("LOCALAPPDATA") or home / "AppData" / "Local"
        for package in sorted(local.glob("Packages/Claude_*")):
            yield package, package / "LocalCache" / "Roaming" / "Claude" / name
    yield support / "Claude", support / "Claude" / name


def _claude_code(home: Path) -> tuple[Path, Path]:
    """Return the place of what Claude Code has for all projects: beside its folder, or within the one that is set."""
    chosen = _folder("CLAUDE_CONFIG_DIR")
    return chosen or home / ".claude", (chosen or home) / ".claude.json"


def _cline(home: Path, code: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the places of Cline: the one that its editions share, then that of its older extension."""
    name = "cline_mcp_settings.json"
    chosen = _folder("CLINE_MCP_SETTINGS_PATH")
    if chosen:
        yield chosen.parent, chosen
        return
    folder = _folder("CLINE_DIR") or home / ".cline"
    data = _folder("CLINE_DATA_DIR")
    yield data or folder, (data or folder / "data") / "settings" / name
    extension = code / "User" / "globalStorage" / "saoudrizwan.claude-dev"
    yield extension, extension / "settings" / name


def _support(platform: str) -> Path:
    """Return the folder in which programs of a desktop keep their settings."""
    if platform == "win32":
        return _folder("APPDATA") or _home() / "AppData" / "Roaming"
    if platform == "darwin":
        return _home() / "Library" / "Application Support"
    return _folder("XDG_CONFIG_HOME") or _home() / ".config"


def _home() -> Path:
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():
        raise UsageError("cannot tell where your home folder is", hint="Set the variable HOME to it.")
    return home


def _folder(variable: str) -> Path | None:
    """Return the folder that a variable names. One that is not absolute would depend on the working folder."""
    named = os.environ.get(variable, "").strip()
    return Path(named) if os.path.isabs(named) else None
