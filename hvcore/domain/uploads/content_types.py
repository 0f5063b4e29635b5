"""Content types of uploads: five video containers, and other names for their types."""

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
    """
    Return a content type by its usual name if it is one of the five containers'.

    Any other content type is returned without parameters and in lower case.
    """
    bare = bare_type(content_type)
    return OTHER_NAMES.get(bare, bare)


def fits(content_type: str | None, granted: str | None) -> bool:
    """
    Return whether bytes with a content type may be sent for an upload grant.

    Args:
        content_type: The content type that was sent. An empty one fits a grant without
            a type.
        granted: The content type that the grant announced; None accepts all five.
    """
    sent = container_type(content_type)
    if granted is not None:
        return sent == container_type(granted)
    return not sent or sent in CONTENT_TYPES


def allowed_types(granted: str | None) -> str:
    """Return the content types that an upload grant accepts, joined by "or"."""
    return granted or " or ".join(CONTENT_TYPES)
