"""What people write for a time names a period."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yuanwen.errors import QueryError
from yuanwen.when import period, seconds

NOW = datetime(2026, 11, 30, 15, 20, 30, 123456, tzinfo=timezone(timedelta(hours=8)))  # a Monday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-11-30", "2026-11-30T00:00:00", "2026-11-30T23:59:59"),
        ("2026/1/5", "2026-01-05T00:00:00", "2026-01-05T23:59:59"),
        ("2026年1月5日", "2026-01-05T00:00:00", "2026-01-05T23:59:59"),
        ("2026-11", "2026-11-01T00:00:00", "2026-11-30T23:59:59"),
        ("2026-12", "2026-12-01T00:00:00", "2026-12-31T23:59:59"),
        ("2024-02", "2024-02-01T00:00:00", "2024-02-29T23:59:59"),
        ("2026年3月", "2026-03-01T00:00:00", "2026-03-31T23:59:59"),
        ("2026", "2026-01-01T00:00:00", "2026-12-31T23:59:59"),
        ("2026-11-30T09:00:00", "2026-11-30T09:00:00", "2026-11-30T09:00:00"),
        ("7d", "2026-11-23T15:20:30", "2026-11-30T15:20:30"),
        ("3w", "2026-11-09T15:20:30", "2026-11-30T15:20:30"),
        ("最近3天", "2026-11-27T15:20:30", "2026-11-30T15:20:30"),
        ("过去两周", "2026-11-16T15:20:30", "2026-11-30T15:20:30"),
        ("today", "2026-11-30T00:00:00", "2026-11-30T23:59:59"),
        ("yesterday", "2026-11-29T00:00:00", "2026-11-29T23:59:59"),
        ("昨天", "2026-11-29T00:00:00", "2026-11-29T23:59:59"),
        ("前天", "2026-11-28T00:00:00", "2026-11-28T23:59:59"),
        ("上周", "2026-11-23T00:00:00", "2026-11-29T23:59:59"),
        ("本周", "2026-11-30T00:00:00", "2026-12-06T23:59:59"),
        ("上个月", "2026-10-01T00:00:00", "2026-10-31T23:59:59"),
        ("去年", "2025-01-01T00:00:00", "2025-12-31T23:59:59"),
        (" Yesterday ", "2026-11-29T00:00:00", "2026-11-29T23:59:59"),
    ],
)
def test_a_time_names_its_first_and_last_second(text: str, first: str, last: str) -> None:
    found = period(text, NOW)
    assert [moment.replace(tzinfo=None).isoformat() for moment in found] == [first, last]
    assert all(moment.utcoffset() == timedelta(hours=8) for moment in found)


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13", "2026-02-30", "3 parsecs", "0000", "9999-12-31T23:59:59", "-7d"]
)
def test_anything_else_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(QueryError, match="cannot read the time"):
        period(text, NOW)


@given(st.datetimes(datetime(1000, 1, 1), datetime(9000, 1, 1)))
def test_any_date_is_read_back(moment: datetime) -> None:
    first, last = period(moment.date().isoformat(), NOW)
    assert first.date() == last.date() == moment.date()
    assert first <= moment.replace(tzinfo=NOW.tzinfo) < last + timedelta(seconds=1)


@given(st.text(max_size=12) | st.from_regex(r"\d{1,5}[dwmy天周月年]", fullmatch=True))
def test_no_string_is_worse_than_refused(text: str) -> None:
    try:
        first, last = period(text, NOW)
    except QueryError:
        return
    assert first <= last


def test_a_time_without_a_zone_counts_as_utc() -> None:
    assert seconds("1970-01-01T00:01:00") == 60 == seconds("1970-01-01T08:01:00+08:00")
    assert seconds(datetime(2026, 1, 1, tzinfo=UTC).isoformat()) == 1767225600
