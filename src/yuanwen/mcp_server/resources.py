"""Passages and documents as resources, and the prompt that has a model answer from evidence alone."""

from urllib.parse import unquote

from yuanwen.errors import NotFound
from yuanwen.library import Library
from yuanwen.mcp_server.reply import PASSAGE, flat
from yuanwen.mcp_server.running import DOCUMENT
from yuanwen.model import Hit

WHOLE = 100_000  # characters of a document or a passage that are read at once
PAGE = 100  # documents that are listed at once

PROMPT = "answer_from_evidence"


def read(library: Library, uri: str) -> tuple[str, str]:
    """Return the words of a passage or a document, and what there is to say of them: that they are not all.

    Raises NotFound for what the library does not have.
    """
    if uri.startswith(PASSAGE):
        return _cut(library.show(unquote(uri.removeprefix(PASSAGE)), limit=1)[0])
    if not uri.startswith(DOCUMENT):
        hint = "Resources are {passage}ID and {document}ID."
        raise NotFound("no resource {uri}", hint=hint, uri=uri, passage=PASSAGE, document=DOCUMENT)
    text: list[str] = []
    length = 0
    for hit in library.show(unquote(uri.removeprefix(DOCUMENT))):
        if not length and len(hit.text) > WHOLE:
            return _cut(hit)
        if length + len(hit.text) > WHOLE:
            return "".join(text), f"The document goes on: fetch {hit.id}, or read {PASSAGE}{hit.id}"
        text.append(hit.text if hit.label is None else f"{hit.text}\n")  # records are not one text
        length += len(hit.text)
    return "".join(text), ""


def _cut(hit: Hit) -> tuple[str, str]:
    """Return the words of a passage, or the start of a long one and how to go on."""
    if len(hit.text) <= WHOLE:
        return hit.text, ""
    return hit.text[:WHOLE], f"The passage goes on: fetch {hit.id}, with start {WHOLE}"


def prompt(library: Library, question: str) -> str:
    """Return the prompt for a question, with its passages; one that says that there are none, where that is so."""
    prepared = library.prompt(question)
    if prepared.prompt is not None:
        return prepared.prompt.text
    why = prepared.evidence.absence
    kind = why.kind if why is not None else "absent"
    return (
        f"Question: {flat(question, 1000)}\n\nThe library has no passage for this question ({kind})."
        " Say so, and do not answer from memory."
    )
