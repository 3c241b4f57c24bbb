"""Which passages mean the same as a question, by the vectors of a library and the model that made them."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from yuanwen.errors import Unavailable
from yuanwen.store.connection import Connection

if TYPE_CHECKING:
    from yuanwen.embed import Embedder
    from yuanwen.index.vectors import VectorIndex
    from yuanwen.store.vectors import ModelRow

NOT_EMBEDDED = "some passages have no vectors yet: they are found by their words alone"
NEAREST = 100  # passages that the cosines of a question are scaled by: the weights of models are measured so


class Meant:
    """The passages nearest to a question, with their cosines, the nearest first, and what that counts beside words."""

    def __init__(
        self,
        cosines: Mapping[int, float],
        weight: float = 0.0,
        model: str = "",
        compare: Callable[[Sequence[str]], list[float]] | None = None,
    ) -> None:
        self.cosines = cosines
        self.weight = weight
        self.model = model
        self.compare = compare  # the cosines of other texts, which have to be embedded for that

    @cached_property
    def scaled(self) -> dict[int, float]:
        """How near each passage is among the nearest: 1 for the first, 0 for the last."""
        most, least = max(self.cosines.values(), default=0.0), min(self.cosines.values(), default=0.0)
        span = most - least
        return {passage: (cosine - least) / span if span else 1.0 for passage, cosine in self.cosines.items()}


NOTHING = Meant({})


class Meaning(NamedTuple):
    """The vectors of one state of a library, and the model to compare a question by."""

    vectors: "Callable[[], VectorIndex]"  # asked once the model is there: it needs numpy, as the model does
    db: Connection
    model: "ModelRow"
    embedder: "Callable[[ModelRow], Embedder]"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a search by meaning does not see."""
        from yuanwen.store import vectors

        return (NOT_EMBEDDED,) if vectors.is_incomplete(self.db, self.model.id) else ()

    def nearest(self, question: str, *, among: Collection[int] | None = None, limit: int = NEAREST) -> Meant:
        """Return the passages nearest to a question, `among` some of them if given.

        Raises Unavailable where the model is not installed or is another than made the vectors.
        """
        embedder = self.embedder(self.model)
        asked = embedder.embed_query(question)
        if not asked.any():
            return NOTHING
        chosen = None if among is None else frozenset(among)
        found = self.vectors().search(self.db, self.model, asked, among=chosen, limit=limit)

        def compare(texts: Sequence[str]) -> list[float]:
            cosines: list[float] = (embedder.embed_passages(texts) @ asked).tolist()
            return cosines

        return Meant({near.passage: near.cosine for near in found}, embedder.weight, embedder.name, compare)


class Embedders:
    """The models that questions are compared by, each loaded once. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[str, Embedder] = {}
        self._given: dict[str, Embedder] = {}

    def keep(self, embedder: "Embedder") -> None:
        """Have this very model embed, wherever one of its name is asked for."""
        with self._lock:
            self._given[embedder.name] = self._loaded[embedder.fingerprint] = embedder

    def named(self, name: str) -> "Embedder":
        """Return a model of a name for the caller alone: one that embeds passages would hold up questions.

        Raises NotFound, or Unavailable where something has to be installed.
        """
        from yuanwen import models

        with self._lock:
            given = self._given.get(name)
        return given or models.load(name)

    def __call__(self, model: "ModelRow") -> "Embedder":
        """Return the model that made some vectors. Raises Unavailable where there is none."""
        from yuanwen import models

        with self._lock:
            if model.fingerprint not in self._loaded:
                embedder = models.load(model.name)
                if embedder.fingerprint != model.fingerprint:
                    raise Unavailable(
                        "the model {name} is not the one that made the vectors of this library",
                        hint="Make them anew with: yuanwen models use {name}",
                        name=model.name,
                    )
                self._loaded[model.fingerprint] = embedder
            return self._loaded[model.fingerprint]
