"""
Who may watch which video: the one place that decides it.

Source: interface, "Authentication", 7 and 8, and "Delivery".
"""

from collections.abc import Collection, Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import is_video_id
from hvcore.domain.judgement import kept
from hvcore.domain.playback_rules import PlaybackRule
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import VideoState
from hvcore.errors import ForbiddenError, UnauthorizedError, VideoNotFoundError
from hvcore.playback_tokens import KeyRing, PlaybackClaims, TokenUse
from hvcore.ports.playback import PlaybackDirectory, PlaybackEntry
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
        found = self._find(video, environment=(org, env))
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
        if not found.is_public:
            raise ForbiddenError(
                "This video is private; request a signed URL to play it.",
                rule=PlaybackRule.PRIVATE_ON_PUBLIC_PATH,
            )
        kept(PlaybackRule.PRIVATE_ON_PUBLIC_PATH)
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
            raise ForbiddenError(OTHER_VIDEO, rule=PlaybackRule.TOKEN_OTHER_VIDEO)
        kept(PlaybackRule.TOKEN_OTHER_VIDEO)
        if claims.use not in uses:
            raise ForbiddenError(OTHER_USE, rule=PlaybackRule.TOKEN_OTHER_USE)
        kept(PlaybackRule.TOKEN_OTHER_USE)
        if claims.domains and not self.is_page_allowed(claims.domains, viewer):
            raise ForbiddenError(OTHER_PAGE, rule=PlaybackRule.PAGE_NOT_LISTED)
        kept(PlaybackRule.PAGE_NOT_LISTED)
        found = self._find(claims.video_id)
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
        if found.public_id != claims.public_id:
            # Of another installation that signs with the same key.
            raise VideoNotFoundError(rule=PlaybackRule.TOKEN_OTHER_VIDEO)
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
        if isinstance(found, PlaybackRule):
            if not viewer.tokens:
                raise VideoNotFoundError(rule=found)
        elif found.is_public:
            return found
        return self.private(video, viewer, uses)

    def ready(self, video: str) -> Playable:
        """
        Return a video to who was let in by other means than a token.

        Raises:
            VideoNotFoundError: No such video, or none that is ready.
        """
        found = self._find(video)
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
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
            raise UnauthorizedError(NOT_SIGNED, rule=PlaybackRule.TOKEN_MISSING)
        if len(viewer.tokens) > 1:
            # Two readers of one address could each see another token.
            raise UnauthorizedError(SIGNED_TWICE, rule=PlaybackRule.TOKEN_SEVERAL)
        kept(PlaybackRule.TOKEN_MISSING, PlaybackRule.TOKEN_SEVERAL)
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
        self, video: str, *, environment: tuple[str, str] | None = None
    ) -> Playable | PlaybackRule:
        """
        Return a video that is ready, or the rule that keeps it from being served.
        """
        entry = self.directory.find(video) if is_video_id(video) else None
        if entry is None:
            return PlaybackRule.VIDEO_UNKNOWN
        kept(PlaybackRule.VIDEO_UNKNOWN)
        if environment is not None:
            org, env = environment
            if org != entry.org_id or env not in {entry.env_id, entry.env_name}:
                return PlaybackRule.WRONG_ENVIRONMENT
            kept(PlaybackRule.WRONG_ENVIRONMENT)
        return _playable(entry)


def _playable(entry: PlaybackEntry) -> Playable | PlaybackRule:
    if entry.state is VideoState.DELETED:
        return PlaybackRule.VIDEO_DELETED
    kept(PlaybackRule.VIDEO_DELETED)
    if entry.state is VideoState.FAILED:
        return PlaybackRule.VIDEO_FAILED
    kept(PlaybackRule.VIDEO_FAILED)
    is_ready = entry.state is VideoState.READY
    if not is_ready or entry.media is None or entry.media_root is None:
        return PlaybackRule.VIDEO_NOT_READY
    kept(PlaybackRule.VIDEO_NOT_READY)
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
