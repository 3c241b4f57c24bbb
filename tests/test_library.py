"""Library: versions, tags, dates, filters, pages of results, and the reasons when there are none."""

import json
import os
import re
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Shelf, names, records, write

from yuanwen import Library
from yuanwen.errors import NotFound
from yuanwen.evidence import excerpt
from yuanwen.model import Hit

# ---------------------------------------------------------------------------------------------- versions


def test_each_change_is_a_version_and_only_the_last_is_current(shelf: Shelf) -> None:
    for text in ("第一稿 甲", "第二稿 乙", "第三稿 丙"):
        shelf.add(a_txt=text)
    assert shelf.library.list()[0].versions == 3
    assert not shelf.exact("第一稿") and not shelf.ranked("甲")
    assert [hit.state for hit in shelf.exact("第三稿", all_versions=True)] == ["current"]
    assert {hit.text: hit.state for hit in shelf.exact("第", all_versions=True)} == {
        "第一稿 甲": "changed",
        "第二稿 乙": "changed",
        "第三稿 丙": "current",
    }
    assert {hit.text for hit in shelf.ranked("第二稿 丙", all_versions=True)} == {"第二稿 乙", "第三稿 丙"}


def test_a_version_names_the_bytes_and_an_id_the_text(shelf: Shelf) -> None:
    import hashlib

    text = "# 标题\n\n正文\n"
    path = shelf.write("a.md", text)
    shelf.add()
    (hit,) = shelf.exact("正文")
    assert hit.version == "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
    assert hit.id == hashlib.sha256(text.encode()).hexdigest()[:12] + "-1"
    assert text[hit.start : hit.end] == hit.text and hit.source == str(path)


def test_a_file_that_is_put_back_as_it_was_is_current_again(shelf: Shelf) -> None:
    shelf.add(a_txt="原来的话")
    shelf.add(a_txt="改过的话")
    shelf.add(a_txt="原来的话")
    assert names(shelf.exact("原来的话")) == ["a.txt"] and not shelf.exact("改过的话")
    assert [hit.state for hit in shelf.exact("改过的话", all_versions=True)] == ["changed"]
    assert not shelf.library.check().problems


def test_the_words_of_a_deleted_file_are_found_among_all_versions_only(shelf: Shelf) -> None:
    shelf.add(a_txt="要删的话", b_txt="要留的话")
    (shelf.folder / "a.txt").unlink()
    assert shelf.library.sync().removed == 1
    assert not shelf.exact("要删的话")
    (old,) = shelf.exact("要删的话", all_versions=True)
    assert old.state == "missing" and old.text == "要删的话"
    assert [Path(document.source).name for document in shelf.library.list()] == ["b.txt"]
    shelf.add(a_txt="要删的话")
    assert [hit.state for hit in shelf.exact("要删的话")] == ["current"]


def test_what_did_not_change_between_versions_is_found_once(shelf: Shelf) -> None:
    shelf.add(a_md="# 一\n\n不变的话\n\n# 二\n\n旧的话\n")
    shelf.add(a_md="# 一\n\n不变的话\n\n# 二\n\n新的话\n")
    assert len(shelf.exact("不变的话", all_versions=True)) == 1
    assert len(shelf.exact("的话", all_versions=True)) == 3


def test_an_old_id_still_shows_its_passage(shelf: Shelf) -> None:
    shelf.add(a_md="# 一\n\n旧的话\n")
    (old,) = shelf.exact("旧的话")
    shelf.add(a_md="# 一\n\n新的话\n")
    (shown,) = shelf.library.show(old.id)
    assert (shown.id, shown.text, shown.state) == (old.id, old.text, "changed")


# --------------------------------------------------------------------------------------------------- tags


def tags_of(shelf: Shelf) -> dict[str, set[str]]:
    return {Path(document.source).name: set(document.tags) for document in shelf.library.list()}


