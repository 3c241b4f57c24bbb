"""What the global options say, and the library that they name."""

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yuanwen.library import Library

LIBRARY_VARIABLE = "YUANWEN_LIBRARY"
LIBRARY_NAME = "library.sqlite"


class Settings:
    """The global options, which may stand before the verb and after it."""

    library: str = ""
    json: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def path(self) -> str:
        """The library file: as given, else from the environment, else in the user's data folder."""
        named = self.library or os.environ.get(LIBRARY_VARIABLE)
        return os.path.expanduser(named) if named else os.path.join(_data_folder(), LIBRARY_NAME)

    def open(self, *, create: bool = False, index: str | None = None) -> "Library":
        """Return the library, open. Raises NotFound where there is none, unless it is to be created."""
        from yuanwen.library import Library

        collect_garbage()
        return Library.open(self.path, create=create, index=index)

    def talk(self, text: str) -> None:
        """Say something to the person at the terminal, beside the results."""
        if not self.quiet and text:
            from yuanwen.cli.terminal import emit

            emit(text, sys.stderr)

    def answer(self, document: Any) -> None:
        """Print the one JSON document that is the result."""
        from yuanwen.cli.output import print_json

        print_json(document)


def collect_garbage() -> None:
    """Collect garbage from now on, but none of what importing made."""
    gc.freeze()
    gc.enable()


def _data_folder() -> str:
    from platformdirs import user_data_dir

    return user_data_dir("yuanwen", appauthor=False)
