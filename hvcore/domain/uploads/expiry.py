"""The times after which uploads expire that were begun and not completed."""

from datetime import datetime, timedelta
from typing import Final

IN_FLIGHT_FOR: Final = timedelta(hours=6)
"""The time that a body may take that began before its upload address ended."""
CONTINUABLE_FOR: Final = timedelta(hours=1)
"""The longest pause of the sender of a resumable upload."""
COMPLETE_WITHIN: Final = timedelta(hours=24)
"""
The longest time from the creation of a resumable upload to its end; otherwise a sender could
reserve disk space for ever.
"""
UNPROCESSED_RETENTION: Final = timedelta(hours=24)
"""The time for which uploaded bytes are kept without a process request."""
ERASED_AFTER: Final = timedelta(hours=1)
"""
The time from the end of an upload without bytes to the erasure of its video's record;
nobody sends the bytes then.
"""


def expiry_after(now: datetime, created_at: datetime) -> datetime:
    """
    Return the moment at which a resumable upload expires if ``now`` is its last request.

    Args:
        now: The moment of the last request.
        created_at: The moment at which the upload was created.
    """
    return min(now + CONTINUABLE_FOR, created_at + COMPLETE_WITHIN)
