"""
Serve videos to viewers whose address contains an edge key.

Source: the interface document, "Delivery", embed by edge key.
"""

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import is_edge_key_id
from hvcore.domain.links.links import EdgeKey
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import ForbiddenError, NotFoundError
from hvcore.manifests.hls import MASTER
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.services.links.link_pages import LinkedVideo, LinkPages
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.delivery import Delivery, PlaybackPermission
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import PlaybackResponse
from hvcore.settings import PublicSettings

OVER = "This edge key has expired or was revoked."
OTHER_PAGE = "This edge key may not be used on this page."


@attrs.frozen(kw_only=True)
class EdgeKeyPlayback:
    """
    Serve the files of a video by edge key, and describe its player page.

    The key is looked up for every request, so that a revocation that was
    answered is obeyed by the next one.
    """

    directory: PlaybackDirectory
    access: PlaybackAuthorization
    delivery: Delivery
    pages: LinkPages
    public: PublicSettings
    clock: Clock

    def open(self, edge_key: str, file: str, viewer: Viewer) -> PlaybackResponse:
        """
        Return the response with a file of the video that an edge key opens.

        Args:
            file: The file's path within the published video, such as ``master.m3u8``.

        Raises:
            NotFoundError: No such key, or the video has no such file.
            ForbiddenError: The key has expired or is revoked, or the page is not listed.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key, video = self._let_in(edge_key, viewer)
        # What shared caches keep, they would serve after a revocation.
        permission = PlaybackPermission(viewer=viewer, ends_at=key.expires_at)
        return self.delivery.serve(video, file, permission)

    def describe(self, edge_key: str, viewer: Viewer) -> LinkedVideo:
        """
        Return the facts about a video that the player page of an edge key shows.

        Raises:
            NotFoundError: No such key.
            ForbiddenError: The key has expired or is revoked, or the page is not listed.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key, video = self._let_in(edge_key, viewer)
        return self.pages.show(
            video,
            master=f"{self.public.player_url}/v1/{key.id}/{MASTER}",
            domains=key.domains,
        )

    def let_in(self, edge_key: str, viewer: Viewer) -> Playable:
        """
        Return the video that an edge key opens to a viewer.

        Raises:
            NotFoundError: No such key.
            ForbiddenError: The key has expired or is revoked, or the page is not listed.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        _, video = self._let_in(edge_key, viewer)
        return video

    def find(self, edge_key: str) -> tuple[EdgeKey, Playable]:
        """
        Return a valid edge key and its video, without checking the viewer's page.

        Raises:
            NotFoundError: No such key.
            ForbiddenError: The key has expired or is revoked.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key = self._key(edge_key)
        return key, self.access.ready(key.video_id)

    def _let_in(self, edge_key: str, viewer: Viewer) -> tuple[EdgeKey, Playable]:
        key = self._key(edge_key)
        if key.domains and not self.access.is_page_allowed(key.domains, viewer):
            raise ForbiddenError(OTHER_PAGE, rule=PlaybackRule.PAGE_NOT_LISTED)
        passed(PlaybackRule.PAGE_NOT_LISTED)
        return key, self.access.ready(key.video_id)

    def _key(self, edge_key: str) -> EdgeKey:
        key = None
        if is_edge_key_id(edge_key):
            key = self.directory.find_edge_key(edge_key)
        if key is None:
            raise NotFoundError(rule=PlaybackRule.EDGE_KEY_UNKNOWN)
        passed(PlaybackRule.EDGE_KEY_UNKNOWN)
        now = self.clock.now()
        if key.is_revoked_at(now):
            raise ForbiddenError(OVER, rule=PlaybackRule.EDGE_KEY_REVOKED)
        if key.is_expired_at(now):
            raise ForbiddenError(OVER, rule=PlaybackRule.EDGE_KEY_EXPIRED)
        passed(PlaybackRule.EDGE_KEY_REVOKED, PlaybackRule.EDGE_KEY_EXPIRED)
        return key
