"""
Serve videos to the viewers of share links, one view for each session.

Source: the interface document, "share"; docs/decisions/0010. A session is a token in every
address of the playlist that began it. Each request looks the link up again, so
that a revocation that was answered is obeyed by the next one.
"""

from datetime import datetime
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import PublicId, VideoId, is_share_link_id
from hvcore.domain.limits import SHARE_SESSION_VALID_S
from hvcore.domain.links.links import ShareLink
from hvcore.domain.playback.decision import passed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.errors import (
    ForbiddenError,
    NotFoundError,
    UnauthorizedError,
    VideoNotFoundError,
)
from hvcore.manifests.hls import MASTER
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.links.link_pages import LinkedVideo, LinkPages
from hvcore.services.playback.authorization import OTHER_USE, PlaybackAuthorization
from hvcore.services.playback.delivery import Delivery, PlaybackPermission
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.settings import PublicSettings

OVER: Final = "This share link has expired, was revoked, or has no views left."
NO_SESSION: Final = "Begin with the share link's master playlist."
NOT_NAMED: Final = (
    "This share link is for one viewer; open its page and confirm the e-mail address."
)


class ShareLinkOverError(ForbiddenError):
    """The share link has expired, was revoked or has no views left; it will never play again."""

    default_detail = OVER


class ViewerUnknownError(ForbiddenError):
    """The share link is for one viewer, and the request does not prove to be from that viewer."""

    default_detail = NOT_NAMED


@attrs.frozen(kw_only=True)
class SharedVideo:
    """
    The facts about a video that the page of a share link shows.

    Attributes:
        views_left: The number of sessions that may still begin; None if any number may.
        has_captions: Whether there are captions, of which the page can show a transcript.
    """

    video: LinkedVideo
    expires_at: datetime
    views_left: int | None
    has_captions: bool


