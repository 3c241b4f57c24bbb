"""Why there is nothing: what could not be read, what is out of date, and what truly is not there."""

from dataclasses import dataclass
from typing import Literal

from yuanwen.errors import YuanwenError


@dataclass(frozen=True, kw_only=True)
class Skip:
    """A file or folder that was not indexed. `source` is its path; `reason` and `hint` are sentences.

    `by_rule` tells what was left out on purpose (hidden, ignored, a secret) from what could not be read.
    """

    source: str
    reason: str
    hint: str = ""
    by_rule: bool = False

    @classmethod
    def because(cls, source: str, error: YuanwenError) -> "Skip":
        """Return what was not indexed because of an error."""
        reason, hint = (template.format(**error.values) for template in (error.what, error.hint))
        return cls(source=source, reason=reason, hint=hint)


@dataclass(frozen=True, kw_only=True)
class StaleSource:
    """A document whose file changed or went away since it was indexed."""

    source: str
    state: Literal["changed", "missing"]


Kind = Literal["synonym", "sound", "spelling", "characters"]


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """A word that stands in the library, near to a term of a question that does not.

    It is a `synonym` by the list of the user, sounds the same, is spelt nearly so, or shares characters.
    """

    term: str
    word: str
    kind: Kind


@dataclass(frozen=True, kw_only=True)
class Absence:
    """Why an answer is empty.

    `absent`: everything is indexed and current, and the words do not occur together; `missing_terms` never
    occur at all, `suggestions` are near words that do. `unsearchable`: these files could not be read. `stale`:
    these files changed or are gone.
    """

    kind: Literal["absent", "unsearchable", "stale"]
    missing_terms: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    unsearchable: tuple[Skip, ...] = ()
    stale: tuple[StaleSource, ...] = ()
