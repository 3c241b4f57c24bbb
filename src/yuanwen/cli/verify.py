"""The verb `verify`: an answer, a quotation, or the proof of a search, checked against a library or against files."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from yuanwen.cli import verdict
from yuanwen.cli.messages import say
from yuanwen.cli.options import Verb, option, password, several, typed
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit
from yuanwen.errors import NotFound, UsageError
from yuanwen.extract.decode import decode
from yuanwen.verification import SUPPORTED

if TYPE_CHECKING:
    from yuanwen.library import Library
    from yuanwen.originals import Originals
    from yuanwen.verification import Verification

LARGEST = 64 * 2**20  # bytes of an answer
MAIL = ("message/rfc822", "application/mbox")  # which is text, and what an answer that begins with "To: " may look like
AS_TEXT = "Give the answer as text or Markdown."
NOISE = 20  # what has more than one character in so many that cannot be read is no text


def verify() -> click.Command:
    """Return the verb `verify`."""
    return Verb(
        "verify",
        _verify,
        brief=say("check every citation and quotation of an answer"),
        details=say(
            "A FILE holds an answer, as text or Markdown; - or none reads what is piped in. The exit status is 1 where"
            " something is not supported."
        ),
        usage=say("[FILE]... [OPTIONS]"),
        params=[
            several("files", required=False, metavar=say("FILE"), type=click.Path()),
            option("--quote", metavar=say("TEXT"), help=say("check this one quotation instead")),
            option("--id", "identity", metavar="ID", help=say("with --quote: the passage that it is said to be from")),
            option(
                "--against",
                metavar=say("FILE"),
                multiple=True,
                type=click.Path(),
                help=say("check against this file or folder, with no library"),
            ),
            option("--quotes-only", help=say("leave alone what is stated without a quotation")),
            option("--proof", metavar=say("FILE"), type=click.Path(), help=say("run a search that was proved again")),
            password(),
        ],
        examples=(
            "yuanwen verify answer.md",
            "yuanwen verify --quote 证据不足时，答案留空 --id P004",
            "yuanwen verify answer.md --against 合同.pdf",
        ),
    )


def _verify(
    settings: Settings,
    *,
    files: Sequence[str],
    quote: str | None,
    identity: str | None,
    against: Sequence[str],
    quotes_only: bool,
    proof: str | None,
    passwords: Sequence[str],
) -> int:
    if sum((bool(files), quote is not None, proof is not None)) > 1:
        raise UsageError("one thing is verified at a time", hint="Give files, or --quote, or --proof.")
    if identity is not None and quote is None:
        raise UsageError("--id says where a quotation is from", hint="Add: --quote TEXT")
    if quotes_only and (quote is not None or proof is not None):
        raise UsageError("--quotes-only is for whole answers", hint="Leave it out.")
    if proof is not None and against:
        raise UsageError("a proof is checked against a library", hint="Leave out --against.")
    if passwords and not against:
        raise UsageError("--password is for files that are read now", hint="Add: --against FILE")
    if proof is not None:
        from yuanwen.cli.proof import check

        return check(settings, proof)
    if quote is not None:
        return _quote(settings, quote, identity, against, passwords)
    names = list(dict.fromkeys(files)) or ["-"]
    answers = [_read(name) for name in names]
    with _witness(settings, against, passwords, answers) as witness:
        found = [witness.verify(each, quotes_only=quotes_only) for each in answers]
    _show(settings, names, answers, found)
    return 1 if any(each.verdict == "unsupported" for each in found) else 0


@contextmanager
def _witness(
    settings: Settings, against: Sequence[str], passwords: Sequence[str], answers: Sequence[str] = ()
) -> "Iterator[Library | Originals]":
    """Yield what `answers` are checked against: the files that are named, else the library."""
    if against:
        from yuanwen.originals import Originals

        yield Originals.read(against, passwords=typed(passwords), answers=answers)
    else:
        with settings.open() as library:
            yield library


def _read(name: str) -> str:
    """Return an answer that is piped in or stands in a file. Raises NotFound or UsageError."""
    from yuanwen.extract.detect import media_type_of
    from yuanwen.extract.formats import NAMES

    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("no answer was given", hint="Name a file, or pipe it in: ... | yuanwen verify")
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        path = Path(name).expanduser()
        if path.is_dir():
            raise UsageError("{path} is a folder", hint="Name the files in it that hold answers.", path=name)
        if not path.is_file():
            raise NotFound("no file {path}", hint="Check the spelling.", path=name)
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    shown = "stdin" if name == "-" else name
    if len(data) > LARGEST:
        raise UsageError("{path} is larger than any answer", hint=AS_TEXT, path=shown)
    kind = media_type_of(name, data)
    if kind in NAMES and kind not in MAIL:
        raise UsageError("{path} is not text, but {kind}", hint=AS_TEXT, path=shown, kind=NAMES[kind])
    decoded = decode(data)
    if kind is None or decoded.replaced > len(decoded.text) // NOISE:
        raise UsageError("{path} is not text", hint=AS_TEXT, path=shown)
    return decoded.text


def _show(settings: Settings, names: Sequence[str], answers: Sequence[str], found: "Sequence[Verification]") -> None:
    if settings.json:
        from yuanwen.cli import output

        shown = [output.verification(each) for each in found]
        if len(shown) == 1:
            settings.answer(shown[0])
        else:
            settings.answer({"answers": [{"file": name} | each for name, each in zip(names, shown, strict=True)]})
        return
    screen = Screen(sys.stdout)
    lines: list[str] = []
    for name, answer, each in zip(names, answers, found, strict=True):
        file = "" if name == "-" else name
        told = verdict.lines(
            screen, each, answer, file=file, verbose=settings.verbose, problems_only=settings.quiet or len(names) > 1
        )
        lines += ["", *told] if len(told) > 1 and lines else told
    lines += verdict.notes(screen, found, verbose=settings.verbose)
    if len(names) > 1:
        lines += ["", verdict.overall(found)]
    emit("\n".join(lines), sys.stdout)


def _quote(
    settings: Settings, quote: str, identity: str | None, against: Sequence[str], passwords: Sequence[str]
) -> int:
    if not quote.strip():
        raise UsageError("the quotation is empty", hint="Say which words: --quote TEXT")
    with _witness(settings, against, passwords) as witness:
        claim = witness.verify_quote(quote, identity)
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.claim(claim))
    else:
        emit("\n".join(verdict.claim(Screen(sys.stdout), claim)), sys.stdout)
    return 0 if claim.status in SUPPORTED else 1