def test_tags_add_up_and_are_never_lost(shelf: Shelf) -> None:
    one = shelf.write("a.md", "---\ntags: [文内]\n---\n\n正文 证据\n")
    shelf.write("b.md", "别的 证据\n")
    shelf.library.add(one, tags=["一"])
    shelf.library.add(one, tags=["二"])
    assert tags_of(shelf) == {"a.md": {"一", "二", "文内"}}
    shelf.library.add(shelf.folder, tags=["三"])
    assert tags_of(shelf) == {"a.md": {"一", "二", "三", "文内"}, "b.md": {"三"}}
    shelf.write("a.md", "---\ntags: [文内]\n---\n\n改过 证据\n")
    shelf.library.add(shelf.folder)
    assert tags_of(shelf) == {"a.md": {"一", "二", "三", "文内"}, "b.md": {"三"}}
    shelf.library.sync()
    shelf.library.add(shelf.folder)
    assert tags_of(shelf) == {"a.md": {"一", "二", "三", "文内"}, "b.md": {"三"}}
    assert names(shelf.exact("证据", tags=["一", "二", "文内"])) == ["a.md"]
    assert names(shelf.ranked("tag:三 -tag:一 证据")) == ["b.md"]
    assert {(tag.tag, tag.documents) for tag in shelf.library.tags()} == {("三", 2), ("一", 1), ("二", 1), ("文内", 1)}


def test_adding_only_a_tag_is_a_change_and_makes_no_version(shelf: Shelf) -> None:
    shelf.add(a_txt="证据")
    before = shelf.library.status().generation
    report = shelf.library.add(shelf.folder, tags=["新"])
    assert report.unchanged == 1 and shelf.library.status().generation == before + 1
    assert shelf.library.list()[0].versions == 1
    assert shelf.library.add(shelf.folder, tags=["新"]).unchanged == 1
    assert shelf.library.status().generation == before + 1
    assert names(shelf.exact("证据", tags=["新"])) == ["a.txt"]


def test_a_record_has_its_own_tags_and_those_of_its_file(shelf: Shelf) -> None:
    shelf.write("a.jsonl", records({"id": "A", "body": "证据一", "tags": ["急"]}, {"id": "B", "body": "证据二"}))
    shelf.library.add(shelf.folder, tags=["文件"])
    assert {hit.label: set(hit.tags) for hit in shelf.exact("证据")} == {"A": {"急", "文件"}, "B": {"文件"}}
    for mode in ("exact", "ranked", "raw"):
        query = "" if mode == "raw" else "证据"
        assert [h.label for h in shelf.library.search(query, mode=mode, tags=["急"]).hits] == ["A"]
    assert [h.label for h in shelf.ranked("证据 -tag:急")] == ["B"]


# ------------------------------------------------------------------------------------------------ filters


@pytest.fixture
def dated(shelf: Shelf) -> Shelf:
    shelf.add(
        old_md="---\ndate: 2020-03-05\n---\n\n证据 旧\n",
        new_md="---\ndate: 2026-05-06T12:00:00+08:00\n---\n\n证据 新\n",
        plain_txt="证据 没有日期\n",
        page_html="<html><head><title>页</title></head><body><p>证据 网页</p></body></html>",
    )
    os.utime(shelf.write("plain.txt", "证据 无日期\n"), (1_600_000_000, 1_600_000_000))
    shelf.library.sync()
    return shelf


def test_dates_come_from_the_document_else_from_the_file(dated: Shelf) -> None:
    found = {Path(d.source).name: d.dated for d in dated.library.list()}
    assert found["old.md"].startswith("2020-03-05") and found["plain.txt"] == "2020-09-13T12:26:40+00:00"
    assert datetime.fromisoformat(found["new.md"]) == datetime.fromisoformat("2026-05-06T12:00:00+08:00")


@pytest.mark.parametrize("mode", ["exact", "ranked", "raw", "expand"])
def test_since_and_until_are_inclusive(dated: Shelf, mode: Any) -> None:
    def found(**filters: Any) -> set[str]:
        query = "" if mode == "raw" else "证据"
        return set(names(dated.library.search(query, mode=mode, **filters)))

    assert found(until="2020-03-05") == {"old.md"} == found(until="2020-03", since="2020-03-05")
    assert found(since="2020-03-06", until="2021") == {"plain.txt"}
    assert found(since="2026-05-06", until="2026-05-06") == {"new.md"}
    assert found(since="2026-05-07") == set() == found(until="2020-03-04")
    assert found(since="2019") == {"old.md", "new.md", "plain.txt", "page.html"}


