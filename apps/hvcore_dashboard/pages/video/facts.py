"""The facts that a video's first dashboard page shows besides the stored record of the video."""

import re
from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.processing.conformance_reports import ConformanceReport
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.analytics.counts import Analytics
from hvcore.services.playback.downloads.names import downloads_of
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.services.processing.conformance_reports import ConformanceReports
from hvcore.services.tasks.waiting_videos import WaitingVideos
from hvcore.services.videos.ladders import Ladders
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.videos.shown import place_of
from hvcore_dashboard.security import ContentPolicy
from hvcore_dashboard.visits import OrganizationVisit

_MOMENT: Final = re.compile(r"[0-9]{1,6}")
"""Of a moment in the address of a video's page: seconds."""
PLAYER_VALID_S: Final = 4 * 3600
"""The validity of the player's token in seconds; the player asks for a new one in time."""


def policy_of_player(desk: Desk) -> ContentPolicy:
    """Return the Content-Security-Policy origins of a page that embeds the service's player."""
    player = origin_of(desk.services.settings.public.player_url)
    return ContentPolicy(frames=(player,) if player else ())


@attrs.frozen(kw_only=True)
class VideoFacts:
    """Collects a video's views, renditions, conformance report and job for its first page."""

    analytics: Analytics
    conformance_reports: ConformanceReports
    ladders: Ladders
    playback: SignedUrls
    uow: UnitOfWork
    waiting: WaitingVideos

    @classmethod
    def of(cls, desk: Desk) -> "VideoFacts":
        """Return the collector of facts that reads from the dashboard's services."""
        services = desk.services
        return cls(
            analytics=services.analytics,
            conformance_reports=services.conformance_reports,
            ladders=services.ladders,
            playback=services.playback,
            uow=services.uow,
            waiting=services.waiting_videos,
        )

    def shown(
        self, here: OrganizationVisit, video: Video, *, for_operator: bool
    ) -> Mapping[str, object]:
        """
        Return a video's facts, as values for the template ``video/overview.html``.

        Args:
            for_operator: Whether the facts include the transcoder that encodes the video, and the
                rule by which it was chosen.
        """
        envs = {env.id: env.shown_name for env in here.environments}
        is_ready = video.state is VideoState.READY
        return {
            "video": video,
            "place": place_of(video, self.waiting.places(here.org_id))
            if video.state is VideoState.TRANSCODING
            else None,
            "env_name": envs.get(video.env_id, ""),
            "player_url": self.player_url(here, video),
            "downloads": downloads_of(video.media)
            if video.allows_download and video.media
            else (),
            "view_count": self.analytics.views([video])[video.id],
            "ladder": self.ladders.of_video(here.caller, here.org_id, video.id)
            if is_ready
            else (),
            "report": self._report(video),
            "job": self._job(video) if for_operator else None,
        }

    def _job(self, video: Video) -> TranscodeJob | None:
        if video.job_id is None:
            return None
        with self.uow.read() as work:
            return work.jobs.find(video.job_id)

    def player_url(self, here: OrganizationVisit, video: Video) -> str:
        """Return the address of a video's player page; empty before the video is ready."""
        if video.state is not VideoState.READY:
            return ""
        if video.is_public:
            return self.playback.addresses(video, BEST_THUMBNAIL_PX).embed
        signed = self.playback.sign(
            here.caller, here.org_id, video.id, expires_in_s=PLAYER_VALID_S
        )
        return signed.addresses.embed

    def player_url_at(
        self, here: OrganizationVisit, video: Video, moment: str | None
    ) -> str:
        """
        Return the address of a video's player page that begins at a moment.

        Args:
            moment: The seconds, as an address of ours has them; anything else is the beginning.
        """
        url = self.player_url(here, video)
        if not url or moment is None or not _MOMENT.fullmatch(moment):
            return url
        return f"{url}{'&' if '?' in url else '?'}t={moment}"

    def _report(self, video: Video) -> ConformanceReport | None:
        try:
            return self.conformance_reports.find(video)
        except UnavailableError:
            # The page is of use without it.
            return None
