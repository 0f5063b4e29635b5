"""
Checks of the options that the transcoders of several clouds have in common.

They are validators of attrs; the message of each names the option.
"""

import re
from typing import Final

from attrs import Attribute

_MOST_PRICE: Final = 1000
"""A higher price of a minute is surely a mistake."""
_MOST_DAILY: Final = 1_000_000_000
"""The largest daily limit: a greater sum does not fit into the database table of spent money."""
_LEAST_DEADLINE_S: Final = 60
_MOST_DEADLINE_S: Final = 7 * 24 * 3600


def check_endpoint(_: object, _field: "Attribute[str]", value: str) -> None:
    """Refuse an ``endpoint`` that is no address of a host; "" is the cloud's own."""
    if value and not re.fullmatch(r"https?://[^\s/@?#]+/?", value):
        raise ValueError(
            f"endpoint must be an address such as https://host, not {value!r}"
        )


def check_price(_: object, _field: "Attribute[float]", value: float) -> None:
    """Refuse a ``price_per_minute`` that is negative, or surely a mistake."""
    if not 0 <= value < _MOST_PRICE:
        raise ValueError(f"price_per_minute must be from 0 to 1000, not {value}")


def check_daily_limit(_: object, _field: "Attribute[float]", value: float) -> None:
    """Refuse a ``daily_limit`` that is negative or does not fit into the table."""
    if not 0 <= value < _MOST_DAILY:
        raise ValueError(f"daily_limit must be 0 or more, not {value}")


def check_currency(_: object, _field: "Attribute[str]", value: str) -> None:
    """Refuse a ``currency`` that is no short word."""
    if not re.fullmatch(r"\w{1,12}", value):
        raise ValueError(f"currency must be a name such as USD, not {value!r}")


def check_deadline_s(_: object, _field: "Attribute[int]", value: int) -> None:
    """Refuse a ``deadline_s`` of less than a minute, or more than a week."""
    if not _LEAST_DEADLINE_S <= value <= _MOST_DEADLINE_S:
        raise ValueError(f"deadline_s must be from 60 to 604800, not {value}")
