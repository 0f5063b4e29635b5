"""
Convert counts to rows of files, and scopes to SQL conditions.

A row has the organization, environment, day, video, height in pixels, number of
segments or requests, the moments of the first and the last one in milliseconds since
1970, and the reason. For served segments the reason is empty; ignored requests have a
reason and no moments.
"""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hvcore.plugin_api import DateRange, IgnoredCount, Scope, ServedCount, VideoScope
from hvcore_analytics_duckdb.engine import COUNTED

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


def served_row(count: ServedCount) -> tuple[Any, ...]:
    """Return the row of a count of served segments."""
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day.isoformat(),
        place.video_id,
        place.height_px,
        count.segments,
        (count.first_at - _EPOCH) // _MS,
        (count.last_at - _EPOCH) // _MS,
        "",
    )


def ignored_row(count: IgnoredCount) -> tuple[Any, ...]:
    """Return the row of a count of ignored requests."""
    place = count.place
    return (
        place.org_id,
        place.env_id,
        count.day.isoformat(),
        place.video_id,
        place.height_px,
        count.requests,
        0,
        0,
        place.reason.value,
    )


def as_csv(rows: Sequence[tuple[Any, ...]]) -> bytes:
    """Return rows as the bytes of a CSV file."""
    text = io.StringIO()
    # All texts are quoted: csv would leave out those with a carriage return.
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return text.getvalue().encode()


def from_ms(moment_ms: int) -> datetime:
    """Return the time for a number of milliseconds since 1970."""
    return _EPOCH + moment_ms * _MS


def within(
    scope: Scope, days: DateRange, which: str = COUNTED
) -> tuple[str, list[object]]:
    """
    Return the SQL condition for the counts of a scope and days, with the values of its question marks.

    Args:
        which: COUNTED or IGNORED.
    """
    values: list[object]
    if isinstance(scope, VideoScope):
        conditions, values = [which, "video = ?"], [scope.video_id]
    else:
        marks = ", ".join("?" * len(scope.env_ids))
        conditions = [which, "org = ?", f"env IN ({marks})" if marks else "false"]
        values = [scope.org_id, *sorted(scope.env_ids)]
    for operator, day in ((">=", days.first), ("<=", days.last)):
        if day is not None:
            conditions.append(f"day {operator} ?")
            values.append(day)
    return " AND ".join(conditions), values
