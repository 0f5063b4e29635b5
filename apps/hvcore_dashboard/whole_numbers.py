"""Parse whole numbers in addresses of pages."""

from typing import Final

_MOST_DIGITS: Final = 18
"""The most digits of a number in a form: 64 bits hold as many, and Python refuses to read
thousands."""


def whole_number(text: str | None) -> int | None:
    """Return the whole number in a text; None if it is not one, or has more than 18 digits."""
    if text is None or len(text) > _MOST_DIGITS:
        return None
    return int(text) if text.isascii() and text.isdecimal() else None
