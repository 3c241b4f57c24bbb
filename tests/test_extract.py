"""Each format becomes verbatim text, with the headings, dates and names that its author gave it."""

import json
import re
import time
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from extracted import documents
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import EXTRACTORS, MEDIA_TYPES, extractor, media_type_of
from yuanwen.extract.dates import iso
from yuanwen.extract.table import rows

FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"


def one(text: str | bytes, kind: str) -> Extracted:
    data = text if isinstance(text, bytes) else text.encode()
    (document,) = documents(Raw(name="file", data=data, media_type=kind))
    return document


def file(name: str) -> bytes:
    path = FILES / name
    if not path.exists():
        pytest.skip(f"the corpus file {name} is not here")
    return path.read_bytes()


def outline(document: Extracted) -> list[tuple[int, str]]:
    """Return the levels and texts of the headings, each of which must stand where it says."""
    for heading in document.headings:
        assert document.text[heading.start :].lstrip(" #\t").startswith(heading.text.split()[0])
    return [(heading.level, heading.text) for heading in document.headings]


# ---------------------------------------------------------------------------------------- media types


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("a.md", b"# a", "text/markdown"),
        ("a.MD", b"# a", "text/markdown"),
        ("LICENSE", b"MIT License", "text/plain"),
        ("Makefile", b"all:\n\tmake", "text/plain"),
        ("a.unknown", "预算".encode("gbk"), "text/plain"),
        ("a.txt", b"", "text/plain"),
        ("a", "预算\n决算".encode("utf-16"), "text/plain"),
        ("a.txt", "A report\n".encode("utf-16-le"), "text/plain"),
        ("a.py", b"x = 1", "text/x-python"),
        ("a.txt", b"%PDF-1.7\n", "application/pdf"),
        ("a.pdf", b"\n%PDF-1.7\n", "application/pdf"),
        ("a.bin", b"PK\x03\x04", "application/zip"),
        ("a.docx", b"PK\x03\x04", MEDIA_TYPES[".docx"]),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", MEDIA_TYPES[".docx"]),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/msword"),
        ("a", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
        ("a.doc", b"{\\rtf1", "application/rtf"),
        ("a.doc", b"<html><body>", "text/html"),
        ("page", b"\n<!DOCTYPE html>", "text/html"),
        ("a.md", b"<html>", "text/markdown"),
        ("a.so", b"\x7fELF\2\1\1" + bytes(40), None),
        ("a", bytes(range(256)), None),
        ("a.txt", b"text" * 500 + b"\0", "text/plain"),
        ("a", b"text" * 500 + b"\0", None),
        (".gitignore", b"*.log", "text/plain"),
    ],
)
def test_name_and_first_bytes_tell_the_media_type(name: str, head: bytes, kind: str | None) -> None:
    assert media_type_of(name, head) == kind


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [("a.7z", b"7z\xbc\xaf\x27\x1c", "7-Zip"), ("a", b"Rar!\x1a\x07\0", "RAR"), ("论文.caj", b"CAJ", "CAJ")],
)
def test_a_format_that_is_not_read_is_called_by_its_name(name: str, data: bytes, kind: str) -> None:
    with pytest.raises(Unreadable) as error:
        extractor(media_type_of(name, data))
    assert error.value.text().startswith(f"{kind} is not supported yet.")


def test_binary_data_is_refused_as_such() -> None:
    with pytest.raises(Unreadable, match="binary file"):
        extractor(None)


def test_every_extractor_of_the_table_is_there() -> None:
    for target in EXTRACTORS.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
    assert {kind for kind in MEDIA_TYPES.values() if kind.startswith("text/")} >= {
        "text/plain",
        "text/markdown",
    }


def test_a_reader_that_crashes_is_a_reason_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(raw: Raw) -> tuple[Extracted, ...]:
        raise RecursionError("{deep}")

    monkeypatch.setattr("yuanwen.extract.extractor", lambda kind: crash)
    with pytest.raises(Unreadable, match="its reader failed \\(RecursionError\\)"):
        one("x", "text/plain")


def test_a_file_of_white_space_has_no_text() -> None:
    with pytest.raises(Unreadable, match="there is no text in it"):
        one(b"\xef\xbb\xbf \n\t", "text/plain")


# ---------------------------------------------------------------------------------------------- text


def test_plain_text_is_kept_with_its_line_ends() -> None:
    document = one("一\r\n二\r三\n\u2028\f", "text/plain")
    assert (document.text, document.title, document.headings) == ("一\r\n二\r三\n\u2028\f", "", ())


