"""PDF: what a page says is read character by character; what a reader does not see of it is marked."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from corpus_files import FILES, file
from extracted import marked
from hypothesis import given, settings
from hypothesis import strategies as st
from pdf_files import image, line, raw, read, skips
from pdf_files import made as made  # for every_kind.py
from pdf_files import prose as prose

from yuanwen.extract import pdf_picture

NOTICE = "关于开展二〇二四年度预算执行情况检查的通知"


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
    assert sum(image(pdf_picture.picture(raw(file(f"{name}.pdf")), 1, [])).convert("L").histogram()[:128]) > least


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
        "import sys; from pathlib import Path; from yuanwen.extract import font, pdfium_document;"
        "font.path = lambda: Path(sys.argv[1]) / 'none.ttc';"
        "document = pdfium_document.Document(Path(sys.argv[2]).read_bytes());"
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
    assert image(pdf_picture.picture(raw(data), 1, [], dpi=72)).size == (595, 842)


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
