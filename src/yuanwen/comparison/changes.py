"""What a quotation changes: a diff in whole words and numbers, the grave kinds of change first."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple

from yuanwen.comparison.sameness import between_digits, fold, fold_character, is_wordy, misplaced
from yuanwen.comparison.stretches import edits
from yuanwen.verification import Change, ChangeKind

KINDS: tuple[ChangeKind, ...] = ("negation", "number", "date", "name", "words", "punctuation")  # the gravest first
_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    "|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|trillion|half|dozen"
    "|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|percent"
)
_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_figures = re.compile(f"(?:\\d(?:[.,]?\\d)*|[{''.join(sorted(_NUMERALS))}])+[%‰]?")
# Words with a numeral that count nothing.
_uncounted = re.compile(
    f"(?<![\\d{''.join(sorted(_NUMERALS))}])(?:一[定般些样直起旦并律致切概经]|万一)|[统唯]一|进一步|第一时间"
)
_number = re.compile(f"[\\d.,]*\\d[%‰百千万亿]*|[{''.join(sorted(_NUMERALS))}]+|[%‰]|\\b(?:{_NUMBER_WORDS})s?\\b")
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


class Atom(NamedTuple):
    """A folded character, or a run of dashes or dots, with its span in the text.

    `spaced` says that white space stands before it, `optional` that it is a hyphen at the end of a line.
    """

    value: str
    start: int
    end: int
    spaced: bool
    optional: bool


class Region(NamedTuple):
    """Atoms `[i, k)` of the original for which the quotation has its atoms `[j, m)`."""

    i: int
    k: int
    j: int
    m: int


class Difference(NamedTuple):
    """The original from `start` to `end` and what the quotation changes of it, the gravest first."""

    start: int
    end: int
    changes: tuple[Change, ...]


# --------------------------------------------------------------------------------------------- atoms

_breaks = re.compile(r"[^\S\n]*\n\s*[^\W\d_\u0e00-\U0010ffff]")


def atoms(text: str) -> list[Atom]:
    """Return the folded characters of a text, without its white space."""
    found: list[Atom] = []
    spaced = False
    parting = {mark.start(1) for mark in between_digits.finditer(text) if mark[1] in "。、"}
    for at, character in enumerate(text):
        if character.isspace():
            spaced = True
            continue
        optional = character in "-\u2010\u00ad" and bool(found) and _breaks.match(text, at + 1) is not None
        for value in "-" if optional else character if at in parting else fold_character(character):
            if found and not spaced and not value.isalnum() and (is_wordy(value) or value == found[-1].value == "-"):
                last = found[-1]
                found[-1] = last._replace(value=last.value + value if value != "-" else "-", end=at + 1)
            else:
                found.append(Atom(value, at, at + 1, spaced, optional and is_wordy(found[-1].value[0])))
                spaced = False
    return _dotted(found) if "..." in "".join([atom.value for atom in found]) else found


def _dotted(found: list[Atom]) -> list[Atom]:
    """Return atoms with each run of three dots or more as one."""
    runs = re.finditer(r"\.{3,}|(?s:.)", "".join([atom.value[0] for atom in found]))
    return [
        found[run.start()]._replace(value=run[0], end=found[run.end() - 1].end)._replace(value="...")
        if len(run[0]) > 1
        else found[run.start()]
        for run in runs
    ]


def _joins(row: Sequence[Atom], at: int) -> bool:
    """Return whether the atoms before and after this border are of one word or number."""
    if not 0 < at < len(row) or row[at].spaced:
        return False
    before, after = row[at - 1].value[0], row[at].value[0]
    if is_wordy(before) and is_wordy(after):
        return True
    if before in _NUMERALS or after in _NUMERALS:
        return all(c in _NUMERALS or c.isdigit() for c in (before, after))
    return _connects(row, at - 1) or _connects(row, at)


def _connects(row: Sequence[Atom], at: int) -> bool:
    """Return whether an atom is a mark inside of a word or number: don't, well-known, 3.14, 5%."""
    if not 0 < at < len(row) or row[at].spaced:
        return False
    before, mark = row[at - 1].value[0], row[at].value
    if mark in ("%", "‰"):
        return before.isdigit()
    if at + 1 == len(row) or row[at + 1].spaced:
        return False
    after = row[at + 1].value[0]
    if mark in (".", ","):
        return before.isdigit() and after.isdigit()
    return mark in ('"', "-") and is_wordy(before) and is_wordy(after) and not before.isdigit()


