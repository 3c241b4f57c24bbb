"""Word and PowerPoint files from before 2007, and RTF: what LibreOffice makes of them, read as DOCX or PPTX.

Where there is no LibreOffice, catdoc gives the bare text of a Word file.
"""

import atexit
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from shutil import which

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extractor
from yuanwen.extract.formats import DOCX, ENCRYPTED, PPTX
from yuanwen.extract.refusals import damaged, locked

WORD = "application/msword"
POWERPOINT = "application/vnd.ms-powerpoint"
RTF = "application/rtf"
TIME_LIMIT = 90.0  # seconds for one file; most take 2 to 5
MEMORY_LIMIT = 4 * 2**30  # bytes of address space, for LibreOffice alone

# Media type -> its suffix, the suffix and the filter of what is made of it, and the media type of that.
_TARGETS = {
    WORD: ("doc", "docx", "MS Word 2007 XML", DOCX),
    RTF: ("rtf", "docx", "MS Word 2007 XML", DOCX),
    POWERPOINT: ("ppt", "pptx", "Impress MS PowerPoint 2007 XML", PPTX),
}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# How the stream WordDocument begins, by version, up to the byte with the flag.
_WORD_HEAD = re.compile(rb"(?:\xdc\xa5[\x65-\x69]\0|\xec\xa5(?:[\xc1\xd9]\0|[\x01\x0c\x12]\x01)).{7}(.)", re.DOTALL)
_WORD_ENCRYPTED = 0x01
_SECTOR = 64  # streams begin at multiples of it
_POWERPOINT_ENCRYPTED = re.compile(rb"\0\0\xf6\x0f.{4}\x14\0\0\0\xdf\xc4\xd1\xf3", re.DOTALL)  # the CurrentUserAtom

# It is told the process group that runs; its input ends with the process that holds the other end, however that dies.
_KEEPER = (
    'while read -r line; do group=$line; done; [ -n "$group" ] && kill -s KILL -- "-$group" 2>/dev/null; '
    'rm -rf "$0" 2>/dev/null || { sleep 1; rm -rf "$0"; }'
)
# Starts once the keeper knows of it. No file grows beyond 512 MiB.
_LIMITED = 'read -r line || exit; ulimit -S -v "$0" 2>/dev/null; ulimit -f 1048576 2>/dev/null; exec "$@" </dev/null'

# No macros; nothing is fetched that a document links to, and if it were, from a port where nothing answers.
_SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
{items}</oor:items>
"""
_SETTING = '<item oor:path="/org.openoffice.{0}"><prop oor:name="{1}" oor:op="fuse"><value>{2}</value></prop></item>\n'
_SET = (
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Inet/Settings", "ooInetProxyType", "2"),
    *(("Inet/Settings", f"ooInet{kind}ProxyName", "127.0.0.1") for kind in ("HTTP", "HTTPS", "FTP")),
    *(("Inet/Settings", f"ooInet{kind}ProxyPort", "9") for kind in ("HTTP", "HTTPS", "FTP")),
)


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the document. Raises Unreadable where there is no program to read it with, or none can."""
    suffix, made, filter_name, media_type = _TARGETS[raw.media_type]
    if raw.media_type != RTF and not raw.data.startswith(_OLE):  # LibreOffice would take it for plain text
        raise damaged()
    if _encrypted(raw):
        if not raw.passwords:
            raise locked()
        yield from extractor(ENCRYPTED)(raw)
    elif soffice := which("soffice"):
        data = _office(os.getpid()).convert(soffice, raw, suffix, made, filter_name)
        for item in extractor(media_type)(replace(raw, data=data, media_type=media_type)):
            yield replace(item, media_type=raw.media_type) if isinstance(item, Extracted) else item
    elif (catdoc := which("catdoc")) and raw.media_type == WORD:
        text = _office(os.getpid()).plain(catdoc, raw, suffix).decode("utf-8", "replace")
        yield Extracted(text=text, media_type=raw.media_type, replaced=text.count("\ufffd"))
    else:
        raise Unreadable("it needs LibreOffice to be read", hint="Install LibreOffice, then run: yuanwen sync")


