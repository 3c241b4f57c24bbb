"""Write src/yuanwen/tables.py: which characters fold, and traditional characters with their simplified form.

    pip install opencc-python-reimplemented==0.1.7
    python tools/make_tables.py

The pairs are facts from OpenCC's TSCharacters table (Apache-2.0). A character with several simplified forms
takes the first that differs from itself, so that every spelling of a word meets in one.
"""

import re
from importlib.resources import files
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src/yuanwen/tables.py"


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


def main() -> None:
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
