"""Office files with a password are read with it, and ask for it without."""

import sys
from io import BytesIO

import pytest
from corpus_files import file
from docx_files import docx, p

from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
from yuanwen.extract.formats import DOCX, ENCRYPTED


def test_a_password_that_is_missing_wrong_or_right_for_an_encrypted_document() -> None:
    pytest.importorskip("msoffcrypto", reason="needs yuanwen[office-password]")
    data = file("tika_testWORD_protected_passtika.docx")
    for passwords in ((), ("", "wrong")):
        with pytest.raises(Unreadable, match="it needs a password") as refused:
            extract(Raw(name="a.docx", data=data, media_type=ENCRYPTED, passwords=passwords))
        assert refused.value.hint == "Give it with: --password"
    (document,) = extract(Raw(name="a.docx", data=data, media_type=ENCRYPTED, passwords=("wrong", "tika")))
    assert isinstance(document, Extracted)
    assert (document.text, document.media_type) == ("This is an encrypted Word 2007 File.", DOCX)


def test_a_file_that_is_only_protected_against_changes_needs_no_password() -> None:
    ooxml = pytest.importorskip("msoffcrypto.format.ooxml", reason="needs yuanwen[office-password]")
    words = "".join(map(chr, range(0x4E00, 0x9FA5)))  # the package encrypts nothing below 4 kB as it should
    packed = BytesIO()
    ooxml.OOXMLFile(BytesIO(docx(p(words)))).encrypt("VelvetSweatshop", packed)
    (document,) = extract(Raw(name="a.docx", data=packed.getvalue(), media_type=ENCRYPTED))
    assert isinstance(document, Extracted)
    assert document.text == words


def test_the_package_that_decrypts_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "msoffcrypto", None)
    with pytest.raises(Unreadable, match="it needs a password") as refused:
        extract(Raw(name="a.docx", data=b"", media_type=ENCRYPTED, passwords=("tika",)))
    assert refused.value.hint == 'Run: pip install "yuanwen[office-password]", then give it with: --password'


def test_a_damaged_encrypted_document_is_refused() -> None:
    pytest.importorskip("msoffcrypto", reason="needs yuanwen[office-password]")
    data = file("tika_testWORD_protected_passtika.docx")
    for damaged in (data[: len(data) // 3], data[:600] + bytes(len(data) - 600)):
        with pytest.raises(Unreadable):
            extract(Raw(name="a.docx", data=damaged, media_type=ENCRYPTED, passwords=("tika",)))