@pytest.mark.parametrize("mode", ["exact", "ranked", "raw"])
def test_sources_are_chosen_by_globs(shelf: Shelf, mode: Any) -> None:
    for name in ("a.md", "sub/a.txt", "sub/deep/b.md", "Übung/[1] c#.md"):
        shelf.write(name, "证据")
    shelf.add()

    def found(source: str) -> set[str]:
        query = "" if mode == "raw" else "证据"
        hits = shelf.library.search(query, mode=mode, source=source).hits
        return {str(Path(hit.source).relative_to(shelf.folder)) for hit in hits}

    assert found("*.md") == {"a.md", "sub/deep/b.md", "Übung/[1] c#.md"}
    assert found("a.*") == {"a.md", "sub/a.txt"}
    assert found("sub") == found("sub/") == {"sub/a.txt", "sub/deep/b.md"}
    assert found("deep/*") == {"sub/deep/b.md"}
    assert found("A.MD") == {"a.md"}
    assert found("b") == set()
    assert found(str(shelf.folder)) == found("*") == found("") and len(found("")) == 4


def test_the_source_of_a_hit_selects_it(shelf: Shelf) -> None:
    """Fault 20: names with brackets, spaces and the like come back as they were."""
    for name in ("[1] 报告 (终).md", "a#b%20c.txt", "what?.txt", "x*y.txt", "-v.txt", "e\u0301te\u0301.txt", "été.txt"):
        shelf.write(name, "证据 " + name)
    shelf.add()
    hits = shelf.exact("证据")
    assert len(hits) == 7
    for hit in hits:
        assert hit.source in [h.source for h in shelf.exact("证据", source=hit.source)], hit.source
        assert [h.text for h in shelf.library.show(hit.source)] == [hit.text]
        assert [h.text for h in shelf.raw(hit.source)] == [hit.text]


def test_types_are_chosen_as_people_name_them(dated: Shelf) -> None:
    for asked, found in (
        ("md", {"old.md", "new.md"}),
        (".md", {"old.md", "new.md"}),
        ("markdown", {"old.md", "new.md"}),
        ("text/html", {"page.html"}),
        ("HTML", {"page.html"}),
        ("txt", {"plain.txt"}),
        ("text", {"old.md", "new.md", "page.html", "plain.txt"}),
        ("pdf", set()),
        ("nonsense", set()),
    ):
        assert set(names(dated.exact("证据", type=asked))) == found, asked
        assert set(names(dated.ranked(f"type:{asked} 证据"))) == found, asked


def test_filters_alone_list_what_they_select(dated: Shelf) -> None:
    assert set(names(dated.ranked("type:md"))) == {"old.md", "new.md"}
    assert set(names(dated.ranked("source:*.html"))) == {"page.html"}


# ---------------------------------------------------------------------------------------------- asking raw


def test_a_label_an_id_or_a_source_finds_its_passage(shelf: Shelf) -> None:
    shelf.add(
        a_jsonl=records({"id": "P001", "source": "规章", "body": "甲"}, {"id": "P-2", "source": "规章", "body": "乙"}),
        b_md="# 一\n\n甲\n\n# 二\n\n乙\n",
    )
    assert [h.text for h in shelf.raw("P001")] == ["甲"] == [h.text for h in shelf.library.show("P001")]
    assert [h.text for h in shelf.raw("P-2")] == ["乙"]
    assert [h.label for h in shelf.raw("规章")] == ["P001", "P-2"]
    second = next(h for h in shelf.raw() if h.heading == ("二",))
    assert second.id.endswith("-2") and shelf.raw(second.id) == [second]
    assert [h.heading for h in shelf.raw(str(shelf.folder / "b.md"))] == [("一",), ("二",)]
    assert [h.text for h in shelf.raw(f"P-2 {second.id}\nP001")] == ["乙", second.text, "甲"]
    assert shelf.raw("P003") == [] and shelf.raw("p001 P001")[0].label == "P001"
    with pytest.raises(NotFound):
        shelf.library.show("P001", "P003")


