"""What is said of a file that is damaged, or asks for a password: the same words for every kind."""

from yuanwen.errors import Unreadable

AGAIN = "Save it again, or get another copy."
UNPACK = "Unpack it yourself, and add what is in it."


def damaged() -> Unreadable:
    """Return the error for a file that its own kind of reader cannot read."""
    return Unreadable("it is damaged", hint=AGAIN)


def locked() -> Unreadable:
    """Return the error for a file that none of the passwords given opens."""
    return Unreadable("it needs a password", hint="Give it with: --password")
