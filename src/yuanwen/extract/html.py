"""HTML: the main text of a page, then what stands beside it, then what is hidden; each visible character once.

Beside the main text stands what is outside `main` (if the page has one), in `nav`, or in `header`, `footer` and `aside`
outside an article, what has such a role, and runs of lines that are nothing but links, unless they are most of the
page. Hidden is what `hidden` or a style of the element keeps from being seen, and what stands in for scripts and media.
Scripts, styles, templates and frames hold code, not text: they are left out. So is `rp`, which no browser shows.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.dates import iso
from yuanwen.extract.decode import decode
from yuanwen.extract.html_text import BREAKS, Here, Stream, assembled
from yuanwen.extract.keywords import tags

XHTML = "application/xhtml+xml"


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_AS_TYPED = _names("pre textarea listing xmp")
_CODE = _names("head script style template iframe noembed noframes rp")
_HIDDEN = _names(
    "noscript object audio video canvas datalist title desc metadata annotation annotation-xml"  # svg, math: the last
)
_BESIDE = _names("header footer aside")  # unless they belong to an article
_BESIDE_ROLES = _names("banner complementary contentinfo navigation search dialog alertdialog menu menubar toolbar")
_UNSEEN = re.compile(
    r"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:font-size|opacity)\s*:\s*(?:0+\.?0*|\.0+)(?![.\d]))",
    re.IGNORECASE,
)
_CHARSET = re.compile(
    rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)|\A\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)

# In the order in which they are believed; the last is the `time` of an article.
_DATES = (
    "article:published_time", "datepublished", "pubdate", "publishdate", "date", "dc.date", "dc.date.issued",
    "dcterms.issued", "dcterms.date", "dcterms.created", "article:modified_time", "datemodified", "dcterms.modified",
    "time",
)  # fmt: skip
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator")

# The parser takes time that grows with the square of these.
_MAX_DEPTH = 30_000
_MAX_ATTRIBUTES = 20_000
# `<a id="x"/>`; `<` is in no alternative, so that the search stays linear.
_EMPTY = re.compile(r"<([A-Za-z][\w:.-]*)((?:[^<>\"']|\"[^<\"]*\"|'[^<']*')*)/>")
_START = re.compile(r"<[a-zA-Z][a-zA-Z0-9-]*[\s/]")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_CLOSED_UNSAID = _VOID | _names(
    "p li dt dd tr td th thead tbody tfoot colgroup option optgroup rb rt rp html head body"
)


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the page as one document. Raises Unreadable for one that was built to exhaust the parser."""
    decoded = decode(raw.data, declared=_declared(raw.data))
    document = page(decoded.text, raw.media_type)
    return (replace(document, encoding=decoded.encoding, replaced=decoded.replaced),)


def page(html: str, media_type: str = "text/html") -> Extracted:
    """Return a decoded page as one document. Raises Unreadable for one that was built to exhaust the parser."""
    tree = _tree(html, is_xml=media_type == XHTML)
    walk = _Walk(has_main=any(node.text().strip() for node in tree.css("main, [role=main]")[:1]))
    if tree.body is not None:
        walk.walk(tree.body)
    said = walk.said | _meta(tree)
    for name, value in _linked_data(tree):
        said.setdefault(name, value)
    document = assembled(walk.main, walk.beside, walk.hidden)
    authors = (said.get(name, "") for name in _AUTHORS)
    first = next((heading.text for heading in document.headings if heading.level == 1 and heading.text), "")
    return replace(
        document,
        media_type=media_type,
        title=said.get("title") or said.get("og:title") or said.get("headline") or first,
        author=next((author for author in authors if author and "://" not in author), ""),
        tags=tags([said.get("keywords", "")]),
        dated=next(filter(None, (iso(said.get(name, "")) for name in _DATES)), None),
    )


