"""The head and the tabs that all pages of a video share."""

from collections.abc import Mapping
from typing import Final

import attrs
import falcon

from hvcore.domain.ids import is_video_id
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.services.videos.catalog import Catalog
from hvcore_dashboard.answers import Answers
from hvcore_dashboard.deleted_meanwhile import DeletedMeanwhileError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.security import PLAIN, ContentPolicy
from hvcore_dashboard.visits import OrganizationVisit, organization_of


@attrs.frozen
class VideoTab:
    """
    A tab of a video: one of its pages.

    Attributes:
        path: The page's path below the video's path; empty for the first tab.
    """

    path: str
    title: str


TABS: Final = (
    VideoTab("", "Overview"),
    VideoTab("sharing", "Sharing"),
    VideoTab("embed", "Embed"),
    VideoTab("chapters", "Chapters"),
    VideoTab("captions", "Captions"),
    VideoTab("picture", "Picture"),
    VideoTab("analytics", "Analytics"),
    VideoTab("events", "Events"),
    VideoTab("explain", "Explain"),
)


@attrs.frozen(kw_only=True)
class VideoTabs:
    """Finds the video of a request, and answers with one of the video's pages."""

    answers: Answers
    catalog: Catalog

    @classmethod
    def of(cls, desk: Desk) -> "VideoTabs":
        """Return the answers with pages of a video, made of the dashboard's services."""
        return cls(answers=desk.answers, catalog=desk.services.catalog)

    def video(self, req: falcon.Request, video_id: str) -> Video:
        """
        Return the video in the request's address, even if its file has not arrived yet.

        Raises:
            VideoNotFoundError: The organization has no such video.
            DeletedMeanwhileError: A form was sent, and the video is deleted.
        """
        here = organization_of(req)
        # A database never sees what cannot be an id.
        if not is_video_id(video_id):
            raise VideoNotFoundError
        try:
            return self.catalog.details(here.caller, here.org_id, video_id)
        except VideoNotFoundError:
            if req.method == "POST":
                # Who has filled in a form is told what has become of it.
                self._require_not_deleted(here, video_id)
            raise

    def arrived(self, req: falcon.Request, video_id: str) -> Video:
        """
        Return the video in the request's address, if its file has arrived.

        Raises:
            VideoNotFoundError: The organization has no such video, or its file is missing yet.
            DeletedMeanwhileError: A form was sent, and the video is deleted.
        """
        video = self.video(req, video_id)
        if video.state is VideoState.AWAITING_UPLOAD:
            raise VideoNotFoundError
        return video

    def deleted(self, req: falcon.Request, video_id: str) -> Video | None:
        """Return the video in the request's address if it is deleted; None if it is not, or unknown."""
        here = organization_of(req)
        if not is_video_id(video_id):
            return None
        try:
            return self.catalog.deleted(here.caller, here.org_id, video_id)
        except VideoNotFoundError:
            return None

    def _require_not_deleted(self, here: OrganizationVisit, video_id: str) -> None:
        found = self.catalog.deleted(here.caller, here.org_id, video_id)
        if found is not None:
            is_restorable = found.is_restorable(self.catalog.clock.now())
            raise DeletedMeanwhileError(is_restorable=is_restorable)

    def show(  # noqa: PLR0913 - the parts of an answer
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        tab: str,
        values: Mapping[str, object],
        *,
        policy: ContentPolicy = PLAIN,
    ) -> None:
        """
        Answer with a page of a video.

        Args:
            tab: The path of one of ``TABS``, which is also the name of its template.
            values: The values for the template.
            policy: The origins from which this page loads, besides those of every page.
        """
        shown = {"video": video, "tabs": TABS, "tab": tab, **values}
        template = f"video/{tab or 'overview'}.html"
        self.answers.page(req, resp, template, shown, policy=policy)

    def go(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        tab: str,
        message: str,
    ) -> None:
        """
        Redirect the browser to a page of a video, after a change.

        Args:
            tab: The path of one of ``TABS``.
            message: A message that the page shows once.
        """
        parts = ("videos", video.id, tab) if tab else ("videos", video.id)
        address = self.answers.address(req, *parts)
        self.answers.go(req, resp, address, message=message)