# ------------------------------------------------------------------------------------------- regions


def _regions(original: Sequence[Atom], quoted: Sequence[Atom]) -> list[Region]:
    """Return where two rows of atoms differ, in whole words and numbers."""
    raw: list[Region] = []
    for is_equal, (i, k, j, m) in edits([a.value for a in original], [a.value for a in quoted]):
        raw += _spacing(original[i:k], quoted[j:m], i, j) if is_equal else [Region(i, k, j, m)]
    return _merged([_grown(region, original, quoted) for region in raw], original, quoted)


def _spacing(original: Sequence[Atom], quoted: Sequence[Atom], i: int, j: int) -> Iterator[Region]:
    """Yield the borders where equal atoms differ in white space that matters."""
    if [a.spaced for a in original[1:]] == [a.spaced for a in quoted[1:]]:
        return
    places = [0, *accumulate(len(a.value) for a in original)]
    for at, _ in misplaced(_spelt(original), _spelt(quoted)):
        step = places.index(at)
        yield Region(i + step - 1, i + step + 1, j + step - 1, j + step + 1)


def _spelt(row: Sequence[Atom]) -> str:
    return "".join([" " * a.spaced + a.value for a in row]).strip()


def _grown(region: Region, original: Sequence[Atom], quoted: Sequence[Atom]) -> Region:
    """Return a region that cuts no word and no number."""
    i, k, j, m = region
    while i and j and original[i - 1].value == quoted[j - 1].value and (_joins(original, i) or _joins(quoted, j)):
        i, j = i - 1, j - 1
    while (
        k < len(original)
        and m < len(quoted)
        and original[k].value == quoted[m].value
        and (_joins(original, k) or _joins(quoted, m))
    ):
        k, m = k + 1, m + 1
    return Region(i, k, j, m)


def _merged(regions: list[Region], original: Sequence[Atom], quoted: Sequence[Atom]) -> list[Region]:
    """Return regions of which those that touch, or have but a character or two between them, are one."""
    found: list[Region] = []
    for region in regions:
        last = found[-1] if found else None
        if last and (region.i <= last.k or region.j <= last.m or _belong(last, region, original, quoted)):
            found[-1] = Region(last.i, max(last.k, region.k), last.j, max(last.m, region.m))
        else:
            found.append(region)
    return found


def _belong(last: Region, region: Region, original: Sequence[Atom], quoted: Sequence[Atom]) -> bool:
    between = original[last.k : region.i]
    if len(between) > 2 or not all(a.value[0].isalnum() for a in between):
        return False
    sizes = [max(r.k - r.i, r.m - r.j) for r in (last, region)]
    alone = any(
        _is_negation(row[a:b]) for r in (last, region) for row, a, b in ((original, r.i, r.k), (quoted, r.j, r.m))
    )
    return not alone and min(sizes) >= len(between) and max(sizes) > 1


def _is_negation(row: Sequence[Atom]) -> bool:
    return bool(row) and _negation.fullmatch("".join(a.value for a in row)) is not None


# ------------------------------------------------------------------------------------------- changes


