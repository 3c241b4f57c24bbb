"""An answer is read as a person reads it: which words are quoted, which citation each has, what needs evidence."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.answer import Quote, Sentence, citations, parse, stripped
from yuanwen.answer.prose import Prose
from yuanwen.answer.quotation_marks import Quoted
from yuanwen.answer.sentence import states
from yuanwen.answer.simple import simple

ONE, TWO = "3fa92c1b77d0-4", "0123456789ab-17"
LABELS = {"P004", "手册 第3章", "合同"}
MARKS = ("「」", "『』", "“”", "„“", "«»", "‹›", "〝〞", "﹁﹂", "﹃﹄", '""', "＂＂", "‘’", "''", "””", "”“")


def read(answer: str, receipts: Sequence[tuple[int, int]] = ()) -> tuple[Sentence, ...]:
    return parse(answer, LABELS.__contains__, receipts)


def quotes(answer: str) -> list[Quote]:
    return [quote for sentence in read(answer) for quote in sentence.quotes]


def pairs(answer: str) -> list[tuple[str, list[str]]]:
    """Return the quotations of an answer, each with its citations, in short: `1` for ONE, `2` for TWO."""
    short = {ONE: "1", TWO: "2"}
    return [(quote.text, [short.get(cited.id, cited.id) for cited in quote.citations]) for quote in quotes(answer)]


def cited(answer: str) -> list[str]:
    """Return the ids that an answer cites for no quotation."""
    return [cited.id for sentence in read(answer) for cited in sentence.citations]


def stating(answer: str) -> list[str]:
    return [sentence.text for sentence in read(answer) if sentence.states]


# ---------------------------------------------------------------------------------------------- any text

pieces = "「」“”\"'‘’[]【】（）()>|#-*`_~。.!？：:，甲a1 \n\0\u200b\u202e\u2066"
longer = ("[1]", "\n\n", "\n> ", "\n- ", "—— ", "```\n", "|---|\n", "RR", '<b a="c">', "](x)", "[x]: http://a\n", "见")
tricky = st.lists(st.sampled_from([*pieces, *longer, f"[{ONE}]", "A quote of some words. "]), max_size=60).map("".join)


@given(st.one_of(tricky, st.text(max_size=200)))
def test_any_text_is_read_and_every_span_is_right(answer: str) -> None:
    receipts = [(at, at + 2) for at in range(len(answer)) if answer.startswith("RR", at) and answer[at - 1 : at] != "R"]
    sentences = read(answer, receipts)
    end = 0
    for sentence in sentences:
        assert end <= sentence.span[0] < sentence.span[1] <= len(answer)
        start, end = sentence.span
        assert sentence.text == answer[start:end]
        assert [quote.span for quote in sentence.quotes] == sorted(quote.span for quote in sentence.quotes)
        for quote in sentence.quotes:
            assert start <= quote.span[0] < quote.span[1] <= end
            assert quote.text == answer[slice(*quote.span)] or "\n" in quote.text or ">" in answer
            assert quote.text.strip()
            assert all(answer[slice(*one.span)] == one.id for one in [*quote.citations, *quote.within])
            assert quote.within or quote.bare == quote.text
        assert all(answer[slice(*one.span)] == one.id for one in sentence.citations)
        assert all(start <= one.span[0] < one.span[1] <= end for one in sentence.citations)
    found = [quote.receipt for sentence in sentences for quote in sentence.quotes if quote.receipt]
    found += [span for sentence in sentences for span in sentence.receipts]
    assert sorted(found) == receipts


# -------------------------------------------------------------------------------------- answers as made

han = st.text("天地玄黄宇宙洪荒日月盈昃辰宿列张", min_size=6, max_size=12)
english = st.lists(st.sampled_from(("the", "sky", "of", "that", "moon", "made", "cheese")), min_size=4, max_size=8).map(
    " ".join
)
ids = st.one_of(
    st.from_regex(r"[0-9a-f]{12}-[1-9][0-9]{0,2}", fullmatch=True), st.sampled_from([*sorted(LABELS), "P999", "12"])
)
brackets = st.sampled_from(["[{}]", "【{}】", "［{}］", "〔{}〕", "[`{}`]", "`[{}]`", "**[{}]**", "[[{}]]"])
places = st.sampled_from(
    [
        "{w}{c}{q}{s}",
        "{w}{q}{c}{s}",
        "{w}{q}（{c}）{s}",
        "{w}{q} (see {c}){s}",
        "{w}{s}{c}{q}",
        "{w}{s}{q}{c}",
        "{w}：{q}{c}{s}",
        "{w}（{c}{q}）{s}",
        "{w}{s}（{c}{q}）",
        "{w}，见 {c}：{q}{s}",
        "{w}{q} —— {c}{s}",
        "{w} {c} {q}, {w}{s}",
    ]
)


@st.composite
def claims(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """Return a sentence that quotes and cites, what it quotes, and what it cites."""
    is_han = draw(st.booleans())
    words, quote = draw(han if is_han else english), draw(han if is_han else english)
    marks = draw(st.sampled_from(MARKS))
    names = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
    together = draw(st.booleans()) and "手册 第3章" not in names
    bracket = draw(brackets)
    citation = bracket.format("，".join(names)) if together else "".join(bracket.format(name) for name in names)
    space = "" if is_han and marks not in ("''", "‘’") else " "
    sentence = draw(places).format(
        w=words if is_han else words.capitalize(),
        c=citation,
        q=f"{space}{marks[0]}{quote}{marks[1]}{space}",
        s="。" if is_han else ". ",
    )
    return sentence, quote, names


@given(st.lists(claims(), min_size=1, max_size=5), st.sampled_from(["", " ", "\n\n", "\n- ", "\n1. "]))
def test_each_quotation_of_an_answer_gets_its_own_citations(made: list[tuple[str, str, list[str]]], gap: str) -> None:
    answer = gap.lstrip() + gap.join(sentence for sentence, *_ in made)
    assert pairs(answer) == [(quote, names) for _, quote, names in made]
    assert cited(answer) == []


# ------------------------------------------------------------------------------- quotations and citations


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (f"结论一。[{ONE}]「引文一」结论二。[{TWO}]「引文二」", [("引文一", ["1"]), ("引文二", ["2"])]),
        (f"[{ONE}]「甲」「乙」", [("甲", ["1"]), ("乙", ["1"])]),
        (f"手册说「甲」和「乙」[{ONE}]。", [("甲", ["1"]), ("乙", ["1"])]),
        (f"「甲」[{ONE}]「乙」[{TWO}]。", [("甲", ["1"]), ("乙", ["2"])]),
        (f"「甲」[{ONE}][P004]，「乙」[{TWO}，P005]。", [("甲", ["1", "P004"]), ("乙", ["2", "P005"])]),
        (f"根据[{ONE}]，应当「甲」；根据[{TWO}]，应当「乙」。", [("甲", ["1"]), ("乙", ["2"])]),
        (f"须「甲」之后才能「乙」，并且「丙」有效 [{ONE}]。", [("甲", ["1"]), ("乙", ["1"]), ("丙", ["1"])]),
        (f'According to [{ONE}], the limit is "five".', [("five", ["1"])]),
        (f"甲说「甲」[{ONE}]，这与「乙」无关。", [("甲", ["1"]), ("乙", [])]),
        (f"| 天蓝 | 「甲」 | [{ONE}] |\n| 地圆 | [{TWO}] | “乙” |", [("甲", ["1"]), ("乙", ["2"])]),
        (f"- 结论。\n  - 依据：[{ONE}]「甲」", [("甲", ["1"])]),
        (f"```markdown\n结论。[{ONE}]「甲」\n```", [("甲", ["1"])]),
        (f"\u202e「甲」\u202c\u200b[{ONE}]\0。", [("甲", ["1"])]),
    ],
)
def test_a_citation_belongs_to_the_quotation_beside_it(answer: str, wanted: list[tuple[str, list[str]]]) -> None:
    assert pairs(answer) == wanted
    assert cited(answer) == []


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        (f"依据 [{ONE}]：\n\n> 第一行\n> 第二行", [("第一行\n第二行", ["1"])]),
        (f"结论。\n> 引文一\n> —— 手册，第 3 页 [{ONE}]", [("引文一", ["1"])]),
        (f"结论。\n> 引文一\n>\n> 引文二 [{ONE}]。", [("引文一", []), ("引文二", ["1"])]),
        (f"> 引文一 [{ONE}]\n> 引文二 [{TWO}]", [("引文一", ["1"]), ("引文二", ["2"])]),
        (f"> [{ONE}]\n> 引文一\n> [{TWO}]\n> 引文二", [("引文一", ["1"]), ("引文二", ["2"])]),
        (f"> 「引文一」（[{ONE}]）", [("引文一", ["1"])]),
        (f"> “引文一” —— 手册 [{ONE}]", [("引文一", ["1"])]),
        (f">> 他说「一」。\n\n[{ONE}]", [("他说「一」。", ["1"])]),
        (f"- 结论：\n  > 引文一\n\n- [{ONE}]「引文二」", [("引文一", []), ("引文二", ["1"])]),
        (f"> **引文**一 ([{ONE}])", [("**引文**一", ["1"])]),
    ],
)
def test_a_paragraph_of_a_block_quote_is_one_quotation(answer: str, wanted: list[tuple[str, list[str]]]) -> None:
    assert pairs(answer) == wanted
    assert len(read(answer)) <= 2


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ('管径为 5" 的管 12"，以及"甲"。', ["甲"]),
        ("the dogs' bowls and 'a quotation of four words' don't", ["a quotation of four words"]),
        ("他说‘短’，又说‘足够长的引文内容’。", ["足够长的引文内容"]),
        ("「甲『乙“丙”』」", ["甲『乙“丙”』"]),
        ("没有关上的「引号\n\n在这里」结束", []),
        ("| 没有「关上 | 的」引号 |", []),
        ("《书名》不是引文", []),
        ("„eins“ und »zwei« et «trois»", ["eins", "zwei", "trois"]),
        ('<a href="x">链接</a> [t](http://a.b "title") "甲"', ["甲"]),
        ('"one""two" ""three""', ["one", "two", "three"]),
        ("「」 “ ”", []),
    ],
)
def test_only_what_stands_between_marks_is_quoted(answer: str, wanted: list[str]) -> None:
    assert [quote.text for quote in quotes(answer)] == wanted


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("见 [3FA92C1B77D0-4] 与 [3fa92c1b77d0-x] [P999] [1]", ["3FA92C1B77D0-4", "3fa92c1b77d0-x", "P999", "1"]),
        ("见 [手册 第3章、P004] 与 [手册 第4章]", ["手册 第3章", "P004"]),
        (f"见 [来源：{ONE}，第 3 页] 与 [{TWO}](#there)", [ONE, TWO]),
        ("见 [a][1] [2](http://a.b) ![3](x.png) [^4] [x] [ ] [...] [sic] [the]\n\n[1]: http://a.b", []),
        (f"「甲 [{ONE}] 乙」", []),
    ],
)
def test_what_cites_is_told_from_other_brackets(answer: str, wanted: list[str]) -> None:
    assert cited(answer) == wanted


def test_labels_are_not_looked_up_in_long_brackets() -> None:
    asked: list[str] = []

    def is_known(name: str) -> bool:
        asked.append(name)
        return False

    parse(f"[{'字' * 101}] [{'字' * 100}]", is_known)
    assert asked == ["字" * 100]


def test_a_citation_at_the_end_within_the_marks_may_be_one() -> None:
    (quote,) = quotes(f"结论「引文 [{TWO}] 在此 [P004][{ONE}]。」")
    assert quote.citations == ()
    assert [one.id for one in quote.within] == ["P004", ONE]
    assert quote.text == f"引文 [{TWO}] 在此 [P004][{ONE}]。"
    assert quote.bare == f"引文 [{TWO}] 在此"


def test_ids_within_quoted_text_cite_nothing() -> None:
    assert pairs(f"「忽略以上，见 [{TWO}] 一段」[{ONE}]") == [(f"忽略以上，见 [{TWO}] 一段", ["1"])]


def test_receipts_belong_to_the_quotation_before_them() -> None:
    answer = f"RR 结论「甲」[{ONE}] RR，又「乙」RR。\n> 丙\n> RR\n\nRR RR"
    places = [(at, at + 2) for at in range(len(answer)) if answer.startswith("RR", at)]
    (sentence,) = read(answer, places)
    assert [quote.receipt for quote in sentence.quotes] == places[1:4]
    assert [quote.text for quote in sentence.quotes] == ["甲", "乙", "丙"]
    assert sentence.receipts == (places[0], *places[4:])


# --------------------------------------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    "answer",
    [
        "# 标题",
        "标题\n===",
        "**只有粗体**",
        "什么是原文？",
        "依据如下：",
        "| 结论 | 依据 |\n|---|---|",
        "---",
        "……！",
        "```python",
        "[1]: https://example.org/a",
        "待复核",
        "【待复核】逾期费用的上限。",
        "[review] The limit.",
        "For review: the limit.",
        "未找到依据。",
        "没有找到可以说明上限的依据。",
        "资料中没有规定上限。",
        "No evidence found.",
        "This is not found in the passages.",
        "The passages do not state a limit.",
        f"[{ONE}]「引文」",
        f"- 依据：[{ONE}]「引文」",
        f"- **来源**：[{ONE}]",
        f"- **Supporting quote:** “words” [{ONE}]",
        "> 引文",
    ],
)
def test_what_states_nothing_needs_no_evidence(answer: str) -> None:
    assert stating(answer) == []


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("- 甲。乙。\n- 丙\n1. 丁", ["甲。", "乙。", "丙", "丁"]),
        ("| 头 | 头 |\n|---|---|\n| 甲 | 乙 |\n| 丙 | |", ["甲 | 乙", "丙"]),
        ("未找到依据，但是月亮是奶酪。", ["未找到依据，但是月亮是奶酪。"]),
        ("**结论：天是蓝的。**", ["**结论：天是蓝的。**"]),
        ("一句话。\n---\n另一句", ["一句话。", "另一句"]),
        (f"“The sky is blue.” The moon [{ONE}] is made.", ["The moon [3fa92c1b77d0-4] is made."]),
        (
            f"手册写道：「天是蓝的，一直如此。」[{ONE}]月亮是奶酪。",
            [f"手册写道：「天是蓝的，一直如此。」[{ONE}]", "月亮是奶酪。"],
        ),
        (f'He was wrong. "It is" [{ONE}] is what it says.', ["He was wrong.", f'"It is" [{ONE}] is what it says.']),
        (f"[{ONE}]「甲」所以一。[{TWO}]「乙」所以二。", [f"[{ONE}]「甲」所以一。", f"[{TWO}]「乙」所以二。"]),
        (f"结论。\n\n[{ONE}]「引文」", [f"结论。\n\n[{ONE}]「引文」"]),
        ("<b>天是蓝的</b>", ["<b>天是蓝的</b>"]),
        (f"<p>结论。[{ONE}]「引文」</p>", [f"<p>结论。[{ONE}]「引文」</p>"]),
        (f"- **结论**：甲。\n- **依据**：“引文” [{ONE}]", [f"**结论**：甲。\n- **依据**：“引文” [{ONE}]"]),
    ],
)
def test_what_states_something_is_told_sentence_by_sentence(answer: str, wanted: list[str]) -> None:
    assert stating(answer) == wanted


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        (f"「引文」[{ONE}]。", "所有请求都要放行。"),
        (f"[{ONE}]「引文」！", "所有请求都要放行。"),
        (f"「引文」。[{ONE}]", "所有请求都要放行。"),
        (f"依据：「引文」（[{ONE}]）。", "所有请求都要放行。"),
        (f"（「引文」[{ONE}]。）", "所有请求都要放行。"),
        (f"[{ONE}]。", "所有请求都要放行。"),
        (f'**"words"** [{ONE}]. ', "All requests pass."),
        (f'"words" (see [{ONE}], p. 3). ', "All requests pass."),
    ],
)
def test_a_full_stop_ends_the_evidence_before_it(evidence: str, claim: str) -> None:
    *_, last = read(evidence + claim)
    assert (last.text, last.states, last.quotes, last.citations) == (claim, True, (), ())
    assert stating(evidence + claim) == [claim]


@pytest.mark.parametrize("gap", ["", " ", "\n", "，", "：", " → ", " (p. 3) "])
def test_evidence_without_a_full_stop_belongs_to_the_words_after_it(gap: str) -> None:
    (sentence,) = read(f"「引文。」[{ONE}]{gap}结论")
    assert sentence.states and sentence.quotes


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("天是蓝的 [   ]。", "天是蓝的"),
        ("**It is 5%** ( [ ], [ ])", "It is 5%"),
        ("- 甲 【 】乙；", "甲乙"),
        ("[ ]", ""),
    ],
)
def test_the_words_of_a_sentence_are_left_without_its_brackets(words: str, wanted: str) -> None:
    assert stripped(words) == wanted


hostile = (
    "[",
    '"',
    "「",
    "[1]",
    "「甲」[1]",
    "- [1]「a」\n",
    "> a [1]\n",
    "（[1]",
    "**",
    "<a ",
    "'a b c d' ",
    "[a,",
    "|",
    "\0",
)


@pytest.mark.parametrize("piece", hostile)
def test_the_time_grows_with_the_answer(piece: str) -> None:
    """A quadratic reader takes minutes for this."""
    assert len(read(piece * 30_000)) <= 30_000


# -------------------------------------------------------------------------------------- the simple sentence

words = st.lists(
    st.sampled_from(
        ["条例规定", "见", "依据", "原文", "没有找到", "但", " ", "，", "a b", "from", "：", "?", "。", ":", "1"]
    )
)
closed = st.lists(
    st.sampled_from(["条款", "。", "，", "：", "?", "）", "]", "[1]", " ", "（a）", "<", "“", "-", ONE, "US."]),
    min_size=1,
)
tails = st.sampled_from(
    ["", "。", ".", f"[{ONE}]", f"[{ONE}]。", f" [{TWO}].", f"[{ONE}][{TWO}]", "[P004]", "？", f"({ONE})"]
)


@given(words.map("".join), st.sampled_from(["「」", "“”", "「”"]), closed.map("".join), tails)
def test_a_simple_sentence_says_what_the_whole_reader_finds(own: str, marks: str, quote: str, tail: str) -> None:
    text = own + marks[0] + quote + marks[1] + tail
    found = simple(text)
    if found is None:
        return
    prose = Prose(text, lambda text: citations.brackets(text, LABELS.__contains__))
    quoted, *cited = prose.found
    assert quoted == found.quoted
    assert [one.ids for one in cited if not isinstance(one, Quoted)] == ([(found.cited,)] if found.cited else [])
    assert prose.sentences() == [(0, len(text))]
    assert states(prose.bare, text)
    assert not [*citations.brackets(quote, LABELS.__contains__)] or quote.rstrip(" 。.，,")[-1] not in ")]"


def test_most_answers_are_of_simple_sentences() -> None:
    assert simple(f"条例规定：「口岸是指……的地方。」[{ONE}]。") == ((6 - 1, 6, 16, 17), (ONE, (18, 18 + len(ONE))))
    assert simple("The law says “nobody but the owner may enter”.") is not None
    assert simple(f"没有找到依据「口岸的地方」[{ONE}]") is None
