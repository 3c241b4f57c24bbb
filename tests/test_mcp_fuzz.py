"""Ten thousand calls that no sane client makes: each is answered, nothing leaks, nothing is written that may not be.

The schemas come from the server itself, through a client. Canaries are files beside the roots, with words of their own.
"""

import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from conftest import records, write
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client, MCPError, StdioServerParameters

from yuanwen import Library
from yuanwen.mcp_server import server
from yuanwen.served import Served

CALLS = 10_000  # to the tools that read, in process
BATCH = 500  # calls of one session: each has its client compile the schemas anew
CANARY = "kanarienvogel-7f3a"
PLAIN = (
    "query",
    "mode",
    "limit",
    "tags",
    "source",
    "since",
    "until",
    "offset",
    "id",
    "before",
    "after",
    "start",
    "answer",
)
CLUES = (CANARY, "Traceback", 'File "', "fault of ours", "root:x:0", "site-packages", "RecursionError")
PATHS = """
../secret.txt ../../etc/passwd /etc/passwd file:///etc/passwd ~/.ssh/id_rsa ..\\..\\secret.txt a.md *.md [!a]* ?
yuanwen://passage/../../secret.txt yuanwen://document//etc/passwd yuanwen://passage/%2e%2e%2fsecret **/**/**
"""
QUERIES = """
"
AND
OR OR
NEAR(
NEAR(差旅 报销, 99999999999)
title:
tag:工作
source:../*
type:
a*
'; DROP TABLE documents; --
" OR 1=1 --
差旅费 UNION SELECT * FROM files
%s%n{0}{name}
$(id)
{query}
[id] [id]
「」
『差旅费』
-1
NaN
1e309
null
true
差旅费
late fee
滞纳金
違約金
第3条
P1
2026-11
last week
99999-99
000000000000-0
"""


class House(NamedTuple):
    """A folder with a library, its documents, and what must never be read."""

    place: Path
    ids: tuple[str, ...]

    @property
    def file(self) -> Path:
        return self.place / "library.sqlite"

    def tree(self) -> dict[str, bytes]:
        """Return every file below, save those of the library itself, which a reader may touch."""
        mine = [f for f in self.place.rglob("*") if f.is_file() and not f.name.startswith("library.sqlite")]
        return {str(f.relative_to(self.place)): f.read_bytes() for f in mine if "library.sqlite.index" not in f.parts}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    place = tmp_path_factory.mktemp("house")
    secret = write(place / "secret.txt", f"密码 {CANARY}\n")
    write(place / "outside" / "note.md", f"# {CANARY}\n\n差旅费 {CANARY}\n")
    docs = place / "docs"
    write(docs / "a.md", "---\ntags: [工作]\n---\n# 差旅\n\n差旅费的报销上限是五百元。\n\n## 住宿\n\n住宿费另计。\n")
    write(docs / "b.txt", "\n\n".join(f"第{n}条 逾期每日按千分之{n}支付违约金。" for n in range(60)))
    write(docs / "c.jsonl", records({"id": "P1", "body": "滞纳金按日计算。"}, {"id": "P2", "body": "late fee"}))
    (docs / "link.txt").symlink_to(secret)
    (docs / "way-out").symlink_to(place / "outside", target_is_directory=True)
    with Library.open(place / "library.sqlite") as library:
        library.add(docs)
        ids = [hit.id for hit in library.search("", mode="raw", limit=200).hits]
    return House(place, tuple(ids))


# ----------------------------------------------------------------------------------------------- calls


def hostile(house: House) -> list[str]:
    """Return strings that mean harm, and ids and paths of what is there and what is not."""
    place, (first, *ids) = house.place, house.ids
    files = ("secret.txt", "outside", "outside/note.md", "docs", "docs/a.md", "docs/link.txt", "docs/way-out/note.md")
    return [
        *PATHS.split(),
        *(str(place / name) for name in files),
        *(f"file://{place}/secret.txt", f"{place}/docs/../secret.txt", f"{place}/docs/*"),
        *("\0", "a\0b", "docs/a.md\0.txt", "\ud800", "证\udfff据", "\u202e\u2066txt.exe", "\u200b\ufeff", "\x1b[31m"),
        *("证" * 100_000, "a b " * 25_000, "(" * 5_000, '"' * 999, "NOT " * 500, "-" * 500, "*" * 300, "[" * 2_000),
        *QUERIES.splitlines(),
        *(CANARY[:-2], "\n\nNext: x", f"{first}-9", *ids[:8], *(each.rpartition("-")[0] for each in ids[:3])),
        *(f"[{first}]「差旅费的报销上限是五百元」", f"[{first}] 差旅费的上限是六百元"),
    ]


