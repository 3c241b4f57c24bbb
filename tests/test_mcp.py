"""The official Python client, in both eras of the protocol and each older version, in process and over stdio."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import write
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp_library import HANDBOOK, LAW, PATIENCE, VERSIONS, command, make, surroundings

from yuanwen import Library
from yuanwen.mcp_server import resources, server
from yuanwen.model import MODES
from yuanwen.served import Served

READING = ["search", "fetch", "verify", "sources"]
WRITING = ["add_note", "sync"]
MODERN = "2026-07-28"
PASSAGE, DOCUMENT = "yuanwen://passage/", "yuanwen://document/"
BODIES = {id: body for id, _, body in HANDBOOK}


@dataclass
class Visit:
    """What a client got to see."""

    version: str
    instructions: str = ""
    tools: list[Any] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    resources: list[Any] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    document: str = ""
    passage: str = ""
    prompts: list[str] = field(default_factory=list)
    prompt: str = ""
    refused: dict[str, str] = field(default_factory=dict)


async def visit(client: Client) -> Visit:
    """Use everything that the server offers."""
    seen = Visit(client.protocol_version, client.instructions or "", list((await client.list_tools()).tools))

    async def call(name: str, tool: str, **arguments: Any) -> Any:
        seen.results[name] = result = await client.call_tool(tool, arguments)
        return result.structured_content

    found = await call("search", "search", query="远程办公", limit="2")
    id = found["hits"][0]["id"]
    await call("fetch", "fetch", id=id, before=1, after=1)
    await call("verify", "verify", answer=f"每周最多两天 [{id}]「员工每周远程办公不超过三天」。餐补照发。")
    await call("sources", "sources")
    await call("nothing", "search", query="量子纠缠")
    await call("wrong value", "search", query="远程", mode="rankd")
    await call("wrong name", "search", query="远程", lmit=3)
    await call("wrong id", "fetch", id="000000000000-1")
    await call("no tool", "serach", query="远程")
    for tool in WRITING:
        await call(tool, tool, **({"text": "a", "title": "b"} if tool == "add_note" else {}))
    seen.resources = list((await client.list_resources()).resources)
    seen.templates = [each.uri_template for each in (await client.list_resource_templates()).resource_templates]
    seen.document = (await client.read_resource(seen.resources[0].uri)).contents[0].text  # type: ignore[union-attr]
    seen.passage = (await client.read_resource(PASSAGE + id)).contents[0].text  # type: ignore[union-attr]
    seen.prompts = [each.name for each in (await client.list_prompts()).prompts]
    asked = await client.get_prompt(resources.PROMPT, {"question": "远程办公每周几天"})
    seen.prompt = asked.messages[0].content.text  # type: ignore[union-attr]
    for name, refused in (
        ("resource", partial(client.read_resource, f"{PASSAGE}000000000000-1")),
        ("other resource", partial(client.read_resource, "file:///etc/passwd")),
        ("prompt", partial(client.get_prompt, "nope")),
        ("cursor", partial(client.list_resources, cursor="-1")),
    ):
        with pytest.raises(MCPError) as error:
            await refused()
        seen.refused[name] = str(error.value)
    return seen


def as_of(version: str, patch: pytest.MonkeyPatch) -> str:
    """Have the client be one of the time when this version was new; return its mode."""
    if version == MODERN:
        return "auto"
    patch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)
    return "legacy"


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("library"))


@pytest.fixture(
    scope="module",
    params=[(where, version) for version in (MODERN, *VERSIONS) for where in ("in process", "stdio")],
    ids=" ".join,
)
def seen(request: pytest.FixtureRequest, library: Path) -> Iterator[Visit]:
    """What a client of each version saw, in process and over stdio."""
    where, version = request.param

    async def look(mode: str) -> Visit:
        with anyio.fail_after(PATIENCE), Served(library) as served:
            first, *others = command(library)
            started = StdioServerParameters(command=first, args=others, env=surroundings())
            async with Client(started if where == "stdio" else server(served), mode=mode) as client:
                return await visit(client)

    with pytest.MonkeyPatch.context() as patch:
        seen = anyio.run(look, as_of(version, patch))
    assert seen.version == version
    yield seen


def text(result: Any) -> str:
    return "".join(each.text for each in result.content)


# ------------------------------------------------------------------------------------------ what is seen


def test_the_server_says_how_to_work_with_it(seen: Visit) -> None:
    assert "verify" in seen.instructions and "data" in seen.instructions


def test_only_what_reads_is_offered_by_default(seen: Visit) -> None:
    assert [each.name for each in seen.tools] == READING
    for each in seen.tools:
        assert each.annotations.read_only_hint and not each.annotations.destructive_hint
    for name in WRITING:
        assert seen.results[name].is_error and f"there is no tool {name}" in text(seen.results[name])


def test_what_is_found_is_cited_read_and_checked(seen: Visit) -> None:
    found, read = seen.results["search"], seen.results["fetch"]
    assert not found.is_error and BODIES["P002"] in text(found)
    assert f"> {BODIES['P002']}" in text(read)
    assert read.structured_content["text"].strip() == BODIES["P002"]
    assert [each["text"].strip() for each in read.structured_content["after"]] == [BODIES["P003"]]
    checked = seen.results["verify"].structured_content
    assert checked["verdict"] == "unsupported"
    assert [each["status"] for each in checked["claims"]] == ["altered", "uncited"]
    assert LAW in text(seen.results["sources"])


def test_nothing_found_is_a_result_that_says_why(seen: Visit) -> None:
    nothing = seen.results["nothing"]
    assert not nothing.is_error
    assert nothing.structured_content["absence"]["kind"] == "absent"
    assert "absent" in text(nothing) and "量子纠缠" in text(nothing)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wrong value", "ranked"),
        ("wrong name", "Did you mean limit?"),
        ("wrong id", "000000000000-1"),
        ("no tool", "search"),
    ],
)
def test_an_error_is_a_result_that_says_what_to_do(seen: Visit, name: str, words: str) -> None:
    result = seen.results[name]
    assert result.is_error and words in text(result)
    assert "Traceback" not in text(result)


def test_documents_and_passages_are_resources(seen: Visit) -> None:
    assert [each.name for each in seen.resources] == [LAW]
    assert seen.templates == [f"{PASSAGE}{{id}}", f"{DOCUMENT}{{id}}"]
    assert seen.document.splitlines() == list(BODIES.values())
    assert seen.passage.strip() == BODIES["P002"]


def test_the_prompt_carries_the_evidence(seen: Visit) -> None:
    assert seen.prompts == [resources.PROMPT]
    assert BODIES["P002"] in seen.prompt and "远程办公每周几天" in seen.prompt


def test_what_there_is_not_is_refused_with_the_next_step(seen: Visit) -> None:
    assert "000000000000-1" in seen.refused["resource"]
    assert PASSAGE in seen.refused["other resource"]
    assert resources.PROMPT in seen.refused["prompt"]
    assert "cursor" in seen.refused["cursor"]


# ---------------------------------------------------------------------------------------------- schemas


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a schema."""
    if isinstance(schema, dict):
        yield schema
    for each in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(each)


