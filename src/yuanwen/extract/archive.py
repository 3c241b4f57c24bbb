"""Archives and compressed files: each member is a document of its own. Nothing is ever written to disk."""

import bz2
import gzip
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase, BytesIO
from typing import IO, cast

from yuanwen.absence import Skip
from yuanwen.allowance import MAX_MEMBERS, MAX_RATIO, RATIO_FROM
from yuanwen.documents import Extracted, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import inside, media_type_of
from yuanwen.extract.decode import decode
from yuanwen.extract.names import Names, path
from yuanwen.extract.refusals import AGAIN, UNPACK, damaged, locked

_CHUNK = 2**20
_HEAD = 8192  # bytes that tell a binary file
_OF_NAMES = ("gb18030", "big5hkscs", "cp932", "cp949")
_ENCRYPTED, _UTF8_NAME = 0x001, 0x800  # flags of a ZIP member
_AES = 99  # as the compression method of a ZIP member

_DAMAGED = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error,
    EOFError, IndexError, OSError, OverflowError, RecursionError, ValueError,
)  # fmt: skip
_HIDDEN = re.compile(r"\A((?:[^/]+/)*?(?:\.[^/]*|__MACOSX|Thumbs\.db|desktop\.ini))(?:/|\Z)", re.IGNORECASE)
_COMPRESSED = re.compile(r"(?:(\.)t(?:gz|bz2|xz)|\.(?:gz|bz2|xz))\Z", re.IGNORECASE)
_OPEN: dict[str, Callable[[BytesIO], BufferedIOBase]] = {
    "application/gzip": gzip.open,
    "application/x-bzip2": bz2.open,
    "application/x-xz": lzma.open,
}


@dataclass(frozen=True, kw_only=True)
class _Member:
    """A member of an archive. `open` takes a password; `rule` is why it is left out on purpose.

    `name` is bytes where its encoding is not said.
    """

    name: str | bytes
    size: int
    packed: int
    open: Callable[[bytes | None], IO[bytes]]
    encrypted: bool = False
    rule: str = ""


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield what is in each member of a ZIP or TAR archive, in order of name. Raises Unreadable for a damaged one."""
    return _zip(raw) if raw.media_type == "application/zip" else _tar(raw, raw.data)


def extract_compressed(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield what is in the one file that was compressed, or in each member of an archive. Raises Unreadable."""
    data = _decompressed(raw)
    name = _COMPRESSED.sub(lambda found: ".tar" if found[1] else "", raw.name) or raw.name
    yield from _tar(raw, data) if media_type_of(name, data) == "application/x-tar" else inside(raw, name, data)


def _decompressed(raw: Raw) -> bytes:
    """Return the bytes of a compressed file. Raises Unreadable as soon as they become too many."""
    unpacked = BytesIO()
    try:
        with _OPEN[raw.media_type](BytesIO(raw.data)) as stream:
            while chunk := stream.read(_CHUNK):
                raw.allowance.unpack(len(chunk), len(chunk))
                unpacked.write(chunk)
                if unpacked.tell() > max(RATIO_FROM, MAX_RATIO * len(raw.data)):
                    raise Unreadable("it unpacks to more than {n} times its size", hint=UNPACK, n=MAX_RATIO)
    except _DAMAGED as error:
        raise damaged() from error
    return unpacked.getvalue()


def _members(raw: Raw, members: Sequence[_Member]) -> Iterator[Extracted | Skip]:
    """Yield what is in each member, in order of name; a hidden folder is one Skip."""
    names = Names()
    hidden: set[str] = set()
    for said, member in sorted(zip(_paths(members), members, strict=True), key=lambda pair: pair[0]):
        raw.allowance.beat()
        if found := _HIDDEN.match(said):
            if found[1] not in hidden:
                hidden.add(found[1])
                yield Skip(source=found[1], reason="hidden", hint=UNPACK, by_rule=True)
            continue
        name = names.give(said)
        if member.rule:
            yield Skip(source=name, reason=member.rule, hint=UNPACK, by_rule=True)
            continue
        try:
            data = _decrypted(raw, member) if member.encrypted else _unpacked(raw, member, name)
        except Unreadable as error:
            yield Skip.because(name, error)
        else:
            yield from inside(raw, name, data)


def _paths(members: Sequence[_Member]) -> list[str]:
    """Return where members lie in their archive. Names that do not say their encoding have it in common."""
    unsaid = [member.name for member in members if isinstance(member.name, bytes)]
    not_utf8 = b"\n".join(name for name in unsaid if _utf8(name) is None)
    likely = decode(not_utf8, declared="gbk").encoding if not_utf8 else "utf-8"
    return [
        path(member.name if isinstance(member.name, str) else _text(member.name, likely)) or f"member {number}"
        for number, member in enumerate(members, 1)
    ]


