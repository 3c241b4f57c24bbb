"""Picture files -> pixels, and pixels -> PNG with what is meant painted over. The home of Pillow."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO

from PIL import ExifTags, Image, ImageChops, ImageDraw, ImageOps

from yuanwen.errors import Unreadable
from yuanwen.extract.dates import iso
from yuanwen.extract.refusals import damaged

MAX_PIXELS = 100_000_000  # of one page: A3 at 600 dpi has 70 million, and takes 200 MB
MAX_PAGES = 1000
MAX_STRIP = 2  # height to width of a piece of a long picture
MOST_STRIPS = 60  # of one picture, or it takes hours; the longest screenshots have 50
SMALLEST = 8  # pixels of a side that has room for writing
YELLOW = (255, 238, 110)
ORANGE = (255, 170, 90)

Box = tuple[float, float, float, float]  # left, top, right, bottom
Picture = Image.Image

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP")

Image.MAX_IMAGE_PIXELS = MAX_PIXELS


def frames(data: bytes) -> Iterator[Image.Image]:
    """Yield the pages of a picture file as RGB on white, upright as its EXIF says. Raises Unreadable.

    A TIFF has pages; of a moving picture the first frame stands for all.
    """
    with _guarded():
        image = _open(data)
        count = _count(image)
    with image:
        for number in range(count):
            with _guarded():
                image.seek(number)
                frame = _on_white(image)
            yield frame


def drawn(size: tuple[int, int], stride: int, pixels: bytes) -> Picture:
    """Return pixels of four bytes (blue, green, red, and nothing) in rows of `stride` bytes as a picture."""
    return Image.frombytes("RGB", size, pixels, "raw", "BGRX", stride, 1)


def taken(data: bytes) -> str | None:
    """Return when a photograph was taken, as ISO 8601, or None. Raises Unreadable."""
    with _guarded(), _open(data) as image:
        said = image.getexif().get_ifd(ExifTags.IFD.Exif)
        moment = str(said.get(ExifTags.Base.DateTimeOriginal, ""))
        zone = str(said.get(ExifTags.Base.OffsetTimeOriginal, ""))
        day, _, time = moment.strip(" \0").partition(" ")
        return iso(f"{day.replace(':', '-')} {time}{zone.strip(' ' + chr(0))}")


def strips(image: Image.Image) -> Iterator[tuple[int, Image.Image]]:
    """Yield an image in pieces no higher than twice its width, each with its top; none where no writing has room.

    A picture of a whole chat is cut where the rows are plainest, so that no line of writing is cut through.
    """
    width, height = image.size
    highest = max(MAX_STRIP * width, height // MOST_STRIPS)
    top = 0
    if min(width, height) < SMALLEST:
        return
    while height - top > highest:
        lowest = top + highest
        rows = range(lowest - highest // 4, lowest)
        cut = min(reversed(rows), key=lambda row: _contrast(image, row))
        yield top, image.crop((0, top, width, cut))
        top = cut
    yield top, image.crop((0, top, width, height)) if top else image


def fitted(image: Image.Image, *, longest: int, shortest: int, ratio: int) -> tuple[Image.Image, float, int, int]:
    """Return an image shrunk to its longest side and bedded in its own colour, the scale, and where it lies in there.

    The sides of what is returned are not shorter than `shortest`, and at most `ratio` times each other.
    """
    scale = min(1.0, longest / max(image.size))
    width, height = (max(1, round(side * scale)) for side in image.size)
    inner = image.resize((width, height), Image.Resampling.LANCZOS) if scale < 1 else image
    size = max(width, height // ratio, shortest), max(height, width // ratio, shortest)
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    if (left, top) == (0, 0):
        return inner, scale, 0, 0
    bed = Image.new("RGB", size, inner.getpixel((0, 0)))
    bed.paste(inner, (left, top))
    return bed, scale, left, top


def png(image: Image.Image) -> bytes:
    """Return an image as the bytes of a PNG file."""
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def highlight(image: Image.Image, boxes: Iterable[Box], colour: tuple[int, int, int] = YELLOW) -> Image.Image:
    """Return a copy of an image with each box coloured as by a marker: paper takes the colour, ink stays as it is."""
    marks = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(marks)
    for left, top, right, bottom in boxes:
        draw.rectangle((left, top, max(left, right - 1), max(top, bottom - 1)), fill=colour)
    return ImageChops.multiply(image.convert("RGB"), marks)


def _contrast(image: Image.Image, row: int) -> int:
    """Return how much the brightness varies along a row of pixels."""
    shades = image.crop((0, row, image.width, row + 1)).convert("L").tobytes()
    return max(shades) - min(shades)


def _open(data: bytes) -> Image.Image:
    return Image.open(BytesIO(data), formats=_FORMATS)  # decodes nothing yet


@contextmanager
def _guarded() -> Iterator[None]:
    """Make Unreadable of whatever Pillow raises about a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata, which is no concern here
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            yield
    except (Image.DecompressionBombWarning, Image.DecompressionBombError) as error:
        millions = MAX_PIXELS // 10**6
        raise Unreadable("it has more than {n} million pixels", hint="Make it smaller.", n=millions) from error
    except (OSError, SyntaxError, ValueError, EOFError, LookupError, TypeError) as error:  # all that Pillow raises
        raise damaged() from error


def _count(image: Image.Image) -> int:
    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    if count > MAX_PAGES:
        raise Unreadable("it has more than {n} pages", hint="Split it.", n=MAX_PAGES)
    return int(count)


def _on_white(image: Image.Image) -> Image.Image:
    """Return the frame that is open as RGB: sixteen bits scaled to eight, what is transparent white."""
    if image.width * image.height > MAX_PIXELS:
        raise Image.DecompressionBombError
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I;16"):
        upright = upright.convert("I").point(lambda value: value / 256).convert("L")
    if not upright.has_transparency_data:
        return upright.convert("RGB")
    page = Image.new("RGBA", upright.size, "white")
    page.alpha_composite(upright.convert("RGBA"))
    return page.convert("RGB")
