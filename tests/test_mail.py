"""Mail in any charset becomes header lines and text; every attachment is a document or a Skip of its own."""

import sys
from base64 import b64encode
from email.message import EmailMessage
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from itertools import pairwise
from pathlib import Path
from struct import pack
from time import process_time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
from yuanwen.extract.mime import field_text
from yuanwen.extract.outlook import unpacked_rtf
from yuanwen.passages import split

FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"
RFC822 = "message/rfc822"
MSG = "application/vnd.ms-outlook"


def file(name: str) -> bytes:
    path = FILES / name
    if not path.exists():
        pytest.skip(f"the corpus file {name} is not here")
    return path.read_bytes()


def read(data: bytes | str, kind: str = RFC822) -> tuple[list[Extracted], list[Skip]]:
    """Return the documents and the Skips of a mail; the passages of each document tile its text."""
    raw = Raw(name="mail", data=data.encode() if isinstance(data, str) else data, media_type=kind)
    found = extract(raw)
    documents = [item for item in found if isinstance(item, Extracted)]
    for document in documents:
        assert "".join(passage.text for passage in split(document)) == document.text
        for heading in document.headings:
            assert document.text.startswith("".join(heading.text.split()[:1]), heading.start)
    return documents, [item for item in found if isinstance(item, Skip)]


def one(data: bytes | str, kind: str = RFC822) -> Extracted:
    documents, skips = read(data, kind)
    assert len(documents) == 1 and not skips
    return documents[0]


def multipart(kind: str, *parts: str | bytes) -> bytes:
    """Return a mail of parts that are given with their header."""
    inner = b"".join(b"--=\r\n" + (p.encode() if isinstance(p, str) else p) + b"\r\n" for p in parts)
    return f'Subject: 报告\r\nContent-Type: {kind}; boundary="="\r\n\r\n'.encode() + inner + b"--=--\r\n"


def attached(disposition: str | bytes, content: str | bytes = "内容") -> bytes:
    said = disposition.encode() if isinstance(disposition, str) else disposition
    data = content.encode() if isinstance(content, str) else content
    head = b"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: "
    return head + said + b"\r\n\r\n" + b64encode(data)


TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\n"
HTML = "Content-Type: text/html; charset=utf-8\r\n\r\n"


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


# -------------------------------------------------------------------------------------------- attachments


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        (b"attachment; filename=plan.txt", "plan.txt"),
        (b'attachment; filename="a; b.txt"', "a; b.txt"),
        (b"attachment; filename*=UTF-8''%E6%8A%A5%E5%91%8A.txt", "报告.txt"),
        (b"attachment; filename*=gb2312'zh-cn'%D1%A7%CF%B0.txt", "学习.txt"),
        (b"attachment; filename*1*=%E5%91%8A; filename*0*=UTF-8''%E6%8A%A5; filename*2=.txt", "报告.txt"),
        (b"attachment; filename*=x; filename*0=y.txt", "xy.txt"),
        (b'attachment; filename="=?utf-8?B?5oql5ZGK?=\r\n =?utf-8?Q?.txt?="', "报告.txt"),
        (b'attachment; filename="' + "年度报告.txt".encode("gbk") + b'"', "年度报告.txt"),
        (b"attachment; filename=a/../../b.txt", "b.txt"),
        (rb'attachment; filename="C:\\Users\\x\\y.txt"', "y.txt"),
        (b'attachment; filename=".."', "attachment 1.bin"),
        (b"attachment", "attachment 1.bin"),
    ],
)
def test_an_attachment_has_the_name_that_its_sender_gave(disposition: bytes, name: str) -> None:
    documents, skips = read(multipart("multipart/mixed", TEXT + "甲", attached(disposition)))
    assert [document.inside for document in documents] == ["", name] and not skips
    assert documents[1].text == "内容"


def test_attachments_of_one_name_are_told_apart() -> None:
    same = attached("attachment; filename=a.txt")
    documents, _ = read(multipart("multipart/mixed", same, same, attached("attachment; filename=a"), same))
    assert [document.inside for document in documents] == ["", "a.txt", "a (2).txt", "a", "a (3).txt"]


def test_unnamed_parts_are_called_by_their_kind() -> None:
    calendar = "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR\r\nSUMMARY:评审会\r\nEND:VCALENDAR"
    status = "Content-Type: message/delivery-status\r\n\r\nAction: failed"
    documents, _ = read(multipart("multipart/alternative", TEXT + "邀请", calendar, status))
    assert [document.inside for document in documents] == ["", "attachment 1.ics", "attachment 2.txt"]
    assert "SUMMARY:评审会" in documents[1].text and "Action: failed" in documents[2].text