def _text(name: bytes, likely: str) -> str:
    text = _utf8(name)
    # 目录 in GBK is also valid UTF-8, for Ŀ¼; Chinese in UTF-8 takes characters beyond these.
    if text is not None and (likely == "utf-8" or text.isascii() or max(text) >= "\u0800"):
        return text
    try:
        return name.decode(likely if likely in _OF_NAMES else "gb18030")
    except UnicodeDecodeError:
        return name.decode("gb18030", "replace")


def _utf8(name: bytes) -> str | None:
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _unpacked(raw: Raw, member: _Member, name: str) -> bytes:
    """Return the bytes of a member, the first ones of one that is binary data. Raises Unreadable."""
    try:
        with member.open(None) as stream:
            head = stream.read(_HEAD)
            if media_type_of(name, head) is None:  # a film need not be unpacked to be refused
                return head
            raw.allowance.unpack(member.size, member.packed)
            return _rest(raw, stream, head)
    except NotImplementedError as error:
        raise Unreadable("its compression method is not supported", hint=UNPACK) from error
    except _DAMAGED as error:
        raise damaged() from error


def _decrypted(raw: Raw, member: _Member) -> bytes:
    """Return the bytes of a member by the first password that fits. Raises Unreadable."""
    raw.allowance.unpack(member.size, member.packed)
    # Old programs write the password in the encoding of the system, which in China is GBK.
    encoded = [given.encode(encoding, "replace") for given in raw.passwords for encoding in ("utf-8", "gb18030")]
    for password in [*dict.fromkeys(encoded), None]:
        try:
            with member.open(password) as stream:
                return _rest(raw, stream, b"")
        except NotImplementedError as error:
            raise Unreadable("its encryption is not supported", hint=UNPACK) from error
        except (RuntimeError, *_DAMAGED):  # a wrong password shows itself at once, or by what it makes of the data
            continue
    raise locked()


def _rest(raw: Raw, stream: IO[bytes], head: bytes) -> bytes:
    data = BytesIO()
    data.write(head)
    while chunk := stream.read(_CHUNK):
        raw.allowance.beat()
        data.write(chunk)
    return data.getvalue()


# ------------------------------------------------------------------------------------------- ZIP


def _zip(raw: Raw) -> Iterator[Extracted | Skip]:
    try:
        archive = zipfile.ZipFile(BytesIO(raw.data))
    except (*_DAMAGED, NotImplementedError) as error:
        raise damaged() from error
    with archive:
        infos = [info for info in archive.infolist() if info.file_size or info.orig_filename[-1:] not in ("/", "\\")]
        yield from _members(raw, [_zip_member(raw, archive, info) for info in infos])


def _opened(archive: zipfile.ZipFile, info: zipfile.ZipInfo, password: bytes | None) -> IO[bytes]:
    if info.compress_type == _AES:
        raise NotImplementedError
    return archive.open(info, pwd=password)


def _zip_member(raw: Raw, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Member:
    name = info.orig_filename  # what zipfile makes of it depends on the system
    return _Member(
        name=name if info.flag_bits & _UTF8_NAME else name.encode("cp437"),
        size=info.file_size,
        packed=min(info.compress_size, len(raw.data)),
        open=partial(_opened, archive, info),
        encrypted=bool(info.flag_bits & _ENCRYPTED),
    )


# ------------------------------------------------------------------------------------------- TAR


def _tar(raw: Raw, data: bytes) -> Iterator[Extracted | Skip]:
    with _tar_file(data) as archive:
        members: list[_Member] = []
        is_whole = _list(archive, members) and not data[archive.offset :].strip(b"\0")
        yield from _members(raw, members)
        if not is_whole:
            yield Skip(source="", reason="what follows in it is damaged", hint=AGAIN)


def _tar_file(data: bytes) -> tarfile.TarFile:
    try:
        return tarfile.open(fileobj=BytesIO(data), mode="r:", encoding="utf-8", errors="surrogateescape")
    except _DAMAGED as error:
        raise damaged() from error


def _list(archive: tarfile.TarFile, members: list[_Member]) -> bool:
    """Add the members of a TAR archive; return whether that went well up to the end. Raises Unreadable."""
    at = -1
    try:
        for info in archive:
            if info.offset <= at:  # a size below zero leads back to where we were
                return False
            at = info.offset
            if len(members) == MAX_MEMBERS:
                raise Unreadable("it has more than {n} members", hint=UNPACK, n=MAX_MEMBERS)
            if not info.isdir():
                members.append(_tar_member(archive, info))
    except _DAMAGED:
        return False
    return True


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> _Member:
    name = info.name.encode("utf-8", "surrogateescape")
    is_unicode = "path" in info.pax_headers
    other = "" if info.isreg() else "link" if info.issym() or info.islnk() else "not a regular file"
    return _Member(
        name=name.decode("utf-8", "replace") if is_unicode else name,
        size=info.size,
        packed=info.size,
        open=lambda _: cast("IO[bytes]", archive.extractfile(info)),
        rule=other,
    )
