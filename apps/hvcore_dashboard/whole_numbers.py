"""Whole numbers that addresses of pages hold."""

from typing import Final

_MOST_DIGITS: Final = 18
"""What 64 bits hold; Python refuses to read thousands."""


def whole_number(text: str | None) -> int | None:
    """Return the number that a text is; None if it is none, or too long."""
    if text is None or len(text) > _MOST_DIGITS:
        return None
    return int(text) if text.isascii() and text.isdecimal() else None
