"""ZIP packages made for a test, as office programs write them."""

import zipfile
from collections.abc import Mapping
from io import BytesIO

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP file of these parts."""
    return with_parts(b"", parts)


def with_parts(data: bytes, parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP file with more parts."""
    packed = BytesIO(data)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return packed.getvalue()


def relationships(*items: tuple[str, str, str]) -> str:
    """Return the part that says, by id, what another part has to do with its targets."""
    lines = "".join(
        f'<Relationship Id="{id}" Type="{kind if "/" in kind else f"{OFFICE}/{kind}"}" Target="{target}"/>'
        for id, kind, target in items
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{lines}</Relationships>'
