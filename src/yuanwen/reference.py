"""A document and a place in it -> references that people read: plain, in Markdown, and by GB/T 7714."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from yuanwen.wording import HAN, Language

Style = Literal["plain", "markdown", "gbt7714"]

MOST_AUTHORS = 3  # that GB/T 7714 has named where there are more

# Control characters, and those that turn the direction of text around.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, kw_only=True)
class Work:
    """What is cited, as far as it is known.

    `source` is the name of the file, `url` where it can be had, if anywhere. `dated` and `cited` are ISO dates: that of
    the document, and the day on which it is cited. `place` is in words, `pages` a number or two (`3-5`). `version` is
    the SHA-256 of the file.
    """

    title: str
    author: str
    media_type: str
    source: str
    url: str
    dated: str
    cited: str
    place: str
    pages: str
    version: str


def references(work: Work, lang: Language) -> dict[Style, str]:
    """Return a reference of each style, on one line."""
    return {style: write(work, lang) for style, write in STYLES.items()}


def plain(work: Work, lang: Language) -> str:
    """Return title, author, place, date, version and source."""
    title = _clean(work.title)
    if lang == "zh":
        return "，".join(filter(None, (title if "《" in title else f"《{title}》", *_details(work, lang))))
    return ", ".join(filter(None, (f'"{title}"' if '"' not in title else title, *_details(work, lang))))


def markdown(work: Work, lang: Language) -> str:
    """Return the same as Markdown, in which nothing that stands in a title or a name is markup."""
    title = escaped(_clean(work.title))
    if lang == "zh":
        title = title if "《" in title else f"《{title}》"
    elif not work.url:
        title = f"*{title}*"
    if work.url:
        title = f"[{title}](<{_address(work.url)}>)"
    details = (escaped(part) for part in _details(work, lang))
    return ("，" if lang == "zh" else ", ").join(filter(None, (title, *details)))


def gbt7714(work: Work, lang: Language) -> str:
    """Return an entry by GB/T 7714-2025, numeric system: author. title[mark]. date: place. path.

    An unknown author is left out, as that system allows. Only what is online is cited with the day of citing; what is
    no book, data set, program or web page is of the kind Z (other).
    """
    mark = _mark(work.media_type, online=bool(work.url))
    head = f"{_clean(work.title)}[{mark}{'/OL' if work.url else ''}]"
    dated = work.dated[:4] if mark == "M" else work.dated[:10]
    if work.url:
        when = f"({dated})[{work.cited}]" if dated else f"[{work.cited}]"
    else:
        when = ": ".join(filter(None, (dated, work.pages or work.place)))
    path = _address(work.url) if work.url else _clean(work.source)
    return "".join(f"{part}. " for part in (_authors(work.author), head, when, path) if part).rstrip()


STYLES: Mapping[Style, Callable[[Work, Language], str]] = {
    "plain": plain,
    "markdown": markdown,
    "gbt7714": gbt7714,
}


def escaped(text: str) -> str:
    """Return text as Markdown that shows it as it stands: no markup, no HTML, no entity, no link."""
    return re.sub(r"[\\`*_{}\[\]()<>#+!|~&$^=:@]|(?<=[Ww]{3})\.", r"\\\g<0>", text)


# ------------------------------------------------------------------------------------------------- parts


def _details(work: Work, lang: Language) -> tuple[str, ...]:
    """Return author, place, date, version and source, each empty if it is not known."""
    version = f"{'版本' if lang == 'zh' else 'version'} {work.version[:12]}"
    return (_without_address(work.author), _clean(work.place), work.dated[:10], version, _clean(work.source))


def _mark(media_type: str, *, online: bool) -> str:
    """Return the mark by which GB/T 7714 knows a kind of document."""
    if online and media_type == "text/html":
        return "EB"
    if media_type == "application/epub+zip":
        return "M"
    if re.search("spreadsheet|ms-excel|csv|tab-separated", media_type):
        return "DS"
    if re.match(r"text/(x-(?!rst|org|asciidoc|tex)|javascript|css)|application/(x-)?(javascript|sh)\b", media_type):
        return "CP"
    return "Z"


def _authors(author: str) -> str:
    """Return the first three of several authors, and that there are more. Names are left as they are written."""
    author = _without_address(author)
    parted = r"[;；、,，]" if HAN.search(author) and not re.search("[A-Za-z]", author) else r"[;；、]"
    names = [name.strip() for name in re.split(parted, author) if name.strip()]
    if len(names) <= MOST_AUTHORS:
        return ", ".join(names).rstrip(".")
    return ", ".join([*names[:MOST_AUTHORS], "等" if HAN.search(names[0]) else "et al"])


def _without_address(author: str) -> str:
    """Return who wrote something, without the addresses that stand in mail; an address alone stays."""
    author = _clean(author)
    return " ".join(re.sub(r"<[^<>\s]*@[^<>\s]*>", "", author).split()) or author.strip("<>")


def _clean(text: str) -> str:
    """Return text on one line, without characters that could hide something or turn it around."""
    return _UNSEEN.sub("", " ".join(text.split()))


def _address(url: str) -> str:
    """Return an address without what could end it in a text: RFC 3986 has none of these characters."""
    return re.sub(r"[\s<>\"\\^`{|}\x00-\x1f\x7f-\x9f]", lambda found: f"%{ord(found[0]):02X}", _clean(url))
