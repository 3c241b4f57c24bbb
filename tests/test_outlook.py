"""Mail as Outlook saves it, in the shape of any other mail."""

import sys
from struct import pack

import pytest
from corpus_files import file
from hypothesis import given, settings
from hypothesis import strategies as st
from mail_files import MSG, one, read
from outlook_files import compound, message, wide

from yuanwen.allowance import Allowance
from yuanwen.errors import Unreadable
from yuanwen.extract.rtf import unpacked


def test_a_chinese_outlook_mail_in_an_old_code_page_is_read() -> None:
    document = one(file("tika_testMSG_chinese.msg"), MSG)
    assert document.title == "Alfresco MSG format testing ( MSG 格式測試 )" and "中文測試" in document.text
    assert document.author == "Tests Chang@FT (張毓倫)" and document.dated == "2011-03-29T08:52:48+00:00"
    assert document.text.startswith("From: Tests Chang@FT (張毓倫)\nTo: Tests Chang@FT (張毓倫)\nDate: 2011-03-29")
    assert document.encoding == "big5hkscs" and document.replaced == 0


def test_an_outlook_mail_and_what_is_attached_to_it_are_documents() -> None:
    attachment = {"__substg1.0_3707001F": wide("报告/甲.txt"), "__substg1.0_37010102": "附件".encode()}
    inner = message(24, _0037001F=wide("原邮件"), _1000001E="原文".encode("gbk"))
    inner["__attach_version1.0_#00000000"] = attachment
    forwarded = {"__substg1.0_3001001E": "原邮件".encode("gbk"), "__substg1.0_3701000D": inner}
    link = {"__substg1.0_3707001F": wide("共享.xlsx")}
    logo = {"__substg1.0_3707001F": wide("a.png"), "__substg1.0_370E001F": wide("image/png"),
            "__substg1.0_3712001F": wide("a@b"), "__substg1.0_37010102": b"\x89PNG"}  # fmt: skip
    top = message(_0037001F=wide("转发：报告"), _1000001F=wide("请看。\r\n" * 900), _0C1A001F=wide("张三"),
                  _0C1F001F=wide("z@example.com"), _0E04001F=wide("李四"))  # fmt: skip
    for number, part in enumerate((attachment, attachment, forwarded, link, logo)):
        top[f"__attach_version1.0_#{number:08X}"] = part
    documents, skips = read(compound(top), MSG)
    assert [(document.inside, document.title) for document in documents] == [
        ("", "转发：报告"), ("甲.txt", "甲"), ("甲 (2).txt", "甲 (2)"), ("原邮件", "原邮件"), ("原邮件/甲.txt", "甲"),
    ]  # fmt: skip
    assert documents[0].text.startswith("From: 张三 <z@example.com>\nTo: 李四\nDate: 2011-03-29T08:52:48+00:00\n")
    assert documents[3].text.endswith("\n\n原文") and documents[1].text == "附件"
    assert [(skip.source, skip.by_rule) for skip in skips] == [("共享.xlsx", False), ("a.png", True)]


def test_the_header_that_came_over_the_wire_is_preferred() -> None:
    header = "From: =?utf-8?B?5byg5LiJ?= <z@example.com>\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
    document = one(compound(message(_007D001F=wide(header), _1000001F=wide("正文"))), MSG)
    assert document.text == "From: 张三 <z@example.com>\nSubject: x\n\n正文"


def test_the_html_of_an_outlook_mail_is_read_where_there_is_no_text() -> None:
    page = "<h1>预算</h1><p>决算".encode("gbk")
    document = one(compound(message(_0037001F=wide("题"), _10130102=page)), MSG)
    assert document.text.endswith("Subject: 题\n\n预算\n\n决算") and document.headings[0].text == "预算"


def test_compressed_rtf_is_unpacked() -> None:
    packed = bytes.fromhex(  # the example of MS-OXRTFCP 3.1
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    rtf = b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpacked(packed, Allowance()) == rtf
    assert unpacked(packed[:30], Allowance()) == rtf[: len(unpacked(packed[:30], Allowance()))] != b""
    assert unpacked(pack("<IIII", 0, 4, 0x414C454D, 0) + b"{rtf", Allowance()) == b"{rtf"
    assert unpacked(b"x" * 20, Allowance()) == unpacked(b"", Allowance()) == b""


def test_outlook_mails_nested_without_end_are_told() -> None:
    tree = message(24, _0037001F=wide("last"))
    for _ in range(12):
        tree = message(24, _0037001F=wide("x")) | {"__attach_version1.0_#00000000": {"__substg1.0_3701000D": tree}}
    documents, skips = read(compound(tree), MSG)
    assert len(documents) == 9 and "inside more than" in skips[0].reason


def test_outlook_mail_asks_for_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "olefile", None)
    with pytest.raises(Unreadable, match=r'Outlook mail needs one more package. Run: pip install "yuanwen\[msg\]"'):
        read(compound(message()), MSG)


OUTLOOK = compound(
    message(_0037001F=wide("题"), _1000001F=wide("正文"))
    | {"__attach_version1.0_#00000000": {"__substg1.0_3701000D": message(24, _0037001E=b"x")}}
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(OUTLOOK)), st.binary(min_size=1, max_size=4)), min_size=1, max_size=4))
def test_an_outlook_mail_changed_anywhere_is_read_or_unreadable(changes: list[tuple[int, bytes]]) -> None:
    data = OUTLOOK
    for at, put in changes:
        data = data[:at] + put + data[at + len(put) :]
    try:
        read(data, MSG)
    except Unreadable as error:
        assert "reader failed" not in error.text()