def test_a_mail_within_a_mail_is_a_document_with_its_own_attachments() -> None:
    inner = multipart("multipart/mixed", TEXT + "原文", attached("attachment; filename=b.txt")).replace(b"--=", b"--~")
    inner = inner.replace(b'"="', b'"~"').replace("报告".encode(), "原报告".encode())
    documents, skips = read(
        multipart("multipart/mixed", TEXT + "转发", b"Content-Type: message/rfc822\r\n\r\n" + inner)
    )
    assert [(document.inside, document.title) for document in documents] == [
        ("", "报告"),
        ("attachment 1.eml", "原报告"),
        ("attachment 1.eml/b.txt", "b"),
    ]
    assert not skips


def test_a_mail_within_a_mail_may_be_base64() -> None:
    inner = b"Content-Type: message/rfc822; name=x.eml\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    documents, _ = read(multipart("multipart/mixed", inner + b64encode("Subject: 甲\n\n乙".encode())))
    assert (documents[1].inside, documents[1].text) == ("x.eml", "Subject: 甲\n\n乙")


def test_the_mails_of_a_digest_are_documents() -> None:
    documents, _ = read(multipart("multipart/digest", "\r\nSubject: 甲\r\n\r\n一", "\r\nSubject: 乙\r\n\r\n二"))
    assert [document.title for document in documents] == ["报告", "甲", "乙"]


def test_what_is_encrypted_is_told() -> None:
    pgp = multipart("multipart/encrypted; protocol=application/pgp-encrypted", "\r\nVersion: 1", "\r\n-----BEGIN PGP")
    armour = "Subject: 报告\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"
    smime = "Subject: 报告\nContent-Type: application/pkcs7-mime; name=smime.p7m\n\nMIAGCSqGSIb3"
    for data in (pgp, armour, smime):
        documents, (skip,) = read(data)
        assert [document.text for document in documents] == ["Subject: 报告"]
        assert skip.reason == "it is encrypted" and not skip.by_rule


def test_signatures_and_decorations_are_left_out_by_rule() -> None:
    signature = "Content-Type: application/pgp-signature; name=signature.asc\r\n\r\n-----BEGIN PGP SIGNATURE-----"
    logo = "Content-Type: image/png; name=logo.png\r\nContent-ID: <a@b>\r\n\r\n\x89PNG"
    style = "Content-Type: text/css\r\nContent-Location: http://example.com/css/site.css?v=3\r\n\r\nbody { color: red }"
    documents, skips = read(multipart("multipart/signed", TEXT + "正文", signature, logo, style))
    assert [document.text for document in documents] == ["Subject: 报告\n\n正文"]
    assert [(skip.source, skip.reason, skip.by_rule) for skip in skips] == [
        ("signature.asc", "signature", True),
        ("logo.png", "decoration of the mail", True),
        ("site.css", "decoration of the mail", True),
    ]


def test_a_saved_page_is_read() -> None:
    head = "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    page = head + "<title>题</title><h1>=E9=A2=84=\r\n=E7=AE=97</h1>"
    document = one(b"From: <Saved by Blink>\r\n" + multipart("multipart/related", page).replace(b"Subject", b"X-S"))
    assert document.text == "From: <Saved by Blink>\n\n预算" and document.title == "题"


def test_every_part_is_a_document_or_a_skip() -> None:
    parts = [attached(f"attachment; filename={name}", data) for name, data in [
        ("a.txt", b"a"), ("b.bin", b"\0\1\2"), ("c.txt", b" "), ("d.md", b"d"), ("e.zip", b"PK\3\4damaged"),
    ]]  # fmt: skip
    documents, skips = read(multipart("multipart/mixed", TEXT + "正文", *parts))
    assert [document.inside for document in documents] == ["", "a.txt", "d.md"]
    assert [skip.source for skip in skips] == ["b.bin", "c.txt", "e.zip"]


# ------------------------------------------------------------------------------------------- built to harm


def test_parts_nested_without_end_are_told() -> None:
    mail = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(5000)) + "\ntext"
    documents, skips = read("Subject: deep\n" + mail)
    assert documents[0].text == "Subject: deep" and "nested too deeply" in skips[0].reason


def test_mails_nested_without_end_are_told() -> None:
    documents, skips = read("Subject: deep\nContent-Type: message/rfc822\n\n" * 100 + "Subject: last\n\ntext")
    assert len(documents) == 9 and len(skips) == 1 and "inside more than" in skips[0].reason


