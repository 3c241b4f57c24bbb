"""Mail: the header lines that a reader sees and the text of the message; each attachment is a document of its own."""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Place, Raw
from yuanwen.errors import Unreadable
from yuanwen.extract import html, inside
from yuanwen.extract.dates import iso
from yuanwen.extract.decode import Decoded
from yuanwen.extract.draft import Draft
from yuanwen.extract.formats import MEDIA_TYPES
from yuanwen.extract.keywords import tags
from yuanwen.extract.mime import Part, decoded, field_text, read
from yuanwen.extract.names import Names, path
from yuanwen.extract.refusals import UNPACK, damaged

MAX_NESTING = 30  # multiparts within each other; real mails stay below 10
MAX_PARTS = 10_000
MAX_MESSAGES = 100_000  # of one mailbox
STUB = 4  # a plain text this many times shorter than the HTML beside it does not say the same
SMALL_PICTURE = 10_000  # bytes: logos and icons that belong to the look of a mail

_MAIN = Place(unit="main")  # in the terms of HTML
_SEEN = frozenset(("from", "to", "cc", "bcc", "date", "subject"))
_BODY = frozenset(("text/plain", "text/html"))
_OTHER_BODIES = frozenset(("text/enriched", "text/richtext", "text/x-amp-html", "text/watch-html"))  # say the same
_LOOKS = frozenset(("text/css", "text/javascript", "application/javascript", "application/x-javascript"))
_SIGNATURES = frozenset(
    (
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-signature",
        "application/pgp-keys",
    )
)
_SMIME = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_RIGHTS_MANAGED = frozenset(("application/x-microsoft-rpmsg-message",))
_ARMOURED = "-----BEGIN PGP MESSAGE-----"
_QUERY = re.compile(r"[?#].*\Z")
_SUFFIXES = {media_type: suffix for suffix, media_type in reversed(MEDIA_TYPES.items())} | {
    "text/calendar": ".ics",
    "text/vcard": ".vcf",
}

# The line before each mail; where no program wrote a time into it, a blank line has to stand before it.
_FROM = re.compile(rb"^From [^\n]*\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [^\n]*\d:\d\d[^\n]*\n", re.MULTILINE)
_BARE_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")
_ESCAPED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)

_NOTHING = "There is nothing to find in it."
ENCRYPTED = ("it is encrypted", "Decrypt it in the program it was written for, and save it again.")


