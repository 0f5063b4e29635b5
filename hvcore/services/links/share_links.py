"""
Make, list and revoke share links.

Source: the interface document, "share".
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import count

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import ShareLinkId, new_share_link_id, share_link_id_from
from hvcore.domain.limits import MAX_LISTED_LINKS
from hvcore.domain.links.links import ShareLink
from hvcore.domain.tasks.kinds import SHARE_LINK_SEND
from hvcore.domain.tasks.task import Lane, NewTask, TaskState
from hvcore.domain.videos.video import Video
from hvcore.errors import ConflictError, NotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record_by_caller
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.tasks.failed_attempts import has_lost_answer
from hvcore.settings import PublicSettings


@attrs.frozen(kw_only=True)
class NewShareLink:
    """
    The wishes for a new share link.

    Attributes:
        max_views: How many playback sessions may begin; None for any number.
        viewer_email: The mail address of the only viewer who may watch; None for everybody.
        is_mailed: Whether the viewer is sent the link by mail.
    """

    valid_hours: int
    max_views: int | None = None
    viewer_email: str | None = attrs.field(default=None, repr=False)
    label: str = attrs.field(default="", repr=False)
    is_mailed: bool = False


@attrs.frozen(kw_only=True)
class ShareMailState:
    """
    State of the mail with a share link, for the people who made the link.

    Attributes:
        is_sent: Whether a mail server has taken the mail.
        has_failed: Whether the mail will never be sent. The reason is for operators: it may
            name hosts, settings and code of the installation.
        may_have_come: Whether the mail is not sent any more because no mail server said
            whether it had taken the mail: the viewer may have it.
    """

    is_sent: bool
    has_failed: bool
    may_have_come: bool


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

        Args:
            valid_hours: How many hours the link works.
            max_views: How many playback sessions may begin; None for any number.
            viewer_email: The mail address of the only viewer who may watch; None for
                everybody.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        wanted = NewShareLink(
            valid_hours=valid_hours, max_views=max_views, viewer_email=viewer_email
        )
        return self.create_all(caller, org_id, video_id, [wanted])[0]

    def create_all(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        wanted: Sequence[NewShareLink],
        *,
        form_id: str = "",
    ) -> Sequence[ShareLink]:
        """
        Make share links for a video, all of them or none; they play once the video is ready.

        Links that are mailed are sent by a task each.

        Args:
            form_id: The random id of the form that asks for the links. The same wishes
                of the same form get the links that they got before, if these still work;
                "" stands for no form.

        Raises:
            ConflictError: A link of this form, which is mailed, was revoked since.
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        now = self.clock.now()
        with self.uow.write() as work:
            # Locked: a deletion at this moment comes before it or after it.
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id, for_update=True)
            )
            made = [_once(work, video, one, now, form_id) for one in wanted]
            work.commit()
        return made

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> Sequence[ShareLink]:
        """
        Return a video's share links, newest first, revoked ones included.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            return work.shares.of_video(video.id, MAX_LISTED_LINKS)

    def mails(self, shares: Sequence[ShareLink]) -> Mapping[str, ShareMailState]:
        """
        Return the states of the mails with share links, by the links' ids.

        Links that are not mailed are left out, and those that were mailed more than a
        week ago.
        """
        ids = [share.id for share in shares if share.viewer_email is not None]
        if not ids:
            return {}
        with self.uow.read() as work:
            tasks = work.tasks.of_subjects(ids, kind=SHARE_LINK_SEND)
        return {
            task.subject: ShareMailState(
                is_sent=task.state is TaskState.DONE,
                has_failed=task.state is TaskState.FAILED,
                may_have_come=has_lost_answer(task),
            )
            for task in tasks
        }

    def mail_again(
        self, caller: Principal, org_id: str, video_id: str, share_id: str
    ) -> tuple[ShareLink, bool]:
        """
        Order another mail with a share link whose mail has failed.

        A link whose mail was sent, or is on its way, is not mailed: of two requests that
        come at once, one orders a mail.

        Returns:
            The link, and whether a mail was ordered.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no such share link, or it has ended.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            # Locked: the same wish at this moment sees the task of this one.
            share = _share_of(work, video, share_id)
            if share is None or not share.is_valid_at(self.clock.now()):
                raise NotFoundError(
                    "The video has no such share link, or it has ended."
                )
            tasks = work.tasks.of_subject(share.id, kind=SHARE_LINK_SEND)
            is_ordered = bool(tasks) and tasks[-1].state is TaskState.FAILED
            if is_ordered:
                work.tasks.add([_mail_task(share)])
                record_by_caller(work, "share.mail", video.id, org_id=video.org_id)
                work.commit()
        return share, is_ordered

    def revoke(
        self, caller: Principal, org_id: str, video_id: str, share_id: str
    ) -> ShareLink:
        """
        Revoke a share link and every session that has begun with it; return the link.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video has no such share link, or it was revoked.
        """
        with self.uow.write() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
            share = _share_of(work, video, share_id)
            if share is None or share.revoked_at is not None:
                raise NotFoundError(
                    "The video has no such share link, or it is revoked already."
                )
            now = self.clock.now()
            work.shares.revoke(share.id, now)
            self.changes.of_share_link(work, share)
            record_by_caller(work, "share.revoke", video.id, org_id=video.org_id)
            work.commit()
        self.changes.publish()
        return attrs.evolve(share, revoked_at=now)

    def share_url(self, share: ShareLink) -> str:
        """Return the address of a share link's player page."""
        return f"{self.public.player_url}/v1/watch/{share.id}"

    def delivery_url(self, share: ShareLink) -> str:
        """Return the address of a share link's master playlist."""
        return f"{self.public.worker_url}/v1/share/{share.id}/master.m3u8"


