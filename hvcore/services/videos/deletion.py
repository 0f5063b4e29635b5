"""
Delete videos: they are hidden at once, and their files are removed soon after.

Source: the interface document, "States and transitions": files are gone within 24 hours.
"""

import logging
from contextlib import ExitStack
from datetime import datetime, timedelta

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.media_paths import media_prefix, quarantined
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.deletion import NEVER_BINNED, DeletionReason, stay_of
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.failpoints import failpoint
from hvcore.ports.cache_invalidation import InvalidationReason
from hvcore.ports.storage import Storage, SupportsHide
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import actor_of, record_by_caller
from hvcore.services.access.authorization import find_authorized_video
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.videos.bin_stays import (
    end_for_good,
    order_purges,
)
from hvcore.services.videos.erasure import Erasure

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class Deletion:
    """Delete videos, and purge their files and personal data."""

    uow: UnitOfWork
    storage: Storage
    clock: Clock
    erasure: Erasure
    changes: PlaybackChanges = attrs.field(factory=PlaybackChanges)

    def delete(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        reason: DeletionReason | None,
        *,
        keep_hours: int = 0,
    ) -> Video:
        """
        Delete a video, cancel its running job or awaited upload, and return it.

        On return, no later request on this machine sees the video. A video in the bin is
        deleted again only to end its stay there sooner.

        Args:
            keep_hours: How long the video can be restored: 0 to MAX_KEEP_HOURS. A state or
                a reason that allows no stay in the bin is deleted for good all the same.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the environment of the caller's API key.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
        """
        video = self.order(caller, org_id, video_id, reason, keep_hours=keep_hours)
        self.publish(video)
        return video

    def order(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        reason: DeletionReason | None,
        *,
        keep_hours: int = 0,
    ) -> Video:
        """
        Delete a video in the database and order its purge, without telling other processes.

        Returns the deleted video; the arguments are those of ``Deletion.delete``.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the environment of the caller's API key.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
        """
        with self.uow.write() as work:
            video = self.order_within(
                work, caller, org_id, video_id, reason, keep_hours=keep_hours
            )
            work.commit()
        return video

    def order_within(  # noqa: PLR0913 - as delete
        self,
        work: Work,
        caller: Principal,
        org_id: str,
        video_id: str,
        reason: DeletionReason | None,
        *,
        keep_hours: int = 0,
    ) -> Video:
        """
        Delete a video in the caller's transaction; call ``publish`` after its commit.

        Returns the deleted video; the other arguments are those of ``delete``.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the environment of the caller's API key.
            AlreadyDeletedError: The video is deleted, and cannot be restored.
        """
        now = self.clock.now()
        # Locks are taken in one order everywhere: grant, video, tasks.
        path = upload_path(find_authorized_video(work, caller, org_id, video_id))
        grant = work.grants.find_path(path, for_update=True)
        video = find_authorized_video(work, caller, org_id, video_id, for_update=True)
        if video.never_came(now):
            raise VideoNotFoundError
        if video.bin_stay is None:
            _record_order(work, video, reason, actor=actor_of(caller), at=now)
            # By the clock of tasks: a purge must not come before a stay's end.
            stay = stay_of(video.state, reason, work.now(), keep_hours)
            video.delete(now, reason, stay=stay)
            self.changes.of_video(work, video, InvalidationReason.DELETED)
        elif not _hurry(video, reason, work.now(), keep_hours):
            return video
        if video.bin_stay is None:
            end_for_good(work, video, grant)
        order_purges(work, video)
        work.videos.save(video)
        kept = video.bin_stay
        record_by_caller(
            work,
            "video.delete",
            video.id,
            org_id=video.org_id,
            reason=reason.value if reason else None,
            restorable_until=kept.ends_at if kept else None,
        )
        return video

    def publish(self, video: Video) -> None:
        """Make the processes of this machine see a deletion, after its commit."""
        self.changes.publish()
        failpoint("video.deleted")
        if video.bin_stay is None:
            self._hide(video)

    def end_stay(self, caller: Principal, org_id: str, video_id: str) -> Video:
        """
        End the stay of a video in the bin at once, and return the video.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the environment of the caller's API key.
            AlreadyDeletedError: The video cannot be restored any more.
            ConflictError: The video is not deleted; somebody may have restored it.
        """
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            path = upload_path(find_authorized_video(work, caller, org_id, video_id))
            grant = work.grants.find_path(path, for_update=True)
            video = find_authorized_video(
                work, caller, org_id, video_id, for_update=True
            )
            if video.state is not VideoState.DELETED:
                raise ConflictError("The video is not in the bin any more.")
            _hurry(video, None, work.now(), keep_hours=0)
            end_for_good(work, video, grant)
            order_purges(work, video)
            work.videos.save(video)
            record_by_caller(
                work,
                "video.delete",
                video.id,
                org_id=video.org_id,
                reason=None,
                restorable_until=None,
            )
            work.commit()
        self._hide(video)
        return video

    def purge(self, run: TaskRun) -> None:
        """
        Remove the personal data and every file of a deleted video.

        A stay in the bin ends first, so that nothing can be restored of which a part is gone.

        Raises:
            UnavailableError: The storage refuses; the task is tried again.
        """
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
        if video is not None and video.bin_stay is not None:
            video = self._close_stay(run, video)
            if video is None:
                return
        if video is not None and video.state is VideoState.DELETED:
            # A step that fails for hours keeps the others from nothing; this attempt fails.
            # The last of these is done first, after the erasure.
            with ExitStack() as steps:
                steps.callback(self._remove_tree, video, upload_path(video), run)
                steps.callback(failpoint, "purge.media")
                steps.callback(self._remove_tree, video, media_prefix(video.id), run)
                steps.callback(failpoint, "purge.rows")
                self.erasure.erase(video, actor=run.task.id)
        run.finish()

    def _close_stay(self, run: TaskRun, seen: Video) -> Video | None:
        """End a stay in the bin, and return the video; None if the stay goes on, and the task waits."""
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            grant = work.grants.find_path(upload_path(seen), for_update=True)
            video = work.videos.find(seen.id, for_update=True)
            if video is None or video.bin_stay is None:
                return video or seen
            if video.is_restorable(work.now()):
                run.put_back(
                    work,
                    not_before=video.bin_stay.ends_at,
                    error="The video is in the bin, and can be restored until then.",
                )
                work.commit()
                return None
            end_for_good(work, video, grant)
            work.videos.save(video)
            work.commit()
        failpoint("bin.ended")
        return video

    def _remove_tree(self, video: Video, prefix: str, run: TaskRun) -> None:
        # What is hidden is counted when it goes, but has no size any more.
        size_bytes = pieces = 0
        for place in (prefix, quarantined(prefix)):
            size_bytes += sum(info.size_bytes for info in self.storage.walk(place))
            pieces += self.storage.delete_tree(place)
        with self.uow.write() as work:
            work.removals.add(
                Removal.once(
                    video_id=video.id,
                    kind=RemovalKind.FILES,
                    place=prefix,
                    actor=run.task.id,
                    pieces=pieces,
                    size_bytes=size_bytes,
                    at=work.now(),
                )
            )
            work.commit()

    def _hide(self, video: Video) -> None:
        if not isinstance(self.storage, SupportsHide):
            return
        try:
            self.storage.hide_tree(media_prefix(video.id))
        except UnavailableError:
            # The service obeys the database; this is for servers in front.
            _log.warning("files not hidden yet", extra={"hv_video": video.id})


def _hurry(
    video: Video, reason: DeletionReason | None, now: datetime, keep_hours: int
) -> bool:
    """
    Let the stay of a binned video end sooner, or at once.

    Returns:
        False if the stay ends by then anyway; nothing changes.

    Raises:
        AlreadyDeletedError: The video cannot be restored any more.
    """
    if not video.is_restorable(now):
        raise AlreadyDeletedError
    if not keep_hours or reason in NEVER_BINNED:
        video.leave_bin()
    elif not video.shorten_stay(now + timedelta(hours=keep_hours)):
        return False
    video.deletion_reason = reason or video.deletion_reason
    return True


def _record_order(
    work: Work,
    video: Video,
    reason: DeletionReason | None,
    *,
    actor: str,
    at: datetime,
) -> None:
    work.removals.add(
        Removal.once(
            video_id=video.id,
            kind=RemovalKind.ORDER,
            place=reason.value if reason else "",
            actor=actor,
            pieces=1,
            size_bytes=video.quota_bytes,
            at=at,
        )
    )
