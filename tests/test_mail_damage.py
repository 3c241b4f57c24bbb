"""Mail that is damaged or built to harm is read or refused, in little time."""

from base64 import b64encode
from email.mime.base import MIMEBase
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mail_files import HTML, MSG, RFC822, TEXT, attached, multipart, read

from yuanwen.errors import Unreadable


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