def test_the_id_of_a_document_is_that_of_its_passages_and_shows_them_all(shelf: Shelf) -> None:
    shelf.add(a_md="# 甲\n\n第一段。\n\n# 乙\n\n第二段。\n", b_md="# 丙\n\n第三段。\n")
    for document in shelf.library.list():
        hits = shelf.library.show(document.id)
        assert [hit.id for hit in hits] == [f"{document.id}-{n}" for n in range(1, document.passages + 1)]
        assert {hit.source for hit in hits} == {document.source}
        assert shelf.library.show(document.id, document.source, limit=1) == hits[:1] * 2
    with pytest.raises(NotFound):
        shelf.library.show("0123456789ab")


def test_the_id_of_an_older_version_shows_that_version(shelf: Shelf) -> None:
    shelf.add(a_txt="第一稿")
    old = shelf.library.list()[0].id
    shelf.add(a_txt="第二稿")
    (hit,) = shelf.library.show(old)
    assert (hit.text, hit.state) == ("第一稿", "changed")
    assert shelf.library.list()[0].id != old


def test_quotations_are_verified_in_their_order_each_with_its_id_or_none(shelf: Shelf) -> None:
    shelf.add(a_txt="证据不足时答案留空，交给人工复核。")
    id = shelf.library.list()[0].id
    told: list[tuple[int, int]] = []
    found = shelf.library.verify_quotes(
        [("证据不足时答案留空", f"{id}-1"), ("证据充足时答案留空", f"{id}-1"), ("交给人工复核", None)],
        progress=lambda done, total, _: told.append((done, total)),
    )
    assert [(claim.status, claim.citation) for claim in found.claims] == [
        ("verbatim", f"{id}-1"),
        ("altered", f"{id}-1"),
        ("verbatim", None),
    ]
    assert (found.verdict, found.counts) == ("unsupported", {"verbatim": 2, "altered": 1})
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_list_can_be_read_in_pages(dated: Shelf) -> None:
    whole = dated.library.list()
    assert len(whole) > 2
    assert dated.library.list(limit=1, offset=1) == whole[1:2]
    assert dated.library.list(offset=1) == whole[1:] and dated.library.list(limit=9, offset=9_999) == ()


def test_raw_without_a_query_lists_the_newest_first(dated: Shelf) -> None:
    assert names(dated.raw()) == ["page.html", "new.md", "plain.txt", "old.md"] or names(dated.raw())[1:] == [
        "page.html",
        "plain.txt",
        "old.md",
    ]
    found = [datetime.fromisoformat(hit.dated) for hit in dated.raw()]
    assert found == sorted(found, reverse=True)
    assert names(dated.raw(limit=2, offset=1)) == names(dated.raw())[1:3]
    assert dated.library.search("", mode="raw", limit=1).found == 4


def test_surroundings_are_the_passages_beside_or_the_section(shelf: Shelf) -> None:
    long = "".join(f"第{i}段。" * 60 + "\n\n" for i in range(4))
    shelf.add(a_md=f"# 前\n\n前文\n\n# 中\n\n{long}要找的话\n\n# 后\n\n后文\n")
    hit = shelf.ranked("要找的话", limit=1)[0]
    assert not hit.before and not hit.after
    whole = shelf.library.search("要找的话", mode="expand", limit=1).hits[0]
    text = "".join(c.text for c in whole.before) + whole.text + "".join(c.text for c in whole.after)
    assert text.startswith("# 中") and text.endswith("要找的话\n\n") and "后文" not in text and "前文" not in text
    near = shelf.library.search("要找的话", before=1, after=5, limit=1).hits[0]
    assert [c.end for c in near.before] == [near.start] and [c.start for c in near.after] == [near.end]
    assert len(shelf.library.search("要找的话", mode="expand", before=1, limit=1).hits[0].before) == 1


# ------------------------------------------------------------------------------------- order and highlights


