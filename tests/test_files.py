"""Every file of the shared corpus goes through the whole; what is right for each stands in its SOURCES.md."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from corpus_files import FILES

from yuanwen import Library
from yuanwen.errors import Unreadable
from yuanwen.extract import ocr
from yuanwen.library import extract
from yuanwen.model import Evidence, Hit
from yuanwen.place import Mark, Place
from yuanwen.reports import Document, Report

SOURCES = FILES / "SOURCES.md"
pytestmark = [pytest.mark.big, pytest.mark.skipif(not SOURCES.exists(), reason="the corpus of files is not here")]

NOTICE = "关于开展二〇二四年度预算执行情况检查的通知"
NOTICE_LINES = (NOTICE, "各市（州）人民政府，省级各部门：", "为加强预算管理，现将有关事项通知如下。",
                "一、检查范围：２０２４年１月至１２月。")  # fmt: skip
POEM = "静夜思\n李白\n床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n"
CRASHED = "its reader crashed, or asked for more than 2 GiB of memory"
DAMAGED = "it is damaged"
PASSWORD = "it needs a password"
DTD = "its XML has a DTD"
DEEP = "its elements are nested too deeply"
APART = "its cells are too far apart"


@dataclass(frozen=True, kw_only=True)
class Right:
    """What is right for a file: parts of its text, or all of it, and how many Han characters it has in all.

    `at` says where a part stands; `marked` what has to be known about one. With `skip` there is nothing but a reason.
    """

    has: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    text: str = ""
    hanzi: int | None = None
    title: str = ""
    author: str = ""
    dated: str = ""
    encoding: str = "utf-8"
    replaced: int = 0
    at: tuple[tuple[str, Place], ...] = ()
    marked: tuple[tuple[str, str], ...] = ()
    skip: str = ""


def page(number: int) -> Place:
    return Place(unit="page", number=number)


def comment(number: int) -> Place:
    return Place(unit="comments", number=number)


ISSUES = ("", "title", "file", "url", "detail", "id")
READ = {
    "pdfjs_XiaoBiaoSong.pdf": Right(
        has=("目 \u3000 \u3000 录 \n关 于 红 军 作 战 的 原 则", "１ ３"), hanzi=207, at=(("关 于 红 军", page(1)),)
    ),
    "pdfjs_SimFang-variant.pdf": Right(has=("全 世 界 无 产 者 ， 联 合 起 来",), hanzi=10),
    "pdfjs_vertical.pdf": Right(text="日本語\nあいうえお", at=(("日本語", page(1)),)),
    "pdfjs_90ms_rksj_h_sample.pdf": Right(text="Hello ASCII\n日本語テスト"),
    "pdfjs_issue15340.pdf": Right(has=("構を⼀つの箱内に収めたものは",), lacks=("一つの",)),
    "pdfjs_issue18117.pdf": Right(has=("𨧀、𨭎、𨨏、𨭆",), marked=(("𨧀、𨭎、𨨏、𨭆", "garbled"),)),
    "pdfjs_issue16538.pdf": Right(has=("標準 マーケットモデルは 2 次元で説明する",), hanzi=215),
    "pdfjs_annotation-text-widget.pdf": Right(has=("Single line, combs", "Pellentesque habitant morbi tristique")),
    "pdfjs_pr6531_1.pdf": Right(skip=PASSWORD),
    "pdfjs_poppler-395-0-fuzzed.pdf": Right(skip=DAMAGED),
    "pdfplumber_issue-842-example.pdf": Right(
        once=("安徽安利合成革股份有限公司", "披露日期：2012 年 3 月 27 日"), dated="2012-03-26"
    ),
    "docling_invisible_text_layer.pdf": Right(
        text="Visible heading line\nInvisible OCR text layer", marked=(("Invisible OCR text layer", "invisible"),)
    ),
    "docling_ocr_test_rotated_90.pdf": Right(
        text="Docling bundles PDF document conversion to\nJSON and Markdown in an easy self contained\npackage",
        marked=(("Docling bundles", "recognised"),),
        at=(("package", page(1)),),
    ),
    "tika_testPDF_rotated.pdf": Right(
        has=("Apache Tika - Apache Tika http://incubator",), title="Apache Tika - Apache Tika",
        at=(("Latest", page(1)),),
    ),
    "tika_testOverlappingText.pdf": Right(once=("Text the first time", "Text the second time")),
    "tika_testPDF_acroform3.pdf": Right(once=("✔", "comboItemB", "listItemB"), title="pdf-form-with-signature-field"),
    "unstructured_rotated-page-90.pdf": Right(
        once=("Rotated page fixture", "Second line of text here", "Hello World Test Text")
    ),
    "texlive_zhlipsum.pdf": Right(
        has=("超越空间确确\n实实存在他",), hanzi=3421, title="zhlipsum: 中文乱数假文（Lorem ipsum）", author="曾祥东",
        at=(("确确\n实实", page(1)), ("已知问题", page(4))),
    ),
    "texlive_upzhfandolfonts-test.pdf": Right(has=("庄子曰：“吾生也有涯",), hanzi=732),
    "texlive_exam-zh_example-single.pdf": Right(
        has=("设集合 𝐴 = {𝑥 ∣ −1 < 𝑥 < 4}",), at=(("设集合", page(1)),),
        marked=(("̾Ɠ뻛ȗؘ뻜", "garbled"), ("ͩǋƂֻ뻭", "garbled")),
    ),
    "texlive_nanicolle-ex-zh.pdf": Right(has=("采集人 杨宇昌\n", "产地 内蒙古自治区赤峰市阿鲁科尔沁旗\n")),
    "texlive_upzhkinsoku-doc.pdf": Right(has=("“prohibi-\ntion rules”",), dated="2018-04-07"),
    "docling_textbox.docx": Right(once=("Student falls ill", "＊ Fever", "＊ Sore throat"), title="傳染病通報作業流程"),
    "docling_Strict.docx": Right(text="Some text", dated="2021-11-14"),
    "docling_unit_test_headers_numbered.docx": Right(
        has=("Test Document\nSection 1\nParagraph 1.1",), lacks=("1. Section 1",), title="Test Document"
    ),
    "docling_docx_comments.docx": Right(
        has=("This third paragraph has no comments attached to it.",),
        at=(("This is a sample reviewer comment", comment(1)), ("Anonymous feedback", comment(3))),
    ),
    "tika_testWORD_phonetic.docx": Right(text="東京", marked=(("東京", "reading"),)),
    "tika_testWORD_protected_passtika.docx": Right(skip=PASSWORD),
    "chatchat_ocr_test.docx": Right(text="我是文字\n我是表格1\t我是表格2\n我是表格3\t我是表格4"),
    "chatchat_ocr_test.pptx": Right(has=("我是文字", "我是表格1\t"), at=(("我是文字", Place(unit="slide", number=1)),)),
    "chatchat_ocr_test.jpg": Right(once=("横向文本框", "竖向文本框"), marked=(("横向文本框", "recognised"),)),
    "tika_testPPT_diagramData.pptx": Right(has=("President\nVP – HR\nManager 1\nVP - Marketing\nManager 1",)),
    "chatchat_langchain-ChatGLM_closed.xlsx": Right(
        has=("\ttitle\tfile\turl\tdetail\tid\n0\t加油~以及一些建议\t",),
        at=(("加油~", Place(unit="sheet", number=1, name="Sheet1", cells="A2", columns=ISSUES)),),
    ),
    "tika_testEXCEL.strict.xlsx": Right(
        has=("2nd row\t2nd row 2nd column\nThis one is red", "cb=1\tcb=10\tcb=2\tcb=sum\n1\t10\t2\t13"),
        title="Sample Spreadsheet", author="Nick Burch", at=(("Start of 2nd sheet", Place(unit="sheet", number=2)),),
    ),
    "tika_testEPUB.epub": Right(
        has=("This is the text for chapter One",), title="An ePub for Tika", author="Bart Hanssens",
        at=(("superchapters", Place(unit="chapter", number=4, name="Chapter 2")),),
    ),
    "tika_testMSG_chinese.msg": Right(
        has=("中文測試", "豐泰產業工會常務理事"), title="Alfresco MSG format testing ( MSG 格式測試 )",
        encoding="big5hkscs", dated="2011-03-29",
    ),
    "tika_gbk.zip": Right(
        skip="审计压缩包文件检索测试/集团邮件审计系统2021年自动巡检需求文档_V4.0.doc: empty file"
    ),
    "markitdown_test_mskanji.csv": Right(
        has=("名前,年齢,住所\r\n佐藤太郎,30,東京\r\n", "髙橋淳"), encoding="cp932",
        at=(("名前", Place(unit="line", number=1)),),
    ),
    "unstructured_fake-text-utf-16-le.txt": Right(has=("This is a test document",), encoding="utf-16-le"),
    "own/gbk_noembed_visible.pdf": Right(text="\n".join(NOTICE_LINES)),
    "own/unigb_utf16_noembed.pdf": Right(text="\n".join(NOTICE_LINES)),
    "own/gbk_noembed_hidden_ocr_layer.pdf": Right(text="\n".join(NOTICE_LINES), marked=((NOTICE, "invisible"),)),
    "own/gbk_noembed_vertical.pdf": Right(text="\n".join(NOTICE_LINES).replace("（", "︵").replace("）", "︶")),
    "own/cropbox_rotate90.pdf": Right(text="Crop box test line one\nSecond line, page rotated"),
    "own/cropbox_rotate270.pdf": Right(text="Crop box test line one\nSecond line, page rotated"),
    "own/poem_gbk.txt": Right(text=POEM, encoding="gb18030"),
    "own/poem_big5.txt": Right(
        text="靜夜思\n李白\n床前明月光，疑是地上霜。\n舉頭望明月，低頭思故鄉。\n", encoding="big5hkscs"
    ),
    "own/poem_utf16le_nobom.txt": Right(text=POEM, encoding="utf-16-le"),
    "own/poem_utf16be_bom.txt": Right(text=POEM, encoding="utf-16-be"),
    "own/poem_utf8_bom.txt": Right(text=POEM),
    "own/poem_gb18030_rare.txt": Right(text=f"{POEM}生僻字：㐀 䶮 𠀀 𪚥 龘 朱镕基 €\n", encoding="gb18030"),
    "own/short_gbk.txt": Right(text="预算", encoding="gb18030"),
    "own/ascii_prefix_gbk_comment.py": Right(has=("本程序用于计算年度预算执行情况",), encoding="gb18030"),
    "own/gbk_one_bad_byte.txt": Right(has=(POEM, "�白\n床前明月光"), encoding="gb18030", replaced=1),
    "own/crlf_mixed_newlines.txt": Right(text="第一行\r\n第二行\r第三行\n第四行\u2028第五行\x0c第六页"),
    "own/page_gb2312_label_gb18030_bytes.html": Right(
        has=("总理朱镕基，㐀，价格€5",), lacks=("script", "style", "function"), title="通知", encoding="gb18030",
        marked=(("隐藏文字", "invisible"),),
    ),
    "own/page_meta_lies_utf8.html": Right(has=("总理朱镕基", "未闭合段落"), title="通知", encoding="gb18030"),
    "own/mail_gb2312_label_gb18030_bytes.eml": Right(
        has=("您好，朱镕基、㐀、€ 测试。",), author="张三 <a@example.com>", encoding="gb18030"
    ),
    "own/mail_raw8bit_headers.eml": Right(has=("正文没有声明编码",), title="年度预算", encoding="gb18030"),
    "own/sparse.xlsx": Right(skip=APART),
    "own/laughs.docx": Right(skip=DTD),
    "own/xxe.docx": Right(skip=DTD),
    "own/deep.docx": Right(skip=DEEP),
    "own/tables.docx": Right(skip=DEEP),
    "own/manychars.pdf": Right(skip=CRASHED),
    "own/expform.pdf": Right(skip=CRASHED),
    "own/hugebox.pdf": Right(text="hello"),
    "own/html_quadratic_a.html": Right(skip="there is no text in it"),
    "own/html_deep_div.html": Right(text="deep"),
}  # fmt: skip
# Of an encrypted file the password, and what is in it.
LOCKED = {
    "pdfjs_pr6531_1.pdf": ("asdfasdf", "memecrunch.com"),
    "tika_testWORD_protected_passtika.docx": ("tika", "This is an encrypted Word 2007 File"),
}
if not ocr.available():
    READ["chatchat_ocr_test.jpg"] = Right(skip="it is a picture")
    READ["docling_ocr_test_rotated_90.pdf"] = Right(skip="page 1 is a scan without text")
if find_spec("olefile") is None:
    READ["tika_testMSG_chinese.msg"] = Right(skip="Outlook mail needs one more package")


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
