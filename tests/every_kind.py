"""A folder with a file of every kind, each of which holds a word that no other has, and some that are left out."""

import json
import shutil
import struct
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from conftest import write
from docx_files import docx
from docx_files import p as docx_p
from office_files import with_parts
from outlook_files import compound, message, wide
from pdf_files import made as pdf
from pdf_files import prose
from PIL import Image
from test_epub import epub
from test_legacy import SLIDE
from test_ocr import page as drawn
from test_ocr import saved
from test_odf import frame, odf
from test_odf import p as odf_p
from test_pptx import pptx, shape, slide
from test_sheet import table, xlsx

from yuanwen.extract.formats import ODP

TITLE, AUTHOR, TAG, DATED = "采购合同", "王芳", "采购", "2024-03-01T08:00:00+00:00"
_DAY, _TIME = DATED[:10], DATED[:19]
_CORE = (
    f'<x xmlns:dc="d" xmlns:cp="c"><dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}</dc:creator>'
    f"<cp:keywords>{TAG}</cp:keywords><created>{_TIME}Z</created></x>"
)
_META = (
    f'<x xmlns:dc="d" xmlns:meta="m"><dc:title>{TITLE}</dc:title><dc:date>{_TIME}</dc:date>'
    f"<meta:initial-creator>{AUTHOR}</meta:initial-creator><meta:keyword>{TAG}</meta:keyword></x>"
)
_MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
    'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>'
)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A document in a file: a word that only it holds, where that stands, and what has to be installed to read it.

    `inside` is its path within the file. One that `says` it has a title, an author, a tag and a date.
    """

    name: str
    word: str
    type: str
    unit: str = ""
    number: int | None = None
    place: str = ""
    cells: str = ""
    inside: str = ""
    says: bool = False
    needs: str = ""

    @property
    def is_here(self) -> bool:
        """Whether it can be read on this machine."""
        return not self.needs or find_spec(self.needs) is not None or shutil.which(self.needs) is not None


KINDS = (
    Kind(name="a.txt", word="松鼠", type="txt", unit="line", number=1),
    Kind(name="a.md", word="麋鹿", type="md", unit="line", number=11, says=True),
    Kind(name="a.html", word="蜻蜓", type="html", says=True),
    Kind(name="a.csv", word="鹭鸶", type="csv", unit="line", number=1),
    Kind(name="a.tsv", word="鹌鹑", type="tsv", unit="line", number=1),
    Kind(name="a.json", word="海豚", type="json", unit="line", number=1),
    Kind(name="a.jsonl", word="鲸鱼", type="jsonl"),
    Kind(name="a.py", word="水獭", type="py", unit="line", number=1),
    Kind(name="a.pdf", word="狐狸", type="pdf", unit="page", number=2, says=True),
    Kind(name="a.docx", word="骆驼", type="docx", says=True),
    Kind(name="a.pptx", word="企鹅", type="pptx", unit="slide", number=2, place="第二张", says=True),
    Kind(name="a.xlsx", word="鹦鹉", type="xlsx", unit="sheet", number=2, place="表2", cells="A1:B3", says=True),
    Kind(name="a.xls", word="犀牛", type="xls", unit="sheet", number=1, place="S", cells="A1"),
    Kind(name="a.ods", word="羚羊", type="ods", unit="sheet", number=1, place="S", cells="A1", says=True),
    Kind(name="a.odt", word="刺猬", type="odt", says=True),
    Kind(name="a.odp", word="孔雀", type="odp", unit="slide", number=2, says=True),
    Kind(name="a.epub", word="蜘蛛", type="epub", unit="chapter", number=2, says=True),
    Kind(name="a.eml", word="蝴蝶", type="eml", says=True),
    Kind(name="a.eml", word="螃蟹", type="docx", inside="报价.docx"),
    Kind(name="a.mbox", word="蚂蚁", type="eml", inside="2"),
    Kind(name="a.msg", word="蝙蝠", type="msg", needs="olefile"),
    Kind(name="a.zip", word="章鱼", type="xlsx", unit="sheet", number=1, cells="A1", inside="目录/内.zip/表.xlsx"),
    Kind(name="a.tar", word="鳄鱼", type="txt", unit="line", number=1, inside="目录/甲.txt"),
    Kind(name="a.tar.gz", word="袋鼠", type="txt", unit="line", number=1, inside="目录/甲.txt"),
    Kind(name="a.png", word="长颈鹿", type="png", unit="page", number=1, needs="rapidocr"),
    Kind(name="a.jpg", word="斑马", type="jpg", unit="page", number=1, needs="rapidocr"),
    Kind(name="a.tiff", word="大象", type="tiff", unit="page", number=2, needs="rapidocr"),
    Kind(name="a.doc", word="松鸡", type="doc", needs="soffice"),
    Kind(name="a.rtf", word="河马", type="rtf", needs="soffice"),
    Kind(name="a.ppt", word="海龟", type="ppt", unit="slide", number=1, needs="soffice"),
)
# Name -> why it is not in the library.
LEFT_OUT = {
    "a.7z": "7-Zip is not supported yet",
    "a.bin": "binary file",
    "empty.txt": "empty file",
    "blank.txt": "empty file",
    ".hidden.txt": "hidden",
    ".env": "it may hold secrets",
    "notes.txt": "it holds a private key",
    "link.txt": "symbolic link",
    "node_modules": "folder of a program",
}
OUTSIDE = "越界"  # stands only in what lies outside of the folder, or would if a path in an archive were followed


def word(name: str, inside: str = "") -> str:
    return next(kind.word for kind in KINDS if (kind.name, kind.inside) == (name, inside))


def write_every_kind(folder: Path) -> None:
    """Write a file of every kind, and what is to be left out; of the old Office only where LibreOffice is there."""
    for name, content in contents().items():
        write(folder / name, content)
    if shutil.which("soffice"):
        text, slides = contents()["a.html"].decode(), SLIDE
        write(folder / "a.doc", _converted("a.html", text.replace(word("a.html"), word("a.doc")), "doc"))
        write(folder / "a.ppt", _converted("a.fodp", slides.replace("汇报", word("a.ppt")), "ppt"))
    write(folder.parent / "outside.txt", OUTSIDE)
    (folder / "link.txt").symlink_to(folder.parent / "outside.txt")


@cache
def contents() -> dict[str, bytes]:
    """Return the files by name, without those that LibreOffice has to write."""
    html = f"<title>{TITLE}</title><meta name=author content={AUTHOR}><meta name=keywords content={TAG}>"
    front = f"---\ntitle: {TITLE}\nauthor: {AUTHOR}\ntags: [{TAG}]\ndate: {_TIME}Z\n---\n"
    dublin = f"<dc:title>{TITLE}</dc:title><dc:creator>{AUTHOR}</dc:creator><dc:subject>{TAG}</dc:subject>"
    record = {"id": "D1", "title": "题", "source": "手册", "paragraph": 7, "body": word("a.jsonl")}
    sheet = xlsx(
        table([["无"]]), table([["动物", "数"], ["猫", "1"], [word("a.xlsx"), "2"]]), parts={"docProps/core.xml": _CORE}
    )
    inner = _archive({"表.xlsx": xlsx(table([[word("a.zip", "目录/内.zip/表.xlsx")]]))})
    texts = {
        "a.txt": f"第一行\n\n第三行有{word('a.txt')}\n",
        "a.md": f"{front}# 一\n\n{'字' * 400}\n\n## 二\n\n{word('a.md')}\n",
        "a.html": f"<html><head>{html}<meta name=date content={_TIME}Z></head><body><h1>园</h1><p>{word('a.html')}",
        "a.csv": f"动物,数\r\n{word('a.csv')},1\r\n",
        "a.tsv": f"动物\t数\r\n{word('a.tsv')}\t1\r\n",
        "a.json": json.dumps({"动物": word("a.json")}, ensure_ascii=False),
        "a.jsonl": json.dumps(record, ensure_ascii=False),
        "a.py": f"def zoo():\n    return '{word('a.py')}'\n",
        "a.rtf": "{\\rtf1\\ansi\\uc1 " + "".join(f"\\u{ord(each)}?" for each in f"水里的{word('a.rtf')}") + "}",
        "empty.txt": "",
        "blank.txt": " \n\n",
        ".hidden.txt": "隐藏",
        ".env": "KEY=1",
        "notes.txt": "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n",
        "node_modules/a.js": "let a",
    }
    return {name: text.encode() for name, text in texts.items()} | {
        "a.pdf": pdf([prose("第一页"), prose(f"第二页的{word('a.pdf')}在睡觉")], info=_pdf_info()),
        "a.docx": with_parts(docx(docx_p(f"园中有{word('a.docx')}")), {"core.xml": _CORE}),
        "a.pptx": _presentation(),
        "a.xlsx": sheet,
        "a.xls": _xls(word("a.xls")),
        "a.ods": _ods(word("a.ods")),
        "a.odt": odf(odf_p(word("a.odt")), parts={"meta.xml": _META}),
        "a.odp": odf(_pages("一", word("a.odp")), kind=ODP, parts={"meta.xml": _META}),
        "a.epub": epub(
            ["<p>首章</p>", f"<p>次章{word('a.epub')}</p>"], metadata=f"{dublin}<dc:date>{_TIME}Z</dc:date>"
        ),
        "a.eml": _mail(),
        "a.mbox": b"".join(_posted(text) for text in ("第一封", f"第二封里的{word('a.mbox', '2')}")),
        "a.msg": compound(message(_0037001F=wide("题"), _1000001F=wide(f"夜里的{word('a.msg')}"))),
        "a.zip": _archive({"目录/内.zip": inner, "../出去.txt": OUTSIDE.encode(), "/etc/绝对.txt": OUTSIDE.encode()}),
        "a.tar": _tar("w", word("a.tar", "目录/甲.txt")),
        "a.tar.gz": _tar("w:gz", word("a.tar.gz", "目录/甲.txt")),
        "a.png": saved(_picture(word("a.png"))),
        "a.jpg": saved(_picture(word("a.jpg")), "JPEG"),
        "a.tiff": saved(_picture("山羊"), "TIFF", save_all=True, append_images=[_picture(word("a.tiff"))]),
        "a.7z": b"7z\xbc\xaf\x27\x1c" + bytes(100),
        "a.bin": bytes(range(256)) * 4,
    }


def _archive(members: dict[str, bytes]) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _rezipped(data: bytes, *changes: str) -> bytes:
    """Return a ZIP file with words in its parts replaced by others, in pairs."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        parts = {name: text.replace(old, new) for name, text in parts.items()}
    return _archive({name: text.encode() for name, text in parts.items()})