def difference(quoted: str, text: str, start: int, end: int) -> Difference:
    """Return what a quotation changes of about `text[start:end]`, which may grow by words that it replaces.

    Offsets of the changes are in `quoted` and in `text[start:end]` as returned.
    """
    left = atoms(text[start:end])
    right = _joined(atoms(quoted), left)
    left, regions = _compared(right, left)
    first, last = _reached(right, text, start, end, regions, len(left))
    if (first, last) != (start, end):
        start, end = first, last
        left, regions = _compared(right, atoms(text[start:end]))
    changes = [_change(region, left, right, text[start:end], quoted) for region in regions]
    return Difference(start, end, graver_first(changes))


def _compared(right: list[Atom], left: list[Atom]) -> tuple[list[Atom], list[Region]]:
    left = _joined(left, right)
    return left, _regions(left, right)


def _joined(row: list[Atom], other: list[Atom]) -> list[Atom]:
    """Return the atoms of a text without the hyphens of broken words that the other text has whole."""
    if not any(atom.optional for atom in row):
        return row
    gone: set[int] = set()
    for is_equal, region in edits([a.value for a in row], [a.value for a in other]):
        if not is_equal and region[2] == region[3]:
            gone.update(at for at in range(*region[:2]) if row[at].optional)
    return [atom._replace(spaced=atom.spaced and at - 1 not in gone) for at, atom in enumerate(row) if at not in gone]


def _reached(right: list[Atom], text: str, start: int, end: int, regions: list[Region], length: int) -> tuple[int, int]:
    """Return a span that has whole words at its ends, and for words that were put there, those that they replace."""
    for region in regions[:1]:
        if region.i == region.j == 0:
            put = right[: region.m]
            start -= _reach(
                text[max(0, start - 80) : start][::-1], text[start : start + 1], put if region.k == 0 else []
            )
            start -= _shared(text[max(0, start - 2 * _SWAPPED) : start][::-1], put)
            start, _ = _number_about(text, start)
    for region in regions[-1:]:
        if region.k == length and region.m == len(right):
            put = right[region.j :]
            end += _reach(text[end : end + 80], text[end - 1 : end], put if region.i == region.k else [])
            end += _shared(text[end : end + 2 * _SWAPPED], put[::-1])
            _, end = _number_about(text, end)
    return start, end


def _shared(beside: str, put: Sequence[Atom]) -> int:
    """Return how many of the characters beside an edge belong to a quotation that puts these words at its end, the
    last one first: as many as make the text more like it.
    """
    if not put or not put[0].value.isalnum() or is_wordy(put[0].value):
        return 0
    row = atoms(beside)
    gain, reached = 0, 0
    for number, atom in enumerate(row, 1):
        pairs = zip(reversed(row[:number]), put, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0].value == pair[1].value, pairs))
        if 2 * same - number > gain:
            gain, reached = 2 * same - number, atom.end
    return reached


def _reach(beside: str, edge: str, put: list[Atom]) -> int:
    """Return how many of the characters beside an edge belong to its word, or are what was replaced by those put."""
    if edge and is_wordy(edge) and (word := _wordy.match(beside)):
        return word.end()
    if not put or _is_negation(put):
        return 0
    if is_wordy(put[0].value[0]):
        words = 1 + sum(atom.spaced for atom in put[1:])
        pattern = f"(?:\\s?[^\\W_\u0e00-\U0010ffff]+){{1,{words}}}" if words <= _SWAPPED_WORDS else "(?!)"
    else:
        pattern = f"[^\\W_]{{1,{len(put)}}}(?:(?<=\\d)\\d+)?" if len(put) <= _SWAPPED else "(?!)"
    found = re.match(pattern, beside)
    return found.end() if found else 0


_SWAPPED, _SWAPPED_WORDS = 8, 4  # what is longer was put there, and replaces nothing
_wordy = re.compile("[^\\W_\u0e00-\U0010ffff]+")


