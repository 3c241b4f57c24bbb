"""Files built to exhaust us, and files that were damaged, lie among good ones: each costs itself and nothing else."""

import json
import os
import random
import re
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import write
from corpus_files import FILES
from PIL import Image

from yuanwen.extract import ocr

GIB = 2**30
pytestmark = [
    pytest.mark.big,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no way to limit or to measure memory"),
    pytest.mark.skipif(not FILES.exists(), reason="the corpus of files is not here"),
]

GOOD = {  # by name, with words of each
    "docling_Strict.docx": "Some text",
    "chatchat_ocr_test.pptx": "我是表格5",
    "tika_testEXCEL.strict.xlsx": "Start of 2nd sheet",
    "tika_testEPUB.epub": "This is the text for chapter One",
    "own/gbk_noembed_visible.pdf": "预算执行情况检查的通知",
    "own/page_gb2312_label_gb18030_bytes.html": "未闭合段落",
    "own/mail_gb2312_label_gb18030_bytes.eml": "您好，朱镕基",
    "own/poem_gbk.txt": "疑是地上霜",
    "markitdown_test_mskanji.csv": "佐藤太郎",
}
CRASHED = "its reader crashed"

# Adds a folder, and says how that went and how much memory the process took that did not read the files itself.
ADD = """
import json, os, re, resource, sys
from yuanwen import Library

def most():  # getrusage would tell the memory of the process that started this one, if that had more
    if os.path.exists("/proc/self/status"):
        with open("/proc/self/status") as status:
            return int(re.search(r"VmHWM:\\s*(\\d+) kB", status.read())[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

with Library.open(sys.argv[1]) as library:
    report = library.add(sys.argv[2])
    taken = most()
    passages = library.search("", mode="raw", limit=10**9).hits
    odd = [hit.source for hit in passages if re.search("[\\0\\ufffe\\ud800-\\udfff]", hit.text)]
    unread = library.status().unread
    found = {}
    for words in sys.argv[3:]:
        found[words] = [hit.source for hit in library.search(words, mode="exact", limit=10**6).hits]
    json.dump({
        "files": report.files, "indexed": report.indexed, "bytes": taken, "odd": odd, "found": found,
        "skipped": {skip.source: [skip.reason, skip.hint] for skip in report.skipped},
        "unread": {part.source: part.reason for part in unread},
        "sources": [document.source for document in library.list()],
        "problems": library.check().problems,
    }, sys.stdout)
"""


class Added:
    """A folder of files, good ones among them, after it was added to a library by a process of its own."""

    def __init__(self, place: Path) -> None:
        self.folder = place / "docs"
        for name in GOOD:
            write(self.folder / "good" / Path(name).name, (FILES / name).read_bytes())
        places = [str(place / "library.sqlite"), str(self.folder)]
        command = [sys.executable, "-c", ADD, *places, *GOOD.values()]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        self.said: dict[str, Any] = json.loads(done.stdout)
        self.skipped = {self._name(source): reason for source, (reason, _) in self.said["skipped"].items()}
        self.indexed = {self._name(source).partition("//")[0] for source in self.said["sources"]}

    def _name(self, source: str) -> str:
        return Path(source).relative_to(self.folder).as_posix()

    def check(self) -> None:
        """Check what holds for every folder, whatever lies in it."""
        said = self.said
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()}
        whole = {name for name in there if any(one == name or one.startswith(f"{name}/") for one in self.indexed)}
        assert said["files"] == len(there) == said["indexed"] + len(self.skipped)
        assert whole | set(self.skipped) == there and not whole & set(self.skipped)
        assert all(reason and hint for reason, hint in said["skipped"].values())
        assert said["problems"] == [] and said["odd"] == []
        for name, words in GOOD.items():
            good = str(self.folder / "good" / Path(name).name)
            assert good in said["found"][words], f"{good}: {self.skipped}"

        assert said["bytes"] < GIB


# ------------------------------------------------------------------------------------------------- bombs