def closed(schema: Any) -> Any:
    """Return a schema that allows no property that it does not name."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: closed(each) for name, each in schema.items()} | (
        {"additionalProperties": False} if isinstance(schema.get("properties"), dict) else {}
    )


def test_schemas_are_plain(seen: Visit) -> None:
    """Fault 29: clients drop tools whose schemas they do not understand."""
    beyond = {"$defs", "$ref", "definitions", "oneOf", "anyOf", "allOf", "not", "if", "const", "patternProperties"}
    for tool in seen.tools:
        for schema in (tool.input_schema, tool.output_schema):
            assert schema["type"] == "object"
            Draft202012Validator.check_schema(schema)
            for part in parts(schema):
                assert not beyond & set(part), tool.name
                assert isinstance(part.get("type", ""), str | dict), tool.name
        assert all(each["description"] for each in tool.input_schema["properties"].values())


def test_every_reply_fits_its_schema(seen: Visit) -> None:
    schemas = {each.name: each.output_schema for each in seen.tools}
    for name in (*READING, "nothing"):
        Draft202012Validator(closed(schemas.get(name, schemas["search"]))).validate(
            seen.results[name].structured_content
        )


def test_descriptions_say_which_mode_is_for_what(seen: Visit) -> None:
    search = seen.tools[0]
    mode = search.input_schema["properties"]["mode"]
    assert mode["enum"] == ["auto", *MODES]
    assert all(each in search.description + mode["description"] for each in MODES)
    assert "before every answer" in seen.tools[2].description and "[id]" in seen.tools[2].description


# ----------------------------------------------------------------------------------------------- writing

FILES = 200  # take longer to read than a client waits before it hears how far it is


def opened(served: Served, version: str, patch: pytest.MonkeyPatch) -> Client:
    """Return a client of a version, in process."""
    return Client(server(served), mode=as_of(version, patch))


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    """A folder that a library was made from when it had one file, and that has many now."""
    folder = tmp_path / "docs"
    write(folder / "first.md", "# 第一\n\n最早的一份文件。\n")
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(folder)
    for number in range(FILES):
        write(folder / f"{number}.md", f"# 文件{number}\n\n第{number}份文件的正文。\n")
    return folder


@pytest.mark.parametrize("version", [MODERN, *VERSIONS])
def test_where_it_may_write_a_note_is_kept_and_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    async def run() -> None:
        with Served(tmp_path / "library.sqlite", allow_write=True) as served:
            async with opened(served, version, monkeypatch) as client:
                tools = {each.name: each for each in (await client.list_tools()).tools}
                assert list(tools) == [*READING, *WRITING]
                assert not any(tools[name].annotations.read_only_hint for name in WRITING)  # type: ignore[union-attr]
                kept = await client.call_tool(
                    "add_note", {"text": "合同下周续签。", "title": "备忘", "tags": "工作，合同"}
                )
                Draft202012Validator(closed(tools["add_note"].output_schema)).validate(kept.structured_content)
                found = await client.call_tool("search", {"query": "tag:合同 续签"})
                assert kept.structured_content and found.structured_content
                assert [each["id"] for each in found.structured_content["hits"]] == [kept.structured_content["id"]]
                synced = await client.call_tool("sync", {})
                Draft202012Validator(closed(tools["sync"].output_schema)).validate(synced.structured_content)
                assert synced.structured_content and synced.structured_content["unchanged"] == 1

    anyio.run(run)


@pytest.mark.parametrize("version", [MODERN, VERSIONS[0], VERSIONS[-1]])
def test_a_long_sync_says_how_far_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def run() -> None:
        with anyio.fail_after(PATIENCE), Served(folder.parent / "library.sqlite", allow_write=True) as served:
            async with opened(served, version, monkeypatch) as client:
                done = await client.call_tool("sync", {}, progress_callback=hear)
                assert done.structured_content and done.structured_content["indexed"] == FILES

    anyio.run(run)
    assert heard[0][:2] == (0, None) and heard[-1][:2] == (FILES + 1, FILES + 1)
    assert [each[0] for each in heard] == sorted({each[0] for each in heard}), "it only grows"
    assert len(heard) < FILES / 2, "now and then, not for each file"


def test_calls_that_nobody_waits_for_do_not_pile_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread cannot be ended, so a client that cancels and tries again is told to wait."""
    monkeypatch.setattr("yuanwen.mcp_server.AT_WORK", 2)
    monkeypatch.setattr("yuanwen.mcp_server._at_work", threading.BoundedSemaphore(2))

    async def run() -> None:
        with anyio.fail_after(PATIENCE), Served(folder.parent / "library.sqlite") as served:
            async with Client(server(served)) as client:
                with served._lock:  # nothing gets at the library
                    for _ in range(2):
                        with anyio.move_on_after(0.2) as scope:
                            await client.call_tool("sources", {})
                        assert scope.cancelled_caught
                    refused = await client.call_tool("sources", {})
                    assert refused.is_error and "2 calls at work already" in text(refused)
                while (await client.call_tool("sources", {})).is_error:
                    await anyio.sleep(0.01)

    anyio.run(run)


