"""What a person writes for a time -> the period it names."""

import re
from datetime import UTC, datetime, timedelta

from yuanwen.errors import QueryError

_chinese = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_units = {"d": 1, "day": 1, "days": 1, "天": 1, "日": 1, "w": 7, "week": 7, "weeks": 7, "周": 7, "星期": 7}
_units |= {
    "个月": 30,
    "月": 30,
    "m": 30,
    "month": 30,
    "months": 30,
    "y": 365,
    "year": 365,
    "years": 365,
    "年": 365,
}
_ago = re.compile(
    r"(?:最近|过去|近|last )?\s*(\d{1,5}|[一二两三四五六七八九十])\s*([a-z]+|个月|星期|[天日周月年])(?:内|以内)?"
)
_date = re.compile(r"(\d{4})(?:\s*[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2})\s*日?)?\s*月?)?\s*年?")


def period(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return the first and the last second that `text` names, seen from `now` (which has a time zone).

    `2026-11-30`, `2026-11`, `2026`, an ISO time, `7d`, `3w`, `yesterday`, `昨天`, `上周`, `最近3天`. What counts back
    from now ends now. Raises QueryError for anything else.
    """
    asked = text.strip().lower()
    try:
        found = _named(asked, now) or _counted(asked, now) or _dated(asked, now)
    except (ValueError, OverflowError):  # beyond the years that can be reckoned with
        found = None
    if found is None:
        raise QueryError(
            "cannot read the time {text}",
            hint="Write 2026-11-30, 2026-11, 7d, 3w, yesterday or 上周.",
            text=repr(text),
        )
    first, after = found
    return first, after - timedelta(seconds=1)


def _named(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = today - timedelta(days=today.weekday())
    month = today.replace(day=1)
    year = today.replace(month=1, day=1)
    day = timedelta(days=1)
    names = {
        ("today", "今天", "今日"): (today, today + day),
        ("yesterday", "昨天", "昨日"): (today - day, today),
        ("前天",): (today - 2 * day, today - day),
        ("this week", "本周", "这周"): (monday, monday + 7 * day),
        ("last week", "上周", "上星期"): (monday - 7 * day, monday),
        ("this month", "本月", "这个月"): (month, _next_month(month)),
        ("last month", "上月", "上个月"): ((month - day).replace(day=1), month),
        ("this year", "今年"): (year, year.replace(year=year.year + 1)),
        ("last year", "去年"): (year.replace(year=year.year - 1), year),
    }
    return next((span for spellings, span in names.items() if asked in spellings), None)


def _counted(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _ago.fullmatch(asked)
    if match is None or match[2] not in _units:
        return None
    count = int(match[1]) if match[1].isdecimal() else _chinese[match[1]]
    try:
        first = now - timedelta(days=count * _units[match[2]])
    except OverflowError:
        return None
    return first.replace(microsecond=0), now.replace(microsecond=0) + timedelta(seconds=1)


def _dated(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _date.fullmatch(asked)
    try:
        if match is None:
            moment = datetime.fromisoformat(asked.upper())
            moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
            return moment, moment + timedelta(seconds=1)
        year, month, day = (int(part) if part else None for part in match.groups())
        first = datetime(year or 0, month or 1, day or 1, tzinfo=now.tzinfo)
    except ValueError:
        return None
    if day:
        return first, first + timedelta(days=1)
    return first, _next_month(first) if month else first.replace(year=first.year + 1)


def _next_month(first: datetime) -> datetime:
    return (first + timedelta(days=32)).replace(day=1)


def seconds(iso: str) -> int:
    """Return an ISO time as seconds since 1970; a time without a zone counts as UTC."""
    moment = datetime.fromisoformat(iso)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