def extract(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield the mail as a document, then what is attached to it."""
    data = raw.data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    mail = read(data, 0, len(data))
    contents = _Contents(raw)
    bodies = contents.bodies(mail)
    letter = compose(
        raw.media_type,
        seen_lines(mail),
        bodies,
        subject=mail.text("subject"),
        author=mail.text("from"),
        dated=iso(mail.text("date")),
        keywords=tags([mail.text("keywords")]),
    )
    if letter.text.strip():
        yield letter
    yield from contents.skipped
    yield from contents.attachments()


def extract_mailbox(raw: Raw) -> Iterator[Extracted | Skip]:
    """Yield what is in each mail of a mailbox. Raises Unreadable for a file that is none."""
    number = 0
    for number, (start, end) in enumerate(_messages(raw.data), 1):
        raw.allowance.beat()
        if number > MAX_MESSAGES:
            yield Skip(source="", reason=f"it has more than {MAX_MESSAGES} members", hint="Split it.")
            return
        message = _ESCAPED_FROM.sub(rb"\1", raw.data[start:end])
        yield from inside(raw, str(number), message, "message/rfc822")
    if not number:
        raise damaged()


def _messages(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the mails of a mailbox start and end."""
    start = None
    for border in (_FROM if _FROM.search(data) else _BARE_FROM).finditer(data):
        if start is not None:
            yield start, border.start()
        start = border.end()
    if start is not None:
        yield start, len(data)


def seen_lines(mail: Part) -> list[str]:
    """Return the header lines that a reader sees, as they stand in the mail, decoded."""
    return [f"{name}: {field_text(value, mail.charset)}" for name, value in mail.fields if name.lower() in _SEEN]


def compose(
    media_type: str,
    lines: Sequence[str],
    bodies: Sequence[Extracted],
    *,
    subject: str,
    author: str,
    dated: str | None,
    keywords: tuple[str, ...] = (),
) -> Extracted:
    """Return a mail as a document: its header lines, a blank line, and what it says."""
    draft = Draft(places=[(0, _MAIN)])
    if lines:
        draft.write("", "\n".join(lines))
    bodies = [body for body in bodies if body.text.strip()]
    for body in bodies:
        start = draft.write("\n\n", body.text)
        if draft.headings and not body.headings:  # what went before does not head this
            draft.unhead(start)
        draft.point(start, headings=body.headings, marks=body.marks)
        draft.places += ((start + offset, place) for offset, place in body.places or ((0, _MAIN),))
    document = draft.extracted(media_type)
    return replace(
        document,
        title=" ".join(subject.split()) or next((body.title for body in bodies if body.title), ""),
        places=document.places if any(body.places for body in bodies) else (),
        author=author.strip(),
        dated=dated,
        tags=keywords,
        encoding=next((body.encoding for body in bodies), "utf-8"),
        replaced=sum(line.count("\ufffd") for line in lines) + sum(body.replaced for body in bodies),
    )


def plain(decoded: Decoded) -> Extracted:
    """Return the body of a mail that is plain text; how its lines end on the wire is not part of it."""
    return Extracted(
        text=decoded.text.replace("\r\n", "\n").strip("\n"),
        media_type="text/plain",
        encoding=decoded.encoding,
        replaced=decoded.replaced,
    )


def page(decoded: Decoded) -> Extracted:
    """Return the body of a mail that is HTML. Raises Unreadable for one that was built to exhaust the parser."""
    found = html.page(decoded.text)
    return replace(found, encoding=decoded.encoding, replaced=decoded.replaced)


def best(alternatives: Iterable[Sequence[Extracted]]) -> Sequence[Extracted]:
    """Return the bodies of one among several ways to say the same: plain text, unless it only stands in for HTML."""
    said = [bodies for bodies in alternatives if any(body.text.strip() for body in bodies)]
    texts: list[Sequence[Extracted]] = []
    pages: list[Sequence[Extracted]] = []
    for bodies in said:
        (texts if all(body.media_type == "text/plain" for body in bodies) else pages).append(bodies)
    if texts and pages and STUB * _length(texts[0]) < _length(pages[-1]):
        return pages[-1]
    return next(iter([*texts, *reversed(pages)]), ())


def _length(bodies: Sequence[Extracted]) -> int:
    return sum(len("".join(body.text.split())) for body in bodies)


def attachment_name(said: str, number: int, media_type: str = "") -> str:
    """Return the plain name that an attachment says it has, or one made from its number and its kind."""
    if name := path(said).rpartition("/")[2]:
        return name
    is_text = media_type.startswith(("text/", "message/"))
    return f"attachment {number}{_SUFFIXES.get(media_type) or ('.txt' if is_text else '.bin')}"


class _Contents:
    """What is in a mail: bodies as they are found, and beside them what is attached or could not be read."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._parts = 0
        self._attached: list[Part] = []
        self.skipped: list[Skip] = []

    def bodies(self, part: Part, depth: int = 0) -> Sequence[Extracted]:
        """Return what a part says to the reader of the mail. Raises Unreadable for too many parts."""
        self._raw.allowance.beat()
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise Unreadable("it has more than {n} members", hint=UNPACK, n=MAX_PARTS)
        if part.kind.startswith("multipart/"):
            return self._multipart(part, depth)
        if part.kind in _BODY and not (depth and part.name) and part.disposition != "attachment":
            return self._body(part)
        self._attached.append(part)
        return ()

    def _multipart(self, part: Part, depth: int) -> Sequence[Extracted]:
        if part.kind == "multipart/encrypted":
            self._skip(*ENCRYPTED)
            return ()
        if depth == MAX_NESTING:
            self._skip("its parts are nested too deeply", "Save what is in it as files of their own.")
            return ()
        unread = _OTHER_BODIES if part.kind == "multipart/alternative" else frozenset[str]()
        found = [self.bodies(inner, depth + 1) for inner in part.parts() if inner.kind not in unread]
        if not found:
            return self._body(part)
        return best(found) if part.kind == "multipart/alternative" else [body for bodies in found for body in bodies]

    def _body(self, part: Part) -> Sequence[Extracted]:
        text = decoded(part.content(), part.parameter("charset"))
        if part.kind != "text/html":
            body = plain(text)
            if body.text.lstrip().startswith(_ARMOURED):
                self._skip(*ENCRYPTED)
                return ()
            return [body]
        try:
            return [page(text)]
        except Unreadable as error:
            self.skipped.append(Skip.because("", error))
            return ()

    def _skip(self, reason: str, hint: str) -> None:
        self.skipped.append(Skip(source="", reason=reason, hint=hint))

    def attachments(self) -> Iterator[Extracted | Skip]:
        """Yield what is in each attachment."""
        names = Names()
        for number, part in enumerate(self._attached, 1):
            self._raw.allowance.beat()
            name = names.give(attachment_name(part.name or _location(part), number, part.kind))
            data = part.content()
            beside_page = bool(part.field("content-id") or part.field("content-location"))
            smime_type = part.parameter("smime-type")
            if skip := left_out(part.kind, len(data), smime_type=smime_type, beside_page=beside_page):
                yield replace(skip, source=name)
            else:
                kind = part.kind if part.kind == "message/rfc822" else None
                yield from inside(self._raw, name, data, kind)


def left_out(media_type: str, size: int, *, smime_type: str = "", beside_page: bool = False) -> Skip | None:
    """Return why an attachment is not read, or None. `beside_page` tells what a page refers to."""
    if media_type in _SMIME and smime_type.lower() == "signed-data":
        return Skip(source="", reason="its text is sealed in a signature", hint=ENCRYPTED[1])
    if media_type in _SMIME or media_type in _RIGHTS_MANAGED:
        return Skip(source="", reason=ENCRYPTED[0], hint=ENCRYPTED[1])
    if media_type in _SIGNATURES:
        return Skip(source="", reason="signature", hint=_NOTHING, by_rule=True)
    is_small_picture = media_type.startswith("image/") and size < SMALL_PICTURE
    if beside_page and (is_small_picture or media_type in _LOOKS):
        return Skip(source="", reason="decoration of the mail", hint=_NOTHING, by_rule=True)
    return None


def _location(part: Part) -> str:
    """Return the name that a part of a saved page had on its server."""
    return unquote(_QUERY.sub("", part.text("content-location")).rpartition("/")[2])
