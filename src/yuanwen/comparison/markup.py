"""A text in Markdown -> its words as a reader sees them, without the marks of emphasis, code and links."""

import re
from bisect import bisect_right
from itertools import accumulate

_TIGHT = "A-Za-z0-9〇零一二三四五六七八九十百千万亿"  # between two of these a mark may be a sign: 2*3, snake_case
_marks = re.compile(
    rf"(?<=[^{_TIGHT}\s*_`])[*_`]++|(?<![*_`])[*_`]++(?=[^{_TIGHT}\s])"
    rf"|(?<=[{_TIGHT}])[*_`]++(?!\S)|(?<!\S)[*_`]++(?=[{_TIGHT}])"
    r"|\[(?=[^\[\]\n]{1,200}\]\([^()\s]{1,300}\))|\]\((?=[^()\s]{0,300}[/.#:])[^()\s]{1,300}\)"
)


class Unmarked:
    """A text without its marks: `text[i]` stands at `source(i)` of the original."""

    def __init__(self, original: str) -> None:
        self.original = original
        has_any = any(mark in original for mark in "*_`[")
        self._gaps = [found.span() for found in _marks.finditer(original)] if has_any else []
        self.text = _marks.sub("", original) if self._gaps else original
        lengths = [end - start for start, end in self._gaps]
        self._left_out = [0, *accumulate(lengths)]
        self._starts = [start - out for (start, _), out in zip(self._gaps, self._left_out, strict=False)]

    def __bool__(self) -> bool:
        """Return whether there were any marks."""
        return bool(self._gaps)

    def source(self, at: int) -> int:
        """Return the offset in the original of the character at this offset."""
        return at + self._left_out[bisect_right(self._starts, at)]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original for `text[start:end]`."""
        first = self.source(start)
        return first, self.source(end - 1) + 1 if start < end else first

    def at(self, source: int) -> int:
        """Return the offset of what stands at or after an offset of the original."""
        number = bisect_right(self._gaps, (source, source))
        before = self._gaps[number - 1] if number else (0, 0)
        return source - self._left_out[number] + max(0, before[1] - source)
