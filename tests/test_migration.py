"""A library of an older format is brought up to date when it is opened, and loses nothing."""

import gzip
from pathlib import Path

import pytest

from yuanwen import Library
from yuanwen.store.schema import FORMAT

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("older", range(1, FORMAT))
def test_an_older_library_is_opened_as_one_of_today(older: int, tmp_path: Path) -> None:
    file = tmp_path / "library.sqlite"
    file.write_bytes(gzip.decompress((FILES / f"format-{older}.sqlite.gz").read_bytes()))
    with Library.open(file, create=False) as library:
        status = library.status()
        assert (status.format, status.documents, len(status.skipped)) == (FORMAT, 2, 1)
        assert library.check(repair=True).repaired, "its index has the tokens of an older release"
        assert library.check().problems == ()
        (hit,) = library.search("不予报销", mode="exact").hits
        assert (hit.title, hit.place, hit.marks, hit.state) == ("报销", None, (), "missing")
        assert library.export(tmp_path / "library.jsonl") == 2
    with Library.open(tmp_path / "copy.sqlite") as copy:
        assert copy.import_(tmp_path / "library.jsonl").indexed == 2


def test_documents_of_an_older_library_are_read_anew(tmp_path: Path) -> None:
    file, folder = tmp_path / "library.sqlite", tmp_path / "docs"
    file.write_bytes(gzip.decompress((FILES / "format-1.sqlite.gz").read_bytes()))
    folder.mkdir()
    (folder / "b.txt").write_text("第一行\n第二行 证据\n", encoding="utf-8")
    with Library.open(file) as library:
        library.add(folder)
        hits = library.search("第二行 证据", mode="exact").hits
        places = {hit.place.number for hit in hits if hit.place is not None}
    assert places == {1} and len(hits) == 2
