"""A quotation against its original: which are the same words, and what the others change."""

import gzip
import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import pytest
from conftest import CORPUS
from matched import check

from yuanwen.comparison import Match, Original, Quotation, keys, nearest, pieces, standing
from yuanwen.comparison.sameness import key
from yuanwen.verification import Change


def found(quoted: str, text: str, touching: tuple[int, int] | None = None) -> Match | None:
    return nearest(Quotation(quoted), Original(text), touching)


def changes(quoted: str, text: str) -> list[tuple[str, str, str]]:
    match = found(quoted, text)
    assert match and match.status == "altered", match
    check(match, quoted, text)
    return [(change.kind, change.original, change.quoted) for change in match.changes]


# ----------------------------------------------------------------------------------- the shared sets


@dataclass(frozen=True)
class Set:
    """A set of quotations, half of them tampered with."""

    name: str

    def lines(self, kind: str) -> list[dict[str, str]]:
        if not CORPUS.exists():
            pytest.skip("the shared corpora are not here")
        with gzip.open(CORPUS / self.name / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    @cached_property
    def passages(self) -> dict[str, Original]:
        return {line["id"]: Original(line["text"]) for line in self.lines("corpus")}

    @cached_property
    def whole(self) -> Original:
        return Original("\n".join(original.text for original in self.passages.values()))

    @cached_property
    def right(self) -> dict[str, list[str]]:
        rows = [row.split("\t") for row in (CORPUS / self.name / "qrels.tsv").read_text().splitlines()[1:]]
        return {query: [row[1] for row in group] for query, group in groupby(sorted(rows), key=lambda row: row[0])}


SETS = {name: Set(name) for name in ("quotes_zh_a", "quotes_zht_a", "quotes_en_a")}


@pytest.mark.parametrize("quotes", SETS.values(), ids=SETS)
def test_each_supported_quotation_of_the_sets_is_accepted_as_what_it_is_where_it_stands(quotes: Set) -> None:
    for query in quotes.lines("queries"):
        for passage in quotes.right.get(query["id"], []):
            original = quotes.passages[passage]
            match = standing(Quotation(query["text"]), original)
            assert match and match.status == query["kind"], query
            check(match, query["text"], original.text)
            bare = [key(text).strip('".,') for text in (original.text[match.start : match.end], query["text"])]
            assert bare[0] == bare[1]


@pytest.mark.parametrize("quotes", SETS.values(), ids=SETS)
def test_no_tampered_quotation_of_the_sets_is_accepted_and_nearly_all_are_shown_beside_the_original(
    quotes: Set,
) -> None:
    tampered = [query for query in quotes.lines("queries") if query["id"] not in quotes.right]
    first: Counter[tuple[str, str]] = Counter()
    missed = 0
    for query in tampered:
        assert standing(Quotation(query["text"]), quotes.whole) is None, query
        if near := query.get("near"):
            match = nearest(Quotation(query["text"]), quotes.passages[near])
            missed += not match
            if match:
                assert match.status == "altered"
                check(match, query["text"], quotes.passages[near].text)
                first[query["kind"], match.changes[0].kind] += 1
    assert missed <= len(tampered) / 100
    kinds = Counter(query["kind"] for query in tampered)
    assert first["negated", "negation"] == kinds["negated"]
    assert first["number_changed", "number"] + first["number_changed", "date"] == kinds["number_changed"]


@pytest.mark.parametrize("quotes", SETS.values(), ids=SETS)
def test_an_indexed_original_gives_what_one_that_is_searched_gives(quotes: Set) -> None:
    quotations = [Quotation(query["text"]) for query in quotes.lines("queries")][::7]
    indexed = Original(quotes.whole.text)
    indexed.expect(keys(quotations))
    for quotation in quotations:
        assert standing(quotation, indexed) == standing(quotation, quotes.whole)
        near = nearest(quotation, indexed)
        assert near is None or near.changes or near == standing(quotation, quotes.whole)


def test_a_text_about_something_else_is_no_quotation() -> None:
    quotes = SETS["quotes_zh_a"]
    originals = list(quotes.passages.values())
    absent = [query for query in quotes.lines("queries") if query["kind"] == "absent"]
    assert [nearest(Quotation(q["text"]), originals[n]) for n, q in enumerate(absent)] == [None] * len(absent)


# ------------------------------------------------------------------------------------------- sameness

SAME = [
    ("width", "ＡＢＣ１２３号文件已经下发", "ABC123号文件已经下发"),
    ("width", "增长5％左右的水平", "增长5%左右的水平"),
    ("form", "⼀个⼈的⽣活", "一个人的生活"),
    ("form", "ﬁnd the ofﬁce in café", "find the office in cafe\u0301"),
    ("form", "第Ⅳ章的主要内容", "第IV章的主要内容"),
    ("form", "不可\u200b分\u00ad割的整体", "不可分割的整体"),
    ("case", "The Quick brown FOX jumps", "the quick brown fox jumps"),
    ("script", "證據不足的情況", "证据不足的情况"),
    ("punctuation", "他说“好的”，然后走了", "他說「好的」,然後走了"),
    ("punctuation", "1990-2000年——十年间", "1990–2000年—十年间"),
    ("punctuation", "等等……还有别的", "等等...还有别的"),
    ("punctuation", "他已经走了很远", "“他已经走了很远。”"),
    ("white space", "2765人参加了会议", "27 65人\n参加了会议"),
    ("white space", "one  two\nthree four", "one two three four"),
    ("hyphen", "there is evi-\ndence of it", "there is evidence of it"),
    ("markup", "他的证据不足为信", "他的**证据**不足`为信`"),
    ("markup", 'a "b" & c is what he said', "a &quot;b&quot; &amp; _c_ is<br> what he said"),
]


@pytest.mark.parametrize(("folding", "text", "quoted"), SAME)
def test_what_only_looks_different_is_normalised_and_says_how(folding: str, text: str, quoted: str) -> None:
    match = found(quoted, f"前文。{text}，后文")
    assert match and match.status == "normalised"
    assert folding in match.folding and set(match.folding) <= {folding, "script", "white space"}
    check(match, quoted, f"前文。{text}，后文")


ALTERED = [
    ("number", "共有1942人参加会议", "共有1973人参加会议", "1942", "1973"),
    ("number", "圆周率是3.14左右的数", "圆周率是3,14左右的数", "3.14", "3,14"),
    ("number", "面积为10²平方米的房子", "面积为102平方米的房子", "10²", "102"),
    ("number", "第三十五条的规定适用", "第三十八条的规定适用", "三十五", "三十八"),
    ("number", "table cells 12\t500 and more of it", "table cells 12500 and more of it", "12\t500", "12500"),
    ("number", "as listed in item 3. 5 people died there", "as listed in item 3.5 people died there", "3. 5", "3.5"),
    ("number", "四十八小时内到达现场", "二十四小时内到达现场", "四十八", "二十四"),
    ("number", "违约金为总价的12.5%", "违约金为总价的13", "12.5%", "13"),
    ("number", "合同自签字之日起满一年", "合同自签字之日起满三", "一", "三"),
    ("words", "查询一个一定不存在的数据", "查询一个不存在的数据", "一定", ""),
    ("number", "应当在三日内付款给乙方", "应当在三日内一次付款给乙方", "", "一次"),
    ("words", "于是请求都会打到数据库上", "于是请求都会打到磁盘上", "数据库", "磁盘"),
    ("date", "会议于2019年5月3日召开", "会议于2019年6月3日召开", "5", "6"),
    ("date", "born on 3 May 1950 in the old town", "born on 3 May 1960 in the old town", "1950", "1960"),
    ("negation", "这项规定不适用于外国人", "这项规定适用于外国人", "不", ""),
    ("negation", "节假日除外的每一天", "节假日在内的每一天", "除外", "在内"),
    ("negation", "he did find the keys today", "he did not find the keys today", "", "not"),
    ("negation", "they can go there today", "they can't go there today", "can", "can't"),
    ("negation", "all of them except John went home", "all of them including John went home", "except", "including"),
    ("negation", "this is a lawful act of state", "this is an unlawful act of state", "a lawful", "an unlawful"),
    ("negation", "it was a notable day for us", "it was a not able day for us", "notable", "not able"),
    ("negation", "he led us nowhere on that day", "he led us no where on that day", "nowhere", "no where"),
    ("name", "主席张三在会上发言", "主席李四在会上发言", "张三", "李四"),
    ("name", "supported Britain's expansion in the east", "supported Germany's expansion in the east",
     "Britain's", "Germany's"),
    ("words", "they saw the rapist near the house", "they saw therapist near the house", "the rapist", "therapist"),
    ("words", "un café in the old town", "un cafe in the old town", "café", "cafe"),
    ("punctuation", "支付一共12,500元的款项", "支付一共12500元的款项", "12,500", "12500"),
    ("punctuation", "他来了，我们走了很远", "他来了！我们走了很远", "，", "！"),
    ("punctuation", "他明天会来参加会议", "他明天会来参加会议？", "", "？"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "quoted", "was", "now"), ALTERED)
def test_a_change_is_named_by_its_kind_and_its_words(kind: str, text: str, quoted: str, was: str, now: str) -> None:
    assert changes(quoted, f"前文。{text}。后文") == [(kind, was, now)]


def test_the_gravest_change_comes_first() -> None:
    text = "王小明在1942年认为这项规定不适用于在座的人。"
    assert [kind for kind, *_ in changes("李小红在1943年认为这项规定适用于在场的人。", text)] == [
        "negation", "date", "name", "words",
    ]  # fmt: skip


def test_a_mark_that_the_original_has_too_is_verbatim() -> None:
    assert found("是**重要**的", "这是**重要**的。") == Match("verbatim", 1, 9)


def test_what_is_dropped_or_put_at_an_edge_is_named() -> None:
    text = "他认为。全体会员一致同意这个办法，没有异议。"
    assert changes("非全体会员一致同意这个办法", text) == [("negation", "", "非")]
    assert changes("2911年的计划", "始于3011年的计划") == [("date", "3011", "2911")]
    assert changes("同意这个办法吗", text) == [("words", "", "吗")]


# ------------------------------------------------------------------------------------------- ellipses

LAW = "第一条 未成年人不得进入营业性场所。第二条 法律另有规定的，从其规定，但本法施行前的行为除外。"


@pytest.mark.parametrize("dots", ["……", "…", "...", "[...]", "[……]", "（略）", "(...)", " . . . "])
def test_parts_between_ellipses_stand_in_order(dots: str) -> None:
    quoted = f"未成年人不得进入{dots}法律另有规定的"
    match = found(quoted, LAW)
    assert match and (match.status, match.folding) == ("verbatim", ())
    assert LAW[match.start : match.end].startswith("未成年人") and LAW[match.start : match.end].endswith("规定的")
    assert standing(Quotation(f"法律另有规定的{dots}未成年人不得进入"), Original(LAW)) is None
    assert Quotation(quoted).parts == ("未成年人不得进入", "法律另有规定的")


def test_parts_stand_within_two_thousand_characters() -> None:
    text = "甲乙丙丁戊己" + "字" * 1988 + "庚辛壬癸子丑"
    assert standing(Quotation("甲乙丙丁戊己……庚辛壬癸子丑"), Original(text))
    assert not standing(Quotation("甲乙丙丁戊己……庚辛壬癸子丑"), Original(text.replace("字", "字字", 1)))


def test_an_ellipsis_does_not_swallow_a_negation() -> None:
    assert changes("未成年人……进入营业性场所", LAW) == [("negation", "不得", "……")]
    text = "The rule does not apply to children of the staff."
    assert changes("The rule does ... apply to children", text) == [("negation", "not", " ... ")]


def test_an_ellipsis_that_the_original_has_is_verbatim() -> None:
    assert found("等等……还有别的", "如此等等……还有别的") == Match("verbatim", 2, 10)


def test_an_ellipsis_in_place_of_nothing_is_no_verbatim_quotation() -> None:
    match = found("未成年人……不得进入", LAW)
    assert match and (match.status, match.folding) == ("normalised", ("punctuation",))
    match = found("……未成年人不得进入", LAW)
    assert match and (match.status, match.folding) == ("normalised", ("punctuation",))


def test_a_changed_part_is_named_where_it_stands() -> None:
    quoted = "未成年人不得进入……法律没有规定的"
    assert changes(quoted, LAW) == [("negation", "另", "没")]


# --------------------------------------------------------------------------------- short, and touching


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("证据不足。", True), ("证据不足不予", False), ("three words only", True), ("these are four words", False),
        ("证据 two words", True), ("“证据”", True), ("", True), ("，。！", True), ("未成年人不得……从其规定", False),
        ("未成年人不得进入……从其", True), ("……未成年人不得", False),
    ],
)  # fmt: skip
def test_a_quotation_of_few_words_is_short(text: str, short: bool) -> None:
    assert Quotation(text).is_short == short


