"""EPUB: the chapters in the order of the spine, each with its place and its headings."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import unquote

from yuanwen.absence import Skip
from yuanwen.allowance import Allowance
from yuanwen.documents import Extracted, Heading, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import html, inside
from yuanwen.extract.dates import iso
from yuanwen.extract.decode import decode
from yuanwen.extract.draft import Draft
from yuanwen.extract.keywords import tags
from yuanwen.extract.package import Element, Package, attribute, local, xml
from yuanwen.extract.refusals import AGAIN, damaged

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONT_ALGORITHMS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = (html.XHTML, "text/html", "application/x-dtbook+xml", "image/svg+xml")
_DUBLIN_CORE = "{http://purl.org/dc/elements/"
_NCX = "application/x-dtbncx+xml"

# The document type that files of this kind often name; one with declarations of its own is left, and refused.
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*>", re.IGNORECASE)


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the book as one document, and a Skip for each chapter that cannot be read. Raises Unreadable."""
    book = _Book(Package(raw), raw.allowance)
    locked = book.locked()
    if any(item.path in locked for item in book.spine):
        raise Unreadable("it is locked by its publisher (DRM)", hint="Get a copy without DRM.")
    titles = book.titles()
    draft = Draft()
    for item in book.spine:
        try:
            data = book.package.read(item.path)
        except (KeyError, Unreadable):
            yield Skip(source=item.path, reason="this chapter is damaged or missing", hint=AGAIN)
            continue
        if item.media_type in _PAGES:
            try:
                chapter = html.page(decode(data).text, html.XHTML)
                _add(draft, chapter, item.number, titles.get(item.path, ""))
            except Unreadable as error:
                yield Skip.because(item.path, error)
        else:
            yield from inside(raw, item.path, data)
    said = book.said
    yield replace(
        draft.extracted(raw.media_type),
        title=next(iter(said.get("title", [])), ""),
        author=", ".join(said.get("creator", [])),
        tags=tags(said.get("subject", [])),
        dated=next(filter(None, map(iso, [*said.get("date", []), *said.get("modified", [])])), None),
    )


def _add(draft: Draft, chapter: Extracted, number: int, title: str) -> None:
    """Add a chapter; its headings stand below its title, unless that is the first of them."""
    if not chapter.text:
        return
    headings = chapter.headings
    first = headings[0].text if headings else ""
    name = title or first
    if not headings or _bare(first) != _bare(name):
        below = (replace(one, level=one.level + 1) for one in headings)
        headings = (Heading(start=0, level=1, text=name), *below)
    elif headings[0].start:
        headings = (replace(headings[0], start=0), *headings)
    start = draft.write("\n\n", chapter.text)
    draft.places.append((start, Place(unit="chapter", number=number, name=name)))
    named = (replace(one, text=one.text or name) for one in headings)
    draft.point(start, headings=named, paragraphs=chapter.paragraphs, marks=chapter.marks)


def _bare(title: str) -> str:
    return "".join(title.split()).casefold()


@dataclass(frozen=True, kw_only=True)
class _Item:
    """A chapter. `number` is its place in the spine, from 1."""

    number: int
    path: str
    media_type: str


class _Book:
    """What the package document says: the spine, what comes aside last; and what the book says about itself."""

    def __init__(self, package: Package, allowance: Allowance) -> None:
        self.package = package
        self._allowance = allowance
        self._base = self._package_document()
        root = self._xml(self._base)
        self._items = {one.get("id"): one for one in root.iter() if local(one) == "item"}
        references = [one for one in root.iter() if local(one) == "itemref"]
        self.spine = list(self._spine(references))
        self._toc = next((one.get("toc") for one in root.iter() if local(one) == "spine"), None)
        self.said: dict[str, list[str]] = {}
        for one in root.iter():
            words = " ".join("".join(one.itertext()).split()) if _DUBLIN_CORE in str(one.tag) else ""
            if words:
                self.said.setdefault(local(one).lower(), []).append(words)
            elif one.get("property") == "dcterms:modified":
                self.said["modified"] = [one.text or ""]

    def _package_document(self) -> str:
        """Return the path of the package document. Raises Unreadable where there is none."""
        paths = []
        if _CONTAINER in self.package.names:
            paths = [one.get("full-path", "") for one in self._xml(_CONTAINER).iter() if local(one) == "rootfile"]
        paths += [name for name in self.package.names if name.endswith(".opf")]
        found = next((path for path in paths if path in self.package.names), None)
        if found is None:
            raise damaged()
        return found

    def _spine(self, references: list[Element]) -> Iterator[_Item]:
        """Yield each chapter once; what stands outside the order of reading comes last."""
        seen: set[str] = set()
        numbered = list(enumerate(references, 1))
        for number, reference in sorted(numbered, key=lambda one: one[1].get("linear") == "no"):
            item = self._items.get(reference.get("idref"))
            path = self._path(item.get("href", ""), self._base) if item is not None else ""
            if item is not None and path not in seen:
                seen.add(path)
                yield _Item(number=number, path=path, media_type=item.get("media-type", ""))

    def titles(self) -> dict[str, str]:
        """Return the titles of chapters by path, as the table of contents has them; nothing if it is damaged."""
        found: dict[str, str] = {}
        try:
            for base, address, title in [*self._navigation(), *self._ncx()]:
                if title:
                    found.setdefault(self._path(address, base), title)
        except (KeyError, Unreadable):
            pass
        return found

    def _navigation(self) -> Iterator[tuple[str, str, str]]:
        for item in self._items.values():
            if "nav" in item.get("properties", "").split():
                base = self._path(item.get("href", ""), self._base)
                for address, title in html.links(decode(self.package.read(base)).text):
                    yield base, address, title

    def _ncx(self) -> Iterator[tuple[str, str, str]]:
        for key, item in self._items.items():
            if item.get("media-type") == _NCX or key == self._toc:
                base = self._path(item.get("href", ""), self._base)
                for point in self._xml(base).iter():
                    if local(point) == "navPoint":
                        label = next((one for one in point if local(one) == "navLabel"), None)
                        words = " ".join("".join(label.itertext() if label is not None else ()).split())
                        address = next((one.get("src", "") for one in point if local(one) == "content"), "")
                        yield base, address, words

    def locked(self) -> set[str]:
        """Return the parts that are encrypted, but for fonts."""
        if _ENCRYPTION not in self.package.names:
            return set()
        found: set[str] = set()
        for data in self._xml(_ENCRYPTION).iter():
            if local(data) == "EncryptedData":
                how = next((attribute(one, "Algorithm") for one in data if local(one) == "EncryptionMethod"), None)
                if how not in _FONT_ALGORITHMS:
                    found |= {unquote(one.get("URI", "")) for one in data.iter() if local(one) == "CipherReference"}
        return found

    def _xml(self, name: str) -> Element:
        return xml(_DOCTYPE.sub(b"", self.package.read(name), count=1), self._allowance)

    def _path(self, address: str, base: str) -> str:
        """Return the part that an address within another part leads to."""
        path = unquote(address.partition("#")[0])
        return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")