class Calls:
    """Makes calls from the schemas of a server: shaped as they say, or wilder."""

    def __init__(self, tools: Sequence[Any], words: Sequence[str], wild: Sequence[Any], seed: int) -> None:
        self.tools, self.words, self.wild = tools, words, wild
        self.known = [each for each in words if re.fullmatch("[0-9a-f]{12}-[0-9]+", each)] or words
        self.random = random.Random(seed)

    def make(self) -> tuple[str, Any]:
        """Return the name of a tool, and arguments."""
        tool = self.random.choice(self.tools)
        shapes = dict(tool.input_schema["properties"])
        if self.random.random() < 0.03:
            return self.random.choice([tool.name, "", "exec", "Search", self.words[0]]), self.object()
        required = tool.input_schema["required"]
        names = [name for name in shapes if name in required or self.random.random() < 0.3]
        wildness = self.random.choice([0, 0, 0.1, 0.5])
        sent = {name: self.value(shapes[name], wildness) for name in names}
        if "id" in sent and self.random.random() < 0.5:
            sent["id"] = self.random.choice(self.known)
        if tool.name == "verify" and self.random.random() < 0.8:
            sent.pop(self.random.choice(["answer", "quotes"]), None)
        if self.random.random() < 0.05:
            sent |= self.object()
        return tool.name, sent

    def value(self, shape: dict[str, Any], wildness: float) -> Any:
        if self.random.random() < wildness:
            return self.random.choice([*self.wild, None, "", [], {}, self.word(), [self.word()], self.deep()])
        if "enum" in shape:
            return self.random.choice(shape["enum"])
        if shape["type"] == "integer":
            least, most = shape["minimum"], shape["maximum"]
            return self.random.choice(
                [least, most, self.random.randint(least, most), self.random.randint(least, least + 9)]
            )
        if shape["type"] == "array":
            return [self.word() for _ in range(self.random.randint(0, 3))]
        return self.word()

    def word(self) -> str:
        if self.random.random() < 0.02:
            return self.random.choice(self.words)
        word = self.random.choice([each for each in self.words if len(each) < 500])
        return word if self.random.random() < 0.7 else f"{word} {self.random.choice(self.words)[:200]}"

    def object(self) -> dict[str, Any]:
        return {
            self.word()[:300]: self.random.choice([*self.wild, self.word()]) for _ in range(self.random.randint(1, 3))
        }

    def deep(self) -> Any:
        value: Any = self.word()
        for _ in range(self.random.randint(1, 60)):
            value = [value] if self.random.random() < 0.5 else {"a": value}
        return value


WILD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)


async def answers(client: Client, calls: Sequence[tuple[str, Any]], wire: bool = False) -> Counter[str]:
    """Have these calls answered, look at each answer, and return how many were results, errors and refusals."""
    kinds: Counter[str] = Counter()
    for name, sent in calls:
        if wire and "\\ud" in json.dumps([name, sent]).lower():
            continue  # half characters have no form on the wire
        with anyio.fail_after(60):
            try:
                result = await client.call_tool(name, sent)
            except MCPError as error:
                kinds["refused"] += 1
                assert clean(str(error)), (name, sent, str(error))
                continue
        text = "".join(part.text for part in result.content if part.type == "text")
        structured = json.dumps(result.structured_content, ensure_ascii=False) if result.structured_content else ""
        said = text + structured
        assert clean(said), (name, sent, said)
        if result.is_error:
            kinds["error"] += 1
            assert 10 < len(text) < 1500 and len(text.splitlines()) == 1, (name, sent, text)
        else:
            kinds["result"] += 1
            assert len(said) <= most(sent), (name, sent, len(said))
    return kinds


def most(sent: dict[str, Any]) -> int:
    """Return the characters that a reply may have: what a client asks for in its own way is not read again here."""
    if set(sent) <= {*PLAIN, "max_chars"} and isinstance(sent.get("max_chars", 8000), int):
        return int(min(max(sent.get("max_chars", 8000), 2000), 100_000))
    return 100_000


