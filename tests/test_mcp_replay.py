"""Recorded sessions of older versions of the protocol, replayed over stdio: byte for byte what was written then.

A recording (tests/files/mcp/VERSION.jsonl) holds the lines of the client and of the server as they went over the wire,
in their order; only the version of Yuanwen is left open. To record anew, after descriptions or replies were changed on
purpose: `python tests/test_mcp_replay.py`, then read the difference.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp_library import Wire, make

from yuanwen import __version__

RECORDINGS = Path(__file__).parent / "files" / "mcp"
VERSIONS = ("2024-11-05", "2025-06-18")
OURS, OPEN = f'"version":"{__version__}"}}'.encode(), b'"version":"VERSION"}'
HOME, MEAL, REFUND = "d59e0bbe0334-2", "d59e0bbe0334-3", "d59e0bbe0334-5"


def asked(version: str) -> Iterator[bytes]:
    """Yield the lines of a client of that time, in the order of fields that the SDK for TypeScript has."""
    me = {"name": "recorded", "version": "1.0.0"}
    hello: dict[str, object] = {
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": me,
    }
    requests: list[tuple[str, dict[str, object] | None]] = [
        ("initialize", hello),
        ("notifications/initialized", None),
        ("ping", None),
        ("tools/list", {}),
        ("tools/call", {"name": "search", "arguments": {"query": "远程办公", "limit": 2}}),
        ("tools/call", {"name": "search", "arguments": {"q": "不超过两天", "mode": "exact", "top_k": "5", "tags": ""}}),
        ("tools/call", {"name": "search", "arguments": {"query": "量子纠缠", "mode": "exact"}}),
        ("tools/call", {"name": "search", "arguments": {"query": "refund", "lmit": 3}}),
        ("tools/call", {"name": "fetch", "arguments": {"id": HOME, "before": 1, "after": 1}}),
        ("tools/call", {"name": "fetch", "arguments": {"id": "000000000000-1"}}),
        ("tools/call", {"name": "verify", "arguments": {"answer": f"一周两天 [{HOME}]「每周远程办公不超过三天」。"}}),
        ("tools/call", {"name": "verify", "arguments": {"quotes": [f"[{REFUND}] within fourteen days of the"]}}),
        ("tools/call", {"name": "sources", "arguments": {"filter": None}}),
        ("tools/call", {"name": "sync", "arguments": {}}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": f"yuanwen://passage/{MEAL}"}),
        ("resources/read", {"uri": "file:///etc/passwd"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "answer_from_evidence", "arguments": {"question": "餐补是多少"}}),
        ("notifications/cancelled", {"requestId": 3, "reason": "too late"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "answer_from_evidence"}, "argument": {}}),
        ("no/such", {}),
    ]
    for number, (method, params) in enumerate(requests):
        message: dict[str, object] = {"method": method, "params": params, "jsonrpc": "2.0", "id": number}
        if params is None:
            del message["params"]
        if method.startswith("notifications/"):
            del message["id"]
        yield json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def talk(folder: Path, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Send each line to a server of its own; yield it, and the reply that it has."""
    with Wire(make(folder)) as wire:
        for line in lines:
            yield line
            wire.write(line)
            if b'"id":' in line:
                yield wire.read().replace(OURS, OPEN)
        status, rest, said = wire.end()
        assert (status, rest, said) == (0, b"", "")


def is_asked(line: bytes) -> bool:
    """Return whether a line of a recording is one of the client."""
    return "method" in json.loads(line)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_recorded_session_goes_as_it_went(tmp_path: Path, version: str) -> None:
    recorded = (RECORDINGS / f"{version}.jsonl").read_bytes().splitlines(keepends=True)
    replayed = list(talk(tmp_path, iter(filter(is_asked, recorded))))
    assert len(recorded) > 40
    for then, now in zip(recorded, replayed, strict=True):
        assert now == then


def record() -> None:
    """Write the recordings."""
    for version in VERSIONS:
        with tempfile.TemporaryDirectory() as folder:
            (RECORDINGS / f"{version}.jsonl").write_bytes(b"".join(talk(Path(folder), asked(version))))


if __name__ == "__main__":
    record()
