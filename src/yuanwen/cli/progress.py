"""The progress bar, for a person at a terminal. The home of `rich`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from yuanwen.cli.messages import say
from yuanwen.cli.settings import Settings
from yuanwen.cli.terminal import clip, pad, short_path

NAME_WIDTH = 30

Progress = Callable[[int, int, str], None]


@contextmanager
def progress(settings: Settings, beginning: str = "") -> Iterator[Progress | None]:
    """Give what shows progress on stderr; None where nobody would see it, or it is not wanted."""
    if settings.quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(beginning or say("looking for files"), total=None)

        def show(done: int, files: int, path: str) -> None:
            name = pad(clip(short_path(path), NAME_WIDTH, keep_end=True), NAME_WIDTH)
            bar.update(task, completed=done, total=files or None, description=name)

        yield show


@contextmanager
def writing(settings: Settings) -> Iterator[Callable[[str], None] | None]:
    """Give what is told each piece that a model writes, "" when it starts anew; None where nobody would see it."""
    if settings.quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    written = 0
    with Console(stderr=True).status(Text(say("waiting for the model"))) as status:

        def show(piece: str) -> None:
            nonlocal written
            written = written + len(piece) if piece else 0
            status.update(Text(say("the model writes: {n} characters", n=f"{written:,}")))

        yield show
