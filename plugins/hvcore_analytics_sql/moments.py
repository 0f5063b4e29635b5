"""Convert moments to the whole milliseconds of the tables, and back."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


def to_ms(moment: datetime) -> int:
    """Return a time as milliseconds since 1970, as the tables have it."""
    return (moment - _EPOCH) // _MS


def from_ms(moment_ms: int) -> datetime:
    """Return the time for a number of milliseconds since 1970 from the tables."""
    return _EPOCH + moment_ms * _MS
