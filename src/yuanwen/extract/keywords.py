"""Keywords as people list them -> each of them, once."""

import re
from collections.abc import Iterable

_COMMAS = re.compile(r"[,，、;；]")


def tags(lists: Iterable[str]) -> tuple[str, ...]:
    """Return the keywords in some lists of them, `预算；决算, audit`, without those that came before."""
    pieces = (" ".join(piece.split()) for words in lists for piece in _COMMAS.split(words))
    return tuple(dict.fromkeys(filter(None, pieces)))
