"""
The query parameters of the list of videos and of the requests signed-url and source.

Source: the interface document, "Endpoints": one class per query table, in its order.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

import attrs

from hvcore.domain.labels import tag_term
from hvcore.domain.limits import (
    DEFAULT_EXPIRATION,
    DEFAULT_PAGE_SIZE,
    MAX_METADATA_KEYS,
    MAX_NAME_CHARS,
    MAX_PAGE_SIZE,
    SIGNED_URL_EXPIRATIONS_S,
)
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.domain.videos.spoken_words import MAX_SPOKEN_QUERY_CHARS
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.errors import InvalidExpirationError, InvalidPageSizeError
from hvcore.wire.converter import LateFieldError, optional
from hvcore.wire.formats import Day, Domains
from hvcore.wire.kinds import Flag, Integer, OneOf, Repeatable, Text, member_of
from hvcore.wire.videos.labels import EXTERNAL_ID, TAG, MetadataFilter

MAX_PAGE: Final = 2**31 - 1
"""Keeps the offset within 64 bits, which is what databases count with."""


@attrs.frozen(kw_only=True)
class ListParameters:
    """Declare the query parameters of the list of videos, below ``/v1`` and ``/v1/api/{orgID}``."""

    page: int = optional(
        "page",
        Integer(minimum=1, maximum=MAX_PAGE),
        1,
        about="Number of the page, from 1.",
    )
    page_size: int = optional(
        "pageSize",
        Integer(minimum=1, maximum=MAX_PAGE_SIZE),
        DEFAULT_PAGE_SIZE,
        error=InvalidPageSizeError,
        about="Videos on a page.",
    )
    sort_by: SortBy = optional(
        "sortBy",
        member_of(SortBy),
        SortBy.CREATED_AT,
        about="What to sort by.",
    )
    sort_dir: SortDir = optional(
        "sortDir",
        member_of(SortDir),
        SortDir.DESC,
        about="Rising or falling.",
    )
    state: VideoState | None = optional(
        "status",
        OneOf("VideoStatus", {state.value: state for state in LISTED_STATES}),
        None,
        about="Only those in this state.",
    )
    search: str | None = optional(
        "search",
        Text(min_chars=0, max_chars=MAX_NAME_CHARS),
        None,
        about="Only those whose name contains this, in upper or lower case.",
    )
    since: date | None = optional(
        "from",
        Day(),
        None,
        about="Only those created on this UTC day or later.",
    )
    until: date | None = optional(
        "to",
        Day(),
        None,
        about="Only those created on this UTC day or earlier.",
    )
    external_id: str | None = optional(
        "externalID",
        EXTERNAL_ID,
        None,
        about="Only the one that has this external ID.",
    )
    tag: str | None = optional("tag", TAG, None, about="Only those with this tag.")
    # A video has no more keys.
    metadata: Sequence[str] = optional(
        "metadata",
        Repeatable(one=MetadataFilter(), max_values=MAX_METADATA_KEYS),
        (),
        about="Only those whose metadata has this key with this value, such as `order:4711`; of several, all must hold.",
    )
    is_public: bool | None = optional(
        "allowPublicAccess",
        Flag(),
        None,
        about="Only those that play without a token, or only those that need one.",
    )
    spoken: str | None = optional(
        "spoken",
        Text(min_chars=0, max_chars=MAX_SPOKEN_QUERY_CHARS),
        None,
        about="Only those in which all of these words are said, by their captions in one language; each has `spokenHits`.",
    )

    def query(self) -> VideoQuery:
        """Return the query for the list of videos, as services take it; an empty search text finds every video."""
        terms = [] if self.tag is None else [tag_term(self.tag)]
        return VideoQuery(
            page=self.page,
            page_size=self.page_size,
            sort_by=self.sort_by,
            sort_dir=self.sort_dir,
            state=self.state,
            search=self.search or None,
            since=self.since,
            until=self.until,
            external_id=self.external_id,
            terms=frozenset([*terms, *self.metadata]),
            is_public=self.is_public,
            spoken=self.spoken or None,
        )


@attrs.frozen(kw_only=True)
class SignedUrlParameters:
    """Declare the query parameters of a request for a signed playback URL, below ``/v1`` and ``/v1/api/{orgID}``."""

    expires_in_s: int = optional(
        "expiration",
        OneOf("SignedUrlExpiration", SIGNED_URL_EXPIRATIONS_S),
        SIGNED_URL_EXPIRATIONS_S[DEFAULT_EXPIRATION],
        error=InvalidExpirationError,
        about="How long the address works.",
    )
    domains: tuple[str, ...] = optional(
        "domains",
        Domains(),
        (),
        about="Host names of the pages that may play it, separated by commas; `*.` in front includes all subdomains.",
    )


@attrs.frozen(kw_only=True)
class SourceParameters:
    """Declare the query parameters of a request for a video's source file, below ``/v1`` and ``/v1/api/{orgID}``."""

    expires_in_s: int = optional(
        "expiration",
        OneOf("SignedUrlExpiration", SIGNED_URL_EXPIRATIONS_S),
        SIGNED_URL_EXPIRATIONS_S[DEFAULT_EXPIRATION],
        error=InvalidExpirationError,
        about="How long the address works.",
    )


def days_in_order(given: Mapping[str, object]) -> Iterable[LateFieldError]:
    """Yield the problem of a range of days (``from``, ``to``) that ends before it begins."""
    since, until = given.get("from"), given.get("to")
    if isinstance(since, date) and isinstance(until, date) and since > until:
        yield LateFieldError(name="from", rule="must not be after to")
