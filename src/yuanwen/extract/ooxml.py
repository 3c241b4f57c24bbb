"""OOXML: how the parts of a package are related (OPC), and what the package says about itself."""

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import unquote

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import inside
from yuanwen.extract.dates import iso
from yuanwen.extract.keywords import tags
from yuanwen.extract.office import Properties
from yuanwen.extract.package import Element, Package, Parts, attribute, local
from yuanwen.extract.refusals import damaged


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
    raise damaged()


def link(element: Element, name: str = "id") -> str:
    """Return the id of a relation that an element names: `r:id`, not `id`."""
    return next((value for key, value in element.attrib.items() if key.endswith(f"relationships}}{name}")), "")


class RelatedParts(Parts):
    """The parts of an OOXML package with their relations."""

    def __init__(self, package: Package) -> None:
        super().__init__(package)
        self._relations: dict[str, dict[str, Relation]] = {}

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of a part, none after noting why not."""
        if part not in self._relations:
            self._relations[part] = {}
            try:
                self._relations[part] = relations(self.package, part)
            except Unreadable as error:
                self.skip(part, error)
        return self._relations[part]

    def embedded(self, raw: Raw, names: Iterable[str]) -> Iterator[Extracted | Skip]:
        """Yield what embedded files hold, each once."""
        for name in dict.fromkeys(names):
            try:
                data = self.package.read(name)
            except Unreadable as error:
                self.skip(name, error)
            else:
                yield from inside(raw, name, data)


def core_properties(package: Package) -> Properties:
    """Return what an OOXML file says about itself; nothing where that part is damaged."""
    said: dict[str, str] = {}
    with suppress(Unreadable):
        for target in targets(relations(package), "core-properties"):
            root = package.get(target)
            for element in root if root is not None else ():
                said.setdefault(local(element), " ".join("".join(element.itertext()).split()))
    return Properties(
        title=said.get("title", ""),
        author=said.get("creator", ""),
        tags=tags([said.get("keywords", "")]),
        dated=iso(said.get("modified", "")) or iso(said.get("created", "")),
    )
