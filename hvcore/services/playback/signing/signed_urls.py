"""
Sign playback addresses with tokens.

Source: the interface document, "signed-url" and "Authentication", 7.
"""

from collections.abc import Sequence

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.playback.addresses import (
    TOKEN_PLACEHOLDER,
    PlaybackAddresses,
    PlaybackRoots,
)
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.catalog import VideoSummary
from hvcore.domain.videos.moments import PictureFormat
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, thumbnail_name
from hvcore.domain.videos.video import Video
from hvcore.errors import ConflictError
from hvcore.playback_tokens import KeyRing, TokenUse
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.downloads.joined_files import NAMED
from hvcore.services.playback.downloads.names import downloads_of
from hvcore.services.playback.downloads.sources import source_name
from hvcore.services.playback.signing.token_domains import TokenDomains
from hvcore.services.playback.thumbnails.tokens import ThumbnailTokens
from hvcore.settings import PublicSettings


@attrs.frozen(kw_only=True)
class SignedPlayback:
    """
    The private playback addresses of a video, each with a token in it.

    Attributes:
        expires_in_s: Seconds until the token expires.
    """

    addresses: PlaybackAddresses = attrs.field(repr=False)
    expires_in_s: int

    @property
    def url(self) -> str:
        """The signed address of the video's master playlist."""
        return self.addresses.playlist


@attrs.frozen(kw_only=True)
class SignedSource:
    """
    The address of a video's source file, with a token in it.

    Attributes:
        expires_in_s: Seconds until the token expires.
    """

    url: str = attrs.field(repr=False)
    expires_in_s: int


@attrs.frozen(kw_only=True)
class SignedUrls:
    """Issue playback tokens, and make the addresses of videos that contain them."""

    uow: UnitOfWork
    key_ring: KeyRing
    public: PublicSettings
    clock: Clock
    _thumbnails: ThumbnailTokens = attrs.field(init=False, repr=False)
    _tokens: TokenDomains = attrs.field(init=False, repr=False)

    @_thumbnails.default
    def _make_thumbnails(self) -> ThumbnailTokens:
        return ThumbnailTokens(self.key_ring)

    @_tokens.default
    def _make_tokens(self) -> TokenDomains:
        return TokenDomains(uow=self.uow, key_ring=self.key_ring, clock=self.clock)

    def forget_unused_domains(self) -> int:
        """Remove stored lists of domains that no valid token can name; return their number."""
        return self._tokens.forget_unused()

    def sign(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        *,
        expires_in_s: int,
        domains: Sequence[str] = (),
    ) -> SignedPlayback:
        """
        Return the private playback addresses of a video that is not deleted.

        Args:
            expires_in_s: How many seconds the token is valid.
            domains: The pages that may play the video; empty means every page.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
        token = self._tokens.issue(
            video_id=video.id,
            public_id=video.public_id,
            valid_s=expires_in_s,
            domains=domains,
        )
        private = self.roots(video.org_id, video.env_id).of(
            video.id, is_public=False, size_px=BEST_THUMBNAIL_PX
        )
        return SignedPlayback(
            addresses=private.opened_by(token), expires_in_s=expires_in_s
        )

    def addresses(self, video: Video, size_px: tuple[int, int]) -> PlaybackAddresses:
        """
        Return a video's playback addresses, with a placeholder for a token if it is private.

        Args:
            size_px: The width and height of the thumbnail.
        """
        roots = self.roots(video.org_id, video.env_id)
        return roots.of(video.id, is_public=video.is_public, size_px=size_px)

    def roots(self, org_id: str, env_id: str) -> PlaybackRoots:
        """Return the common beginnings of the playback addresses of an environment's videos."""
        return PlaybackRoots(
            worker_url=self.public.worker_url,
            player_url=self.public.player_url,
            org_id=org_id,
            env_id=env_id,
        )

    def sign_source(
        self, caller: Principal, org_id: str, video_id: str, *, expires_in_s: int
    ) -> SignedSource:
        """
        Return a signed address of the source file of a ready video.

        Args:
            expires_in_s: How many seconds the token is valid.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            ConflictError: The video is not ready.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            grant = work.grants.find_path(upload_path(video))
        if video.state is not VideoState.READY:
            raise ConflictError("The source can be taken once the video is ready.")
        name = source_name(
            grant.file_name if grant else "", grant.content_type if grant else None
        )
        token = self.key_ring.issue(
            video_id=video.id,
            public_id=video.public_id,
            now=self.clock.now(),
            valid_s=expires_in_s,
            use=TokenUse.SOURCE,
        )
        folder = self._folder(video, is_public=False)
        return SignedSource(
            url=f"{folder}/{name}?token={token}", expires_in_s=expires_in_s
        )

    def downloads(self, video: Video) -> list[tuple[str, str, str, str]]:
        """
        Return the downloads of a video: name, content type, address and language of each.

        The addresses of a private video contain a placeholder for a token.
        """
        if not video.allows_download or video.media is None:
            return []
        folder = self._folder(video, is_public=video.is_public)
        query = "" if video.is_public else f"?token={TOKEN_PLACEHOLDER}"
        return [
            (
                one.name,
                one.content_type,
                f"{folder}/{NAMED}/{one.name}{query}",
                one.language,
            )
            for one in downloads_of(video.media)
        ]

    def thumbnail_url(
        self,
        video: Video | VideoSummary,
        width_px: int,
        height_px: int,
        picture_format: PictureFormat = PictureFormat.JPEG,
    ) -> str:
        """Return the address of a video's thumbnail, with a token if the video is private."""
        name = thumbnail_name((width_px, height_px), picture_format)
        url = f"{self.public.worker_url}/t/{video.id}/{name}"
        if video.is_public:
            return url
        token = self._thumbnails.issue(video.id, video.public_id, self.clock.now())
        return f"{url}?token={token}"

    def _folder(self, video: Video, *, is_public: bool) -> str:
        roots = self.roots(video.org_id, video.env_id)
        return roots.folder(video.id, is_public=is_public)
