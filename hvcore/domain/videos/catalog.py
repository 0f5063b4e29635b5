"""
Lists of videos: what they hold and in which order.

Source: interface, "list".
"""

from datetime import date, datetime
from enum import Enum
from typing import NamedTuple

import attrs

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.labels import NO_LABELS, Labels
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.videos.states import VideoState


class SortBy(Enum):
    """The fields that a list of videos is ordered by."""

    CREATED_AT = "created_at"
    NAME = "name"
    DURATION = "duration"
    STATUS = "status"


class SortDir(Enum):
    """The directions in which a list of videos is ordered."""

    ASC = "asc"
    DESC = "desc"


@attrs.frozen(kw_only=True)
class VideoQuery:
    """
    The filters, the order and the page of a list of videos.

    Attributes:
        search: Found anywhere in the name, whatever the case.
        since: First UTC day of creation.
        until: Last UTC day of creation, inclusive.
        page: From 1.
        terms: Of its labels, all of them: see domain.labels.
    """

    page: int
    page_size: int
    sort_by: SortBy = SortBy.CREATED_AT
    sort_dir: SortDir = SortDir.DESC
    state: VideoState | None = None
    search: str | None = None
    since: date | None = None
    until: date | None = None
    external_id: str | None = None
    terms: frozenset[str] = frozenset()


class VideoSummary(NamedTuple):
    """
    The fields of a video in a list; a tuple, because each list makes a hundred.

    Attributes:
        duration_s: 0 before ``ready``.
    """

    id: VideoId
    public_id: PublicId
    name: str
    description: str | None
    state: VideoState
    is_public: bool
    preset: Preset
    created_at: datetime
    duration_s: float
    labels: Labels = NO_LABELS


@attrs.frozen(kw_only=True)
class VideoPage:
    """One page of a list, and how many there are in all."""

    videos: tuple[VideoSummary, ...]
    total: int
