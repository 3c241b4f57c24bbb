"""A conversation -> the reply of a language model, over HTTP."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from yuanwen.chat import replies
from yuanwen.chat.endpoint import Endpoint
from yuanwen.chat.line import RETRIES, Failed, Line, opened
from yuanwen.chat.replies import Draft, Foreign, Json, Reply
from yuanwen.chat.trouble import is_passing

if TYPE_CHECKING:
    import httpx2

OPTIONS: Json = {"temperature": 0, "stream": True}

OnText = Callable[[str], None]


class Message(TypedDict):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


def reply(endpoint: Endpoint, messages: Sequence[Message], on_text: OnText | None = None) -> Reply:
    """Return the reply to a conversation; `on_text` is told each piece as it comes, "" when it starts anew.

    What was cut off on its way is asked for once more, then returned as it is. Raises Unavailable where there is no
    reply, UsageError where the address, the model or the key is not right.
    """
    failures = 0
    on_text = on_text or _ignored
    with opened(endpoint, OPTIONS) as line:
        model = endpoint.model or line.only_model()
        while True:
            try:
                return _reply(line, model, messages, on_text)
            except Failed as failed:
                failures += 1
                if failed.wait is None or failures > (1 if failed.partial else RETRIES):
                    if failed.partial:
                        return failed.partial
                    raise failed.error from None
                time.sleep(endpoint.patience.pause(failed.wait, failures))
                on_text("")


def _ignored(piece: str) -> None:
    """Do nothing with a piece of text."""


def _reply(line: Line, model: str, messages: Sequence[Message], on_text: OnText) -> Reply:
    """Return the reply. Raises Failed."""
    draft = Draft()
    try:
        with line.sent("chat/completions", {"model": model, "messages": list(messages)}) as response:
            _read(line, response, draft, on_text)
    except Foreign as foreign:
        raise Failed(line.trouble.foreign(str(foreign)), partial=_partial(draft, model)) from None
    except Failed as failed:
        if draft.has_ended:
            pass  # what broke after the end does not matter
        elif failed.partial is None and draft.length:
            raise Failed(failed.error, failed.wait, _partial(draft, model)) from None
        else:
            raise
    if not draft.is_reply:
        raise Failed(line.trouble.foreign(""))
    if not draft.has_ended and not draft.is_too_long:
        raise Failed(line.trouble.broken("it has no end"), 0, _partial(draft, model))
    found = draft.reply(model)
    if not found.text and found.finish != "refused":
        raise Failed(line.trouble.empty(model))
    return found


def _read(line: Line, response: "httpx2.Response", draft: Draft, on_text: OnText) -> None:
    """Take in a reply to its end. Raises Failed, also where nothing new comes, whatever else comes."""
    alive = time.monotonic()

    def watched() -> Iterator[bytes]:
        for chunk in response.iter_bytes():
            if time.monotonic() - alive > line.silence:
                raise Failed(line.trouble.silent())
            yield chunk

    with line.reading():
        for document in replies.documents(watched()):
            reported = replies.problem(document)
            if reported:
                status, problem = reported
                again = 0 if draft.length or is_passing(status) else None
                raise Failed(line.trouble.refused(status, problem), again)
            piece = draft.take(document)
            if piece is not None:
                alive = time.monotonic()
            if piece:
                on_text(piece)
            if draft.is_too_long:
                return


def _partial(draft: Draft, model: str) -> Reply | None:
    """Return what has come of a reply, if it is any of the answer."""
    found = draft.reply(model)
    return found if found.text else None
