"""Spreadsheets (XLSX, XLS, XLSB, ODS): a line for each row, its cells separated by tabs, sheet after sheet.

A line break or a tab within a cell is kept as it is; `paragraphs` and `places` say where a row starts. A cell is what
is stored in it, whatever its number format shows; an error such as #DIV/0! is empty. Rows without text have no line.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import BytesIO
from xml.parsers import expat

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetVisibleEnum

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Heading, Mark, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import odf
from yuanwen.extract.draft import Draft
from yuanwen.extract.drawings import write_lines
from yuanwen.extract.office import Properties, Text
from yuanwen.extract.ooxml import RelatedParts, core_properties, link, targets
from yuanwen.extract.package import Element, Package, Parts, local
from yuanwen.extract.refusals import damaged

Value = int | float | str | bool | time | date | datetime | timedelta

MAX_CELLS = 50_000_000  # of the used range of a sheet, empty ones too: the reader keeps them all, 24 bytes each
_MOST_COLUMNS = 16_384
_BEAT = 1_000  # rows
_EXPONENT_FROM = 1e21
_BOOK = "xl/workbook.xml"

_ROW = re.compile(rb"<(?:\w+:)?row\s[^>]*?\br=[\"'](\d{1,7})[\"']")
_FAR_COLUMN = re.compile(rb"\br=[\"']([A-Z]{2,3})\d")
_LONGEST_HEADING = 60  # characters of a cell that may stand above a column


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the workbook as one document, and a Skip for each sheet that cannot be read. Raises Unreadable."""
    package = Package(raw) if raw.data.startswith(b"PK") else None
    if package:
        _check(package)
    draft = Draft()
    with _damage():
        workbook = CalamineWorkbook.from_filelike(BytesIO(raw.data))
    for index, sheet in enumerate(workbook.sheets_metadata):
        before = len(draft.paragraphs)
        try:
            with _damage():
                _add(draft, sheet.name, _rows(workbook.get_sheet_by_index(index), index + 1, raw.allowance.beat))
        except Unreadable as error:
            yield Skip(source="", reason=f'the sheet "{sheet.name}" is damaged', hint=error.hint)
        if sheet.visible != SheetVisibleEnum.Visible and len(draft.paragraphs) > before:
            draft.marks.append(Mark(start=draft.paragraphs[before], end=draft.length, kind="invisible"))
    if package:
        parts = RelatedParts(package)
        for name, texts in _beside(parts):
            _add(draft, name, texts)
        yield from parts.skips
    said = _properties(package) if package else Properties()
    yield said.of(draft.extracted(raw.media_type))


def _add(draft: Draft, name: str, paragraphs: Iterable[tuple[Place, str]]) -> None:
    """Add paragraphs with their places under a heading of their own."""
    is_first = True
    for place, text in paragraphs:
        start = draft.write("\n", text)
        if is_first:
            draft.headings.append(Heading(start=start, level=1, text=name))
        draft.paragraphs.append(start)
        draft.places.append((start, place))
        is_first = False


@contextmanager
def _damage() -> Iterator[None]:
    """Turn what the reader raises into Unreadable; a panic of its own comes as a BaseException without a module."""
    try:
        yield
    except PasswordError as error:  # of XLS and ODS, which nothing here decrypts
        raise Unreadable("it needs a password", hint="Save it without a password.") from error
    except (CalamineError, OSError, ValueError) as error:
        raise damaged() from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise damaged() from None


def _check(package: Package) -> None:
    """Raise Unreadable for parts that unpack to too much, or cells that are too far apart."""
    for name in package.names:
        if name.endswith((".xml", ".bin", ".rels")):
            data = package.read(name)
            if "/worksheets/" in name and _area(data) > MAX_CELLS:
                raise Unreadable("its cells are too far apart", hint="Delete the cells far outside the table.")
            if name == "content.xml" and not _is_well_formed(data):  # the reader of ODS would never end
                raise damaged()


def _is_well_formed(data: bytes) -> bool:
    try:
        expat.ParserCreate().Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def _area(sheet: bytes) -> int:
    """Return an upper bound of the cells in the used range of a sheet of XLSX."""
    first = _ROW.search(sheet)
    last = _ROW.search(sheet, max(sheet.rfind(b"<row "), sheet.rfind(b":row "), 1) - 1)
    height = int(last[1]) - int(first[1]) + 1 if first and last else 1
    if height * _MOST_COLUMNS <= MAX_CELLS:
        return height
    columns = {found[1] for found in _FAR_COLUMN.finditer(sheet)}
    return height * max(map(_column, columns), default=26)


