"""What a user names -> the server, the model and the key that are meant. The home of keyring."""

import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from yuanwen.errors import UsageError

URL, MODEL, KEYS = "YUANWEN_LLM_URL", "YUANWEN_LLM_MODEL", ("YUANWEN_LLM_KEY", "YUANWEN_LLM_API_KEY")
SERVICE = "yuanwen"  # under which the keyring keeps keys, each with the host as its user


@dataclass(frozen=True, kw_only=True)
class Patience:
    """Seconds to wait: for a connection, for something new of a reply, before the first retry (then twice as long)."""

    connect: float = 10.0
    silence: float = 120.0
    backoff: float = 0.5

    def pause(self, asked: float, failures: int) -> float:
        """Return how long to wait after so many failures: what the server asked for, else twice as long each time."""
        return asked or self.backoff * 2 ** (failures - 1)


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A server that speaks OpenAI's protocol, and a model on it; without a name, the only one that it has."""

    url: str
    model: str = ""
    key: str = field(default="", repr=False)
    patience: Patience = Patience()


def named(*, url: str = "", model: str = "", patience: Patience | None = None) -> Endpoint | None:
    """Return the endpoint that is named, here or by the environment; None where there is none.

    The key is that of the environment, else the one that the keyring has for the service `yuanwen` and the host.
    Raises UsageError for an address that is none.
    """
    url = (url or os.environ.get(URL, "")).strip()
    if not url:
        return None
    given = (key.strip() for key in map(os.environ.get, KEYS) if key)
    return Endpoint(
        url=url,
        model=(model or os.environ.get(MODEL, "")).strip(),
        key=next(filter(None, given), "") or kept_key(host(bases(url)[0])),
        patience=patience or Patience(),
    )


def bases(url: str) -> tuple[str, ...]:
    """Return the bases that may be meant by an address, the likeliest first. Raises UsageError for what is none.

    A base is what `/chat/completions` is added to; it mostly ends in a version. Without a scheme it is `http` within
    the own network, else `https`.
    """
    text = url.strip()
    if "://" not in text:
        text = f"{'http' if is_near(host(f'//{text}')) else 'https'}://{text}"
    if not host(text) or not re.match(r"https?://", text, re.IGNORECASE) or re.search(r"[\s\\\x00-\x20\x7f]", text):
        raise UsageError(
            "{url} is not the address of a server", hint="Write it like http://localhost:11434/v1.", url=shown(url)
        )
    parts = urlsplit(text)
    path = re.sub(r"/*\Z", "", re.sub(r"(?:/chat/completions|/embeddings|/models)?/*\Z", "", parts.path))
    paths = [path, f"{path}/v1"] if path else ["/v1", ""]
    if re.search(r"/v\d[^/]*(?:/openai)?\Z", path):
        del paths[1]
    return tuple(parts._replace(path=each, fragment="").geturl() for each in paths)


def host(url: str) -> str:
    """Return the host of an address; nothing where it has none, or its port is no number."""
    try:
        parts = urlsplit(url)
        return parts.hostname or "" if parts.port != 0 else ""
    except ValueError:
        return ""


def is_near(host: str) -> bool:
    """Return whether a host is this machine, or in the own network."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".localhost", ".lan", ".internal"))


def shown(url: str) -> str:
    """Return an address as it may be told: without name, password, and query."""
    return re.sub(r"^((?:\w+:)?/{0,2})[^/]*@", r"\1", url.strip().partition("?")[0])


def kept_key(user: str) -> str:
    """Return the key that the keyring of the system keeps, if the package and the keyring are there."""
    try:
        import keyring

        return keyring.get_password(SERVICE, user) or ""
    except Exception:  # no package, no keyring, a locked one: each kind raises errors of its own
        return ""
