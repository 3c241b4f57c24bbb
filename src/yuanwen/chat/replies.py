"""The bytes of a chat completion, streamed or whole -> what the model wrote, and how it ended. Pure.

The protocol is OpenAI's, as other servers speak it: what they add or leave out is taken as it comes.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

Finish = Literal["complete", "cut_off", "refused"]
Json = dict[str, Any]

LONGEST_REPLY = 200_000  # characters; what is longer runs away
LARGEST_BODY = 16 << 20  # bytes; of which an event takes a fraction
SHOWN = 200  # characters of a foreign text that an error quotes

# The reasons of OpenAI, Mistral, DeepSeek and Zhipu to end before the answer does; any other is its end.
_FINISH: dict[str, Finish] = {
    **dict.fromkeys(("length", "max_tokens", "model_length"), "cut_off"),
    **dict.fromkeys(("insufficient_system_resource", "network_error"), "cut_off"),
    **dict.fromkeys(("content_filter", "sensitive", "refusal"), "refused"),
}
_STREAM = (b"", *(bytes([each]) for each in b":deir"))  # a comment, data, event, id, retry
_DONE: Json = {"choices": [{"finish_reason": "stop"}]}  # what [DONE] says, where nothing has said it before
_THOUGHT = re.compile(r"\A\s*<(think|thinking)>.*?(?:</\1>|\Z)|\A(?:(?!<think).)*?^</think(?:ing)?>\s*$", re.S | re.M)
_ALIVE = ("reasoning_content", "reasoning", "tool_calls")  # what a model writes that is not its answer


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What a model wrote, without its thoughts; of one that refused, its reason if it gave one."""

    text: str
    finish: Finish
    model: str


class Foreign(Exception):
    """A body that is not of the protocol; its argument is how it begins."""


class Draft:
    """What has arrived of a reply so far."""

    def __init__(self) -> None:
        self.model = ""
        self.length = 0
        self.is_reply = False
        self._pieces: list[str] = []
        self._refusal: list[str] = []
        self._reason = ""

    def take(self, document: Json) -> str | None:
        """Add a document of the body; return the text it brings, "" if only thoughts, None if neither."""
        self.model = _text(document.get("model")) or self.model
        choices = document.get("choices")
        if not isinstance(choices, list):
            return None
        self.is_reply = True
        choice = next((_object(each) for each in choices if _object(each).get("index", 0) == 0), {})
        said = _object(choice.get("delta")) or _object(choice.get("message"))
        piece = _text(said.get("content")) or _text(choice.get("text"))
        refusal = _text(said.get("refusal"))
        self._pieces.append(piece)
        self._refusal.append(refusal)
        self.length += len(piece) + len(refusal)
        self._reason = self._reason or _text(choice.get("finish_reason")) or ("stop" if "message" in choice else "")
        return piece or refusal or ("" if any(map(said.get, _ALIVE)) else None)

    @property
    def is_too_long(self) -> bool:
        """Whether there is more than anybody will read."""
        return self.length > LONGEST_REPLY

    @property
    def has_ended(self) -> bool:
        """Whether the server has said that the reply is over."""
        return bool(self._reason)

    def reply(self, model: str) -> Reply:
        """Return what there is; one that has not ended is cut off. `model` was asked, if the server does not say."""
        refusal = "".join(self._refusal)
        finish = _FINISH.get(self._reason, "complete") if self.has_ended else "cut_off"
        refused = bool(refusal) or finish == "refused"
        return Reply(
            text=_mended(refusal if refused else without_thoughts("".join(self._pieces)[:LONGEST_REPLY])),
            finish="refused" if refused else finish,
            model=self.model or model,
        )


def documents(chunks: Iterable[bytes]) -> Iterator[Json]:
    """Yield the objects in the body of a reply: each event of a stream, or the one document. Raises Foreign."""
    chunks = _bounded(chunks)
    first = next((chunk for chunk in chunks if chunk.strip()), b"").removeprefix(b"\xef\xbb\xbf").lstrip()
    body = chain([first], chunks)
    if first[:1] not in _STREAM:
        yield from _objects(b"".join(body))
        return
    for data in events(body):
        if data.strip() == b"[DONE]":
            yield _DONE
            return
        yield from _objects(data)


def events(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the data of each server-sent event, also of a last one that no blank line ends.

    HTML Standard, section 9.2.6; the names of events are not used.
    """
    data: list[bytes] = []
    for line in chain(_lines(chunks), [b""]):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data.clear()


def without_thoughts(text: str) -> str:
    """Return an answer without the thoughts in tags before it; their opening tag may be missing."""
    return _THOUGHT.sub("", text).strip()


def models(document: Json) -> list[str]:
    """Return the names of the models that a document lists."""
    listed = document.get("data")
    names = (_text(_object(each).get("id")) for each in (listed if isinstance(listed, list) else ()))
    return [name for name in names if name]


def problem(document: Json) -> tuple[int, str] | None:
    """Return the status and the words of an error that a document reports; status 0 where it has none."""
    error = document.get("error") or (
        None if "choices" in document else document.get("detail", document.get("message"))
    )
    if not error:
        return None
    about = error if isinstance(error, dict) else {"message": error}
    code = about.get("code")
    status = code if isinstance(code, int) else int(code) if isinstance(code, str) and code.isdecimal() else 0
    return status, _text(about.get("message")) or json.dumps(error, ensure_ascii=False)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = re.split(rb"\r\n|\n|\r(?!\n|\Z)", rest + chunk)
        yield from whole
    yield rest.rstrip(b"\r")


def _bounded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > LARGEST_BODY:
            raise Foreign(f"{LARGEST_BODY >> 20} MB, and more")
        yield chunk


def _objects(data: bytes) -> Iterator[Json]:
    """Yield the JSON objects of a text, of which a careless server may put several into one event."""
    text = data.decode("utf-8", "replace").strip()
    at = 0
    while at < len(text):
        try:
            found, at = json.JSONDecoder().raw_decode(text, at)
        except (ValueError, RecursionError):
            raise Foreign(shown(text)) from None
        if not isinstance(found, dict):
            raise Foreign(shown(text))
        yield found
        at += len(text[at:]) - len(text[at:].lstrip())


def shown(text: str) -> str:
    """Return the beginning of a foreign text, on one line."""
    line = " ".join(text[: 4 * SHOWN].split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Return a text, also one in parts, of which those that are not text are left out."""
    if isinstance(value, list):
        return "".join(_text(_object(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def _mended(text: str) -> str:
    """Return a text in which characters that came in two halves, in two pieces, are whole; a half alone is replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
