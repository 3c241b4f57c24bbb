"""PDF becomes verbatim text by page, without what is repeated on each, and words are found again on the picture."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import md5
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from yuanwen.absence import Skip
from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Place, Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract import extract, ocr, pdf
from yuanwen.extract.image import Box
from yuanwen.extract.pdf_body import Pages
from yuanwen.extract.pdf_layout import edges, paragraphs, running_heads
from yuanwen.extract.pdf_page import Line, Reading
from yuanwen.extract.pdfium import MAX_PIXELS, MAX_SIDE, Document
from yuanwen.passages import split

FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"
NOTICE = "关于开展二〇二四年度预算执行情况检查的通知"
needs_ocr = pytest.mark.skipif(not ocr.available(), reason="nothing is installed that recognises text")


def raw(data: bytes, *passwords: str) -> Raw:
    return Raw(name="file.pdf", data=data, media_type="application/pdf", passwords=passwords)


def file(name: str) -> bytes:
    path = FILES / name
    if not path.exists():
        pytest.skip(f"the corpus file {name} is not here")
    return path.read_bytes()


def read(data: bytes, *passwords: str) -> Extracted:
    """Return the one document in a PDF, after checking what holds for every one."""
    document = next(item for item in extract(raw(data, *passwords)) if isinstance(item, Extracted))
    assert "".join(passage.text for passage in split(document)) == document.text
    assert all(before <= after for (before, _), (after, _) in pairwise(document.places))
    assert all(before < after for before, after in pairwise(document.paragraphs))
    assert not document.places or document.places[0][0] == 0
    assert [heading.start for heading in document.headings] == sorted(h.start for h in document.headings)
    assert not re.search("[\0\ufffe\uffff\ud800-\udfff]", document.text)
    json.dumps(document.text).encode("utf-8")
    return document


def skips(data: bytes) -> list[Skip]:
    return [item for item in extract(raw(data)) if isinstance(item, Skip)]


def marked(document: Extracted, kind: str) -> list[str]:
    return [document.text[mark.start : mark.end] for mark in document.marks if mark.kind == kind]


def bodies(document: Extracted) -> list[tuple[int, int, Place]]:
    """Return where the body of each page starts and ends, without the running heads at the end."""
    heads = [mark.start for mark in document.marks if mark.kind == "running head"]
    end = min(heads, default=len(document.text) + 1) - 1
    starts = [(start, place) for start, place in document.places if start < end]
    ends = [*(start for start, _ in starts[1:]), end]
    return [(start, stop, place) for (start, place), stop in zip(starts, ends, strict=True)]


# ------------------------------------------------------------------------------------ files made for a test


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
    return "".join(line(72, top - step * number, text) for number, text in enumerate(lines))


def book(bodies: Sequence[str], head: str = "年度预算报告", foot: str = "- {n} -") -> bytes:
    """Return a PDF whose pages have a line at the top and one at the bottom."""
    return made(
        [line(72, 800, head) + body + line(280, 40, foot.format(n=n)) for n, body in enumerate(bodies, 1)],
    )


# --------------------------------------------------------------------------------------- fonts, characters


@pytest.mark.parametrize(
    "name",
    ["gbk_noembed_visible", "unigb_utf16_noembed", "gbk_noembed_hidden_ocr_layer"],
)
def test_chinese_in_fonts_that_are_not_embedded_is_read(name: str) -> None:
    assert read(file(f"own/{name}.pdf")).text == (
        f"{NOTICE}\n各市（州）人民政府，省级各部门：\n为加强预算管理，现将有关事项通知如下。\n一、检查范围：２０２４年１月至１２月。"
    )


def test_vertical_writing_is_read_from_the_right() -> None:
    assert read(file("own/gbk_noembed_vertical.pdf")).text == (
        f"{NOTICE}\n各市︵州︶人民政府，省级各部门：\n为加强预算管理，现将有关事项通知如下。\n一、检查范围：２０２４年１月至１２月。"
    )
    assert read(file("pdfjs_vertical.pdf")).text == "日本語\nあいうえお"
    page = read(file("texlive_upzhfandolfonts-test.pdf")).text.rpartition("庄子曰：“")[2]
    assert page.index("为善无近名") < page.index("以尽年")


@pytest.mark.parametrize(
    ("name", "least"),
    [("pdfjs_XiaoBiaoSong", 10_000), ("pdfjs_SimFang-variant", 500), ("own/gbk_noembed_visible", 2_000)],
)
def test_fonts_that_are_not_embedded_are_drawn(name: str, least: int) -> None:
    assert sum(image(pdf.picture(raw(file(f"{name}.pdf")), 1, [])).convert("L").histogram()[:128]) > least


def test_the_package_that_starts_pdfium_with_the_fonts_of_the_system_is_not_used() -> None:
    script = (
        "import sys; from pathlib import Path; from yuanwen.documents import Raw; from yuanwen.extract import extract;"
        "data = Path(sys.argv[1]).read_bytes();"
        "print(extract(Raw(name='a', data=data, media_type='application/pdf'))[0].text.encode());"
        "assert 'pypdfium2' not in sys.modules"
    )
    path = FILES / "own/gbk_noembed_visible.pdf"
    file("own/gbk_noembed_visible.pdf")
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(read(path.read_bytes()).text.encode())


def test_fonts_of_the_system_are_not_seen(tmp_path: Path) -> None:
    """With an empty folder instead of our font the text is lost, whatever fonts the machine has."""
    file("own/gbk_noembed_hidden_ocr_layer.pdf")
    script = (
        "import sys; from pathlib import Path; from yuanwen.extract import font, pdfium;"
        "font.path = lambda: Path(sys.argv[1]) / 'none.ttc';"
        "document = pdfium.Document(Path(sys.argv[2]).read_bytes());"
        "page = document.page(0).__enter__(); print(page.count)"
    )
    command = [sys.executable, "-c", script, str(tmp_path), str(FILES / "own/gbk_noembed_hidden_ocr_layer.pdf")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "0"


def test_spaces_between_characters_are_kept() -> None:
    text = read(file("pdfjs_XiaoBiaoSong.pdf")).text
    assert text.startswith("目 　 　 录 \n关 于 红 军 作 战 的 原 则")
    assert len(re.findall("[一-鿿]", text)) == 207
    assert "１ ３" in text


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("pdfjs_SimFang-variant", "全 世 界 无 产 者 ， 联 合 起 来"),
        ("pdfjs_90ms_rksj_h_sample", "Hello ASCII\n日本語テスト"),
        ("pdfjs_issue15340", "構を⼀つの箱内に収めたものは"),
        ("pdfjs_issue16538", "標準 マーケットモデルは 2 次元で説明する"),
        ("texlive_nanicolle-ex-zh", "采集人 杨宇昌\n"),
        ("texlive_nanicolle-ex-zh", "产地 内蒙古自治区赤峰市阿鲁科尔沁旗\n"),
        ("texlive_upzhfandolfonts-test", "庄子曰：“吾生也有涯"),
        ("texlive_upzhkinsoku-doc", "“prohibi-\ntion rules”"),
        ("texlive_upzhkinsoku-doc", "upTEX\n1\nand ApTEX"),
        ("texlive_zhlipsum", "超越空间确确\n实实存在他"),
        ("texlive_exam-zh_example-single", "设集合 𝐴 = {𝑥 ∣ −1 < 𝑥 < 4}"),
        ("tika_testOverlappingText", "Text the first time Text the second time"),
        ("tika_testPDF_rotated", "Apache Tika - Apache Tika http://incubator"),
        ("tika_testPDF_acroform3", "comboItemB"),
        ("tika_testPDF_acroform3", "listItemB"),
        ("tika_testPDF_acroform3", "✔"),
        ("own/cropbox_rotate90", "Crop box test line one\nSecond line, page rotated"),
        ("own/cropbox_rotate270", "Crop box test line one\nSecond line, page rotated"),
        ("own/hugebox", "hello"),
    ],
)
def test_what_stands_on_a_page_is_in_the_text(name: str, part: str) -> None:
    assert part in read(file(f"{name}.pdf")).text


@pytest.mark.parametrize(
    ("name", "count"),
    [("pdfjs_issue16538", 215), ("texlive_zhlipsum", 3421), ("texlive_upzhfandolfonts-test", 732)],
)
def test_no_chinese_character_is_lost(name: str, count: int) -> None:
    text = read(file(f"{name}.pdf")).text
    assert len(re.findall("[㐀-鿿豈-﫿]", text)) >= count


def test_turned_lines_are_read_in_the_order_of_the_file() -> None:
    text = read(file("unstructured_rotated-page-90.pdf")).text
    assert set(text.split("\n")) == {"Rotated page fixture", "Second line of text here", "Hello World Test Text"}


def test_bold_that_was_printed_four_times_is_one_line_of_chinese() -> None:
    text = read(file("pdfplumber_issue-842-example.pdf")).text
    assert text.count("安徽安利合成革股份有限公司") == 1
    assert text.count("ANHUI") == 2  # PDFium takes repeated hanzi out, not letters


def test_codes_that_are_packed_utf8_are_unpacked_and_marked() -> None:
    document = read(file("pdfjs_issue18117.pdf"))
    assert document.text.endswith("𨧀、𨭎、𨨏、𨭆")
    assert marked(document, "garbled") == ["𨧀、𨭎、𨨏、𨭆"] * 2


def test_form_values_and_notes_are_read() -> None:
    text = read(file("pdfjs_annotation-text-widget.pdf")).text
    assert len(text) + text.count("\n") == 813
    assert "Pellentesque habitant morbi tristique" in text
    text = read(file("tika_testPDF_acroform3.pdf")).text
    assert len(text) + text.count("\n") == 171


@given(
    st.lists(
        st.text("预算执行情况检查的通知。，（）abcXYZ0123456789-.", min_size=3, max_size=30), min_size=1, max_size=6
    )
)
@settings(deadline=None, max_examples=60)
def test_what_was_written_is_read_back(lines: list[str]) -> None:
    assert read(made([prose(*lines)])).text == "\n".join(lines)


def test_a_page_keeps_its_size_when_a_note_is_drawn_into_it() -> None:
    shown = "BT /F1 12 Tf 2 5 Td (remark) Tj ET"
    form = "/Type/XObject/Subtype/Form/BBox[0 0 90 20]/Resources<</Font<</F1 3 0 R>>>>"
    data = made(
        [line(72, 700, "Body")],
        entries="/Annots[10 0 R]",
        objects=[
            "<</Type/Annot/Subtype/FreeText/Rect[100 500 190 520]/Contents(remark)/AP<</N 11 0 R>>>>",
            f"<<{form}/Length {len(shown)}>>stream\n{shown}\nendstream",
        ],
    )
    assert read(data).text == "Body\nremark"
    assert image(pdf.picture(raw(data), 1, [], dpi=72)).size == (595, 842)


# --------------------------------------------------------------------------------- garbled, hidden, damaged


def test_letters_that_no_reader_sees_are_marked_as_garbled() -> None:
    document = read(file("texlive_exam-zh_example-single.pdf"))
    garbled = marked(document, "garbled")
    assert {"̾Ɠ뻛ȗؘ뻜", "ͩǋƂֻ뻭"} <= set(garbled)
    assert not any(re.search("[一-鿿]{2}", text) for text in garbled)


def test_text_is_not_garbled_for_want_of_a_table_alone() -> None:
    for name in ("texlive_upzhfandolfonts-test", "pdfjs_SimFang-variant", "texlive_zhlipsum", "pdfjs_issue15340"):
        assert not marked(read(file(f"{name}.pdf")), "garbled")


def test_a_page_of_control_characters_is_told_of() -> None:
    table = "1 beginbfrange <20> <7e> <0001> endbfrange"
    codes = "1 begincodespacerange <00> <ff> endcodespacerange"
    cmap = f"/CIDInit /ProcSet findresource begin begincmap {codes} {table} endcmap"
    data = made(
        ["BT /F3 12 Tf 72 700 Td ( !#$%&'*+,) Tj ET", line(72, 700, "Readable words")],
        fonts="/F3 12 0 R",
        objects=[
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 13 0 R>>",
            f"<</Length {len(cmap)}>>stream\n{cmap}\nendstream",
        ],
    )
    document = read(data)
    assert len(marked(document, "garbled")) == 1
    assert [skip.reason for skip in skips(data)] == ["the text of page 1 is garbled"]


def test_text_that_is_not_painted_is_marked() -> None:
    document = read(file("docling_invisible_text_layer.pdf"))
    assert document.text == "Visible heading line\nInvisible OCR text layer"
    assert marked(document, "invisible") == ["Invisible OCR text layer"]
    assert marked(read(file("own/gbk_noembed_hidden_ocr_layer.pdf")), "invisible")


def test_text_over_a_scan_is_what_was_recognised_in_it() -> None:
    scan = "q 595 0 0 842 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x80 EI Q\n"
    document = read(made([scan + line(72, 700, "Words of the scanner", mode=3)]))
    assert marked(document, "recognised") == ["Words of the scanner"]
    assert not marked(document, "invisible")


def test_text_that_is_switched_off_is_marked() -> None:
    layers = "/OCProperties<</OCGs[10 0 R 11 0 R]/D<</OFF[11 0 R]>>>>"
    content = (
        "/OC /on BDC\n"
        + line(72, 700, "On")
        + "EMC\n/OC /off BDC\n"
        + line(72, 650, "Off")
        + "EMC\n"
        + line(72, 600, "Always")
    )
    data = made(
        [content],
        catalog=layers,
        resources="/Properties<</on 10 0 R/off 11 0 R>>",
        objects=["<</Type/OCG/Name(on)>>", "<</Type/OCG/Name(off)>>"],
    )
    document = read(data)
    assert document.text == "On\nOff\nAlways"
    assert marked(document, "invisible") == ["Off"]


def test_a_file_that_needs_a_password_says_so() -> None:
    data = file("pdfjs_pr6531_1.pdf")
    for passwords in ((), ("wrong",)):
        with pytest.raises(Unreadable, match="it needs a password") as caught:
            extract(raw(data, *passwords))
        assert caught.value.hint == "Give it with: --password"
    with Document(data, ("wrong", "asdfasdf")) as document:
        assert document.pages == 1


def locked(text: str, owner: str) -> bytes:
    """Return a PDF that only its owner may change, and that opens without a password (RC4, revision 2)."""
    padding = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    name = b"0123456789abcdef"
    owned = rc4(md5((owner.encode() + padding)[:32]).digest()[:5], padding)
    key = md5(padding + owned + (0xFFFFFFC0).to_bytes(4, "little") + name).digest()[:5]
    content = prose(text).encode()
    number = 9
    secret = rc4(md5(key + number.to_bytes(3, "little") + bytes(2)).digest()[:10], content)
    rights = f"/Filter/Standard/V 1/R 2/P -64/O<{owned.hex()}>/U<{rc4(key, padding).hex()}>"
    data = made([secret.decode("latin-1")], objects=[f"<<{rights}>>"])
    return data.replace(b"/Info 7 0 R", f"/Encrypt 10 0 R/ID[<{name.hex()}><{name.hex()}>]".encode())


def rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def test_a_file_that_only_its_owner_may_change_is_read() -> None:
    data = locked("Locked words", "secret")
    assert b"Locked" not in data and read(data).text == "Locked words"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n" + bytes(5000), b"", b"no PDF at all"])
def test_a_damaged_file_says_so(data: bytes) -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(raw(data))


def test_a_damaged_file_of_the_corpus_says_so() -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(raw(file("pdfjs_poppler-395-0-fuzzed.pdf")))


def test_a_page_that_is_damaged_is_told_of_and_the_others_are_read() -> None:
    data = made([prose("One"), prose("Two"), prose("Three")]).replace(
        b"10 0 obj\n<</Type/Page", b"10 0 obj\n<</Type/Xxxx"
    )
    document = read(data)
    assert "One" in document.text and "Three" in document.text
    assert [skip.reason for skip in skips(data)] in (["page 2 is damaged"], [])


# ------------------------------------------------------------------------------------- pages, running heads


def test_what_is_repeated_on_each_page_stands_at_the_end() -> None:
    document = read(book([prose("第一页的正文，写到这里还没有"), prose("结束，下一页接着写。"), prose("第三页。")]))
    assert document.text == (
        "第一页的正文，写到这里还没有\n结束，下一页接着写。\n第三页。\n"
        "年度预算报告\n- 1 -\n年度预算报告\n- 2 -\n年度预算报告\n- 3 -"
    )
    assert marked(document, "running head") == [f"年度预算报告\n- {n} -" for n in (1, 2, 3)]
    assert [(place.unit, place.number) for _, place in document.places] == [("page", n) for n in (1, 2, 3, 1, 2, 3)]
    *bodies, heads = split(document)
    assert [passage.place and passage.place.number for passage in bodies] == [1, 2, 3]
    assert heads.place == Place(unit="page", number=1, last=3)


def test_left_and_right_pages_have_heads_of_their_own() -> None:
    heads = ["左页的书名", "右页的章名"] * 3
    pages = [line(72, 800, head) + prose(f"Body number {n * n}") for n, head in enumerate(heads)]
    assert "".join(marked(read(made(pages)), "running head")) == "".join(heads)


def test_a_title_close_to_a_running_head_does_not_hide_it() -> None:
    first = line(72, 800, "合同编号 3") + line(72, 781, "采购合同", size=18) + prose("第一条")
    document = read(made([first, line(72, 800, "合同编号 3") + prose("第二条")]))
    assert document.text.startswith("采购合同\n第一条\n第二条\n")
    assert marked(document, "running head") == ["合同编号 3"] * 2


def test_a_head_that_names_the_section_is_known_by_its_page_number() -> None:
    document = read(
        made([line(72, 800, f"{title} {n}") + prose("正文") for n, title in enumerate(("总则", "附则", "罚则"), 7)])
    )
    assert marked(document, "running head") == ["总则 7", "附则 8", "罚则 9"]


def test_entries_of_a_table_of_contents_are_no_running_heads() -> None:
    rows = [f"{n}.1 {word} . . . . . . . . . {n + 6}" for n, word in enumerate(("Rules", "Doors", "Keys"), 1)]
    document = read(made([line(72, 800, row) + prose(f"{row} and so on") for row in rows]))
    assert not marked(document, "running head")


def test_roman_page_numbers_count() -> None:
    document = read(made([line(72, 800, f"手册 {number}") + prose("Preface") for number in ("viii", "ix", "x")]))
    assert marked(document, "running head") == ["手册 viii", "手册 ix", "手册 x"]
    document = read(made([prose("Preface goes on") + line(290, 40, number) for number in ("iii", "iv", "v", "vi")]))
    assert marked(document, "running head") == ["iii", "iv", "v", "vi"]


@pytest.mark.parametrize(
    "pages",
    [
        [prose(*["合格", "不合格"] * 4, top=800), prose(*["合格", "不合格"] * 4, top=800)],  # not apart from the body
        [prose("同一行", top=600), prose("同一行", top=600)],  # not near an edge
        [line(72, 800, "甲方：一公司") + prose("正文"), line(72, 800, "乙方：二公司") + prose("正文")],  # not alike
        [line(72, 800, "合计 5") + prose("正文"), line(72, 800, "合计 9") + prose("正文")],  # no page number
        [line(72, 800, "年度报告") + prose("只有一页")],
    ],
)
def test_lines_of_the_body_stay_where_they_are(pages: list[str]) -> None:
    assert not marked(read(made(pages)), "running head")


def test_running_heads_of_the_corpus() -> None:
    heads = marked(read(file("texlive_zhlipsum.pdf")), "running head")
    assert len(heads) == 14 and heads[0] == "第 1 节 简介 2" and heads[-1] == "代码索引 15"
    document = read(file("texlive_exam-zh_example-single.pdf"))
    assert marked(document, "running head") == [f"数学试题第 {n} 页（共 3 页）" for n in (1, 2, 3)]


def test_a_page_read_alone_has_the_body_that_it_has_in_the_document() -> None:
    data = file("texlive_zhlipsum.pdf")
    document = read(data)
    with Document(data) as opened:
        for start, end, place in bodies(document):
            part, _ = Pages(opened, raw(data)).parts((place.number or 0) - 1)
            assert part.text == document.text[start:end].rstrip("\n")
            assert len(part.slots) == len(part.text)


def test_pages_have_the_labels_that_the_document_gives_them() -> None:
    labels = "/PageLabels<</Nums[0<</S/r>>2<</S/D>>]>>"
    document = read(made([prose(word) for word in ("Contents", "Preface", "Chapter", "More")], catalog=labels))
    assert [(place.number, place.name) for _, place in document.places] == [(1, "i"), (2, "ii"), (3, "1"), (4, "2")]


def test_a_paragraph_begins_after_a_gap_or_with_an_indent() -> None:
    indented = line(96, 740, "首行缩进") + line(72, 722, "第二行") + line(96, 704, "又一段") + line(72, 686, "其第二行")
    document = read(made([indented + line(72, 640, "隔了一行") + line(72, 622, "最后")]))
    assert [document.text[start : start + 3] for start in document.paragraphs] == ["首行缩", "又一段", "隔了一"]


# ---------------------------------------------------------------------------------- outline and properties


def test_bookmarks_are_headings_where_their_words_stand() -> None:
    data = made(
        [prose("Title page"), prose("Some words", "1 Rules", "of the house", "1.1 Doors", "are shut")],
        catalog="/Outlines 12 0 R",
        objects=[
            "<</Type/Outlines/First 13 0 R/Last 15 0 R/Count 3>>",
            "<</Title(Rules)/Parent 12 0 R/Dest[10 0 R/Fit]/Next 15 0 R/First 14 0 R/Last 14 0 R/Count 1>>",
            "<</Title(1.1 Doors)/Parent 13 0 R/Dest[10 0 R/Fit]>>",
            "<</Title(Not in the text)/Parent 12 0 R/Dest[10 0 R/Fit]/Prev 13 0 R/Next 13 0 R>>",  # a circle
        ],
    )
    document = read(data)
    assert [(h.level, h.text, document.text[h.start :][:7]) for h in document.headings] == [
        (1, "Rules", "1 Rules"),
        (2, "1.1 Doors", "1.1 Doo"),
        (1, "Not in the text", "1.1 Doo"),
    ]


def test_the_outline_of_the_corpus() -> None:
    document = read(file("texlive_zhlipsum.pdf"))
    assert [(h.level, h.text) for h in document.headings[:2]] == [(1, "第1节 简介"), (1, "第2节 使用说明")]
    assert document.text[document.headings[0].start :].startswith("第 1 节 简介\nzhlipsum 宏包")


def test_properties_are_read() -> None:
    info = "/Title(Microsoft Word - Budget 2024.docx)/Author(A. Writer)/Keywords(budget; audit, 2024)"
    document = read(made([prose("Text")], info=info + "/CreationDate(D:2023)/ModDate(D:20240131120000+08'00')"))
    assert (document.title, document.author, document.tags) == ("Budget 2024", "A. Writer", ("budget", "audit", "2024"))
    assert document.dated == "2024-01-31T12:00:00+08:00"


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("D:20240131120000Z00'00'", "2024-01-31T12:00:00+00:00"),
        ("D:20160920213331-04'30", "2016-09-20T21:33:31-04:30"),
        ("D:2024", "2024-01-01T00:00:00+00:00"),
        ("2024-01-31", "2024-01-31T00:00:00+00:00"),
        ("D:20241399", None),
        ("yesterday", None),
    ],
)
def test_dates_are_read(said: str, dated: str | None) -> None:
    assert read(made([prose("Text")], info=f"/CreationDate({said})")).dated == dated


@pytest.mark.parametrize("title", ["untitled", "Untitled", "Document1", "Microsoft Word - Document2", "Slide 1"])
def test_what_a_program_calls_a_file_is_no_title(title: str) -> None:
    assert read(made([prose("Text")], info=f"/Title({title})")).title == ""


def test_files_within_the_document_are_read() -> None:
    data = made(
        [prose("See the attachment")],
        catalog="/Names<</EmbeddedFiles<</Names[(note.txt) 10 0 R]>>>>",
        objects=[
            "<</Type/Filespec/F(note.txt)/UF(note.txt)/EF<</F 11 0 R>>>>",
            "<</Type/EmbeddedFile/Length 12>>stream\nattached one\nendstream",
        ],
    )
    first, second = extract(raw(data))
    assert isinstance(first, Extracted) and isinstance(second, Extracted)
    assert (second.text, second.inside) == ("attached one", "note.txt")


# ------------------------------------------------------------------------------------------ words on pictures


def image(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png))


@cache
def inked(data: bytes, number: int) -> Image.Image:
    return image(pdf.picture(raw(data), number, [])).convert("L").point(lambda value: 255 * (value < 224))


def has_ink(ink: Image.Image, box: Box) -> bool:
    left, right = int(box[0] * ink.width), int(box[2] * ink.width) + 1
    top, bottom = int(box[1] * ink.height), int(box[3] * ink.height) + 1
    return ink.crop((left, top, right, bottom)).getbbox() is not None


def on_ink(data: bytes, document: Extracted) -> tuple[int, int]:
    """Return how many characters of quotations of 40 are on ink where they are said to be, and of how many."""
    hidden = {at for mark in document.marks if mark.kind == "invisible" for at in range(mark.start, mark.end)}
    found: list[bool] = []
    with Document(data) as opened:
        pages = Pages(opened, raw(data))
        for start, end, place in bodies(document):
            index = (place.number or 0) - 1
            part, ink = pages.parts(index)[0], inked(data, index + 1)
            with opened.page(index) as page:
                assert page
                for quote in range(start, end, 160):
                    for at in range(quote, min(quote + 40, end)):
                        if at not in hidden and not document.text[at].isspace():
                            span = (at - start, at - start + 1)
                            found.append(any(has_ink(ink, box) for box in pdf.located(page, part, span)))
    return sum(found), len(found)


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


@pytest.mark.parametrize("name", WITH_TEXT)
def test_characters_of_quotations_are_on_ink(name: str) -> None:
    data = file(f"{name}.pdf")
    hits, total = on_ink(data, read(data))
    least = 0.85 if name == "pdfjs_annotation-text-widget" else 0.98  # its values are longer than their fields
    assert total and hits >= least * total, f"{hits} of {total}"


def test_a_picture_shows_a_passage_in_yellow_and_what_is_quoted_of_it_in_orange() -> None:
    data = made([prose("First line of the page", "Second line of the page")])
    second = read(data).text.index("Second")
    span = (second, second + len("Second"))
    plain, yellow, orange = (
        image(pdf.picture(raw(data), 1, spans, quotes=quotes, dpi=72)).convert("RGB")
        for spans, quotes in (([], []), ([span], []), ([], [span]))
    )
    assert plain.size == (595, 842)
    for painted in (yellow, orange):
        left, top, right, bottom = ImageChops.difference(plain, painted).getbbox() or (0, 0, 0, 0)
        assert 70 <= left < right <= 125 and 842 - 740 < top < bottom < 842 - 740 + 30
    assert ImageChops.difference(yellow, orange).getbbox()


def test_boxes_are_fractions_of_the_picture_one_for_each_line() -> None:
    data = made([prose("First line of the page", "Second line of the page")])
    first, second = pdf.boxes(raw(data), 1, (0, 100))
    assert all(0 < value < 1 for value in (*first, *second))
    assert first[3] <= second[1] + 0.01 and abs(first[0] - 72 / 595) < 0.005


def test_a_running_head_is_shown_where_it_stands() -> None:
    data = book([prose("One"), prose("Two")])
    (head, foot) = pdf.boxes(raw(data), 2, (0, 100), heads=True)
    assert head[3] < 0.1 and foot[1] > 0.9
    assert image(pdf.picture(raw(data), 2, [(0, 6)], heads=True, dpi=50)).format == "PNG"


def test_there_is_no_picture_of_a_page_that_is_not_there() -> None:
    for number in (0, 2):
        with pytest.raises(NotFound, match=f"there is no page {number}"):
            pdf.picture(raw(made([prose("One")])), number, [])


def test_a_huge_page_is_drawn_small() -> None:
    width, height = image(pdf.picture(raw(file("own/hugebox.pdf")), 1, [(0, 5)])).size
    assert max(width, height) <= MAX_SIDE and width * height <= MAX_PIXELS


# --------------------------------------------------------------------------------------------------- scans

SCAN = "q 400 0 0 500 90 200 cm BI /W 2 /H 2 /CS /G /BPC 8 ID \x80\x20\x80\x20 EI Q\n"


def test_scans_are_told_of_where_nothing_can_read_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)  # as if it were not installed
    data = made([prose("One"), SCAN, prose("Three"), SCAN, SCAN + line(290, 40, "5")])
    assert read(data).text == "One\nThree\n5"
    assert [(skip.reason, skip.hint) for skip in skips(data)] == [
        ("page 2 is a scan without text", 'To read them: pip install "yuanwen[ocr]"'),
        ("pages 4 to 5 are scans without text", 'To read them: pip install "yuanwen[ocr]"'),
    ]
    with pytest.raises(Unreadable, match="pages 1 to 2 are scans without text"):
        extract(raw(made([SCAN, SCAN])))


@needs_ocr
def test_a_scan_is_recognised_and_its_words_are_found_on_it() -> None:
    data = file("docling_ocr_test_rotated_90.pdf")
    document = read(data)
    assert " ".join(document.text.split()) == (
        "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained package"
    )
    (mark,) = document.marks
    assert (mark.kind, mark.start, mark.end) == ("recognised", 0, len(document.text))
    assert 0.9 < float(mark.note) <= 1
    hits, total = on_ink(data, document)
    assert total and hits >= 0.98 * total


@needs_ocr
def test_a_scan_between_pages_of_text_is_read_in_its_place() -> None:
    words = "Words in a picture of a page"
    written = made([line(72, 600, words, size=28) + line(72, 500, words, size=28)])
    jpeg = BytesIO()
    image(pdf.picture(raw(written), 1, [], dpi=100)).convert("L").save(jpeg, "JPEG")
    width, height = image(jpeg.getvalue()).size
    entries = f"/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceGray/BitsPerComponent 8"
    data = made(
        [prose("One"), "q 595 0 0 842 0 0 cm /I Do Q", prose("Three")],
        resources="/XObject<</I 14 0 R>>",
        objects=[
            f"<<{entries}/Filter/DCTDecode/Length {len(jpeg.getvalue())}>>stream\n"
            f"{jpeg.getvalue().decode('latin-1')}\nendstream"
        ],
    )
    document = read(data)
    assert "".join(document.text.split()) == "".join(["One", *words.split() * 2, "Three"])
    assert len(marked(document, "recognised")) == 1
    assert [place.number for _, place in document.places] == [1, 2, 3]
    assert not skips(data)


def test_an_empty_page_is_no_scan_and_has_no_place() -> None:
    document = read(made([prose("One"), "", prose("Three")]))
    assert [place.number for _, place in document.places] == [1, 3]
    assert not skips(made([prose("One"), ""]))
    with pytest.raises(Unreadable, match="there is no text in it"):
        extract(raw(made([""])))


# ------------------------------------------------------------------------------------------------- bombs

LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from yuanwen.documents import Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, pdf
for path in sys.argv[1:]:
    raw = Raw(name="a.pdf", data=Path(path).read_bytes(), media_type="application/pdf")
    try:
        extract(raw)
    except Unreadable:
        pass
"""


