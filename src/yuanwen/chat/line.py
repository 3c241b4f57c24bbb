"""One request to an endpoint -> its answer, or what is to be told where none comes. The home of httpx2.

Nothing is sent anywhere but to the endpoint that the user names.
"""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from yuanwen import __version__
from yuanwen.chat import replies
from yuanwen.chat.endpoint import Endpoint, bases, host, is_near
from yuanwen.chat.replies import Foreign, Json, Reply
from yuanwen.chat.trouble import Trouble, is_passing
from yuanwen.errors import Unavailable, YuanwenError

if TYPE_CHECKING:
    import ssl

    import httpx2

RETRIES = 3  # of a request of which nothing has come back
LONGEST_WAIT = 30.0  # seconds that a server may ask for between two tries
LONGEST_PROBLEM = 65_536  # bytes of an error that are read
ATTEMPTS = 6  # at one request: redirected, at another path, with fewer options


class Failed(Exception):
    """A try that failed: what to tell, how long to wait for the next (None: there is none, 0: as usual), what came."""

    def __init__(self, error: YuanwenError, wait: float | None = None, partial: Reply | None = None) -> None:
        self.error = error
        self.wait = wait
        self.partial = partial


@contextmanager
def opened(endpoint: Endpoint, options: Mapping[str, object]) -> "Iterator[Line]":
    """Give a line to an endpoint; `options` are what it may refuse in a request, and we can do without.

    Raises UsageError for a key or a proxy that cannot be used.
    """
    import httpx2

    trouble, patience = Trouble(endpoint), endpoint.patience
    near = is_near(host(bases(endpoint.url)[0]))
    if not re.fullmatch(r"[!-~]*", endpoint.key):
        raise trouble.bad_key()
    agent = {"User-Agent": f"yuanwen/{__version__}", "Accept": "text/event-stream, application/json"}
    try:
        client = httpx2.Client(
            timeout=httpx2.Timeout(patience.silence, connect=patience.connect),
            headers=agent | ({"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}),
            verify=_trusted(near),
            trust_env=not near,  # a proxy to the world outside is no way to the own network
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        raise trouble.bad_proxy(str(error)) from None
    with client:
        yield Line(endpoint, client, trouble, options)


@cache
def _trusted(near: bool) -> "ssl.SSLContext":
    """Return whose certificates are believed; reading them takes longer than many a request."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=not near)


class Line:
    """A line to an endpoint. It learns which of the possible addresses is the right one, and which options are."""

    def __init__(
        self, endpoint: Endpoint, client: "httpx2.Client", trouble: Trouble, options: Mapping[str, object]
    ) -> None:
        self._client = client
        self.trouble = trouble
        self.silence = endpoint.patience.silence
        self._bases = list(bases(endpoint.url))
        self._options: Json = dict(options)

    def only_model(self) -> str:
        """Return the one model that there is. Raises UsageError where there is a choice."""
        found = self.models()
        if len(found) != 1:
            raise self.trouble.which_model(found)
        return found[0]

    def models(self) -> tuple[str, ...]:
        """Return the models that are listed. Raises Unavailable where nothing can be asked."""
        names: list[str] = []
        try:
            with self.sent("models") as response, self.reading():
                for document in replies.documents(response.iter_bytes()):
                    names += replies.models(document)
        except Foreign:
            return ()
        except Failed as failed:
            if isinstance(failed.error, Unavailable):
                raise failed.error from None
        return tuple(dict.fromkeys(names))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn what goes wrong on the line into Failed."""
        import httpx2

        try:
            yield
        except httpx2.ConnectTimeout:
            raise Failed(self.trouble.unreachable("nobody answers")) from None
        except httpx2.TimeoutException:
            raise Failed(self.trouble.silent()) from None
        except (httpx2.ConnectError, httpx2.ProxyError, httpx2.InvalidURL, UnicodeError) as error:
            raise Failed(self.trouble.unreachable(str(error))) from None
        except httpx2.HTTPError as error:
            raise Failed(self.trouble.broken(str(error)), 0) from None

    # ------------------------------------------------------------------------------------- a request

    @contextmanager
    def sent(self, path: str, body: Json | None = None) -> "Iterator[httpx2.Response]":
        """Give the answer to a request, once it is a good one. Raises Failed."""
        for _ in range(ATTEMPTS):
            base = urlsplit(self._bases[0])
            url = base._replace(path=f"{base.path}/{path}").geturl()
            with self.reading():
                content = None if body is None else body | self._options
                request = self._client.build_request("GET" if body is None else "POST", url, json=content)
                response = self._client.send(request, stream=True)
            try:
                if response.status_code == 200:
                    yield response
                    return
                problem = _problem(response)
            finally:
                response.close()
            if not self._has_amended(response, path, problem):
                raise self._refused(response, body, problem)
        raise Failed(self.trouble.foreign("…"))

    def _has_amended(self, response: "httpx2.Response", path: str, problem: str) -> bool:
        """Return whether there is another address, or an option less, to try it with. Raises Failed."""
        if response.has_redirect_location:
            self._bases = [self._moved(response, path)]
            return True
        if response.status_code in (404, 405) and "model" not in problem and len(self._bases) > 1:
            self._bases.pop(0)
            return True
        refused = [name for name in self._options if re.search(rf"\b{name}", problem)]
        if response.status_code in (400, 422) and refused:
            del self._options[refused[0]]
            return True
        return False

    def _moved(self, response: "httpx2.Response", path: str) -> str:
        """Return the base that a redirect leads to, if it is on the same host, and as safe: no other gets the key."""
        old, new = response.url, response.url.join(response.headers["location"])
        same = (old.scheme, old.host, old.port) == (new.scheme, new.host, new.port)
        safer = old.host == new.host and (old.scheme, old.port, new.scheme, new.port) == ("http", None, "https", None)
        parts = urlsplit(str(new))
        if not (same or safer) or not parts.path.endswith(f"/{path}"):
            raise Failed(self.trouble.moved(str(new)))
        return parts._replace(path=parts.path.removesuffix(f"/{path}")).geturl()

    def _refused(self, response: "httpx2.Response", body: Json | None, problem: str) -> Failed:
        status = response.status_code
        if status == 404 and body is not None and "model" in problem:
            return Failed(self.trouble.no_model(body["model"], self.models()))
        asked = _seconds(response.headers.get("retry-after", ""))
        is_worth_it = is_passing(status) and asked <= LONGEST_WAIT
        return Failed(self.trouble.refused(status, problem, asked), asked if is_worth_it else None)


def _problem(response: "httpx2.Response") -> str:
    """Return the words of a server that does not do what it is asked."""
    import httpx2

    read = bytearray()
    try:
        for chunk in response.iter_bytes():
            read += chunk
            if len(read) > LONGEST_PROBLEM:
                break
        for document in replies.documents([bytes(read)]):
            reported = replies.problem(document)
            if reported:
                return reported[1]
    except (httpx2.HTTPError, Foreign):
        pass
    text = read.decode("utf-8", "replace").strip()
    return text if text and not text.startswith("<") else response.reason_phrase


def _seconds(text: str) -> float:
    """Return the seconds of a Retry-After (RFC 9110, section 10.2.3), which may be a date; 0 for anything else."""
    from email.utils import parsedate_to_datetime

    if text.isdecimal():
        return float(text)
    try:
        return max(parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return 0.0
