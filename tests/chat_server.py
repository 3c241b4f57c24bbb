"""A real HTTP server that speaks OpenAI's chat protocol, and says what a test has it say, turn by turn."""

import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

Json = dict[str, Any]

PAUSE = 0.02  # seconds between two signs of life of a server that says nothing


@dataclass(frozen=True)
class Turn:
    """One response: its parts are sent one by one; then it ends, breaks off, or hangs until the server is closed."""

    parts: tuple[bytes, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    then: Literal["ends", "breaks", "hangs"] = "ends"
    alive: bytes = b""  # what is sent again and again while it hangs
    pace: float = 0  # seconds between two parts


@dataclass(frozen=True)
class Request:
    """What came in. The names of headers are in lower case."""

    path: str
    headers: dict[str, str]
    body: Json


def chunk(delta: Json, finish: str | None = None, **more: Any) -> Json:
    """Return one document of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "model": "small-1", "choices": [choice]} | more


def event(document: Json) -> bytes:
    """Return a document as an event."""
    return b"data: " + json.dumps(document, ensure_ascii=False).encode() + b"\n\n"


def stream(*pieces: str, finish: str | None = "stop", done: bool = True) -> Turn:
    """Return a turn that streams pieces of text, as most servers do."""
    documents = [chunk({"role": "assistant", "content": None}), *(chunk({"content": piece}) for piece in pieces)]
    if finish:
        documents.append(chunk({}, finish, usage={"prompt_tokens": 7, "completion_tokens": len(pieces)}))
    parts = tuple(map(event, documents)) + ((b"data: [DONE]\n\n",) if done else ())
    return Turn(parts, headers={"Content-Type": "text/event-stream"})


def broken(*pieces: str) -> Turn:
    """Return a turn whose connection is lost after these pieces."""
    return replace(stream(*pieces, finish=None, done=False), then="breaks")


def hanging(*pieces: str, alive: bytes = b"") -> Turn:
    """Return a turn that says no more after these pieces."""
    return replace(stream(*pieces, finish=None, done=False), then="hangs", alive=alive)


def whole(document: Json, status: int = 200, **headers: str) -> Turn:
    """Return a turn that answers with one document."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Turn((json.dumps(document).encode(),), status, {"Content-Type": "application/json"} | named)


def failing(status: int, message: str = "out of order", **headers: str) -> Turn:
    """Return a turn that reports an error."""
    return whole({"error": {"message": message, "type": "server_error"}}, status, **headers)


class Server(ThreadingHTTPServer):
    """A server at work; it is there within a `with`, and keeps what is asked of it."""

    daemon_threads = True
    handler: type["Handler"]

    def __init__(self, *turns: Turn, models: Iterable[str] = ("small",), base: str = "/v1") -> None:
        super().__init__(("127.0.0.1", 0), self.handler)
        self.turns = list(turns)
        self.models = list(models)
        self.base = base
        self.requests: list[Request] = []
        self.closing = threading.Event()

    @property
    def host(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        """The base to give to an endpoint."""
        return f"http://{self.host}{self.base}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """What a server does with one connection: it tells its models, notes what comes, and answers with turns."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        """Tell the models."""
        self.note({})
        if self.path == f"{self.server.base}/models" and self.server.models:
            self.answer(whole({"object": "list", "data": [{"id": name} for name in self.server.models]}))
        else:
            self.answer(whole({"detail": "Not Found"}, 404))

    def note(self, body: Json) -> None:
        """Keep what came in."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.path, headers, body))

    def answer(self, turn: Turn) -> None:
        """Send a turn."""
        self.send_response(turn.status)
        for name, value in turn.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in turn.parts:
                self._send(part)
                self.server.closing.wait(turn.pace)
            while turn.then == "hangs" and not self.server.closing.wait(PAUSE):
                self._send(turn.alive)
            if turn.then == "ends":
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True
        except OSError:
            self.close_connection = True  # the other side has heard enough

    def _send(self, part: bytes) -> None:
        if part:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()


class _ChatHandler(Handler):
    def do_POST(self) -> None:
        """Take the next turn."""
        self.note(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if self.path.partition("?")[0] != f"{self.server.base}/chat/completions":
            self.answer(whole({"detail": "Not Found"}, 404))
            return
        self.answer(self.server.turns[0] if len(self.server.turns) == 1 else self.server.turns.pop(0))


class ChatServer(Server):
    """The server. The last turn is repeated, whatever else is asked."""

    handler = _ChatHandler

    @property
    def asked(self) -> list[Request]:
        """The requests for a reply."""
        return [each for each in self.requests if each.path.partition("?")[0].endswith("/chat/completions")]
