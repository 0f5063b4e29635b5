"""The requests and answers about the bin: deleted videos that can be restored."""

import math
from typing import Final

import attrs

from hvcore.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from hvcore.domain.videos.deletion import (
    BINNED_STATES,
    MAX_KEEP_HOURS,
    BinnedVideo,
    BinPage,
    DeletionReason,
)
from hvcore.errors import InvalidPageSizeError
from hvcore.wire.answer_schemas import DURATION, PAGINATION, SECONDS, VIDEO_ID
from hvcore.wire.converter import optional
from hvcore.wire.kinds import Integer
from hvcore.wire.query import MAX_PAGE
from hvcore.wire.responses import Payload, clock_time, timestamp
from hvcore.wire.schema import (
    BOOLEAN,
    STRING,
    TIMESTAMP,
    array,
    one_of,
    record,
    words_of,
)


@attrs.frozen(kw_only=True)
class DeleteParameters:
    """Declare the query parameters of a deletion, below ``/v1`` and ``/v1/api/{orgID}``."""

    keep_hours: int = optional(
        "keepHours",
        Integer(minimum=0, maximum=MAX_KEEP_HOURS),
        0,
        about="How many hours the video can be restored; 0: its files are removed at once.",
    )


@attrs.frozen(kw_only=True)
class BinParameters:
    """Declare the query parameters of the list of deleted videos, below ``/v1`` and ``/v1/api/{orgID}``."""

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


BIN: Final = record(
    "DeletedVideoList",
    {
        "videos": array(
            record(
                "DeletedVideo",
                {
                    "id": VIDEO_ID,
                    "name": STRING,
                    # The state to which a restore brings it back.
                    "status": one_of(
                        "DeletedVideoStatus", *sorted(s.value for s in BINNED_STATES)
                    ),
                    "duration": DURATION,
                    "durationSeconds": SECONDS,
                    "allowPublicAccess": BOOLEAN,
                    "createdAt": TIMESTAMP,
                    "deletedAt": TIMESTAMP,
                    "restorableUntil": TIMESTAMP,
                },
                {"reason": words_of(DeletionReason)},
            )
        ),
        "pagination": PAGINATION,
    },
)


def deleted_list(found: BinPage, *, page: int, page_size: int) -> Payload:
    """Return the JSON payload of one page of the videos that can be restored."""
    pages = math.ceil(found.total / page_size)
    return {
        "videos": [deleted_item(video) for video in found.videos],
        "pagination": {
            "total": found.total,
            "page": page,
            "pageSize": page_size,
            "totalPages": pages,
            "hasNext": page < pages,
            "hasPrevious": page > 1 and found.total > 0,
        },
    }


def deleted_item(video: BinnedVideo) -> Payload:
    """Return the JSON object of a video that can be restored."""
    payload: Payload = {
        "id": video.id,
        "name": video.name,
        "status": video.state.value,
        "duration": clock_time(video.duration_s),
        "durationSeconds": round(video.duration_s, 3),
        "allowPublicAccess": video.is_public,
        "createdAt": timestamp(video.created_at),
        "deletedAt": timestamp(video.deleted_at),
        "restorableUntil": timestamp(video.restorable_until),
    }
    if video.reason is not None:
        payload["reason"] = video.reason.value
    return payload
