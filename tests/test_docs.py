"""The documents are true: commands print what they show, and ARCHITECTURE.md knows every module.

In a README, a ```console block holds commands (`$ `) and what they print, a line `...` standing for any
lines; its Python examples show their output behind `# -> `; the rows of the table of queries name the first
hit. All of it runs in a copy of samples/ and examples/. What has changed on purpose is written into the READMEs by

    python tests/test_docs.py
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from test_imports import HOMES

from yuanwen import Library
from yuanwen.cli import output
from yuanwen.cli.app import VERBS
from yuanwen.cli.passage import CHANGES, DOUBTS, INLINE
from yuanwen.comparison.sameness import FOLDINGS
from yuanwen.originals import Originals
from yuanwen.verification import Status

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/yuanwen"
READMES = {"README.md": "en", "README.zh-CN.md": "zh"}

_CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_PYTHON = re.compile(r"(?<=^```python\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
_QUERY = re.compile(r"^\| `([^`]+)` \|[^|]+\| ([^|`]+) › ([^|`]+) \|$", re.MULTILINE)
_MODULE = r"`((?:\w+/)*\w+\.py)`"
_UNSTABLE = re.compile(
    r"\d[\d.,]*(?= (?:ms|s|毫秒|秒|[KMG]?B)\b)|(?<= · )\d+\.\d$"
    r"|20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\+\d\d:\d\d)?",
    re.MULTILINE,
)


class Shell:
    """A copy of samples/ and examples/ with a library beside them, and the commands of a README run there."""

    def __init__(self, folder: Path, language: str) -> None:
        self.folder = folder.resolve()
        for name in ("samples", "examples"):
            shutil.copytree(ROOT / name, self.folder / name)
        program = self.folder / "bin/yuanwen"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m yuanwen "$@"\n', "utf-8")
        program.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONUTF8": "1",
            "YUANWEN_LANG": language,
            "YUANWEN_LIBRARY": str(self.folder / "library.sqlite"),
        }

    def run(self, *command: str) -> str:
        """Return what a command prints on both of its streams, without the blank lines at its end."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=60,
        )
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.rstrip().splitlines())


