"""
Catalog of videos: the filters, order and pages of lists of videos.

Source: the interface document, "list".
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import NamedTuple

import attrs

from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.labels import NO_LABELS, Labels
from hvcore.domain.processing.encoding import Preset
from hvcore.domain.source_figures import SourceFigures
from hvcore.domain.videos.spoken_texts import SpokenHit
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
    Hold the filters, the order and the page of a list of videos.

    Attributes:
        search: A text that must occur in the video's name, regardless of case.
        since: The first UTC day of creation.
        until: The last UTC day of creation, inclusive.
        page: The number of the page, from 1.
        terms: The label terms that a video must have, all of them: see domain.labels.
        is_public: Whether the videos play without a token; None for both kinds.
        spoken: A text all of whose words must be said in the video, by its captions in one
            language.
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
    is_public: bool | None = None
    spoken: str | None = None


class VideoSummary(NamedTuple):
    """
    Hold the fields of a video in a list; a tuple, because a page has up to a hundred videos.

    Attributes:
        duration_s: The length of the video; 0 before it is ``ready``.
        source: The source's size in bytes, width, height and frame rate; None before it
            is probed.
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
    source: SourceFigures | None = None


class TagTotal(NamedTuple):
    """Hold a tag, and the number of listed videos that have it."""

    tag: str
    videos: int


@attrs.frozen(kw_only=True)
class VideoIds:
    """
    Hold the ids of one page of a list of videos, and the number of videos on all pages.

    Attributes:
        has_more: Whether there are more videos than were counted.
    """

    ids: tuple[VideoId, ...]
    total: int
    has_more: bool = False


@attrs.frozen(kw_only=True)
class VideoPage:
    """
    Hold one page of a list of videos, and the number of videos on all pages.

    Attributes:
        has_more: Whether there are more videos than were counted: only of a list by what is said.
        has_next: Whether a list by what is said has a next page; of others the total tells.
        spoken_hits: The places where the searched words are said, by the video's id.
    """

    videos: tuple[VideoSummary, ...]
    total: int
    has_more: bool = False
    has_next: bool = False
    spoken_hits: Mapping[VideoId, Sequence[SpokenHit]] = attrs.field(factory=dict)
