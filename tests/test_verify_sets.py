"""Quotations made from other corpora in the manner of the shared sets: what is right is accepted, nothing else is."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import CORPUS, Shelf, records
from made_quotations import kernel, rows, same, tampered

from yuanwen.verification import SUPPORTED

SETS = ("cmrc2018_dev", "drcd_a", "xquad_zh_a", "expmrc_squad_a", "qed_nq_dev", "fm2_claims_dev")
EACH = 8  # sentences of each set that quotations are made of

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the shared corpora are not here")


@pytest.fixture(scope="module", params=SETS)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Shelf]]:
    """A shelf with the passages of a set that quotations are made of, and some more."""
    name = str(request.param)
    quoted = {made.passage for made in (*same(name, EACH), *tampered(name, EACH))}
    passages = rows(name, "corpus")
    kept = [each for each in passages if each["id"] in quoted] + passages[:60]
    items = {each["id"]: {"id": each["id"], "title": each["title"] or "题", "body": each["text"]} for each in kept}
    shelf = Shelf(Path(tmp_path_factory.mktemp(name)), "fts5")
    shelf.add(a_jsonl=records(*items.values()))
    yield name, shelf
    shelf.library.close()


def test_what_is_the_same_but_for_its_form_is_accepted_as_what_it_is(filled: tuple[str, Shelf]) -> None:
    name, shelf = filled
    texts = {each["id"]: each["text"] for each in rows(name, "corpus")}
    for made in same(name, EACH):
        for citation in (made.passage, None):
            claim = shelf.library.verify_quote(made.text, citation)
            expected = "verbatim" if made.text in texts[made.passage] else "normalised"
            assert claim.status == expected, (made, claim)
            assert claim.found is not None and kernel(claim.found.text) == kernel(made.text), (made, claim)
            assert expected == "normalised" or claim.found.text == made.text
            assert citation is None or claim.found.text in texts[citation]


def test_what_was_tampered_with_is_accepted_only_if_it_stands_there(filled: tuple[str, Shelf]) -> None:
    name, shelf = filled
    texts = {each["id"]: each["text"] for each in rows(name, "corpus")}
    everything = "\n".join(map(kernel, texts.values()))
    for made in tampered(name, EACH):
        for citation in (made.passage, None):
            claim = shelf.library.verify_quote(made.text, citation)
            whole = kernel(texts[citation]) if citation else everything
            assert claim.status not in SUPPORTED or kernel(made.text) in whole, (made, claim)
            assert claim.status != "altered" or (claim.changes and claim.found is not None), (made, claim)