@pytest.mark.parametrize("where", ["in process", "stdio"])
@pytest.mark.parametrize("version", [MODERN, VERSIONS[0]])
def test_a_long_sync_stops_when_nobody_wants_it_any_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch, version: str, where: str
) -> None:
    path = folder.parent / "library.sqlite"
    mode = as_of(version, monkeypatch)

    async def run() -> None:
        first, *others = command(path, "--allow-write")
        started = StdioServerParameters(command=first, args=others, env=surroundings())
        with anyio.fail_after(PATIENCE), Served(path, allow_write=True) as served:
            async with Client(started if where == "stdio" else server(served), mode=mode) as client:
                with anyio.CancelScope() as scope:

                    async def hear(progress: float, total: float | None, message: str | None) -> None:
                        if progress:
                            scope.cancel()

                    await client.call_tool("sync", {}, progress_callback=hear)
                assert scope.cancelled_caught
                found = await client.call_tool("search", {"query": "最早的一份"})
                assert found.structured_content and found.structured_content["found"] == 1
                rest = await client.call_tool("sync", {})
                assert rest.structured_content, text(rest)
                assert 0 < rest.structured_content["indexed"] < FILES
                assert rest.structured_content["files"] == FILES + 1

    anyio.run(run)


@pytest.mark.parametrize("version", [MODERN, *VERSIONS])
def test_a_long_list_of_resources_comes_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    many = 2 * resources.PAGE + 1
    records = [
        {"id": str(n), "title": "题", "source": f"手册{n:03}", "paragraph": 1, "body": f"正文{n}"} for n in range(many)
    ]
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(write(tmp_path / "many.json", json.dumps(records, ensure_ascii=False)))

    async def run() -> list[list[str]]:
        pages: list[list[str]] = []
        with Served(tmp_path / "library.sqlite") as served:
            async with opened(served, version, monkeypatch) as client:
                cursor = None
                while not pages or cursor is not None:
                    page = await client.list_resources(cursor=cursor)
                    pages.append([each.name for each in page.resources])
                    cursor = page.next_cursor
        return pages

    pages = anyio.run(run)
    assert [len(each) for each in pages] == [resources.PAGE, resources.PAGE, 1]
    assert len({name for page in pages for name in page}) == many


def test_a_resource_that_is_long_is_cut_and_says_how_to_go_on(tmp_path: Path) -> None:
    """A record of any length is one passage."""
    body = "一条很长的记录。" * resources.WHOLE
    record = {"id": "R1", "title": "题", "source": "手册", "paragraph": 1, "body": body}
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(write(tmp_path / "long.json", json.dumps([record], ensure_ascii=False)))
        (hit,) = library.show("R1")
        for uri in (PASSAGE + hit.id, f"{DOCUMENT}{library.list()[0].id}"):
            text, more = resources.read(library, uri)
            assert text == body[: resources.WHOLE] and hit.id in more and str(resources.WHOLE) in more


@pytest.mark.parametrize("version", [MODERN, VERSIONS[0]])
def test_a_server_that_starts_before_its_library_serves_it_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    async def run() -> None:
        path = tmp_path / "library.sqlite"
        with Served(path) as served:
            async with opened(served, version, monkeypatch) as client:
                absent = await client.call_tool("search", {"query": "远程办公"})
                assert absent.is_error and not path.exists()
                make(tmp_path)
                found = await client.call_tool("search", {"query": "远程办公"})
                assert found.structured_content and found.structured_content["found"] == 2

    anyio.run(run)
