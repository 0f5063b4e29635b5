"""
The requests and answers about edge keys and share links.

Source: the interface document, "share" and "Delivery", embed by edge key.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.links.links import (
    DEFAULT_SHARE_HOURS,
    MAX_SHARE_HOURS,
    MAX_VIEWS,
    EdgeKey,
    ShareLink,
)
from hvcore.wire.answer_schemas import VIDEO_ID
from hvcore.wire.converter import Check, LateFieldError, optional
from hvcore.wire.kinds import Integer
from hvcore.wire.links.formats import DomainList, EmailAddress, Timestamp
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    ADDRESS,
    COUNT,
    STRING,
    TIMESTAMP,
    array,
    identifier,
    nullable,
    record,
)


@attrs.frozen(kw_only=True)
class EdgeKeyRequest:
    """Declare the fields of a request for a new edge key; the request's body is optional."""

    domains: tuple[str, ...] = optional(
        "domains",
        DomainList(),
        (),
        about="The pages that may use it, such as example.com or *.example.com; "
        "by default every page. One text with commas will do as well.",
    )
    expires_at: datetime | None = optional(
        "expiresAt", Timestamp(), None, about="When it stops playing; by default never."
    )


@attrs.frozen(kw_only=True)
class ShareRequest:
    """Declare the fields of a request for a new share link; the request's body is optional."""

    expiration_hours: int = optional(
        "expirationHours",
        Integer(minimum=1, maximum=MAX_SHARE_HOURS),
        DEFAULT_SHARE_HOURS,
    )
    max_views: int | None = optional(
        "maxViews",
        Integer(minimum=1, maximum=MAX_VIEWS),
        None,
        about="How many playback sessions may begin; by default any number.",
    )
    viewer_email: str | None = optional(
        "viewerEmail",
        EmailAddress(),
        None,
        about="Only a viewer who enters the code that is sent to this address may watch.",
    )


def expires_after(now: datetime) -> Check:
    """Return the check that refuses a value of the field ``expiresAt`` that is not after the given moment."""

    def check(given: Mapping[str, object]) -> Iterable[LateFieldError]:
        expires_at = given.get("expiresAt")
        if isinstance(expires_at, datetime) and expires_at <= now:
            yield LateFieldError(name="expiresAt", rule="must be in the future")

    return check


EDGE_KEY: Final = record(
    "EdgeKey",
    {
        "edgeKey": identifier("ek_"),
        "videoID": VIDEO_ID,
        "domains": array(STRING),
        "createdAt": TIMESTAMP,
        "expiresAt": nullable(TIMESTAMP),
        "revokedAt": nullable(TIMESTAMP),
        "playbackURL": ADDRESS,
        "embedURL": ADDRESS,
    },
)
EDGE_KEYS: Final = record("EdgeKeyList", {"edgeKeys": array(EDGE_KEY)})

_SHARE = {
    "shareID": identifier("shr_"),
    "videoID": VIDEO_ID,
    "shareURL": ADDRESS,
    "deliveryURL": ADDRESS,
    "createdAt": TIMESTAMP,
    "expiresAt": TIMESTAMP,
    "maxViews": nullable(COUNT),
    "views": COUNT,
    "viewerEmail": nullable(STRING),
    "revokedAt": nullable(TIMESTAMP),
}
SHARE: Final = record("ShareLink", _SHARE)
SHARES: Final = record("ShareLinkList", {"shares": array(SHARE)})


def edge_key(key: EdgeKey, *, embed_url: str) -> Payload:
    """
    Return the JSON payload of an edge key.

    Args:
        embed_url: The URL of the edge key's player page; the URL of the playlist begins with it.
    """
    return {
        "edgeKey": key.id,
        "videoID": key.video_id,
        "domains": list(key.domains),
        "createdAt": timestamp(key.created_at),
        "expiresAt": _perhaps(key.expires_at),
        "revokedAt": _perhaps(key.revoked_at),
        "playbackURL": f"{embed_url}/master.m3u8",
        "embedURL": embed_url,
    }


def share(link: ShareLink, *, share_url: str, delivery_url: str) -> Payload:
    """
    Return the JSON payload of a share link.

    Args:
        share_url: The URL of the share link's player page.
        delivery_url: The URL of the share link's master playlist.
    """
    return {
        "shareID": link.id,
        "videoID": link.video_id,
        "shareURL": share_url,
        "deliveryURL": delivery_url,
        "createdAt": timestamp(link.created_at),
        "expiresAt": timestamp(link.expires_at),
        "maxViews": link.max_views,
        "views": link.views,
        "viewerEmail": link.viewer_email,
        "revokedAt": _perhaps(link.revoked_at),
    }


def _perhaps(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
