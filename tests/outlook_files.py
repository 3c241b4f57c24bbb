"""OLE2 files and Outlook mails made for a test."""

from itertools import pairwise
from struct import pack
from typing import Any

Storage = dict[str, Any]


def compound(tree: Storage) -> bytes:
    """Return an OLE2 file of streams (bytes) and folders (dicts)."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    entries: list[list[Any]] = [["Root Entry", 5, free, free, free, b""]]

    def add(name: str, node: Any) -> int:
        number = len(entries)
        entries.append(
            [name, 1 if isinstance(node, dict) else 2, free, free, free, b"" if isinstance(node, dict) else node]
        )
        if isinstance(node, dict):
            entries[number][4] = level(node)
        return number

    def level(node: Storage) -> int:
        numbers = [add(name, node[name]) for name in sorted(node, key=lambda name: (len(name), name.upper()))]
        for number, following in pairwise(numbers):
            entries[number][3] = following
        return numbers[0] if numbers else free

    entries[0][4] = level(tree)
    sectors, mini = bytearray(), bytearray()
    fat: list[int] = []
    minifat: list[int] = []

    def store(data: bytes, size: int, into: bytearray, table: list[int]) -> int:
        start, count = len(table), -(-len(data) // size)
        into.extend(data.ljust(count * size, b"\0"))
        table.extend([*range(start + 1, start + count), end][:count])
        return start if count else end

    starts: list[tuple[int, int]] = []
    for entry in entries[1:]:
        data = entry[5]
        is_big = len(data) >= 4096
        where = store(data, 512, sectors, fat) if is_big else store(data, 64, mini, minifat)
        starts.append((where, len(data)))
    starts.insert(0, (store(bytes(mini), 512, sectors, fat), len(mini)))
    directory = b"".join(
        (name + "\0").encode("utf-16-le").ljust(64, b"\0")
        + pack("<HBBIII16xI16xIQ", 2 * len(name) + 2, kind, 1, left, right, child, 0, where, size)
        for (name, kind, left, right, child, _), (where, size) in zip(entries, starts, strict=True)
    )
    minifat_at = store(pack(f"<{len(minifat)}I", *minifat), 512, sectors, fat)
    directory_at = store(directory, 512, sectors, fat)
    fat_at, count = len(fat), 1 + (len(fat) + 1) // 128
    fat += [0xFFFFFFFD] * count
    sectors += b"".join(pack("<I", entry) for entry in fat).ljust(512 * count, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += pack("<9I", 0, count, directory_at, 0, 4096, minifat_at, -(-len(minifat) // 128), end, 0)
    return head + pack("<109I", *range(fat_at, fat_at + count), *[free] * (109 - count)) + bytes(sectors)


def message(head: int = 32, code_page: int = 936, **said: Any) -> Storage:
    """Return the storage of a mail: properties by their tag, `_0037001F`."""
    properties = bytes(head) + pack("<IIQ", 0x3FFD0003, 6, code_page) + pack("<IIQ", 0x00390040, 6, 129458623687252600)
    return {"__properties_version1.0": properties} | {
        name if name.startswith("__") else f"__substg1.0{name}": value for name, value in said.items()
    }


def wide(text: str) -> bytes:
    """Return a text as a property holds it."""
    return text.encode("utf-16-le")
