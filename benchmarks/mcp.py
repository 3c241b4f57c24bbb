"""Search through MCP: how long a reply is, whether the right passage is in it, and what a call costs.

    python -m benchmarks.mcp [--questions N] [--runs N] [size] [process] [stdio] [http]

Asked are questions of cmrc2018_dev in the pool, with the arguments that `search` has by default. `process`, `stdio` and
`http`: what a call costs beyond `Library.search` for the same question, beside a call of a tool that the benchmark adds
to the same server: it has the same output schema, and returns one of those replies, made beforehand, from a thread, as
every tool of this server does its work on one; then beside one that returns it at once, with no thread. Nothing here
asserts a time.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.lowlevel.server import Server

from benchmarks import corpus, quality
from benchmarks.speed import line
from yuanwen import Library, mcp_server
from yuanwen.served import Served

LIMIT = 8  # hits of a search by default
LONGEST = 2500  # characters of a median reply, the text and the structured content each
RIGHT = 0.97  # of the questions whose reply holds the right passage
RATIO = 1.5  # what a call may cost beyond the search, in calls that return a constant
CONSTANT, AT_ONCE = "constant", "constant_at_once"  # tools that the benchmark adds
REPLY = corpus.WORK / "mcp_reply.json"
TRANSPORTS = ("process", "stdio", "http")


def lengths(result: types.CallToolResult) -> tuple[int, int]:
    """Return the characters of the text of a reply, and of its structured content."""
    text = "".join(each.text for each in result.content if isinstance(each, types.TextContent))
    return len(text), len(json.dumps(result.structured_content, ensure_ascii=False))


# ------------------------------------------------------------------------------------- what a reply holds


def plain(text: str) -> str:
    """Return the letters and digits of a text, whatever their width and case."""
    return "".join(each for each in unicodedata.normalize("NFKC", text).casefold() if each.isalnum())


def held(question: corpus.Question, hits: Sequence[dict[str, Any]]) -> tuple[bool, bool]:
    """Return whether a hit is the right passage, and whether an answer stands in the excerpts of the right ones."""
    excerpts = [plain(each["excerpt"]) for each in hits if each["label"] in question.relevant]
    answers = [plain(each) for each in question.answers]
    return bool(excerpts), any(answer in excerpt for answer in answers for excerpt in excerpts)


def size(replies: Sequence[tuple[corpus.Question, types.CallToolResult]]) -> bool:
    """Print how long replies are and what they hold; return whether that is as it should be."""
    measured = [lengths(result) for _, result in replies]
    found = [held(question, (result.structured_content or {})["hits"]) for question, result in replies]
    right, answered = (sum(column) / len(found) for column in zip(*found, strict=True))
    good: bool = right >= RIGHT
    columns = (*zip(*measured, strict=True), [sum(each) for each in measured])
    for what, column, most in zip(("text", "structured content", "both"), columns, (LONGEST, LONGEST, 0), strict=True):
        median = statistics.median(column)
        good &= not most or median < most
        goal = f"  goal {most}" if most else ""
        print(f"{'a reply, ' + what + ', median':44} {median:9.0f} characters, {max(column)} at most{goal}")
    print(f"{'the right passage is among its hits':44} {right:9.1%}  goal {RIGHT:.0%}")
    print(f"{'and the words of the answer in its excerpt':44} {answered:9.1%}", flush=True)
    return good


# ------------------------------------------------------------------------------------------ what it costs


def with_constant(server: Server[Any], reply: types.CallToolResult) -> Server[Any]:
    """Add the tools to a server that return a reply as it is."""
    listing, calling = server.get_request_handler("tools/list"), server.get_request_handler("tools/call")
    assert listing is not None and calling is not None

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        listed: Any = await listing.handler(ctx, params)
        search = next(each for each in listed.tools if each.name == "search")
        added = [search.model_copy(update={"name": name}) for name in (CONSTANT, AT_ONCE)]
        return types.ListToolsResult(tools=[*listed.tools, *added])

    async def call_tool(ctx: Any, params: Any) -> Any:
        if params.name == AT_ONCE:
            return reply
        if params.name == CONSTANT:
            return await anyio.to_thread.run_sync(lambda: reply, abandon_on_cancel=True)
        return await calling.handler(ctx, params)

    server.add_request_handler("tools/list", listing.params_type, list_tools)
    server.add_request_handler("tools/call", calling.params_type, call_tool)
    return server


async def cost(name: str, client: Client, library: Library, questions: Sequence[str], runs: int) -> None:
    """Print the medians of a call, a search and the constants, asked for in turn, in another order each time."""

    async def call(tool: str, question: str) -> None:
        result = await client.call_tool(tool, {"query": question})
        assert not result.is_error, result.content

    async def search(question: str) -> None:
        library.search(question, limit=LIMIT)

    ways: dict[str, Callable[[str], Awaitable[None]]] = {
        "call": lambda question: call("search", question),
        "search": search,
        "constant": lambda question: call(CONSTANT, question),
        "at once": lambda question: call(AT_ONCE, question),
    }

    async def timed(way: str, question: str) -> tuple[float, float]:
        began, worked = perf_counter(), process_time()
        await ways[way](question)
        return perf_counter() - began, process_time() - worked

    chance = random.Random(5)
    times: list[dict[str, tuple[float, float]]] = []
    for turn in range(runs + 1):
        for question in questions:
            order = chance.sample(list(ways), len(ways))
            took = {way: await timed(way, question) for way in order}
            times += [took] if turn else []  # the first round warms both
    compared(name, [{way: each[way][0] for way in ways} for each in times])
    if name == "process":  # where other work on the machine tells less
        compared("process, CPU time", [{way: each[way][1] for way in ways} for each in times])


def compared(name: str, times: Sequence[dict[str, float]]) -> None:
    """Print what a call costs beyond its search, beside the constants."""
    median = {way: statistics.median(each[way] for each in times) * 1e3 for way in times[0]}
    beyond = statistics.median(each["call"] - each["search"] for each in times) * 1e3
    print(f"{name}: a call {median['call']:.2f} ms, the search alone {median['search']:.2f} ms")
    line("  a call without its search, beside a constant", beyond, median["constant"], "ms", RATIO)
    ratio = beyond / median["at once"]
    print(f"{'  and beside one with no thread':58} {median['at once']:9.2f} ms  ratio {ratio:5.2f}", flush=True)


@asynccontextmanager
async def connected(transport: str, served: Served, reply: types.CallToolResult) -> AsyncIterator[Client]:
    """Yield a client of the server with the constant."""
    arguments = ["-m", "benchmarks.mcp", "--serve", transport, str(served.path)]
    if transport == "process":
        async with Client(with_constant(mcp_server.server(served), reply)) as client:
            yield client
    elif transport == "stdio":
        started = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(started)) as client:
            yield client
    else:
        with listening(arguments) as url:
            async with Client(url) as client:
                yield client


@contextmanager
def listening(arguments: Sequence[str]) -> Iterator[str]:
    """Yield where a server listens that is started for it."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:
        try:
            assert started.stdout is not None
            yield json.loads(started.stdout.readline())["mcp"]
        finally:
            started.terminate()


