"""A server that speaks OpenAI's protocol -> vectors: Ollama, llama.cpp, vLLM, or one on the internet.

The words of passages are sent to it, so it is asked only once its user has named it.
"""

import os
from collections.abc import Iterator, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from yuanwen.embed import WEIGHT, embedded, embedded_query, fingerprint
from yuanwen.errors import UsageError, YuanwenError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yuanwen.chat.endpoint import Endpoint, Patience

KEY = "YUANWEN_EMBED_KEY"
_BATCH = 32  # texts of a request
_PROBE = "原文 means the original words."
_SHOWN = 16  # numbers of a vector by which a model is known again
_ALIKE = 0.99  # cosine: other machines and other batches round in other ways, another model is far below


class HttpEmbedder:
    """A model on a server, known by how it embedded a few words when it was added. Loading it sends nothing."""

    weight = WEIGHT

    def __init__(
        self,
        name: str,
        *,
        url: str,
        model: str,
        dimensions: int,
        probe: Sequence[float],
        query: str = "",
        passage: str = "",
        patience: "Patience | None" = None,
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        known = ",".join(f"{value:.4f}" for value in probe)
        self.fingerprint = fingerprint("http", model, str(dimensions), known, query, passage)
        self._probe = tuple(probe)
        self._query, self._passage = query, passage
        self._endpoint = endpoint(url, model, patience)
        self._is_known = False

    def embed_passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return (texts, dimensions), each row of length 1, or zeros where there is nothing to embed."""
        return embedded(texts, self.dimensions, lambda fit: self._embed([self._passage + text for text in fit]))

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return (dimensions,), of length 1, or zeros where there is nothing to embed."""
        return embedded_query(text, self.dimensions, lambda fit: self._embed([self._query + text for text in fit]))

    def _embed(self, texts: list[str]) -> "NDArray[np.float32]":
        """Return a vector for each text; the first time the server is asked how it embeds the few words, too."""
        asked = texts if self._is_known else [self._passage + _PROBE, *texts]
        found = _asked(self._endpoint, asked)
        if found.shape[1] != self.dimensions or not (self._is_known or _alike(_shown(found[0]), self._probe)):
            raise UsageError(
                "the model {model} on {url} is another one than when it was added",
                hint="Add it again: yuanwen models add {name} --url {url} --model {model}",
                model=self._endpoint.model,
                url=self._endpoint.url,
                name=self.name,
            )
        self._is_known = True
        return found[-len(texts) :]


def probed(
    url: str, model: str, passage: str = "", patience: "Patience | None" = None
) -> tuple[tuple[float, ...], int]:
    """Return by what a model on a server is known again, and its dimensions. Raises UsageError, Unavailable."""
    vector = _asked(endpoint(url, model, patience), [passage + _PROBE])[0]
    return _shown(vector), len(vector)


def endpoint(url: str, model: str, patience: "Patience | None" = None) -> "Endpoint":
    """Return the server. Raises UsageError for an address over which others could read along."""
    from yuanwen.chat.endpoint import Endpoint, Patience, bases, host, kept_key, shown

    base = bases(url)[0]
    if urlsplit(base).scheme.lower() != "https" and not _is_here(host(base)):
        raise UsageError(
            "{url} is not on this machine, and without https others can read along",
            hint="Give an address that begins with https://.",
            url=shown(url),
        )
    key = os.environ.get(KEY, "").strip() or kept_key(host(base))
    return Endpoint(url=base, model=model, key=key, patience=patience or Patience())


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _asked(endpoint: "Endpoint", texts: list[str]) -> "NDArray[np.float32]":
    """Return what the server answers. What goes wrong is told for a model that embeds."""
    import numpy as np

    from yuanwen.chat.vectors import vectors

    batches = (texts[at : at + _BATCH] for at in range(0, len(texts), _BATCH))
    try:
        found = [np.array(rows, np.float32) for rows in vectors(endpoint, batches)]
    except YuanwenError as error:
        hint = "Check the server, its address and its model."
        if "key" in error.what:
            hint = "Check the key in YUANWEN_EMBED_KEY."
        raise type(error)(error.what, hint=hint, **error.values) from None
    if len({rows.shape[1] for rows in found}) != 1:
        raise UsageError(
            "{url} answers with vectors of several dimensions", hint="Use another model.", url=endpoint.url
        )
    return np.concatenate(found)


def _shown(vector: "NDArray[np.float32]") -> tuple[float, ...]:
    """Return the part of a vector by which it is known again, of length 1."""
    return tuple(_scaled(vector.tolist()[:_SHOWN]))


def _scaled(values: Sequence[float]) -> Iterator[float]:
    length = sum(value * value for value in values) ** 0.5 or 1.0
    return (round(value / length, 4) for value in values)


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) == len(other) and sum(a * b for a, b in zip(one, other, strict=True)) > _ALIKE