def _tar(mode: str, text: str) -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        for name, link in (("目录/甲.txt", ""), ("目录/账户.txt", "/etc/passwd")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = (tarfile.SYMTYPE, link, 0) if link else (tarfile.REGTYPE, "", 6)
            archive.addfile(info, BytesIO(text.encode()))
    return packed.getvalue()


def _pdf_info() -> str:
    said = {"Title": TITLE, "Author": AUTHOR, "Keywords": TAG}
    texts = "".join(f"/{name}<FEFF{text.encode('utf-16-be').hex()}>" for name, text in said.items())
    return f"{texts}/CreationDate(D:20240301080000Z)"


def _presentation() -> bytes:
    slides = {"a": slide(shape("第一张")), "b": slide(shape("第二张", kind="title"), shape(word("a.pptx")))}
    relation = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"
    core = f'<Relationship Id="core" Type="{relation}" Target="core.xml"/></Relationships>'
    with zipfile.ZipFile(BytesIO(pptx(slides))) as archive:
        related = archive.read("_rels/.rels").decode().replace("</Relationships>", core)
    return pptx(slides, parts={"_rels/.rels": related, "core.xml": _CORE})


def _pages(*texts: str) -> str:
    return "".join(f"<draw:page>{frame(text)}</draw:page>" for text in texts)


def _xls(text: str) -> bytes:
    """Return a workbook of Excel 97 whose one sheet, `S`, has one cell."""

    def record(kind: int, data: bytes = b"") -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    opened = [record(0x809, struct.pack("<HHHHII", 0x600, what, 0, 0, 0, 6)) for what in (0x05, 0x10)]
    cell = record(0x204, struct.pack("<HHHHB", 0, 0, 0, len(text), 1) + text.encode("utf-16-le"))
    sheet = opened[1] + record(0x200, struct.pack("<IIHHH", 0, 1, 0, 1, 0)) + cell + record(0x0A)
    named = record(0x85, struct.pack("<IBBBB", len(opened[0]) + 17, 0, 0, 1, 0) + b"S")
    return compound({"Workbook": (opened[0] + named + record(0x0A) + sheet).ljust(4096, b"\0")})


def _ods(text: str) -> bytes:
    cell = f'<table:table-cell office:value-type="string">{odf_p(text)}</table:table-cell>'
    book = odf(f'<table:table table:name="S"><table:table-row>{cell}</table:table-row></table:table>')
    book = _rezipped(book, "office:text>", "office:spreadsheet>", "opendocument.text", "opendocument.spreadsheet")
    return with_parts(book, {"meta.xml": _META, "META-INF/manifest.xml": _MANIFEST})


def _mail() -> bytes:
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["Keywords"] = TITLE, f"{AUTHOR} <wang@example.com>", TAG
    letter["Date"] = "Fri, 01 Mar 2024 08:00:00 +0000"
    letter.set_content(f"请看{word('a.eml')}。")
    attached = docx(docx_p(f"附件里的{word('a.eml', '报价.docx')}"))
    letter.add_attachment(attached, maintype="application", subtype="octet-stream", filename="报价.docx")
    return letter.as_bytes()


def _posted(text: str) -> bytes:
    head = "From a@example.com Fri Mar  1 08:00:00 2024\nContent-Type: text/plain; charset=utf-8\n\n"
    return f"{head}{text}\n\n".encode()


def _picture(text: str) -> Image.Image:
    return drawn([(60, 50, f"动物园里的{text}在吃草")], size=(700, 150))


@cache
def _converted(source: str, text: str, suffix: str) -> bytes:
    """Return what LibreOffice makes of a file."""
    with TemporaryDirectory() as made:
        place = Path(made)
        write(place / source, text)
        reading = ["--infilter=HTML (StarWriter)"] if source.endswith("html") else []
        profile = f"-env:UserInstallation={(place / 'profile').as_uri()}"
        command = ["soffice", profile, "--headless", "--norestore", *reading, "--convert-to", suffix, source]
        subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=180)
        return (place / source).with_suffix(f".{suffix}").read_bytes()
