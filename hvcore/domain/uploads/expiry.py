"""The times after which uploads end that were begun and not completed."""

from datetime import datetime, timedelta
from typing import Final

IN_FLIGHT_FOR: Final = timedelta(hours=6)
"""How long a body may be on its way that began before its upload address ended."""
CONTINUABLE_FOR: Final = timedelta(hours=1)
"""How long the sender of a resumable upload may pause."""
COMPLETE_WITHIN: Final = timedelta(hours=24)
"""
How long a resumable upload may last from its creation; otherwise a sender could
reserve disk space for ever.
"""
UNPROCESSED_RETENTION: Final = timedelta(hours=24)
"""How long uploaded bytes wait for a process request."""
ERASED_AFTER: Final = timedelta(hours=1)
"""
How long the record of a video whose bytes never came stays after the upload has ended;
nobody sends them then.
"""


def expiry_after(now: datetime, created_at: datetime) -> datetime:
    """Return the moment until which a resumable upload may go on that is sent to `now`."""
    return min(now + CONTINUABLE_FOR, created_at + COMPLETE_WITHIN)
