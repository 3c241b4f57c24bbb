"""A query tree -> a clause that an index answers with at least every passage meant, and the check that decides.

The check looks at the text: an index knows nothing of punctuation between words, nor of how near they stand.
"""

from collections.abc import Callable
from typing import NamedTuple

from yuanwen import analysis, needle, query, ranking
from yuanwen.index import All, Clause, Everything, Phrase, Prefix, Some, Term

PHRASE_LIMIT = 40  # characters of a query that is also looked for as one phrase
Check = Callable[[str, str], bool]  # (folded title, folded text) -> whether the passage is an answer


class Plan(NamedTuple):
    """How a query tree is searched: words to rank by, what must be there, and the check that the text decides by."""

    words: str
    required: Clause | None
    check: Check | None
    standing: Clause | None = None  # the whole query as one phrase
    relaxes: bool = False  # whether its words alone are worth a try when nothing has all that is required


def plan(node: query.Node) -> Plan:
    if isinstance(node, query.Words):
        return Plan(node.text, None, None, _standing(node.text))
    words = " ".join(query.positive(node))
    if isinstance(node, query.Both) and isinstance(node.parts[0], query.Words):
        rest = node.parts[1:]
        hard = query.Both(rest) if len(rest) > 1 else rest[0]
        if not all(isinstance(part, query.Without) for part in rest):
            return Plan(words, clause(hard), check(hard), relaxes=True)
    return Plan(words, clause(node), check(node))


def _standing(text: str) -> Clause | None:
    whole = _phrase(text, "text") if len(text) <= PHRASE_LIMIT else None
    return whole if isinstance(whole, Phrase) and len(whole.tokens) > 1 else None


def clause(node: query.Node) -> Clause:
    """Return the clause that finds at least every passage which a query tree means."""
    match node:
        case query.Words(text):
            return ranking.proposing(ranking.Question(text)) or Everything()
        case query.Exactly(text, place):
            return _phrase(text, place)
        case query.Starting(text, place):
            tokens = _tokens(text)
            return Prefix(tokens[-1], place) if len(tokens) == 1 else _phrase(text, place)
        case query.Near(parts, _):
            return every([_phrase(part, "text") for part in parts])
        case query.Both(nodes):
            but = [clause(n.part) for n in nodes if isinstance(n, query.Without) and _is_one_token(n.part)]
            return every([clause(n) for n in nodes if not isinstance(n, query.Without)], but)
        case query.Either(nodes):
            return Some(tuple(clause(n) for n in nodes))
        case query.Without(_):
            return Everything()


def every(parts: list[Clause], but: list[Clause] | None = None) -> Clause:
    needed = [part for part in parts if not isinstance(part, Everything)]
    if not needed:
        return Everything()
    return needed[0] if len(needed) == 1 and not but else All(tuple(needed), tuple(but or ()))


def _tokens(text: str) -> list[str]:
    """Return the tokens of words that start and end where they do in a text."""
    runs = analysis.runs(analysis.closed(analysis.fold_words(text)))
    ordered = analysis.ordered(runs).split()
    cut = runs and analysis.is_cut(runs[-1][0])
    return ordered[:-1] if cut and len(ordered) > 1 and len(runs[-1]) > 1 else ordered


def _phrase(text: str, place: str) -> Clause:
    tokens = _tokens(text)
    if not tokens:
        marks = sorted(analysis.symbols(text))
        return every([Term("terms", mark) for mark in marks]) if marks and place == "text" else Everything()
    if len(tokens) > 1 and len(tokens[-1]) == 1 and analysis.is_cut(tokens[-1]):
        return every([Phrase(tuple(tokens[:-1]), place), Prefix(tokens[-1], place)])  # type: ignore[arg-type]
    if len(tokens) == 1 and len(tokens[0]) == 1 and analysis.is_cut(tokens[0]):
        return Prefix(tokens[0], place)  # type: ignore[arg-type]
    return Phrase(tuple(tokens), place)  # type: ignore[arg-type]


def _is_one_token(node: query.Node) -> bool:
    return isinstance(node, query.Exactly) and node.field == "text" and len(_tokens(node.text)) == 1


def check(node: query.Node) -> Check:
    """Return the function that decides on the folded title and text of a passage."""
    match node:
        case query.Words(_):
            return lambda title, text: True
        case query.Exactly(text, place):
            return _has(needle.WholeWords(text), place)
        case query.Starting(text, place):
            return _has(needle.WholeWords(text, prefix=True), place)
        case query.Near(parts, distance):
            patterns = [needle.WholeWords(part) for part in parts]
            return lambda title, text: needle.near(patterns, distance, text)
        case query.Both(nodes):
            checks = [check(n) for n in nodes]
            return lambda title, text: all(check(title, text) for check in checks)
        case query.Either(nodes):
            checks = [check(n) for n in nodes]
            return lambda title, text: any(check(title, text) for check in checks)
        case query.Without(part):
            inner = check(part)
            return lambda title, text: not inner(title, text)


def _has(words: needle.WholeWords, place: str) -> Check:
    if place == "title":
        return lambda title, text: any(words.stand(title))
    return lambda title, text: any(words.stand(text))
