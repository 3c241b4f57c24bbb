"""A page becomes its main text, what stands beside it, and what is hidden, each visible character once."""

import time
from collections import Counter

import pytest
from corpus_files import file
from extracted import tiled
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from yuanwen.documents import Extracted, Mark, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, html
from yuanwen.passages import split


def one(text: str | bytes) -> Extracted:
    data = text if isinstance(text, bytes) else text.encode()
    (document,) = extract(Raw(name="a.html", data=data, media_type="text/html"))
    assert isinstance(document, Extracted)
    check(document)
    return document


def check(document: Extracted) -> None:
    """What points into the text is in order and inside it, and passages tile it."""
    tiled(document)
    for starts in (
        [heading.start for heading in document.headings],
        [start for start, _ in document.places],
        [mark.start for mark in document.marks],
        document.paragraphs,
    ):
        assert list(starts) == sorted(starts)
        assert all(0 <= start < len(document.text) for start in starts)
    assert all(mark.start < mark.end <= len(document.text) for mark in document.marks)


def outline(document: Extracted) -> list[tuple[int, str]]:
    """Return the levels and texts of the headings, each of which must stand where it says."""
    for heading in document.headings:
        assert document.text[heading.start :].startswith(heading.text.split(" ")[0])
    return [(heading.level, heading.text) for heading in document.headings]


def parts(body: str, head: str = "") -> dict[str, str]:
    """Return the text of each part of a page."""
    document = one(f"<html><head>{head}</head><body>{body}</body></html>")
    starts = [start for start, _ in document.places]
    if not starts:
        return {"": document.text}
    assert starts[0] == 0
    ends = [*starts[1:], len(document.text)]
    units = [place.unit for _, place in document.places]
    return {unit: document.text[start:end].rstrip("\n") for unit, start, end in zip(units, starts, ends, strict=True)}


# -------------------------------------------------------------------------------- encodings and layout


def test_two_characters_in_gbk_are_not_taken_for_utf8() -> None:
    assert one('<meta charset="gbk"><p>学习'.encode("gbk")).text == "学习"


def test_a_page_gives_what_its_reader_sees() -> None:
    document = one(file("own/page_gb2312_label_gb18030_bytes.html"))
    assert (document.encoding, document.replaced, document.title) == ("gb18030", 0, "通知")
    assert document.text == (
        "关于预算的通知\n\n总理朱镕基，㐀，价格€5\xa0元—见附件\n\n项目\t金额\n甲\t１２３\n\n未闭合段落\n换行汉\n\n隐藏文字"
    )
    assert outline(document) == [(1, "关于预算的通知"), (1, "")]


def test_a_meta_charset_that_lies_loses() -> None:
    document = one(file("own/page_meta_lies_utf8.html"))
    assert document.encoding == "gb18030"
    assert document.text.startswith("关于预算的通知\n\n总理朱镕基")


def text_of(body: str, head: str = "") -> str:
    return one(f"<html><head>{head}</head><body>{body}</body></html>").text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("a  <b>b</b>\n c", "a b c"),
        ("<p>a<p>b", "a\n\nb"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("<div><div>a</div></div>", "a"),
        ("a<br>b<br><br>c<br>", "a\nb\n\nc"),
        ("<ul><li>a<li>b</ul>c", "a\nb\n\nc"),
        ("<pre>\n a\n  b</pre>c", " a\n  b\n\nc"),
        ("<textarea> x </textarea>", " x "),
        ("a<script>no</script>b<style>no</style><template>no</template><iframe>no</iframe>c", "abc"),
        ("a<p aria-hidden=true>b</p>", "a\n\nb"),
        ("<p hidden=until-found>a</p><p style='x-display:none'>b</p>", "a\n\nb"),
        ("&lt;b&gt; &amp;nbsp; 你&#22909;&hellip;", "<b> &nbsp; 你好…"),
        ("<ruby>汉<rp>(</rp><rt>hàn</rt><rp>)</rp>字<rt>zì</rt></ruby>", "汉字"),
        ("<table><tr><th>a</th><th>b</th></tr><tr><td></td><td>c</td></tr></table>d", "a\tb\n\tc\n\nd"),
        ("<table><tr><td><p>a</p></td> <td> <div>b</div> </td></tr><tr><td>c<td></table>", "a\tb\nc"),
        ("<table><tr><td><p>a</p><p>b</p></table>", "a\n\nb"),
        ("<!-- no -->a<!-- no -->b", "ab"),
        ("a\u3000\u00a0 b", "a\u3000\u00a0 b"),
    ],
)
def test_white_space_is_as_a_browser_shows_it(body: str, text: str) -> None:
    assert text_of(body) == text


