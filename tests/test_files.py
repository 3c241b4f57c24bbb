"""Every file of the shared corpus goes through the whole; what is right for each stands in its SOURCES.md."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from corpus_files import FILES
from corpus_right import CRASHED, LOCKED, PASSWORD, READ

from yuanwen import Library
from yuanwen.errors import Unreadable
from yuanwen.library import extract
from yuanwen.model import Evidence, Hit
from yuanwen.place import Mark
from yuanwen.reports import Document, Report

SOURCES = FILES / "SOURCES.md"
pytestmark = [
    pytest.mark.big,
    pytest.mark.skipif(not SOURCES.exists(), reason="the corpus of files is not here"),
]


@dataclass(frozen=True)
class Read:
    """The files of the corpus in a library: the report, and by name each document with its passages in order."""

    library: Library
    report: Report
    documents: dict[str, Document]
    passages: dict[str, tuple[Hit, ...]]

    def text(self, name: str) -> str:
        return "".join(passage.text for passage in self.passages[name])

    def marks(self, name: str) -> list[tuple[str, Mark]]:
        return [(hit.text[mark.start : mark.end], mark) for hit in self.passages[name] for mark in hit.marks]

    def search(self, query: str) -> Evidence:
        return self.library.search(query, mode="exact", limit=100)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    with Library.open(tmp_path_factory.mktemp("files") / "library.sqlite") as library:
        report = library.add(FILES, exclude=[SOURCES.name])
        hits = sorted(library.search("", mode="raw", limit=10**6).hits, key=lambda hit: (hit.source, hit.start))
        passages = {_name(source): tuple(group) for source, group in groupby(hits, lambda hit: hit.source)}
        yield Read(library, report, {_name(found.source): found for found in library.list()}, passages)


def _name(source: str) -> str:
    return Path(source).relative_to(FILES).as_posix()


# -------------------------------------------------------------------------------------------------- each


def test_the_table_has_every_file_that_sources_names() -> None:
    here = {_name(str(path)) for path in FILES.rglob("*") if path.is_file()} - {SOURCES.name}
    assert set(READ) == here and len(here) >= 69


@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_its_source_says(read: Read, name: str) -> None:
    right = READ[name]
    skips = [skip for skip in read.report.skipped if skip.source == str(FILES / name)]
    if right.skip:
        assert [skip.reason for skip in skips] == [right.skip] and skips[0].hint
        assert name not in read.documents
        return
    text, document = read.text(name), read.documents[name]
    assert not skips and (text == right.text or not right.text)
    for part in (*right.has, *right.once):
        assert part in text, part
    assert all(text.count(part) == 1 for part in right.once)
    assert not any(part in text for part in right.lacks)
    assert right.hanzi in (None, len(re.findall("[\u3400-\u9fff]", text)))
    assert (document.encoding, document.replaced) == (right.encoding, right.replaced)
    assert right.title in ("", document.title) and right.author in ("", document.author)
    assert document.dated.startswith(right.dated)


@pytest.mark.parametrize("name", [name for name, right in READ.items() if right.at])
def test_a_passage_says_where_it_stands(read: Read, name: str) -> None:
    for part, wanted in READ[name].at:
        (place, *_) = [hit.place for hit in read.passages[name] if part in hit.text]
        assert place is not None and (place.unit, place.number) == (wanted.unit, wanted.number)
        assert wanted.name in ("", place.name) and place.columns[: len(wanted.columns)] == wanted.columns
        assert not wanted.cells or _row(place.cells)[0] <= _row(wanted.cells)[0] <= _row(place.cells)[-1]


def _row(cells: str) -> list[int]:
    return [int(row) for row in re.findall(r"\d+", cells)]


@pytest.mark.parametrize("name", [name for name, right in READ.items() if right.marked])
def test_what_has_to_be_known_about_a_text_is_marked(read: Read, name: str) -> None:
    for part, kind in READ[name].marked:
        assert any(part in text for text, mark in read.marks(name) if mark.kind == kind)


def test_a_reading_and_an_automatic_number_stand_beside_the_text(read: Read) -> None:
    assert [mark.note for _, mark in read.marks("tika_testWORD_phonetic.docx")] == ["とうきょう"]
    numbers = read.marks("docling_unit_test_headers_numbered.docx")
    assert [mark.note for _, mark in numbers[:4]] == ["1.", "1.1.", "1.2.", "1.2.1."]
    headings = {hit.heading for hit in read.passages["docling_unit_test_headers_numbered.docx"]}
    assert ("1. Section 1", "1.2. Section 1.2", "1.2.1. Section 1.2.3") in headings


def test_a_strict_workbook_has_all_its_fifteen_cells(read: Read) -> None:
    assert len(re.findall(r"[^\t\n]+", read.text("tika_testEXCEL.strict.xlsx"))) == 15


# --------------------------------------------------------------------------------------------------- all


def test_counts_add_up_to_the_files_that_there_are(read: Read) -> None:
    report = read.report
    skipped = {_name(skip.source) for skip in report.skipped}
    assert skipped == {SOURCES.name, *(name for name, right in READ.items() if right.skip)}
    assert (report.files, report.unchanged, report.removed) == (len(READ) + 1, 0, 0)
    assert report.indexed == len(read.documents) == report.files - len(skipped)
    assert report.passages == sum(map(len, read.passages.values())) == sum(d.passages for d in read.documents.values())
    assert read.library.status().unread == ()
    (warning,) = [one for one in report.warnings if "could not be decoded" in one]
    assert "gbk_one_bad_byte.txt" in warning


def test_passages_rebuild_each_text(read: Read) -> None:
    for name, passages in read.passages.items():
        text = read.text(name)
        assert passages[0].start == 0 and passages[-1].end == len(text) == read.documents[name].characters
        assert all(before.end == after.start for before, after in pairwise(passages))
        assert all(text[passage.start : passage.end] == passage.text for passage in passages)
        assert not re.search("[\0\ufffe\uffff\ud800-\udfff]", text), name
    assert read.library.check().problems == ()


def test_what_is_stored_is_what_a_second_reading_gives(read: Read) -> None:
    for name in read.passages:
        if any(mark.kind == "recognised" for _, mark in read.marks(name)):
            continue  # takes long, and has a test of its own
        ((document, passages),) = extract(FILES / name).documents
        assert document.text == read.text(name)
        stored = [(hit.start, hit.text, hit.place, hit.marks, hit.heading) for hit in read.passages[name]]
        assert stored == [(one.start, one.text, one.place, one.marks, one.heading) for one in passages]


# ----------------------------------------------------------------------------------------------- finding


@pytest.mark.parametrize(
    ("query", "name", "quotation"),
    [
        ("红军", "pdfjs_XiaoBiaoSong.pdf", "红 军"),
        ("关于红军作战的原则", "pdfjs_XiaoBiaoSong.pdf", "关 于 红 军 作 战 的 原 则"),
        ("全世界无产者，联合起来", "pdfjs_SimFang-variant.pdf", "全 世 界 无 产 者 ， 联 合 起 来"),
        ("确确实实存在他", "texlive_zhlipsum.pdf", "确确\n实实存在他"),
        ("一つの箱内", "pdfjs_issue15340.pdf", "⼀つの箱内"),
        ("means “prohibition rules”", "texlive_upzhkinsoku-doc.pdf", "means “prohibi-\ntion rules”"),
        ("(州)人民政府", "own/gbk_noembed_vertical.pdf", "︵州︶人民政府"),
        ("2024年1月至12月", "own/gbk_noembed_visible.pdf", "２０２４年１月至１２月"),
        ("设集合 A = {x", "texlive_exam-zh_example-single.pdf", "设集合 𝐴 = {𝑥"),
        ("朱镕基、㐀、€", "own/mail_gb2312_label_gb18030_bytes.eml", "朱镕基、㐀、€"),
        ("疑是地上霜。举头望明月", "own/poem_utf16le_nobom.txt", "疑是地上霜。\n举头望明月"),
        ("豐泰產業工會", "tika_testMSG_chinese.msg", "豐泰產業工會"),
        ("丰泰产业工会", "tika_testMSG_chinese.msg", "豐泰產業工會"),
    ],
)
def test_words_are_found_and_quoted_as_they_stand(read: Read, query: str, name: str, quotation: str) -> None:
    hits = [hit for hit in read.search(query).hits if hit.source == str(FILES / name)]
    assert hits and all(hit.state == "current" for hit in hits)
    assert quotation in {hit.text[start:end] for hit in hits for start, end in hit.matches}


def test_a_word_that_a_line_breaks_is_found_by_its_words_alone(read: Read) -> None:
    found = read.library.search("prohibition")
    assert "texlive_upzhkinsoku-doc.pdf" in {_name(hit.source) for hit in found.hits}


def test_a_notice_is_found_in_each_file_that_holds_it(read: Read) -> None:
    assert {_name(hit.source) for hit in read.search("预算执行情况检查的通知").hits} == {
        f"own/{name}_noembed{more}.pdf"
        for name, more in (("gbk", "_visible"), ("gbk", "_hidden_ocr_layer"), ("gbk", "_vertical"), ("unigb_utf16", ""))
    }


def test_a_word_that_is_in_no_file_leads_to_those_that_could_not_be_read(read: Read) -> None:
    found = read.search("没有这样的话")
    assert found.status == "abstain" and found.absence is not None and found.absence.kind == "unsearchable"
    named = {_name(skip.source): skip.reason for skip in found.absence.unsearchable}
    assert named["pdfjs_pr6531_1.pdf"] == PASSWORD and named["own/manychars.pdf"] == CRASHED


# ----------------------------------------------------------------------------------------------- secrets


def test_files_with_a_password_are_read_with_it_and_without_forgetting_it(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library.sqlite") as library:
        paths = [FILES / name for name in LOCKED]
        assert [skip.reason for skip in library.add(*paths).skipped] == [PASSWORD] * 2
        report = library.add(*paths, passwords=["wrong", *(password for password, _ in LOCKED.values())])
        assert (report.indexed, report.skipped) == (2, ())
        for name, (_, words) in LOCKED.items():
            (hit,) = library.search(words, mode="exact").hits
            assert hit.source == str(FILES / name)
        assert library.sync().unchanged == 2
        with pytest.raises(Unreadable, match=PASSWORD):
            extract(FILES / "pdfjs_pr6531_1.pdf", passwords=["wrong"])
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or not any(password.encode() in path.read_bytes() for password in ("asdfasdf", "wrong"))


@pytest.mark.skipif(os.name == "nt", reason="there is no such file")
def test_no_file_of_the_machine_is_read_for_a_document(read: Read) -> None:
    account = Path("/etc/passwd").read_text().splitlines()[0]
    assert read.search(account).found == 0
