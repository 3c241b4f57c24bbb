"""Mail in any charset becomes header lines and text."""

from base64 import b64encode
from email.message import EmailMessage

import pytest
from corpus_files import file
from mail_files import HTML, RFC822, TEXT, attached, multipart, one, read
from outlook_files import compound as compound  # for every_kind.py
from outlook_files import message as message
from outlook_files import wide as wide

from yuanwen.extract.mime import field_text
from yuanwen.passages import split

# --------------------------------------------------------------------------------------- text and header


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("utf-8", "关于二〇二四年预算的通知 😀"),
        ("gb18030", "关于㐀的通知"),
        ("gbk", "学习"),  # also valid UTF-8, for other letters
        ("big5", "會議記錄與決議"),
        ("iso-2022-jp", "会議の記録です"),
        ("shift_jis", "会議の記録です"),
        ("euc-kr", "회의 기록입니다"),
        ("hz-gb-2312", "关于预算的通知"),
        ("utf-7", "关于预算的通知"),
        ("koi8-r", "Протокол заседания"),
        ("windows-1252", "Übergröße – naïve"),
    ],
)
@pytest.mark.parametrize("encoding", ["8bit", "base64", "quoted-printable"])
def test_a_mail_is_read_in_its_own_charset(charset: str, words: str, encoding: str) -> None:
    octets = words.encode(charset.removesuffix("-gb-2312"))
    coded = "".join(f"={octet:02X}" for octet in octets) if encoding[0] == "q" else b64encode(octets).decode()
    body = octets if encoding == "8bit" else coded.encode()
    kind = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {encoding}\n"
    word = f"Subject: =?{charset}?B?{b64encode(octets).decode()}?=\n"
    document = one((word + kind + "\n").encode() + body)
    assert document.text == f"Subject: {words}\n\n{words}"
    assert document.title == words and document.replaced == 0


def test_the_header_lines_of_a_reader_stand_before_the_text() -> None:
    document = one(
        "Received: from a by b\nFrom: =?utf-8?B?5byg5LiJ?= <zhang@example.com>\nTo: b@example.com,\n c@example.com\n"
        "Cc: d@example.com\nDate: Mon, 30 Nov 2026 09:00:00 +0800\nSubject: Budget\nKeywords: 预算，决算, 2026\n"
        "X-Mailer: Foxmail\n\n> 您好\n\n正文\n"
    )
    assert document.text == (
        "From: 张三 <zhang@example.com>\nTo: b@example.com, c@example.com\nCc: d@example.com\n"
        "Date: Mon, 30 Nov 2026 09:00:00 +0800\nSubject: Budget\n\n> 您好\n\n正文"
    )
    assert document.author == "张三 <zhang@example.com>" and document.dated == "2026-11-30T09:00:00+08:00"
    assert document.tags == ("预算", "决算", "2026") and document.title == "Budget"
    assert document.media_type == RFC822


def test_a_label_gb2312_means_gb18030() -> None:
    document = one(file("own/mail_gb2312_label_gb18030_bytes.eml"))
    assert document.text.endswith("\n\n您好，朱镕基、㐀、€ 测试。")
    assert document.title.startswith("关于２０２４年预算的通知") and document.author == "张三 <a@example.com>"
    assert document.replaced == 0


def test_raw_eight_bit_headers_are_read() -> None:
    document = one(file("own/mail_raw8bit_headers.eml"))
    assert document.title == "年度预算" and document.text.endswith("正文没有声明编码。")


def test_a_character_may_be_cut_between_two_encoded_words() -> None:
    octets = "关于预算的通知".encode("gbk")
    first, second = (b64encode(piece).decode() for piece in (octets[:5], octets[5:]))
    assert field_text(f"Re: =?gbk?B?{first}?=\t=?GBK?b?{second}?= (1)".encode()) == "Re: 关于预算的通知 (1)"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (b"=?utf-8?Q?=E9=A2=84_=E7=AE=97?=", "预 算"),
        (b"=?utf-8*zh?B?6aKE566X?=", "预算"),
        (b"=?nonsense?B?6aKE566X?=", "预算"),
        (b"=?utf-8?B?6aKE566X6?=", "预算"),
        (b"a =?utf-8?B?!?= b", "a  b"),
        (b"=?utf-8?X?6aKE?= =?", "=?utf-8?X?6aKE?= =?"),
        (b"=?utf-8?B?YQ0KQmNjOiBi?=", "a Bcc: b"),  # no line can be smuggled in
        ("预算".encode("gbk"), "预算"),
    ],
)
def test_encoded_words_are_read_as_far_as_they_can_be(written: bytes, text: str) -> None:
    assert field_text(written, "gbk") == text


def test_a_label_that_lies_is_not_believed() -> None:
    text = "关于预算的通知，请各部门按时提交。"
    assert one(b"Content-Type: text/plain; charset=gb2312\n\n" + text.encode()).text == text
    assert one(b"Content-Type: text/plain; charset=utf-8\n\n" + text.encode("gbk")).text == text
    assert one(b"Content-Type: text/plain; charset=x-none\n\n" + text.encode("big5hkscs", "replace")).replaced == 0


