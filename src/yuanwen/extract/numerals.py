"""A number -> how an office program writes it where it numbers paragraphs: `十二`, `xii`, `⑫`."""

import re
from collections.abc import Sequence


def _row(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


_SERIES = {  # a number is the character at its place, as long as there is one
    "decimalEnclosedCircle": _row("①", "⑳"),
    "decimalEnclosedCircleChinese": _row("①", "⑳"),
    "decimalEnclosedParen": _row("⑴", "⒇"),
    "decimalEnclosedFullstop": _row("⒈", "⒛"),
    "ideographEnclosedCircle": _row("㊀", "㊉"),
    "ideographTraditional": "甲乙丙丁戊己庚辛壬癸",
    "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
}
_UNITS = {  # a number is written with units as far as they go: nought to nine, then one, ten, hundred, thousand
    "chineseCounting": ("〇一二三四五六七八九", ("", "十")),
    "chineseCountingThousand": ("零一二三四五六七八九", ("", "十", "百", "千")),
    "taiwaneseCounting": ("○一二三四五六七八九", ("", "十")),
    "taiwaneseCountingThousand": ("零一二三四五六七八九", ("", "十", "百", "千")),
    "japaneseCounting": ("〇一二三四五六七八九", ("", "十", "百", "千")),
    "chineseLegalSimplified": ("零壹贰叁肆伍陆柒捌玖", ("", "拾", "佰", "仟")),
    "ideographLegalTraditional": ("零壹貳參肆伍陸柒捌玖", ("", "拾", "佰", "仟")),
}
_DIGITS = {  # a number is written digit by digit
    "chineseCounting": "〇一二三四五六七八九",
    "taiwaneseCounting": "○一二三四五六七八九",
    "ideographDigital": "〇一二三四五六七八九",
    "japaneseDigitalTenThousand": "〇一二三四五六七八九",
    "taiwaneseDigital": "○一二三四五六七八九",
    "decimalFullWidth": "０１２３４５６７８９",
    "decimalFullWidth2": "０１２３４５６７８９",
}
_ROMAN = dict(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)
_MAX_LETTERS = 30 * 26  # as many as Word repeats a letter for


def numeral(value: int, form: str) -> str:
    """Return a number in a form named as in OOXML; decimal for a form or a number that is not known."""
    if form == "none":
        return ""
    if form in _SERIES and 0 < value <= len(_SERIES[form]):
        return _SERIES[form][value - 1]
    if form in _UNITS and 0 < value < 10 ** len(_UNITS[form][1]):
        return _with_units(value, *_UNITS[form])
    if form in _DIGITS:
        return "".join(_DIGITS[form][int(digit)] for digit in str(value))
    if form in ("upperRoman", "lowerRoman") and 0 < value < 4_000:
        return _roman(value).upper() if form == "upperRoman" else _roman(value)
    if form in ("upperLetter", "lowerLetter") and 0 < value <= _MAX_LETTERS:
        times, letter = divmod(value - 1, 26)
        return chr(ord("A" if form == "upperLetter" else "a") + letter) * (times + 1)
    return f"{value:02}" if form == "decimalZero" else str(value)


def _with_units(value: int, digits: str, units: Sequence[str]) -> str:
    """Return 一百零五 for 105, 十二 for 12."""
    said = ""
    for digit, unit in zip(map(int, str(value)), reversed(units[: len(str(value))]), strict=True):
        said += digits[digit] + unit if digit else digits[0]
    said = re.sub(f"{digits[0]}+", digits[0], said).rstrip(digits[0])
    return said.removeprefix(digits[1]) if 10 <= value < 20 and digits[1] == "一" else said


def _roman(value: int) -> str:
    said = ""
    for size, letters in _ROMAN.items():
        times, value = divmod(value, size)
        said += letters * times
    return said
