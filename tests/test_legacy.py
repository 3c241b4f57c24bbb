"""Files of the old Office and RTF: read through LibreOffice, which leaves nothing behind, however it ends."""

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from extracted import tiled

from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, legacy, media_type_of

pytestmark = pytest.mark.skipif(
    shutil.which("soffice") is None and "CI" not in os.environ, reason="LibreOffice is not installed"
)

PAGE = """<html><head><meta charset="utf-8"><title>年度预算</title></head><body><h1>预算执行情况</h1>
<p>关于开展二〇二四年度预算执行情况检查的通知。</p><table><tr><td>甲</td><td>乙</td></tr></table>
<p>第二段 Hello，龘朱镕基。</p></body></html>"""
SLIDE = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2"
 office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page>
 <draw:frame svg:x="2cm" svg:y="2cm" svg:width="20cm" svg:height="3cm"><draw:text-box><text:p>年度预算汇报</text:p>
 </draw:text-box></draw:frame></draw:page></office:presentation></office:body></office:document>"""
RTF = rb"{\rtf1\ansi\ansicpg936\uc1 \u39044?\u31639?\'d6\'b4\'d0\'d0\par second paragraph\par}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A Chinese file of each kind, as LibreOffice writes it."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "a.fodp").write_text(SLIDE, encoding="utf-8")
    for source, kind, suffix in (
        ("a.html", "doc:MS Word 97", "doc"),
        ("a.html", "rtf", "rtf"),
        ("a.fodp", "ppt", "ppt"),
    ):
        reading = ["--infilter=HTML (StarWriter)"] if source == "a.html" else []
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        command = ["soffice", profile, "--headless", "--norestore", *reading, "--convert-to", kind, source]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=180)
        assert (folder / f"a.{suffix}").is_file()
    return {suffix: (folder / f"a.{suffix}").read_bytes() for suffix in ("doc", "rtf", "ppt")}


@pytest.fixture(scope="module", autouse=True)
def office() -> Iterator[None]:
    """The tests that read files share a profile of LibreOffice, whose first start is slow."""
    yield
    legacy._office(os.getpid()).close()


@pytest.fixture
def own_office() -> Iterator[None]:
    """A test takes no program and no folder over from others, and leaves them none."""
    legacy._office(os.getpid()).close()
    yield
    legacy._office(os.getpid()).close()


@pytest.fixture(scope="module")
def word(made: dict[str, bytes]) -> Extracted:
    """The Word file, read."""
    return read("报告.doc", made["doc"])


def raw(name: str, data: bytes, allowance: Allowance | None = None) -> Raw:
    return Raw(name=name, data=data, media_type=media_type_of(name, data) or "", allowance=allowance or Allowance())


def read(name: str, data: bytes) -> Extracted:
    """Return the one document in a file, whose passages tile its text."""
    (document,) = extract(raw(name, data))
    assert isinstance(document, Extracted)
    return tiled(document)


def running() -> set[str]:
    """Return what runs of what was started here, and which folders of ours there are."""
    listed = subprocess.run(["ps", "-ww", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return {line for line in listed.splitlines() if "yuanwen-" in line}


def works(what: str) -> bool:
    """Return whether LibreOffice runs in a folder, within some seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if any("soffice" in line and what in line for line in running()):
            return True
    return False


