"""How much one file may ask for while it is read, so that a small file cannot become a huge one."""

from collections.abc import Callable

from yuanwen.errors import Unreadable

MAX_UNPACKED = 2**30  # bytes that come out of one file of the disk, whatever is inside what
MAX_RATIO = 200  # bytes for each packed byte, of a member over RATIO_FROM: text seldom reaches 20
RATIO_FROM = 16 * 2**20
MAX_MEMBERS = 100_000
MAX_DEPTH = 8  # archives and mails within each other
MAX_CHARACTERS = 64_000_000  # a hundred thick books; what is read has to fit in memory a few times

_HINT = "Unpack it yourself, and add what is in it."


def _nothing(patience: float) -> None:
    """Do nothing."""


class Allowance:
    """What one file of the disk, with all that is inside it, has used so far.

    `heard` is told of signs of life.
    """

    def __init__(self, heard: Callable[[float], None] = _nothing) -> None:
        self._heard = heard
        self.wanted: str | None = None  # the path inside the file of one that is to be reached, and no other read
        self._unpacked = 0
        self._members = 0
        self._characters = 0

    def beat(self, patience: float = 0.0) -> None:
        """Give a sign of life, so that a reader which hangs can be told from one that has much to do.

        `patience` is for how many seconds there may be no other, if that is more than usual.
        """
        self._heard(patience)

    def unpack(self, size: int, packed: int) -> None:
        """Note a member of `size` bytes that takes `packed` bytes. Raises Unreadable where that is too much."""
        self.beat()
        if size > RATIO_FROM and size > MAX_RATIO * max(packed, 1):
            raise Unreadable("it unpacks to {ratio} times its size", hint=_HINT, ratio=size // max(packed, 1))
        if self._unpacked + size > MAX_UNPACKED:
            raise Unreadable("it unpacks to more than 1 GiB", hint=_HINT)
        if self._members >= MAX_MEMBERS:
            raise Unreadable("it has more than {n} members", hint=_HINT, n=MAX_MEMBERS)
        self._members += 1
        self._unpacked += size

    def enter(self, depth: int) -> None:
        """Note that something lies inside `depth` other files. Raises Unreadable where that is too deep."""
        if depth > MAX_DEPTH:
            raise Unreadable("it lies inside more than {n} files", hint=_HINT, n=MAX_DEPTH)

    def write(self, characters: int) -> None:
        """Note text that was read. Raises Unreadable where it is too much."""
        self.beat()
        self._characters += characters
        if self._characters > MAX_CHARACTERS:
            raise Unreadable("its text is longer than {n} characters", hint="Split it.", n=MAX_CHARACTERS)
