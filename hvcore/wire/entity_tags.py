"""
Entity tags in HTTP headers.

Source: RFC 9110, sections 8.8.3 and 13.1.1.
"""

import re
from typing import Final

from hvcore.domain.videos.preconditions import IfMatch
from hvcore.wire.schema import Schema

ETAG: Final[Schema] = {
    "type": "string",
    "description": "Of the members that `PATCH` changes alone: send it in `If-Match`.",
}
IF_MATCH: Final[Schema] = {
    "type": "string",
    "description": "The `ETag` of the details that the change was made for: if one of "
    "their members was changed since, nothing is changed (412). Several may be sent, "
    "separated by commas.",
    # Written as the answers have it, with its quotes.
    "example": '"7a1f3c5e9b2d4f60817a1f3c5e9b2d4f"',
}
_TAG: Final = re.compile(r'"([^"]*)"')


def quoted(tag: str) -> str:
    """Return an entity tag in quotes, as the header ``ETag`` has it."""
    return f'"{tag}"'


def read_if_match(header: str | None) -> IfMatch | None:
    """
    Return the condition in the header ``If-Match``; None if it was not sent.

    Tags are compared without ``W/``, which proxies add where they compress an answer. A header
    that cannot be read, such as a tag without quotes, is a condition that no video meets.
    """
    if header is None:
        return None
    if header.strip() == "*":
        return IfMatch(is_any=True)
    return IfMatch(tags=frozenset(_TAG.findall(header)))
