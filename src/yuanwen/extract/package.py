"""A ZIP package of XML parts, opened with distrust: sizes are checked before anything is unpacked, no DTD is read."""

import posixpath
import re
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import unquote
from xml.etree import ElementTree

from yuanwen.allowance import Allowance
from yuanwen.documents import Raw
from yuanwen.errors import Unreadable

MAX_NESTING = 250  # elements within each other that a walker goes into; real documents stay below 60

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError)
_AGAIN = "Save it again, or get another copy."
_UTF8_NAME = 0x800
_PADDING = re.compile(r"[ \0]+\Z")

Element = ElementTree.Element


class Package:
    """The parts of a ZIP file by name. Raises Unreadable for a file that is no ZIP, or is built to exhaust us."""

    def __init__(self, raw: Raw) -> None:
        self._allowance = raw.allowance
        try:
            self._zip = zipfile.ZipFile(BytesIO(raw.data))
        except _DAMAGED as error:
            raise Unreadable("it is damaged", hint=_AGAIN) from error
        self._members = {member_name(info): info for info in self._zip.infolist() if info.filename[-1:] != "/"}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, in the order of the file."""
        return tuple(self._members)

    def encrypted(self, name: str) -> bool:
        """Return whether a part asks for a password."""
        return bool(self._members[name].flag_bits & 1)

    def read(self, name: str, password: str | None = None) -> bytes:
        """Return the bytes of a part. Raises KeyError for one that is not there, Unreadable for one that is damaged."""
        info = self._members[name]
        self._allowance.unpack(info.file_size, info.compress_size)
        try:
            with self._zip.open(info, pwd=password.encode() if password else None) as stream:
                data = stream.read(info.file_size + 1)  # never more than was announced
        except _DAMAGED as error:
            raise Unreadable("{part} in it is damaged", hint=_AGAIN, part=name) from error
        except RuntimeError as error:  # what zipfile raises for a wrong password
            raise Unreadable("it needs a password", hint="Give it with: --password", part=name) from error
        if len(data) != info.file_size:
            raise Unreadable("{part} in it is damaged", hint=_AGAIN, part=name)
        return data

    def xml(self, name: str) -> Element:
        """Return the root of a part that is XML. Raises KeyError for one that is not there, Unreadable."""
        return xml(self.read(name), self._allowance)

    def get(self, name: str) -> Element | None:
        """Return the root of a part that is XML, or None where there is no such part."""
        return self.xml(name) if name in self._members else None


def member_name(info: zipfile.ZipInfo) -> str:
    """Return the name of a member as its author wrote it: without the UTF-8 flag it is likely to be GBK."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAME:
        try:
            data = name.encode("cp437")
        except UnicodeEncodeError:
            return name
        for encoding in ("utf-8", "gb18030"):
            try:
                return _PADDING.sub("", data.decode(encoding))
            except UnicodeDecodeError:
                continue
    return name


class _Builder(ElementTree.TreeBuilder):
    """A builder that refuses a DTD: entities can grow without end, and reach for other files."""

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Raise Unreadable."""
        raise Unreadable("its XML has a DTD", hint="No honest file of this kind has one.")


def xml(data: bytes, allowance: Allowance) -> Element:
    """Return the root element. Raises Unreadable for what is not well-formed, or has a DTD."""
    allowance.beat()
    parser = ElementTree.XMLParser(target=_Builder())
    try:
        parser.feed(data)
        root = parser.close()
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise Unreadable("its XML is damaged", hint=_AGAIN) from error
    return root


def local(element: Element) -> str:
    """Return the name of an element without its namespace: Strict and Transitional documents differ in that alone."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """Return an attribute by its name without namespace, or None."""
    found = element.get(name)
    if found is None:
        found = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)
    return found


def child(element: Element | None, name: str) -> Element | None:
    """Return the first child of an element that has this name, or None."""
    return next((one for one in element if local(one) == name), None) if element is not None else None


# -------------------------------------------------- how the parts of an OOXML package are related (OPC)


@dataclass(frozen=True, kw_only=True)
class Relation:
    """What one part of a package has to do with another. `kind` is the end of its type (`footnotes`)."""

    kind: str
    target: str


def relations(package: Package, part: str = "") -> dict[str, Relation]:
    """Return what a part, or the package itself, has to do with parts of the package, by id."""
    folder, name = posixpath.split(part)
    root = package.get(posixpath.join(folder, "_rels", f"{name}.rels"))
    found: dict[str, Relation] = {}
    for element in root if root is not None else ():
        if attribute(element, "TargetMode") == "External":
            continue
        target = posixpath.normpath(posixpath.join("/", folder, attribute(element, "Target") or "")).lstrip("/")
        target = target if target in package.names else unquote(target)
        kind = (attribute(element, "Type") or "").rpartition("/")[2]
        found[attribute(element, "Id") or ""] = Relation(kind=kind, target=target)
    return found


def targets(related: dict[str, Relation], *kinds: str) -> list[str]:
    """Return the parts that are related in one of these ways, each once, in the order of the kinds."""
    return list(dict.fromkeys(one.target for kind in kinds for one in related.values() if one.kind == kind))


def main_part(package: Package) -> str:
    """Return the part that the package is about. Raises Unreadable where there is none."""
    for target in targets(relations(package), "officeDocument"):
        if target in package.names:
            return target
    raise Unreadable("it is damaged", hint=_AGAIN)


def link(element: Element, name: str = "id") -> str:
    """Return the id of a relation that an element names: `r:id`, not `id`."""
    return next((value for key, value in element.attrib.items() if key.endswith(f"relationships}}{name}")), "")