def test_a_mail_of_countless_parts_is_refused() -> None:
    with pytest.raises(Unreadable, match="more than 10000 members"):
        read(multipart("multipart/mixed", *["\r\nx"] * 10_001))


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Type: multipart/mixed; boundary=" + b'"' * 10**6,
        b"Content-Type: text/plain" + b"; a" * 300_000 + b"\n\nx",
        b"Content-Disposition: attachment; x=\"" + b"\\;" * 500_000,
        b"Subject: " + b"=?a?b?" * 200_000 + b"\n\nx",
        b"Subject: " + b"=?utf-8?B?YQ==?= " * 50_000 + b"\n\nx",
        b"Subject:" + b"\n " * 500_000 + b"x\n\nx",
        b"a" * 10**6 + b"\n\nx",
        b"To: a\n" * 50_000 + b"\nx",
        b"Content-Type: multipart/mixed; boundary=x\n\n" + b"--x\t" * 300_000,
        b"Content-Transfer-Encoding: base64\n\n" + b"=" * 10**6 + b"eA==",
        b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=\n" * 500_000 + b"x",
    ],
)  # fmt: skip
def test_a_mail_built_to_exhaust_us_takes_little_time(data: bytes) -> None:
    start = process_time()
    with_text = b"Subject: x\n" + data
    read(with_text)
    assert process_time() - start < 10


SAMPLE = multipart(
    "multipart/mixed",
    "Content-Type: multipart/alternative; boundary=in\r\n\r\n--in\r\n"
    + TEXT
    + "文\r\n--in\r\n"
    + HTML
    + "<b>文\r\n--in--",
    attached("attachment; filename*0*=UTF-8''%E6%8A%A5; filename*1=.txt"),
    attached(b'inline; filename="' + "报告.csv".encode("gbk") + b'"'),
    "Content-Type: message/rfc822\r\n\r\nSubject: =?gb2312?Q?=D1=A7=CF=B0?=\r\n\r\n内",
    "Content-Type: application/pgp-signature\r\n\r\nx",
)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
@example(b"Content-Type: multipart/mixed; boundary=a\n--a\n--a--")
def test_any_bytes_are_read_or_unreadable(data: bytes) -> None:
    for kind in (RFC822, "application/mbox", MSG):
        try:
            read(data, kind)
        except Unreadable:
            continue


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SAMPLE)), st.integers(0, 12), st.binary(max_size=8)), max_size=6))
def test_a_mail_changed_anywhere_is_read_or_unreadable(changes: list[tuple[int, int, bytes]]) -> None:
    data = SAMPLE
    for at, length, put in changes:
        data = data[:at] + put + data[at + length :]
    for kind in (RFC822, "application/mbox"):
        try:
            read(b"From x Mon Jan 1 00:00:00 2026\n" + data, kind)
        except Unreadable as error:
            assert "reader failed" not in error.text()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["a.txt", "报告.txt", "b.bin", "", "a/b.txt", "x"]), max_size=6),
    st.sampled_from(["base64", "8bit"]),
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=20),
)
def test_attachments_add_up(names: list[str], encoding: str, text: str) -> None:
    mail = MIMEMultipart()
    mail["Subject"] = "subject"
    mail.attach(MIMEText("body " + text, "plain", "utf-8"))
    for name in names:
        part = MIMEBase("application", "octet-stream")
        part.set_payload(b64encode(b"content").decode() if encoding == "base64" else "content")
        part["Content-Transfer-Encoding"] = encoding
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
        mail.attach(part)
    documents, skips = read(mail.as_bytes())
    paths = [item.inside for item in documents[1:]] + [skip.source for skip in skips]
    assert len(paths) == len(names) == len(set(paths))
    assert documents[0].text.rstrip() == f"Subject: subject\n\nbody {text}".rstrip()


# ----------------------------------------------------------------------------------------------- mailboxes

MBOX = "application/mbox"


def box(*messages: str, line: str = "From a@b Mon Nov 30 09:00:00 2026") -> bytes:
    return "".join(f"{line}\n{message}\n\n" for message in messages).encode()


def test_the_mails_of_a_mailbox_are_documents() -> None:
    documents, skips = read(box("Subject: 甲\n\n一\n>From 乙\n>>From 丙\nFrom here on", "Subject: 乙\n\n二"), MBOX)
    assert [(document.inside, document.title, document.text) for document in documents] == [
        ("1", "甲", "Subject: 甲\n\n一\nFrom 乙\n>From 丙\nFrom here on"),
        ("2", "乙", "Subject: 乙\n\n二"),
    ]
    assert not skips


def test_a_mailbox_without_times_is_cut_at_blank_lines() -> None:
    documents, _ = read(box("Subject: 甲\n\n一\nFrom 乙", "Subject: 乙\n\n二", line="From -"), MBOX)
    assert [document.title for document in documents] == ["甲", "乙"]


