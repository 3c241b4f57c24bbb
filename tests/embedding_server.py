"""A real HTTP server that speaks OpenAI's protocol for embeddings; its vectors count pairs of characters."""

import json
import math
import threading
import zlib
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

from chat_server import Request, Turn, whole

DIMENSIONS = 64


def vector(text: str, salt: str = "") -> list[float]:
    """Return how often each kind of pair of characters stands in a text, scaled to length 1."""
    counts = [0.001] * DIMENSIONS
    for pair in pairwise(text):
        counts[zlib.crc32((salt + "".join(pair)).encode("utf-8", "replace")) % DIMENSIONS] += 1
    length = math.hypot(*counts)
    return [value / length for value in counts]


class EmbeddingServer(ThreadingHTTPServer):
    """The server; it is there within a `with`. It takes the turns that are given first, then embeds."""

    daemon_threads = True

    def __init__(self, *turns: Turn, models: Iterable[str] = ("small",), base: str = "/v1") -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.turns = list(turns)
        self.models = list(models)
        self.base = base
        self.salt = ""
        self.requests: list[Request] = []

    @property
    def url(self) -> str:
        """The base to give to an endpoint."""
        return f"http://127.0.0.1:{self.server_port}{self.base}"

    @property
    def asked(self) -> list[list[str]]:
        """The texts of each request for vectors."""
        return [each.body["input"] for each in self.requests if each.path.endswith("/embeddings")]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: EmbeddingServer

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        """Tell the models."""
        self._note({})
        self._answer(whole({"object": "list", "data": [{"id": name} for name in self.server.models]}))

    def do_POST(self) -> None:
        """Take the next turn, or embed; the vectors come in another order than the texts."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._note(body)
        if self.path != f"{self.server.base}/embeddings":
            self._answer(whole({"detail": "Not Found"}, 404))
        elif self.server.turns:
            self._answer(self.server.turns.pop(0))
        else:
            made = [{"index": at, "embedding": vector(text, self.server.salt)} for at, text in enumerate(body["input"])]
            self._answer(whole({"object": "list", "data": made[::-1], "model": body["model"]}))

    def _note(self, body: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.path, headers, body))

    def _answer(self, turn: Turn) -> None:
        content = b"".join(turn.parts)
        self.send_response(turn.status)
        for name, value in (turn.headers | {"Content-Length": str(len(content))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