def links(html: str) -> list[tuple[str, str]]:
    """Return the address and the text of each link of a page of XHTML: of its table of contents, if it has one."""
    tree = _tree(html, is_xml=True)
    found = tree.css("nav[epub\\:type=toc] a[href]") or tree.css("a[href]")
    return [(link.attributes.get("href") or "", " ".join(link.text().split())) for link in found]


def _declared(data: bytes) -> str | None:
    """Return the encoding that the page says it has."""
    found = _CHARSET.search(data[:4096])
    return (found[1] or found[2]).decode("ascii", "replace") if found else None


# ------------------------------------------------------------------------------------------- parsing


def _tree(html: str, *, is_xml: bool) -> LexborHTMLParser:
    """Return the parsed page. Raises Unreadable for nesting, or attributes, beyond what any real page has."""
    if is_xml or html.lstrip()[:5] == "<?xml":
        html = _EMPTY.sub(_opened, _without_cdata(html))
    hint = "This is no ordinary page; save it as text."
    if html.count("<") > _MAX_DEPTH and _depth(html) > _MAX_DEPTH:
        raise Unreadable("its elements are nested too deeply", hint=hint)
    if len(html) > _MAX_ATTRIBUTES and _attributes(html) > _MAX_ATTRIBUTES:
        raise Unreadable("one of its elements has too many attributes", hint=hint)
    return LexborHTMLParser(html)


def _depth(html: str) -> int:
    """Return an upper bound of the depth that elements reach, counting those that must be closed."""
    depth = deepest = 0
    for closing, tag in _TAG.findall(html):
        if tag.lower() not in _CLOSED_UNSAID:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > deepest:
                deepest = depth
    return deepest


def _attributes(html: str) -> int:
    """Return how many attributes an element has, of those that take more characters than the limit."""
    most = 0
    for piece in html.split(">"):
        start = _START.search(piece) if len(piece) > _MAX_ATTRIBUTES else None
        if start:
            most = max(most, len(_QUOTED.sub("", piece[start.end() :]).split()))
    return most


def _opened(element: re.Match[str]) -> str:
    """Return `<a id="x"></a>` for `<a id="x"/>` of XHTML, which HTML takes for the start of an element."""
    name = element[1]
    return element[0] if name.lower() in _VOID else f"<{name}{element[2]}></{name}>"


def _without_cdata(html: str) -> str:
    """Return XHTML whose CDATA sections, which HTML takes for comments, are plain text."""
    first, *rest = html.split("<![CDATA[")
    pieces = [first]
    for piece in rest:
        inner, closed, after = piece.partition("]]>")
        pieces.append(escape(inner, quote=False) + after if closed else piece)
    return "".join(pieces)


# ---------------------------------------------------------------------------- what the page says of itself


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    """Return the title, and what the `meta` elements say, the first of each name."""
    said: dict[str, str] = {}
    title = tree.css_first("head > title")
    if title is not None:
        said["title"] = " ".join(title.text().split())
    for node in tree.css("meta[content]"):
        given = node.attributes
        name = given.get("name") or given.get("property") or given.get("itemprop") or ""
        if words := " ".join((given.get("content") or "").split()):
            said.setdefault(name.lower(), words)
    return said


