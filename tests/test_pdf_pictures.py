"""PDF: words are found again on the picture of their page, also those that were recognised in a scan."""

import sys
from functools import cache
from io import BytesIO

import pytest
from corpus_files import file
from extracted import marked
from pdf_files import WITH_TEXT, bodies, book, image, line, made, prose, raw, read, skips
from PIL import Image, ImageChops

from yuanwen.documents import Extracted
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract import extract, ocr, pdf_picture
from yuanwen.extract.image import Box
from yuanwen.extract.pdf_body import Pages
from yuanwen.extract.pdfium_document import Document
from yuanwen.extract.pdfium_page import MAX_PIXELS, MAX_SIDE

needs_ocr = pytest.mark.skipif(not ocr.available(), reason="nothing is installed that recognises text")


@cache
def inked(data: bytes, number: int) -> Image.Image:
    return image(pdf_picture.picture(raw(data), number, [])).convert("L").point(lambda value: 255 * (value < 224))


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
                            found.append(any(has_ink(ink, box) for box in pdf_picture.located(page, part, span)))
    return sum(found), len(found)


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
        image(pdf_picture.picture(raw(data), 1, spans, quotes=quotes, dpi=72)).convert("RGB")
        for spans, quotes in (([], []), ([span], []), ([], [span]))
    )
    assert plain.size == (595, 842)
    for painted in (yellow, orange):
        left, top, right, bottom = ImageChops.difference(plain, painted).getbbox() or (0, 0, 0, 0)
        assert 70 <= left < right <= 125 and 842 - 740 < top < bottom < 842 - 740 + 30
    assert ImageChops.difference(yellow, orange).getbbox()


def test_boxes_are_fractions_of_the_picture_one_for_each_line() -> None:
    data = made([prose("First line of the page", "Second line of the page")])
    first, second = pdf_picture.boxes(raw(data), 1, (0, 100))
    assert all(0 < value < 1 for value in (*first, *second))
    assert first[3] <= second[1] + 0.01 and abs(first[0] - 72 / 595) < 0.005


def test_a_running_head_is_shown_where_it_stands() -> None:
    data = book([prose("One"), prose("Two")])
    (head, foot) = pdf_picture.boxes(raw(data), 2, (0, 100), heads=True)
    assert head[3] < 0.1 and foot[1] > 0.9
    assert image(pdf_picture.picture(raw(data), 2, [(0, 6)], heads=True, dpi=50)).format == "PNG"


def test_there_is_no_picture_of_a_page_that_is_not_there() -> None:
    for number in (0, 2):
        with pytest.raises(NotFound, match=f"there is no page {number}"):
            pdf_picture.picture(raw(made([prose("One")])), number, [])


def test_a_huge_page_is_drawn_small() -> None:
    width, height = image(pdf_picture.picture(raw(file("own/hugebox.pdf")), 1, [(0, 5)])).size
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
    image(pdf_picture.picture(raw(written), 1, [], dpi=100)).convert("L").save(jpeg, "JPEG")
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
