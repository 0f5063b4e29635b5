"""Content types of uploads: the five containers, and the other names that they have."""

from collections.abc import Mapping
from typing import Final

CONTENT_TYPES: Final = (
    "video/mp4",
    "video/quicktime",
    "video/x-msvideo",
    "video/webm",
    "video/x-matroska",
)
DEFAULT_CONTENT_TYPE: Final = "video/mp4"
OTHER_NAMES: Final[Mapping[str, str]] = {
    # Chromium's for the type of an .mkv; IANA's, too (RFC 9559, section 27.3).
    "video/matroska": "video/x-matroska",
    "video/x-m4v": "video/mp4",
    "video/avi": "video/x-msvideo",
    "video/msvideo": "video/x-msvideo",
    "video/vnd.avi": "video/x-msvideo",
}
"""Names that browsers and systems have for the five containers."""


def bare_type(content_type: str | None) -> str:
    """Return a content type without its parameters, in lower case."""
    return (content_type or "").partition(";")[0].strip().lower()


def container_type(content_type: str | None) -> str:
    """Return a content type by the service's own name, if it is one of the five."""
    bare = bare_type(content_type)
    return OTHER_NAMES.get(bare, bare)


def fits(content_type: str | None, granted: str | None) -> bool:
    """
    Return whether bytes of a type are those of a grant.

    Args:
        content_type: As sent. One that says nothing fits a grant without a type.
        granted: Of the grant, as it was asked for; None takes any of the five.
    """
    sent = container_type(content_type)
    if granted is not None:
        return sent == container_type(granted)
    return not sent or sent in CONTENT_TYPES


def allowed_types(granted: str | None) -> str:
    """Return in words with which content types the bytes of a grant may be sent."""
    return granted or " or ".join(CONTENT_TYPES)
