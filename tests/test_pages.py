"""A passage is shown on the page that it stands on, drawn from the file, with its very words marked."""

import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest
from conftest import write
from PIL import Image, ImageChops

from yuanwen import Library
from yuanwen.errors import NotFound, Unreadable, UsageError
from yuanwen.extract.image import ORANGE, YELLOW

ROOT = Path(__file__).parents[1]
CONTRACT = (ROOT / "samples/contracts/设备采购合同.pdf").read_bytes()
FILES = ROOT.parent / "shared/corpus/files"
BOTH = tuple(a * b // 255 for a, b in zip(YELLOW, ORANGE, strict=True))  # a quotation lies within its passage


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path / "library.sqlite", workers=1) as library:
        yield library


def found(library: Library, words: str) -> str:
    (hit,) = library.search(words, mode="exact").hits
    return hit.id


def page(png: bytes) -> Image.Image:
    image = Image.open(BytesIO(png))
    assert image.format == "PNG"
    return image.convert("RGB")


def coloured(image: Image.Image, colour: tuple[int, ...]) -> Image.Image:
    """Return a mask of what has just this colour."""
    difference = ImageChops.difference(image, Image.new("RGB", image.size, colour)).convert("L")
    return difference.point(lambda value: 255 * (not value))


def share(image: Image.Image, colour: tuple[int, ...]) -> float:
    """Return the share of an image that has just this colour."""
    return coloured(image, colour).histogram()[255] / (image.width * image.height)


def bounds(image: Image.Image, colour: tuple[int, ...]) -> tuple[int, int, int, int]:
    """Return the least box that holds all that has just this colour."""
    box = coloured(image, colour).getbbox()
    assert box is not None
    return box


def test_the_passage_and_the_quotation_are_marked_on_the_page(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "合同.pdf", CONTRACT))
    identity = found(library, "接到报修后四小时内响应")
    plain, quoted = page(library.page_image(identity)), page(library.page_image(identity, quote="四小时内响应"))
    assert plain.size == quoted.size == (1240, 1753)
    assert share(plain, YELLOW) > 0.03 and not share(plain, BOTH)
    assert share(quoted, BOTH) > 0.0005
    left, top, right, bottom = bounds(quoted, BOTH)
    words = quoted.crop((left, top, right, bottom))
    dark = words.convert("L").histogram()
    assert sum(dark[:100]) > 0.05 * words.width * words.height, "there is ink under the mark"
    assert 5 < (right - left) / (bottom - top) < 8, "six characters in a row"


def test_a_quotation_that_a_line_breaks_is_marked_in_both_lines(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "合同.pdf", CONTRACT))
    image = page(library.page_image(found(library, "接到报修后四小时内响应"), quote="接到报修后四小时内响应"))
    _, top, _, bottom = bounds(image, BOTH)
    assert bottom - top > 50


def test_more_dots_make_a_larger_picture(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "合同.pdf", CONTRACT))
    identity = found(library, "接到报修后四小时内响应")
    assert page(library.page_image(identity, dpi=75)).width == pytest.approx(620, abs=1)
    assert max(page(library.page_image(identity, dpi=5000)).size) <= 4000


def test_running_heads_are_marked_on_the_page_that_they_stand_on(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "合同.pdf", CONTRACT))
    (hit,) = library.search("合同编号 QH-2026-0318", mode="exact").hits
    assert hit.heading == () and {mark.kind for mark in hit.marks} == {"running head"}
    image = page(library.page_image(hit.id))
    _, top, _, bottom = bounds(image, YELLOW)
    assert top < 0.1 * image.height and bottom > 0.9 * image.height


def test_a_page_of_a_file_inside_another_is_drawn(library: Library, tmp_path: Path) -> None:
    letter = EmailMessage()
    letter["Subject"] = "合同"
    letter.set_content("见附件。")
    letter.add_attachment(CONTRACT, maintype="application", subtype="pdf", filename="合同.pdf")
    with zipfile.ZipFile(tmp_path / "往来.zip", "w") as archive:
        archive.writestr("三月/来信.eml", letter.as_bytes())
    library.add(tmp_path / "往来.zip")
    (hit,) = library.search("接到报修后四小时内响应", mode="exact").hits
    assert hit.source == f"{tmp_path}/往来.zip/三月/来信.eml/合同.pdf"
    assert share(page(library.page_image(hit.id)), YELLOW) > 0.03
    shown = library.show(str(tmp_path / "往来.zip"))
    assert [each.source.rpartition(".zip/")[2] for each in shown][:2] == ["三月/来信.eml", "三月/来信.eml/合同.pdf"]


def test_a_file_that_changed_is_not_drawn_as_if_it_had_not(library: Library, tmp_path: Path) -> None:
    file = write(tmp_path / "合同.pdf", CONTRACT)
    library.add(file)
    identity = found(library, "接到报修后四小时内响应")
    write(file, CONTRACT + b"\n")
    with pytest.raises(NotFound, match="no longer as it was"):
        library.page_image(identity)
    file.unlink()
    with pytest.raises(NotFound, match="not there"):
        library.page_image(identity)


def test_what_cannot_be_drawn_is_said(library: Library, tmp_path: Path) -> None:
    library.add(write(tmp_path / "笔记.md", "# 笔记\n\n没有页的文字"), write(tmp_path / "合同.pdf", CONTRACT))
    with pytest.raises(UsageError, match="has no page"):
        library.page_image(found(library, "没有页的文字"))
    with pytest.raises(UsageError, match="does not hold the quotation"):
        library.page_image(found(library, "接到报修后四小时内响应"), quote="五小时内响应")
    with pytest.raises(NotFound, match="no passage"):
        library.page_image("000000000000-1")


@pytest.mark.skipif(not FILES.exists(), reason="the shared corpus is not here")
def test_a_page_that_needs_a_password_is_drawn_with_it(library: Library, tmp_path: Path) -> None:
    file = write(tmp_path / "locked.pdf", (FILES / "pdfjs_pr6531_1.pdf").read_bytes())
    assert library.add(file).skipped[0].reason == "it needs a password"
    assert library.sync(passwords=["wrong", "asdfasdf"]).indexed == 1
    (hit,) = library.search(str(file), mode="raw", limit=1).hits
    with pytest.raises(Unreadable, match="needs a password"):
        library.page_image(hit.id)
    assert page(library.page_image(hit.id, passwords=["asdfasdf"])).width > 500
