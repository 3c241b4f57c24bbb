"""Mails made for a test, and how they are read."""

from base64 import b64encode

from extracted import tiled

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.extract import extract

RFC822 = "message/rfc822"
MSG = "application/vnd.ms-outlook"

TEXT = "Content-Type: text/plain; charset=utf-8\r\n\r\n"
HTML = "Content-Type: text/html; charset=utf-8\r\n\r\n"  # both begin a part


def read(data: bytes | str, kind: str = RFC822) -> tuple[list[Extracted], list[Skip]]:
    """Return the documents and the Skips of a mail; the passages of each document tile its text."""
    raw = Raw(name="mail", data=data.encode() if isinstance(data, str) else data, media_type=kind)
    found = extract(raw)
    documents = [item for item in found if isinstance(item, Extracted)]
    for document in documents:
        tiled(document)
        for heading in document.headings:
            assert document.text.startswith("".join(heading.text.split()[:1]), heading.start)
    return documents, [item for item in found if isinstance(item, Skip)]


def one(data: bytes | str, kind: str = RFC822) -> Extracted:
    """Return the one document of a mail, all of which can be read."""
    documents, skips = read(data, kind)
    assert len(documents) == 1 and not skips
    return documents[0]


def multipart(kind: str, *parts: str | bytes) -> bytes:
    """Return a mail of parts that are given with their header."""
    inner = b"".join(b"--=\r\n" + (p.encode() if isinstance(p, str) else p) + b"\r\n" for p in parts)
    return f'Subject: 报告\r\nContent-Type: {kind}; boundary="="\r\n\r\n'.encode() + inner + b"--=--\r\n"


def attached(disposition: str | bytes, content: str | bytes = "内容") -> bytes:
    """Return a part that is attached, its header field `Content-Disposition` as given."""
    said = disposition.encode() if isinstance(disposition, str) else disposition
    data = content.encode() if isinstance(content, str) else content
    head = b"Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: "
    return head + said + b"\r\n\r\n" + b64encode(data)
