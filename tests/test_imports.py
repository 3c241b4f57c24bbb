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
    ("errors", "tables", "sentences", "garbage"),
    ("absence", "allowance", "place"),
    ("documents", "wording", "receipt", "chat"),
    ("model", "reference"),
    ("reports", "proof", "verification", "prompt_words"),
    ("analysis", "disk", "secrecy", "when", "prompt"),
    ("walk", "extract", "passages", "query", "needle", "comparison"),
    ("worker", "answer", "ask"),
    ("workers",),
    ("store",),
    ("index",),
    ("catching_up", "ranking", "succession"),
    ("scope",),
    ("filters", "plan"),
    ("exact",),
    ("evidence", "pages"),
    ("search", "witness"),
    ("ingest", "upkeep", "transfer", "proving", "verify", "cite"),
    ("originals",),
    ("library",),
    ("served", "mcp_clients", "wire"),
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
    "platformdirs": {"cli"},
    "selectolax": {"extract.html"},
    "pathspec": {"walk"},
    "PIL": {"extract.image"},
    "python_calamine": {"extract.sheet"},
    "pypdfium2_raw": {"extract.pdfium"},
    "noto_cjk_sans_otc": {"extract.font"},
    "rapidocr": {"extract.ocr"},
    "onnxruntime": {"extract.ocr"},
    "numpy": {"extract.ocr"},
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
