"""A document as far as it is put together: the text so far, and what points into it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from yuanwen.documents import Extracted, Heading, Mark, Place


@dataclass
class Draft:
    """Text that grows at its end. What points into a piece of it is given by offsets of that piece."""

    length: int = 0
    headings: list[Heading] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    places: list[tuple[int, Place]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return "".join(self._pieces)

    def write(self, gap: str, text: str) -> int:
        """Add text, after a gap unless it is the first; return where it starts."""
        if self._pieces:
            self._pieces.append(gap)
            self.length += len(gap)
        start = self.length
        self._pieces.append(text)
        self.length += len(text)
        return start

    def point(
        self,
        start: int,
        *,
        headings: Iterable[Heading] = (),
        paragraphs: Iterable[int] = (),
        marks: Iterable[Mark] = (),
    ) -> None:
        """Add what points into the piece of the text that begins at `start`."""
        self.headings += (replace(heading, start=start + heading.start) for heading in headings)
        self.paragraphs += (start + paragraph for paragraph in paragraphs)
        self.marks += (replace(mark, start=start + mark.start, end=start + mark.end) for mark in marks)

    def unhead(self, start: int) -> None:
        """Let what begins at `start` belong to none of the headings before it."""
        self.headings.append(Heading(start=start, level=1, text=""))

    def extracted(self, media_type: str) -> Extracted:
        """Return the document; what it says of itself is still to be told."""
        return Extracted(
            text=str(self),
            media_type=media_type,
            headings=tuple(self.headings),
            paragraphs=tuple(self.paragraphs),
            places=tuple(self.places),
            marks=tuple(sorted(self.marks, key=lambda mark: (mark.start, mark.end, mark.kind))),
        )
