"""What users of other tools suffer from does not happen here. The numbers are those of the list of faults.

Some faults have a home of their own: 20 to 22 in test_keeping_up.py, 24 in test_concurrency.py and test_store.py,
25 in test_crash.py, 26 in test_index.py; 12 and 13 also in test_library.py; 13 and 16 to 19 also in test_verify.py, 14
in test_ask.py, 33 in test_prompt.py and test_verify_hostile.py.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Shelf, names, records

from yuanwen import Library, YuanwenError
from yuanwen.library import extract


def texts(shelf: Shelf, *passages: str) -> None:
    """Add a file for each passage: 0.txt, 1.txt and so on."""
    for number, passage in enumerate(passages):
        shelf.write(f"{number}.txt", passage)
    shelf.add()


def first(shelf: Shelf, query: str, **options: Any) -> str:
    return shelf.ranked(query, **options)[0].text


# ---------------------------------------------------------------------------------------------- finding


@pytest.mark.parametrize("query", ["缓存", "存", "db", "a", "证", "的"])
def test_words_of_one_or_two_characters_are_found_in_hundreds_of_records(shelf: Shelf, query: str) -> None:
    """Fault 1."""
    items = [{"id": f"P{n}", "paragraph": n + 1, "body": f"第{n}条：缓存的证据在 db a 里。"} for n in range(300)]
    shelf.add(a_jsonl=records(*items))
    assert shelf.library.search(query, mode="exact").found == 300
    assert len(shelf.exact(query)) == 300
    assert shelf.library.search(query).found >= 10 and len(shelf.ranked(query)) == 300


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("请配置API接口的地址", ("API", "api接口", "配置API", "配置", "接口", "PI接")),
        ("后itgc审计", ("itgc", "后itgc", "审计", "tgc审")),
        ("清理C盘空间", ("C盘", "盘", "C", "c盘空间")),
        ("iPhone15手机壳", ("iPhone15", "15手机", "手机", "phone")),
    ],
)
def test_latin_words_glued_to_han_are_found(shelf: Shelf, text: str, queries: tuple[str, ...]) -> None:
    """Fault 2."""
    texts(shelf, text, "别的话")
    for query in queries:
        assert [hit.text for hit in shelf.exact(query)] == [text], query
        if query not in ("PI接", "tgc审", "phone"):
            assert first(shelf, query) == text, query


def test_a_word_is_found_wherever_it_stands_in_a_line(shelf: Shelf) -> None:
    """Fault 3."""
    texts(shelf, "证据在句首", "句中有证据吗", "句末是证据", "别的，证据", "甲证据乙证据丙", "word证据", "无关")
    assert len(shelf.exact("证据")) == len(shelf.ranked("证据")) == 6
    assert shelf.exact("证据", source="4.txt")[0].matches == ((1, 3), (4, 6))


@pytest.mark.parametrize(
    "text", ["证据不\n足的", "证 据 不 足 的", "证\u3000据不\r\n足的", "证据不\u200b足的", "證據⼀⼈不足"]
)
def test_text_as_pdfs_give_it_is_found(shelf: Shelf, text: str) -> None:
    """Fault 4: broken over a line, a space after every glyph, Kangxi radicals."""
    texts(shelf, text, "无关的话")
    query = "证据一人不足" if "⼀" in text else "证据不足"
    assert [hit.text for hit in shelf.exact(query)] == [text]
    assert first(shelf, query) == text and first(shelf, f'"{query}"') == text


def test_either_script_finds_both_and_what_was_typed_is_kept(shelf: Shelf) -> None:
    """Fault 5."""
    texts(shelf, "臨時驗證碼：ﬃ 十分鐘內有效", "临时验证码：十分钟内有效")
    for query in ("临时验证码", "臨時驗證碼"):
        assert len(shelf.exact(query)) == 2 and len(shelf.ranked(query)) == 2
        assert shelf.exact(query)[0].text.startswith(query)  # the very string stands first
        assert shelf.library.search(query).query == query
    (hit,) = [hit for hit in shelf.exact("分钟内") if "鐘" in hit.text]
    assert [hit.text[s:e] for s, e in hit.matches] == ["分鐘內"] and hit.match == "folded"


@pytest.mark.parametrize(
    ("query", "wanted", "others"),
    [
        ("DEC-0054", "决定 DEC-0054 的内容", [f"决定 DEC-{n:04} 的内容" for n in range(40, 60) if n != 54]),
        ("1.0.21", "版本 1.0.21 修复", [f"版本 1.0.{n} 修复" for n in range(10, 30) if n != 21] + ["版本 21.0.1 修复"]),
        ("2026.4.10", "于 2026.4.10 发布", [f"于 2026.4.{n} 发布" for n in range(1, 20) if n != 10]),
        (
            "v2.8.3",
            "升级到 v2.8.3 之后",
            [f"升级到 v2.{n}.3 之后" for n in range(1, 20) if n != 8] + ["升级到 v2.3.8 之后"],
        ),
        ("PPR-9087", "编号 PPR-9087", [f"编号 PPR-{n}" for n in range(9080, 9099) if n != 9087]),
        (
            "第三十八条",
            "第三十八条 解除",
            ["第三十七条 解除", "第三十条 解除", "第八条 解除", "第三百八十条 第十八条 解除"],
        ),
        ("第38条", "第38条 解除", ["第3条 解除", "第8条 解除", "第138条 解除", "第381条 解除"]),
        (
            "劳动法第三十八条",
            "劳动法 第三十八条 解除",
            ["劳动法 第三十九条 第八条", "刑法 第三十八条 管制", "劳动法 第三条 十八"],
        ),
    ],
)
def test_codes_versions_and_articles_find_their_own(shelf: Shelf, query: str, wanted: str, others: list[str]) -> None:
    """Fault 6."""
    texts(shelf, *others, wanted)
    assert first(shelf, query) == wanted
    assert not shelf.library.search(query).notes
    if " " not in wanted.partition(query)[1] and query in wanted:
        assert [hit.text for hit in shelf.exact(query)] == [wanted]
        assert first(shelf, f'"{query}"') == wanted


@pytest.mark.parametrize(
    "query", ['a"b', "foo AND", "(x", "C++", "k:v", "“缓存”", "C#", "100%", "@user", "a|b", "[1]", "{x}", "^"]
)
def test_marks_in_a_query_are_found_as_they_stand(shelf: Shelf, query: str) -> None:
    """Fault 7."""
    texts(shelf, f"前 {query} 后", "无关的话")
    assert names(shelf.exact(query)) == ["0.txt"]
    assert names(shelf.ranked(query))[:1] == ["0.txt"]


def test_phrases_prefixes_and_columns_work_for_those_who_know_them(shelf: Shelf) -> None:
    """Fault 7: escaping everything kills them."""
    shelf.add(
        a_md="# 配置手册\n\n缓存雪崩与 redis cluster\n",
        b_md="# 别的\n\n缓存穿透，redistribute，雪崩的缓存\n",
        c_md="# 附录\n\n缓存 之 后 很 久 才 穿透 cluster redis\n",
    )

    def found(query: str) -> set[str]:
        assert not shelf.library.search(query).notes, query
        return set(names(shelf.ranked(query)))

    assert found('"redis cluster"') == {"a.md"} and found('"缓存雪崩"') == {"a.md"}
    assert found("redistrib*") == {"b.md"} and found("redis*") == {"a.md", "b.md", "c.md"}
    assert found("title:配置") == {"a.md"} and found("title:附录 缓存") == {"c.md"}
    assert found("缓存 AND 穿透") == {"b.md", "c.md"} and found("缓存 -穿透") == {"a.md"}
    assert found("redistribute OR cluster") == {"a.md", "b.md", "c.md"}
    assert found("缓存 AND (雪崩 OR 附录) NOT redistribute") == {"a.md", "c.md"}
    assert found("NEAR(缓存 穿透, 2)") == {"b.md"} and found("NEAR(穿透 缓存, 9)") == {"b.md", "c.md"}
    assert found("缓存 source:c.md") == {"c.md"}


def test_highlights_cover_the_right_characters_in_every_script(shelf: Shelf) -> None:
    """Fault 8."""
    texts(shelf, "👩‍👩‍👧 𠮷野家 🇨🇳 證據不足 and Ｃafé\u0301 ﬁre 🎉 evidence 證據")
    for query, marked in (
        ("证据", ["證據", "證據"]),
        ("evidence", ["evidence"]),
        ("𠮷野家", ["𠮷野家"]),
        ("cafe", ["Ｃafé\u0301"]),
        ("fire", ["ﬁre"]),
        ("不足", ["不足"]),
    ):
        for hit in (shelf.exact(query)[0], shelf.ranked(query)[0]):
            assert [hit.text[start:end] for start, end in hit.matches] == marked, query


def test_a_phrase_does_not_run_over_punctuation(shelf: Shelf) -> None:
    """Fault 9."""
    texts(shelf, "出示证据，不足为凭。", "证据不足", "the late. Fee is due", "late fee")
    assert names(shelf.exact("证据不足")) == names(shelf.ranked('"证据不足"')) == ["1.txt"]
    assert names(shelf.exact("late fee")) == names(shelf.ranked('"late fee"')) == ["3.txt"]
    assert names(shelf.exact("证据，不足")) == ["0.txt"]


@pytest.mark.parametrize("mode", ["ranked", "exact"])
def test_a_big_collection_does_not_starve_a_small_one(shelf: Shelf, mode: Any) -> None:
    """Fault 10."""
    body = "证据不足，证据不足，证据不足"
    big = [{"id": f"P{n}", "source": f"大{n}", "body": body, "tags": ["大"]} for n in range(1500)]
    shelf.write("big.jsonl", records(*big))
    shelf.write(
        "small.md", "---\ndate: 2001-02-03\ntags: [小]\n---\n\n" + "很长的铺垫。" * 60 + "证据不足" + "很长的结尾。" * 5
    )
    shelf.add()
    for filters in ({"tags": ["小"]}, {"source": "small.md"}, {"type": "md"}, {"until": "2001"}):
        found = shelf.library.search("证据不足", mode=mode, limit=3, **filters)
        assert names(found) == ["small.md"] and found.found == 1, filters
    for query in ("证据不足 tag:小", "证据不足 -tag:大", "证据不足 source:small.md"):
        assert names(shelf.library.search(query, limit=3)) == ["small.md"]


def test_text_is_indexed_to_its_last_word_however_long(shelf: Shelf) -> None:
    """Fault 11."""
    length = 600_000
    shelf.add(a_txt="开头的话。" + "中间的话，" * (length // 5) + "结尾处的暗号。", b_txt="x" * 100_000 + " 独一无二")
    shelf.write("c.jsonl", records({"id": "P1", "body": "长" * 300_000 + "记录之末"}))
    shelf.add()
    for query, name in (("结尾处的暗号", "a.txt"), ("独一无二", "b.txt"), ("x" * 64 + " 独", "b.txt")):
        assert names(shelf.exact(query)) == [name]
    assert [hit.label for hit in shelf.exact("记录之末")] == ["P1"]
    assert shelf.library.list()[0].characters > length


# ------------------------------------------------------------------- empty answers that mean something else


def test_an_index_that_was_emptied_does_not_say_that_nothing_is_there(shelf: Shelf) -> None:
    """Fault 12."""
    shelf.add(a_txt="证据不足")
    if shelf.kind == "tantivy":
        shelf.library._indexes.current.clear()
        shelf.reopen()
        assert names(shelf.exact("证据")) == ["a.txt"]
    else:
        shelf.library._indexes.current.clear()
        shelf.reopen()
        found = shelf.library.search("证据", mode="exact")
        assert found.notes or found.found == 1


def test_a_folder_that_was_renamed_is_named(shelf: Shelf) -> None:
    """Fault 12."""
    shelf.add(a_txt="证据不足")
    shelf.folder.rename(shelf.place / "elsewhere")
    absence = shelf.library.search("没有", mode="exact").absence
    assert absence is not None and absence.kind == "stale"
    assert [stale.state for stale in absence.stale] == ["missing"]


def test_what_changed_on_the_disk_is_not_served_as_current(shelf: Shelf) -> None:
    """Fault 13."""
    shelf.add(a_txt="证据一", b_txt="证据二", c_txt="证据三")
    shelf.write("a.txt", "改过了的")
    (shelf.folder / "b.txt").unlink()
    states = {Path(hit.source).name: hit.state for hit in shelf.exact("证据")}
    assert states == {"a.txt": "changed", "b.txt": "missing", "c.txt": "current"}
    shelf.library.sync()
    assert names(shelf.exact("证据")) == ["c.txt"]


@pytest.mark.parametrize("mode", ["ranked", "exact", "raw", "expand"])
def test_an_empty_index_abstains_and_says_why(shelf: Shelf, mode: Any) -> None:
    """Fault 14."""
    found = shelf.library.search("证据", mode=mode)
    assert (found.status, found.found, found.hits) == ("abstain", 0, ())
    assert found.absence is not None and found.absence.kind == "unsearchable" and found.absence.unsearchable[0].reason


# ---------------------------------------------------------------------------------------------- running


def test_one_corrupt_huge_or_hostile_file_does_not_stop_the_rest(shelf: Shelf) -> None:
    """Fault 25."""
    shelf.write("a.txt", "证据一")
    shelf.write("b.json", "[" * 200_000)
    shelf.write("c.jsonl", '{"id": "P1", "title": "x", "source": "y", "paragraph": 0, "body": "z"}\n')
    shelf.write("d.html", "<div>" * 50_000 + "证据深处")
    shelf.write("e.md", "#" * 100_000 + "\n" + "> " * 50_000 + "\n```" * 1001)
    shelf.write("f.txt", b"\xff\xfe\x00\xd8" * 5000)
    shelf.write("g.png", b"\x89PNG\r\n\x1a\n" + bytes(1000))
    shelf.write("h.csv", '"' * 99_999)
    shelf.write("i.txt", "证" + "\u0301" * 100_000)
    shelf.write("j.md", "---\n" + "a: [" * 10_000 + "\n---\n")
    shelf.write("z.txt", "证据二")
    report = shelf.library.add(shelf.folder)
    assert report.files == 11 == report.indexed + len(report.skipped)
    assert {"a.txt", "z.txt"} <= set(names(shelf.exact("证据")))
    assert {"c.jsonl", "g.png"} <= {Path(skip.source).name for skip in report.skipped}
    assert all(skip.reason for skip in report.skipped) and not shelf.library.check().problems


def test_thousands_of_tags_labels_and_filters_at_once(shelf: Shelf) -> None:
    """Fault 26."""
    many = [f"t{n}" for n in range(3000)]
    shelf.write("a.jsonl", records(*({"id": tag, "source": tag, "body": f"证据 {tag}"} for tag in many)))
    shelf.write("b.txt", "证据 b")
    shelf.library.add(shelf.folder / "a.jsonl")
    shelf.library.add(shelf.folder / "b.txt", tags=many)
    assert names(shelf.exact("证据", tags=many)) == ["b.txt"]
    assert len(shelf.library.tags()) == 3000
    assert [hit.label for hit in shelf.raw(" ".join(many), limit=5000)] == many
    assert len(shelf.library.show(*many)) == 3000
    assert len(shelf.exact("证据", limit=5000)) == 3001
    assert len(shelf.ranked("证据", limit=5000)) == 3001
    conditions = " ".join(f"-tag:{tag}" for tag in many)
    assert shelf.library.search(f"证据 {conditions}", limit=1).found
    assert "t7" in {hit.label for hit in shelf.ranked(" OR ".join(many[:1200]), limit=5000)}
    assert shelf.library.forget(*many[:2500]).documents == 2500
    assert len(shelf.exact("证据", limit=5000)) == 501


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "big5", "utf-16", "utf-16-le", "utf-8-sig"])
def test_files_in_other_encodings_are_read_as_they_were_written(shelf: Shelf, encoding: str) -> None:
    """Fault 27."""
    text = "證據不足時不作答覆，請補充材料。" if encoding == "big5" else "证据不足时不作答复，请补充材料。"
    path = shelf.write("a.txt", (text * 5).encode(encoding))
    report = shelf.add()
    assert report.indexed == 1 and not report.warnings
    (hit,) = shelf.exact("证据不足")
    assert hit.text == text * 5
    (document,) = shelf.library.list()
    assert document.replaced == 0 and path.read_bytes().decode(document.encoding).lstrip("\ufeff") == text * 5


def test_bytes_that_cannot_be_read_are_counted_and_told(shelf: Shelf) -> None:
    """Fault 27: mojibake is never silent."""
    shelf.write("a.txt", "证据不足，".encode() * 20 + b"\xff\xfe\xfa" + "还有".encode())
    report = shelf.add()
    assert report.indexed == 1 and any("a.txt" in warning for warning in report.warnings)
    assert shelf.library.list()[0].replaced > 0 and shelf.library.status().replaced
    assert names(shelf.exact("证据不足，证据")) == ["a.txt"]


def test_an_answer_is_plain_data(shelf: Shelf) -> None:
    """Everything that a search returns can be written as JSON, whatever the text holds."""
    import dataclasses

    shelf.add(a_txt="证据 \u2028 \x01 \ufffe 😀 </script>")
    for mode in ("ranked", "exact", "expand", "raw"):
        found = shelf.library.search("证据" if mode != "raw" else "", mode=mode)
        assert json.loads(json.dumps(dataclasses.asdict(found)))["hits"][0]["text"].startswith("证据")


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "\udcff", "x" * 5000, "https://x/\ud800"])
def test_no_name_is_more_than_a_clear_error(shelf: Shelf, name: str) -> None:
    """A program may ask for what no file can be called."""
    library = shelf.library
    asked: list[Callable[[str], object]] = [
        *(library.show, library.page_image, library.add, library.forget, library.import_, library.export),
        *(Library.open, extract),
    ]
    for ask in asked:
        with pytest.raises((YuanwenError, OSError)):
            ask(name)


@pytest.mark.parametrize("mode", ["ranked", "exact", "expand", "raw"])
def test_no_number_is_too_large(shelf: Shelf, mode: Any) -> None:
    """An index makes room for as many hits as it is asked for: not for more than there can be."""
    shelf.add(a_txt="证据不足。")
    query = "" if mode == "raw" else "证据"
    assert len(shelf.library.search(query, mode=mode, limit=10**30).hits) == 1
    assert not shelf.library.search(query, mode=mode, limit=10**13, offset=10**30).hits


def test_a_closed_library_does_not_say_that_there_is_nothing(shelf: Shelf) -> None:
    """Fault 12."""
    shelf.add(a_txt="证据不足。")
    shelf.library.close()
    with pytest.raises(YuanwenError, match="closed"):
        shelf.library.search("证据")


# -------------------------------------------------------------------------------- citations and verdicts


def test_each_citation_leads_to_its_own_words_also_after_a_restart(shelf: Shelf) -> None:
    """Fault 15."""
    shelf.add(a_md="".join(f"# 第{n}章\n\n本章规定第{n}号事项由专人办理。\n\n" for n in range(40)))
    quotes = {hit.id: f"本章规定第{number}号事项由专人办理" for number, hit in enumerate(shelf.raw())}
    assert len(quotes) == 40
    shelf.reopen()
    for identity, quote in quotes.items():
        (claim,) = shelf.library.verify(f"[{identity}]「{quote}」").claims
        assert claim.status == "verbatim" and claim.found is not None
        assert (claim.found.id, claim.found.text) == (identity, quote)
        assert shelf.library.show(identity)[0].text[:2] == "# "


def test_what_is_like_the_original_is_never_verified(shelf: Shelf) -> None:
    """Fault 16."""
    shelf.add(a_txt="借款人逾期还款的，应当自逾期之日起按日支付万分之五的违约金。")
    (hit,) = shelf.raw()
    for quote in (
        "借款人逾期还款的，应当自逾期之日起按日支付万分之六的违约金",
        "借款人逾期还款的，应当自到期之日起按日支付万分之五的违约金",
        "出借人逾期还款的，应当自逾期之日起按日支付万分之五的违约金",
        "借款人逾期还款的，可以自逾期之日起按日支付万分之五的违约金",
        "借款人逾期还款的，应当按日支付万分之五的违约金",
    ):
        for cited in (f"[{hit.id}]", ""):
            found = shelf.library.verify(f"{cited}「{quote}」")
            assert found.verdict == "unsupported" and found.claims[0].status == "altered"
            assert found.claims[0].changes


def test_the_words_of_another_document_confirm_nothing_that_is_cited(shelf: Shelf) -> None:
    """Fault 17."""
    shelf.add(a_txt="甲方应于三十日内付款。", b_txt="乙方可以随时解除合同。")
    wrong = next(hit for hit in shelf.raw() if "乙方" in hit.text)
    found = shelf.library.verify(f"[{wrong.id}]「甲方应于三十日内付款」")
    assert found.verdict == "unsupported" and found.counts == {"elsewhere": 1}
