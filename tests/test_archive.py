"""Each member of an archive is a document or a Skip, under the name its author gave it; no bomb goes off."""

import bz2
import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from io import BytesIO
from time import process_time
from typing import Any

import pytest
from corpus_files import file
from extracted import tiled
from hypothesis import given, settings
from hypothesis import strategies as st

from yuanwen.absence import Skip
from yuanwen.allowance import MAX_CHARACTERS
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import extract, media_type_of, member

ZIP, TAR = "application/zip", "application/x-tar"


def read(
    data: bytes, kind: str = ZIP, name: str = "file", passwords: tuple[str, ...] = ()
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the text of each document and the reason of each Skip, by their path in the archive."""
    found = extract(Raw(name=name, data=data, media_type=kind, passwords=passwords))
    documents = [item for item in found if isinstance(item, Extracted)]
    skips = [item for item in found if isinstance(item, Skip)]
    for document in documents:
        tiled(document)
    texts = {document.inside: document.text for document in documents}
    reasons = {skip.source: skip.reason for skip in skips}
    assert len(texts) == len(documents) and len(reasons) == len(skips)
    return texts, reasons


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return data.getvalue()


def tarred(members: dict[str, bytes], kind: int = tarfile.PAX_FORMAT, encoding: str = "utf-8") -> bytes:
    data = BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=kind, encoding=encoding) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, BytesIO(content))
    return data.getvalue()


def raw_zip(
    name: bytes,
    packed: bytes,
    *,
    size: int,
    crc: int = 0,
    method: int = 8,
    flags: int = 0,
    packed_size: int | None = None,
) -> bytes:
    """Return a ZIP file of one member that is what its header says, or not."""
    length = len(packed) if packed_size is None else packed_size
    common = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 33, crc, length, size, len(name), 0)
    local = b"PK\3\4" + common + name + packed
    central = b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    return local + central + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def zip_crypto(data: bytes, password: bytes) -> bytes:
    """Return stored bytes as the old encryption of ZIP has them (APPNOTE 6.1)."""
    crc = zlib.crc32(data)

    def step(value: int, byte: int) -> int:
        return zlib.crc32(bytes([byte]), value ^ 0xFFFFFFFF) ^ 0xFFFFFFFF

    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte: int) -> None:
        keys[0] = step(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = step(keys[2], keys[1] >> 24)

    for byte in password:
        update(byte)
    out = bytearray()
    for byte in bytes(11) + bytes([crc >> 24]) + data:
        temp = keys[2] | 2
        out.append(byte ^ ((temp * (temp ^ 1)) >> 8 & 0xFF))
        update(byte)
    return raw_zip("密.txt".encode("gbk"), bytes(out), size=len(data), crc=crc, method=0, flags=1)


# ----------------------------------------------------------------------------------------------------- ZIP


def test_the_members_of_a_zip_file_are_documents_in_order_of_name() -> None:
    texts, reasons = read(zipped({"b/乙.md": "# 乙".encode(), "a.txt": b"a", "b/": b"", "b/c.csv": b"x,y\n1,2"}))
    assert list(texts.items()) == [("a.txt", "a"), ("b/c.csv", "x,y\n1,2"), ("b/乙.md", "# 乙")] and not reasons


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_every_usual_compression_is_read(method: int) -> None:
    texts, _ = read(zipped({"a.txt": "正文".encode() * 10_000}, method))
    assert texts == {"a.txt": "正文" * 10_000}


def test_member_names_without_the_flag_are_gbk() -> None:
    name = "审计压缩包文件检索测试/集团邮件审计系统2021年自动巡检需求文档_V4.0.doc"
    with pytest.raises(Unreadable) as caught:  # its one member is empty
        read(file("tika_gbk.zip"))
    assert caught.value.values["reason"] == f"{name}: empty file"


@pytest.mark.parametrize("encoding", ["gbk", "utf-8", "big5", "cp932"])
def test_names_that_do_not_say_their_encoding_are_read_together(encoding: str) -> None:
    names = ["学习/目录.txt", "会议记录/关于预算的通知.txt"]
    if encoding in ("big5", "cp932"):
        names = (
            ["學習/會議記錄.txt", "關於預算的通知.txt"]
            if encoding == "big5"
            else ["会議の記録.txt", "予算について.txt"]
        )
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for number, name in enumerate(names):
            archive.writestr("x" * len(name.encode(encoding)) + str(number), b"x")
    packed = data.getvalue()
    for number, name in enumerate(names):
        octets = name.encode(encoding)
        packed = packed.replace(b"x" * len(octets) + str(number).encode(), octets + b" ")
    assert set(read(packed)[0]) == set(names)


def test_a_gbk_name_may_hold_a_byte_that_looks_like_a_backslash() -> None:
    texts, _ = read(raw_zip("关于乗的通知\\乗.txt".encode("gbk"), deflated(b"x"), size=1, crc=zlib.crc32(b"x")))
    assert texts == {"关于乗的通知/乗.txt": "x"}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../../etc/a.txt", "etc/a.txt"),
        ("/a.txt", "a.txt"),
        ("a\\b\\c.txt", "a/b/c.txt"),
        ("./a/./b.txt", "a/b.txt"),
        ("a/\x01b.txt", "a/b.txt"),
        ("..", "member 1"),
    ],
)
def test_a_name_leads_nowhere_but_down(name: str, path: str) -> None:
    assert read(zipped({name: b"x"}))[0] == {path: "x"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_one_name_are_told_apart() -> None:
    data = BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for content in ("1", "2", "3"):
            archive.writestr("a/b.txt", content)
    assert read(data.getvalue())[0] == {"a/b.txt": "1", "a/b (2).txt": "2", "a/b (3).txt": "3"}


def test_hidden_members_are_left_out_by_rule() -> None:
    names = [
        "a.txt", ".git/config", ".git/objects/aa/bb", "b/.env", "b/.DS_Store", "__MACOSX/._a.txt", "__MACOSX/b/._c",
        "b/Thumbs.db", "b/c.d.txt",
    ]  # fmt: skip
    found = extract(Raw(name="a.zip", data=zipped(dict.fromkeys(names, b"x")), media_type=ZIP))
    assert [item.inside for item in found if isinstance(item, Extracted)] == ["a.txt", "b/c.d.txt"]
    skips = [item for item in found if isinstance(item, Skip)]
    assert [skip.source for skip in skips] == [".git", "__MACOSX", "b/.DS_Store", "b/.env", "b/Thumbs.db"]
    assert all(skip.by_rule and skip.reason == "hidden" for skip in skips)


def test_every_member_is_a_document_or_a_skip() -> None:
    good = zipped({"a.txt": b"abc" * 100, "b.bin": bytes(99), "c.txt": b"", "d.zip": b"PK\3\4", "e.txt": b"e"})
    broken = good.replace(deflated(b"abc" * 100), b"\xff" * len(deflated(b"abc" * 100)))
    assert read(good)[0] == {"a.txt": "abc" * 100, "e.txt": "e"}
    assert read(broken) == (
        {"e.txt": "e"},
        {"a.txt": "it is damaged", "b.bin": "binary file", "c.txt": "empty file", "d.zip": "it is damaged"},
    )


def test_a_wrong_checksum_is_damage() -> None:
    with pytest.raises(Unreadable, match="it is damaged"):
        read(raw_zip(b"a.txt", deflated(b"x"), size=1, crc=1))


def test_an_archive_that_is_none_is_damaged() -> None:
    for kind in (ZIP, TAR, "application/gzip", "application/x-bzip2", "application/x-xz"):
        with pytest.raises(Unreadable, match="it is damaged"):
            read(b"PK\3\4 nothing of the kind", kind)


def test_a_compression_that_is_not_known_is_told() -> None:
    with pytest.raises(Unreadable, match=r"a\.txt: its compression method is not supported"):
        read(raw_zip(b"a.txt", b"xxxx", size=9, method=98))


@pytest.mark.parametrize("password", ["secret", "密码"])
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_an_encrypted_member_is_read_with_its_password(password: str, encoding: str) -> None:
    data = zip_crypto("机密的正文".encode(), password.encode(encoding))
    assert read(data, passwords=("wrong", password))[0] == {"密.txt": "机密的正文"}
    for wrong in ((), ("wrong", "错")):
        with pytest.raises(Unreadable, match=r"密.txt: it needs a password. Give it with: --password"):
            read(data, passwords=wrong)


def test_an_encryption_that_is_not_known_is_told() -> None:
    for passwords in ((), ("x",)):
        with pytest.raises(Unreadable, match=r"a\.txt: its encryption is not supported"):
            read(raw_zip(b"a.txt", b"x" * 30, size=9, method=99, flags=1), passwords=passwords)


def test_archives_and_mails_within_archives_are_read() -> None:
    inner = zipped({"报价/a.txt": b"a", "b.eml": "Subject: 甲\n\n乙".encode()})
    texts, _ = read(zipped({"包.zip": inner, "c.tar.gz": gzip.compress(tarred({"d.txt": b"d"}))}))
    assert texts == {"c.tar.gz/d.txt": "d", "包.zip/b.eml": "Subject: 甲\n\n乙", "包.zip/报价/a.txt": "a"}


def test_a_member_is_found_again_by_its_path() -> None:
    inner = zipped({"b.txt": b"b", "a.txt": b"a"})
    raw = Raw(name="x.zip", data=zipped({"x.zip": inner, "y.txt": b"y"}), media_type=ZIP)
    assert member(raw, "x.zip/b.txt").data == b"b" and member(raw, "y.txt").data == b"y"


# ----------------------------------------------------------------------------------------------------- TAR


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_the_members_of_a_tar_file_are_documents(kind: int, encoding: str) -> None:
    names = ["报告/甲.txt", "b.txt", "目录" * 40 + ".txt" if kind != tarfile.USTAR_FORMAT else "乙.txt"]
    data = tarred({name: name.encode() for name in names}, kind, encoding)
    assert media_type_of("x", data) == TAR
    assert read(data, TAR)[0] == {name: name for name in names}


def test_names_that_a_tar_file_says_in_unicode_are_taken_as_they_are() -> None:
    data = tarred({"关于预算的通知/甲.txt": b"x"}, tarfile.GNU_FORMAT, "gbk")[:1024] + tarred(
        {"Übergrößen/é.txt": b"x"}
    )
    assert set(read(data, TAR)[0]) == {"关于预算的通知/甲.txt", "Übergrößen/é.txt"}


def test_links_and_devices_in_a_tar_file_are_left_out_by_rule() -> None:
    data = BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, kind in [
            ("l", tarfile.SYMTYPE),
            ("h", tarfile.LNKTYPE),
            ("f", tarfile.FIFOTYPE),
            ("d", tarfile.DIRTYPE),
        ]:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("a.txt")
        info.size = 1
        archive.addfile(info, BytesIO(b"a"))
    texts, reasons = read(data.getvalue(), TAR)
    assert texts == {"a.txt": "a"} and reasons == {"f": "not a regular file", "h": "link", "l": "link"}


def test_what_is_whole_of_a_broken_tar_file_is_read() -> None:
    data = tarred({"a.txt": b"a" * 600, "b.txt": b"b" * 600})
    texts, reasons = read(data[:1536] + b"garbage".ljust(512, b"x") + data[2048:], TAR)
    assert texts == {"a.txt": "a" * 600} and reasons == {"": "what follows in it is damaged"}
    texts, reasons = read(data[:2100], TAR)
    assert texts == {"a.txt": "a" * 600} and next(iter(reasons.values())) == "it is damaged"


def test_a_tar_file_that_leads_back_to_itself_ends() -> None:
    header = bytearray(tarred({"a.txt": b"a"})[:512])
    header[124:136] = (-512 & (2**96 - 1) | 0xFF << 88).to_bytes(12, "big")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(Unreadable):
        read(bytes(header) + bytes(1024), TAR)


# ---------------------------------------------------------------------------------------- compressed files

PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("suffix", list(PACKERS))
def test_a_compressed_file_is_a_document_named_without_its_suffix(suffix: str) -> None:
    data = PACKERS[suffix]("# 预算\n".encode())
    kind = media_type_of("x", data) or ""
    assert read(data, kind, f"报告.md.{suffix}")[0] == {"报告.md": "# 预算\n"}
    assert read(data * 2, kind, f"a.txt.{suffix.upper()}")[0] == {"a.txt": "# 预算\n" * 2}
    assert read(data, kind, suffix)[0] == {suffix: "# 预算\n"}


@pytest.mark.parametrize("suffix", list(PACKERS))
@pytest.mark.parametrize("name", ["a.tar.{}", "a.t{}", "a"])
def test_the_members_of_a_compressed_tar_file_are_documents(suffix: str, name: str) -> None:
    data = PACKERS[suffix](tarred({"b/甲.txt": b"a", "c.txt": b"c"}))
    assert read(data, media_type_of("x", data) or "", name.format(suffix))[0] == {"b/甲.txt": "a", "c.txt": "c"}


@pytest.mark.parametrize("suffix", list(PACKERS))
def test_a_compressed_file_that_breaks_off_is_damaged(suffix: str) -> None:
    data = PACKERS[suffix](bytes(range(256)) * 40)
    with pytest.raises(Unreadable, match="it is damaged"):
        read(data[: len(data) - 9], media_type_of("x", data) or "")


# --------------------------------------------------------------------------------------------------- bombs


def quickly(data: bytes, kind: str, what: str, name: str = "file") -> None:
    start = process_time()
    with pytest.raises(Unreadable, match=what):
        read(data, kind, name)
    assert process_time() - start < 10


def test_a_zip_bomb_does_not_go_off() -> None:
    packed = deflated(b"x" * 30 * 2**20)
    quickly(raw_zip(b"a.txt", packed, size=30 * 2**20), ZIP, r"a\.txt: it unpacks to \d+ times its size")
    quickly(raw_zip(b"a.txt", packed, size=2**32 - 1, packed_size=2**31), ZIP, "it unpacks to")
    quickly(raw_zip(b"a.txt", packed, size=5), ZIP, "it is damaged")  # more than it says


@pytest.mark.parametrize("suffix", list(PACKERS))
def test_a_compressed_bomb_does_not_go_off(suffix: str) -> None:
    data = PACKERS[suffix](b"x" * 2**25)
    quickly(data, media_type_of("x", data) or "", "more than 200 times its size")


def test_members_that_share_their_bytes_are_bounded() -> None:
    packed, size, count = deflated(b"text " * 2**21), 5 * 2**21, 300
    one = raw_zip(b"a.txt", packed, size=size, crc=zlib.crc32(b"text " * 2**21))
    at = one.index(b"PK\1\2")
    central = one[at : one.index(b"PK\5\6")]
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(central) * count, at, 0)
    raw = Raw(name="a.zip", data=one[:at] + central * count + b"PK\5\6" + end, media_type=ZIP)
    found = extract(raw)
    assert sum(len(item.text) for item in found if isinstance(item, Extracted)) <= MAX_CHARACTERS
    assert {item.reason[:14] for item in found if isinstance(item, Skip)} == {"its text is lo", "it unpacks to "}


def test_archives_nested_without_end_are_told() -> None:
    data = b"x"
    for _ in range(20):
        data = zipped({"a.zip": data}) if data != b"x" else zipped({"a.txt": data})
    quickly(data, ZIP, "it lies inside more than 8 files")


def test_archives_that_grow_at_each_level_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yuanwen.allowance.MAX_UNPACKED", 2**26)
    data = zipped({f"{n}.txt": b"x" * 2**20 for n in range(16)})
    for _ in range(5):
        data = zipped(dict.fromkeys((f"{n}.zip" for n in range(16)), data))
    found = extract(Raw(name="a.zip", data=data, media_type=ZIP))
    assert sum(len(item.text) for item in found if isinstance(item, Extracted)) <= 2**26
    assert any("it unpacks to more than" in item.reason for item in found if isinstance(item, Skip))


def test_a_sparse_tar_file_does_not_go_off() -> None:
    header = bytearray(tarred({"a.txt": b""}, tarfile.GNU_FORMAT)[:512])
    header[156:157] = b"S"
    header[386:410] = b"00000000000\0" + b"00000000000\0"
    header[483:495] = b"77777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    quickly(bytes(header) + bytes(1024), TAR, "binary file")


# -------------------------------------------------------------------------------------------------- anything

SAMPLES: list[tuple[str, bytes]] = [
    (ZIP, zipped({"a.txt": b"text " * 30, "b/c.md": b"# b", "d.zip": zipped({"e.txt": b"e"})})),
    (ZIP, zip_crypto(b"text", b"x")),
    (TAR, tarred({"甲.txt": b"text", "b/" + "c" * 120: b"text"})),
    (TAR, tarred({"a.txt": b"text", "b/" + "c" * 120: b"text"}, tarfile.GNU_FORMAT)),
    ("application/gzip", gzip.compress(tarred({"a.txt": b"text"}))),
    ("application/x-bzip2", bz2.compress(b"text " * 30)),
    ("application/x-xz", lzma.compress(b"text " * 30)),
]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(sorted({kind for kind, _ in SAMPLES})))
def test_any_bytes_are_read_or_unreadable(data: bytes, kind: str) -> None:
    try:
        read(data, kind)
    except Unreadable as error:
        assert "reader failed" not in error.text()


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 6), st.binary(max_size=6)), min_size=1, max_size=5),
)
def test_an_archive_changed_anywhere_is_read_or_unreadable(sample: tuple[str, bytes], changes: list[Any]) -> None:
    kind, data = sample
    for share, length, put in changes:
        at = int(share * len(data))
        data = data[:at] + put + data[at + length :]
    try:
        read(data, kind, passwords=("x",))
    except Unreadable as error:
        assert "reader failed" not in error.text()


@settings(max_examples=100, deadline=None)
@given(
    st.dictionaries(
        st.text(st.sampled_from("ab./\\甲 "), min_size=1, max_size=8).filter(
            lambda name: not name.strip().endswith(("/", "\\"))
        ),
        st.sampled_from([b"", b"text", b"\0\0", b"PK\3\4"]),
        max_size=8,
    )
)
def test_members_add_up(members: dict[str, bytes]) -> None:
    members["z.txt"] = b"text"
    for data, kind in ((zipped(members), ZIP), (tarred(members), TAR)):
        texts, reasons = read(data, kind)
        hidden = [source for source, reason in reasons.items() if reason == "hidden"]
        assert len(texts) + len(reasons) - len(hidden) <= len(members)
        assert hidden or len(texts) + len(reasons) == len(members)
