"""Videos with the values that lists show besides the stored record."""

from collections.abc import Mapping, Sequence

import attrs

from hvcore.assembly import Services
from hvcore.domain.videos.catalog import VideoSummary
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.services.analytics.counts import Analytics
from hvcore.services.tasks.waiting_videos import WaitingVideos
from hvcore.services.videos.catalog import Catalog
from hvcore_dashboard.pages.videos.thumbnails import ListThumbnails, shape_px
from hvcore_dashboard.visits import OrganizationVisit


@attrs.frozen(kw_only=True)
class ShownVideo:
    """
    A video of a list, with its thumbnails, views and progress.

    Attributes:
        thumbnails: The file names of its picture; None if it has none yet.
        progress: The progress of its encoding in percent; None if it is not being encoded.
        place: Its position among the videos that wait for an encoder; None if it waits for none.
        failure: The reason why encoding failed; "" unless it did.
    """

    video: VideoSummary
    thumbnails: ListThumbnails | None
    view_count: int
    progress: int | None
    place: int | None = None
    failure: str = ""


@attrs.frozen(kw_only=True)
class ShownVideos:
    """
    Adds thumbnails, views and progress to the videos of a list.

    Attributes:
        pictures_url: The common beginning of the addresses of thumbnails.
    """

    analytics: Analytics
    catalog: Catalog
    pictures_url: str
    waiting: WaitingVideos

    @classmethod
    def of(cls, services: Services) -> "ShownVideos":
        """Return the reader of listed videos that uses these services."""
        return cls(
            analytics=services.analytics,
            catalog=services.catalog,
            pictures_url=f"{services.settings.public.worker_url}/t",
            waiting=services.waiting_videos,
        )

    def listed(
        self, here: OrganizationVisit, videos: Sequence[VideoSummary]
    ) -> Sequence[ShownVideo]:
        """Return videos with their thumbnails, views and progress."""
        counts = self.analytics.views(videos)
        is_any_made = any(one.state is VideoState.TRANSCODING for one in videos)
        places = self.waiting.places(here.org_id) if is_any_made else {}
        return [self._shown(here, one, counts.get(one.id, 0), places) for one in videos]

    def now(
        self, here: OrganizationVisit, video_ids: Sequence[str]
    ) -> Sequence[ShownVideo]:
        """Return the present state of the videos with these ids; deleted videos are left out."""
        found = (self._details(here, video_id) for video_id in video_ids)
        return self.listed(here, [_summary(video) for video in found if video])

    def _thumbnails(
        self, here: OrganizationVisit, video: VideoSummary
    ) -> ListThumbnails | None:
        if video.state is not VideoState.READY:
            return None
        source = video.source
        if source is not None and source.width_px and source.height_px:
            # Without a question for each video of a long list.
            size_px = source.width_px, source.height_px
        elif found := self._details(here, video.id):
            size_px = shape_px(found)
        else:
            return None
        folder = f"{self.pictures_url}/{video.id}" if video.is_public else ""
        return ListThumbnails.of(size_px, public_folder=folder)

    def _shown(
        self,
        here: OrganizationVisit,
        video: VideoSummary,
        view_count: int,
        places: Mapping[str, int],
    ) -> ShownVideo:
        is_made = video.state is VideoState.TRANSCODING
        has_failed = video.state is VideoState.FAILED
        found = self._details(here, video.id) if is_made or has_failed else None
        return ShownVideo(
            video=video,
            thumbnails=self._thumbnails(here, video),
            view_count=view_count,
            progress=found.progress if found and is_made else None,
            place=place_of(found, places) if found else None,
            failure=(found.failure_reason or "") if found and has_failed else "",
        )

    def _details(self, here: OrganizationVisit, video_id: str) -> Video | None:
        try:
            return self.catalog.details(here.caller, here.org_id, video_id)
        except VideoNotFoundError:
            return None


def place_of(video: Video, places: Mapping[str, int]) -> int | None:
    """
    Return a video's position in the queue for an encoder; None once its encoding has begun.

    Args:
        places: The positions of waiting videos by their ids.
    """
    is_waiting = video.state is VideoState.TRANSCODING and video.progress == 0
    return places.get(video.id) if is_waiting else None


def _summary(video: Video) -> VideoSummary:
    return VideoSummary(
        id=video.id,
        public_id=video.public_id,
        name=video.name,
        description=video.description,
        state=video.state,
        is_public=video.is_public,
        preset=video.settings.preset,
        created_at=video.created_at,
        duration_s=video.duration_s,
        labels=video.labels,
    )
