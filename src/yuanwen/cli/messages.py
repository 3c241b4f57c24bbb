"""English, as the package writes it, -> the language of the user. Chinese is the one translation there is.

A template is translated before its fields are filled. The library also hands out sentences that are filled
already (reasons, notes, warnings): `filled` finds the template that such a sentence was made from.
"""

import os
import re
import sys
from functools import cache
from typing import Literal

__all__ = ["SENTENCES", "count", "filled", "language", "say", "sentences"]

VARIABLES = ("YUANWEN_LANG", "LC_ALL", "LC_MESSAGES", "LANG")

SENTENCES = ("reason", "advice", "problem", "kind")  # fields of templates that hold words of the package as well
FEWEST = 6  # letters that a template must have of its own to be recognised in a sentence

_field = re.compile(r"\{(\w+)[^{}]*\}")
_STOPS = (".", "?", "!", ":", "。", "？", "！", "：", "…")


def language() -> Literal["zh", "en"]:
    """Return `zh` or `en`, by the first variable that is set, else (Windows) by what the system speaks."""
    named = next((value for value in map(os.environ.get, VARIABLES) if value), "")
    if not named and sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        return "zh" if kernel.GetUserDefaultUILanguage() & 0x3FF == 0x04 else "en"
    return "zh" if named.lower().startswith("zh") else "en"


def say(template: str, **values: object) -> str:
    """Return a message in the language of the user, its fields filled."""
    translated = _chinese().get(template, template) if language() == "zh" else template
    return translated.format(**values) if values else translated


def count(number: int, one: str, many: str) -> str:
    """Return one of two templates, by number, translated and with {n} filled."""
    return say(one if number == 1 else many, n=f"{number:,}")


def filled(text: object) -> str:
    """Return a sentence of the package, its fields filled already, in the language of the user."""
    text = str(text)
    if language() != "zh" or not text:
        return text
    return _refilled(text) or _named(text)


def sentences(*parts: str) -> str:
    """Return sentences one after another, each with a stop at its end."""
    chinese = language() == "zh"
    stopped = [p if p.endswith(_STOPS) else p + ("。" if chinese else ".") for p in parts if p]
    text = ""
    for sentence in stopped:
        text += sentence if not text or text[-1] in "。？！：" else " " + sentence
    return text


def _chinese() -> dict[str, str]:
    from yuanwen.cli.chinese import CHINESE

    return CHINESE


@cache
def _refilled(text: str) -> str:
    """Return the translation of the template that fits best, the one with the most words of its own; else nothing."""
    known = _chinese().get(text)
    if known is not None:
        return known
    best, most = "", 0
    for template, translation in _chinese().items():
        if "{" not in template:
            continue
        words = _field.split(template)[::2]
        own = sum(map(len, words))
        if own <= max(most, FEWEST) or not (text.startswith(words[0]) and text.endswith(words[-1])):
            continue
        pattern = "(.*?)".join(map(re.escape, words))
        match = re.fullmatch(pattern, text, re.DOTALL)
        if match is not None:
            most = own
            values = dict(zip(_field.findall(template), match.groups(), strict=True))
            values |= {name: _refilled(values[name]) or values[name] for name in SENTENCES if name in values}
            best = _field.sub(lambda name: values[name[1]], translation)  # noqa: B023 - used at once
    return best


def _named(text: str) -> str:
    """Return a sentence that stands behind what it is about (`path: sentence`), translated; else as it is."""
    for colon in re.finditer(": ", text):
        translated = _refilled(text[colon.end() :])
        if translated:
            return say("{name}: {note}", name=text[: colon.start()], note=translated)
    return text