def gone(what: str) -> bool:
    """Return whether nothing that runs names a folder, within some seconds."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if not any(what in line for line in running()) and not Path(what).exists():
            return True
    return False


def test_a_word_file_is_read_with_its_headings_and_keeps_its_media_type(word: Extracted) -> None:
    document = word
    assert document.media_type == "application/msword"
    assert document.text.startswith("预算执行情况")
    assert "关于开展二〇二四年度预算执行情况检查的通知。" in document.text
    assert "甲\t乙" in document.text and "龘朱镕基" in document.text
    assert [heading.text for heading in document.headings] == ["预算执行情况"]
    assert document.title == "年度预算"


def test_what_kingsoft_writes_is_read_like_word(made: dict[str, bytes]) -> None:
    assert "检查的通知" in read("报告.wps", made["doc"]).text


def test_rtf_is_read(made: dict[str, bytes]) -> None:
    document = read("a.rtf", made["rtf"])
    assert document.media_type == "application/rtf"
    assert "关于开展二〇二四年度预算执行情况检查的通知。" in document.text
    assert read("a.doc", RTF).text.split() == ["预算执行", "second", "paragraph"]


def test_slides_are_read(made: dict[str, bytes]) -> None:
    document = read("a.ppt", made["ppt"])
    assert document.media_type == "application/vnd.ms-powerpoint"
    assert "年度预算汇报" in document.text
    assert document.places[0][1].unit == "slide"


def test_a_damaged_word_file_says_so(made: dict[str, bytes]) -> None:
    head = made["doc"][:1024] + b"\0" * 6000
    for broken in (head, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 3000, b"not a Word file\x01\x02\x00"):
        with pytest.raises(Unreadable, match="it is damaged"):
            list(legacy.extract(Raw(name="a.doc", data=broken, media_type="application/msword")))


def test_a_word_file_with_a_password_asks_for_it(made: dict[str, bytes]) -> None:
    data = bytearray(made["doc"])
    head = data.index(b"\xec\xa5")
    data[head + 11] |= 1
    with pytest.raises(Unreadable, match="it needs a password"):
        extract(raw("a.doc", bytes(data)))


def test_slides_with_a_password_ask_for_it(made: dict[str, bytes]) -> None:
    plain, encrypted = (struct.pack("<IIII", 0x0FF60000, 0x25, 0x14, token) for token in (0xE391C05F, 0xF3D1C4DF))
    kept = made["ppt"]
    at = kept.index(b"\0\0\xf6\x0f")
    assert kept[at + 8 : at + 16] == plain[8:]
    with pytest.raises(Unreadable, match="it needs a password"):
        extract(raw("a.ppt", kept[: at + 8] + encrypted[8:] + kept[at + 16 :]))


def test_a_second_file_uses_the_same_profile_and_nothing_of_the_first_stays(
    made: dict[str, bytes], word: Extracted
) -> None:
    folder = legacy._office(os.getpid())._folder
    assert [path.name for path in folder.glob("file.*")] == []
    assert list((folder / "made").iterdir()) == []
    assert read("a.doc", made["doc"]) == word
    assert legacy._office(os.getpid())._folder == folder


@pytest.mark.usefixtures("own_office")
def test_one_that_takes_too_long_is_ended_with_all_its_processes(
    made: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(legacy._office(os.getpid())._folder)
    monkeypatch.setattr(legacy, "TIME_LIMIT", 0.2)
    with pytest.raises(Unreadable, match="LibreOffice needs more than 0 seconds for it"):
        extract(raw("a.doc", made["doc"]))
    assert gone(folder)


@pytest.mark.usefixtures("own_office")
def test_nothing_stays_when_the_reader_is_interrupted(made: dict[str, bytes]) -> None:
    folder = str(legacy._office(os.getpid())._folder)

    def interrupt(patience: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(legacy.extract(raw("a.doc", made["doc"], Allowance(interrupt))))
    assert gone(folder)


WORKER = """
import os, sys
from pathlib import Path
from yuanwen.allowance import Allowance
from yuanwen.documents import Raw
from yuanwen.extract import legacy
def beat(patience):
    print(legacy._office(os.getpid())._folder, flush=True)
data = Path(sys.argv[1]).read_bytes()
while True:
    list(legacy.extract(Raw(name="a.doc", data=data, media_type="application/msword", allowance=Allowance(beat))))
"""


def test_nothing_stays_when_the_worker_is_killed(made: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "a.doc").write_bytes(made["doc"])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WORKER, str(tmp_path / "a.doc")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as worker:
        assert worker.stdout is not None
        folder = worker.stdout.readline().strip()
        worker.stdout.readline()
        assert works(folder)
        worker.send_signal(signal.SIGKILL)
    assert gone(folder)


@pytest.mark.usefixtures("own_office")
def test_without_libreoffice_a_file_says_what_would_read_it(
    made: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unreadable, match="it needs LibreOffice to be read"):
        extract(raw("a.doc", made["doc"]))


@pytest.mark.usefixtures("own_office")
def test_catdoc_stands_in_for_word_files(
    made: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("catdoc") is None:
        pytest.skip("catdoc is not installed")
    for program in ("catdoc", "sh", "rm"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    monkeypatch.setenv("PATH", str(tmp_path))
    document = read("a.doc", made["doc"])
    assert "关于开展二〇二四年度预算执行情况检查的通知。" in document.text
    with pytest.raises(Unreadable, match="it needs LibreOffice"):
        extract(raw("a.rtf", made["rtf"]))
