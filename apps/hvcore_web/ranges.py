"""
Read the byte range that a request asks for.

Source: RFC 9110, sections 13.1.5 (If-Range) and 14 (Range).
"""

import re

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import RangeNotSatisfiableError

# Section 14.1.1; the unit's case does not matter.
_RANGE = re.compile(
    r"bytes[ \t]*=[ \t]*([0-9]{0,30})-([0-9]{0,30})[ \t]*", re.IGNORECASE
)


def asked_range(
    header: str, *, if_range: str | None, etag: str, size_bytes: int
) -> tuple[int, int] | None:
    """
    Return the offset of the first byte of a requested range, and the offset after its last byte.

    Args:
        header: The value of the header ``Range``.
        if_range: The value of the header ``If-Range``; None if it was not sent.
        etag: The entity tag of the file, without quotes.
        size_bytes: The size of the file.

    Returns:
        None if the whole file is to be sent: the header asks for several ranges or
        cannot be read, or ``If-Range`` names another version of the file.

    Raises:
        RangeNotSatisfiableError: The range begins behind the end of the file.
    """
    # Strong comparison: a weak tag never matches, nor does a date, since we send none.
    if if_range is not None and if_range.strip() != f'"{etag}"':
        return None
    match = _RANGE.fullmatch(header.strip())
    if match is None or not (match[1] or match[2]):
        return None
    if not match[1]:
        start, end = max(0, size_bytes - int(match[2])), size_bytes
    else:
        start = int(match[1])
        last = int(match[2]) if match[2] else size_bytes - 1
        if match[2] and last < start:
            return None
        end = min(last + 1, size_bytes)
    if start >= size_bytes:
        raise RangeNotSatisfiableError(
            headers={"Content-Range": f"bytes */{size_bytes}"},
            rule=PlaybackRule.RANGE_OUTSIDE,
        )
    return start, end