def _column(letters: bytes) -> int:
    """Return the number of a column, 1 for A."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _letters(column: int) -> str:
    """Return the letters of a column, `A` for 1."""
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return letters


# ---------------------------------------------------------------------------------------------- cells


def _rows(sheet: CalamineSheet, number: int, beat: Callable[[], None]) -> Iterator[tuple[Place, str]]:
    """Yield the rows that hold text; the nth field is the nth column of the used range."""
    if sheet.start is None or sheet.end is None:
        return
    first, last = (_letters(column + 1) for column in (sheet.start[1], sheet.end[1]))
    heading_row, columns = _columns(sheet)
    for row, values in enumerate(sheet.iter_rows(), 1):
        if row % _BEAT == 0:
            beat()
        line = "\t".join(map(_text, values)).rstrip("\t")
        if line.strip():
            place = Place(
                unit="sheet",
                number=number,
                name=sheet.name,
                cells=f"{first}{row}" if first == last else f"{first}{row}:{last}{row}",
                columns=columns if row >= heading_row else (),
            )
            yield place, line


def _columns(sheet: CalamineSheet) -> tuple[int, tuple[str, ...]]:
    """Return the row of the headings and the headings, or nothing where the sheet seems to have none.

    That is the first row of more than one cell, as a title often stands alone above a table, if it fills half of the
    columns and its cells are short, distinct and mostly text.
    """
    for row, values in enumerate(sheet.iter_rows(), 1):
        named = tuple(" ".join(_text(value).split()) for value in values)
        said = [name for name in named if name]
        if len(said) < min(2, len(named)):
            continue
        words = sum(isinstance(value, str) for value in values if value != "")
        fills = len(said) * 2 >= len(named) and words * 2 > len(said)
        fits = len(set(said)) == len(said) and max(map(len, said)) <= _LONGEST_HEADING
        return (row, named) if fills and fits else (0, ())
    return 0, ()


def _text(value: Value) -> str:
    """Return what is in a cell: a whole number without its fraction, a date without a time that is midnight."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        return f"{'-' * (seconds < 0)}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60:02}:{abs(seconds) % 60:02}"
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _number(value: float) -> str:
    """Return the shortest digits that mean the number; one of 18 digits, such as a card's, without an exponent."""
    text = repr(value)
    if "e+" in text and abs(value) < _EXPONENT_FROM:
        return format(Decimal(text), "f")
    return text.removesuffix(".0")


# --------------------------------------------------------------------------------------- other parts


def _beside(parts: RelatedParts) -> Iterator[tuple[str, list[tuple[Place, str]]]]:
    """Yield what stands beside the cells of an XLSX file, by the name of the sheet: its comments, then its drawings."""
    if _BOOK not in parts.package.names:
        return
    book = parts.get(_BOOK)
    related = parts.relations(_BOOK)
    for sheet in book.iter() if book is not None else ():
        part = related.get(link(sheet)) if local(sheet) == "sheet" else None
        beside = parts.relations(part.target) if part else {}
        name = sheet.get("name", "")
        for target in targets(beside, "comments"):
            yield name, list(_comments(parts.get(target), name))
        for target in targets(beside, "drawing"):
            charts = targets(parts.relations(target), "chart")
            texts = (_drawn(parts.get(one)) for one in (target, *charts))
            yield name, [(Place(unit="drawings", name=name), text) for text in texts if text]


def _comments(root: Element | None, sheet: str) -> Iterator[tuple[Place, str]]:
    for comment in root.iter() if root is not None else ():
        if local(comment) == "comment":
            text = "".join(run.text or "" for run in comment.iter() if local(run) == "t").strip()
            if text:
                yield Place(unit="comments", name=sheet, cells=comment.get("ref", "")), text


def _drawn(root: Element | None) -> str:
    """Return the text of shapes, or the titles of a chart; its values are cells."""
    text = Text()
    if root is not None:
        write_lines(root, text)
    return str(text)


def _properties(package: Package) -> Properties:
    """Return what the workbook says about itself; nothing where that part is damaged."""
    if "meta.xml" not in package.names:
        return core_properties(package)
    return odf.properties(Parts(package).get("meta.xml"))
