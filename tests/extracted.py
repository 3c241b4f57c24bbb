"""What tests look at in a document that was extracted."""

from collections.abc import Iterable

from yuanwen.absence import Skip
from yuanwen.documents import Extracted, Raw
from yuanwen.extract import extract
from yuanwen.passages import split


def documents(raw: Raw) -> tuple[Extracted, ...]:
    """Return the documents in a file of which every part can be read."""
    found = extract(raw)
    kept = tuple(item for item in found if isinstance(item, Extracted))
    assert len(kept) == len(found)
    return kept


def marked(document: Extracted, kind: str) -> list[str]:
    """Return the stretches of text that are marked so."""
    return [document.text[mark.start : mark.end] for mark in document.marks if mark.kind == kind]


def tiled(document: Extracted) -> Extracted:
    """Return the document, after checking that its passages tile its text."""
    assert "".join(passage.text for passage in split(document)) == document.text
    return document


def only(items: Iterable[Extracted | Skip]) -> Extracted:
    """Return the one document that was found, whose paragraphs begin lines."""
    (document,) = items
    assert isinstance(document, Extracted)
    for start in document.paragraphs:
        assert start == 0 or document.text[start - 1] == "\n"
    assert not document.places or document.places[0][0] == 0
    return tiled(document)
