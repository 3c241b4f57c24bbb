"""Markdown: the source as it stands, its headings, and what its front matter says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from yuanwen.documents import Extracted, Heading, Raw
from yuanwen.extract.dates import iso
from yuanwen.extract.decode import decode
from yuanwen.extract.keywords import tags

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_HASHES = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_BREAK = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`]*\Z)|~{3,})")
_CONTAINER = re.compile(r" {0,3}(?:>|(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\Z))")  # a quotation or an item of a list
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_COMMAS = re.compile(r"[,，、]")


@dataclass(frozen=True, kw_only=True)
class FrontMatter:
    """What the block between two `---` lines says, and the offset after it. Values are lists of strings."""

    end: int = 0
    values: dict[str, list[str]] = field(default_factory=dict)

    def first(self, *keys: str) -> str:
        """Return the values of the first key that has any, joined by commas."""
        return next((", ".join(self.values[key]) for key in keys if self.values.get(key)), "")


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the file as one document."""
    decoded = decode(raw.data)
    front = front_matter(decoded.text)
    headings = tuple(_headings(decoded.text, front.end))
    first = next((heading.text for heading in headings if heading.level == 1), "")
    extracted = Extracted(
        text=decoded.text,
        media_type=raw.media_type,
        title=front.first("title") or first,
        headings=headings,
        lines=True,
        tags=_tags(front),
        dated=iso(front.first("date")),
        author=front.first("author", "authors"),
        encoding=decoded.encoding,
        replaced=decoded.replaced,
    )
    return (extracted,)


def _tags(front: FrontMatter) -> tuple[str, ...]:
    """Return the tags without the `#` that some write before each."""
    named = tags(front.values.get("tags") or front.values.get("tag") or [])
    return tuple(dict.fromkeys(filter(None, (tag.removeprefix("#") for tag in named))))


# ------------------------------------------------------------------------------------- front matter


def front_matter(text: str) -> FrontMatter:
    """Return the `key: value` block that a text starts with; an empty one where there is none."""
    lines = _lines(text, 0)
    if next(lines, (0, ""))[1].rstrip() != "---":
        return FrontMatter()
    values: dict[str, list[str]] = {}
    key: str | None = None
    for start, line in lines:
        if line.rstrip() in ("---", "..."):
            return FrontMatter(end=start + len(line), values=values)
        if item := _ITEM.fullmatch(line):
            values.setdefault(key or "", []).extend(_scalars(item[1]))
        elif pair := _pair(line):
            key = pair[0]
            values[key] = _scalars(pair[1])
        elif key is None and line.strip():
            break  # a thematic break and prose
    return FrontMatter()


def _pair(line: str) -> tuple[str, str] | None:
    """Return the key, in lower case, and the value of a line at the margin; None for any other line."""
    key, colon, value = line.partition(":")
    if not colon or key[:1] in ("", " ", "\t", "#") or value[:1] not in ("", " ", "\t"):
        return None
    return key.strip().lower(), value


def _scalars(value: str) -> list[str]:
    """Return the strings of a plain value or of an inline list `[a, "b"]`."""
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        return [one for part in _COMMAS.split(value[1:-1]) for one in _scalars(part)]
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return [value[1:-1]]
    value = value.partition(" #")[0].rstrip()
    return [value] if value and value[0] not in "#|>" else []


# ------------------------------------------------------------------------------------------ headings


def _headings(text: str, at: int) -> Iterator[Heading]:
    """Yield the headings from offset `at` on.

    A paragraph that is under way (it starts at `paragraph`) becomes a heading when it is underlined; lines of
    a quotation or a list (`contained`) never do.
    """
    fence = ""
    paragraph: int | None = None
    contained = False
    for start, line in _lines(text, at):
        opened = _FENCE.match(line)
        if fence:
            closes = opened and opened[1].startswith(fence) and opened.end() == len(line.rstrip())
            fence = "" if closes else fence
        elif opened:
            fence, paragraph, contained = opened[1], None, False
        elif hashes := _HASHES.match(line):
            if words := _without_closing(line[hashes.end() :].strip()):
                yield Heading(start=start, level=len(hashes[1]), text=words)
            paragraph, contained = None, False
        elif paragraph is not None and (under := _UNDERLINE.fullmatch(line)):
            words = " ".join(text[paragraph:start].split())
            yield Heading(start=paragraph, level=1 if under[1][0] == "=" else 2, text=words)
            paragraph = None
        elif not line.strip() or _BREAK.fullmatch(line):
            paragraph, contained = None, False
        elif _CONTAINER.match(line):
            paragraph, contained = None, True
        elif paragraph is None and not contained and not line.startswith(("    ", "\t")):
            paragraph = start


def _without_closing(words: str) -> str:
    """Return the text of a `# heading #` without the hashes that close it."""
    opened = words.rstrip("#")
    return opened.rstrip() if opened[-1:] in ("", " ", "\t") else words


def _lines(text: str, at: int) -> Iterator[tuple[int, str]]:
    """Yield each line from `at` on with its offset, without its line end."""
    for found in _LINE.finditer(text, at):
        yield found.start(), found[0].rstrip("\r\n")