def test_a_mail_that_cannot_be_read_costs_the_mailbox_no_other() -> None:
    encrypted = "Content-Type: application/pkcs7-mime\n\nx"
    attachment = multipart("multipart/mixed", attached("attachment; filename=a.txt")).decode()
    documents, skips = read(box("Subject: 甲\n\n一", encrypted, attachment), MBOX)
    assert [document.inside for document in documents] == ["1", "3", "3/a.txt"]
    assert [skip.source for skip in skips] == ["2"] and "encrypted" in skips[0].reason


def test_a_file_that_is_no_mailbox_is_damaged() -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        read("Subject: x\n\ny", MBOX)


def test_a_big_mailbox_takes_time_in_proportion() -> None:
    def seconds(messages: int) -> float:
        data = box(*["Subject: 报告\nFrom: a@b\n\n" + "正文。\n" * 50] * messages)
        start = process_time()
        assert len(extract(Raw(name="box", data=data, media_type=MBOX))) == messages
        return process_time() - start

    assert seconds(4000) < 20 * max(seconds(500), 0.01)


# ------------------------------------------------------------------------------------------------- Outlook

Storage = dict[str, Any]


def compound(tree: Storage) -> bytes:
    """Return an OLE2 file of streams (bytes) and folders (dicts)."""
    free, end = 0xFFFFFFFF, 0xFFFFFFFE
    entries: list[list[Any]] = [["Root Entry", 5, free, free, free, b""]]

    def add(name: str, node: Any) -> int:
        number = len(entries)
        entries.append(
            [name, 1 if isinstance(node, dict) else 2, free, free, free, b"" if isinstance(node, dict) else node]
        )
        if isinstance(node, dict):
            entries[number][4] = level(node)
        return number

    def level(node: Storage) -> int:
        numbers = [add(name, node[name]) for name in sorted(node, key=lambda name: (len(name), name.upper()))]
        for number, following in pairwise(numbers):
            entries[number][3] = following
        return numbers[0] if numbers else free

    entries[0][4] = level(tree)
    sectors, mini = bytearray(), bytearray()
    fat: list[int] = []
    minifat: list[int] = []

    def store(data: bytes, size: int, into: bytearray, table: list[int]) -> int:
        start, count = len(table), -(-len(data) // size)
        into.extend(data.ljust(count * size, b"\0"))
        table.extend([*range(start + 1, start + count), end][:count])
        return start if count else end

    starts: list[tuple[int, int]] = []
    for entry in entries[1:]:
        data = entry[5]
        is_big = len(data) >= 4096
        where = store(data, 512, sectors, fat) if is_big else store(data, 64, mini, minifat)
        starts.append((where, len(data)))
    starts.insert(0, (store(bytes(mini), 512, sectors, fat), len(mini)))
    directory = b"".join(
        (name + "\0").encode("utf-16-le").ljust(64, b"\0")
        + pack("<HBBIII16xI16xIQ", 2 * len(name) + 2, kind, 1, left, right, child, 0, where, size)
        for (name, kind, left, right, child, _), (where, size) in zip(entries, starts, strict=True)
    )
    minifat_at = store(pack(f"<{len(minifat)}I", *minifat), 512, sectors, fat)
    directory_at = store(directory, 512, sectors, fat)
    fat_at, count = len(fat), 1 + (len(fat) + 1) // 128
    fat += [0xFFFFFFFD] * count
    sectors += b"".join(pack("<I", entry) for entry in fat).ljust(512 * count, b"\xff")
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += pack("<9I", 0, count, directory_at, 0, 4096, minifat_at, -(-len(minifat) // 128), end, 0)
    return head + pack("<109I", *range(fat_at, fat_at + count), *[free] * (109 - count)) + bytes(sectors)


def message(head: int = 32, code_page: int = 936, **said: Any) -> Storage:
    """Return the storage of a mail: properties by their tag, `_0037001F`."""
    properties = bytes(head) + pack("<IIQ", 0x3FFD0003, 6, code_page) + pack("<IIQ", 0x00390040, 6, 129458623687252600)
    return {"__properties_version1.0": properties} | {
        name if name.startswith("__") else f"__substg1.0{name}": value for name, value in said.items()
    }


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


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
    raw = Raw(name="", data=b"", media_type="")
    rtf = b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpacked_rtf(raw, packed) == rtf
    assert unpacked_rtf(raw, packed[:30]) == rtf[: len(unpacked_rtf(raw, packed[:30]))] != b""
    assert unpacked_rtf(raw, pack("<IIII", 0, 4, 0x414C454D, 0) + b"{rtf") == b"{rtf"
    assert unpacked_rtf(raw, b"x" * 20) == unpacked_rtf(raw, b"") == b""


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
