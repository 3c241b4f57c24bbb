"""Real files of others, from the corpus that the workplace shares; not part of the package."""

from pathlib import Path

import pytest

FILES = Path(__file__).parents[2] / "shared" / "corpus" / "files"


def file(name: str) -> bytes:
    """Return the bytes of a file of the corpus; the test is skipped where it is not there."""
    path = FILES / name
    if not path.exists():
        pytest.skip(f"the corpus file {name} is not here")
    return path.read_bytes()
