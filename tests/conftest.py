"""What the tests share: a shelf, which is a folder of real files and the library that holds them."""

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from readers import end_all, lending

from yuanwen import Library
from yuanwen.index import INDEXES
from yuanwen.model import Evidence, Hit
from yuanwen.reports import Report

settings.register_profile(
    "yuanwen",
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("yuanwen")

MEMORY = Path("/dev/shm")
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 4 * 2**30:  # nothing there waits for a disk
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

LONGEST = (
    *("test_substrings_real", "test_mcp_fuzz", "test_ocr", "test_docs", "test_crash", "test_legacy", "test_offline"),
    *("test_every_kind", "test_mcp_stdio", "test_mcp_npm", "test_small_model", "test_serve", "test_workers"),
)

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "eval"
RECORD = {"title": "题", "source": "手册", "paragraph": 1}

_times = itertools.count(1_700_000_000)


def write(path: Path, content: str | bytes) -> Path:
    """Write a file and give it a time of its own, long past: no change is missed, nothing waits for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    at = next(_times)
    os.utime(path, (at, at))
    return path


def records(*items: dict[str, Any]) -> str:
    """Return JSON Lines of records; what an item leaves out is filled in."""
    return "".join(json.dumps(RECORD | item, ensure_ascii=False) + "\n" for item in items)


@dataclass
class Shelf:
    """A folder of files beside a library of this kind of index."""

    place: Path
    kind: str
    library: Library = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.open()

    @property
    def folder(self) -> Path:
        return self.place / "docs"

    @property
    def file(self) -> Path:
        return self.place / "library.sqlite"

    def open(self) -> Library:
        """Open the library, as a new process would."""
        self.library = Library.open(self.file, index=self.kind)
        return self.library

    def reopen(self) -> Library:
        self.library.close()
        return self.open()

    def write(self, name: str, content: str | bytes) -> Path:
        return write(self.folder / name, content)

    def add(self, **files: str) -> Report:
        """Write files (`a_md` is `a.md`) and add the folder."""
        for name, content in files.items():
            self.write(".".join(name.rsplit("_", 1)), content)
        return self.library.add(self.folder)

    def exact(self, text: str, **filters: Any) -> list[Hit]:
        return list(self.library.search(text, mode="exact", **{"limit": 1000} | filters).hits)

    def ranked(self, text: str, **filters: Any) -> list[Hit]:
        return list(self.library.search(text, **{"limit": 1000} | filters).hits)

    def raw(self, text: str = "", **filters: Any) -> list[Hit]:
        return list(self.library.search(text, mode="raw", **{"limit": 1000} | filters).hits)

    def bytes_on_disk(self) -> dict[str, bytes]:
        """Return every file of the library and its index, by path."""
        mine = [path for path in self.place.rglob(f"{self.file.name}*") if path.is_file()]
        mine += [path for path in Path(f"{self.file}.index").rglob("*") if path.is_file()]
        return {str(path.relative_to(self.place)): path.read_bytes() for path in mine}


def names(hits: list[Hit] | tuple[Hit, ...] | Evidence) -> list[str]:
    """Return the file names of hits, in their order."""
    found = hits.hits if isinstance(hits, Evidence) else hits
    return [Path(hit.source).name for hit in found]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where files are shared out among processes, those that take longest come first: none is waited for at the end."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


@pytest.fixture(scope="session")
def readers() -> Iterator[None]:
    yield
    end_all()


@pytest.fixture(scope="module", autouse=True)
def lent(readers: None) -> Iterator[None]:
    """The readers of files go from the libraries of one test to those of the next."""
    with lending():
        yield


@pytest.fixture(params=INDEXES)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of index in turn."""
    return str(request.param)


@pytest.fixture
def shelf(tmp_path: Path, kind: str) -> Iterator[Shelf]:
    """An empty shelf, for each kind of index."""
    shelf = Shelf(tmp_path, kind)
    yield shelf
    shelf.library.close()
