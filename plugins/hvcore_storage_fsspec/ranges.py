"""
Check that the answer of a store has exactly the range of bytes that was asked for.

A store, or a proxy before it, may ignore a range and send the whole object (RFC 9110,
section 14.2), and a proxy may send a page of its own. Either would be played.

Source: RFC 9110, section 14.4.
"""

import re
from typing import Final

from hvcore.plugin_api import UnavailableError

_CONTENT_RANGE: Final = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)", re.IGNORECASE)


IGNORED: Final = (
    "The storage ignores the range that is asked for; a proxy before it must pass the "
    "header Range on, and Content-Range back."
)


class WrongRangeError(UnavailableError):
    """The answer of a store has other bytes than were asked for."""


def promised_bytes(told: str | None, start: int, end: int) -> int:
    """
    Return the number of bytes that an answer for ``[start, end)`` must have.

    Args:
        told: The Content-Range header of the answer; None if there is none.

    Raises:
        WrongRangeError: The answer has not the bytes from start to end, or to the
            object's end.
    """
    found = _CONTENT_RANGE.fullmatch(told or "")
    if found is None:
        raise WrongRangeError(IGNORED)
    first, last = int(found[1]), int(found[2])
    ends_object = found[3] == "*" or last == int(found[3]) - 1
    if first != start or not (last == end - 1 or (last < end and ends_object)):
        raise WrongRangeError("The storage answers with another range of the object.")
    return last + 1 - first


def check_received(received_bytes: int, promised: int) -> None:
    """Raise WrongRangeError unless as many bytes were received as the answer has promised."""
    if received_bytes != promised:
        raise WrongRangeError(
            f"The storage answers with {received_bytes} bytes in the place of {promised}."
        )


def check_some(received_bytes: int) -> None:
    """
    Raise UnavailableError if an answer has no bytes.

    Some stores send an empty answer if a range begins behind the end of an object.
    Unlike after a wrong range, the caller then looks at the object's size.
    """
    if not received_bytes:
        raise UnavailableError("The storage answers with no bytes.")
