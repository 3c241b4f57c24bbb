"""How often may somebody try a token? Wrong ones are counted for each client, in bounded memory."""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

__all__ = ["Guesses"]

GUESSES = 10  # wrong tokens in a window, then none is looked at until it ends
WINDOW = 60.0  # seconds
CLIENTS = 1024  # that are remembered; the one that was seen longest ago is forgotten


class Guesses:
    """The wrong tokens of late. `clock` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()  # client -> how many, since when

    def wait(self, address: str) -> int:
        """Return for how many seconds no token of this address is looked at; 0 where it may try."""
        count, since = self._wrong.get(_client(address), (0, 0.0))
        left = since + WINDOW - self._clock()
        return math.ceil(left) if count >= GUESSES and left > 0 else 0

    def wrong(self, address: str) -> None:
        """Note that this address sent a wrong token."""
        client, now = _client(address), self._clock()
        count, since = self._wrong.pop(client, (0, now))
        self._wrong[client] = (count + 1, since) if now < since + WINDOW else (1, now)
        if len(self._wrong) > CLIENTS:
            self._wrong.popitem(last=False)


def _client(address: str) -> str:
    """Return whom an address belongs to: of IPv6 everybody has the lower half to choose from."""
    with suppress(ValueError):
        found = ipaddress.ip_address(address)
        if found.version == 6 and found.ipv4_mapped is None:
            return str(ipaddress.ip_network((int(found) >> 64 << 64, 64)))
    return address
