"""
Quotas: how much an organization may use, and its weight among the others.

Months are those of UTC. Encoded minutes are minutes of source video that became
ready, however many rungs were made of them; stored bytes are those of sources and
of published media.
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
    """The quantities that quotas limit, as answers name them."""

    CONCURRENT_ENCODES = "concurrentEncodes"
    ENCODED_MINUTES = "encodedMinutesPerMonth"
    STORED_BYTES = "storedBytes"
    DELIVERED_BYTES = "deliveredBytesPerMonth"


@attrs.frozen(kw_only=True)
class QuotaLimits:
    """
    The limits of an organization; None is no limit.

    Attributes:
        concurrent_encodes: Videos that are ``transcoding`` at a time.
        weight: Its part of the encoders, compared with those of others.
    """

    concurrent_encodes: int | None = None
    encoded_minutes_per_month: int | None = None
    stored_bytes: int | None = None
    delivered_bytes_per_month: int | None = None
    weight: float = 1.0

    def of(self, quota: Quota) -> int | None:
        """Return the limit of a quota."""
        return {
            Quota.CONCURRENT_ENCODES: self.concurrent_encodes,
            Quota.ENCODED_MINUTES: self.encoded_minutes_per_month,
            Quota.STORED_BYTES: self.stored_bytes,
            Quota.DELIVERED_BYTES: self.delivered_bytes_per_month,
        }[quota]


NO_LIMITS: Final = QuotaLimits()


@attrs.frozen(kw_only=True)
class QuotaUse:
    """
    The use of an organization's quotas, now and in a month.

    Attributes:
        concurrent_encodes: Videos that are ``transcoding``, waiting ones too.
    """

    concurrent_encodes: int = 0
    encoded_ms: int = 0
    stored_bytes: int = 0
    delivered_bytes: int = 0

    def of(self, quota: Quota) -> int | float:
        """Return the use of a quota, in the unit of its limit."""
        return {
            Quota.CONCURRENT_ENCODES: self.concurrent_encodes,
            Quota.ENCODED_MINUTES: round(self.encoded_ms / _MS_PER_MINUTE, 3),
            Quota.STORED_BYTES: self.stored_bytes,
            Quota.DELIVERED_BYTES: self.delivered_bytes,
        }[quota]


@attrs.frozen(kw_only=True)
class EncodingWeight:
    """
    The weight and the limit of an organization, for the scheduler of encodes.

    Attributes:
        concurrent_encodes: Videos that are encoded at a time; None is no limit.
    """

    weight: float = 1.0
    concurrent_encodes: int | None = None


def minutes_left_ms(limits: QuotaLimits, used_ms: int) -> float:
    """Return the milliseconds that may still be encoded in this month."""
    most = limits.encoded_minutes_per_month
    return math.inf if most is None else most * _MS_PER_MINUTE - used_ms


def month_number(moment: datetime) -> int:
    """Return the UTC month of a moment, counted from the year 0 on."""
    utc = moment.astimezone(UTC)
    return utc.year * _MONTHS + utc.month - 1


def next_month(moment: datetime) -> datetime:
    """Return the beginning of the month after that of a moment."""
    year, month = divmod(month_number(moment) + 1, _MONTHS)
    return datetime(year, month + 1, 1, tzinfo=UTC)