def _once(
    work: Work, video: Video, wanted: NewShareLink, now: datetime, form_id: str
) -> ShareLink:
    """Return the share link that a form has made before and that works; otherwise make one."""
    share_id = new_share_link_id()
    wish = (form_id, video.id, *attrs.astuple(wanted))
    # One that was revoked or has ended is not the answer to the wish: the next in the row is.
    for number in count() if form_id else ():
        share_id = share_link_id_from(repr((number, *wish)))
        found = work.shares.find(share_id)
        if found is None:
            break
        if found.is_valid_at(now):
            return found
        if found.revoked_at is not None and wanted.is_mailed:
            # A browser sends forms again by itself, as after a reload.
            raise ConflictError(
                f"The link for {found.viewer_email} was made before, and was revoked "
                "since. To mail a new one, fill in the form for this address alone."
            )
    share = _share_link(share_id, video, wanted, now)
    work.shares.add(share)
    record_by_caller(work, "share.create", video.id, org_id=video.org_id)
    if wanted.is_mailed and share.viewer_email is not None:
        work.tasks.add([_mail_task(share)])
    return share


def _share_link(
    share_id: ShareLinkId, video: Video, wanted: NewShareLink, now: datetime
) -> ShareLink:
    return ShareLink(
        id=share_id,
        org_id=video.org_id,
        env_id=video.env_id,
        video_id=video.id,
        created_at=now,
        expires_at=now + timedelta(hours=wanted.valid_hours),
        max_views=wanted.max_views,
        viewer_email=wanted.viewer_email,
        label=wanted.label,
    )


def _share_of(work: Work, video: Video, share_id: str) -> ShareLink | None:
    """Return a share link of a video, locked until the transaction ends; None if the video has no such link."""
    share = work.shares.find(share_id, for_update=True)
    return share if share is not None and share.video_id == video.id else None


def _mail_task(share: ShareLink) -> NewTask:
    return NewTask(
        kind=SHARE_LINK_SEND,
        lane=Lane.OUTBOUND,
        org_id=share.org_id,
        subject=share.id,
    )
