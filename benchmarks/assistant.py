"""An assistant without a model works with the handbook of samples/: what goes over the wire, in characters.

    python -m benchmarks.assistant [-v]

It searches as a model would, reads the passage that answers, quotes and cites it, and has its answer checked. Counted
is what it sends as arguments, and what comes back: the text, and the structured content. The sum has to be under 3,000.
`-v` prints all of it.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import mcp_types as types
from mcp import Client

from yuanwen import Library, mcp_server
from yuanwen.sentences import sentences
from yuanwen.served import Served

HANDBOOK = Path(__file__).parents[1] / "samples/handbook.json"
WORDS = "证据不足"
MOST = 3000  # characters


@dataclass
class Session:
    """Calls of tools, and the characters that went each way."""

    client: Client
    verbose: bool = False
    counts: list[tuple[str, int, int, int]] = field(default_factory=list)  # tool, arguments, text, structured content

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return the structured content of its reply."""
        result = await self.client.call_tool(tool, arguments)
        text = "".join(each.text for each in result.content if isinstance(each, types.TextContent))
        assert not result.is_error, text
        sent, structured = (json.dumps(each, ensure_ascii=False) for each in (arguments, result.structured_content))
        self.counts.append((tool, len(sent), len(text), len(structured)))
        if self.verbose:
            print(f"→ {tool} {sent}\n{text}\n{structured}\n")
        return result.structured_content or {}

    @property
    def total(self) -> int:
        """The characters exchanged so far."""
        return sum(sum(sizes) for _, *sizes in self.counts)


async def answer(session: Session, words: str) -> tuple[str, dict[str, Any]]:
    """Return what the documents lay down about `words`, quoted and cited, and what came of checking it."""
    found = await session.call("search", query=words, mode="exact")
    passage = await session.call("fetch", id=found["hits"][0]["id"])
    text = passage["text"]
    first, second = (text[start:end].strip() for start, end in list(sentences(text))[:2])
    drafted = f"[{passage['id']}]「{first}{second}」"
    checked = await session.call("verify", answer=drafted)
    return drafted, checked


@contextmanager
def handbook() -> Iterator[Served]:
    """Yield a library of the six passages."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "handbook.sqlite"
        with Library.open(path) as library:
            library.add(HANDBOOK)
        with Served(path) as served:
            yield served


async def exchanged(*, verbose: bool = False) -> tuple[Session, str, dict[str, Any]]:
    """Return the session of an assistant that is done, its answer, and the verdict on that."""
    with handbook() as served:
        async with Client(mcp_server.server(served)) as client:
            session = Session(client, verbose)
            return session, *await answer(session, WORDS)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is sent, and what comes back")
    session, answered, checked = anyio.run(lambda: exchanged(verbose=parser.parse_args().verbose))
    print(f"{'':10} {'arguments':>10} {'text':>10} {'structured':>10} {'sum':>10}")
    for tool, *sizes in session.counts:
        print(f"{tool:10} " + " ".join(f"{size:10}" for size in (*sizes, sum(sizes))))
    by_kind = [sum(column) for column in list(zip(*session.counts, strict=True))[1:]]
    mark = "" if session.total < MOST else "   missed"
    print(f"{'all':10} " + " ".join(f"{size:10}" for size in (*by_kind, session.total)) + f"  goal {MOST}{mark}")
    print(f"{checked['verdict']}: {answered}")
    return 0 if session.total < MOST and checked["verdict"] == "supported" else 1


if __name__ == "__main__":
    sys.exit(main())
