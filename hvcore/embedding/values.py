"""The values that the embedding returns to the host program: videos, lists, upload permissions."""

from collections.abc import Mapping
from datetime import datetime

import attrs

from hvcore.domain.videos.catalog import VideoPage, VideoSummary
from hvcore.domain.videos.preconditions import entity_tag
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video


@attrs.frozen(kw_only=True)
class Upload:
    """
    Permission to send one file, from which a video is made.

    Attributes:
        video_id: The id of the video that awaits the file.
        address: The address that takes the file with PUT; it is a secret until it has expired.
        expires_at: The time from which the address takes no file; in UTC.
    """

    video_id: str
    address: str = attrs.field(repr=False)
    expires_at: datetime


@attrs.frozen(kw_only=True)
class ListedVideo:
    """
    A video in a list, as it was when it was asked for.

    Attributes:
        public_id: The video's second id, which addresses for viewers may have.
        duration_s: The length of the published video; 0 until it is ready.
        external_id: The id that the owner gave the video.
        metadata: The keys and texts that the owner stores with the video.
    """

    id: str
    public_id: str
    name: str
    description: str | None
    state: VideoState
    is_public: bool
    created_at: datetime
    duration_s: float
    external_id: str | None
    metadata: Mapping[str, str]
    tags: tuple[str, ...]


@attrs.frozen(kw_only=True)
class EmbeddedVideo(ListedVideo):
    """
    A video, as it was when it was asked for.

    Attributes:
        progress_percent: The progress of the video's job, 0 to 99 while the state is
            TRANSCODING; else 0.
        failure_reason: The reason why the video failed, one sentence for its owner; None otherwise.
        allows_download: Whether viewers of the video may download it, too.
        etag: The entity tag of everything that ``update`` can change; another one after each change.
    """

    progress_percent: int
    failure_reason: str | None
    allows_download: bool
    etag: str


@attrs.frozen(kw_only=True)
class VideoList:
    """
    One page of a list of videos.

    Attributes:
        total: How many videos there are on all pages.
    """

    videos: tuple[ListedVideo, ...]
    total: int


def described(video: Video) -> EmbeddedVideo:
    """Return a video as the value that the embedding returns to the host program."""
    return EmbeddedVideo(
        **attrs.asdict(_listed(video), recurse=False),
        progress_percent=video.progress,
        failure_reason=video.failure_reason,
        allows_download=video.allows_download,
        etag=entity_tag(video),
    )


def listed(page: VideoPage) -> VideoList:
    """Return a page of a list of videos as the value that the embedding returns."""
    return VideoList(videos=tuple(map(_listed, page.videos)), total=page.total)


def _listed(video: Video | VideoSummary) -> ListedVideo:
    return ListedVideo(
        id=video.id,
        public_id=video.public_id,
        name=video.name,
        description=video.description,
        state=video.state,
        is_public=video.is_public,
        created_at=video.created_at,
        duration_s=video.duration_s,
        external_id=video.labels.external_id,
        metadata=dict(video.labels.metadata),
        tags=video.labels.tags,
    )
