"""
Quotas: how much an organization may use, and its share of the encoders.

Months are those of UTC. Encoded minutes are minutes of source video that became
ready, however many rungs were made of them; minutes of captions are those of sound in
which a machine has heard what is said, once for each language that was asked for; stored
bytes are those of sources and of published media.
"""

import math
from datetime import UTC, datetime
from enum import Enum
from typing import Final

import attrs

MIN_WEIGHT: Final = 0.01
MAX_WEIGHT: Final = 100.0
MAX_LIMIT: Final = 2**62
"""What the databases can still add to."""
_MS_PER_MINUTE: Final = 60_000
_MONTHS: Final = 12


class Quota(Enum):
    """Name the quantities that quotas limit, as the API's answers name them."""

    CONCURRENT_ENCODES = "concurrentEncodes"
    ENCODED_MINUTES = "encodedMinutesPerMonth"
    STORED_BYTES = "storedBytes"
    DELIVERED_BYTES = "deliveredBytesPerMonth"
    CAPTION_MINUTES = "captionMinutesPerMonth"


@attrs.frozen(kw_only=True)
class QuotaLimits:
    """
    Hold the quota limits of an organization; None means no limit.

    Attributes:
        concurrent_encodes: How many videos may be ``transcoding`` at a time.
        weight: The organization's share of the encoders, relative to the weights of
            other organizations.
    """

    concurrent_encodes: int | None = None
    encoded_minutes_per_month: int | None = None
    stored_bytes: int | None = None
    delivered_bytes_per_month: int | None = None
    caption_minutes_per_month: int | None = None
    weight: float = 1.0

    def of(self, quota: Quota) -> int | None:
        """Return the limit of one quota; None if there is no limit."""
        return {
            Quota.CONCURRENT_ENCODES: self.concurrent_encodes,
            Quota.ENCODED_MINUTES: self.encoded_minutes_per_month,
            Quota.STORED_BYTES: self.stored_bytes,
            Quota.DELIVERED_BYTES: self.delivered_bytes_per_month,
            Quota.CAPTION_MINUTES: self.caption_minutes_per_month,
        }[quota]


NO_LIMITS: Final = QuotaLimits()


@attrs.frozen(kw_only=True)
class QuotaUse:
    """
    Hold the amounts that an organization uses now, or has used in a month.

    Attributes:
        concurrent_encodes: Videos that are ``transcoding``, including those that wait
            for an encoder.
    """

    concurrent_encodes: int = 0
    encoded_ms: int = 0
    stored_bytes: int = 0
    delivered_bytes: int = 0
    caption_ms: int = 0

    def of(self, quota: Quota) -> int | float:
        """Return the used amount of one quota, in the unit of its limit."""
        return {
            Quota.CONCURRENT_ENCODES: self.concurrent_encodes,
            Quota.ENCODED_MINUTES: round(self.encoded_ms / _MS_PER_MINUTE, 3),
            Quota.STORED_BYTES: self.stored_bytes,
            Quota.DELIVERED_BYTES: self.delivered_bytes,
            Quota.CAPTION_MINUTES: round(self.caption_ms / _MS_PER_MINUTE, 3),
        }[quota]


@attrs.frozen(kw_only=True)
class EncodingWeight:
    """
    Hold an organization's weight and limit for the scheduler of encodes.

    Attributes:
        concurrent_encodes: How many videos may be encoded at a time; None means no
            limit.
    """

    weight: float = 1.0
    concurrent_encodes: int | None = None


def minutes_left_ms(most: int | None, used_ms: int) -> float:
    """
    Return the milliseconds that an organization may still use of its minutes of a month.

    Infinity if there is no limit; negative if more was used.

    Args:
        most: The limit in minutes; None if there is none.
    """
    return math.inf if most is None else most * _MS_PER_MINUTE - used_ms


def month_number(moment: datetime) -> int:
    """Return the number of months from the year 0 to the UTC month of a moment."""
    utc = moment.astimezone(UTC)
    return utc.year * _MONTHS + utc.month - 1


def next_month(moment: datetime) -> datetime:
    """Return the first moment of the UTC month that follows the month of a moment."""
    year, month = divmod(month_number(moment) + 1, _MONTHS)
    return datetime(year, month + 1, 1, tzinfo=UTC)