def test_headings_stand_where_they_say() -> None:
    document = one("<body><p>x<h1> A <i>b</i>\n c</h1><h2></h2>y<section><h3>D<br>d</h3>z")
    assert outline(document) == [(1, "A b c"), (3, "D d")]
    assert [document.text[heading.start] for heading in document.headings] == ["A", "D"]
    assert document.title == "A b c"


def test_the_head_gives_title_date_author_and_keywords() -> None:
    head = (
        "<title> 年度\n预算 </title><meta name=Author content=张三>"
        "<meta name=keywords content='财务，年度; a'>"
        "<meta property=article:published_time content=2026-11-30T09:00:00+08:00>"
    )
    document = one(f"<html><head>{head}</head><body>x</body></html>")
    assert (document.title, document.author, document.tags) == ("年度 预算", "张三", ("财务", "年度", "a"))
    assert document.dated == "2026-11-30T09:00:00+08:00"


def test_deep_and_hostile_pages_end_in_seconds() -> None:
    started = time.process_time()
    assert one(file("own/html_deep_div.html")).text == "deep"
    with pytest.raises(Unreadable, match="there is no text in it"):
        one(file("own/html_quadratic_a.html"))
    with pytest.raises(Unreadable, match="nested too deeply"):
        one("<div>" * 500_000 + "x")
    with pytest.raises(Unreadable, match="too many attributes"):
        one("<a " + " ".join(f"x{n}" for n in range(300_000)) + ">x</a>")
    assert time.process_time() - started < 20


def test_a_long_page_takes_time_in_proportion() -> None:
    one("<p>一段<b>文字</b></p>" * 20_000 + "<br>" * 20_000)


@given(
    data=st.binary(max_size=400) | st.text(st.sampled_from("<>/ apdivtrh1='\"!-&;文\n"), max_size=400).map(str.encode)
)
@settings(deadline=None)
def test_no_bytes_crash_the_html_reader(data: bytes) -> None:
    (document,) = html.extract(Raw(name="x", data=data, media_type="text/html"))
    document.text.encode()
    assert [heading.start for heading in document.headings] == sorted(heading.start for heading in document.headings)


# ------------------------------------------------------------------------------------- parts of a page


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("<p>a</p>", {"": "a"}),
        ("<nav>n</nav><p>a</p><footer>f</footer>", {"main": "a", "beside": "n\n\nf"}),
        ("<p>a<nav>n</nav>b", {"main": "a\n\nb", "beside": "n"}),
        ("<div>n</div><main><p>a</main>f", {"main": "a", "beside": "n\n\nf"}),
        ("<div>n</div><div role=main>a</div>", {"main": "a", "beside": "n"}),
        ("<div>a</div><main> </main>", {"": "a"}),
        ("<header>h</header>a<aside>b</aside>", {"main": "a", "beside": "h\n\nb"}),
        ("<header><h1>h</h1></header>a", {"": "h\n\na"}),
        ("<article><header>h</header>a<footer>f</footer></article>", {"": "h\n\na\n\nf"}),
        ("<div role=banner>h</div><div role=DIALOG>c</div>a", {"main": "a", "beside": "h\n\nc"}),
        ("<nav>n<p hidden>x</p></nav>a", {"main": "a", "beside": "n", "hidden": "x"}),
        ("<nav>n</nav>", {"beside": "n"}),
        ("<dialog>x</dialog><dialog open>y</dialog>a", {"main": "a", "beside": "y", "hidden": "x"}),
        ("<details><summary>s</summary>d</details>", {"": "s\nd"}),
    ],
)
def test_what_stands_beside_the_main_text_comes_after_it(body: str, found: dict[str, str]) -> None:
    assert parts(body) == found


def link(text: str) -> str:
    return f"<a href=x>{text}</a>"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"<div>{link('首页')} | {link('新闻')} | {link('关于')}</div>", ["main", "beside"]),
        ("".join(f"<div>{link(name)}</div>" for name in ("一", "二", "三")), ["main", "beside"]),
        (f"<div>{link('首页')} &gt; {link('新闻')} &gt; 正文</div>", []),
        (f"<p>见{link('一')}、{link('二')}和{link('三')}的规定。</p>", []),
        (f"<article>{link('一')}{link('二')}{link('三')}</article>", []),
        ("".join(f"<h3>{link(name)}</h3>" for name in ("一", "二", "三")), []),
        ("".join(f"<p>{link('很长的一个标题' * 9)}</p>" for _ in range(9)), []),
    ],
)
def test_a_list_of_links_stands_beside_unless_it_is_most_of_the_page(body: str, found: list[str]) -> None:
    document = one("<body>" + body + "<p>关于开展二〇二四年度预算执行情况检查的通知</p>")
    assert [place.unit for _, place in document.places] == found


