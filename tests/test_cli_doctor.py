"""The doctor: what works on this machine, and what mends the rest."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    on_a_terminal,
    surroundings_fixture,
)

from yuanwen.cli import terminal
from yuanwen.doctor import GROUPS, examine
from yuanwen.extract import EXTRACTORS, MEDIA_TYPES, served

OPTIONAL = ("rapidocr", "onnxruntime", "olefile", "msoffcrypto")


def doctor_without_extras(tmp_path: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    """Run the doctor where nothing of what can be there or not is installed."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL})); "
        f"from yuanwen.cli.app import run; sys.exit(run({['doctor', *args]}))"
    )
    environment = os.environ | {"PATH": str(tmp_path)}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=False)


def test_doctor_finds_a_sound_machine(call: Call) -> None:
    status, out, err = call("doctor")
    assert (status, err) == (0, "")
    assert "✓ Python" in out and "✓ SQLite" in out and "✗" not in out
    findings = json.loads(call("doctor", "--json")[1])["findings"]
    assert all(list(finding) == ["name", "ok", "detail", "fix"] for finding in findings)
    assert {"Python", "SQLite", "tantivy", "library", "terminal", "font", "PDF"} <= {f["name"] for f in findings}


def test_doctor_says_what_to_do_about_what_is_wrong(call: Call, tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("this is not a database, and long enough to be looked at " * 20)
    status, out, _ = call("-L", "text.sqlite", "doctor")
    assert status == 1
    assert "✗ library" in out and "→ Name another file with -L." in out


def test_doctor_makes_no_library(call: Call, tmp_path: Path) -> None:
    assert call("-L", "new.sqlite", "doctor")[0] == 0
    assert list(tmp_path.iterdir()) == []
    (finding,) = [each for each in examine(tmp_path / "new.sqlite") if each.name == "library"]
    assert finding.ok and "not there yet" in finding.detail


def test_every_format_that_can_be_read_stands_in_one_group(call: Call) -> None:
    findings = {f["name"]: f for f in json.loads(call("doctor", "--json")[1])["findings"]}
    named = [suffix for group in GROUPS if not group.suffixes for suffix in _suffixes(findings[group.name])]
    readable = {s.removeprefix(".") for s, m in MEDIA_TYPES.items() if m in EXTRACTORS or m.startswith("text/")}
    assert len(named) == len(set(named))
    assert set(named) == readable
    assert not readable & set(_suffixes(findings["not read"]))
    assert all(served(group.module) for group in GROUPS)


def _suffixes(finding: dict[str, str]) -> list[str]:
    return finding["detail"].partition(":")[0].split()


def test_doctor_names_the_exact_command_for_what_is_not_installed(tmp_path: Path) -> None:
    done = doctor_without_extras(tmp_path)
    out = done.stdout.decode()
    assert done.returncode == 0  # the rest works
    for name, suffix, extra in (
        ("pictures and scans", "png", "ocr"),
        ("Outlook mail", "msg", "msg"),
        ("Office with a password", "docx", "office-password"),
    ):
        command = re.escape(f'Run: "{sys.executable}" -m pip install "yuanwen[{extra}]"')
        assert re.search(rf"· {name} +{suffix}\b.*: not yet\n +→ {command}\n", out), out
    assert re.search(r"· Office before 2007 +doc\b.*: not yet\n +→ Run: \S+ .*[Ll]ibre[Oo]ffice", out), out
    assert re.search("✓ PDF +pdf\n", out)


def test_json_of_what_is_not_installed_has_a_fix_and_is_ok(tmp_path: Path) -> None:
    findings = json.loads(doctor_without_extras(tmp_path, "--json").stdout)["findings"]
    outlook = next(each for each in findings if each["name"] == "Outlook mail")
    assert outlook == {
        "name": "Outlook mail",
        "ok": True,
        "detail": "msg: not yet",
        "fix": f'Run: "{sys.executable}" -m pip install "yuanwen[msg]"',
    }


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_format_takes_one_line_of_a_terminal_unless_all_is_wanted(language: str) -> None:
    shown = on_a_terminal("doctor", NO_COLOR="1", YUANWEN_LANG=language).splitlines()
    assert all(terminal.cells(line) <= 80 for line in shown)
    (text,) = [line for line in shown if " txt text log " in line]
    assert text.endswith("…")
    whole = on_a_terminal("doctor", "-v", NO_COLOR="1", YUANWEN_LANG=language)
    assert "graphql gql" in " ".join(whole.split())