def test_what_cannot_be_read_of_a_text_is_counted() -> None:
    broken = b"Content-Transfer-Encoding: base64\nContent-Type: text/plain; charset=utf-8\n\n6aKE566X5pyA5ZCO*=\n6aKE56"
    document = one(broken)
    assert document.text.startswith("预算最后预") and document.replaced == 1


def test_padding_in_the_middle_does_not_end_base64() -> None:
    assert one("Content-Transfer-Encoding: base64\n\n" + b64encode(b"ab").decode() * 2).text == "abab"


# ------------------------------------------------------------------------------------------------- bodies


def test_plain_text_is_preferred_to_html() -> None:
    document = one(multipart("multipart/alternative", TEXT + "纯文本说的一样", HTML + "<p>网页说的<b>一样</b></p>"))
    assert document.text == "Subject: 报告\n\n纯文本说的一样"


def test_html_is_read_where_the_plain_text_is_a_stub() -> None:
    page = "<h1>季度报告</h1><p>" + "本季度收入增长。" * 20
    document = one(multipart("multipart/alternative", TEXT + "请用网页方式查看", HTML + page))
    assert document.text.startswith("Subject: 报告\n\n季度报告\n\n本季度收入增长。")
    assert [(heading.start, heading.text) for heading in document.headings] == [(13, "季度报告")]


def test_html_alone_is_read() -> None:
    document = one(multipart("multipart/alternative", TEXT + " \r\n", HTML + "<p>预算<p>决算"))
    assert document.text == "Subject: 报告\n\n预算\n\n决算"


def test_what_a_page_hides_keeps_its_mark_and_its_place() -> None:
    hidden = '<p style="display:none">看不见的预览</p>'
    document = one(
        multipart("multipart/mixed", TEXT + "前言", HTML + f"<h1>预算</h1><p>正文</p>{hidden}", TEXT + "附言")
    )
    (mark,) = document.marks
    assert document.text[mark.start : mark.end] == "看不见的预览" and mark.kind == "invisible"
    units = [
        (passage.place.unit, passage.heading, passage.text.strip()) for passage in split(document) if passage.place
    ]
    assert units == [
        ("main", ("预算",), "Subject: 报告\n\n前言\n\n预算\n\n正文"),
        ("hidden", (), "看不见的预览"),
        ("main", (), "附言"),
    ]


def test_the_one_text_of_a_mail_is_its_body_whatever_it_is_called() -> None:
    assert one("Content-Type: text/plain; name=mail.txt\n\n预算").text == "预算"


def test_text_after_an_attachment_belongs_to_the_mail() -> None:
    documents, skips = read(
        multipart("multipart/mixed", TEXT + "甲", attached("attachment; filename=b.txt"), TEXT + "乙")
    )
    assert [document.text for document in documents] == ["Subject: 报告\n\n甲\n\n乙", "内容"] and not skips


def test_attachments_among_alternatives_are_not_lost() -> None:
    rich = multipart("multipart/mixed", HTML + "<p>网页", attached("inline; filename=a.txt")).replace(
        b"=\r\n", b"=x\r\n"
    )
    rich = rich.replace(b'boundary="="', b'boundary="=x"').replace(b"--=--", b"--=x--").partition(b"\r\n")[2]
    documents, _ = read(multipart("multipart/alternative", TEXT + "纯文本", rich))
    assert [(document.inside, document.text) for document in documents] == [
        ("", "Subject: 报告\n\n纯文本"),
        ("a.txt", "内容"),
    ]


def test_ways_to_say_the_same_that_nobody_reads_are_left_out() -> None:
    amp = "Content-Type: text/x-amp-html\r\n\r\n<p>动态"
    assert one(multipart("multipart/alternative", TEXT + "正文", amp)).text == "Subject: 报告\n\n正文"
    documents, _ = read(multipart("multipart/mixed", TEXT + "正文", amp))
    assert len(documents) == 2 and "动态" in documents[1].text


def test_a_multipart_whose_parts_cannot_be_told_apart_is_read_as_text() -> None:
    assert one("Content-Type: multipart/mixed\n\n预算").text == "预算"
    assert one("Content-Type: multipart/mixed; boundary=x\n\n预算").text == "预算"


def test_a_mail_that_breaks_off_is_read_to_its_end() -> None:
    whole = multipart("multipart/mixed", TEXT + "甲", TEXT + "乙丙")
    assert one(whole[: whole.index("丙".encode())]).text == "Subject: 报告\n\n甲\n\n乙"


def test_python_mails_are_read() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "年度报告：关于二〇二六年度预算执行情况的说明与附件", "张三 <z@example.com>"
    mail.set_content("正文。\n")
    mail.add_alternative("<p>正文。</p>", subtype="html")
    mail.add_attachment("名称,数量\n铅笔,3\n".encode(), maintype="text", subtype="csv", filename="清单 甲.csv")
    documents, skips = read(mail.as_bytes())
    assert documents[0].title == "年度报告：关于二〇二六年度预算执行情况的说明与附件"
    assert documents[0].text.endswith("\n\n正文。")
    assert documents[1].inside == "清单 甲.csv" and documents[1].media_type == "text/csv" and not skips
