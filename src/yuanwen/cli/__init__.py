"""The command line: `yuanwen`, and `yw` for short. It parses, calls Library, and renders what comes back.

app.py       the verbs, the exit statuses, and what becomes of an error
options.py   what every verb shares: the global options, and help
reading.py   the verbs that only read            writing.py   the verbs that change a library
output.py    data -> JSON                        render.py    data -> text for people
terminal.py  widths, line breaks, colours        messages.py  English -> the language of the user
"""

import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program on the arguments of this process, and exit."""
    from yuanwen.cli.app import run

    sys.exit(run(sys.argv[1:]))
