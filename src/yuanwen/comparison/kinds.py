"""What kind of thing a change changes: a negation, a number, a date, a name, other words, or punctuation."""

import re
from collections import Counter

from yuanwen.comparison.sameness import between_digits, fold, is_wordy
from yuanwen.verification import ChangeKind

KINDS: tuple[ChangeKind, ...] = ("negation", "number", "date", "name", "words", "punctuation")  # the gravest first
NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|half|dozen"
    "|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|percent"
)
_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_figures = re.compile(f"(?:\\d(?:[.,]?\\d)*|[{''.join(sorted(NUMERALS))}])+[%‰]?")
# Words with a numeral that count nothing.
_uncounted = re.compile(
    f"(?<![\\d{''.join(sorted(NUMERALS))}])(?:一[定般些样直起旦并律致切概经]|万一)|[统唯]一|进一步|第一时间"
)
_number = re.compile(f"[\\d.,]*\\d[%‰百千万亿]*|[{''.join(sorted(NUMERALS))}]+|[%‰]|\\b(?:{_NUMBER_WORDS})s?\\b")
_date = re.compile(
    f"[12]\\d{{3}}[-/]\\d{{1,2}}|[12]\\d{{3}}\\.\\d{{1,2}}\\.\\d|\\d+ ?[年月日号]|\\b(?:{_MONTHS}|may(?= \\d))\\b"
)
_month_before = re.compile(f"\\b(?:{_MONTHS}|may)\\.? ?(?:\\d{{1,2}}(?:st|nd|rd|th)?,? ?)?\\Z")
_month_after = re.compile(f"(?:st|nd|rd|th)? ?(?:of )?(?:{_MONTHS}|may)\\b")
_negation = re.compile(
    "不得|禁止|除外|以外|不|未|无(?!锡)|非(?!洲)|(?<![淹沉埋出吞])没(?!收)|勿|莫(?![斯扎桑高尔])"
    "|(?<![特区分级性类个差鉴识])别|否|(?<![删解清排消拆去])除|免"
    r"|\b(?:not|no|never|none|nor|neither|without|except|unless|cannot)\b|n\"t\b"
)
_PREFIXES = ("un", "non", "in", "im", "il", "ir", "dis", "anti")
_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜"
    "崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛阎雷龙史陶贺顾毛郝龚邵万钱严武戴莫孔向汤温康施文牛樊葛邢安齐易乔"
    "伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮纪梅童凌毕单裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍"
    "华喻祁蒲房滕屈饶解牟艾尤阳穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬"
)
_OFFICES = (
    "公司|集团|先生|女士|小姐|教授|博士|总统|主席|大学|学院|医院|银行|法院|委员会|省|市|县|区|州|国|镇|乡|村|路|街"
    "|站|党|军|帝|王|公|侯|府|寺|山|江|河|湖|海|岛"
)
_latin_name = re.compile(r"\b[^\W\d_a-z\u0e00-\U0010ffff][^\W\d_]+")
_han_name = re.compile(
    f"[{''.join(sorted(_SURNAMES))}][\u4e00-\u9fff]{{1,3}}|[\u4e00-\u9fff]+·[\u4e00-\u9fff]+"
    f"|[\u4e00-\u9fff]{{1,8}}?(?:{_OFFICES})"
)


def kind_of(original: str, in_text: tuple[int, int], quoted: str, in_quote: tuple[int, int]) -> ChangeKind:
    was, now = fold(original[slice(*in_text)]), fold(quoted[slice(*in_quote)])
    if negates(was, now):
        return "negation"
    marks = [between_digits.findall(text[slice(*span)]) for text, span in ((original, in_text), (quoted, in_quote))]
    parted = any("。" in row or "、" in row for row in marks) and marks[0] != marks[1]
    has_numbers = _number.search(was) or _number.search(now)
    is_counted_otherwise = has_numbers and _counted(original, in_text) != _counted(quoted, in_quote)
    if parted or (is_counted_otherwise and not (_is_person(was) and _is_person(now))):
        sides = ((was, original, in_text), (now, quoted, in_quote))
        return "date" if any(_is_date(*side) for side in sides) else "number"
    if (_is_person(was) and _is_person(now)) or any(
        map(_is_name, (original[slice(*in_text)], quoted[slice(*in_quote)]))
    ):
        return "name"
    return "words" if _bare(was) != _bare(now) else "punctuation"


def _bare(folded: str) -> str:
    return "".join(c for c in folded if is_wordy(c) or c.isalnum() or c.isspace()).strip()


def is_negation(folded: str) -> bool:
    """Return whether a folded text is a word of negation or exception."""
    return _negation.fullmatch(folded) is not None


def negates(was: str, now: str) -> bool:
    """Return whether one of two folded texts has a word of negation or exception that the other has not."""
    if sorted(_negation.findall(was)) != sorted(_negation.findall(now)):
        return True
    words = [[word.replace("-", "") for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)] for text in (was, now)]
    if not any(word.startswith(_PREFIXES) for row in words for word in row):
        return False
    gone, come = (Counter(words[i]) - Counter(words[1 - i]) for i in (0, 1))
    return any(a == prefix + b or b == prefix + a for a in gone for b in come for prefix in _PREFIXES)


def numbers(folded: str) -> list[str]:
    """Return the numbers of a folded text, in figures and in words; 一 and the like are parts of words in long ones."""
    found = [number.replace(",", "") for number in _number.findall(folded)]
    return found if len(folded) <= 4 else [number for number in found if number not in NUMERALS]


def _counted(text: str, span: tuple[int, int]) -> list[str]:
    """Return the numbers of a span of a text, without such as are parts of words that count nothing."""
    before, piece, after = (
        fold(text[slice(*part)]) for part in ((max(0, span[0] - 3), span[0]), span, (span[1], span[1] + 3))
    )
    counted = _uncounted.sub(lambda word: "_" * len(word[0]), before + piece + after)
    return numbers(counted[len(before) : len(before) + len(piece)])


def cuts_number(text: str, at: int) -> bool:
    """Return whether an offset is within a number."""
    return number_about(text, at) != (at, at)


def number_about(text: str, at: int) -> tuple[int, int]:
    """Return the span of the number that an offset is within, an empty one where there is none."""
    numbers = (found.span() for found in _figures.finditer(text, max(0, at - 16), at + 16))
    return next((span for span in numbers if span[0] < at < span[1]), (at, at))


def torn(text: str, start: int, end: int) -> int | None:
    """Return the edge of a span of a text that is inside a number, or at the start inside or right after a word of
    negation; None if neither is.
    """
    first = max(0, start - 16)
    about = text[first : start + 1].lower()
    negations = (word for word in _negation.finditer(about) if word.start() < start - first)
    if cuts_number(text, start) or any(not about[word.end() : start - first].strip() for word in negations):
        return start
    return end if cuts_number(text, end) else None


def _is_date(piece: str, text: str, span: tuple[int, int]) -> bool:
    if _date.search(piece):
        return True
    if not _number.search(piece):
        return False
    before, after = fold(text[max(0, span[0] - 24) : span[0]]), fold(text[span[1] : span[1] + 24])
    return after.lstrip()[:1] in set("年月日号") or bool(_month_before.search(before) or _month_after.match(after))


def _is_person(piece: str) -> bool:
    """Return whether a piece looks like a surname, alone or with the given name."""
    return len(piece) <= 3 and piece[:1] in _SURNAMES and not NUMERALS.issuperset(piece) and piece.isalpha()


def _is_name(piece: str) -> bool:
    return bool(_latin_name.search(piece)) or _han_name.fullmatch(fold(piece)) is not None