@pytest.mark.parametrize("name", ["manychars", "expform"])
def test_a_bomb_ends_the_process_that_reads_it_and_no_more(name: str) -> None:
    file(f"own/{name}.pdf")
    command = [sys.executable, "-c", LIMITED, str(FILES / f"own/{name}.pdf")]
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode != 0


def test_files_with_bytes_changed_are_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(5)
    seeds = [file(f"{name}.pdf") for name in WITH_TEXT if (FILES / f"{name}.pdf").stat().st_size < 50_000]
    paths = []
    for number in range(60):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 40)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        paths.append(tmp_path / f"{number}.pdf")
        paths[-1].write_bytes(data)
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, *paths], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_pages_beyond_a_number_are_left_out_and_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    data = made([prose(word) for word in ("One", "Two", "Three", "Four")])
    assert read(data).text == "One\nTwo"
    assert [skip.reason for skip in skips(data)] == ["pages 3 to 4 were left out"]


def test_each_page_gives_a_sign_of_life() -> None:
    beats: list[float] = []
    one = raw(made([prose("One"), prose("Two"), prose("Three")]))
    extract(replace(one, allowance=Allowance(beats.append)))
    assert len(beats) >= 3


def test_the_same_bytes_give_the_same_document() -> None:
    data = file("texlive_exam-zh_example-single.pdf")
    assert extract(raw(data)) == extract(raw(data))


