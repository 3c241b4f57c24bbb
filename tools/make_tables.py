"""Write src/yuanwen/tables.py: which characters fold, and traditional characters with their simplified form.
And src/yuanwen/sounds.py: how the common simplified characters are read.

    pip install opencc-python-reimplemented==0.1.7 pypinyin==0.55.0
    python tools/make_tables.py

The pairs are facts from OpenCC's TSCharacters table (Apache-2.0). A character with several simplified forms
takes the first that differs from itself, so that every spelling of a word meets in one. The readings are those of
pypinyin's table (MIT), for the 6,763 characters of GB 2312, two of each: more are rare.
"""

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/yuanwen/tables.py"
SOUNDS = TARGET.with_name("sounds.py")


def pairs() -> dict[str, str]:
    """Return traditional character -> simplified character."""
    table: dict[str, str] = {}
    for line in (files("opencc") / "dictionary/TSCharacters.txt").read_text("utf-8").splitlines():
        character, forms = line.split("\t")
        simplified = next((form for form in forms.split(" ") if form != character), character)
        if len(character) == len(simplified) == 1 and character != simplified:
            table[character] = simplified
    return table


def ranges(points: list[int]) -> str:
    """Return the inside of a character class that holds `points`."""
    parts: list[str] = []
    start = previous = points[0]
    for point in [*points[1:], -1]:
        if point == previous + 1:
            previous = point
            continue
        first, last = re.escape(chr(start)), re.escape(chr(previous))
        parts.append(first if start == previous else f"{first}-{last}")
        start = previous = point
    return "".join(parts)


def module(table: dict[str, str], words: str, marks: str) -> str:
    """Return the source of the module."""
    return "\n".join(
        [
            '"""Made by tools/make_tables.py; do not edit. Data from OpenCC TSCharacters (Apache-2.0) and Unicode."""',
            "",
            "# ruff: noqa: E501, RUF001",
            f"TRADITIONAL = {''.join(table)!r}",
            f"SIMPLIFIED = {''.join(table.values())!r}",
            f"WORD_CHARACTERS = {words!a}",
            f"MARKS = {marks!a}",
            "",
        ]
    )


def common() -> Iterator[str]:
    """Yield the Han characters of GB 2312."""
    for row in range(0xB0, 0xF8):
        yield from bytes(byte for cell in range(0xA1, 0xFF) for byte in (row, cell)).decode("gb2312", "ignore")


def sound(reading: str) -> str:
    """Return a reading such as `zhàng` as `zhang4`; `v` stands for `ü`, and 5 for no tone."""
    plain, tone = "", "5"
    for character in unicodedata.normalize("NFD", reading.replace("ü", "v").replace("ê", "e")):
        if character in "\u0304\u0301\u030c\u0300":
            tone = str("\u0304\u0301\u030c\u0300".index(character) + 1)
        elif character == "\u0308":
            plain = plain[:-1] + "v"
        elif character.isascii():
            plain += character
    return plain + tone


def sounds() -> str:
    """Return the source of the module of sounds."""
    from pypinyin.pinyin_dict import pinyin_dict

    table: dict[str, tuple[str, str]] = {}
    for character in common():
        first, second, *_ = [*map(sound, pinyin_dict[ord(character)].split(",")), ""]
        table[first] = table.get(first, ("", ""))[0] + character, table.get(first, ("", ""))[1]
        if second not in ("", first):
            table[second] = table.get(second, ("", ""))[0], table.get(second, ("", ""))[1] + character
    lines = " ".join(f"{reading}{usual}/{other}" for reading, (usual, other) in sorted(table.items()))
    return "\n".join(
        [
            '"""Made by tools/make_tables.py; do not edit. Data from pypinyin (MIT): what is read so, first/second."""',
            "",
            "# ruff: noqa: E501",
            f'SOUNDS = "{lines}"',
            "",
        ]
    )


def main() -> None:
    SOUNDS.write_text(sounds(), "utf-8")
    table = pairs()
    TARGET.write_text(module(table, "a", "a"), "utf-8")
    from yuanwen.analysis import fold_character, is_cut

    surrogates_and_private = range(0xD800, 0xF900)
    points = [p for p in range(0x10000) if p not in surrogates_and_private and fold_character(chr(p)) != chr(p)]
    word = {
        p for p in points if not fold_character(chr(p)) or any(c.isalnum() or is_cut(c) for c in fold_character(chr(p)))
    }
    marks = [p for p in points if p not in word]
    classes = (sorted(word), marks)
    TARGET.write_text(module(table, *map(ranges, classes)), "utf-8")
    print(f"{len(table)} pairs, {len(points)} characters that fold")


if __name__ == "__main__":
    main()