def test_chapters_of_a_chinese_text_are_headings() -> None:
    text = (
        "劳动法\n\n第一编 总则\n　　第一章　总则\r\n第一条 为了保护劳动者。\n第二章 促进就业\n"
        "第三节  特别规定\n第十二章\n第二部分 附则\n第一章 总则 ...... 3\n第一回 甄士隐梦幻识通灵\n"
        "第三章的内容见附件\n在第四章 里\n第五章 这是一句话，不是标题。\n第二节课\n第三部\n第四章附则"
    )
    assert outline(one(text, "text/plain")) == [
        (1, "第一编 总则"), (2, "第一章　总则"), (2, "第二章 促进就业"), (3, "第三节  特别规定"),
        (2, "第十二章"), (1, "第二部分 附则"), (2, "第一回 甄士隐梦幻识通灵"), (1, "第三部"),
        (2, "第四章附则"),
    ]  # fmt: skip


def test_source_code_has_no_chapters() -> None:
    assert one("第一章 总则\n", "text/x-python").headings == ()


def test_an_encoding_and_its_losses_are_told() -> None:
    document = one(file("own/gbk_one_bad_byte.txt"), "text/plain")
    assert (document.encoding, document.replaced) == ("gb18030", 1)


# ------------------------------------------------------------------------------------------ markdown


def test_front_matter_gives_title_date_tags_and_author() -> None:
    text = (
        '---\ntitle: "预算: 说明"\ndate: 2026-11-30 # 定稿\nauthor:\n  - 张三\n  - 李四\n'
        "tags: [财务, \"年度\", '#报告']\n"
        "draft: true\nnested:\n  title: no\nurl: http://x/\n---\n# 标题\n正文"
    )
    document = one(text, "text/markdown")
    assert document.text == text
    assert document.title == "预算: 说明"
    assert document.dated == "2026-11-30T00:00:00+00:00"
    assert document.author == "张三, 李四"
    assert document.tags == ("财务", "年度", "报告")
    assert outline(document) == [(1, "标题")]


@pytest.mark.parametrize("tags", ["tags:\n- a\n- b", "tags: a, b", "tags: a，b", "tags: [a, b, a]", "Tags: ['a', b]"])
def test_tags_are_read_in_any_notation(tags: str) -> None:
    assert one(f"---\n{tags}\n---\ntext", "text/markdown").tags == ("a", "b")


@pytest.mark.parametrize("text", ["---\nno pairs\n---\ntext", "---\ntitle: never closed\n", "\n---\ntitle: x\n---\n"])
def test_what_is_no_front_matter_is_text(text: str) -> None:
    document = one(text + "\n# H\n", "text/markdown")
    assert document.title == "H"


def test_headings_of_both_kinds_are_found_but_not_in_code() -> None:
    text = (
        "# One #\n\nTwo\n===\n\nThree\nlines\n---\n\n```python\n# no\n```\n~~~\n## no\n```\n~~~\n"
        "- item\n---\n> quote\n---\n"
        "####### no\n#no\n    # no\n\ntext\n- a\n---\n***\n---\nx\n\n"
        "- ```\n  # no\n  ```\n### C# ###\n## \n#\tTab\n"
    )
    assert outline(one(text, "text/markdown")) == [
        (1, "One"), (1, "Two"), (2, "Three lines"), (3, "C#"), (1, "Tab"),
    ]  # fmt: skip


def test_headings_keep_their_offsets_with_crlf_and_gbk() -> None:
    document = one("\r\n# 总则\r\n正文\r\n\r\n附则\r\n----\r\n".encode("gbk"), "text/markdown")
    assert [document.text[heading.start :][:2] for heading in document.headings] == ["# ", "附则"]
    assert document.title == "总则"


@given(text=st.text(st.sampled_from("# -=`~>\n\r\t*_a文:[]\"'1."), max_size=200))
@settings(deadline=None)
def test_any_markdown_is_kept_verbatim(text: str) -> None:
    document = one(text + "x", "text/markdown")
    assert document.text == text + "x"
    starts = [heading.start for heading in document.headings]
    assert starts == sorted(set(starts))


@pytest.mark.parametrize("text", ["# " + " " * 200_000 + "x", "---\na" + " " * 200_000, "`" * 200_000, "- " * 100_000])
def test_markdown_made_to_be_slow_is_not(text: str) -> None:
    started = time.process_time()
    one(text + "x", "text/markdown")
    assert time.process_time() - started < 5


