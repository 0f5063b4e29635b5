"""
Make, list and revoke share links.

Source: interface, "share".
"""

from collections.abc import Sequence
from datetime import timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import new_share_link_id
from hvcore.domain.limits import MAX_LISTED_LINKS
from hvcore.domain.links.links import ShareLink
from hvcore.errors import NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.audit import record_by_person
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.settings import PublicSettings


@attrs.frozen(kw_only=True)
class ShareLinks:
    """Make, list and revoke the share links of videos."""

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
        valid_hours: int,
        max_views: int | None,
        viewer_email: str | None,
    ) -> ShareLink:
        """
        Make a share link for a video; it plays once the video is ready.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the key's environment.
        """
        now = self.clock.now()
        with self.uow.write() as work:
            # Locked: a deletion at this moment comes before it or after it.
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            share = ShareLink(
                id=new_share_link_id(),
                org_id=video.org_id,
                env_id=video.env_id,
                video_id=video.id,
                created_at=now,
                expires_at=now + timedelta(hours=valid_hours),
                max_views=max_views,
                viewer_email=viewer_email,
            )
            work.shares.add(share)
            record_by_person(work, "share.create", video.id, org_id=video.org_id)
            work.commit()
        return share

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[ShareLink]:
        """
        Return a video's share links, newest first, revoked ones included.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the key's environment.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return work.shares.of_video(video.id, MAX_LISTED_LINKS)

    def revoke(
        self, caller: Principal, org_id: str, video_id: str, share_id: str
    ) -> ShareLink:
        """
        Revoke a share link and every session that has begun with it; return the link.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the key's environment.
            NotFoundError: The video has no such share link, or it was revoked.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            share = work.shares.find(share_id, for_update=True)
            if (
                share is None
                or share.video_id != video.id
                or share.revoked_at is not None
            ):
                raise NotFoundError(
                    "The video has no such share link, or it is revoked already."
                )
            now = self.clock.now()
            work.shares.revoke(share.id, now)
            self.changes.of_share_link(work, share)
            record_by_person(work, "share.revoke", video.id, org_id=video.org_id)
            work.commit()
        self.changes.publish()
        return attrs.evolve(share, revoked_at=now)

    def share_url(self, share: ShareLink) -> str:
        """Return the address of a share link's player page."""
        return f"{self.public.player_url}/v1/watch/{share.id}"

    def delivery_url(self, share: ShareLink) -> str:
        """Return the address of a share link's master playlist."""
        return f"{self.public.worker_url}/v1/share/{share.id}/master.m3u8"
