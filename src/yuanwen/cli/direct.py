"""`search`, and the straight way to it: where nothing has to be checked or explained, click is not loaded.

Click takes as long to import as the rest of a search takes in all. So a query with plain words and plain options is
answered from here; any other verb, option or doubt goes to `app.run`, and so does any error, which is then reported
there.
"""

import os
import sys
from collections.abc import Mapping, Sequence

from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import Screen, emit, speak_unicode
from yuanwen.errors import YuanwenError

MODES = ("ranked", "exact", "semantic", "hybrid", "expand", "raw")
PROTECTED = "\0"  # stands before a word that looks like an option; no argument can hold a NUL
DEFAULTS: Mapping[str, object] = {
    **{"mode": None, "limit": 10, "offset": 0, "before": 0, "after": 0, "tags": (), "source": "", "type": ""},
    **{"author": "", "since": "", "until": "", "all_versions": False, "explain": False},
    "proof": False,
}
_FLAGS = {"--json": "json", "-q": "quiet", "--quiet": "quiet", "-v": "verbose", "--verbose": "verbose"}


def answer(
    settings: Settings, *, query: Sequence[str], offset: int, explain: bool, proof: bool, **filters: object
) -> None:
    """Search the library, and print what is found."""
    words = " ".join(word.removeprefix(PROTECTED) for word in query)
    if proof:
        from yuanwen.cli.proof import prove

        prove(settings, words, offset=offset, explain=explain, **filters)  # type: ignore[arg-type]
        return
    with settings.open() as library:
        evidence = library.search(words, offset=offset, explain=explain, **filters)  # type: ignore[arg-type]
    if settings.json:
        from yuanwen.cli import output

        settings.answer(output.evidence(evidence, explain=explain))
        return
    from yuanwen.cli import render

    lines = render.evidence(Screen(sys.stdout), evidence, offset=offset, verbose=settings.verbose)
    emit("\n".join(lines), sys.stdout)
    settings.talk("\n".join(render.about(Screen(sys.stderr), evidence, offset=offset)))


def search(args: Sequence[str]) -> int | None:
    """Answer a plain search and return 0; return None, with nothing printed, for whatever is not one."""
    if any(name.endswith("_COMPLETE") for name in os.environ):
        return None
    settings = Settings()
    plain = _plain(args, settings)
    if plain is None:
        return None
    query, mode, limit = plain
    for stream in (sys.stdout, sys.stderr):
        speak_unicode(stream)
    options = {**DEFAULTS, "mode": mode, "limit": limit}
    try:
        answer(settings, query=query, **options)  # type: ignore[arg-type]
    except (YuanwenError, OSError):
        return None  # before anything was printed, unless the reader is gone; either way it is told there
    return 0


def _plain(args: Sequence[str], settings: Settings) -> tuple[list[str], str | None, int] | None:
    """Return the words, mode and limit of a plain search; None if the arguments are anything else."""
    words: list[str] = []
    mode: str | None = None
    limit = 10
    rest = iter(args)
    for arg in rest:
        if arg in _FLAGS:
            setattr(settings, _FLAGS[arg], True)
        elif arg in ("-L", "--library"):
            settings.library = next(rest, "")
            if not settings.library:
                return None
        elif arg == "--mode":
            mode = next(rest, "")
        elif arg == "--limit":
            number = next(rest, "")
            limit = int(number) if number.isdecimal() and number.isascii() and len(number) < 9 else 0
        elif arg.startswith("-"):
            return None
        else:
            words.append(arg)
    if len(words) < 2 or words[0] != "search" or mode not in (None, *MODES) or limit < 1:
        return None
    return words[1:], mode, limit
