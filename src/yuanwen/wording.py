"""A place in a file -> where that is, in Chinese or English, the same on every surface."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from yuanwen.place import BODY, Place

Language = Literal["zh", "en"]

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]")

# For one number, and for several.
UNITS: Mapping[Language, Mapping[str, tuple[str, str]]] = {
    "zh": {
        "page": ("第 {n} 页", "第 {n} 至 {last} 页"),
        "slide": ("第 {n} 张幻灯片", "第 {n} 至 {last} 张幻灯片"),
        "chapter": ("第 {n} 章", "第 {n} 至 {last} 章"),
        "line": ("第 {n} 行", "第 {n} 至 {last} 行"),
    },
    "en": {
        "page": ("page {n}", "pages {n} to {last}"),
        "slide": ("slide {n}", "slides {n} to {last}"),
        "chapter": ("chapter {n}", "chapters {n} to {last}"),
        "line": ("line {n}", "lines {n} to {last}"),
    },
}
PARTS: Mapping[Language, Mapping[str, str]] = {
    "zh": {
        "sheet": "工作表",
        "beside": "正文之外",
        "hidden": "隐藏部分",
        "footnotes": "脚注",
        "endnotes": "尾注",
        "comments": "批注",
        "headers": "页眉或页脚",
        "notes": "备注",
        "drawings": "图形",
    },
    "en": {
        "sheet": "sheet",
        "beside": "beside the main text",
        "hidden": "hidden part",
        "footnotes": "footnote",
        "endnotes": "endnote",
        "comments": "comment",
        "headers": "header or footer",
        "notes": "notes",
        "drawings": "drawing",
    },
}
PARAGRAPH: Mapping[Language, str] = {"zh": "第 {n} 段", "en": "paragraph {n}"}
NAMED: Mapping[Language, str] = {"zh": "{place}（{name}）", "en": "{place} ({name})"}


def language_of(text: str) -> Language:
    """Return the language to speak of a text: Chinese if it has a Han character, else English."""
    return "zh" if HAN.search(text) else "en"


def in_words(place: Place | None, lang: Language, *, paragraph: int = 0, heading: Sequence[str] = ()) -> str:
    """Return where something stands, on one line, without a name that a heading says anyway.

    In the text itself that is its paragraph, or nothing where `paragraph` is 0.
    """
    if place is None or place.unit in BODY:
        return PARAGRAPH[lang].format(n=paragraph) if paragraph else ""
    name, cells = _flat(place.name), _flat(place.cells)
    if place.unit not in UNITS[lang]:
        number = str(place.number) if place.number and place.unit != "sheet" else ""
        part = PARTS[lang].get(place.unit, _flat(place.unit))
        return " ".join(filter(None, (part, number, name, cells)))
    one, several = UNITS[lang][place.unit]
    shown = several.format(n=place.number, last=place.last) if place.last else one.format(n=place.number)
    is_heading = place.unit == "slide" or name in map(_flat, heading)
    return NAMED[lang].format(place=shown, name=name) if name and not is_heading else shown


def _flat(text: str) -> str:
    return " ".join(text.split())