def test_what_is_found_touches_the_place_that_is_given() -> None:
    text = "证据不足，不予起诉。" * 3
    for quoted in ("证据不足", "證據不足", "证据很不足，不予起诉"):
        match = found(quoted, text, (20, 30))
        assert match and match.start < 30 and match.end > 20
    assert standing(Quotation("证据不足"), Original(text), (14, 20)) is None
    far = "证据不足" + "字" * 5000 + "證據不足"
    match = found("證據不足", far, (0, 3))
    assert match and match.status == "normalised" and match.start == 0


# ---------------------------------------------------------------------------------------------- pieces


def test_pieces_show_what_was_left_out_and_what_was_put() -> None:
    assert pieces("共1942人不能来", "共1973人能来") == [
        ("=", "共"), ("-", "1942"), ("+", "1973"), ("=", "人"), ("-", "不"), ("=", "能来"),
    ]  # fmt: skip


def test_a_change_says_where_it_stands_in_the_quotation_as_written() -> None:
    text = "王氏子孙及王处直部下都被王都杀戮殆尽。"
    match = found("**王氏**子孙及王处直部下不都被王都杀戮殆尽", text)
    assert match and match.changes == (
        Change(kind="negation", original="", quoted="不", in_quote=(14, 15), in_text=(10, 10)),
    )


