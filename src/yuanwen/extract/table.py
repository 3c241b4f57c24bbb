"""CSV and TSV: the text as it stands, and where its rows start."""

import re

from yuanwen.documents import Extracted, Raw
from yuanwen.extract.decode import decode
from yuanwen.extract.text import verbatim

_LINE_END = re.compile(r"[\r\n]+")
_LINE_END_OR_OPENING_QUOTE = re.compile(r'[\r\n]+|(?:(?<=[,;\t\r\n])|\A)"')


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the file as one document with a paragraph for each row."""
    decoded = decode(raw.data)
    return (verbatim(raw, decoded, paragraphs=rows(decoded.text)),)


def rows(text: str) -> tuple[int, ...]:
    """Return where the rows start. A line break inside a quoted field does not end one.

    A quote opens a field after a comma, a semicolon or a tab, so the delimiter need not be guessed.
    """
    if not text:
        return ()
    starts = [0]
    at = 0
    while found := _LINE_END_OR_OPENING_QUOTE.search(text, at):
        at = found.end()
        if found[0] != '"':
            starts.append(at)
        elif closed := _closing_quote(text, at):
            at = closed
        else:  # never closed: this quote, and those after it, are ordinary characters
            starts.extend(end.end() for end in _LINE_END.finditer(text, at))
            break
    return tuple(start for start in starts if start < len(text))


def _closing_quote(text: str, at: int) -> int | None:
    """Return the offset after the quote that ends the field opened before `at`; `""` stands for a quote."""
    while (quote := text.find('"', at)) >= 0:
        if not text.startswith('"', quote + 1):
            return quote + 1
        at = quote + 2
    return None
