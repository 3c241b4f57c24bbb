"""Clients from npm, as they are: the inspector's command line, and the client of the AI SDK, over stdio and over HTTP.

`make test` brings Node.js with it, and installs them by tests/npm/package-lock.json, running no script of any package.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_library import HANDBOOK, LAW, PATIENCE, command, make, over_http, surroundings

PACKAGES = Path(__file__).parent / "npm"
INSPECTOR = (
    PACKAGES / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
)
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")

pytestmark = [
    pytest.mark.skipif(
        not (NODE and INSPECTOR.is_file()) and "CI" not in os.environ,
        reason="the clients from npm are not installed: make test does it",
    ),
]

READING = ["search", "fetch", "verify", "sources"]
BODIES = {id: body for id, _, body in HANDBOOK}


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module", name="target", params=["stdio", "http"])
def target_fixture(request: pytest.FixtureRequest, library: Path) -> Iterator[list[str]]:
    """How a client is told which server: a command, or an address."""
    if request.param == "stdio":
        yield command(library)
    else:
        with over_http(library) as url:
            yield [url]


def node(home: Path, *args: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run a script of Node.js, whose home is an empty folder."""
    run = [NODE or "node", *map(str, args)]
    env = surroundings(HOME=str(home), NO_COLOR="1")
    return subprocess.run(run, capture_output=True, text=True, encoding="utf-8", timeout=2 * PATIENCE, env=env)


def inspect(home: Path, target: list[str], method: str, *options: str) -> Any:
    """Return what the inspector prints for a method."""
    environment = [f"{name}={surroundings()[name]}" for name in ("PYTHONPATH", "YUANWEN_LANG")]
    given = [part for each in environment for part in ("-e", each)] if len(target) > 1 else []
    done = node(home, INSPECTOR, "--cli", *given, *target, "--method", method, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_inspector_finds_no_fault_with_the_tools(tmp_path: Path, target: list[str]) -> None:
    """Fault 29: `--strict` reports whatever in a schema some client does not understand."""
    listed = inspect(tmp_path, target, "tools/list", "--strict")
    assert [each["name"] for each in listed["tools"]] == READING
    assert all(each["outputSchema"]["type"] == "object" for each in listed["tools"])


def test_the_inspector_calls_tools(tmp_path: Path, target: list[str]) -> None:
    """It sends what is typed: numbers and lists arrive as it guesses them."""
    given = [
        "--tool-arg",
        "q=远程办公",
        "--tool-arg",
        "top_k=1",
        "--tool-arg",
        "tags=制度",
        "--tool-arg",
        "source=null",
    ]
    found = inspect(tmp_path, target, "tools/call", "--tool-name", "search", *given)
    assert not found["isError"]
    [hit] = found["structuredContent"]["hits"]
    assert hit["label"] == "P002" and BODIES["P002"] in found["content"][0]["text"]
    read = inspect(tmp_path, target, "tools/call", "--tool-name", "fetch", "--tool-arg", f"id={hit['id']}")
    assert read["structuredContent"]["text"].strip() == BODIES["P002"]


def test_the_inspector_reads_resources(tmp_path: Path, target: list[str]) -> None:
    [document] = inspect(tmp_path, target, "resources/list")["resources"]
    assert document["name"] == LAW
    read = inspect(tmp_path, target, "resources/read", "--uri", document["uri"])
    assert all(body in read["contents"][0]["text"] for body in BODIES.values())


def test_the_client_of_the_ai_sdk_gets_all_it_asks_for(tmp_path: Path, target: list[str]) -> None:
    done = node(tmp_path, PACKAGES / "ai-sdk.mjs", *target)
    assert done.returncode == 0, done.stdout + done.stderr
    seen = json.loads(done.stdout)
    assert seen["server"] == "yuanwen" and seen["protocol"] in ("2025-11-25", "2026-07-28")
    assert seen["tools"] == seen["forModels"] == READING
    assert [each["label"] for each in seen["found"]["structuredContent"]["hits"]] == ["P002", "P003"]
    assert seen["fetched"]["structuredContent"]["text"].strip() == BODIES["P002"]
    assert seen["fetched"]["structuredContent"]["before"][0]["text"].strip() == BODIES["P001"]
    [claim] = seen["verified"]["structuredContent"]["claims"]
    assert claim["status"] == "altered" and claim["changes"] == [{"kind": "number", "original": "两", "quoted": "三"}]
    assert seen["wrong"]["isError"] and "Did you mean limit?" in seen["wrong"]["content"][0]["text"]
    assert seen["resources"] == [LAW] and BODIES["P005"] in seen["document"]
    assert seen["templates"] == ["passage", "document"] and seen["prompts"] == ["answer_from_evidence"]