def test_a_very_long_quotation_is_found_or_not_but_not_compared() -> None:
    text = "".join(f"第{number}条规定如下。" for number in range(2000))
    assert found(text[100:-100], text) == Match("verbatim", 100, len(text) - 100)
    assert found(f"{text[100:6000]}不{text[6000:-100]}", text) is None


def test_what_stands_everywhere_is_found_where_it_stands_first() -> None:
    indexed = Original("前言。" + "应当遵守国家标准。" * 20_000)
    quotations = [Quotation(f"应当遵守{whose}标准") for whose in ("国家", "国際的な")]
    indexed.expect(keys(quotations))
    assert standing(quotations[0], indexed) == Match("verbatim", 3, 11)
    assert nearest(quotations[1], indexed) is not None


def test_an_original_that_is_asked_for_other_quotations_finds_those() -> None:
    text = "前言。" + "".join(f"第{number}条规定**如下**，从略。" for number in range(2000))
    asked = Original(text)
    for words in ("第1234条规定如下，从略", "第777条规定如下，从略"):
        asked.expect(keys([Quotation(words)]))
        match = standing(Quotation(words), asked)
        assert match and match.folding == ("markup",)
        assert match == standing(Quotation(words), Original(text))


@pytest.mark.parametrize(
    "quote", ["第77条规定甲下", "第77条不规定如下", "第78条规定如下，从", "第条规定如下", "某某第77条规定"]
)
def test_a_change_is_the_same_whatever_stands_around_it(quote: str) -> None:
    text = "总则。" + "".join(f"第{number}条规定如下，从略。" for number in range(70, 80))
    quoted = f"从略。{quote}，从略。第"
    match = nearest(Quotation(quoted), Original(text))
    assert match
    for change in match.changes:
        assert text[match.start : match.end][slice(*change.in_text)] == change.original
        assert quoted[slice(*change.in_quote)] == change.quoted
