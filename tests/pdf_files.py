"""PDF files made for a test, and how they are read."""

import json
import re
from collections.abc import Sequence
from io import BytesIO
from itertools import pairwise

from extracted import tiled
from PIL import Image

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Place, Raw
from yuanwen.extract import extract

# Files of the corpus whose pages say something.
WITH_TEXT = [
    "docling_invisible_text_layer",
    "own/cropbox_rotate90",
    "own/cropbox_rotate270",
    "own/gbk_noembed_vertical",
    "own/gbk_noembed_visible",
    "own/unigb_utf16_noembed",
    "pdfjs_90ms_rksj_h_sample",
    "pdfjs_SimFang-variant",
    "pdfjs_XiaoBiaoSong",
    "pdfjs_annotation-text-widget",
    "pdfjs_issue15340",
    "pdfjs_issue16538",
    "pdfjs_vertical",
    "pdfplumber_issue-842-example",
    "texlive_exam-zh_example-single",
    "texlive_nanicolle-ex-zh",
    "texlive_upzhfandolfonts-test",
    "texlive_upzhkinsoku-doc",
    "texlive_zhlipsum",
    "tika_testOverlappingText",
    "tika_testPDF_acroform3",
    "tika_testPDF_rotated",
    "unstructured_rotated-page-90",
]


def raw(data: bytes, *passwords: str) -> Raw:
    """Return a PDF as an extractor is given it."""
    return Raw(name="file.pdf", data=data, media_type="application/pdf", passwords=passwords)


def read(data: bytes, *passwords: str) -> Extracted:
    """Return the one document in a PDF, after checking what holds for every one."""
    document = next(item for item in extract(raw(data, *passwords)) if isinstance(item, Extracted))
    assert all(before <= after for (before, _), (after, _) in pairwise(document.places))
    assert all(before < after for before, after in pairwise(document.paragraphs))
    assert not document.places or document.places[0][0] == 0
    assert [heading.start for heading in document.headings] == sorted(h.start for h in document.headings)
    assert not re.search("[\0\ufffe\uffff\ud800-\udfff]", document.text)
    json.dumps(document.text).encode("utf-8")
    return tiled(document)


def skips(data: bytes) -> list[Skip]:
    """Return what of a PDF cannot be read."""
    return [item for item in extract(raw(data)) if isinstance(item, Skip)]


def bodies(document: Extracted) -> list[tuple[int, int, Place]]:
    """Return where the body of each page starts and ends, without the running heads at the end."""
    heads = [mark.start for mark in document.marks if mark.kind == "running head"]
    end = min(heads, default=len(document.text) + 1) - 1
    starts = [(start, place) for start, place in document.places if start < end]
    ends = [*(start for start, _ in starts[1:]), end]
    return [(start, stop, place) for (start, place), stop in zip(starts, ends, strict=True)]


def line(x: float, y: float, text: str, size: float = 12, mode: int = 0) -> str:
    """Return what writes a line on a page, in Helvetica or in a Chinese font that is not embedded."""
    font, shown = "F2", f"<{text.encode('gbk').hex()}>"
    if text.isascii():
        font, shown = "F1", "(" + re.sub(r"([()\\])", r"\\\1", text) + ")"
    return f"BT /{font} {size} Tf {mode} Tr 1 0 0 1 {x} {y} Tm {shown} Tj ET\n"


def made(
    pages: Sequence[str],
    *,
    info: str = "",
    catalog: str = "",
    fonts: str = "",
    resources: str = "",
    entries: str = "",
    objects: Sequence[str] = (),
) -> bytes:
    """Return a PDF with these contents. Page `n` is object 8 + 2n; `objects` come after the last page."""
    kids = " ".join(f"{8 + 2 * n} 0 R" for n in range(len(pages)))
    bodies = [
        f"<</Type/Catalog/Pages 2 0 R{catalog}>>",
        f"<</Type/Pages/MediaBox[0 0 595 842]/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        "<</Type/Font/Subtype/Type0/BaseFont/SimSun-GBK-EUC-H/Encoding/GBK-EUC-H/DescendantFonts[5 0 R]>>",
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>"
        "/DW 1000/FontDescriptor 6 0 R>>",
        "<</Type/FontDescriptor/FontName/SimSun/Flags 4/FontBBox[0 -141 1000 859]/ItalicAngle 0/Ascent 859/Descent -141"
        "/CapHeight 683/StemV 80>>",
        f"<<{info}>>",
    ]
    for number, content in enumerate(pages):
        used = f"/Resources<</Font<</F1 3 0 R/F2 4 0 R{fonts}>>{resources}>>"
        bodies.append(f"<</Type/Page/Parent 2 0 R{used}{entries}/Contents {9 + 2 * number} 0 R>>")
        bodies.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    data = b"%PDF-1.7\n"
    places = []
    for number, body in enumerate([*bodies, *objects], 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(places) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R/Info 7 0 R>>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF".encode()


def prose(*lines: str, top: float = 740, step: float = 18) -> str:
    """Return what writes lines below each other on a page."""
    return "".join(line(72, top - step * number, text) for number, text in enumerate(lines))


def book(bodies: Sequence[str], head: str = "年度预算报告", foot: str = "- {n} -") -> bytes:
    """Return a PDF whose pages have a line at the top and one at the bottom."""
    return made(
        [line(72, 800, head) + body + line(280, 40, foot.format(n=n)) for n, body in enumerate(bodies, 1)],
    )


def image(png: bytes) -> Image.Image:
    """Return a picture."""
    return Image.open(BytesIO(png))
