"""The text of a configuration -> the same text with one more server in it, and not a byte of the rest changed."""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from yuanwen.errors import Refused, Unreadable

BY_HAND = "Nothing was written. Mend the file, or put the entry in by hand."

_BOM = b"\xef\xbb\xbf"
_SPACE = " \t\r\n"  # the white space of JSON, RFC 8259, section 2
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How a program writes down its servers: in which table, and whether each of them says that it is `typed` stdio."""

    format: Literal["JSON", "TOML"] = "JSON"
    table: str = "mcpServers"
    typed: bool = False


@dataclass(frozen=True, kw_only=True)
class Server:
    """A server as an entry names it: how it is started."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The library that the arguments name; nothing where they name none."""
        for at, each in enumerate(self.args):
            if each.startswith("--library="):
                return each.partition("=")[2]
            if each in ("-L", "--library"):
                return "".join(self.args[at + 1 : at + 2])
        return ""


def merged(content: bytes, server: Server, shape: Shape, path: str) -> bytes:
    """Return a configuration with the server in it; the same bytes where it is there already.

    Raises Unreadable for one that cannot be read, and Refused where another server has that name.
    """
    text = _text(content, path)
    before, there = _parsed(text, shape, path), servers(content, shape, path)
    if server.name in there:
        if not _is(there[server.name], server):
            raise Refused(
                "{path} has another server under the name {name}: {command}",
                hint="Nothing was written. Choose another name with --name, or take that one out first.",
                path=path,
                name=server.name,
                command=_told(there[server.name]),
            )
        return content
    after = (_in_json if shape.format == "JSON" else _in_toml)(text, server, shape)
    wanted = before | {shape.table: there | {server.name: _value(server, shape)}}
    try:
        fits = _parsed(after, shape, path) == wanted
    except Unreadable:  # TOML with a table that is closed: written in braces
        fits = False
    if not fits:
        raise Unreadable("{path}: nothing can be added to {table}", hint=BY_HAND, path=path, table=shape.table)
    return (_BOM if content.startswith(_BOM) else b"") + after.encode()


def servers(content: bytes, shape: Shape, path: str) -> dict[str, Any]:
    """Return the servers that a configuration names, as they stand there. Raises Unreadable."""
    table = _parsed(_text(content, path), shape, path).get(shape.table, {})
    if not isinstance(table, dict):
        raise Unreadable("{path}: {table} is not a table of servers", hint=BY_HAND, path=path, table=shape.table)
    return table


def snippet(server: Server, shape: Shape) -> str:
    """Return the entry within its table, as a person would paste it into an empty file."""
    if shape.format == "TOML":
        return "\n".join(_toml_lines(server, shape))
    return json.dumps({shape.table: {server.name: _value(server, shape)}}, indent=2, ensure_ascii=False)


def _value(server: Server, shape: Shape) -> dict[str, Any]:
    value: dict[str, Any] = {"type": "stdio"} if shape.typed else {}
    value |= {"command": server.command, "args": list(server.args)}
    return value | ({"env": server.env} if server.env else {})


def _is(found: object, server: Server) -> bool:
    """Return whether an entry starts this server, whatever else the program has noted there of its own."""
    return isinstance(found, dict) and (
        found.get("type", "stdio"), found.get("command"), found.get("args") or [], found.get("env") or {},
    ) == ("stdio", server.command, list(server.args), server.env)  # fmt: skip


def _told(found: object) -> str:
    """Return what an entry starts. What it hands over in variables and headers may be secret, and stays out."""
    if not isinstance(found, dict):
        return json.dumps(found, ensure_ascii=False)
    args = found.get("args")
    words = [found.get("command") or found.get("url") or found.get("httpUrl") or "…"]
    return " ".join(map(str, words + (args if isinstance(args, list) else [])))


# ---------------------------------------------------------------------------------------------- reading


def _text(content: bytes, path: str) -> str:
    try:
        return content.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise Unreadable("{path} is not UTF-8 text", hint=BY_HAND, path=path) from error


