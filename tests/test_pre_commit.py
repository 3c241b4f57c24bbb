"""A repository of notes checks its own quotations: as a pre-commit hook, and as a step in CI, as documented."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pdf_files
import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("docs/ci.md", "docs/ci.zh-CN.md")
CONTRACT = (
    "第九条　乙方逾期付款的，应当按日支付合同总价万分之五的违约金。\n\n第十条　本合同未经双方书面同意不得转让。\n"
)
AGREEMENT = ("The tenant shall pay a late fee of 35 dollars", "for each day after the 5th of the month.")
NOTES = {
    "notes/contract.md": (
        "# 读合同\n\n逾期付款的后果写在第九条：「按日支付合同总价万分之五的违约金」。\n\n这一条以后再议。\n\n"
        "> 本合同未经双方书面同意不得转让。\n"
    ),
    "notes/lease.md": "# Lease\n\nIt says “a late fee of 35 dollars for each day after the 5th”. I find that steep.\n",
}

yaml: Any = pytest.importorskip("yaml")
pytest.importorskip("pre_commit")
pytestmark = pytest.mark.skipif(os.name != "posix" or shutil.which("git") is None, reason="needs git and a POSIX shell")


class Repository:
    """A small git repository, and the programs that its owner has; nothing of the user or the network is touched."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "repository"
        programs = place / "programs"
        programs.mkdir()
        for name, module in (("yuanwen", "yuanwen"), ("pre-commit", "pre_commit")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
            (programs / name).chmod(0o755)
        nowhere = "http://127.0.0.1:9"
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LC_"))}
        self.environment |= {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(place / "home"),
            "PRE_COMMIT_HOME": str(place / "pre-commit"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "http_proxy": nowhere,
            "https_proxy": nowhere,
            "PIP_NO_INDEX": "1",
            "YUANWEN_LANG": "en",
            "YUANWEN_LIBRARY": str(place / "no-library.sqlite"),
        }
        self.write("sources/contract.md", CONTRACT)
        (self.folder / "sources/lease.pdf").write_bytes(pdf_files.made([pdf_files.prose(*AGREEMENT)]))
        for name, text in NOTES.items():
            self.write(name, text)
        self.git("init", "--quiet", "--initial-branch=main")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def change(self, name: str, before: str, after: str) -> None:
        text = (self.folder / name).read_text("utf-8")
        assert text.count(before) == 1
        self.write(name, text.replace(before, after))

    def run(self, *command: str) -> tuple[int, str]:
        """Return the exit status of a command, and what it printed on both of its streams."""
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def git(self, *arguments: str) -> tuple[int, str]:
        return self.run("git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments)

    def hook(self) -> tuple[int, str]:
        """Run the hooks on all files."""
        self.git("add", "--all")
        return self.run("pre-commit", "run", "--all-files", "--verbose")


@pytest.fixture(name="repository")
def repository_fixture(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def blocks(document: str) -> list[Any]:
    """Return the YAML documents that a page shows, in order."""
    text = (ROOT / document).read_text("utf-8")
    return [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def steps(value: Any) -> Iterator[str]:
    """Yield the commands of a pipeline that run Yuanwen."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, str) and value.startswith("yuanwen "):
        yield value
    for item in items:
        yield from steps(item)


def check_both_ways(repository: Repository, run: Any) -> None:
    """Have a check pass on right quotations, fail on a changed digit and a dropped 不, and pass on mended ones."""
    status, printed = run()
    assert status == 0, printed
    repository.change("notes/lease.md", "35 dollars", "36 dollars")
    repository.change("notes/contract.md", "不得转让", "得转让")
    status, printed = run()
    assert status == 1, printed
    for name, line, change in (
        ("notes/lease.md", 3, r"number: 35 became 36"),
        ("notes/contract.md", 7, r"negation: 不得? (?:is left out|became 得)"),
    ):
        assert name in printed
        assert re.search(rf"\b{line}\b", printed), printed
        assert re.search(change, printed), printed
    repository.change("notes/lease.md", "36 dollars", "35 dollars")
    repository.change("notes/contract.md", "得转让", "不得转让")
    status, printed = run()
    assert status == 0, printed


def test_the_documented_hook_stops_a_wrong_quotation_and_lets_right_ones_pass(repository: Repository) -> None:
    config = blocks(DOCUMENTS[0])[0]
    repository.write(".pre-commit-config.yaml", yaml.safe_dump(config, allow_unicode=True))
    check_both_ways(repository, repository.hook)


def test_a_commit_with_a_wrong_quotation_is_refused(repository: Repository) -> None:
    repository.write(".pre-commit-config.yaml", yaml.safe_dump(blocks(DOCUMENTS[0])[0]))
    assert repository.run("pre-commit", "install")[0] == 0
    repository.git("add", "--all")
    status, printed = repository.git("commit", "--message", "right")
    assert status == 0, printed
    repository.change("notes/contract.md", "万分之五", "万分之六")
    status, printed = repository.git("commit", "--all", "--message", "wrong")
    assert status == 1 and "number" in printed, printed
    assert repository.git("log", "--format=%s")[1].split() == ["right"]


def test_the_hook_that_others_install_works_as_its_manifest_and_the_documents_say(repository: Repository) -> None:
    (offered,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (used,) = blocks(DOCUMENTS[0])[1]["repos"][0]["hooks"]
    hook = offered | used | {"language": "system"}  # installed already, where pre-commit would do it from the network
    repository.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": [hook]}]}))
    check_both_ways(repository, repository.hook)


def test_the_manifest_and_the_documented_configurations_are_valid(repository: Repository) -> None:
    status, printed = repository.run("pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (status, printed) == (0, "")
    for config in blocks(DOCUMENTS[0])[:2]:
        repository.write("config.yaml", yaml.safe_dump(config))
        assert repository.run("pre-commit", "validate-config", "config.yaml") == (0, "")


@pytest.mark.parametrize("place", [2, 3], ids=["GitHub", "GitLab"])
def test_the_documented_step_fails_where_a_quotation_is_wrong(repository: Repository, place: int) -> None:
    (step,) = steps(blocks(DOCUMENTS[0])[place])
    check_both_ways(repository, lambda: repository.run("sh", "-e", "-c", step))


def test_both_languages_document_the_same() -> None:
    english, chinese = ((ROOT / name).read_text("utf-8") for name in DOCUMENTS)
    code = re.compile(r"^(?:```yaml\n.*?^```|    \S[^\n]*)$", re.MULTILINE | re.DOTALL)
    assert code.findall(english) == code.findall(chinese)
    assert len(blocks(DOCUMENTS[0])) == 4


def test_a_library_serves_as_well_as_files_do(repository: Repository, tmp_path: Path) -> None:
    library = str(tmp_path / "library.sqlite")
    assert repository.run("yuanwen", "-L", library, "add", "sources")[0] == 0
    command = shlex.split(f"yuanwen verify --quotes-only -L {shlex.quote(library)}") + sorted(NOTES)
    check_both_ways(repository, lambda: repository.run(*command))


def test_a_source_that_is_changed_under_its_notes_is_found(repository: Repository) -> None:
    (step,) = steps(blocks(DOCUMENTS[0])[3])
    repository.change("sources/contract.md", "万分之五", "万分之三")
    status, printed = repository.run("sh", "-e", "-c", step)
    assert status == 1 and "notes/contract.md" in printed, printed
