"""Plain text and source code: the text as it stands."""

import re

from yuanwen.documents import Extracted, Heading, Raw
from yuanwen.extract.decode import Decoded, decode

_LEVELS = {"编": 1, "編": 1, "部": 1, "卷": 1, "篇": 1, "章": 2, "回": 2, "节": 3, "節": 3}

# 第一章 总则, alone on its line. 第N条 is no heading, and neither is a line of a table of contents (…… 12).
_CHAPTER = re.compile(
    r"第[0-9０-９〇零一二三四五六七八九十百千两]{1,9}(?:"
    r"([编編卷篇章节節])(?!课|的|是)|([部回])分?(?=[ \t\u3000:：\r\n\f]|\Z))"
    r"[^\r\n\f\u2028，。；！？,;!?…]{0,40}(?=[\r\n\f\u2028]|\Z)"
)


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the file as one document, with the chapters of a plain text as headings."""
    decoded = decode(raw.data)
    headings = chapters(decoded.text) if raw.media_type == "text/plain" else ()
    return (verbatim(raw, decoded, headings=headings),)


def verbatim(
    raw: Raw, decoded: Decoded, *, headings: tuple[Heading, ...] = (), paragraphs: tuple[int, ...] = ()
) -> Extracted:
    """Return a document whose text is the whole file, as decoded."""
    return Extracted(
        text=decoded.text,
        media_type=raw.media_type,
        headings=headings,
        paragraphs=paragraphs,
        lines=True,
        encoding=decoded.encoding,
        replaced=decoded.replaced,
    )


def chapters(text: str) -> tuple[Heading, ...]:
    """Return the lines that name a part, a chapter or a section of a Chinese text."""
    return tuple(
        Heading(start=found.start(), level=_LEVELS[found[1] or found[2]], text=found[0].strip())
        for found in _CHAPTER.finditer(text)
        if _starts_line(text, found.start()) and ".." not in found[0]
    )


def _starts_line(text: str, start: int) -> bool:
    """Return whether only indentation stands before `start` on its line."""
    while start and text[start - 1] in " \t\u3000":
        start -= 1
    return not start or text[start - 1] in "\r\n\f\u2028"