def serve(transport: str, library: str) -> None:
    """Serve a library as the command does, with the constant."""
    from yuanwen import cli

    own = mcp_server.server
    reply = types.CallToolResult.model_validate_json(REPLY.read_bytes())
    mcp_server.server = lambda served: with_constant(own(served), reply)
    verb = ["mcp"] if transport == "stdio" else ["serve", "--port", "0", "--json"]
    sys.argv[1:] = ["-L", library, *verb]
    cli.main()


# -------------------------------------------------------------------------------------------------- all


async def measured(path: Path, questions: Sequence[corpus.Question], parts: Sequence[str], runs: int) -> bool:
    """Print what was asked for; return whether replies are as they should be."""
    with Served(path) as served:
        async with Client(mcp_server.server(served)) as client:
            replies = [(each, await client.call_tool("search", {"query": each.text})) for each in questions]
        good = "size" not in parts or size(replies)
        by_length = sorted((result for _, result in replies), key=lambda result: sum(lengths(result)))
        reply = by_length[len(by_length) // 2]
        REPLY.write_text(reply.model_dump_json(by_alias=True, exclude_none=True), encoding="utf-8")
        for transport in (each for each in TRANSPORTS if each in parts):
            async with connected(transport, served, reply) as client:
                with served.library() as library:
                    await cost(transport, client, library, [each.text for each in questions], runs)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", default=["size", *TRANSPORTS])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(*options.serve)
    quality.library(corpus.POOL, "tantivy").close()
    asked = [each for each in corpus.questions("eval/cmrc2018_dev") if each.answerable]
    asked = asked[:: max(1, len(asked) // options.questions)][: options.questions]
    good = anyio.run(measured, corpus.WORK / "pool-tantivy.sqlite", asked, options.parts, options.runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
