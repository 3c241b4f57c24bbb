"""Receipts: what they survive on the way through mail, chat and Word, and that all other damage is noticed."""

import html
import quopri
import re
import time
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen import receipt
from yuanwen.errors import UsageError
from yuanwen.place import Place
from yuanwen.receipt import Receipt, digest, parse, spans

ONE = Receipt(
    source="采购 合同-v2_终稿(1).pdf",
    sha256=digest("file"),
    extractor="2 pypdfium2 5.15.2 font b76b04332030",
    text_sha256=digest("text"),
    ordinal=17,
    start=412,
    end=498,
    page=3,
    quote_sha256=digest("质量保证期为二十四个月"),
)
LINE = ONE.line()

HASH = st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}")
WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
OFFSET = st.integers(0, 10**9)
RECEIPTS = st.builds(
    lambda start, length, **rest: Receipt(start=start, end=start + length, **rest),
    start=OFFSET,
    length=OFFSET,
    source=WORDS,
    sha256=HASH,
    extractor=WORDS,
    text_sha256=HASH,
    ordinal=OFFSET,
    page=st.none() | OFFSET,
    place=st.just("") | WORDS,
    quote_sha256=HASH,
)
WRAPS = [
    "\n",
    "\r\n",
    "\n> ",
    "\n> > ",
    "\n| ",
    "=\n",
    "=\r\n",
    "\n    ",
    " ",
    "\u3000",
    "\u200b",
    "\u00ad\n",
    "-\n",
    "\\\n",
]


def only(text: str) -> Receipt:
    """Return the one receipt that stands in a text."""
    ((start, end),) = spans(text)
    return parse(text[start:end])


def wrapped(line: str, column: int, joint: str) -> str:
    """Return a line broken every so many columns."""
    return joint.join(line[at : at + column] for at in range(0, len(line), column))


# --------------------------------------------------------------------------------------------- round trips


@given(RECEIPTS)
def test_a_receipt_comes_back_as_it_was(made: Receipt) -> None:
    assert parse(made.line()) == made
    assert spans(f"见 {made.line()}。") == [(2, 2 + len(made.line()))]


@given(RECEIPTS)
def test_a_receipt_is_written_in_characters_that_nothing_changes(made: Receipt) -> None:
    line = made.line()
    assert re.fullmatch(r"[0-9A-Za-z\u4e00-\u9fff:;=.%+]+", line)
    assert html.escape(line) == line
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert unicodedata.normalize(form, line) == line


@given(st.lists(st.sampled_from([LINE, LINE[:150], "yuanwen:1;a", "甲。", "\n\n", "yuanwen:"]), max_size=6))
def test_a_text_can_be_read_as_if_it_had_no_receipts(pieces: list[str]) -> None:
    text = "".join(pieces)
    masked = receipt.masked(text)
    assert spans(masked) == [] and len(masked) == len(text)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (None, ""),
        (Place(unit="page", number=3), ""),
        (Place(unit="body"), ""),
        (Place(unit="slide", number=2, name="目标"), "slide 2"),
        (Place(unit="line", number=3, last=9), "line 3 to 9"),
        (Place(unit="sheet", number=1, name="价目", cells="A2:F9"), "sheet 价目 A2:F9"),
        (Place(unit="footnotes", number=2), "footnotes 2"),
    ],
)
def test_a_place_that_is_no_page_is_named_in_the_terms_of_its_format(place: Place | None, name: str) -> None:
    assert receipt.place_name(place) == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            ";check=0000000000000000",
            "a;sha256=b.pdf",
            "a\nb.txt",
            "🧾 凭据.pdf",
            "\u202ecod.exe",
            "a%20b+c.txt",
            "x=y&z",
        ),
        *(
            "yuanwen:1;source=x;check=0123456789abcdef",
            "<b>&amp;</b>",
            "e\u0301.txt",
            "Ａ．pdf",
            "里/面.eml",
            "-_*`|\\",
        ),
    ],
)
def test_no_file_name_breaks_a_receipt_or_starts_another(name: str) -> None:
    line = replace(ONE, source=name).line()
    assert only(f"（{line}）").source == name


# ---------------------------------------------------------------------------------------- on the way


@given(RECEIPTS, st.integers(1, 100), st.sampled_from(WRAPS))
def test_a_receipt_survives_being_broken_at_any_column(made: Receipt, column: int, joint: str) -> None:
    assert only(f"上文 ({wrapped(made.line(), column, joint)})。下文 abc 1") == made


@given(st.integers(0, len(LINE)), st.sampled_from("\u200b\u200d\u2060\ufeff\u00ad\u200e\ufe0f\u00a0 *_`|>~"))
def test_a_receipt_survives_what_programs_put_in(at: int, noise: str) -> None:
    assert only(LINE[:at] + noise + LINE[at:]) == ONE


@pytest.mark.parametrize(
    "text",
    [
        *(
            "({})",
            "“{}”",
            "「{}」",
            "{}.",
            "{}，见上",
            "**{}**",
            "_{}_",
            "`{}`",
            "| a | {} |",
            "<{}>",
            "> {}",
            "[x]({})",
        ),
        *("<p>{}</p>", "{}&gt;", "- {}\n- more", '"{}", "b"', "见{}…", "{}; and so on; check=1"),
    ],
)
def test_a_receipt_survives_what_stands_around_it(text: str) -> None:
    shown = text.format(LINE)
    assert spans(shown) == [(text.index("{"), text.index("{") + len(LINE))]
    assert only(shown) == ONE


