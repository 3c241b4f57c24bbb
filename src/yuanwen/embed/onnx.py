"""A folder with a sentence model in ONNX -> vectors. The home of `onnxruntime` and `tokenizers`.

The folder holds `model.onnx`, `tokenizer.json` and `embedder.json`: {"pooling": "mean" | "cls" | "last",
"query": prefix, "passage": prefix, "max_tokens": n}.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from yuanwen.embed import WEIGHT, by_length, embedded, embedded_query, fingerprint
from yuanwen.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FILES = ("model.onnx", "tokenizer.json", "embedder.json")
_BATCH = 1024  # tokens: the memory of a session follows its longest batch, and more is no faster
_SHOWN = 200  # characters of an error of others
_POOLING = ("mean", "cls", "last")


class Config(NamedTuple):
    """What a model wants to be told, and how its output becomes one vector."""

    pooling: str = "mean"
    query: str = ""
    passage: str = ""
    max_tokens: int = 512
    batch_tokens: int = _BATCH


class OnnxEmbedder:
    """A model in a folder. Raises Unavailable where what runs it is not installed, UsageError where it does not fit."""

    weight = WEIGHT

    def __init__(self, name: str, folder: Path, *, threads: int = 0) -> None:
        self.name = name
        self._config = config(folder)
        try:
            self._tokenizer, self._pad = _tokenizer(folder, self._config.max_tokens)
            self._session = _session(folder, threads)
            self._inputs = [given.name for given in self._session.get_inputs()]
            outputs = [out.name for out in self._session.get_outputs()]
            self._output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]
            self.dimensions = int(self._embed(["a"]).shape[1])
            self.fingerprint = fingerprint(*_identity(folder, self._config))
        except Exception as error:  # each of the two libraries raises errors of its own, for a file of another kind
            raise UsageError(
                "{file} is not a sentence model that can be run: {problem}",
                hint="The folder needs model.onnx and tokenizer.json of one model.",
                file=folder,
                problem=(str(error).strip().splitlines() or [type(error).__name__])[0][:_SHOWN],
            ) from None

    def embed_passages(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Return (texts, dimensions), each row of length 1, or zeros where there is nothing to embed."""
        prefix = self._config.passage
        return embedded(texts, self.dimensions, lambda fit: self._embed([prefix + text for text in fit]))

    def embed_query(self, text: str) -> "NDArray[np.float32]":
        """Return (dimensions,), of length 1, or zeros where there is nothing to embed."""
        prefix = self._config.query
        return embedded_query(text, self.dimensions, lambda fit: self._embed([prefix + text for text in fit]))

    def _embed(self, texts: list[str]) -> "NDArray[np.float32]":
        import numpy as np

        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts)]
        found: list[tuple[int, NDArray[np.float32]]] = []
        for batch in by_length([len(ids) for ids in tokens], self._config.batch_tokens):
            found += zip(batch, self._pooled([tokens[at] for at in batch]), strict=True)
        found.sort(key=lambda pair: pair[0])
        return np.stack([vector for _, vector in found])

    def _pooled(self, tokens: list[list[int]]) -> Any:
        """Return a vector for each list of tokens, of which the longest one is the last."""
        import numpy as np

        longest = len(tokens[-1])
        ids = np.array([list(each) + [self._pad] * (longest - len(each)) for each in tokens], np.int64)
        mask = np.array([[1] * len(each) + [0] * (longest - len(each)) for each in tokens], np.int64)
        known = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        output = self._session.run([self._output], {name: known[name] for name in self._inputs})[0]
        if output.ndim == 2:
            return output
        if self._config.pooling == "cls":
            return output[:, 0]
        if self._config.pooling == "last":
            return output[np.arange(len(tokens)), mask.sum(axis=1) - 1]
        weights = mask.astype(np.float32)
        return np.einsum("ntd,nt->nd", output, weights) / weights.sum(axis=1, keepdims=True)


def config(folder: Path) -> Config:
    """Return what `embedder.json` says. Raises UsageError where it is not there, or not sound."""
    try:
        said = json.loads((folder / "embedder.json").read_text("utf-8"))
        found = Config(**{key: said[key] for key in Config._fields if key in said})
        if found.pooling not in _POOLING or not all(
            isinstance(value, type(Config._field_defaults[key])) for key, value in found._asdict().items()
        ):
            raise ValueError
    except (OSError, ValueError, TypeError, KeyError):
        raise UsageError(
            "{file} is missing, or is not what it has to be",
            hint='It holds {{"pooling": "mean", "query": "", "passage": "", "max_tokens": 512}}.',
            file=folder / "embedder.json",
        ) from None
    return found


def sha256(file: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _identity(folder: Path, config: Config) -> list[str]:
    """Return what the vectors depend on: what the model was built from if it is as it was built, else its files.

    Another release of `onnx` writes the same model in other bytes.
    """
    found = {name: sha256(folder / name) for name in FILES}
    built = json.loads((folder / "embedder.json").read_text("utf-8")).get("built")
    if isinstance(built, dict) and all(built.get(name) == found[name] for name in FILES[:2]):
        return [str(built.get("from")), repr(config)]
    return [*found.values()]


def _tokenizer(folder: Path, most: int) -> tuple[Any, int]:
    """Return what makes tokens of a text, cut to `most`, and the token that fills a row up."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads and a fork do not go together
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    pad = (tokenizer.padding or {}).get("pad_id")
    for word in ("<pad>", "[PAD]", "<|endoftext|>"):
        pad = tokenizer.token_to_id(word) if pad is None else pad
    tokenizer.no_padding()
    tokenizer.enable_truncation(most)
    return tokenizer, pad or 0


def _session(folder: Path, threads: int) -> Any:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # before the import: it sends on the first one
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
