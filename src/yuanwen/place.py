"""Where a passage stands in its file, and what has to be known about it. Apart, so that a search loads no more."""

from dataclasses import dataclass

BODY = ("body", "main")  # units of the text itself, where a paragraph has a number only


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a stretch of text stands in its file, in the terms of the format.

    `unit` is `page`, `slide`, `sheet`, `chapter` or `line`, or names a part: `body` or `main`, and what is beside it
    (`footnotes`, `endnotes`, `comments`, `headers`, `notes`, `drawings`, `hidden`, and `beside` on a web page).
    `number` counts from 1 in the order of the file; `last` is the number that the stretch ends in, if that is another.
    `name` is what the file itself calls it: the label of a page (`iv`), the name of a sheet, the title of a chapter.
    `cells` is a range of a sheet (`A2:F9`), and `columns` what stands above its columns, in order.
    """

    unit: str
    number: int | None = None
    last: int | None = None
    name: str = ""
    cells: str = ""
    columns: tuple[str, ...] = ()

    @property
    def page(self) -> int | None:
        """The number of the page; None for a place of another kind."""
        return self.number if self.unit == "page" else None


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What has to be known about a stretch of text to judge it. A mark of no length stands before `start`.

    `kind` is `invisible` (in the file, not to be seen by a reader), `running head` (repeated on each page), `garbled`
    (other characters than a reader sees), `recognised` (read from a picture; `note` is the confidence, 0 to 1, unless
    the file had it from elsewhere), `inserted` (a tracked change), `number` (`note` is the automatic number that a
    reader sees before it), or `reading` (`note` is the pronunciation shown above it).
    """

    start: int
    end: int
    kind: str
    note: str = ""
