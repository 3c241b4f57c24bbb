"""Texts -> what a server embeds them as, by OpenAI's protocol."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence

from yuanwen.chat import replies
from yuanwen.chat.endpoint import Endpoint
from yuanwen.chat.line import RETRIES, Failed, Line, opened
from yuanwen.chat.replies import Foreign, Json
from yuanwen.chat.trouble import is_passing

OPTIONS: Json = {"encoding_format": "float"}


def vectors(endpoint: Endpoint, batches: Iterable[Sequence[str]]) -> Iterator[list[list[float]]]:
    """Yield the vectors of each batch of texts, all of one dimension, finite, in the order of the texts.

    Raises Unavailable where there is no answer, UsageError where the address, the model or the key is not right.
    """
    with opened(endpoint, OPTIONS) as line:
        model = endpoint.model or line.only_model()
        for batch in batches:
            yield _tried(line, endpoint, {"model": model, "input": list(batch)})


def _tried(line: Line, endpoint: Endpoint, body: Json) -> list[list[float]]:
    failures = 0
    while True:
        try:
            return _vectors(line, body)
        except Failed as failed:
            failures += 1
            if failed.wait is None or failures > RETRIES:
                raise failed.error from None
            time.sleep(endpoint.patience.pause(failed.wait, failures))


def _vectors(line: Line, body: Json) -> list[list[float]]:
    """Return the vectors that are answered. Raises Failed."""
    with line.sent("embeddings", body) as response, line.reading():
        try:
            answer = next(replies.documents(response.iter_bytes()), {})
        except Foreign as foreign:
            raise Failed(line.trouble.foreign(str(foreign))) from None
    reported = replies.problem(answer)
    if reported:
        status, problem = reported
        raise Failed(line.trouble.refused(status, problem), 0 if is_passing(status) else None)
    found = _read(answer, len(body["input"]))
    if found is None:
        raise Failed(line.trouble.foreign(str(answer)[: replies.SHOWN]))
    return found


def _read(answer: Json, texts: int) -> list[list[float]] | None:
    """Return the vectors in an answer, one for each text; None if it holds anything else."""
    data = answer.get("data")
    if not isinstance(data, list) or len(data) != texts or not all(isinstance(each, dict) for each in data):
        return None
    placed = sorted(enumerate(data), key=lambda pair: _place(*pair))
    found = [each.get("embedding") for _, each in placed]
    first = len(found[0]) if found and isinstance(found[0], list) else 0
    good: list[list[float]] = []
    for each in found:
        if not first or not isinstance(each, list) or len(each) != first or not all(map(_is_finite, each)):
            return None
        good.append([float(value) for value in each])
    return good


def _place(at: int, given: Json) -> int:
    """Return which text a vector belongs to: as it says, else as it stands."""
    index = given.get("index")
    return index if isinstance(index, int) else at


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
