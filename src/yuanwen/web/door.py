"""Under which names does a server answer, and with which token? Decided before anything listens."""

import ipaddress
import re
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from yuanwen.errors import Refused, UsageError

__all__ = ["Authority", "Door", "authority", "door"]

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_][A-Za-z0-9_.-]{0,252}))(?::([0-9]{1,5}))?")
_TOKEN = re.compile(r"[!-~]{16,512}")  # what a header carries as it stands


class Authority(NamedTuple):
    """A host and a port, as in `Host: [::1]:8642`."""

    name: str  # in lower case; an IP address as `ipaddress` writes it
    port: int | None
    is_address: bool


def authority(text: str) -> Authority | None:
    """Return the host and the port that a text names, nothing where it is not of that form."""
    match = _AUTHORITY.fullmatch(text)
    if match is None or int(match[3] or 0) > 65535:
        return None
    port = None if match[3] is None else int(match[3])
    try:
        return Authority(str(ipaddress.ip_address(match[1] or match[2])), port, True)
    except ValueError:
        return None if match[1] else Authority(match[2].lower(), port, False)


@dataclass(frozen=True, kw_only=True)
class Door:
    """Who is let in: under these names, under any IP address or not, and with the token, where there is one.

    An IP address in `Host` is harmless: a page that has its own name resolve to this machine (DNS rebinding) sends
    that name.
    """

    names: frozenset[str]
    any_address: bool = False
    token: str = field(default="", repr=False)

    def knows(self, host: Authority) -> bool:
        """Return whether the server answers under this name."""
        return host.name in self.names or (self.any_address and host.is_address)


def door(host: str, address: str, *, token: str | None, allow_hosts: Sequence[str], command: str) -> Door:
    """Return the door of a server that listens at `address`, which the user called `host`.

    `command` is how the server was started, for the advice to start it with a token. Raises Refused where others
    could reach it and there is no token, UsageError for a token or a name that cannot be one.
    """
    others = frozenset(_name(each) for each in allow_hosts)
    if token is not None and not _TOKEN.fullmatch(token):
        raise UsageError(
            "a token has 16 to 512 letters, digits or signs of ASCII, and no spaces",
            hint="{token} would do.",
            token=secrets.token_urlsafe(),
        )
    alone = is_loopback(address)
    if token is None and (others or not alone):
        raise Refused(
            "whoever can reach {host} could read your documents: there is no token",
            hint="Run {command} --token {token} (or set YUANWEN_TOKEN, which the list of processes does not show).",
            host=", ".join([host, *allow_hosts]),
            command=command,
            token=secrets.token_urlsafe(),
        )
    if alone:
        return Door(names=LOOPBACK | others | {address}, token=token or "")
    own = {"localhost", socket.gethostname().lower(), host.lower()}
    return Door(names=others | own, any_address=True, token=token or "")


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach an IP address."""
    found = ipaddress.ip_address(address)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback


def _name(text: str) -> str:
    found = authority(text)
    if found is None or found.port is not None:
        raise UsageError(
            "{name} is no name of a host",
            hint="Write it as it stands in the address, without a port: docs.example.com",
            name=text,
        )
    return found.name