def _linked_data(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Yield headline, author and dates from JSON-LD."""
    for script in tree.css('script[type="application/ld+json"]'):
        try:
            data: Any = json.loads(script.text())
        except (ValueError, RecursionError):
            continue
        items = data.get("@graph", data) if isinstance(data, dict) else data
        for item in items if isinstance(items, list) else [items]:
            for name in ("headline", "author", "datePublished", "dateModified") if isinstance(item, dict) else ():
                if words := ", ".join(_named(item.get(name))):
                    yield name.lower(), words


def _named(value: Any) -> Iterator[str]:
    """Yield a text, or the names of persons."""
    for one in value if isinstance(value, list) else [value]:
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str) and name.strip():
            yield " ".join(name.split())


# -------------------------------------------------------------------------------------- the elements


class _Walk:
    """A walk through the elements of a page, which takes each text to the stream that it belongs to."""

    def __init__(self, *, has_main: bool) -> None:
        self.here = Here()
        self.main, self.beside, self.hidden = (Stream(self.here) for _ in range(3))
        self.said: dict[str, str] = {}
        self._links = 0
        self._stream = self.beside if has_main else self.main

    def walk(self, root: LexborNode) -> None:
        """Take the nodes below `root` in document order, at any depth."""
        ancestors: list[tuple[LexborNode, str, tuple[Stream, bool]]] = []
        node: LexborNode | None = root
        while node is not None:
            tag = node.tag or ""
            if tag == "-text":
                self._stream.read(node.text_content or "")
            elif node.is_element_node and tag not in _CODE:
                before = self._stream, self.here.is_sheltered
                self._enter(node, tag)
                child = node.first_child
                if child is not None:
                    ancestors.append((node, tag, before))
                    node = child
                    continue
                self._leave(tag, before)
            following = node.next
            while following is None and ancestors:
                node, tag, before = ancestors.pop()
                self._leave(tag, before)
                following = node.next if ancestors else None
            node = following

    def _enter(self, node: LexborNode, tag: str) -> None:
        said = node.attributes
        outer, inner = self._stream, self._chosen(node, tag, said)
        if inner is not outer:
            if inner is not self.hidden:
                outer.separate(BREAKS.get(tag, 0))
            inner.part()
            self._stream = inner
        inner.enter(tag)
        self.here.as_typed += tag in _AS_TYPED
        if tag == "a":
            self._links += 1
            self.here.link = self._links
        if "itemprop" in said or tag == "time":
            self._note(node, tag, said)

    def _leave(self, tag: str, before: tuple[Stream, bool]) -> None:
        inner = self._stream
        outer, self.here.is_sheltered = before
        inner.leave(tag)
        self.here.as_typed -= tag in _AS_TYPED
        if tag == "a":
            self.here.link = 0
        if inner is not outer:
            inner.part()
            if inner is not self.hidden:
                outer.separate(BREAKS.get(tag, 0))
            self._stream = outer

    def _chosen(self, node: LexborNode, tag: str, said: dict[str, str | None]) -> Stream:
        """Return the stream for what is in an element."""
        if self._stream is self.hidden or tag == "body":
            return self._stream
        if tag in _HIDDEN or _is_unseen(tag, said):
            return self.hidden
        role = (said.get("role") or "").lower() if "role" in said else ""
        if tag in ("main", "article") or role in ("main", "article"):
            self.here.is_sheltered = True
            return self.main if "main" in (tag, role) else self._stream
        if self._stream is self.beside:
            return self.beside
        if tag in ("nav", "dialog", "search") or role in _BESIDE_ROLES:
            return self.beside
        if tag in _BESIDE and not self.here.is_sheltered:
            if tag != "header" or node.css_first("h1") is None:
                return self.beside
            self.here.is_sheltered = True  # it holds the title of the page
        return self._stream

    def _note(self, node: LexborNode, tag: str, said: dict[str, str | None]) -> None:
        """Note the date or the author of an article that an element gives."""
        name = (said.get("itemprop") or "").lower()
        if name in ("author", "datepublished", "datemodified") and not self.said.get(name):
            self.said[name] = " ".join((said.get("content") or said.get("datetime") or node.text()).split())
        if tag == "time" and self.here.is_sheltered:
            self.said.setdefault("time", said.get("datetime") or "")


def _is_unseen(tag: str, said: dict[str, str | None]) -> bool:
    """Return whether a reader of the page does not see an element because of its attributes."""
    if "hidden" in said and said["hidden"] != "until-found":
        return True
    if tag == "dialog" and "open" not in said:
        return True
    return "style" in said and bool(_UNSEEN.search(said["style"] or ""))
