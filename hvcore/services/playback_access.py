"""
Who may watch which video: the one place that decides it.

Source: interface, "Authentication", 7 and 8, and "Delivery".
"""

from collections.abc import Collection, Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import is_video_id
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import VideoState
from hvcore.errors import ForbiddenError, UnauthorizedError, VideoNotFoundError
from hvcore.playback_tokens import KeyRing, PlaybackClaims, TokenUse
from hvcore.ports.playback import PlaybackDirectory
from hvcore.services.page_domains import is_page_listed

NOT_SIGNED: Final = "This video needs a playback token: ?token=…"
SIGNED_TWICE: Final = "Send one playback token, not several."
OTHER_VIDEO: Final = "The playback token was made for another video."
OTHER_USE: Final = "The playback token does not open this."
OTHER_PAGE: Final = "The playback token may not be used on this page."


@attrs.frozen(kw_only=True)
class Viewer:
    """
    What a request shows of the one who asks.

    Attributes:
        tokens: Every ``token`` of the query.
    """

    tokens: tuple[str, ...] = attrs.field(default=(), repr=False)
    origin: str | None = None
    referer: str | None = None


@attrs.frozen(kw_only=True)
class Playable:
    """
    A video that may be served now.

    Attributes:
        poster_path: Storage path of its picture, if it has one.
        claims: What the token says, where one was needed.
    """

    id: str
    public_id: str
    org_id: str
    env_id: str
    name: str
    is_public: bool
    media: MediaIndex
    media_root: str
    poster_path: str | None
    claims: PlaybackClaims | None = None


@attrs.frozen(kw_only=True)
class PlaybackAccess:
    """
    Decide whether a video may be served to a viewer.

    Every decision reads the video's state anew, so that a delete that was
    answered is obeyed by the next request.

    Attributes:
        player_origin: Scheme, host and port of ``player_url``. Requests of
            the embed page come from there whatever page embeds it; the page
            itself was checked against ``domains`` when it was opened.
    """

    directory: PlaybackDirectory
    key_ring: KeyRing
    clock: Clock
    player_origin: str | None = None

    def public(self, org: str, env: str, video: str) -> Playable:
        """
        Return the video of a public path.

        Args:
            env: The environment's id or its short name.

        Raises:
            VideoNotFoundError: Not there, or not of this environment.
            ForbiddenError: It is private.
        """
        found = self._find(video, org=org, env=env)
        if found is None:
            raise VideoNotFoundError
        if not found.is_public:
            raise ForbiddenError(
                "This video is private; request a signed URL to play it."
            )
        return found

    def private(
        self, video: str, viewer: Viewer, uses: Collection[TokenUse]
    ) -> Playable:
        """
        Return the video that the viewer's token opens.

        The token is judged before anything is looked up: who has none that
        is good for this video learns nothing about it, not even whether it
        exists.

        Raises:
            UnauthorizedError: No token, or one that is broken or expired.
            ForbiddenError: A token for another video, use or page.
            VideoNotFoundError: The video is not there (any more).
        """
        claims = self.claims(viewer)
        if not claims.names(video):
            raise ForbiddenError(OTHER_VIDEO)
        if claims.use not in uses:
            raise ForbiddenError(OTHER_USE)
        if claims.domains and not self.is_page_allowed(claims.domains, viewer):
            raise ForbiddenError(OTHER_PAGE)
        found = self._find(claims.video_id, public_id=claims.public_id)
        if found is None:
            raise VideoNotFoundError
        return attrs.evolve(found, claims=claims)

    def either(
        self, video: str, viewer: Viewer, uses: Collection[TokenUse]
    ) -> Playable:
        """
        Return a public video to everybody, a private one for its token.

        Raises:
            UnauthorizedError: As in private.
            ForbiddenError: As in private.
            VideoNotFoundError: As in private.
        """
        found = self._find(video)
        if found is not None and found.is_public:
            return found
        if found is None and not viewer.tokens:
            raise VideoNotFoundError
        return self.private(video, viewer, uses)

    def ready(self, video: str) -> Playable:
        """
        Return a video to who was let in by other means than a token.

        Raises:
            VideoNotFoundError: No such video, or none that is ready.
        """
        found = self._find(video)
        if found is None:
            raise VideoNotFoundError
        return found

    def is_deleted(self, video: str) -> bool:
        """
        Tell whether a video is gone for good.
        """
        entry = self.directory.find(video)
        return entry is None or entry.state is VideoState.DELETED

    def claims(self, viewer: Viewer) -> PlaybackClaims:
        """
        Return what the viewer's one token says.

        Raises:
            UnauthorizedError: No token, several, or one that is broken or
                expired.
        """
        if not any(viewer.tokens):
            raise UnauthorizedError(NOT_SIGNED)
        if len(viewer.tokens) > 1:
            # Two readers of one address could each see another token.
            raise UnauthorizedError(SIGNED_TWICE)
        return self.key_ring.verify(viewer.tokens[0], self.clock.now())

    def is_page_allowed(self, domains: Sequence[str], viewer: Viewer) -> bool:
        """
        Tell whether a request comes from a listed page, or from our player.
        """
        page = viewer.origin if viewer.origin is not None else viewer.referer
        own = self.player_origin
        if own is not None and page is not None and f"{page}/".startswith(f"{own}/"):
            return True
        return is_page_listed(domains, origin=viewer.origin, referer=viewer.referer)

    def _find(
        self,
        video: str,
        *,
        org: str | None = None,
        env: str | None = None,
        public_id: str | None = None,
    ) -> Playable | None:
        entry = self.directory.find(video) if is_video_id(video) else None
        if entry is None or entry.state is not VideoState.READY:
            return None
        if entry.media is None or entry.media_root is None:
            return None
        if org not in {None, entry.org_id}:
            return None
        if env not in {None, entry.env_id, entry.env_name}:
            return None
        if public_id not in {None, entry.public_id}:
            return None
        made = entry.media.poster
        return Playable(
            id=entry.id,
            public_id=entry.public_id,
            org_id=entry.org_id,
            env_id=entry.env_id,
            name=entry.name,
            is_public=entry.is_public,
            media=entry.media,
            media_root=entry.media_root,
            poster_path=entry.poster_path
            or (f"{entry.media_root}/{made}" if made else None),
        )
