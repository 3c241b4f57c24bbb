"""What is right for each file of the corpus, as its SOURCES.md says."""

from dataclasses import dataclass
from importlib.util import find_spec

from yuanwen.extract import ocr
from yuanwen.place import Place

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
