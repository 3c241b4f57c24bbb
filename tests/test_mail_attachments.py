"""Mail: every attachment is a document of its own, or a Skip that says why not."""

from base64 import b64encode

import pytest
from mail_files import TEXT, attached, multipart, one, read


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
