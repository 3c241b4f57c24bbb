"""An answer in prose or Markdown -> its sentences, with their quotations and the citations that belong to them."""

import re
from collections.abc import Callable, Sequence

from yuanwen.answer.citations import Cited
from yuanwen.answer.reader import Reader
from yuanwen.answer.sentence import Quote, Sentence
from yuanwen.needle import Span

__all__ = ["Cited", "Quote", "Sentence", "parse", "stripped"]

_empty = re.compile(r"\s*+[\[【［〔(（][\s,;，；、|*`]*+[\]】］〕)）]")
_around = " \t\r\n\u3000*_`~#>|-—–"


def parse(answer: str, is_known: Callable[[str], bool], receipts: Sequence[Span] = ()) -> tuple[Sentence, ...]:
    """Return the sentences of an answer, in order. `is_known` tells whether a label is that of a passage.

    `receipts` are spans to be taken whole, in order. Nothing in an answer is an error.
    """
    return Reader(answer, is_known, receipts).read()


def stripped(words: str) -> str:
    """Return the words of a sentence without the empty brackets, the marks and the punctuation left around them."""
    return _empty.sub("", _empty.sub("", words)).strip(f"{_around}。.！!；;，,：:")
