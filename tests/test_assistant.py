"""An assistant without a model, over the example that Yuanwen was made for: what it exchanges stays small."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_library import PATIENCE, surroundings

ROOT = Path(__file__).parents[1]
RULE = "证据不足的问题不下结论。坐席答复“现有资料无法确认”，在工单里列出已经查过的文件，再转二线处理。"


@pytest.fixture(scope="module")
def said() -> list[str]:
    """What the benchmark prints, line by line."""
    path = os.pathsep.join(filter(None, [str(ROOT), *sys.path]))
    command = [sys.executable, "-m", "benchmarks.assistant"]
    done = subprocess.run(
        command, cwd=ROOT, env=surroundings(PYTHONPATH=path), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_it_exchanges_fewer_than_three_thousand_characters(said: list[str]) -> None:
    rows = {name: list(map(int, sizes[:4])) for name, *sizes in (line.split() for line in said[1:5])}
    assert list(rows) == ["search", "fetch", "verify", "all"]
    assert [
        sum(column) for column in zip(*(rows[each] for each in ("search", "fetch", "verify")), strict=True)
    ] == rows["all"]
    arguments, text, structured, total = rows["all"]
    assert min(arguments, text, structured) > 100 and arguments + text + structured == total < 3000


def test_its_answer_is_the_rule_quoted_and_cited_and_stands(said: list[str]) -> None:
    verdict, _, answer = said[5].partition(": ")
    assert verdict == "supported" and answer.endswith(f"]「{RULE}」")
