"""
Serve videos by an edge key in the address.

Source: interface, "Delivery", embed by edge key.
"""

import attrs

from hvcore.domain.ids import is_edge_key_id
from hvcore.domain.links.links import EdgeKey
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import ForbiddenError, NotFoundError
from hvcore.manifests.hls import MASTER
from hvcore.services.links.link_pages import LinkedVideo, LinkPages
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import PlaybackResponse

OVER = "This edge key has expired or was revoked."
OTHER_PAGE = "This edge key may not be used on this page."


@attrs.frozen(kw_only=True)
class EdgeKeyPlayback:
    """
    Playlists and segments by edge key, and what its page shows.

    The key is looked up for every request, so that a revocation that was
    answered is obeyed by the next one.
    """

    delivery: Delivery
    pages: LinkPages

    def open(self, edge_key: str, file: str, viewer: Viewer) -> PlaybackResponse:
        """
        Return a file of the key's video.

        Raises:
            NotFoundError: No such key, or the video has no such file.
            ForbiddenError: The key is over, or the page is not listed.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key, video = self._let_in(edge_key, viewer)
        # What shared caches keep, they would serve after a revocation.
        return self.delivery.serve(
            video,
            file,
            token=None,
            is_public=False,
            viewer=viewer,
            ends_at=key.expires_at,
        )

    def describe(self, edge_key: str, viewer: Viewer) -> LinkedVideo:
        """
        Return the content of an edge key's player page.

        Raises:
            NotFoundError: No such key.
            ForbiddenError: The key is over, or the page is not listed.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key, video = self._let_in(edge_key, viewer)
        return self.pages.show(
            video,
            master=f"{self.pages.public.player_url}/v1/{key.id}/{MASTER}",
            domains=key.domains,
        )

    def find(self, edge_key: str) -> tuple[EdgeKey, Playable]:
        """
        Return a key valid and its video, to who checks the page himself.

        Raises:
            NotFoundError: No such key.
            ForbiddenError: The key is over.
            VideoNotFoundError: The video is not ready, or it is deleted.
        """
        key = self._key(edge_key)
        return key, self.delivery.access.ready(key.video_id)

    def _let_in(self, edge_key: str, viewer: Viewer) -> tuple[EdgeKey, Playable]:
        access = self.delivery.access
        key = self._key(edge_key)
        if key.domains and not access.is_page_allowed(key.domains, viewer):
            raise ForbiddenError(OTHER_PAGE, rule=PlaybackRule.PAGE_NOT_LISTED)
        passed(PlaybackRule.PAGE_NOT_LISTED)
        return key, access.ready(key.video_id)

    def _key(self, edge_key: str) -> EdgeKey:
        access = self.delivery.access
        key = None
        if is_edge_key_id(edge_key):
            key = access.directory.find_edge_key(edge_key)
        if key is None:
            raise NotFoundError(rule=PlaybackRule.EDGE_KEY_UNKNOWN)
        passed(PlaybackRule.EDGE_KEY_UNKNOWN)
        now = access.clock.now()
        if key.is_revoked_at(now):
            raise ForbiddenError(OVER, rule=PlaybackRule.EDGE_KEY_REVOKED)
        if key.is_expired_at(now):
            raise ForbiddenError(OVER, rule=PlaybackRule.EDGE_KEY_EXPIRED)
        passed(PlaybackRule.EDGE_KEY_REVOKED, PlaybackRule.EDGE_KEY_EXPIRED)
        return key
