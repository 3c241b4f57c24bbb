"""The command line: `yuanwen`, and `yw` for short. It parses, calls Library, and renders what comes back.

app.py       the verbs, the exit statuses, and what becomes of an error
direct.py    `search`, and the straight way to it
options.py   what every verb shares: the global options, and help
reading.py   the verbs that only read            writing.py   the verbs that change a library
output.py    data -> JSON                        render.py    data -> text for people
terminal.py  widths, line breaks, colours        messages.py  English -> the language of the user
"""

import gc
import os
import sys
from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the program on the arguments of this process, and exit."""
    gc.disable()  # until the library is open: imports make many objects, and no garbage
    from yuanwen.cli import direct

    status = direct.search(sys.argv[1:])
    if status is None:
        from yuanwen.cli.app import run

        status = run(sys.argv[1:])
    os._exit(status)  # all is written and closed; taking the interpreter down would cost a tenth of a search
