"""A date as people and programs write it -> an ISO 8601 string with an offset."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_WRITTEN = re.compile(
    r"(\d{4})(?:-(\d{1,2})-(\d{1,2})|/(\d{1,2})/(\d{1,2})|\.(\d{1,2})\.(\d{1,2})|年(\d{1,2})月(\d{1,2})日?)"
    r"(?:[T\s]*(\d{1,2})[:：时](\d{1,2})(?:[:：分](\d{1,2})?)?(?:[.,]\d+)?秒?)?"
    r"\s*(Z|z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)


def iso(text: str) -> str | None:
    """Return `2026-11-30T09:00:00+00:00` for a date in any common form, UTC where none is said; else None."""
    text = text.strip()
    try:
        moment = _written(text) or _standard(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat(timespec="seconds")


def _written(text: str) -> datetime | None:
    """Return a date such as 2026-1-3, 2026/11/30 or 2026年11月30日 9:30; None for other forms."""
    found = _WRITTEN.fullmatch(text)
    if not found:
        return None
    year, *days, hour, minute, second, zone = found.groups()
    month, day = (int(part) for part in days if part)
    moment = datetime(int(year), month, day, int(hour or 0), int(minute or 0), int(second or 0))
    if zone and zone[0] in "+-":
        return moment.replace(tzinfo=datetime.strptime(zone, "%z").tzinfo)
    return moment


def _standard(text: str) -> datetime:
    """Return a date of ISO 8601 or RFC 2822. Raises ValueError and its like for anything else."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return parsedate_to_datetime(text)
