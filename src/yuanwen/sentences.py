"""Text -> the spans of its sentences, in Chinese and in English."""

import re
from collections.abc import Iterator

_pause = re.compile(
    r"(?P<stop>[。！？｡︒!?….．]++)(?P<closing>[”’」』）)】］\]〉》»›〞﹂﹄＂\"'*_`~]*+)\s*+"
    r"|^(?P<line>#{1,6}[^\S\n]|\|)[^\n]*+\n\s*+"  # a heading, or a row of a table
    r"|[\n\r\f\v\x85\u2028\u2029]\s*+",
    re.MULTILINE,
)
_always = re.compile(r"[。！？｡︒]")
_block = re.compile(
    r"#{1,6}\s|[-*+•·●▪◦○■]\s|[>|]|```|~~~|\d{1,3}(?:[.)．]\s|[、）])|[（(][\d一二三四五六七八九十]{1,3}[）)]"
    r"|[一二三四五六七八九十]{1,3}、|第[\d一二三四五六七八九十百零]{1,6}[章节条编]"
)
_number = re.compile(r"(?:^|[\n\r])[^\S\n]*(?:[-*+>#]\s*)?(?:\d{1,3}|[ivxIVX]{1,5}|[A-Za-z])\Z")  # that of an item
_word = re.compile(r"[A-Za-z]+(?:\.[A-Za-z]+)*\Z")
_shortened = (
    "mr mrs ms dr prof st sr rev hon gen col capt lt sgt gov sen rep vs cf viz approx ca dept univ bros nos vol vols "
    "eds fig figs eq eqs sec ch chap pp art para al ibid op cit tel ext ph.d m.d u.s u.k u.n e.g i.e eg ie "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_shortened_or_last = "no p co inc ltd corp etc a.m p.m jr est ed"  # where a capital follows, the sentence ends
_abbreviations = frozenset(_shortened.split())
_either_way = frozenset(_shortened_or_last.split())
_looks_back = 24


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans `[start, end)` that tile `text`, in code points: each a sentence, with the white space after it.

    A sentence ends at 。！？, and at `. ! ? …` before white space, with the quotation marks and brackets that close
    there; not after abbreviations, initials and the numbers of items. A line break ends it only before a blank line,
    an item, a heading and the like, and after a heading. An empty text has none.
    """
    start = at = 0
    quoting = False  # within straight quotation marks, which look the same at both ends
    has_quotes = '"' in text
    for pause in _pause.finditer(text):
        if has_quotes:
            quoting ^= text.count('"', at, pause.start()) % 2 == 1
            at = pause.start()
        end = _end(text, pause, quoting)
        if end is not None and not text[start:end].isspace():
            yield start, end
            start = end
            if has_quotes:
                quoting ^= text.count('"', at, end) % 2 == 1
                at = end
    if start < len(text):
        yield start, len(text)


def _end(text: str, pause: re.Match[str], quoting: bool) -> int | None:
    """Return where the sentence ends that pauses here, or None if it goes on."""
    after = text[pause.end() : pause.end() + 1]
    if not pause["stop"]:
        return pause.end() if pause["line"] or _is_break(text, pause.start(), pause.end()) else None
    if _stops(text, pause, after):
        opening = text.find('"', pause.start("closing"), pause.end("closing"))
        if opening < 0 or quoting or opening + 1 == pause.end() == len(text):
            return pause.end()
        return pause.end() if text[opening + 1 : opening + 2].isspace() else opening
    return pause.end() if _is_break(text, pause.end("closing"), pause.end()) else None


def _is_break(text: str, start: int, end: int) -> bool:
    """Return whether the white space `[start, end)` parts blocks: a blank line, or a line break before a block."""
    space = text[start:end]
    lines = len(f"{space}.".splitlines())
    return lines > 2 or "\f" in space or (lines == 2 and _block.match(text, end) is not None)


def _stops(text: str, pause: re.Match[str], after: str) -> bool:
    """Return whether a sentence ends at these marks, before `after`."""
    stop = pause["stop"]
    if _always.search(stop):
        return True
    before = text[pause.start() - 1 : pause.start()]
    spaced = not after or text[pause.end() - 1].isspace()
    if stop in (".", "．"):
        if not spaced:
            return stop == "．" and not before.isascii()
        return not _is_abbreviated(text, pause.start(), after)
    if stop.strip("."):  # with one of ! ? …
        han = not after.isascii() or not before.isascii()
        if stop.strip(".…"):
            return spaced or han
    return (spaced or bool(pause["closing"])) and not after.islower()


def _is_abbreviated(text: str, at: int, after: str) -> bool:
    """Return whether the full stop at `at` belongs to a word or a number, not to a sentence."""
    start = max(0, at - _looks_back)
    if _number.search(text, start, at):
        return True
    word = _word.search(text, start, at)
    if word is None:
        return False
    name = word[0].lower()
    if name in _either_way:
        return bool(after) and not (after.isalpha() and not after.islower())
    return bool(after) and (name in _abbreviations or (len(name) == 1 and word[0].isupper()))