def test_a_receipt_survives_full_width_and_other_case() -> None:
    wide = "".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) < 0x7F else c for c in LINE)
    assert only(f"见{wide}。") == ONE
    assert only(LINE.replace(";", "；").replace("=", "＝").replace(":", "：").replace("%", "％")) == ONE
    assert only(re.sub("[0-9a-f]{16,64}", lambda found: found[0].upper(), LINE)) == ONE
    assert only("Y" + re.sub("([a-z0-9]+)=", lambda found: found[0].title(), LINE)[1:]) == ONE


@given(RECEIPTS)
def test_a_receipt_is_read_from_the_source_of_a_mail(made: Receipt) -> None:
    source = quopri.encodestring(f"见 {made.line()} 。\n".encode()).decode()
    assert only(source) == made


# ----------------------------------------------------------------------------------------------- damage


@given(st.integers(0, len(LINE) - 1), st.sampled_from(["replace", "delete", "insert"]), st.characters())
def test_any_change_of_one_character_is_noticed_or_changes_nothing(at: int, how: str, character: str) -> None:
    rest = LINE[at:] if how == "insert" else LINE[at + 1 :]
    changed = LINE[:at] + ("" if how == "delete" else character) + rest
    try:
        assert parse(changed) == ONE
    except UsageError as error:
        assert error.hint
    assert len(spans(changed)) <= 1


@given(st.data())
def test_a_receipt_that_is_cut_off_or_has_lost_a_piece_is_damaged(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(LINE) - 1))
    end = data.draw(st.integers(start + 1, len(LINE)))
    changed = LINE[:start] + LINE[end:]
    if not re.sub("=", "", LINE[start:end]):
        assert parse(changed) == ONE
    else:
        with pytest.raises(UsageError):
            parse(changed)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("end=498", "end=948", "is damaged: characters were changed"),
        ("source=采购+", "source=采", "the receipt for 采合同-v2_终稿(1).pdf is damaged: characters were changed"),
        ("page=3;", "", "is damaged: characters were changed"),
        (";start=412", "", "is damaged: start is missing"),
        ("start=412", "start=4l2", "is damaged at start=4l2"),
        ("passage", "pasage", "is damaged at pasage17"),
        (";check=", ";check=x", "is damaged at check=x"),
        (LINE[LINE.index(";check") :], "", "is damaged: check is missing"),
        ("yuanwen:1;", "yuanwen:2;", "is of version 2, which this Yuanwen does not know"),
        ("yuanwen:1;", "yuanwem:1;", "there is no receipt in yuanwem:1;"),
    ],
)
def test_a_damaged_receipt_is_named_with_what_is_wrong(old: str, new: str, what: str) -> None:
    with pytest.raises(UsageError, match=re.escape(what)) as error:
        parse(LINE.replace(old, new))
    assert error.value.hint
    assert "采" in str(error.value)


def test_a_receipt_that_was_made_up_with_a_right_check_has_to_make_sense() -> None:
    with pytest.raises(UsageError, match="damaged"):
        parse(replace(ONE, start=9, end=8).line())


def test_a_quotation_of_a_receipt_does_not_pass_for_another_file() -> None:
    other = LINE.replace(ONE.sha256, digest("other"))
    with pytest.raises(UsageError, match="characters were changed"):
        parse(other)


# ---------------------------------------------------------------------------------------------- in a text


def test_receipts_are_found_where_they_stand_in_a_text() -> None:
    cut = LINE[:150]
    text = f"一、{LINE}\n\n二、({wrapped(LINE, 60, chr(10))})；\n\n三、{cut}\n\n四、{LINE[:-3]}。"
    found = [text[start:end] for start, end in spans(text)]
    assert found == [LINE, wrapped(LINE, 60, "\n"), cut, LINE[:-3]]
    assert [parse(each) for each in found[:2]] == [ONE, ONE]
    for each in found[2:]:
        with pytest.raises(UsageError, match="damaged"):
            parse(each)


def test_a_damaged_receipt_takes_none_of_the_next_paragraph() -> None:
    text = f"{LINE[:200]}\n\n后面的话；source=甲，check=乙。"
    assert spans(text) == [(0, 200)]


@pytest.mark.parametrize(
    "text", ["", "yuanwen", "yuanwen: 1", "用 yuanwen:1;… 开头", "https://example.org/yuanwen:8080/"]
)
def test_what_only_mentions_receipts_is_none(text: str) -> None:
    assert spans(text) == []


HOSTILE = [
    *(
        "yuanwen:1;",
        "yuanwen:1;a",
        ";check=0",
        "y u a n ",
        "yuanwen:1;a;check=0 ",
        "yuanwen:1;source=",
        "y",
        "y ",
        "; ",
        "= ",
    ),
    *("yuanwen:1;a ;c h e c k", "1 ", "yuanwen:1 1 1 ", "\n\n", "\n ", "a\n \n;source "),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_looking_for_receipts_takes_time_in_step_with_the_text(piece: str) -> None:
    def seconds(length: int) -> float:
        text = "yuanwen:1;a" + piece * (length // len(piece))
        began = time.process_time()
        spans(text)
        return time.process_time() - began

    short = max(min(seconds(30_000) for _ in range(3)), 0.002)
    assert min(seconds(240_000) for _ in range(2)) < 24 * short