def graver_first(changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return changes in the order of `KINDS`, those of one kind as they stand."""
    return tuple(sorted(changes, key=lambda change: (KINDS.index(change.kind), change.in_quote)))


def _change(region: Region, left: list[Atom], right: list[Atom], original: str, quoted: str) -> Change:
    in_text, in_quote = _span(left, region.i, region.k), _span(right, region.j, region.m)
    return Change(
        kind=_kind(original, in_text, quoted, in_quote),
        original=original[slice(*in_text)],
        quoted=quoted[slice(*in_quote)],
        in_quote=in_quote,
        in_text=in_text,
    )


def _span(row: list[Atom], first: int, last: int) -> tuple[int, int]:
    if first < last:
        return row[first].start, row[last - 1].end
    at = row[first - 1].end if first else row[0].start if row else 0
    return at, at


def _kind(original: str, in_text: tuple[int, int], quoted: str, in_quote: tuple[int, int]) -> ChangeKind:
    was, now = fold(original[slice(*in_text)]), fold(quoted[slice(*in_quote)])
    if negates(was, now):
        return "negation"
    marks = [between_digits.findall(text[slice(*span)]) for text, span in ((original, in_text), (quoted, in_quote))]
    parted = any("。" in row or "、" in row for row in marks) and marks[0] != marks[1]
    is_counted_otherwise = _counted(original, in_text) != _counted(quoted, in_quote)
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


def negates(was: str, now: str) -> bool:
    """Return whether one of two folded texts has a word of negation or exception that the other has not."""
    if Counter(_negation.findall(was)) != Counter(_negation.findall(now)):
        return True
    words = [[word.replace("-", "") for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text)] for text in (was, now)]
    gone, come = (Counter(words[i]) - Counter(words[1 - i]) for i in (0, 1))
    return any(a == prefix + b or b == prefix + a for a in gone for b in come for prefix in _PREFIXES)


def numbers(folded: str) -> list[str]:
    """Return the numbers of a folded text, in figures and in words; 一 and the like are parts of words in long ones."""
    found = [number.replace(",", "") for number in _number.findall(folded)]
    return found if len(folded) <= 4 else [number for number in found if number not in _NUMERALS]


def _counted(text: str, span: tuple[int, int]) -> list[str]:
    """Return the numbers of a span of a text, without such as are parts of words that count nothing."""
    before, piece, after = (
        fold(text[slice(*part)]) for part in ((max(0, span[0] - 3), span[0]), span, (span[1], span[1] + 3))
    )
    counted = _uncounted.sub(lambda word: "_" * len(word[0]), before + piece + after)
    return numbers(counted[len(before) : len(before) + len(piece)])


def cuts_number(text: str, at: int) -> bool:
    """Return whether an offset is within a number."""
    return _number_about(text, at) != (at, at)


def _number_about(text: str, at: int) -> tuple[int, int]:
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
    return len(piece) <= 3 and piece[:1] in _SURNAMES and not _NUMERALS.issuperset(piece) and piece.isalpha()


def _is_name(piece: str) -> bool:
    return bool(_latin_name.search(piece)) or _han_name.fullmatch(fold(piece)) is not None


# -------------------------------------------------------------------------------------------- pieces


def pieces(original: str, quoted: str) -> list[tuple[Literal["=", "-", "+"], str]]:
    """Return a diff to be shown: what both have, what only the original has, what only the quotation has.

    All that is "=" or "-" is the original, all that is "=" or "+" the quotation, to the letter.
    """
    found: list[tuple[Literal["=", "-", "+"], str]] = []
    left, right = (_tokens.findall(text) for text in (original, quoted))
    for is_equal, (i, k, j, m) in edits(left, right):
        if is_equal:
            found.append(("=", "".join(left[i:k])))
        else:
            found += [("-", "".join(left[i:k]))] * (i < k)
            found += [("+", "".join(right[j:m]))] * (j < m)
    return found


_tokens = re.compile(f"\\d+(?:[.,]\\d+)*%?|[{''.join(sorted(_NUMERALS))}]+|[^\\W\\d_\u0e00-\U0010ffff]+|\\s+|(?s:.)")
