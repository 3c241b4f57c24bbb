"""A ZIP package of XML parts, opened with distrust: sizes are checked before anything is unpacked, no DTD is read."""

import re
import zipfile
import zlib
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

from yuanwen.absence import Skip
from yuanwen.allowance import Allowance
from yuanwen.documents import Raw
from yuanwen.errors import Unreadable
from yuanwen.extract.refusals import AGAIN, damaged, locked

MAX_NESTING = 250  # elements within each other that a walker goes into; real documents stay below 60

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, NotImplementedError)
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
            raise damaged() from error
        self._members = {member_name(info): info for info in self._zip.infolist() if info.filename[-1:] != "/"}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts, in the order of the file."""
        return tuple(self._members)

    def read(self, name: str) -> bytes:
        """Return the bytes of a part. Raises KeyError for one that is not there, Unreadable for one that is damaged."""
        info = self._members[name]
        self._allowance.unpack(info.file_size, info.compress_size)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(info.file_size + 1)  # never more than was announced
        except _DAMAGED as error:
            raise Unreadable("{part} in it is damaged", hint=AGAIN, part=name) from error
        except RuntimeError as error:  # what zipfile raises for want of a password
            raise locked() from error
        if len(data) != info.file_size:
            raise Unreadable("{part} in it is damaged", hint=AGAIN, part=name)
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


class Parts:
    """The parts of a package that are XML; one that cannot be read becomes a Skip."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.skips: list[Skip] = []

    def get(self, name: str) -> Element | None:
        """Return the root of a part, or None after noting why not."""
        try:
            return self.package.xml(name)
        except KeyError:
            self.skip(name, damaged())
        except Unreadable as error:
            self.skip(name, error)
        return None

    def skip(self, name: str, error: Unreadable) -> None:
        """Note that a part cannot be read."""
        found = Skip.because(name, error)
        self.skips.append(replace(found, reason=found.reason.removeprefix(f"{name} in ")))  # its source says so


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
        raise Unreadable("its XML is damaged", hint=AGAIN) from error
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