@pytest.fixture(params=sorted(READMES))
def readme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _text(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def _stable(text: str) -> str:
    return _UNSTABLE.sub("#", text.rstrip())


def _is_shown(shown: str, printed: str) -> bool:
    """Return whether `printed` is what a README shows, times, sizes and scores aside."""
    lines = [".*" if line == "..." else re.escape(line) for line in _stable(shown).splitlines()]
    return re.fullmatch("\n".join(lines), _stable(printed), re.DOTALL) is not None


def _renewed(text: str, shell: Shell) -> str:
    """Return a README with the output of each command and each Python example as it is now."""

    def step(found: re.Match[str]) -> str:
        command, shown = found.groups()
        printed = shell.run("sh", "-c", command)
        after = "\n" if shown[-2:] in ("\n", "\n\n") else ""
        return found[0] if _is_shown(shown, printed) else f"$ {command}\n{printed}{after}"

    def example(found: re.Match[str]) -> str:
        printed = shell.run(sys.executable, "-c", found[0])
        code = "".join(line for line in found[0].splitlines(keepends=True) if not line.startswith("# -> "))
        return code + "".join(f"# -> {line}\n" for line in printed.splitlines())

    def block(found: re.Match[str]) -> str:
        return _STEP.sub(step, found[0])

    return _PYTHON.sub(example, _CONSOLE.sub(block, text))


needs_sh = pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for a POSIX shell")


# ------------------------------------------------------------------------------------------- READMEs


@needs_sh
def test_commands_and_examples_print_what_the_readme_shows(readme: str, tmp_path: Path) -> None:
    text = _text(readme)
    assert len(_CONSOLE.findall(text)) >= 4
    assert len(_PYTHON.findall(text)) >= 1
    assert _renewed(text, Shell(tmp_path, READMES[readme])) == text


def test_each_query_in_the_readme_has_the_first_hit_that_it_names(readme: str, tmp_path: Path) -> None:
    rows = _QUERY.findall(_text(readme))
    assert len(rows) >= 8
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(ROOT / "samples")
        for query, title, heading in rows:
            hit = library.search(query, limit=1).hits[0]
            assert (hit.title, hit.heading[-1] if hit.heading else "-") == (title, heading), query


def test_every_verb_is_in_the_readme(readme: str) -> None:
    text = _text(readme)
    assert [verb for verb in VERBS if not re.search(rf"`{verb}\b", text)] == []


def test_every_extra_and_every_kind_of_mark_is_in_the_readme(readme: str) -> None:
    text = _text(readme)
    extras = tomllib.loads(_text("pyproject.toml"))["project"]["optional-dependencies"]
    assert [extra for extra in extras if f'".[{extra}]"' not in text] == []
    assert [kind for kind in (*DOUBTS, *CHANGES, *INLINE) if f"`{kind}`" not in text] == []


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md", "docs/verify.md", "docs/verify.zh-CN.md"])
def test_every_status_of_a_claim_has_a_row(name: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \|", _text(name), re.MULTILINE)
    assert [status for status in get_args(Status) if status not in rows] == []


@pytest.mark.parametrize("name", ["docs/verify.md", "docs/verify.zh-CN.md"])
def test_every_folding_and_field_of_a_claim_is_named(name: str) -> None:
    text = _text(name)
    assert [folding for folding in FOLDINGS if f"| `{folding}`" not in text] == []
    assert [field for field in (*output.CLAIM, *output.FOUND, *output.CHANGE) if f"`{field}`" not in text] == []


def test_links_between_the_documents_lead_somewhere() -> None:
    documents = [path for folder in (".", "benchmarks", "docs") for path in (ROOT / folder).glob("*.md")]
    for document in documents:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text("utf-8")):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


@pytest.mark.parametrize("name", ["docs/mcp.md", "docs/mcp.zh-CN.md"])
def test_the_reply_that_a_model_sees_is_the_one_in_the_documents(name: str, tmp_path: Path) -> None:
    from yuanwen.mcp_server import replies

    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(ROOT / "samples")
        found = library.search("证据不足", mode="exact", limit=8)
    reply = replies.evidence(found, {"query": "证据不足", "mode": "exact"}, offset=0, room=8000)
    assert f"```\n{reply.text}\n```" in _text(name)


@pytest.mark.parametrize("name", ["docs/mcp.md", "docs/mcp.zh-CN.md"])
def test_every_tool_and_every_client_is_in_the_documents(name: str) -> None:
    from yuanwen.mcp_clients import NAMES
    from yuanwen.mcp_server.tools import TOOLS

    text = _text(name)
    assert [tool.name for tool in TOOLS if not re.search(rf"`{tool.name}\b", text)] == []
    assert [client for client in NAMES if f"| `{client}` |" not in text] == []


# -------------------------------------------------------------------------------------- ARCHITECTURE


def test_architecture_names_every_module_and_no_other() -> None:
    there = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")}
    named = set(re.findall(_MODULE, _text("ARCHITECTURE.md")))
    elsewhere = {name for name in named if name.startswith(("tests/", "benchmarks/", "tools/"))}
    assert all((ROOT / name).exists() for name in elsewhere)
    assert named - elsewhere == there


def test_architecture_names_the_home_of_each_library() -> None:
    text = _text("ARCHITECTURE.md").partition("Each library from outside has one home")[2]
    for library, homes in HOMES.items():
        found = re.search(rf"`{library}`.*?((?:`[\w/]+(?:\.py|/)`(?:,?\s+(?:and\s+)?)?)+)", text, re.DOTALL)
        named = re.findall(r"`([\w/]+?)(?:\.py|/)`", found[1]) if found else []
        assert {name.replace("/", ".") for name in named} == homes, library


def test_modules_import_only_what_stands_above_them_in_architecture() -> None:
    rows = [
        re.findall(_MODULE, line.split(" | ")[0])
        for line in _text("ARCHITECTURE.md").splitlines()
        if line.startswith("| `") and line.split("`")[1].endswith(".py")
    ]
    height = {module: row for row, modules in enumerate(rows) for module in modules}
    wrong = [
        f"{module} imports {other}"
        for module in height
        for other in _imported(PACKAGE / module)
        if other != "__init__.py" and height[other] > height[module]
    ]
    assert wrong == []


def _imported(file: Path) -> set[str]:
    """Return the modules of the package that a file imports anywhere, by their paths within it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        found.update(_file(name) for name in names if name.split(".")[0] == "yuanwen")
    return found


def _file(name: str) -> str:
    """Return the path of the module that `name` is, or is in."""
    place = PACKAGE.joinpath(*name.split(".")[1:])
    for candidate in (place.with_suffix(".py"), place / "__init__.py"):
        if candidate.exists():
            return candidate.relative_to(PACKAGE).as_posix()
    return _file(name.rpartition(".")[0])


# ------------------------------------------------------------------------------------------- samples


@pytest.mark.parametrize(
    ("query", "labels"),
    [("证据不足", ["P004", "P002"]), ("临时验证码", ["P001"]), ("滞纳金", [None, "P002"])],
)
def test_the_handbook_answers_the_founding_questions(tmp_path: Path, query: str, labels: list[str | None]) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(ROOT / "samples")
        assert [hit.label for hit in library.search(query, mode="exact").hits] == labels


MEANT = {
    "answer.md": ["verbatim", "normalised", "altered", "altered", "elsewhere", "uncited"],
    "回答.md": ["verbatim", "normalised", "altered", "elsewhere", "altered", "uncited"],
}


@pytest.mark.parametrize("name", MEANT)
def test_the_example_answers_are_wrong_as_they_are_meant_to_be(tmp_path: Path, name: str) -> None:
    answer = (ROOT / "examples" / name).read_text("utf-8")
    meant = MEANT[name]
    with Library.open(tmp_path / "library.sqlite") as library:
        library.add(ROOT / "samples")
        found = library.verify(answer)
    assert [claim.status for claim in found.claims] == meant
    changed = {change.kind for claim in found.claims for change in claim.changes}
    assert changed == {"number", "negation"}
    assert Originals.read([ROOT / "samples"]).verify(answer).counts == found.counts


if __name__ == "__main__":
    for name, language in READMES.items():
        with tempfile.TemporaryDirectory() as folder:
            (ROOT / name).write_text(_renewed(_text(name), Shell(Path(folder), language)), "utf-8")
