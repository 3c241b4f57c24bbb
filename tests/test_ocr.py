"""A picture of text: recognised in reading order, each character with its box, whichever way the page lies."""

import os
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from corpus_files import file
from extracted import tiled
from PIL import Image, ImageDraw, ImageFont

from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Place, Raw
from yuanwen.errors import NotFound, Unreadable
from yuanwen.extract import extract, font, media_type_of, ocr
from yuanwen.extract.image import MAX_PIXELS, ORANGE, YELLOW, frames, highlight, png, strips
from yuanwen.extract.ocr_layout import Recognised

CI = "CI" in os.environ

with_ocr = pytest.mark.skipif(
    not ocr.available() and not CI, reason="nothing recognises text here: pip install 'yuanwen[ocr]'"
)

PROSE = "关于开展年度预算执行情况检查的通知，各单位应当按照规定整理会计凭证、会计账簿和有关资料，并于月底前报送。"


def page(lines: list[tuple[int, int, str]], size: tuple[int, int] = (900, 500), pixels: int = 36) -> Image.Image:
    """Return a white page with lines of text at places."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    face = ImageFont.truetype(str(font.path()), pixels, index=2)
    for left, top, text in lines:
        draw.text((left, top), text, font=face, fill="black")
    return image


def lines(text: str, length: int, left: int = 60, top: int = 50) -> list[tuple[int, int, str]]:
    return [(left, top + 50 * n, text[at : at + length]) for n, at in enumerate(range(0, len(text), length))]


def saved(image: Image.Image, kind: str = "PNG", **said: object) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **said)
    return buffer.getvalue()


def raw(data: bytes, name: str = "a.png") -> Raw:
    return Raw(name=name, data=data, media_type=media_type_of(name, data) or "")


def read(data: bytes, name: str = "a.png") -> Extracted:
    """Return the one document in a picture, whose passages tile its text."""
    (document,) = extract(raw(data, name))
    assert isinstance(document, Extracted)
    return tiled(document)


def ink(image: Image.Image, box: tuple[float, float, float, float]) -> bool:
    """Return whether something dark lies in a box of an image."""
    return int(min(image.convert("L").crop(tuple(round(side) for side in box)).tobytes())) < 100  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def upright() -> Image.Image:
    return page(lines(PROSE, 18))


@pytest.fixture(scope="module")
def recognised(upright: Image.Image) -> tuple[Recognised, list[float]]:
    """What is recognised in the page, and the beats meanwhile."""
    beats: list[float] = []
    return ocr.recognise(upright, Allowance(beats.append)), beats


@pytest.fixture(scope="module")
def document(upright: Image.Image) -> Extracted:
    """The picture of the page, read."""
    return read(saved(upright))


# ----------------------------------------------------------------------------------------- recognition


@with_ocr
def test_a_page_is_read_line_by_line_with_a_box_for_each_character(
    upright: Image.Image, recognised: tuple[Recognised, list[float]]
) -> None:
    found, _ = recognised
    assert found.text.replace("\n", "") == PROSE
    assert found.text.count("\n") == 2
    assert len(found.boxes) == len(found.text)
    assert [box is None for box in found.boxes] == [character.isspace() for character in found.text]
    assert all(
        ink(upright, box)
        for box, character in zip(found.boxes, found.text, strict=True)
        if box and character not in "，、。"
    )
    assert 0.9 < found.confidence <= 1


@with_ocr
@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_page_that_lies_on_a_side_or_its_head_reads_the_same(upright: Image.Image, angle: int) -> None:
    turned = upright.rotate(angle, expand=True)
    found = ocr.recognise(turned, Allowance())
    assert found.text.replace("\n", "") == PROSE
    first, last = found.boxes[0], found.boxes[-1]
    assert first and last
    back = {
        90: lambda x, y: (turned.height - y, x),
        180: lambda x, y: (turned.width - x, turned.height - y),
        270: lambda x, y: (y, turned.width - x),
    }
    x, y = back[angle]((first[0] + first[2]) / 2, (first[1] + first[3]) / 2)
    assert 60 < x < 100 and 50 < y < 110, "the first character is where it was before the page was turned"


@with_ocr
def test_vertical_writing_is_read_from_the_right_column_to_the_left() -> None:
    columns = ["道可道非常道名可名", "无名天地之始有名万", "故常无欲以观其妙常"]
    places = [(600 - 70 * n, 40 + 44 * at, text) for n, column in enumerate(columns) for at, text in enumerate(column)]
    assert ocr.recognise(page(places), Allowance()).text.split("\n") == columns


@with_ocr
def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    left, right = lines(PROSE, 12, top=150), lines(PROSE[::-1], 12, left=620, top=150)
    found = ocr.recognise(page([(350, 40, "横贯两栏的大标题在上面"), *left, *right], (1200, 600)), Allowance())
    assert found.text.replace("\n", "").startswith("横贯两栏的大标题在上面" + PROSE)


@with_ocr
def test_cells_of_a_table_are_read_row_by_row() -> None:
    table = [["姓名", "部门", "金额"], ["张三", "财务处", "1,200.50"], ["李四", "审计局", "3,400.00"]]
    cells = [
        (80 + 280 * across, 60 + 80 * down, cell) for down, row in enumerate(table) for across, cell in enumerate(row)
    ]
    text = ocr.recognise(page(cells), Allowance()).text
    assert [row.split("\t") for row in text.split("\n") if row] == table


@with_ocr
def test_each_letter_of_a_word_has_its_part_of_the_box_and_a_space_has_none() -> None:
    found = ocr.recognise(page([(60, 60, "Markdown and JSON")]), Allowance())
    assert found.text == "Markdown and JSON"
    assert found.boxes[8] is None
    lefts = [box[0] for box in found.boxes if box]
    assert lefts == sorted(lefts)


@with_ocr
def test_a_blank_page_has_no_text() -> None:
    assert ocr.recognise(page([]), Allowance()) == Recognised()
    with pytest.raises(Unreadable, match="there is no text in it"):
        extract(raw(saved(page([]))))


@with_ocr
def test_a_long_picture_is_read_whole() -> None:
    image = page([(40, 60 + 300 * n, f"第{n + 1}条聊天记录的内容") for n in range(6)], (500, 1800))
    assert len(list(strips(image))) > 1
    assert ocr.recognise(image, Allowance()).text.split() == [f"第{n + 1}条聊天记录的内容" for n in range(6)]


@with_ocr
def test_a_long_page_beats_while_it_is_read(recognised: tuple[Recognised, list[float]]) -> None:
    assert len(recognised[1]) >= 3


@with_ocr
def test_a_real_picture_is_read() -> None:
    document = read(file("chatchat_ocr_test.jpg"), "a.jpg")
    assert sorted(document.text.split("\n\n")[1].split("\n") + document.text.split("\n\n")[:1]) == sorted(
        ["横向文本框", "竖向文本框", "English text"]
    )


# ------------------------------------------------------------------------------------------- documents


@with_ocr
def test_what_is_recognised_is_marked_with_its_confidence(document: Extracted) -> None:
    (mark,) = document.marks
    assert (mark.start, mark.end, mark.kind) == (0, len(document.text), "recognised")
    assert 0.9 < float(mark.note) <= 1
    assert document.places == ((0, Place(unit="page", number=1)),)


@with_ocr
def test_the_pages_of_a_tiff_are_places_and_a_blank_one_has_none() -> None:
    pages = [page([]), page([(60, 60, "第一页的正文")]), page([(60, 60, "第二页的正文")])]
    document = read(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]), "a.tiff")
    assert document.text == "第一页的正文\n\n第二页的正文"
    assert [(start, place.unit, place.number) for start, place in document.places] == [(0, "page", 2), (8, "page", 3)]
    assert [document.text[mark.start : mark.end] for mark in document.marks] == ["第一页的正文", "第二页的正文"]


@with_ocr
def test_the_day_a_photograph_was_taken_dates_it() -> None:
    said = Image.Exif()
    said.get_ifd(0x8769).update({0x9003: "2024:05:01 10:11:12", 0x9011: "+08:00"})
    assert read(saved(page([(60, 60, "会议记录")]), "JPEG", exif=said), "a.jpg").dated == "2024-05-01T10:11:12+08:00"


@with_ocr
def test_the_same_picture_gives_the_same_document(upright: Image.Image, document: Extracted) -> None:
    assert read(saved(upright)) == document


@pytest.mark.skipif(ocr.available(), reason="text is recognised here")
def test_without_ocr_a_picture_says_what_would_read_it() -> None:
    with pytest.raises(Unreadable, match=r"it is a picture\. To read it: pip install"):
        extract(raw(saved(page([]))))


# ------------------------------------------------------------------------------------------ highlights


@with_ocr
def test_the_picture_of_a_page_shows_spans_in_yellow_and_quotes_in_orange(
    upright: Image.Image, document: Extracted
) -> None:
    source = raw(saved(upright))
    text = document.text
    at, quote = text.index("预算执行"), text.index("会计凭证")
    drawn = Image.open(BytesIO(ocr.picture(source, 1, [(at, at + 4)], quotes=[(quote, quote + 4)])))
    assert drawn.format == "PNG" and drawn.size == upright.size
    colours = {colour for _, colour in drawn.getcolors(maxcolors=100_000) or [] if isinstance(colour, tuple)}
    assert YELLOW in colours and ORANGE in colours
    (box,) = ocr.boxes(source, 1, (at, at + 4))
    assert all(0 <= side <= 1 for side in box)
    assert 3.5 * 36 < (box[2] - box[0]) * upright.width < 4.8 * 36
    with pytest.raises(NotFound):
        ocr.picture(source, 2, [])


@with_ocr
def test_a_span_over_a_line_end_has_a_box_for_each_line(upright: Image.Image) -> None:
    first, second = ocr.boxes(raw(saved(upright)), 1, (15, 22))
    assert first[3] <= second[1] + 0.02 and first[0] > second[0]


def test_boxes_that_overlap_are_not_painted_twice() -> None:
    painted = highlight(Image.new("RGB", (30, 10), "white"), [(0, 0, 20, 10), (10, 0, 30, 10)])
    assert len(painted.getcolors() or []) == 1


# ----------------------------------------------------------------------------------------- image files


def test_every_kind_of_picture_is_opened_on_white() -> None:
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"):
        (frame,) = frames(saved(Image.new("RGB", (40, 20), "red"), kind))
        assert (frame.mode, frame.size) == ("RGB", (40, 20))
    (clear,) = frames(saved(Image.new("RGBA", (4, 4), (0, 0, 0, 0))))
    assert clear.getpixel((0, 0)) == (255, 255, 255)
    (deep,) = frames(saved(Image.new("I;16", (4, 4), 40_000)))
    assert deep.getpixel((0, 0)) == (156, 156, 156)


def test_a_photograph_is_turned_as_its_exif_says() -> None:
    said = Image.Exif()
    said[0x0112] = 6  # turn by 90 degrees
    (frame,) = frames(saved(Image.new("RGB", (40, 20)), "JPEG", exif=said))
    assert frame.size == (20, 40)


def test_of_a_moving_picture_the_first_frame_stands_for_all() -> None:
    shades = [Image.new("RGB", (4, 4), (shade, 0, 0)) for shade in (0, 100, 200)]
    assert len(list(frames(saved(shades[0], "GIF", save_all=True, append_images=shades[1:])))) == 1


def test_a_damaged_picture_says_so() -> None:
    data = saved(Image.effect_noise((200, 200), 50), "PNG")
    for broken in (data[: len(data) // 2], data[:20], b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(Unreadable, match="it is damaged"):
            list(frames(broken))


@pytest.mark.parametrize("side", [10_001, 15_000])
def test_a_picture_too_large_to_unpack_is_refused(side: int) -> None:
    assert side * side > MAX_PIXELS
    data = saved(Image.new("1", (side, side)), "TIFF", compression="group4")
    with pytest.raises(Unreadable, match="it has more than 100 million pixels"):
        list(frames(data))


def test_a_long_picture_is_cut_between_its_lines() -> None:
    image = page([(10, 40 + 90 * n, "聊天记录") for n in range(20)], (200, 1900))
    pieces = list(strips(image))
    assert len(pieces) > 3
    assert sum(piece.height for _, piece in pieces) == image.height
    for top, _ in pieces[1:]:
        assert not ink(image, (0, top - 1, 200, top + 1)), "no line is cut through"


def test_png_gives_back_the_pixels() -> None:
    image = page([(10, 10, "文")], (80, 80))
    assert Image.open(BytesIO(png(image))).tobytes() == image.tobytes()


# --------------------------------------------------------------------------------------------- privacy

Process = subprocess.CompletedProcess[str]
ALONE = """
import sys
from yuanwen.allowance import Allowance
from yuanwen.extract import ocr
from yuanwen.extract.image import frames
print(ocr.recognise(next(frames(open(sys.argv[1], "rb").read())), Allowance()).text)
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, upright: Image.Image) -> tuple[Process, Path, Path]:
    """A process that recognised a page, its home, and the trace of what it sent, where there is one."""
    place = tmp_path_factory.mktemp("alone")
    home, log = place / "home", place / "strace.log"
    home.mkdir()
    (place / "page.png").write_bytes(saved(upright))
    own = {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"}

    def run(*within: str | Path) -> Process:
        command = [*within, sys.executable, "-c", ALONE, place / "page.png"]
        return subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=False)

    if shutil.which("strace"):
        done = run("strace", "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", log)
        if not (done.returncode and "Operation not permitted" in log.read_text()):
            return done, home, log
        log.unlink()
    return run(), home, log


@with_ocr
def test_recognising_writes_nothing_to_the_home_and_says_nothing(alone: tuple[Process, Path, Path]) -> None:
    done, home, _ = alone
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.replace("\n", "") == PROSE
    assert list(home.rglob("*")) == []


@with_ocr
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_recognising_connects_to_nothing(alone: tuple[Process, Path, Path]) -> None:
    done, _, log = alone
    if not log.exists():
        pytest.skip("strace may not trace here")
    assert done.returncode == 0 and "AF_INET" not in log.read_text()