# ------------------------------------------------------------------------------------------------ layout


def laid(texts: Sequence[str], tops: Sequence[float]) -> Reading:
    lines = [
        Line(text=text, slots=range(len(text)), first=0, box=(72, top, 300, top + 12))
        for text, top in zip(texts, tops, strict=True)
    ]
    return Reading(number=1, width=595, height=842, lines=tuple(lines))


words = st.text("年度报告 0123456789IVX-", min_size=1, max_size=12).filter(str.strip)


@given(st.lists(st.lists(st.tuples(words, st.integers(0, 830)), max_size=6), min_size=1, max_size=5))
@settings(deadline=None)
def test_running_heads_come_in_pairs_from_the_edges_of_pages(pages: list[list[tuple[str, int]]]) -> None:
    readings = [laid([text for text, _ in page], [float(top) for _, top in page]) for page in pages]
    all_edges = [edges(reading) for reading in readings]
    heads = [running_heads(all_edges, at) for at in range(len(pages))]
    assert sum(map(bool, heads)) != 1
    for reading, found in zip(readings, heads, strict=True):
        for place in found:
            middle = (reading.lines[place].box[1] + reading.lines[place].box[3]) / 2
            assert middle <= 0.1 * reading.height or middle >= 0.9 * reading.height


@given(st.lists(st.integers(0, 800), min_size=1, max_size=20))
@settings(deadline=None)
def test_the_first_line_begins_a_paragraph_and_none_begins_two(tops: list[int]) -> None:
    found = list(paragraphs(laid(["words"] * len(tops), [float(top) for top in tops]).lines))
    assert found[0] == 0 and found == sorted(set(found))