# ------------------------------------------------------------------------------------------ csv and tsv


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("a,b\nc,d\n", ["a,b\n", "c,d\n"]),
        ("a,b\r\nc,d", ["a,b\r\n", "c,d"]),
        ('a,"b\nstill ""b"""\nc,d\n', ['a,"b\nstill ""b"""\n', "c,d\n"]),
        ('a;"x\ny"\nb;2\n', ['a;"x\ny"\n', "b;2\n"]),
        ('5" disk,1\n3" disk,2\n', ['5" disk,1\n', '3" disk,2\n']),
        ('a,"never closed\nb,2\nc,3', ['a,"never closed\n', "b,2\n", "c,3"]),
        ("a\n\n\nb\n", ["a\n\n\n", "b\n"]),
        ("", []),
    ],
)
def test_rows_start_where_a_spreadsheet_starts_them(text: str, starts: list[str]) -> None:
    offsets = [*rows(text), len(text)]
    assert [text[start:end] for start, end in pairwise(offsets)] == starts


def test_a_table_is_kept_as_it_is() -> None:
    document = one(file("markitdown_test_mskanji.csv"), "text/csv")
    assert (document.encoding, document.text[:8], document.headings) == ("cp932", "名前,年齢,住所", ())
    assert [document.text[start] for start in document.paragraphs] == ["名", "佐", "三", "髙"]


# ---------------------------------------------------------------------------------------------- records


def record(number: int = 1, **changes: object) -> dict[str, object]:
    return {
        "id": f"P{number:03}",
        "title": "手册",
        "source": "a.md",
        "paragraph": number,
        "body": "正文。",
    } | changes


def records(items: list[Any], *, lines: bool = False) -> tuple[Extracted, ...]:
    text = "\n".join(json.dumps(item) for item in items) if lines else json.dumps(items, ensure_ascii=False)
    kind = "application/jsonl" if lines else "application/json"
    return documents(Raw(name="x", data=text.encode(), media_type=kind))


@pytest.mark.parametrize("lines", [False, True])
def test_records_become_one_document_for_each_source(lines: bool) -> None:
    items = [
        record(1, source="b.md", title="乙", tags=["x", "y", "x"], date="2026-11-30"),
        record(2, body="甲一", title="甲"),
        record(3, source="b.md", body="乙二", title="其他", extra=1, tags=None),
    ]
    first, second = records(items, lines=lines)
    assert (first.source, first.title, first.text) == ("b.md", "b.md", "正文。乙二")
    assert (second.source, second.title, second.text) == ("a.md", "a.md", "甲一")
    assert [entry.label for entry in first.records] == ["P001", "P003"]
    assert (first.records[0].tags, first.records[0].dated) == (("x", "y"), "2026-11-30T00:00:00+00:00")
    assert (first.records[1].paragraph, first.records[1].title, first.records[1].tags) == (3, "其他", ())


bodies = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")).filter(str.strip)


@given(
    items=st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), bodies), min_size=1, max_size=8),
    lines=st.booleans(),
)
@settings(deadline=None)
def test_records_tile_the_text_in_their_order(items: list[tuple[str, str]], lines: bool) -> None:
    given_ = [record(n, source=source, body=body) for n, (source, body) in enumerate(items, 1)]
    documents = records(given_, lines=lines)
    assert [document.source for document in documents] == list(dict.fromkeys(source for source, _ in items))
    for document in documents:
        spans = [(entry.start, entry.end) for entry in document.records]
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(document.text)
        assert [document.text[start:end] for start, end in spans] == [
            body for source, body in items if source == document.source
        ]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"body": ""}, '"body" is empty'),
        ({"title": " \u3000\n"}, '"title" is empty'),
        ({"source": None}, '"source" is not a text'),
        ({"body": 5}, '"body" is not a text'),
        ({"paragraph": 0}, '"paragraph" is not a positive whole number'),
        ({"paragraph": True}, '"paragraph" is not a positive whole number'),
        ({"paragraph": "1"}, '"paragraph" is not a positive whole number'),
        ({"paragraph": 1.0}, '"paragraph" is not a positive whole number'),
        ({"body": "\ud800"}, '"body" holds half a character'),
        ({"body": "a\0b"}, '"body" holds a NUL'),
        ({"tags": "x"}, '"tags" is not a list of texts'),
        ({"tags": [" "]}, '"tags" is not a list of texts'),
        ({"date": "someday"}, '"date" is not a date'),
        ({"date": 2026}, '"date" is not a date'),
    ],
)
@pytest.mark.parametrize("first", [False, True])
def test_a_record_that_is_wrong_is_named(changes: dict[str, object], fault: str, first: bool) -> None:
    wrong = record(2, **changes)
    items = [wrong, record(1)] if first else [record(1), wrong]
    with pytest.raises(Unreadable) as error:
        records(items, lines=True)
    assert str(error.value).startswith(f'record {1 if first else 2} (id "P002"): {fault}')


