"""Eight clients at once while a sync runs: each call is answered, and none from a state that is half written.

Each passage carries the number of the version of its file, so that a mixture shows.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
import tantivy
from conftest import records, write
from mcp import Client
from mcp_library import Wire, over_http

from yuanwen import Library
from yuanwen.mcp_server import server
from yuanwen.served import Served

CLIENTS = 8
FILES, PASSAGES = 10, 5
ROUNDS = 4  # times that every file is changed while the clients ask
PATIENCE = 60.0  # seconds that a call may take, on a machine that is busy

Ask = Callable[..., Any]


def rewrite(folder: Path, version: int) -> None:
    for file in range(FILES):
        bodies = [f"合同{file}号第{n}条，版本{version}版，违约金另行约定。" for n in range(PASSAGES)]
        content = records(
            *(
                {"id": f"F{file}-{n}", "source": f"合同{file}", "paragraph": n + 1, "body": body}
                for n, body in enumerate(bodies)
            )
        )
        made = write(folder / "new", content)  # put in place at once, as an editor does
        os.replace(made, folder / f"{file}.jsonl")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    rewrite(tmp_path / "docs", 0)
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(tmp_path / "docs")
    return tmp_path


@contextmanager
def changing(place: Path) -> Iterator[threading.Event]:
    """Change every file again and again, and bring the library in step; yield what says that it is done."""
    done = threading.Event()

    def work() -> None:
        try:
            with Library.open(place / "library.sqlite") as library:
                for version in range(1, ROUNDS + 1):
                    rewrite(place / "docs", version)
                    report = library.sync()
                    assert report.files == FILES and not report.skipped
        finally:
            done.set()

    with ThreadPoolExecutor(1) as one:
        running = one.submit(work)
        yield done
        running.result(600)


def check_search(found: dict[str, Any]) -> list[str]:
    """Look at a search for what every passage has; return the ids."""
    assert found["status"] == "evidence_found", found
    assert found["searched"]["documents"] == FILES
    assert found["searched"]["passages"] == FILES * PASSAGES
    assert found["found"] == len(found["hits"]) == FILES * PASSAGES
    versions: dict[str, set[str]] = {}
    for hit in found["hits"]:
        versions.setdefault(hit["source"], set()).add(version_of(hit["excerpt"]))
    assert {len(each) for each in versions.values()} == {1}, versions
    return [hit["id"] for hit in found["hits"]]


def check_fetch(got: dict[str, Any]) -> None:
    """Look at a passage and all around it: they are one version of one file."""
    texts = [each["text"] for each in (*got.get("before", []), got, *got.get("after", []))]
    assert len(texts) == PASSAGES, texts
    assert len({version_of(text) for text in texts}) == 1, texts
    assert len({re.findall(r"合同\d+号", text)[0] for text in texts}) == 1


def check_verify(got: dict[str, Any]) -> None:
    assert sum(got["counts"].values()) == len(got["claims"]) == 1
    assert got["claims"][0]["status"] in ("verbatim", "stale"), got


def version_of(text: str) -> str:
    return str(re.findall(r"版本(\d+)版", text)[0])


SEARCH = {"query": "违约金另行约定", "mode": "exact", "limit": FILES * PASSAGES, "max_chars": 60_000}


def steps(turn: int, found: dict[str, Any]) -> list[tuple[str, dict[str, Any], Callable[[dict[str, Any]], object]]]:
    """Return what a client does with what it found."""
    hit = found["hits"][turn % len(found["hits"])]
    quote = f"[{hit['id']}] {hit['excerpt']}"
    return [
        ("fetch", {"id": hit["id"], "before": PASSAGES, "after": PASSAGES}, check_fetch),
        ("verify", {"quotes": [quote]}, check_verify),
        ("sources", {}, lambda got: got["found"] == got["total"] == FILES),
    ]


async def ask_until(client: Client, done: threading.Event, turn: int) -> int:
    """Ask again and again until it is done, and once more; return how many calls were answered."""
    answered, last = 0, False
    while not last:
        last = done.is_set()
        with anyio.fail_after(PATIENCE):
            found = structured(await client.call_tool("search", SEARCH))
            check_search(found)
            for tool, sent, check in steps(turn + answered, found):
                assert check(structured(await client.call_tool(tool, sent))) is not False
                answered += 1
    return answered


def structured(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content[0].text
    found: dict[str, Any] = result.structured_content
    return found


async def many(target: Callable[[], Any], done: threading.Event) -> list[int]:
    answered: list[int] = []

    async def one(turn: int) -> None:
        async with Client(target()) as client:
            answered.append(await ask_until(client, done, turn * 7))

    async with anyio.create_task_group() as tasks:
        for turn in range(CLIENTS):
            tasks.start_soon(one, turn)
    return answered


def test_eight_clients_of_one_server_are_answered_while_a_sync_runs(place: Path) -> None:
    with Served(place / "library.sqlite") as served, changing(place) as done:
        answered = anyio.run(many, lambda: server(served), done)
    assert len(answered) == CLIENTS and min(answered) >= 3


def test_eight_clients_over_http_are_answered_while_a_sync_runs(place: Path) -> None:
    with over_http(place / "library.sqlite") as url, changing(place) as done:
        answered = anyio.run(many, lambda: url, done)
    assert len(answered) == CLIENTS and min(answered) >= 3


def test_eight_servers_of_one_library_answer_while_a_sync_runs(place: Path) -> None:
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(place / "library.sqlite")) for _ in range(CLIENTS)]
        for wire in wires:
            wire.greet()
        with changing(place) as done, ThreadPoolExecutor(CLIENTS) as threads:
            answered = list(threads.map(lambda wire: asked_until(wire, done), wires))
    assert min(answered) >= 3


def asked_until(wire: Wire, done: threading.Event) -> int:
    answered, last = 0, False
    while not last:
        last = done.is_set()
        found = result(wire.call("search", **SEARCH))
        check_search(found)
        for tool, sent, check in steps(answered, found):
            assert check(result(wire.call(tool, **sent))) is not False
            answered += 1
    return answered


def test_what_the_index_has_not_seen_stands_against_an_empty_answer(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yuanwen.catching_up.PATIENCE", 0.05)
    file, new = place / "library.sqlite", write(place / "new.txt", "量子纠缠。\n")
    folder = next((place / "library.sqlite.index").glob("tantivy-*-current"))
    writing = tantivy.Index.open(str(folder)).writer(20_000_000, 1)  # as another process that takes its time
    with ThreadPoolExecutor(1) as one, Library.open(file) as adding, Library.open(file) as library:
        added = one.submit(adding.add, new)
        until = time.monotonic() + PATIENCE
        while len(library.list()) == FILES and time.monotonic() < until:
            pass  # the words are in the library, and not in its index
        found = library.search("量子纠缠")
        assert found.absence is not None and found.absence.kind == "unsearchable"
        assert found.absence.missing_terms == ()
        assert [each.reason for each in found.absence.unsearchable] == list(found.notes)
        del writing
        added.result(PATIENCE)
        assert library.search("量子纠缠").found == 1


def test_a_server_answers_others_while_a_search_waits_for_the_index(place: Path) -> None:
    file, new = place / "library.sqlite", write(place / "new.txt", "量子纠缠。\n")
    folder = next((place / "library.sqlite.index").glob("tantivy-*-current"))
    writing = tantivy.Index.open(str(folder)).writer(20_000_000, 1)  # as another process that takes its time
    answered: list[str] = []

    async def run() -> None:
        async def search(client: Client) -> None:
            structured(await client.call_tool("search", {"query": "量子纠缠"}))
            answered.append("search")

        with anyio.fail_after(PATIENCE), Served(file) as served:
            async with Client(server(served)) as client, anyio.create_task_group() as group:
                group.start_soon(search, client)
                for _ in range(3):  # the search is at work when the second is asked for
                    await client.list_prompts()
                    answered.append("prompts")

    with ThreadPoolExecutor(1) as one, Library.open(file) as adding:
        added = one.submit(adding.add, new)
        until = time.monotonic() + PATIENCE
        while len(adding.list()) == FILES and time.monotonic() < until:
            pass  # the words are in the library, and not in its index
        anyio.run(run)
        del writing
        added.result(PATIENCE)
    assert answered == ["prompts", "prompts", "prompts", "search"]


def result(answer: Any) -> dict[str, Any]:
    assert not answer.get("isError"), answer
    found: dict[str, Any] = answer["structuredContent"]
    return found
