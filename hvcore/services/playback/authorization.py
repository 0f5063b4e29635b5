"""
Authorize viewers to watch videos, by their tokens and the state of the videos.

Source: the interface document, "Authentication", 7 and 8, and "Delivery".
"""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import is_signing_key_id, is_video_id
from hvcore.domain.playback.decision import is_followed, passed
from hvcore.domain.playback.page_domains import is_page_listed
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ForbiddenError, UnauthorizedError, VideoNotFoundError
from hvcore.playback_tokens import KeyRing, PlaybackClaims, TokenKey, TokenUse
from hvcore.playback_tokens.verifying import refused
from hvcore.ports.repositories.playback import PlaybackDirectory, PlaybackEntry
from hvcore.services.playback.authorization_cache import (
    Authorization,
    AuthorizationCache,
    AuthorizationKey,
)
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.signing.organization_keys import OrganizationKeys

NOT_SIGNED: Final = "This video needs a playback token: ?token=…"
SIGNED_TWICE: Final = "Send one playback token, not several."
OTHER_VIDEO: Final = "The playback token was made for another video."
OTHER_USE: Final = "The playback token does not open this."
OTHER_PAGE: Final = "The playback token may not be used on this page."


@attrs.frozen(kw_only=True)
class PlaybackAuthorization:
    """
    Decide whether a video may be served to a viewer.

    Every decision reads the video's state again, so that the next request obeys a delete that
    was answered. An earlier decision is reused only while the facts behind it are unchanged.

    Attributes:
        player_origin: Scheme, host and port of ``player_url``. Requests of the embed
            page name that page, whatever page embeds it; the embedding page was
            checked against ``domains`` when the embed page was opened.
    """

    directory: PlaybackDirectory
    key_ring: KeyRing
    organization_keys: OrganizationKeys
    clock: Clock
    player_origin: str | None = None
    _authorizations: AuthorizationCache = attrs.field(
        factory=AuthorizationCache, init=False, eq=False, repr=False
    )

    def public(self, org: str, env: str, video: str) -> Playable:
        """
        Return the video that a public path names, if it is public and ready.

        Args:
            env: The environment's id or its short name.

        Raises:
            VideoNotFoundError: There is no such video, or it is in another environment or
                not ready.
            ForbiddenError: The video is private.
        """
        key = (org, env, video)
        granted = self._recall(key)
        if granted is not None:
            return granted
        entry = self._entry(video)
        found = _judge(entry, environment=(org, env))
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
        if not found.is_public:
            raise ForbiddenError(
                "This video is private; request a signed URL to play it.",
                rule=PlaybackRule.PRIVATE_ON_PUBLIC_PATH,
            )
        passed(PlaybackRule.PRIVATE_ON_PUBLIC_PATH)
        self._authorizations.put(
            key, Authorization(video=video, entry=entry, playable=found)
        )
        return found

    def private(
        self, video: str, viewer: Viewer, uses: frozenset[TokenUse]
    ) -> Playable:
        """
        Return the video that the viewer's playback token opens, if it is ready.

        The token is checked first: without a valid token for this video a caller
        learns nothing about it, not even whether it exists.

        Args:
            uses: The uses of tokens that open the requested file.

        Raises:
            UnauthorizedError: No token, or one that is broken or expired.
            ForbiddenError: A token for another video, use or page.
            VideoNotFoundError: The video is not there (any more), or not ready.
        """
        key = (video, viewer.tokens, viewer.origin, viewer.referer, uses)
        granted = self._recall(key)
        if granted is not None:
            return granted
        claims = self.claims(viewer)
        if not claims.names(video):
            raise ForbiddenError(OTHER_VIDEO, rule=PlaybackRule.TOKEN_OTHER_VIDEO)
        passed(PlaybackRule.TOKEN_OTHER_VIDEO)
        if claims.use not in uses:
            raise ForbiddenError(OTHER_USE, rule=PlaybackRule.TOKEN_OTHER_USE)
        passed(PlaybackRule.TOKEN_OTHER_USE)
        claims = self._with_domains(claims)
        if claims.domains and not self.is_page_allowed(claims.domains, viewer):
            raise ForbiddenError(OTHER_PAGE, rule=PlaybackRule.PAGE_NOT_LISTED)
        passed(PlaybackRule.PAGE_NOT_LISTED)
        entry = self._entry(claims.video_id)
        if claims.signed_by is not None and (
            entry is None or entry.org_id != claims.signed_by.org_id
        ):
            # Alike, or it would tell whose videos there are.
            raise VideoNotFoundError(rule=PlaybackRule.TOKEN_OTHER_ORGANIZATION)
        if claims.signed_by is not None:
            passed(PlaybackRule.TOKEN_OTHER_ORGANIZATION)
        if entry is not None and not _is_audience(entry, claims):
            # Of another installation that signs with the same key.
            raise ForbiddenError(OTHER_VIDEO, rule=PlaybackRule.TOKEN_OTHER_VIDEO)
        found = _judge(entry, claims=claims)
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
        authorization = Authorization(
            video=claims.video_id, entry=entry, playable=found, ends_at=claims.ends_at
        )
        self._authorizations.put(key, authorization)
        return found

    def either(self, video: str, viewer: Viewer, uses: frozenset[TokenUse]) -> Playable:
        """
        Return a ready video: a public one to anybody, a private one only with its token.

        Args:
            uses: The uses of tokens that open the requested file.

        Raises:
            UnauthorizedError: The video is private, and there is no token, or a broken
                or expired one.
            ForbiddenError: The token is for another video, use or page.
            VideoNotFoundError: The video does not exist (any more), or is not ready.
        """
        found = _judge(self._entry(video))
        if isinstance(found, PlaybackRule):
            if not viewer.tokens:
                raise VideoNotFoundError(rule=found)
        elif found.is_public:
            return found
        return self.private(video, viewer, uses)

    def ready(self, video: str) -> Playable:
        """
        Return a ready video to a viewer who was authorized without a token.

        Raises:
            VideoNotFoundError: There is no such video, or it is not ready.
        """
        key = (video,)
        granted = self._recall(key)
        if granted is not None:
            return granted
        entry = self._entry(video)
        found = _judge(entry)
        if isinstance(found, PlaybackRule):
            raise VideoNotFoundError(rule=found)
        self._authorizations.put(
            key, Authorization(video=video, entry=entry, playable=found)
        )
        return found

    def is_deleted(self, video: str) -> bool:
        """Return whether a video does not exist or is deleted."""
        entry = self.directory.find(video)
        return entry is None or entry.state is VideoState.DELETED

    def claims(self, viewer: Viewer) -> PlaybackClaims:
        """
        Verify the viewer's one playback token, and return its claims.

        Raises:
            UnauthorizedError: No token, several, or one that is broken or
                expired.
        """
        if not any(viewer.tokens):
            raise UnauthorizedError(NOT_SIGNED, rule=PlaybackRule.TOKEN_MISSING)
        if len(viewer.tokens) > 1:
            # Two readers of one address could each see another token.
            raise UnauthorizedError(SIGNED_TWICE, rule=PlaybackRule.TOKEN_SEVERAL)
        passed(PlaybackRule.TOKEN_MISSING, PlaybackRule.TOKEN_SEVERAL)
        return self.key_ring.verify(viewer.tokens[0], self.clock.now(), self.find_key)

    def find_key(self, kid: str) -> TokenKey | None:
        """
        Return the key with this id that verifies tokens, of an organization or of the service.

        Returns:
            None if the key is unknown, ended or revoked.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        if is_signing_key_id(kid):
            return self.organization_keys.in_force(self.directory.find_signing_key(kid))
        own_keys, stored = self.key_ring.own_keys, self.directory.service_keys()
        if not stored:
            # Nothing was rotated, and each request comes by here.
            return own_keys.settings.get(kid)
        return own_keys.find(kid, stored, self.clock.now())

    def believed_keys(self) -> Sequence[str]:
        """
        Return the ids of the service's own keys whose tokens are accepted, in order.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        stored = self.directory.service_keys()
        return sorted(self.key_ring.own_keys.believed(stored, self.clock.now()))

    def _with_domains(self, claims: PlaybackClaims) -> PlaybackClaims:
        if claims.domain_list is None:
            return claims
        domains = self.directory.find_domains(claims.domain_list)
        if not domains:
            raise refused(PlaybackRule.TOKEN_DOMAINS_MISSING)
        passed(PlaybackRule.TOKEN_DOMAINS_MISSING)
        return attrs.evolve(claims, domains=tuple(domains), domain_list=None)

    def is_page_allowed(self, domains: Sequence[str], viewer: Viewer) -> bool:
        """Return whether a request comes from one of the given domains, or from the player page."""
        page = viewer.origin if viewer.origin is not None else viewer.referer
        own = self.player_origin
        if own is not None and page is not None and f"{page}/".startswith(f"{own}/"):
            return True
        return is_page_listed(domains, origin=viewer.origin, referer=viewer.referer)

    def _entry(self, video: str) -> PlaybackEntry | None:
        return self.directory.find(video) if is_video_id(video) else None

    def _recall(self, key: AuthorizationKey) -> Playable | None:
        authorization = self._authorizations.get(key)
        # Whoever follows a decision wants to see all of it.
        if authorization is None or is_followed():
            return None
        if (
            authorization.ends_at is not None
            and self.clock.now() >= authorization.ends_at
        ):
            return None
        claims = authorization.playable.claims
        signer = claims.verified_by if claims is not None else None
        if signer is not None and self.find_key(signer.kid) is not signer:
            return None
        # The same object: nothing has changed since.
        is_same = self.directory.find(authorization.video) is authorization.entry
        return authorization.playable if is_same else None


