"""HTML: the text that a reader of the page sees, block by block, with its headings."""

import re
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from yuanwen.documents import Extracted, Heading, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.dates import iso
from yuanwen.extract.decode import decode


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Readings (rt, rp) stand beside the text, not in it: 汉<rt>hàn</rt>字 must be found as 汉字.
_UNSEEN = _names(
    "head title script style template noscript iframe noembed noframes object audio video canvas datalist"
    " rt rp desc metadata annotation annotation-xml"
)
_PARAGRAPHS = _names(
    "p h1 h2 h3 h4 h5 h6 ul ol dl menu table pre blockquote section article aside header footer nav main"
    " figure form fieldset details hr"
)
_LINES = _names(
    "html body div li dt dd tr caption address center figcaption summary legend option select textarea"
    " hgroup dialog search dir frameset text"
)
_BREAKS = dict.fromkeys(_LINES, 1) | dict.fromkeys(_PARAGRAPHS, 2)
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_AS_TYPED = frozenset(("pre", "textarea", "listing", "xmp"))
_CELLS = frozenset(("td", "th"))

_SPACE = " \t\n\r\f"  # no other: a no-break space is text
_SPACES = re.compile(r"[ \t\n\r\f]+")
_NO_DISPLAY = re.compile(r"(?:\A|;)\s*display\s*:\s*none", re.IGNORECASE)
_CHARSET = re.compile(
    rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w.:-]+)|\A\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
_COMMAS = re.compile(r"[,，、;；]")

# The parser takes time that grows with the square of these.
_MAX_DEPTH = 30_000
_MAX_ATTRIBUTES = 20_000
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*)")
_CLOSED_UNSAID = _names(
    "area base br col embed hr img input link meta param source track wbr"
    " p li dt dd tr td th thead tbody tfoot colgroup option optgroup rb rt rp html head body"
)


def extract(raw: Raw) -> tuple[Extracted, ...]:
    """Return the page as one document. Raises Unreadable for one that was built to exhaust the parser."""
    decoded = decode(raw.data, declared=_declared(raw.data))
    _refuse_bomb(decoded.text)
    tree = LexborHTMLParser(decoded.text)
    page = _Page()
    if tree.body is not None:
        _walk(tree.body, page)
    title, meta = _head(tree.head)
    extracted = Extracted(
        text="".join(page.pieces),
        media_type=raw.media_type,
        title=title or next((heading.text for heading in page.headings if heading.level == 1), ""),
        headings=tuple(page.headings),
        tags=_tags(meta.get("keywords", "")),
        dated=iso(meta.get("date") or meta.get("article:published_time") or ""),
        author=meta.get("author", ""),
        encoding=decoded.encoding,
        replaced=decoded.replaced,
    )
    return (extracted,)


def _declared(data: bytes) -> str | None:
    """Return the encoding that the page says it has."""
    found = _CHARSET.search(data[:4096])
    return (found[1] or found[2]).decode("ascii", "replace") if found else None


def _refuse_bomb(text: str) -> None:
    """Raise Unreadable for nesting, or a tag with attributes, beyond what any real page has."""
    hint = "This is no ordinary page; save it as text."
    if text.count("<") > _MAX_DEPTH and _depth(text) > _MAX_DEPTH:
        raise Unreadable("its elements are nested too deeply", hint=hint)
    if len(text) > _MAX_ATTRIBUTES:
        for piece in text.split(">"):
            tag = _TAG.search(piece) if len(piece) > _MAX_ATTRIBUTES else None
            if tag and len(piece[tag.end() :].split(None, _MAX_ATTRIBUTES)) > _MAX_ATTRIBUTES:
                raise Unreadable("one of its elements has too many attributes", hint=hint)


def _depth(text: str) -> int:
    """Return an upper bound of the depth that elements reach, counting those that must be closed."""
    depth = deepest = 0
    for closing, tag in _TAG.findall(text):
        if tag.lower() not in _CLOSED_UNSAID:
            depth = max(0, depth - 1) if closing else depth + 1
            if depth > deepest:
                deepest = depth
    return deepest