def _parsed(text: str, shape: Shape, path: str) -> dict[str, Any]:
    """Return what a configuration says, numbers as they are written. Raises Unreadable, which names the line."""
    try:
        found = tomllib.loads(text, parse_float=str) if shape.format == "TOML" else _json(text, path)
    except json.JSONDecodeError as error:
        what = "{path}, line {line}: this is not plain JSON"
        if text[error.pos :].lstrip(_SPACE).startswith(("//", "/*")):
            what = "{path}, line {line}: plain JSON has no comments"
        raise Unreadable(what, hint=BY_HAND, path=path, line=error.lineno) from error
    except tomllib.TOMLDecodeError as error:
        told = re.search(r"line (\d+)", str(error))
        line = int(told[1]) if told else text.count("\n") + 1
        raise Unreadable("{path}, line {line}: this is not TOML", hint=BY_HAND, path=path, line=line) from error
    except (ValueError, RecursionError) as error:
        what = "{path} cannot be read: {cause}"
        raise Unreadable(what, hint=BY_HAND, path=path, cause=str(error)) from error
    if not isinstance(found, dict):
        raise Unreadable("{path} is not an object of JSON", hint=BY_HAND, path=path)
    return found


def _json(text: str, path: str) -> Any:
    """Return what JSON says. Raises Unreadable where one program would read it differently from the next."""

    def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise Unreadable("{path} has the key {key} twice", hint=BY_HAND, path=path, key=key)
            found[key] = value
        return found

    def constant(name: str) -> NoReturn:
        raise Unreadable("{path}: {value} is not JSON", hint=BY_HAND, path=path, value=name)

    if not text.strip(_SPACE):
        return {}
    return json.loads(text, object_pairs_hook=unique, parse_int=str, parse_float=str, parse_constant=constant)


# ---------------------------------------------------------------------------------------------- writing


def _in_json(text: str, server: Server, shape: Shape) -> str:
    """Return the text of an object with the entry put in behind what is there, indented as the rest is."""
    if not text.strip(_SPACE):
        text = "{}\n"
    value = _value(server, shape)
    braces = _braces(text, shape.table)
    if braces is None:
        root = text.index("{"), text.rindex("}")
        return _put(text, root, shape.table, {server.name: value})
    return _put(text, braces, server.name, value)


def _braces(text: str, key: str) -> tuple[int, int] | None:
    """Return where the object opens and closes that this key of the root has; None where the root has no such key."""
    depth = start = 0
    name = ""
    for token in _TOKEN.finditer(text):
        if token[0] in "{[":
            depth += 1
            if depth == 2 and name == key:
                start = token.start()
        elif token[0] in "}]":
            depth -= 1
            if depth == 1 and start:
                return start, token.start()
        elif depth == 1:
            name = json.loads(token[0])  # of what opens next, for a bracket follows its key
    return None


def _put(text: str, braces: tuple[int, int], name: str, value: object) -> str:
    """Return text with a member put at the end of the object between two braces."""
    opens, closes = braces[0] + 1, braces[1]
    inside = text[opens:closes]
    lines = "\n" in text.strip(_SPACE) or not text.strip("{}" + _SPACE)
    newline = "\r\n" if "\r\n" in text else "\n"
    indented = re.search(r"\n([ \t]+)\S", text)
    unit = indented[1] if indented else "  "

    def member(margin: str) -> str:
        block = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + margin)
        return f"{newline}{margin}{json.dumps(name)}: {block}"

    in_line = f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
    if not inside.strip(_SPACE):
        margin = text[:opens].rpartition("\n")[2]
        margin = margin[: len(margin) - len(margin.lstrip())]
        return text[:opens] + (member(margin + unit) + newline + margin if lines else in_line) + text[closes:]
    lead = inside[: len(inside) - len(inside.lstrip(_SPACE))]
    end = opens + len(inside.rstrip(_SPACE))
    return text[:end] + "," + (member(lead.rpartition("\n")[2]) if "\n" in lead else " " + in_line) + text[end:]


def _in_toml(text: str, server: Server, shape: Shape) -> str:
    """Return the text of a TOML file with the table of the entry at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline if text and not text.endswith("\n") else ""
    if text.strip() and not re.search(r"\n\r?\n\Z", text):
        gap += newline
    return text + gap + "".join(line + newline for line in _toml_lines(server, shape))


def _toml_lines(server: Server, shape: Shape) -> list[str]:
    lines = [
        f"[{shape.table}.{server.name}]",
        f"command = {_quoted(server.command)}",
        f"args = [{', '.join(map(_quoted, server.args))}]",
    ]
    if server.env:
        pairs = (f"{_quoted(name)} = {_quoted(value)}" for name, value in server.env.items())
        lines.append(f"env = {{ {', '.join(pairs)} }}")
    return lines


def _quoted(text: str) -> str:
    """Return a basic string of TOML: that of JSON, but that TOML wants DEL escaped as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