def _encrypted(raw: Raw) -> bool:
    """Return whether a file asks for a password; LibreOffice only says that it cannot load such a file."""
    if raw.media_type == WORD:
        heads = (found for found in _WORD_HEAD.finditer(raw.data) if found.start() % _SECTOR == 0)
        head = next(heads, None)
        return head is not None and bool(head[1][0] & _WORD_ENCRYPTED)
    return raw.media_type == POWERPOINT and _POWERPOINT_ENCRYPTED.search(raw.data) is not None


# ----------------------------------------------------------------------------------- programs of others


@cache
def _office(process: int) -> "_Office":
    """Return what runs other programs for this process; it is kept, as the first start of LibreOffice is slow."""
    return _Office()


class _Office:
    """A temporary folder with a profile of LibreOffice, and a keeper that outlives this process to clear all away."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="yuanwen-"))
        self._keeper = subprocess.Popen(
            ["sh", "-c", _KEEPER, self._folder], stdin=subprocess.PIPE, cwd=self._folder, process_group=0
        )
        own = dict.fromkeys(("HOME", "TMPDIR"), str(self._folder))
        self._environment = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", **own}
        atexit.register(self.close)
        settings = self._folder / "profile" / "user" / "registrymodifications.xcu"
        settings.parent.mkdir(parents=True)
        items = "".join(_SETTING.format(*item) for item in _SET)
        settings.write_text(_SETTINGS.format(items=items), encoding="utf-8")

    def close(self) -> None:
        """End whatever still runs, and remove the folder."""
        atexit.unregister(self.close)
        _office.cache_clear()
        if self._keeper.stdin:
            self._keeper.stdin.close()
        self._keeper.wait()

    def convert(self, soffice: str, raw: Raw, suffix: str, made: str, filter_name: str) -> bytes:
        """Return what LibreOffice makes of a file. Raises Unreadable."""
        profile = (self._folder / "profile").as_uri()
        command = [soffice, f"-env:UserInstallation={profile}", "--headless", "--norestore", "--nolockcheck"]
        command += ["--nologo", "--nodefault", "--convert-to", f"{made}:{filter_name}", "--outdir", "made"]
        self._run(command, raw, suffix)
        result = self._folder / "made" / f"file.{made}"
        if not result.is_file():
            raise damaged()
        data = result.read_bytes()
        result.unlink()
        return data

    def plain(self, catdoc: str, raw: Raw, suffix: str) -> bytes:
        """Return the text that catdoc finds in a file, as UTF-8. Raises Unreadable."""
        return self._run([catdoc, "-d", "utf-8", "-w"], raw, suffix)

    def _run(self, command: Sequence[str | Path], raw: Raw, suffix: str) -> bytes:
        """Return what a program prints that is given a file. Raises Unreadable where it takes too long."""
        source, output = self._folder / f"file.{suffix}", self._folder / "output"
        source.write_bytes(raw.data)
        limited = ["sh", "-c", _LIMITED, str(MEMORY_LIMIT // 1024), *command, source.name]
        with (
            output.open("w+b") as printed,
            subprocess.Popen(
                limited,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=printed,
                stderr=subprocess.DEVNULL,
                process_group=0,
            ) as process,
        ):
            try:
                _tell(self._keeper, str(process.pid))
                _tell(process, "go")
                _await(process, raw.allowance.beat)
                _tell(self._keeper, "")
            except BaseException:
                self.close()
                raise
            source.unlink()
            printed.seek(0)
            return printed.read()


def _tell(process: subprocess.Popen[bytes], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n".encode())
    process.stdin.flush()


def _await(process: subprocess.Popen[bytes], beat: Callable[[], None]) -> None:
    """Wait until a process has ended. Raises Unreadable where it takes too long."""
    until = time.monotonic() + TIME_LIMIT
    while process.poll() is None:
        beat()
        if time.monotonic() > until:
            raise Unreadable(
                "LibreOffice needs more than {n} seconds for it", hint="Save it as DOCX.", n=int(TIME_LIMIT)
            )
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