def _head(head: LexborNode | None) -> tuple[str, dict[str, str]]:
    """Return the title, and what the `meta` elements say, the first of each name."""
    title = ""
    meta: dict[str, str] = {}
    node = head.first_child if head is not None else None
    while node is not None:
        if node.tag == "title":
            title = title or " ".join(node.text().split())
        elif node.tag == "meta":
            said = node.attributes
            name = said.get("name") or said.get("property") or ""
            meta.setdefault(name.lower(), " ".join((said.get("content") or "").split()))
        node = node.next
    return title, meta


def _tags(keywords: str) -> tuple[str, ...]:
    pieces = (piece.strip() for piece in _COMMAS.split(keywords))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


# --------------------------------------------------------------------------------------- visible text


def _walk(root: LexborNode, page: "_Page") -> None:
    """Take the nodes below `root` to the page in document order, at any depth."""
    ancestors: list[tuple[LexborNode, str]] = []
    node: LexborNode | None = root
    while node is not None:
        tag = node.tag or ""
        if tag == "-text":
            page.read(node.text_content or "")
        elif not _is_unseen(node, tag):
            page.enter(tag)
            child = node.first_child
            if child is not None:
                ancestors.append((node, tag))
                node = child
                continue
            page.leave(tag)
        following = node.next
        while following is None and ancestors:
            node, tag = ancestors.pop()
            page.leave(tag)
            following = node.next if ancestors else None
        node = following


def _is_unseen(node: LexborNode, tag: str) -> bool:
    """Return whether a reader of the page does not see the element, or it is no element."""
    if tag in _UNSEEN or not node.is_element_node:
        return True
    said = node.attributes
    if "hidden" in said and said["hidden"] != "until-found":
        return True
    return "style" in said and bool(_NO_DISPLAY.search(said["style"] or ""))


@dataclass
class _Page:
    """The text so far, and what separates it from what comes next.

    `breaks` and `forced` are line breaks that blocks and `br` ask for, `tabs` the cells passed in a row,
    `space` a space; the strongest is written when more text comes, so nothing stands at the ends.
    """

    pieces: list[str] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    length: int = 0
    breaks: int = 0
    forced: int = 0
    tabs: int = 0
    space: bool = False
    row: int = 0
    as_typed: int = 0
    in_headings: int = 0
    mark: tuple[int, int] = (0, 0)

    def enter(self, tag: str) -> None:
        """Begin an element."""
        if tag == "br":
            self.forced = min(2, self.forced + 1)
            self.space = False
        if tag in _BREAKS:
            self._break(_BREAKS[tag])
        if tag == "tr":
            self.row = self.length
        elif tag in _AS_TYPED:
            self.as_typed += 1
        elif tag in _LEVELS:
            if not self.in_headings:
                self.mark = (len(self.pieces), self.length)
            self.in_headings += 1

    def leave(self, tag: str) -> None:
        """End an element."""
        if tag in _CELLS:
            if self.length > self.row:
                self.breaks = self.forced = 0
            self.tabs += 1
            self.space = False
        elif tag == "tr":
            self.tabs = 0
        elif tag in _AS_TYPED:
            self.as_typed -= 1
        elif tag in _LEVELS:
            self.in_headings -= 1
            if not self.in_headings:
                self._note_heading(_LEVELS[tag])
        if tag in _BREAKS:
            self._break(_BREAKS[tag])

    def read(self, text: str) -> None:
        """Add text, its white space collapsed unless the element keeps it."""
        if self.as_typed:
            return self._write(text)
        words = _SPACES.sub(" ", text)
        self.space = self.space or words.startswith(" ")
        if words := words.strip(" "):
            self._write(words)
            self.space = text[-1] in _SPACE

    def _break(self, lines: int) -> None:
        if not self.tabs:  # a block that starts a cell starts no line
            self.breaks = max(self.breaks, lines)
        self.space = False

    def _write(self, text: str) -> None:
        if not text:
            return
        if self.length:
            gap = "\n" * max(self.breaks, self.forced) + "\t" * self.tabs or " " * self.space
            self.pieces.append(gap)
            self.length += len(gap)
        self.pieces.append(text)
        self.length += len(text)
        self.breaks = self.forced = self.tabs = 0
        self.space = False

    def _note_heading(self, level: int) -> None:
        piece, length = self.mark
        written = "".join(self.pieces[piece:])
        if words := " ".join(written.split()):
            start = length + len(written) - len(written.lstrip())
            self.headings.append(Heading(start=start, level=level, text=words))