def test_a_missing_or_unusable_id_is_named_by_number() -> None:
    without = {key: value for key, value in record(2).items() if key != "id"}
    for wrong, said in [(without, '"id" is missing'), (record(2, id=7), '"id" is not a text')]:
        with pytest.raises(Unreadable) as error:
            records([record(1), wrong])
        assert str(error.value).startswith(f"record 2: {said}")
    with pytest.raises(Unreadable, match="record 2 is not an object"):
        records([record(1), 5])
    with pytest.raises(Unreadable, match="record 1 is not an object"):
        records([5, record(1)])
    with pytest.raises(Unreadable, match='"source" is missing'):
        records([{"id": "{x}", "title": "a", "body": "b", "paragraph": 1}])


def test_an_id_used_twice_names_both_records() -> None:
    with pytest.raises(Unreadable, match='records 1 and 3 have the same id, "P001"'):
        records([record(1), record(2), record(3, id="P001")])


def test_braces_in_ids_do_no_harm() -> None:
    with pytest.raises(Unreadable, match=re.escape("{0}{x}")):
        records([record(1, id="{0}{x}", body="")])


def test_broken_json_is_named_by_line_and_column() -> None:
    with pytest.raises(Unreadable, match="broken JSON at line 2, column 1"):
        one('[{"id": 1},\n', "application/json")
    with pytest.raises(Unreadable, match="broken JSON at line 3, column 7"):
        one(json.dumps(record(1)) + '\n\n{"id":,\n', "application/jsonl")


def test_records_must_be_utf8() -> None:
    data = json.dumps([record(1)], ensure_ascii=False).encode("gbk")
    with pytest.raises(Unreadable, match="it is not UTF-8 \\(line 1\\)"):
        one(data, "application/json")
    assert one(b"\xef\xbb\xbf" + json.dumps(record(1)).encode(), "application/jsonl").text == "正文。"


def test_an_emoji_written_as_two_escapes_is_one_character() -> None:
    (document,) = records([record(1, body="笑😀")], lines=True)
    assert document.text == "笑😀"


@pytest.mark.parametrize("data", ["[]", " [ ] "])
def test_an_empty_array_holds_no_records(data: str) -> None:
    with pytest.raises(Unreadable, match="it holds no records"):
        one(data, "application/json")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"id": "a", "title": "b", "source": "c"}', "application/json"),
        ('{"name": "x", // comment\n}', "application/json"),
        ("[1, 2, 3]", "application/json"),
        ('[{"id": 1, "name": "x"}]', "application/json"),
        ('{"role": "user"}\n{"role": "assistant"}\n', "application/jsonl"),
        ("not JSON at all", "application/jsonl"),
        ("[" * 100_000, "application/json"),
        ('{"n": ' + "9" * 5000 + "}", "application/jsonl"),
    ],
)
def test_json_of_other_kinds_is_plain_text(text: str, kind: str) -> None:
    document = one(text, kind)
    assert (document.text, document.media_type, document.records, document.source) == (text, kind, (), None)


# ------------------------------------------------------------------------------------------------ dates


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-11-30", "2026-11-30T00:00:00+00:00"),
        (" 2026-1-3 ", "2026-01-03T00:00:00+00:00"),
        ("2026/11/30", "2026-11-30T00:00:00+00:00"),
        ("2026.11.30", "2026-11-30T00:00:00+00:00"),
        ("2026年11月30日", "2026-11-30T00:00:00+00:00"),
        ("2026年1月3日 9时30分", "2026-01-03T09:30:00+00:00"),
        ("２０２６年１月３日", "2026-01-03T00:00:00+00:00"),
        ("2026-11-30T09:00:00Z", "2026-11-30T09:00:00+00:00"),
        ("2026-11-30T09:00:00.123+08:00", "2026-11-30T09:00:00+08:00"),
        ("2026-11-30 09:00:00 +0800", "2026-11-30T09:00:00+08:00"),
        ("2026-11-30 9:05", "2026-11-30T09:05:00+00:00"),
        ("20261130", "2026-11-30T00:00:00+00:00"),
        ("Mon, 30 Nov 2026 09:00:00 +0800", "2026-11-30T09:00:00+08:00"),
        ("Mon, 30 Nov 2026 09:00:00 -0000", "2026-11-30T09:00:00+00:00"),
        ("2026-13-01", None),
        ("2026-02-30", None),
        ("2026", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_are_read_in_common_forms(text: str, date: str | None) -> None:
    assert iso(text) == date


@given(text=st.text(max_size=30))
def test_no_text_crashes_the_date_reader(text: str) -> None:
    iso(text)