@pytest.mark.parametrize(
    "attributes",
    [
        "hidden", "style='color:red; Display : none'", "style=visibility:hidden", "style='font-size:0px'",
        "style='opacity:0.0;'", "style='font-size: 0'",
    ],
)  # fmt: skip
def test_what_is_hidden_comes_last_and_is_marked(attributes: str) -> None:
    document = one(f"<body>一<span {attributes}>二</span>三<p>四")
    assert document.text == "一三\n\n四\n\n二"
    assert [(start, place.unit) for start, place in document.places] == [(0, "main"), (7, "hidden")]
    assert document.marks == (Mark(start=7, end=8, kind="invisible"),)


@pytest.mark.parametrize(
    "style", ["opacity:0.5", "font-size:0.8em", "x-display:none", "opacity: .05", "font-size:01px"]
)
def test_a_style_that_hides_nothing_is_no_matter(style: str) -> None:
    assert parts(f"<p style='{style}'>a") == {"": "a"}


def test_what_stands_in_for_scripts_and_media_is_hidden_text() -> None:
    body = "a<noscript>s</noscript><video>v</video><svg><title>t</title><text>x</text></svg>"
    assert parts(body) == {"main": "a\nx", "hidden": "s\n\nv\n\nt"}


def test_a_heading_does_not_head_another_part() -> None:
    document = one("<body><h1>H</h1>a<nav>n</nav><footer><h2>F</h2>f</footer>")
    assert [passage.heading for passage in split(document)] == [("H",), ("F",)]
    assert outline(document) == [(1, "H"), (1, ""), (2, "F")]


# ------------------------------------------------------------------------------------- tables and ruby


def test_every_row_of_a_table_may_start_a_passage() -> None:
    document = one("<body><table><caption>表</caption><tr><th>a<th>b<tr><td>c<br>d<td><p>e</p><p>f</p></table>g")
    assert document.text == "表\na\tb\nc\nd\te\n\nf\n\ng"
    assert [document.text[start] for start in document.paragraphs] == ["表", "a", "c", "f", "g"]


def test_nested_tables_stay_readable() -> None:
    inner = "<table><tr><td>n1<td>n2<tr><td>n3<td>n4</table>"
    assert text_of(f"<table><tr><td>a<td>{inner}<td>b<tr><td>c</table>") == "a\tn1\tn2\nn3\tn4\n\nb\nc"


def test_a_table_for_layout_does_no_harm() -> None:
    body = "<table><tr><td><table><tr><td><p>第一段</p><p>第二段</p></table><td><p>第三段</table>"
    document = one(body)
    assert document.text == "第一段\n\n第二段\n\n第三段"
    assert [document.text[start : start + 3] for start in document.paragraphs] == ["第一段", "第二段", "第三段"]


def test_a_merged_cell_stands_once() -> None:
    assert text_of("<table><tr><td rowspan=2>a<td colspan=2>b<tr><td>c<td>d</table>") == "a\tb\nc\td"


@pytest.mark.parametrize(
    ("body", "text", "readings"),
    [
        ("<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>へ", "東京へ", [("東京", "とうきょう")]),
        ("<ruby>汉<rt>hàn</rt>字<rt>zì</rt></ruby>", "汉字", [("汉", "hàn"), ("字", "zì")]),
        ("<ruby><rb>汉<rb>字<rt>hàn<rt>zì</ruby>", "汉字", [("汉", "hàn"), ("字", "zì")]),
        ("<ruby><b>汉</b>字<rt>hàn zì</rt></ruby>", "汉字", [("汉字", "hàn zì")]),
        ("<ruby>汉<rt></rt>字</ruby>", "汉字", []),
        ("a<rt>b</rt>c", "abc", []),
        ("<ruby>东<rt>dōng</rt><rtc>east</rtc></ruby>", "东", [("东", "dōng"), ("东", "east")]),
    ],
)
def test_a_reading_is_a_mark_over_its_base(body: str, text: str, readings: list[tuple[str, str]]) -> None:
    document = one(f"<body><p>x</p>{body}")
    assert document.text == f"x\n\n{text}"
    assert [(document.text[mark.start : mark.end], mark.note) for mark in document.marks] == readings
    assert {mark.kind for mark in document.marks} <= {"reading"}


