"""A block of the commonest shape, read at once: one sentence with one quotation in marks, and the passage it cites.

All other blocks are read by `prose.py`, which says the same of these and takes longer.
"""

import re
from typing import NamedTuple

from yuanwen.answer.prose import LOOK_BACK, lead, letter
from yuanwen.answer.quotation_marks import Quoted
from yuanwen.answer.sentence import abstains, states
from yuanwen.needle import Span

_line = r"\n\r\f\v\x85\u2028\u2029"
_quotes = "「」『』｢｣﹁﹂﹃﹄〝〞〟“„‟”«»‹›\"＂'＇‘’‚"
_signs = r"。！？｡︒!?….．()（）{}<>\[\]【】［］〔〕*_`~|\\#-"  # that part sentences, cite, or are markup
_words = rf"[^{_line}{_quotes}<]*[^{_line}{_quotes}<\]】］〕)\s。.,，][ \t。.,，]*"  # no bracket at the end
_simple = re.compile(
    rf"[^{_line}{_quotes}{_signs}]+(?:「(?P<han>Q)」|“(?P<latin>Q)”)"
    r"(?:[^\S\n]*\[(?P<id>[0-9A-Fa-f]{12,}-[0-9]+)\])?[。.]?[^\S\n]*".replace("Q", _words)
)


class Simple(NamedTuple):
    """What a block quotes, and the id with its span that it cites, if any; offsets are those of the block."""

    quoted: Quoted
    cited: tuple[str, Span] | None


def simple(text: str) -> Simple | None:
    """Return what a block quotes and cites if it is one simple sentence that states something, else None."""
    found = _simple.fullmatch(text)
    if found is None:
        return None
    first, last = found.span("han" if found["han"] else "latin")
    leading = lead.search(text[max(0, first - 1 - LOOK_BACK) : first - 1])
    if leading is None or letter.search(leading[0]):
        return None
    own = first - 1 - len(leading[0])
    end = found.end("id") + 1 if found["id"] else last + 1
    bare = text[:own] + " " * (end - own) + text[end:]
    if abstains(bare) or not states(bare, text):
        return None
    return Simple(Quoted(first - 1, first, last, last + 1), (found["id"], found.span("id")) if found["id"] else None)