def _is_audience(entry: PlaybackEntry, claims: PlaybackClaims) -> bool:
    if claims.signed_by is None:
        return claims.public_id == entry.public_id
    # Answers call both publicID; nobody must know the other one.
    return str(claims.public_id) in {entry.id, entry.public_id}


def _judge(
    entry: PlaybackEntry | None,
    *,
    environment: tuple[str, str] | None = None,
    claims: PlaybackClaims | None = None,
) -> Playable | PlaybackRule:
    """Return a video that is ready, or the rule that keeps it from being served."""
    if entry is None:
        return PlaybackRule.VIDEO_UNKNOWN
    passed(PlaybackRule.VIDEO_UNKNOWN)
    if environment is not None:
        org, env = environment
        if org != entry.org_id or env not in {entry.env_id, entry.env_name}:
            return PlaybackRule.WRONG_ENVIRONMENT
        passed(PlaybackRule.WRONG_ENVIRONMENT)
    if entry.state is VideoState.DELETED:
        return PlaybackRule.VIDEO_DELETED
    passed(PlaybackRule.VIDEO_DELETED)
    if entry.state is VideoState.FAILED:
        return PlaybackRule.VIDEO_FAILED
    passed(PlaybackRule.VIDEO_FAILED)
    is_ready = entry.state is VideoState.READY
    if not is_ready or entry.media_root is None:
        return PlaybackRule.VIDEO_NOT_READY
    passed(PlaybackRule.VIDEO_NOT_READY)
    return Playable(
        id=entry.id,
        public_id=entry.public_id,
        org_id=entry.org_id,
        env_id=entry.env_id,
        name=entry.name,
        is_public=entry.is_public,
        media_root=entry.media_root,
        chosen_poster=entry.poster_path,
        load_media=entry.load_media,
        claims=claims,
        may_begin=entry.may_begin,
        has_chapters=entry.has_chapters,
        allows_download=entry.allows_download,
        source_path=entry.source_path,
    )