def test_deleted_and_inserted_text_is_plain_text() -> None:
    assert text_of("<del>a</del><ins>b</ins><s>c</s>") == "abc"


# ---------------------------------------------------------------------------------------------- xhtml


def test_xhtml_is_read_by_its_own_rules() -> None:
    document = one(
        '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/>'
        '</head><body><a id="p1"/><p title="a>b"/><p>一&nbsp;<![CDATA[<二> & ]]>三<br/>四</p></body></html>'
    )
    assert document.text == "一\xa0<二> & 三\n四"


# ------------------------------------------------------------------------------- what a page says of itself


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("<meta name=PubDate content='2026-11-30 09:00:00'>", "2026-11-30T09:00:00+00:00"),
        ("<meta name=DC.date content=2026-11-30>", "2026-11-30T00:00:00+00:00"),
        ("<meta itemprop=datePublished content=2026-11-30>", "2026-11-30T00:00:00+00:00"),
        ("<meta name=date content=someday><meta name=dc.date content=2026-11-30>", "2026-11-30T00:00:00+00:00"),
        (
            '<script type="application/ld+json">{"@graph": [1, {"datePublished": "2026-11-30T09:00:00+08:00"}]}'
            "</script>",
            "2026-11-30T09:00:00+08:00",
        ),
        ('<script type="application/ld+json">{"datePublished": 1, "author": [[]]}</script>', None),
        ('<script type="application/ld+json">' + "[" * 100_000 + "</script>", None),
        ('<script type="application/ld+json">5</script>', None),
    ],
)
def test_a_date_is_found_where_pages_have_it(head: str, date: str | None) -> None:
    assert one(f"<html><head>{head}</head><body>x").dated == date


@pytest.mark.parametrize(
    ("body", "date"),
    [
        ("<time itemprop=datePublished datetime=2026-11-30>x</time>", "2026-11-30T00:00:00+00:00"),
        ("<span itemprop=dateModified>2026年11月30日</span>", "2026-11-30T00:00:00+00:00"),
        ("<article><time datetime=2026-11-30>x</time></article>", "2026-11-30T00:00:00+00:00"),
        ("<time datetime=2026-11-30>x</time>", None),
    ],
)
def test_a_date_in_the_text_counts_if_it_is_marked_as_that_of_the_page(body: str, date: str | None) -> None:
    assert one(f"<body>{body}").dated == date


@pytest.mark.parametrize(
    ("head", "title", "author"),
    [
        ("<title>a</title><meta property=og:title content=b>", "a", ""),
        ("<meta property=og:title content=b>", "b", ""),
        ("<meta name=author content=''><meta name=Author content=张三>", "h", "张三"),
        ("<meta property=article:author content=https://x/y><meta name=DC.creator content=张三>", "h", "张三"),
        (
            '<script type="application/ld+json">{"headline": "j", "author": [{"name": "张三"}, {"name": "李四"}]}'
            "</script>",
            "j",
            "张三, 李四",
        ),
    ],
)
def test_title_and_author_are_found_where_pages_have_them(head: str, title: str, author: str) -> None:
    document = one(f"<html><head>{head}</head><body><h1>h</h1>x")
    assert (document.title, document.author) == (title, author)


# ------------------------------------------------------------------------------------ nothing is lost

# fmt: off
TAGS = [
    "p", "div", "span", "nav", "main", "article", "header", "h1", "h2", "aside", "table", "tr", "td", "th", "a",
    "ruby", "rt", "rb", "b", "pre", "li", "ul", "noscript", "dialog", "br", "footer",
]
# fmt: on
ATTRIBUTES = ["", " hidden", " role=navigation", " role=main", " style='display:none'", " href=x", " open"]
tags = st.builds(
    lambda tag, attributes, closes: f"</{tag}>" if closes else f"<{tag}{attributes}>",
    st.sampled_from(TAGS),
    st.sampled_from(ATTRIBUTES),
    st.booleans(),
)
pieces = st.lists(tags | st.text("文字ab \n", max_size=4), max_size=40).map("".join)


@given(body=pieces)
@settings(deadline=None, max_examples=400)
def test_every_character_stands_once(body: str) -> None:
    document = html.page(f"<body>{body}")
    if document.text.strip():
        check(document)
    tree = LexborHTMLParser(f"<body>{body}")
    assert tree.body is not None
    written = document.text + "".join(mark.note for mark in document.marks)
    assert Counter(written.split() and "".join(written.split())) == Counter("".join(tree.body.text().split()))
