"""Direct uploads: uploads that go straight to the object store, and how long to wait."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.uploads.content_types import (
    CONTENT_TYPES,
    DEFAULT_CONTENT_TYPE,
    allowed_types,
    bare_type,
    container_type,
    fits,
)
from hvcore.domain.uploads.expiry import IN_FLIGHT_FOR
from hvcore.domain.uploads.grants import UploadGrant

FIRST_LOOK_AFTER: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(minutes=5)
LOOKED_FOR_AFTER: Final = 0.2
"""A file is noticed late by this share of the time that sending it took."""
LATE_PURGE_AFTER: Final = IN_FLIGHT_FOR + timedelta(hours=2)
"""After a grant ran out, nobody can be sending any more."""
PURGE_LEAVES: Final = timedelta(hours=2)
"""How long taking in may last, in an outage of the store, too."""
TAKEN_IN_FOR: Final = timedelta(hours=24)
"""How long the store may fail to give a file that was sent, before it is given up."""
PARTS_FROM_BYTES: Final = 100 * 1024**2
"""Smaller files are sent again as quickly as a part of them."""
PART_BYTES: Final = 64 * 1024**2
"""Some stores want all parts but the last to have one size, and at least 5 MiB."""


class DirectUploadMode(Enum):
    """
    Name the settings for direct uploads: whether callers upload straight to the store.

    OFF: never. AUTO: if the store's signed address enforces the announced size and
    type, so that other bytes are refused. ON: always; bytes that do not fit are removed
    afterwards.
    """

    OFF = "off"
    AUTO = "auto"
    ON = "on"


def next_look(grant: UploadGrant, now: datetime) -> datetime | None:
    """Return the next moment to look for a grant's bytes in the store; None if never."""
    if now >= grant.expires_at + IN_FLIGHT_FOR:
        return None
    pause = (now - grant.created_at) * LOOKED_FOR_AFTER
    return now + min(max(pause, FIRST_LOOK_AFTER), LONGEST_PAUSE)


def late_purge_at(grant: UploadGrant, now: datetime) -> datetime:
    """Return the moment to remove bytes that arrived too late for their upload grant."""
    return max(grant.expires_at + LATE_PURGE_AFTER, now + PURGE_LEAVES)


def is_given_up(grant: UploadGrant, ordered_at: datetime, now: datetime) -> bool:
    """
    Return whether to stop retrying to take in uploaded bytes from the store.

    Args:
        ordered_at: When the task that takes the bytes in was ordered; a retry by an
            operator orders it anew.
    """
    return now >= max(grant.expires_at, ordered_at) + TAKEN_IN_FOR


def part_sizes(size_bytes: int | None) -> Sequence[int]:
    """Return the sizes of a file's parts for a multipart upload; none for a small file."""
    if size_bytes is None or size_bytes <= PARTS_FROM_BYTES:
        return ()
    whole, rest = divmod(size_bytes, PART_BYTES)
    return [PART_BYTES] * whole + ([rest] if rest else [])


_STORES_OWN: Final = frozenset({"application/octet-stream", "binary/octet-stream"})
"""The type that stores give to bytes that were sent without one."""
UNREADABLE: Final = (
    "The uploaded file is archived, or encrypted with a key of its sender; upload it "
    "again without either."
)


def mismatch(
    grant: UploadGrant, *, size_bytes: int, content_type: str | None
) -> str | None:
    """
    Return the reason why uploaded bytes do not fit their grant; None if they fit.

    Args:
        content_type: The content type that was sent; None if the store keeps none.
    """
    if grant.size_bytes is not None and size_bytes != grant.size_bytes:
        return (
            f"The uploaded file has {size_bytes} bytes, and {grant.size_bytes} were "
            f"announced."
        )
    if not 1 <= size_bytes <= MAX_UPLOAD_BYTES:
        return f"The uploaded file has {size_bytes} bytes; 1 to 5 GB can be processed."
    if content_type is None:
        return None
    if bare_type(content_type) in _STORES_OWN and grant.content_type is None:
        return None
    if content_type and not fits(content_type, grant.content_type):
        return (
            f"The file was uploaded with the Content-Type {content_type[:80]}, and not "
            f"with {allowed_types(grant.content_type)}."
        )
    return None


def sent_type(content_type: str | None, grant: UploadGrant) -> str:
    """Return the content type of uploaded bytes; the grant's if the sent one is unknown."""
    sent = container_type(content_type)
    if sent in CONTENT_TYPES:
        return sent
    return container_type(grant.content_type) or DEFAULT_CONTENT_TYPE
