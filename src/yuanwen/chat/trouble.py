"""What went wrong with an endpoint -> the error that says so, and what to do next. The key is never in it."""

import re
from collections.abc import Sequence

from yuanwen.chat.endpoint import Endpoint, shown
from yuanwen.errors import Unavailable, UsageError, YuanwenError

LONGEST = 300  # characters of the words of a server
LISTED = 20  # models that are named


class Trouble:
    """The errors of an endpoint, which is told by the address that `endpoint` has."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._url = shown(endpoint.url)
        self._key = endpoint.key
        self._patience = endpoint.patience

    def unreachable(self, problem: str) -> YuanwenError:
        """Nobody is there."""
        return Unavailable(
            "cannot reach {url}: {problem}",
            hint="Is the server running? Check YUANWEN_LLM_URL.",
            url=self._url,
            problem=self.told(problem),
        )

    def silent(self) -> YuanwenError:
        """Nothing has come for too long."""
        return Unavailable(
            "{url} has written nothing for {seconds} seconds",
            hint="A smaller model, or a lower --budget, answers sooner.",
            url=self._url,
            seconds=f"{self._patience.silence:g}",
        )

    def broken(self, problem: str) -> YuanwenError:
        """The connection ended before the reply did."""
        return Unavailable(
            "the reply of {url} broke off: {problem}",
            hint="Try again later.",
            url=self._url,
            problem=self.told(problem),
        )

    def empty(self, model: str) -> YuanwenError:
        """There is a reply, and nothing in it."""
        return Unavailable("the model {model} wrote nothing", hint="Try again, or another model.", model=model)

    def foreign(self, beginning: str) -> YuanwenError:
        """The answer is of another protocol, or damaged."""
        return UsageError(
            "{url} does not speak the chat protocol: {beginning}",
            hint="Check YUANWEN_LLM_URL; it usually ends in /v1.",
            url=self._url,
            beginning=self.told(beginning) or "…",
        )

    def moved(self, other: str) -> YuanwenError:
        """Another host is to be asked, which the user has not named."""
        return UsageError(
            "{url} leads to {other}",
            hint="If you trust that, set YUANWEN_LLM_URL to it.",
            url=self._url,
            other=shown(other),
        )

    def bad_key(self) -> YuanwenError:
        """The key cannot be sent."""
        return UsageError(
            "the key for {url} has characters that no key has", hint="Check YUANWEN_LLM_KEY.", url=self._url
        )

    def bad_proxy(self, problem: str) -> YuanwenError:
        """There is no way through the proxy."""
        return UsageError(
            "the proxy of the environment cannot be used: {problem}",
            hint="Check HTTPS_PROXY and ALL_PROXY.",
            problem=self.told(problem),
        )

    def which_model(self, models: Sequence[str]) -> YuanwenError:
        """There is not just one model."""
        if not models:
            return UsageError("{url} does not say which models it has", hint="Set YUANWEN_LLM_MODEL.", url=self._url)
        return UsageError(
            "{url} has several models",
            hint="Set YUANWEN_LLM_MODEL to one of: {models}.",
            url=self._url,
            models=", ".join(models[:LISTED]),
        )

    def no_model(self, model: str, models: Sequence[str]) -> YuanwenError:
        """The model is not there."""
        return UsageError(
            "{url} has no model {model}",
            hint="Set YUANWEN_LLM_MODEL to one of: {models}." if models else "Check YUANWEN_LLM_MODEL.",
            url=self._url,
            model=model,
            models=", ".join(models[:LISTED]),
        )

    def refused(self, status: int, problem: str, wait: float = 0) -> YuanwenError:
        """The server answers with a status other than 200, and words of its own."""
        problem = self.told(f"HTTP {status}: {problem}" if status else problem)
        if is_passing(status):
            hint = "Try again in {seconds} seconds." if wait else "Try again later."
            return Unavailable(
                "{url} cannot answer now: {problem}", hint=hint, url=self._url, problem=problem, seconds=f"{wait:g}"
            )
        if status == 401:
            what = "{url} does not take the key" if self._key else "{url} asks for a key"
            return UsageError(what, hint="Set YUANWEN_LLM_KEY.", url=self._url)
        if status == 403:
            hint = "Check YUANWEN_LLM_KEY, and what it is allowed to do."
        elif status in (404, 405):
            hint = "Check YUANWEN_LLM_URL; it usually ends in /v1."
        else:
            hint = "If the prompt is too long for the model, lower --budget."
        return UsageError("{url} refuses the request: {problem}", hint=hint, url=self._url, problem=problem)

    def told(self, words: str) -> str:
        """Return foreign words as they may be told: on one line, not long, without the key or what begins like it."""
        if self._key:
            words = words.replace(self._key, "***")
            words = re.sub(rf"{re.escape(self._key[: max(4, len(self._key) // 4)])}\S*", "***", words)
        words = " ".join(words.split())
        return words if len(words) <= LONGEST else words[: LONGEST - 1] + "…"


def is_passing(status: int) -> bool:
    """Return whether a status means that a later try may succeed (RFC 9110, section 15; RFC 6585, section 4)."""
    return status in (408, 425, 429) or status >= 500
