"""A note that an assistant keeps: a Markdown file in a folder beside the library, which is one of its roots."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from yuanwen.errors import Refused, UsageError
from yuanwen.library import Library
from yuanwen.mcp_server.reply import flat
from yuanwen.reports import Report

LONGEST = 100_000  # characters of a note
TITLE = 200  # characters of a title
NAME = 40  # characters of a title that go into the name of the file

_beside_words = re.compile(r"\W+")
_beside_tags = re.compile(r"[\s\[\]{}\"'#:|>]+")
_commas = re.compile(r"[,，、]")


def folder(library: str) -> Path:
    """Return the folder of the notes of the library at this path."""
    return Path(f"{library}.notes")


def add(
    library: Library, path: str, text: str, *, title: str, tags: Sequence[str], now: datetime | None = None
) -> tuple[Path, Report]:
    """Write a note, and take it into the library at `path`; return its file. No file is ever written over.

    Raises UsageError for a note without words, or one that is too long; Refused if the folder leads elsewhere.
    """
    title = flat(title, len(title))
    text = text.replace("\0", "\ufffd")  # a file that holds one is taken for no text
    if not text.strip() or not title:
        raise UsageError("a note needs a title and a text", hint="Give both.")
    if len(text) > LONGEST or len(title) > TITLE:
        hint = "A title has {title} characters at most, a text {text}."
        raise UsageError("the note is too long", hint=hint, title=TITLE, text=LONGEST)
    now = now or datetime.now(UTC)
    place = folder(path)
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise Refused("{place} is no folder of notes", hint="Its owner has to take it away.", place=place)
    place.mkdir(exist_ok=True)
    name = f"{now:%Y-%m-%d}-{_beside_words.sub('-', title)[:NAME]}".strip("-_")
    written = _write(place, name, markdown(text, title, tags, now))
    return written, library.add(place)


def markdown(text: str, title: str, tags: Sequence[str], now: datetime) -> str:
    """Return the file: front matter, the title as its heading, and the text. The title is one line."""
    parts = (_beside_tags.sub(" ", part).strip() for tag in tags for part in _commas.split(tag))
    named = ", ".join(dict.fromkeys(filter(None, parts)))
    front = ["---", f"date: {now.isoformat(timespec='seconds')}", *([f"tags: [{named}]"] if named else []), "---"]
    return "\n".join([*front, f"# {title}", "", text.strip("\r\n"), ""])


def _write(place: Path, name: str, content: str) -> Path:
    for number in count(1):
        path = place / (f"{name}.md" if number == 1 else f"{name}-{number}.md")
        try:
            with open(path, "x", encoding="utf-8", newline="") as file:
                file.write(content)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # numbers do not end
