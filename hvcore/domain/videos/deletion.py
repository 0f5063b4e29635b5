"""
Deletion: its reasons, and the stay of deleted videos in the bin.

Source: the interface document, "States and transitions"; docs/decisions/0215.
"""

from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.videos.states import VideoState


class DeletionReason(Enum):
    """The reason to delete a video (the interface document, "DELETE", ``reason``)."""

    USER_REQUEST = "user_request"
    POLICY_VIOLATION = "policy_violation"
    COPYRIGHT_CLAIM = "copyright_claim"
    EXPIRED_CONTENT = "expired_content"
    ADMIN_ACTION = "admin_action"


MAX_KEEP_HOURS: Final = 23
"""The longest stay in the bin: files are gone within 24 hours of the deletion."""

NEVER_BINNED: Final = frozenset(
    {
        DeletionReason.POLICY_VIOLATION,
        DeletionReason.COPYRIGHT_CLAIM,
        DeletionReason.ADMIN_ACTION,
    }
)
"""The reasons for which a video is deleted without a way back."""

BINNED_STATES: Final = frozenset({VideoState.READY, VideoState.FAILED})
"""The states in which a video can be put into the bin."""


@attrs.frozen(kw_only=True)
class BinStay:
    """
    Describe the stay of a deleted video in the bin, during which it can be restored.

    Attributes:
        state: The state to which a restore brings the video back.
        ends_at: When the stay ends (UTC); from then on the video cannot be restored.
    """

    state: VideoState
    ends_at: datetime


@attrs.frozen(kw_only=True)
class BinnedVideo:
    """
    Describe a video in the bin, for a list of what can be restored.

    Attributes:
        state: The state to which a restore brings the video back.
        restorable_until: When the stay in the bin ends (UTC).
    """

    id: VideoId
    public_id: PublicId
    name: str
    state: VideoState
    is_public: bool
    duration_s: float
    created_at: datetime
    deleted_at: datetime
    reason: DeletionReason | None
    restorable_until: datetime


@attrs.frozen(kw_only=True)
class BinPage:
    """Hold one page of an environment's bin, and the number of videos on all pages."""

    videos: tuple[BinnedVideo, ...]
    total: int


def stay_of(
    state: VideoState, reason: DeletionReason | None, now: datetime, keep_hours: int
) -> BinStay | None:
    """
    Return the stay in the bin of a video that is deleted now.

    Args:
        state: The state of the video before the deletion.
        keep_hours: The wanted length of the stay in hours, 0 to MAX_KEEP_HOURS.

    Returns:
        None if no stay is wanted, or if the state or the reason allows none.
    """
    if not keep_hours or state not in BINNED_STATES or reason in NEVER_BINNED:
        return None
    return BinStay(state=state, ends_at=now + timedelta(hours=keep_hours))
