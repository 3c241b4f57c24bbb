"""What a client sent as the arguments of a tool -> values of the types that the tool wants.

Clients send "" or null for what they leave out, strings for numbers and lists, and names of their own. What cannot be
read is refused with the next step, and a name that no parameter has with the nearest that one has: a parameter that
was silently ignored would make the answer wrong.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal

from yuanwen import analysis
from yuanwen.errors import UsageError
from yuanwen.mcp_server.reply import flat

Value = str | int | tuple[str, ...]

_NOTHING = ("null", "none", "undefined")  # what some clients write, as a string, for a choice or number left out
_SHOWN = 60  # characters of a value that an error repeats


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter of a tool. It is required if it has no default; `expected` is one that only seldom may be left out.

    `kind`: text of at most `most` characters; a whole number from `least` to `most`; a list of strings; or one of
    `choices`.
    """

    name: str
    kind: Literal["text", "number", "list", "choice"]
    description: str
    default: Value | None = None
    expected: bool = False
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 10_000

    @cached_property
    def known_as(self) -> tuple[str, ...]:
        """Its name and its aliases, as names are compared."""
        return tuple(map(_plain, (self.name, *self.aliases)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the parameter, of keywords that every client knows."""
        shape: dict[str, Any] = {"description": self.description}
        if self.kind == "number":
            shape |= {"type": "integer", "minimum": self.least, "maximum": self.most}
        elif self.kind == "list":
            shape |= {"type": "array", "items": {"type": "string"}}
        else:
            shape |= {"type": "string"}
        if self.choices:
            shape["enum"] = list(self.choices)
        if self.default is not None and not self.expected:
            shape["default"] = list(self.default) if isinstance(self.default, tuple) else self.default
        return shape


def schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of a tool."""
    return {
        "type": "object",
        "properties": {each.name: each.schema() for each in parameters},
        "required": [each.name for each in parameters if each.default is None or each.expected],
        "additionalProperties": False,
    }


def read(tool: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a value for each parameter, and notes on what was not taken as it was sent.

    Raises UsageError for an unknown parameter, a value that cannot be read, two values for one parameter, or one that
    is required and missing.
    """
    known = {name: each for each in parameters for name in each.known_as}
    values: dict[str, Any] = {}
    notes: list[str] = []
    for name, value in given.items():
        parameter = known.get(_plain(name))
        if parameter is None:
            raise _unknown(tool, name, parameters, known)
        found = _read(parameter, value, notes)
        if found is None:
            continue
        if parameter.kind == "text" and len(str(found)) > parameter.most:
            what, hint = "{name} has {n} characters", "It takes {most} at most."
            raise UsageError(what, hint=hint, name=parameter.name, n=len(str(found)), most=parameter.most)
        if values.setdefault(parameter.name, found) != found:
            raise UsageError("{name} is given twice, with two values", hint="Give it once.", name=parameter.name)
    for parameter in parameters:
        if parameter.name in values:
            continue
        if parameter.default is None:
            raise UsageError(
                "{tool} needs {name}",
                hint="It is {meaning}",
                tool=tool,
                name=parameter.name,
                meaning=_meaning(parameter),
            )
        values[parameter.name] = parameter.default
    return values, notes


def whole(value: Any) -> Any:
    """Return what a client sent with half characters replaced, which no reply could hold."""
    if isinstance(value, str):
        return analysis.whole(value)
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {whole(name): whole(each) for name, each in value.items()}
    return value


def _plain(name: str) -> str:
    """Return a name as it is compared: `topK`, `top-k` and `top_k` are one."""
    return name.lower().replace("_", "").replace("-", "").strip()


def _unknown(tool: str, name: str, parameters: Sequence[Parameter], known: Mapping[str, Parameter]) -> UsageError:
    near = get_close_matches(_plain(name), known, 1)
    names = ", ".join(each.name for each in parameters)
    if near:
        return UsageError(
            "{tool} has no parameter {name}",
            hint="Did you mean {near}? It takes: {names}",
            tool=tool,
            name=flat(name, _SHOWN),
            near=known[near[0]].name,
            names=names,
        )
    return UsageError(
        "{tool} has no parameter {name}", hint="It takes: {names}", tool=tool, name=flat(name, _SHOWN), names=names
    )


def _read(parameter: Parameter, value: Any, notes: list[str]) -> Value | None:
    """Return a value as the parameter wants it; None if it says that none is given."""
    if value is None or value == "" or value == [] or value == {}:
        return None
    if isinstance(value, str) and parameter.kind in ("number", "choice"):
        value = value.strip()
        if not value or value.lower() in _NOTHING:
            return None
    if parameter.kind == "list":
        return _list(parameter, value)
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        return _read(parameter, value[0], notes)
    if parameter.kind == "number":
        return _number(parameter, value, notes)
    text = _text(value)
    if text is None:
        raise _refused(parameter, value, "a string")
    return _choice(parameter, text) if parameter.kind == "choice" else text


def _text(value: Any) -> str | None:
    """Return a string or a number as a string; None for anything else, and for a number of thousands of digits."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        return str(value)
    except ValueError:
        return None


def _number(parameter: Parameter, value: Any, notes: list[str]) -> int:
    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError
        number = int(value) if isinstance(value, int) else float(value)
        whole = int(number)
    except (ValueError, OverflowError):
        raise _refused(parameter, value, "a whole number") from None
    if whole != number:
        raise _refused(parameter, value, "a whole number")
    kept = min(max(whole, parameter.least), parameter.most)
    if kept != whole:
        notes.append(f"{parameter.name} goes from {parameter.least} to {parameter.most}: {kept} was used")
    return kept


def _list(parameter: Parameter, value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None  # a quotation may begin with a bracket
        value = parsed if isinstance(parsed, list) else value
    items = [_text(item) for item in (value if isinstance(value, list) else [value]) if item is not None]
    if None in items:
        raise _refused(parameter, value, "a list of strings")
    return tuple(filter(None, items)) or None


def _choice(parameter: Parameter, value: str) -> str:
    if value.lower() in parameter.choices:
        return value.lower()
    near = get_close_matches(value.lower(), parameter.choices, 1)
    raise UsageError(
        "{name} cannot be {value}",
        hint="Did you mean {near}? It is one of: {names}" if near else "It is one of: {names}",
        name=parameter.name,
        value=flat(value, _SHOWN),
        near=near[0] if near else "",
        names=", ".join(parameter.choices),
    )


def _refused(parameter: Parameter, value: Any, wanted: str) -> UsageError:
    return UsageError(
        "{name} has to be {wanted}, and is {value}",
        hint="It is {meaning}",
        name=parameter.name,
        wanted=wanted,
        value=_shown(value),
        meaning=_meaning(parameter),
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and _text(value) is None:
        return "too large"
    return flat(json.dumps(value, ensure_ascii=False), _SHOWN)


def _meaning(parameter: Parameter) -> str:
    return parameter.description[:1].lower() + parameter.description[1:]
