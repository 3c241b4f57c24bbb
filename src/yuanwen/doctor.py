"""What works on this machine, and what to do about what does not."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PYTHON = (3, 11)

# What Yuanwen cannot do without: import name -> the name to install it by.
NEEDED = {
    "apsw": "apsw",
    "tantivy": "tantivy",
    "Stemmer": "PyStemmer",
    "pathspec": "pathspec",
    "mcp.server": "mcp",
    "uvicorn": "uvicorn",
}


@dataclass(frozen=True, kw_only=True)
class Group:
    """Formats by the name that people have for them: the module that reads them, and what it `needs`, if anything.

    `suffixes` are those of the module, unless it reads files of other groups in a further way.
    """

    name: str
    module: str
    needs: str = ""
    fix: str = ""
    suffixes: str = ""


GROUPS = (
    Group(name="text and code", module="text"),
    Group(name="Markdown", module="markdown"),
    Group(name="web pages", module="html"),
    Group(name="tables", module="table"),
    Group(name="records", module="records"),
    Group(name="PDF", module="pdf"),
    Group(name="Word", module="docx"),
    Group(name="Excel", module="sheet"),
    Group(name="PowerPoint", module="pptx"),
    Group(name="OpenDocument", module="odf"),
    Group(name="e-books", module="epub"),
    Group(name="mail", module="mail"),
    Group(name="archives", module="archive"),
    Group(
        name="Outlook mail",
        module="outlook",
        needs="olefile",
        fix='Run: "{python}" -m pip install "yuanwen[msg]"',
    ),
    Group(
        name="Office before 2007",
        module="legacy",
        needs="libreoffice",
        fix="Run: {command}",
    ),
    Group(
        name="Office with a password",
        module="encrypted",
        needs="msoffcrypto",
        fix='Run: "{python}" -m pip install "yuanwen[office-password]"',
        suffixes="docx xlsx pptx",
    ),
    Group(
        name="pictures and scans",
        module="ocr",
        needs="rapidocr",
        fix='Run: "{python}" -m pip install "yuanwen[ocr]"',
    ),
)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A thing that was looked at. `detail` and `fix` are templates over `values`.

    What is not `ok` has to be mended. What is, and has a `fix` all the same, is only not there yet. The detail of a
    `listing` may be long, and be cut.
    """

    name: str
    ok: bool
    detail: str
    fix: str = ""
    listing: bool = False
    values: dict[str, object] = field(default_factory=dict)

    def text(self, template: str, translate: Callable[[str], str] = str) -> str:
        """Return one of the templates, translated and filled."""
        return translate(template).format(**self.values)


def examine(library: Path) -> tuple[Finding, ...]:
    """Return what was found, in the order in which things depend on each other."""
    return (_python(), *_engines(), *_library(library), _terminal(), *_formats())


def _python() -> Finding:
    version = sys.version.split()[0]
    if sys.version_info >= PYTHON:
        return Finding(name="Python", ok=True, detail="{version}", values={"version": version})
    return Finding(
        name="Python",
        ok=False,
        detail="{version} is too old",
        fix="Install Python {least} or later.",
        values={"version": version, "least": ".".join(map(str, PYTHON))},
    )


def _engines() -> Iterator[Finding]:
    """Yield each library that stores or finds, with its version, or how to install it."""
    from importlib import import_module

    missing = False
    for module, package in NEEDED.items():
        try:
            import_module(module)
        except ImportError as error:
            missing = True
            yield Finding(
                name=package,
                ok=False,
                detail="cannot be loaded: {problem}",
                fix='Run: "{python}" -m pip install --force-reinstall {package}',
                values={"problem": str(error), "python": sys.executable, "package": package},
            )
    if missing:
        return
    from yuanwen.library import engine_versions

    for name, version in engine_versions().items():
        yield Finding(name=name, ok=True, detail="{version}", values={"version": version})


def _library(path: Path) -> Iterator[Finding]:
    """Yield whether the library is there and can be used."""
    values: dict[str, object] = {"path": path}
    if not path.exists():
        folder = next((parent for parent in path.absolute().parents if parent.exists()), path)
        if os.access(folder, os.W_OK):
            detail = "{path} is not there yet; the first `yuanwen add` makes it"
            yield Finding(name="library", ok=True, detail=detail, values=values)
        else:
            yield Finding(
                name="library",
                ok=False,
                detail="{path} is not there, and {folder} cannot be written to",
                fix="Name another place with -L or the variable YUANWEN_LIBRARY.",
                values=values | {"folder": folder},
            )
        return
    yield _usable(path, values)


