"""
Make, list and revoke edge keys, which let listed pages embed a video.

Source: the interface document, "Delivery", embed by edge key.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import count

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import EdgeKeyId, edge_key_id_from, new_edge_key_id
from hvcore.domain.limits import MAX_LISTED_LINKS
from hvcore.domain.links.links import EdgeKey
from hvcore.errors import ForbiddenError, NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.settings import PublicSettings

NO_SUCH_KEY = "There is no such edge key, or it is revoked already."


@attrs.frozen(kw_only=True)
class EdgeKeys:
    """Make, list and revoke edge keys, each the secret in a lasting playback address of one video."""

    uow: UnitOfWork
    public: PublicSettings
    clock: Clock
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def create(  # noqa: PLR0913 - one per wish
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        *,
        domains: tuple[str, ...],
        expires_at: datetime | None,
        form_id: str = "",
    ) -> EdgeKey:
        """
        Make an edge key for a video; it plays once the video is ready.

        Args:
            form_id: The random id of the form that asks for the key. The same domains of
                the same form get the key that they got before, if it still works; ""
                stands for no form.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.write() as work:
            # Locked: a deletion at this moment comes before it or after it.
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            now = self.clock.now()
            key_id, made = _asked_before(work, form_id, video.id, domains, now)
            if made is not None:
                return made
            key = EdgeKey(
                id=key_id,
                org_id=video.org_id,
                env_id=video.env_id,
                video_id=video.id,
                domains=domains,
                created_at=now,
                expires_at=expires_at,
            )
            work.edge_keys.add(key)
            record_by_caller(work, "edge-key.create", video.id, org_id=video.org_id)
            work.commit()
        return key

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[EdgeKey]:
        """
        Return a video's edge keys, newest first, revoked ones included.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return work.edge_keys.of_video(video.id, MAX_LISTED_LINKS)

    def find(self, caller: Principal, org_id: str, edge_key: str) -> EdgeKey:
        """
        Return an edge key by its id, revoked or not.

        Raises:
            NotFoundError: The organization has no such edge key.
            ForbiddenError: The edge key is outside the caller's environment.
        """
        with self.uow.read() as work:
            return _authorized(work.edge_keys.find(edge_key), caller, org_id)

    def revoke(self, caller: Principal, org_id: str, edge_key: str) -> EdgeKey:
        """
        Revoke an edge key, and return it; the next request with it is refused.

        Raises:
            NotFoundError: The organization has no such edge key, or it was revoked.
            ForbiddenError: The edge key is outside the caller's environment.
        """
        with self.uow.write() as work:
            found = work.edge_keys.find(edge_key, for_update=True)
            key = _authorized(found, caller, org_id)
            if key.revoked_at is not None:
                raise NotFoundError(NO_SUCH_KEY)
            key = attrs.evolve(key, revoked_at=self.clock.now())
            work.edge_keys.save(key)
            self.changes.of_edge_key(work, key)
            # Not the key itself, which is a permission.
            record_by_caller(work, "edge-key.revoke", key.video_id, org_id=key.org_id)
            work.commit()
        self.changes.publish()
        return key

    def revoke_of(
        self, caller: Principal, org_id: str, video_id: str, edge_key: str
    ) -> EdgeKey:
        """
        Revoke an edge key that a path names below its video, and return it.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            NotFoundError: The video has no such edge key, or it was revoked.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            key = work.edge_keys.find(edge_key)
        if key is None or key.video_id != video.id:
            raise NotFoundError(NO_SUCH_KEY)
        return self.revoke(caller, org_id, edge_key)

    def embed_url(self, key: EdgeKey) -> str:
        """Return the address of an edge key's player page, below which its playlist is."""
        return f"{self.public.player_url}/v1/{key.id}"


def _authorized(key: EdgeKey | None, caller: Principal, org_id: str) -> EdgeKey:
    if key is None or key.org_id != org_id:
        raise NotFoundError(NO_SUCH_KEY)
    if not caller.may_use_env(key.env_id):
        raise ForbiddenError("This key belongs to another environment.")
    return key


def _asked_before(
    work: Work, form_id: str, video_id: str, domains: tuple[str, ...], now: datetime
) -> tuple[EdgeKeyId, EdgeKey | None]:
    """Return the id for the key that a form asks for, and the key if the form made it before and it works."""
    # A key that was revoked or has expired is no answer to the form: the next in the row is.
    for number in count() if form_id else ():
        key_id = edge_key_id_from(repr((number, form_id, video_id, domains)))
        found = work.edge_keys.find(key_id)
        if found is None or found.is_valid_at(now):
            return key_id, found
    return new_edge_key_id(), None
