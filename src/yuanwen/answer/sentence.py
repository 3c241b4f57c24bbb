"""A sentence of an answer with what it quotes and cites, as it is returned and while it is read; what it states."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from yuanwen.answer.citations import Cited
from yuanwen.answer.prose import letter
from yuanwen.needle import Span

# An answer that says it has none states nothing: our own prompt asks for these. After a "but" it does.
_abstentions = (
    r"待复核|待覆核|待核实|(?:for |needs? )?review\b",
    r"(?:未能?|没有|沒有|无法)(?:找到|查到|发现).{0,40}(?:依据|依據|证据|證據|资料|段落|原文|答案|信息|内容|规定|说明)",
    r".{0,12}(?:资料|段落|材料|证据|文档|原文)(?:中|里|内)?(?:均|都|并)?(?:没有|未|无|不足)",
    r"(?:there is )?(?:no|not enough) (?:supporting )?evidence\b",
    r"(?:this is )?not (?:found|stated|mentioned|covered) in (?:any of )?the\b",
    r"(?:none of )?the (?:\w+ )?(?:passages?|documents?|sources?) (?:does not|do not|don't|doesn't|states?|say)\b",
)
ABSTENTION = 120  # characters of a sentence that is taken for one of those
_abstention = re.compile(rf"[\W_]*(?:{'|'.join(_abstentions)})", re.I)
_but = re.compile(r"但|然而|不过|可是|却|\b(?:but|however|though|yet)\b", re.I)
_closing = "*_`~”’」』\"')）］] \t\r\n\u3000"


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A quotation: `text` stands at `span` of the answer, without its marks.

    That of a block quote is without the `>` of its lines. `within` are citations at its very end, inside the marks,
    which may belong to the words quoted; `bare` is the text before them, at `bare_span`. `receipt` is the span of one
    that follows.
    """

    text: str
    span: Span
    citations: tuple[Cited, ...]
    bare: str
    bare_span: Span
    within: tuple[Cited, ...]
    receipt: Span | None


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence as it stands at `span` of the answer, with all that belongs to it.

    `states` tells whether it says something that needs evidence: not headings, questions, lead-ins, what only quotes,
    and what says that nothing was found. `citations` and `receipts` are those that belong to no quotation.
    """

    text: str
    span: Span
    states: bool
    quotes: tuple[Quote, ...]
    citations: tuple[Cited, ...]
    receipts: tuple[Span, ...]


@dataclass
class ReadQuote:
    """A quotation that is being read; `end` is after its closing mark."""

    text: str
    span: Span
    end: int
    bare: str
    bare_span: Span
    within: Sequence[Cited] = ()
    citations: Sequence[Cited] = ()
    receipt: Span | None = None

    def done(self) -> Quote:
        return Quote(
            text=self.text,
            span=self.span,
            citations=tuple(self.citations),
            bare=self.bare,
            bare_span=self.bare_span,
            within=tuple(self.within),
            receipt=self.receipt,
        )


@dataclass
class ReadSentence:
    """A sentence that is being read; `last` are those of its citations after which it has no words."""

    start: int
    end: int
    states: bool = False
    quotes: list[ReadQuote] = field(default_factory=list)
    citations: list[Cited] = field(default_factory=list)
    last: list[Cited] = field(default_factory=list)
    receipts: list[Span] = field(default_factory=list)

    def done(self, answer: str) -> Sentence:
        return Sentence(
            text=answer[self.start : self.end],
            span=(self.start, self.end),
            states=self.states,
            quotes=tuple(quote.done() for quote in self.quotes),
            citations=tuple(self.citations),
            receipts=tuple(self.receipts),
        )

    def take(self, other: "ReadSentence") -> None:
        """Add what another one quotes and cites, which follows."""
        self.quotes += other.quotes
        self.citations += other.citations
        self.end = max(self.end, other.end)


def states(bare: str, text: str) -> bool:
    """Return whether a sentence with this text says something that needs evidence, by its own words alone."""
    words = bare.strip()
    if not letter.search(words) or text.rstrip(_closing).endswith((":", "：")):
        return False
    if words.rstrip(_closing).endswith(("?", "？")):
        return False
    return not abstains(words)


def abstains(words: str) -> bool:
    """Return whether a sentence says that it has nothing to state."""
    return len(words) <= ABSTENTION and bool(_abstention.match(words)) and not _but.search(words)
