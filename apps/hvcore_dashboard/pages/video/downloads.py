"""The downloads of a video: redirects to signed addresses of its files."""

from typing import Final
from urllib.parse import parse_qs, urlsplit

import falcon

from hvcore.domain.playback.addresses import TOKEN_PLACEHOLDER
from hvcore.domain.videos.video import Video
from hvcore.errors import NotFoundError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import OrganizationVisit, organization_of

SOURCE: Final = "source"
"""The name of the uploaded file in addresses of the dashboard."""
DOWNLOAD_VALID_S: Final = 3600
"""The validity of a download's token in seconds; a request that has begun goes on after it."""


class VideoDownloadResource:
    """
    ``GET …/videos/{video}/download/{name}``: redirects to one of the video's files.

    The redirect's address has a new token, so that a page that stays open contains no token.
    """

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._playback = desk.services.playback

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        name: str,
        **_path: str,
    ) -> None:
        """
        Redirect to the uploaded file, or to an MP4 or audio file that viewers may download.

        Raises:
            ConflictError: The video is not ready.
            NotFoundError: There is no such file, or viewers may not download it.
        """
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        resp.status = falcon.HTTP_303
        if name == SOURCE:
            place = (here.caller, here.org_id, video.id)
            signed = self._playback.sign_source(*place, expires_in_s=DOWNLOAD_VALID_S)
            resp.location = signed.url
        else:
            resp.location = self._movie(here, video, name)

    def _movie(self, here: OrganizationVisit, video: Video, name: str) -> str:
        found = self._playback.downloads(video)
        url = next((url for known, _, url, _ in found if known == name), None)
        if url is None:
            raise NotFoundError
        if video.is_public:
            return url
        signed = self._playback.sign(
            here.caller, here.org_id, video.id, expires_in_s=DOWNLOAD_VALID_S
        )
        (token,) = parse_qs(urlsplit(signed.url).query)["token"]
        return url.replace(TOKEN_PLACEHOLDER, token)
