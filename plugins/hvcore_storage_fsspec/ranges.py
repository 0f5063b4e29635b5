"""
Check that an answer of a store has the bytes that were asked for.

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
    """A store has answered with other bytes than were asked for."""


def promised_bytes(told: str | None, start: int, end: int) -> int:
    """
    Return the number of bytes that an answer for ``[start, end)`` must have.

    Args:
        told: Its Content-Range; None if it has none.

    Raises:
        WrongRangeError: They are not the bytes from start to end, or to the object's end.
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
    """Raise WrongRangeError unless an answer has as many bytes as it has promised."""
    if received_bytes != promised:
        raise WrongRangeError(
            f"The storage answers with {received_bytes} bytes in the place of {promised}."
        )


def check_some(received_bytes: int) -> None:
    """
    Raise UnavailableError for an answer without bytes.

    Some stores answer so where a range begins behind the end of an object: unlike a wrong
    range, it is worth a look at the object's size.
    """
    if not received_bytes:
        raise UnavailableError("The storage answers with no bytes.")
