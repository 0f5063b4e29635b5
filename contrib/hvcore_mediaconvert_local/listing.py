"""Cut lists of queues, presets and job templates into pages."""

from collections.abc import Sequence
from typing import Final

from hvcore_mediaconvert_local.errors import bad_request
from hvcore_mediaconvert_local.wire import JsonObject

PAGE_SIZE: Final = 20
"""The number of entries on a page, and the most that a client may ask for."""
_MEMBER_OF: Final = {"NAME": "name", "CREATION_DATE": "createdAt", "SYSTEM": "type"}


def page_of(
    found: Sequence[JsonObject], request: JsonObject, *, default: str
) -> tuple[list[JsonObject], str]:
    """
    Return the page of a list that a request asks for, and the token of the next page.

    Args:
        found: All entries of the list.
        default: The order of the list if the request has no ``listBy``, such as ``NAME``.

    Returns:
        The entries, and the token; "" if no page follows.

    Raises:
        MediaConvertError: The request's page token was not made by this server.
    """
    member = _MEMBER_OF[request.get("listBy", default)]
    ordered = sorted(
        found,
        key=lambda one: (one.get(member, ""), one["name"]),
        reverse=request.get("order") == "DESCENDING",
    )
    start = number_in(request.get("nextToken", "0"))
    end = start + int(request.get("maxResults", PAGE_SIZE))
    return ordered[start:end], str(end) if end < len(ordered) else ""


def number_in(token: str) -> int:
    """
    Return the number in a page token.

    Raises:
        MediaConvertError: The token was not made by this server.
    """
    if not (token.isascii() and token.isdigit()):
        raise bad_request("nextToken is not from an answer of this server")
    return int(token)