@pytest.fixture
def alike(shelf: Shelf) -> Shelf:
    """Files that score the same, and a few that do not."""
    for number in range(150):
        shelf.write(f"{(number * 37) % 150:03}.txt", f"证据 {chr(0x4E10 + number)}乙")
    shelf.add(best_txt="证据 证据 证据", other_txt="证据 很长的一段话，与别的不一样")
    return shelf


@pytest.mark.parametrize(
    ("mode", "query"), [("exact", "证据"), ("exact", "据"), ("ranked", "证据"), ("ranked", '"证据"')]
)
def test_pages_join_up_and_ties_end_on_the_id(alike: Shelf, mode: Any, query: str) -> None:
    def page(limit: int, offset: int) -> list[Hit]:
        return list(alike.library.search(query, mode=mode, limit=limit, offset=offset).hits)

    whole = page(1000, 0)
    assert len(whole) == 152
    order = [(-hit.score, hit.id) for hit in whole]
    assert order == sorted(order)
    assert [hit for offset in range(0, 160, 20) for hit in page(20, offset)] == whole
    assert page(7, 149) == whole[149:] and page(5, 500) == []
    alike.reopen()
    assert page(1000, 0) == whole


def test_found_counts_everything_or_says_that_it_does_not(alike: Shelf) -> None:
    for mode in ("exact", "ranked"):
        for limit in (1, 10, 1000):
            found = alike.library.search("证据", mode=mode, limit=limit)
            assert found.found == 152 or (found.found_is == "at_least" and limit <= found.found <= 152)


def test_an_excerpt_shows_many_words_rather_than_one_many_times() -> None:
    text = "甲方与乙方，甲方，" * 20 + "到货每晚一天，违约金按千分之一支付。" + "其余照旧，" * 20
    words = ("甲方", "违约金", "支付")
    matches = sorted((found.start(), found.end()) for word in words for found in re.finditer(word, text))
    assert "违约金按千分之一支付" in excerpt(text, matches, 40)
    assert excerpt(text, [], 40) == text[:40] and excerpt(text, [(100, 200)], 40) == text[100:140]
    assert excerpt(text, matches, len(text)) == text


def test_an_excerpt_is_of_the_text_and_shows_a_match(shelf: Shelf) -> None:
    shelf.add(a_txt="开头。" + "填充" * 130 + "证据😀不足" + "填充" * 30)
    for mode in ("exact", "ranked"):
        hit = shelf.library.search("证据", mode=mode).hits[0]
        assert len(hit.excerpt) <= 200 and hit.excerpt in hit.text and "证据" in hit.excerpt
        assert [hit.text[start:end] for start, end in hit.matches] == ["证据"]
    (whole,) = shelf.exact("开头")
    assert whole.excerpt in whole.text


def test_matches_are_sorted_and_lie_within_the_text(shelf: Shelf) -> None:
    shelf.add(a_txt="𠮷野家😀證據，Ｃafé\u0301 runs; 证据 running café, cafés 证\n据 run")
    for query in ("证据 run cafe", "证据", "cafe", "running"):
        for hit in shelf.ranked(query):
            assert hit.matches and list(hit.matches) == sorted(hit.matches)
            assert all(0 <= s < e <= len(hit.text) for s, e in hit.matches)
            assert all(a[1] <= b[0] for a, b in zip(hit.matches, hit.matches[1:], strict=False))
    marked = {hit.text[s:e] for hit in shelf.ranked("证据") for s, e in hit.matches}
    assert marked == {"證據", "证据", "证\n据"}
    assert {hit.text[s:e] for hit in shelf.ranked("runs") for s, e in hit.matches} == {"runs", "running", "run"}


def test_a_note_says_when_operators_are_taken_literally(shelf: Shelf) -> None:
    shelf.add(a_txt="证据 AND foo")
    assert shelf.library.search("foo AND").notes and shelf.library.search("(foo").notes
    assert shelf.library.search("(foo").hits
    assert not shelf.library.search("foo AND 证据").notes and not shelf.library.search("foo 证据").notes
    assert not shelf.library.search("(foo", mode="exact").notes


def test_explaining_tells_the_parts_of_a_score(shelf: Shelf) -> None:
    shelf.add(a_txt="证据不足")
    assert shelf.ranked("证据")[0].explain is None
    assert shelf.library.search("证据", explain=True).hits[0].explain