def _usable(path: Path, values: dict[str, object]) -> Finding:
    """Return whether a library that is there can be opened, and be written to."""
    from yuanwen.errors import YuanwenError
    from yuanwen.library import Library

    try:
        with Library.open(path, create=False) as library:
            found = library.status()
    except (YuanwenError, OSError) as error:
        problem = error.what.format(**error.values) if isinstance(error, YuanwenError) else str(error)
        hint = error.hint.format(**error.values) if isinstance(error, YuanwenError) else ""
        return Finding(
            name="library",
            ok=False,
            detail="{problem}",
            fix="{hint}" if hint else "Check the path, its permissions, and the space on the disk.",
            values=values | {"problem": problem, "hint": hint},
        )
    values |= {"format": found.format, "index": found.index, "documents": found.documents}
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return Finding(
            name="library",
            ok=False,
            detail="{path} can be searched, but not be written to",
            fix="Give yourself the right to write to {path} and its folder.",
            values=values,
        )
    return Finding(
        name="library",
        ok=True,
        detail="{path}: format {format}, index {index}, documents: {documents}",
        values=values,
    )


def _terminal() -> Finding:
    encoding = getattr(sys.__stdout__, "encoding", None) or "utf-8"
    values: dict[str, object] = {"encoding": encoding}
    try:
        "原文".encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return Finding(
            name="terminal",
            ok=False,
            detail="{encoding} has no Chinese characters; UTF-8 is printed all the same",
            fix="Run: chcp 65001" if sys.platform == "win32" else "Run: export LC_ALL=C.UTF-8",
            values=values,
        )
    return Finding(name="terminal", ok=True, detail="{encoding}", values=values)


def _formats() -> Iterator[Finding]:
    """Yield what can be read, what could be with one more thing installed, and what cannot be."""
    from yuanwen import extract
    from yuanwen.extract.formats import NAMES

    yield from _font()
    for group in GROUPS:
        ready = not group.needs or group.needs in extract.abilities()
        values: dict[str, object] = {
            "suffixes": group.suffixes or _suffixes(group.module),
            "python": sys.executable,
            "command": _system_command(),
        }
        detail = "{suffixes}" if ready else "{suffixes}: not yet"
        fix = "" if ready else group.fix
        yield Finding(name=group.name, ok=True, detail=detail, fix=fix, listing=True, values=values)
    never = [media_type for media_type in NAMES if media_type not in extract.EXTRACTORS]
    yield Finding(
        name="not read",
        ok=True,
        detail="{suffixes}",
        fix="Save such files as PDF or DOCX.",
        listing=True,
        values={"suffixes": _named(never)},
    )


def _suffixes(module: str) -> str:
    """Return the suffixes of the files that a module reads; for that of plain text also those of source code."""
    from yuanwen.extract import EXTRACTORS, MEDIA_TYPES, served

    media_types = list(served(module))
    if module == "text":
        media_types += [m for m in MEDIA_TYPES.values() if m.startswith("text/") and m not in EXTRACTORS]
    return _named(media_types)


def _named(media_types: Sequence[str]) -> str:
    from yuanwen.extract import MEDIA_TYPES

    return " ".join(suffix.removeprefix(".") for suffix, named in MEDIA_TYPES.items() if named in media_types)


def _font() -> Iterator[Finding]:
    """Yield whether the font is there without which Chinese in PDF is lost."""
    from yuanwen.errors import Unreadable
    from yuanwen.extract import font

    try:
        file = font.path()
    except Unreadable as error:
        yield Finding(name="font", ok=False, detail=error.what, fix=error.hint, values=dict(error.values))
    else:
        yield Finding(name="font", ok=True, detail="{name}", values={"name": file.name})


def _system_command() -> str:
    """Return the command that installs LibreOffice on this kind of machine."""
    if sys.platform == "darwin":
        return "brew install --cask libreoffice"
    if sys.platform == "win32":
        return "winget install TheDocumentFoundation.LibreOffice"
    return "sudo apt install libreoffice-writer-nogui libreoffice-impress-nogui"
