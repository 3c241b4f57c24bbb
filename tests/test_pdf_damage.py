"""PDF: what is locked, damaged or built to harm is refused or told of, and the rest is read."""

import random
import subprocess
import sys
from dataclasses import replace
from hashlib import md5
from pathlib import Path

import pytest
from corpus_files import FILES, file
from pdf_files import WITH_TEXT, made, prose, raw, read, skips

from yuanwen.allowance import Allowance
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, pdf
from yuanwen.extract.pdfium_document import Document


def test_a_file_that_needs_a_password_says_so() -> None:
    data = file("pdfjs_pr6531_1.pdf")
    for passwords in ((), ("wrong",)):
        with pytest.raises(Unreadable, match="it needs a password") as caught:
            extract(raw(data, *passwords))
        assert caught.value.hint == "Give it with: --password"
    with Document(data, ("wrong", "asdfasdf")) as document:
        assert document.pages == 1


def locked(text: str, owner: str) -> bytes:
    """Return a PDF that only its owner may change, and that opens without a password (RC4, revision 2)."""
    padding = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    name = b"0123456789abcdef"
    owned = rc4(md5((owner.encode() + padding)[:32]).digest()[:5], padding)
    key = md5(padding + owned + (0xFFFFFFC0).to_bytes(4, "little") + name).digest()[:5]
    content = prose(text).encode()
    number = 9
    secret = rc4(md5(key + number.to_bytes(3, "little") + bytes(2)).digest()[:10], content)
    rights = f"/Filter/Standard/V 1/R 2/P -64/O<{owned.hex()}>/U<{rc4(key, padding).hex()}>"
    data = made([secret.decode("latin-1")], objects=[f"<<{rights}>>"])
    return data.replace(b"/Info 7 0 R", f"/Encrypt 10 0 R/ID[<{name.hex()}><{name.hex()}>]".encode())


def rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def test_a_file_that_only_its_owner_may_change_is_read() -> None:
    data = locked("Locked words", "secret")
    assert b"Locked" not in data and read(data).text == "Locked words"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.7\n" + bytes(5000), b"", b"no PDF at all"])
def test_a_damaged_file_says_so(data: bytes) -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(raw(data))


def test_a_damaged_file_of_the_corpus_says_so() -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        extract(raw(file("pdfjs_poppler-395-0-fuzzed.pdf")))


def test_a_page_that_is_damaged_is_told_of_and_the_others_are_read() -> None:
    data = made([prose("One"), prose("Two"), prose("Three")]).replace(
        b"10 0 obj\n<</Type/Page", b"10 0 obj\n<</Type/Xxxx"
    )
    document = read(data)
    assert "One" in document.text and "Three" in document.text
    assert [skip.reason for skip in skips(data)] in (["page 2 is damaged"], [])


# ------------------------------------------------------------------------------------------------- bombs

LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from yuanwen.documents import Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract
for path in sys.argv[1:]:
    raw = Raw(name="a.pdf", data=Path(path).read_bytes(), media_type="application/pdf")
    try:
        extract(raw)
    except Unreadable:
        pass
"""


@pytest.mark.parametrize("name", ["manychars", "expform"])
def test_a_bomb_ends_the_process_that_reads_it_and_no_more(name: str) -> None:
    file(f"own/{name}.pdf")
    command = [sys.executable, "-c", LIMITED, str(FILES / f"own/{name}.pdf")]
    assert subprocess.run(command, capture_output=True, timeout=120, check=False).returncode != 0


def test_files_with_bytes_changed_are_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(5)
    seeds = [seed for name in WITH_TEXT if len(seed := file(f"{name}.pdf")) < 50_000]
    paths = []
    for number in range(60):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 40)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        paths.append(tmp_path / f"{number}.pdf")
        paths[-1].write_bytes(data)
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, *paths], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_pages_beyond_a_number_are_left_out_and_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "MAX_PAGES", 2)
    data = made([prose(word) for word in ("One", "Two", "Three", "Four")])
    assert read(data).text == "One\nTwo"
    assert [skip.reason for skip in skips(data)] == ["pages 3 to 4 were left out"]


def test_each_page_gives_a_sign_of_life() -> None:
    beats: list[float] = []
    one = raw(made([prose("One"), prose("Two"), prose("Three")]))
    extract(replace(one, allowance=Allowance(beats.append)))
    assert len(beats) >= 3


def test_the_same_bytes_give_the_same_document() -> None:
    data = file("texlive_exam-zh_example-single.pdf")
    assert extract(raw(data)) == extract(raw(data))