def clean(text: str) -> bool:
    return not any(clue in text for clue in CLUES)


# --------------------------------------------------------------------------------------------- in process


@pytest.fixture(scope="module")
def served(house: House) -> Iterator[Served]:
    with Served(house.file) as served:
        yield served


def run(served: Served, words: Sequence[str], wild: Sequence[Any], seed: int, number: int = BATCH) -> Counter[str]:
    async def session() -> Counter[str]:
        async with Client(server(served)) as client:
            tools = (await client.list_tools()).tools
            calls = Calls(tools, words, wild, seed)
            return await answers(client, [calls.make() for _ in range(number)])

    return anyio.run(session)


def test_ten_thousand_calls_are_answered_and_nothing_leaks(house: House, served: Served) -> None:
    counted: Counter[str] = Counter()

    @given(wild=st.lists(WILD, min_size=20, max_size=40), seed=st.integers(0, 2**32))
    @settings(max_examples=CALLS // BATCH, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    def call(wild: list[Any], seed: int) -> None:
        counted.update(run(served, hostile(house), wild, seed))

    call()
    assert counted.total() >= CALLS
    assert counted["result"] > CALLS / 4
    assert counted["error"] > CALLS / 20


def test_reading_changes_no_file(house: House, served: Served) -> None:
    before = house.tree()
    run(served, hostile(house), [], seed=7, number=100)
    assert house.tree() == before


def test_no_address_of_a_resource_and_no_prompt_leads_out(house: House, served: Served) -> None:
    async def session() -> None:
        async with Client(server(served)) as client:
            for word in hostile(house):
                for uri in (word, f"yuanwen://passage/{word}", f"yuanwen://document/{word}"):
                    try:
                        found = await client.read_resource(uri)
                    except (MCPError, ValueError) as error:
                        assert clean(str(error))
                        continue
                    assert all(clean(str(each)) for each in found.contents)
                try:
                    prompt = await client.get_prompt("answer_from_evidence", {"question": word})
                except MCPError as error:
                    assert clean(str(error))
                    continue
                assert clean(str(prompt))

    anyio.run(session)


# ----------------------------------------------------------------------------------------------- writing


def test_nothing_is_written_outside_the_notes(tmp_path: Path, house: House) -> None:
    write(tmp_path / "docs" / "a.md", "# 差旅\n\n差旅费。\n")
    write(tmp_path / "secret.txt", f"{CANARY}\n")
    file = tmp_path / "library.sqlite"
    with Library.open(file) as library:
        library.add(tmp_path / "docs")
    before = House(tmp_path, ()).tree()
    words = [each for each in hostile(house) if len(each) < 300 or each.startswith("证")]

    async def session(served: Served) -> Counter[str]:
        async with Client(server(served)) as client:
            tools = [each for each in (await client.list_tools()).tools if each.name in ("add_note", "sync")]
            calls = Calls(tools, words, [], seed=11)
            made = [calls.make() for _ in range(30)]
            made += [("add_note", {"text": word, "title": word, "tags": [word]}) for word in words[:40]]
            return await answers(client, made)

    with Served(file, allow_write=True) as served:
        kinds = anyio.run(session, served)
    assert kinds["result"] > 20
    after = House(tmp_path, ()).tree()
    assert {name: content for name, content in after.items() if name in before} == before
    notes = tmp_path / "library.sqlite.notes"
    written = [f for f in tmp_path.rglob("*") if f.is_file() and str(f.relative_to(tmp_path)) not in before]
    written = [f for f in written if not f.name.startswith("library.sqlite") and "library.sqlite.index" not in f.parts]
    assert written and all(f.parent == notes and f.suffix == ".md" for f in written)


# ------------------------------------------------------------------------------------------------ stdio


def test_hundreds_of_calls_over_a_wire(house: House) -> None:
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "yuanwen", "-L", str(house.file), "mcp"], env=dict(os.environ)
    )

    async def session() -> Counter[str]:
        async with Client(started) as client:
            tools = (await client.list_tools()).tools
            calls = Calls(tools, hostile(house), [1.5, [1, [2]], {"a": {"b": None}}], seed=3)
            kinds = await answers(client, [calls.make() for _ in range(300)], wire=True)
            assert (await client.call_tool("search", {"query": "差旅费"})).structured_content
            return kinds

    assert anyio.run(session).total() > 200
