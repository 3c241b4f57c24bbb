"""What is true of every match of a quotation with a text."""

from yuanwen.comparison import Match


def check(match: Match, quoted: str, text: str) -> None:
    """Hold what is true of every match: changes are named by the words that stand at their places."""
    assert 0 <= match.start < match.end <= len(text)
    assert bool(match.changes) == (match.status == "altered") and bool(match.folding) == (match.status == "normalised")
    for change in match.changes:
        assert quoted[slice(*change.in_quote)] == change.quoted
        assert text[match.start : match.end][slice(*change.in_text)] == change.original
        assert change.original or change.quoted