# --------------------------------------------------------------------------------------- the three negatives


def test_absent_names_the_words_that_never_occur(shelf: Shelf) -> None:
    shelf.add(a_txt="缓存穿透与 redis")
    found = shelf.library.search("缓存 龙舟 kafka", mode="exact")
    assert found.status == "abstain" and found.hits == () and found.absence is not None
    assert found.absence.kind == "absent"
    assert "kafka" in found.absence.missing_terms and "redis" not in found.absence.missing_terms
    assert any("龙舟" in term for term in found.absence.missing_terms)
    together = shelf.library.search("穿透缓存", mode="exact").absence
    assert together is not None and together.kind == "absent"
    assert "缓存" not in together.missing_terms and "穿透" not in together.missing_terms


def test_unsearchable_names_what_could_not_be_read(shelf: Shelf) -> None:
    shelf.write("scan.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    shelf.add(a_txt="证据")
    absence = shelf.library.search("没有", mode="exact").absence
    assert absence is not None and absence.kind == "unsearchable"
    assert [(Path(skip.source).name, bool(skip.reason)) for skip in absence.unsearchable] == [("scan.png", True)]
    assert [Path(skip.source).name for skip in shelf.library.status().skipped] == ["scan.png"]


def test_an_empty_library_is_unsearchable(shelf: Shelf) -> None:
    for mode in ("exact", "ranked", "raw"):
        found = shelf.library.search("证据", mode=mode)
        assert found.absence is not None and found.absence.kind == "unsearchable" and found.absence.unsearchable


def test_a_file_that_is_not_indexed_yet_is_unsearchable(shelf: Shelf) -> None:
    shelf.add(a_txt="证据")
    shelf.write("new.txt", "别的")
    absence = shelf.library.search("别的", mode="exact").absence
    assert absence is not None and absence.kind == "unsearchable"
    assert [Path(skip.source).name for skip in absence.unsearchable] == ["new.txt"]
    shelf.library.sync()
    assert names(shelf.exact("别的")) == ["new.txt"]


@pytest.mark.parametrize(("act", "state"), [("change", "changed"), ("delete", "missing"), ("rename", "missing")])
def test_stale_names_what_changed_or_went(shelf: Shelf, act: str, state: str) -> None:
    shelf.add(a_txt="证据一", b_txt="证据二")
    path = shelf.folder / "a.txt"
    if act == "change":
        shelf.write("a.txt", "完全不同的话")
    elif act == "delete":
        path.unlink()
    else:
        path.rename(path.with_name("c.txt"))
    absence = shelf.library.search("没有", mode="exact").absence
    assert absence is not None and absence.kind == "stale"
    assert [(Path(s.source).name, s.state) for s in absence.stale] == [("a.txt", state)]
    assert {Path(hit.source).name: hit.state for hit in shelf.exact("证据")} == {"a.txt": state, "b.txt": "current"}
    assert [(Path(s.source).name, s.state) for s in shelf.library.status().stale] == [("a.txt", state)]


def test_a_touched_file_with_the_same_bytes_is_current(shelf: Shelf) -> None:
    shelf.add(a_txt="证据")
    shelf.write("a.txt", "证据")
    assert shelf.exact("证据")[0].state == "current"
    absence = shelf.library.search("没有", mode="exact").absence
    assert absence is not None and absence.kind == "absent"
    assert shelf.library.sync().unchanged == 1 and shelf.library.list()[0].versions == 1


def test_a_library_within_its_own_root_is_no_reason_to_doubt(tmp_path: Path, kind: str) -> None:
    write(tmp_path / "a.txt", "证据")
    with Library.open(tmp_path / "library.sqlite", index=kind) as library:
        report = library.add(tmp_path)
        assert report.indexed == 1 and report.files == 1 + len(report.skipped)
        absence = library.search("没有", mode="exact").absence
        assert absence is not None and absence.kind == "absent", absence


# ---------------------------------------------------------------------------------------------- reports


def test_the_counts_of_a_report_add_up(shelf: Shelf) -> None:
    shelf.write("b.png", b"\x89PNG\r\n\x1a\n\0\0\0")
    shelf.write("empty.txt", "")
    shelf.write("blank.txt", " \n")
    shelf.write(".hidden.txt", "证据")
    shelf.write("id_rsa", "证据")
    report = shelf.add(a_txt="证据")
    assert report.files == report.indexed + report.unchanged + len(report.skipped) == 6
    assert report.indexed == 1 and report.passages == 1 and all(skip.reason for skip in report.skipped)
    again = shelf.add()
    assert (again.files, again.indexed, again.unchanged, len(again.skipped)) == (6, 0, 1, 5)
    third = shelf.add()
    assert third.skipped == again.skipped == report.skipped


def test_progress_is_told_while_it_runs(shelf: Shelf) -> None:
    told: list[tuple[int, int, str]] = []
    for number in range(5):
        shelf.write(f"{number}.txt", f"证据{number}")
    shelf.library.add(shelf.folder, progress=lambda done, total, path: told.append((done, total, path)))
    assert told[0][0] == 0 and told[-1][:2] == (5, 5)
    assert [done for done, total, _ in told if total] == sorted(done for done, total, _ in told if total)


def test_nothing_is_registered_for_a_path_that_is_not_there(shelf: Shelf) -> None:
    shelf.write("a.txt", "证据")
    with pytest.raises(NotFound):
        shelf.library.add(shelf.folder, shelf.place / "nowhere")
    assert shelf.library.status().roots == () and not shelf.library.list()


def test_one_library_serves_many_threads(shelf: Shelf) -> None:
    for number in range(40):
        shelf.write(f"{number}.txt", f"证据不足 fragment{number}")
    shelf.add()
    wrong: list[str] = []
    stop = time.monotonic() + 1.5

    def read() -> None:
        try:
            while time.monotonic() < stop:
                found = shelf.library.search("agment", mode="exact", limit=100)
                if found.found < 40 and not found.notes:
                    wrong.append(f"{found.found}")
                shelf.library.search("证据 fragment7", limit=5)
                shelf.library.status()
        except Exception as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    number = 40
    while time.monotonic() < stop:
        shelf.write(f"{number}.txt", f"证据不足 fragment{number}")
        shelf.library.add(shelf.folder)
        number += 1
    for thread in threads:
        thread.join()
    assert not wrong, wrong[:3]
    assert len(shelf.exact("agment")) == number


def test_a_thread_that_looks_at_an_older_state_leaves_the_words_of_others_alone(shelf: Shelf) -> None:
    shelf.add(a_txt="证据 fragment1")
    looking, written = threading.Event(), threading.Event()

    def look() -> None:
        with shelf.library._scope(superseded=False) as (scope, _):
            looking.set()
            written.wait(30)
            scope.current.words("agment", 99)

    thread = threading.Thread(target=look)
    thread.start()
    looking.wait(30)
    shelf.add(b_txt="证据 fragment2")
    written.set()
    thread.join()
    assert len(shelf.exact("agment")) == 2


def test_status_tells_the_health(shelf: Shelf) -> None:
    shelf.add(a_txt="证据", b_md="# 一\n\n别的\n")
    status = shelf.library.status()
    assert (status.documents, status.passages, status.versions) == (2, 2, 2)
    assert status.characters == sum(len((shelf.folder / n).read_text("utf-8")) for n in ("a.txt", "b.md"))
    assert status.index_position == status.generation and status.index == shelf.kind
    assert [root.path for root in status.roots] == [str(shelf.folder)] and not status.stale
    assert json.dumps(status.path) and status.library_bytes > 0


def test_times_relative_to_now_select_fresh_files(shelf: Shelf) -> None:
    shelf.add(old_txt="证据 旧")
    fresh = shelf.write("new.txt", "证据 新")
    at = (datetime.now() - timedelta(hours=1)).timestamp()
    os.utime(fresh, (at, at))
    shelf.library.sync()
    assert names(shelf.exact("证据", since="7d")) == ["new.txt"] == names(shelf.ranked("证据", since="最近3天"))
    assert names(shelf.raw(until="2024")) == ["old.txt"]
