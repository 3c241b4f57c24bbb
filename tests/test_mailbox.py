"""A mailbox becomes its mails."""

from time import process_time

import pytest
from mail_files import attached, multipart, read

from yuanwen.documents import Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract

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