@attrs.frozen(kw_only=True)
class ShareLinkPlayback:
    """Serve the files of a video by share link, and describe its player page."""

    uow: UnitOfWork
    directory: PlaybackDirectory
    access: PlaybackAuthorization
    delivery: Delivery
    key_ring: KeyRing
    pages: LinkPages
    public: PublicSettings
    clock: Clock

    def open(
        self, share_id: str, file: str, viewer: Viewer, *, begins: bool
    ) -> PlaybackResponse:
        """
        Return the response with a file of the video that a share link opens.

        The master playlist without a session's token begins a session.

        Args:
            begins: Whether a new session uses a view; False for HEAD, which only
                asks whether one could begin.

        Raises:
            NotFoundError: No such link, or the video has no such file.
            UnauthorizedError: A token that is broken or has expired, or a
                file without one.
            ShareLinkOverError: The link has expired or is revoked, or no view is left.
            ViewerUnknownError: The link is for a viewer who has not confirmed.
            ForbiddenError: The token is of another share link, or of another use.
            VideoNotFoundError: The video is not ready.
        """
        share, video = self.find(share_id)
        use = self._use(share, viewer)
        if use is TokenUse.SHARE:
            permission = PlaybackPermission(
                viewer=viewer, token=viewer.tokens[0], ends_at=share.expires_at
            )
            return self.delivery.serve(video, file, permission)
        if file != MASTER:
            raise UnauthorizedError(NO_SESSION, rule=PlaybackRule.SHARE_SESSION_MISSING)
        passed(PlaybackRule.SHARE_SESSION_MISSING)
        if share.viewer_email is not None and use is not TokenUse.SHARE_VIEWER:
            raise ViewerUnknownError(rule=PlaybackRule.SHARE_VIEWER_UNKNOWN)
        passed(PlaybackRule.SHARE_VIEWER_UNKNOWN)
        return self._begin(share, video, viewer, begins=begins)

    def describe(self, share_id: str) -> SharedVideo:
        """
        Return the facts that a share link's page shows to any viewer; this uses no view.

        Raises:
            NotFoundError: No such link.
            ShareLinkOverError: The link has expired or is revoked, or no view is left.
            ViewerUnknownError: The link is for a viewer who has to confirm first.
            VideoNotFoundError: The video is not ready.
        """
        share, video = self.find_beginning(share_id)
        if share.viewer_email is not None:
            raise ViewerUnknownError(rule=PlaybackRule.SHARE_VIEWER_UNKNOWN)
        return self.show(share, video)

    def show(
        self, share: ShareLink, video: Playable, *, viewer_token: str = ""
    ) -> SharedVideo:
        """
        Return the facts that a share link's page shows to a viewer who may begin a session.

        Args:
            viewer_token: The token that ``recognise`` returned for the viewer; empty if the
                link is not for one viewer.
        """
        master = f"{self.public.worker_url}/v1/share/{share.id}/{MASTER}"
        if viewer_token:
            master += f"?token={viewer_token}"
        views_left = None
        if share.max_views is not None:
            views_left = max(0, share.max_views - share.views)
        return SharedVideo(
            video=self.pages.show(video, master=master),
            expires_at=share.expires_at,
            views_left=views_left,
            has_captions=bool(self.directory.captions(VideoId(video.id))),
        )

    def recognise(self, share: ShareLink, video: Playable, valid_s: int) -> str:
        """
        Return a token with which a viewer whose password or code was checked begins sessions of a share link.

        Args:
            valid_s: How many seconds the token is valid.
        """
        return self._issue(share, video, TokenUse.SHARE_VIEWER, valid_s)

    def is_recognised(self, share: ShareLink, token: str) -> bool:
        """Return whether a token is valid and was returned by ``recognise`` for this share link."""
        try:
            claims = self.key_ring.verify(token, self._now())
        except UnauthorizedError:
            return False
        return claims.use is TokenUse.SHARE_VIEWER and claims.share_id == share.id

    def find_beginning(self, share_id: str) -> tuple[ShareLink, Playable]:
        """
        Return a share link with which a playback session may begin, and its video.

        Raises:
            NotFoundError: No such link.
            ShareLinkOverError: The link has expired, is revoked or has no view left, or
                its video is deleted. VideoNotFoundError: The video is not ready.
        """
        share, video = self.find(share_id)
        self._require_view(share)
        return share, video

    def find(self, share_id: str) -> tuple[ShareLink, Playable]:
        """
        Return a valid share link and its video; this uses no view.

        Raises:
            NotFoundError: No such link.
            ShareLinkOverError: The link has expired or is revoked, or its video is deleted.
            VideoNotFoundError: The video is not ready.
        """
        share = None
        if is_share_link_id(share_id):
            share = self.directory.find_share_link(share_id)
        if share is None:
            raise NotFoundError(rule=PlaybackRule.SHARE_UNKNOWN)
        passed(PlaybackRule.SHARE_UNKNOWN)
        self._require_time(share)
        try:
            return share, self.access.ready(share.video_id)
        except VideoNotFoundError as exc:
            if self.access.is_deleted(share.video_id):
                raise ShareLinkOverError(rule=exc.rule) from None
            raise

    def _require_time(self, share: ShareLink) -> None:
        now = self._now()
        if share.is_revoked_at(now):
            raise ShareLinkOverError(rule=PlaybackRule.SHARE_REVOKED)
        if not share.is_valid_at(now):
            raise ShareLinkOverError(rule=PlaybackRule.SHARE_EXPIRED)
        passed(PlaybackRule.SHARE_REVOKED, PlaybackRule.SHARE_EXPIRED)

    def _use(self, share: ShareLink, viewer: Viewer) -> TokenUse | None:
        if not viewer.tokens:
            return None
        claims = self.access.claims(viewer)
        if claims.share_id != share.id or not claims.names(share.video_id):
            raise ForbiddenError(OTHER_USE, rule=PlaybackRule.TOKEN_OTHER_SHARE)
        passed(PlaybackRule.TOKEN_OTHER_SHARE)
        return claims.use

    def _begin(
        self, share: ShareLink, video: Playable, viewer: Viewer, *, begins: bool
    ) -> PlaybackResponse:
        left_s = int((share.expires_at - self._now()).total_seconds())
        valid_s = max(1, min(left_s, SHARE_SESSION_VALID_S))
        token = self._issue(share, video, TokenUse.SHARE, valid_s)
        # Before the view is used: what cannot be answered costs none.
        permission = PlaybackPermission(viewer=viewer, token=token)
        response = self.delivery.serve(video, MASTER, permission)
        if begins:
            self._take_view(share)
        else:
            self._require_view(share)
        return attrs.evolve(response, lifetime=Lifetime.ONCE)

    def _take_view(self, share: ShareLink) -> None:
        with self.uow.write() as work:
            is_taken = work.shares.take_view(share.id, self._now())
            work.commit()
        if not is_taken:
            raise ShareLinkOverError(rule=PlaybackRule.SHARE_USED_UP)

    def _require_view(self, share: ShareLink) -> None:
        if not share.has_views_left:
            raise ShareLinkOverError(rule=PlaybackRule.SHARE_USED_UP)
        passed(PlaybackRule.SHARE_USED_UP)

    def _issue(
        self, share: ShareLink, video: Playable, use: TokenUse, valid_s: int
    ) -> str:
        return self.key_ring.issue(
            video_id=VideoId(video.id),
            public_id=PublicId(video.public_id),
            valid_s=valid_s,
            use=use,
            share_id=share.id,
            now=self._now(),
        )

    def _now(self) -> datetime:
        return self.clock.now()
