"""A real HTTP server that speaks OpenAI's protocol for embeddings; its vectors count pairs of characters."""

import json
import math
import zlib
from itertools import pairwise
from typing import Any

from chat_server import Handler, Server, whole

DIMENSIONS = 64


def vector(text: str, salt: str = "") -> list[float]:
    """Return how often each kind of pair of characters stands in a text, scaled to length 1."""
    counts = [0.001] * DIMENSIONS
    for pair in pairwise(text):
        counts[zlib.crc32((salt + "".join(pair)).encode("utf-8", "replace")) % DIMENSIONS] += 1
    length = math.hypot(*counts)
    return [value / length for value in counts]


class _Handler(Handler):
    server: "EmbeddingServer"

    def do_POST(self) -> None:
        """Take the next turn, or embed; the vectors come in another order than the texts."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(body)
        if self.path != f"{self.server.base}/embeddings":
            self.answer(whole({"detail": "Not Found"}, 404))
        elif self.server.turns:
            self.answer(self.server.turns.pop(0))
        else:
            made = [{"index": at, "embedding": vector(text, self.server.salt)} for at, text in enumerate(body["input"])]
            self.answer(whole({"object": "list", "data": made[::-1], "model": body["model"]}))


class EmbeddingServer(Server):
    """The server. It takes the turns that are given first, then embeds; another `salt` is another model."""

    handler = _Handler

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.salt = ""

    @property
    def asked(self) -> list[list[str]]:
        """The texts of each request for vectors."""
        return [each.body["input"] for each in self.requests if each.path.endswith("/embeddings")]