def deflated(block: bytes, times: int, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Return `head`, many times the same block, and `tail`, compressed; the block is compressed only once."""
    packed = b""
    for data, count in ((head, 1), (block, times)):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed += (packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)) * count
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packed + packer.compress(tail) + packer.flush()


def zipped(members: dict[str, str | bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return packed.getvalue()


def zip_bomb(members: dict[str, str | bytes], name: str, block: bytes, times: int) -> bytes:
    """Return a ZIP file whose last member is many times the same block."""
    packed = BytesIO(zipped(members))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr(name, deflated(block, times))
        info = archive.getinfo(name)
        info.compress_type, info.file_size = zipfile.ZIP_DEFLATED, len(block) * times
    return packed.getvalue()


def pdf(content: bytes, *, filters: bytes = b"", pages: int = 1) -> bytes:
    """Return a PDF with one page that is referred to so many times."""
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (b"3 0 R " * pages, pages),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), filters, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    data = b"%PDF-1.7\n" + b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, body) for n, body in enumerate(bodies, 1))
    places = [data.index(b"%d 0 obj\n" % n) for n in range(1, len(bodies) + 1)]
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return data + table + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % len(data)


def docx_bomb() -> bytes:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = f'<Relationships><Relationship Id="a" Type="{relation}" Target="word/document.xml"/></Relationships>'
    return zip_bomb({"_rels/.rels": relations}, "word/document.xml", b"<w:p/>" * 2**20, 171)


def nested_zips() -> bytes:
    """Return an archive that unpacks to 100 TB: ten archives in each of ten, five levels deep, each of 1 GiB."""
    data = zip_bomb({}, "a.txt", b"boom " * 2**21, 103)
    for _ in range(5):
        data = zipped({f"{number}.zip": data for number in range(10)})
    return data


MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
    'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
)


def ods_bomb(rows: int, columns: int) -> bytes:
    spaces = " ".join(f'xmlns:{p}="urn:oasis:names:tc:opendocument:xmlns:{p}:1.0"' for p in ("office", "table", "text"))
    cell = f'<table:table-cell office:value-type="string" table:number-columns-repeated="{columns}">'
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet><table:table table:name='S'>"
        f'<table:table-row table:number-rows-repeated="{rows}">{cell}<text:p>boom</text:p></table:table-cell>'
        "</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>"
    )
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    return zipped({"mimetype": mimetype, "content.xml": content, "META-INF/manifest.xml": MANIFEST})


def picture_bomb() -> bytes:
    head = b"IHDR" + struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n\0\0\0\r" + head + struct.pack(">I", zlib.crc32(head)) + bytes(64)


def thin_picture() -> bytes:
    packed = BytesIO()
    Image.new("1", (1, 1_000_000)).save(packed, "PNG")
    return packed.getvalue()


BOOM = b"BT /F1 12 Tf 72 700 Td (boom) Tj ET"
# Name -> what makes it, and the reason for which it is skipped; none where it is text as well as any other.
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "blanks.pdf": (lambda: pdf(b"\x78\x9c" + deflated(b" " * 2**24, 128), filters=b"/Filter/FlateDecode"), CRASHED),
    "pages.pdf": (lambda: pdf(BOOM, pages=300_000), ""),
    "document.docx": (docx_bomb, "it unpacks to"),
    "nested.zip": (nested_zips, "it unpacks to"),
    "many.ods": (lambda: ods_bomb(1_048_576, 16_384), "it is damaged"),
    "wide.ods": (lambda: ods_bomb(1, 2_000_000_000), ""),
    "divs.html": (lambda: b"<div>" * 500_000 + b"boom", "its elements are nested too deeply"),
    "attributes.html": (
        lambda: b"<p " + b" ".join(b"a%d=1" % n for n in range(300_000)) + b">boom",
        "one of its elements has too many attributes",
    ),
    "a.html": (lambda: b"<a " * 40_000 + b">boom", "its elements are nested too deeply"),
    "comments.html": (lambda: b"<!--" * 40_000 + b"boom", "there is no text in it"),
    "list.json": (lambda: b"[" * 2_000_000, ""),
    "quotes.md": (lambda: b"> " * 500_000 + b"boom", ""),
    "bracket.rtf": (lambda: b"{\\rtf1" + b"{" * 500_000 + b"boom", "it "),
    "huge.png": (picture_bomb, "it "),
    "thin.png": (thin_picture, "there is no text in it" if ocr.available() else "it is a picture"),
    "text.log": (lambda: b"boom and bust\n" * (80 * 2**20 // 14), "its text is longer than"),
}
OWN = {
    "manychars.pdf": CRASHED,
    "expform.pdf": CRASHED,
    "hugebox.pdf": "",
    "sparse.xlsx": "its cells are too far apart",
    "laughs.docx": "its XML has a DTD",
    "xxe.docx": "its XML has a DTD",
    "deep.docx": "its elements are nested too deeply",
    "tables.docx": "its elements are nested too deeply",
    "html_deep_div.html": "",
    "html_quadratic_a.html": "there is no text in it",
}


def test_a_bomb_costs_itself_and_nothing_else(tmp_path: Path) -> None:
    for name, (make, _) in BOMBS.items():
        write(tmp_path / "docs" / name, make())
    for name in OWN:
        write(tmp_path / "docs" / name, (FILES / "own" / name).read_bytes())
    os.truncate(write(tmp_path / "docs" / "zeros.txt", "0"), 500 * 2**20)  # takes no space on the disk
    added = Added(tmp_path)
    added.check()
    expected = {name: reason for name, (_, reason) in BOMBS.items()} | OWN | {"zeros.txt": "binary file"}
    for name, reason in expected.items():
        assert (name in added.indexed) == (not reason), name
        assert reason in added.skipped.get(name, ""), name
    assert set(added.skipped) == {name for name, reason in expected.items() if reason}
    assert set(added.said["unread"].values()) == {"pages 100001 to 300000 were left out"}


# ---------------------------------------------------------------------------------------------- mutations

SEEDS = (
    *("pdfjs_XiaoBiaoSong.pdf", "pdfjs_issue15340.pdf", "texlive_upzhkinsoku-doc.pdf", "tika_testPDF_acroform3.pdf"),
    *("own/gbk_noembed_visible.pdf", "pdfjs_issue18117.pdf", "docling_textbox.docx", "docling_docx_comments.docx"),
    *("tika_testWORD_phonetic.docx", "chatchat_ocr_test.docx", "tika_testEXCEL.strict.xlsx", "chatchat_ocr_test.pptx"),
    *("chatchat_langchain-ChatGLM_closed.xlsx", "tika_testPPT_diagramData.pptx", "tika_testEPUB.epub"),
    *("own/page_gb2312_label_gb18030_bytes.html", "own/page_meta_lies_utf8.html", "tika_testMSG_chinese.msg"),
    *("own/mail_gb2312_label_gb18030_bytes.eml", "own/mail_raw8bit_headers.eml", "markitdown_test_mskanji.csv"),
)
MUTATIONS = 400


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return bytes of which some were changed, cut off, taken out, or put in twice."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at, length = chance.randrange(len(data) or 1), chance.choice((1, 4, 64, 1024))
        kind = chance.randrange(5)
        if kind == 0:
            data = data[: max(at, 16)]
        elif kind == 1:
            data = data[:at] + data[at + length :]
        elif kind == 2:
            data = data[:at] + data[at : at + length] * chance.choice((2, 50)) + data[at + length :]
        else:
            changed = bytearray(data or b"?")
            for _ in range(chance.choice((1, 8, 40))):
                changed[chance.randrange(len(changed))] = chance.choice((0, 0x3C, 0xFF, chance.randrange(256)))
            data = bytes(changed)
    return data


@cache
def parts(name: str) -> dict[str, bytes]:
    with zipfile.ZipFile(FILES / name) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist() if not info.is_dir()}


def mutations(count: int) -> Iterator[tuple[str, bytes]]:
    """Yield names and bytes of damaged files; of a ZIP file the container, or the parts in a sound one."""
    chance = random.Random(2026)
    for number in range(count):
        name = SEEDS[number % len(SEEDS)]
        data = (FILES / name).read_bytes()
        if data.startswith(b"PK") and number % 4:
            inner: dict[str, str | bytes] = dict(parts(name))
            texts = [part for part in inner if re.search(r"\.(?:xml|rels|x?html|opf|ncx)$", part)]
            for part in chance.sample(texts, min(len(texts), chance.choice((1, 1, 3)))):
                inner[part] = mutated(parts(name)[part], chance)
            data = zipped(inner)
        else:
            data = mutated(data, chance)
        yield f"{number:03}{Path(name).suffix}", data


def test_a_damaged_file_is_text_or_has_a_reason_and_harms_no_other(tmp_path: Path) -> None:
    for name, data in mutations(MUTATIONS):
        write(tmp_path / "docs" / name, data)
    added = Added(tmp_path)
    added.check()
    assert len(added.indexed) > MUTATIONS / 4 and len(added.skipped) > MUTATIONS / 10
    reasons = added.skipped | added.said["unread"]
    assert {name: reason for name, reason in reasons.items() if "its reader" in reason} == {}  # none was unforeseen
