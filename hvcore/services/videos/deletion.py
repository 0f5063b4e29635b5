"""
Delete videos: they are hidden at once, and their files are removed soon after.

Source: interface, "States and transitions": files are gone within 24 hours.
"""

import logging
from contextlib import ExitStack
from datetime import timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.media_paths import media_prefix, quarantined
from hvcore.domain.processing.remote_jobs import cancel_tasks
from hvcore.domain.tasks.kinds import (
    FETCH_GET,
    TRANSCODE_KINDS,
    TRANSCODE_REPAIR,
    VIDEO_PURGE,
)
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import DeletionReason, Video
from hvcore.errors import UnavailableError, VideoNotFoundError
from hvcore.failpoints import failpoint
from hvcore.ports.cache_invalidation import InvalidationReason
from hvcore.ports.storage import Storage, SupportsHide
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import actor_of, record_by_person
from hvcore.services.access.authorization import find_authorized_video
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.videos.erasure import Erasure

_log = logging.getLogger(__name__)

LATE_WRITES_AFTER: Final = timedelta(minutes=15)
"""When the prefixes are emptied again, because a dying worker may have written late."""


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
    ) -> Video:
        """
        Delete a video, cancel its running job or awaited upload, and return it.

        On return, no later request on this machine sees the video.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the key's environment.
            AlreadyDeletedError: The video is deleted already.
        """
        video = self.order(caller, org_id, video_id, reason)
        self.changes.publish()
        failpoint("video.deleted")
        self._hide(video)
        return video

    def order(
        self,
        caller: Principal,
        org_id: str,
        video_id: str,
        reason: DeletionReason | None,
    ) -> Video:
        """
        Delete a video in the database and order its purge, without telling other processes.

        Returns the deleted video.

        Raises:
            VideoNotFoundError: There is no such video.
            ForbiddenError: The video is outside the key's environment.
            AlreadyDeletedError: The video is deleted already.
        """
        now = self.clock.now()
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            path = upload_path(find_authorized_video(work, caller, org_id, video_id))
            grant = work.grants.find_path(path, for_update=True)
            video = find_authorized_video(
                work, caller, org_id, video_id, for_update=True
            )
            if video.never_came(now):
                raise VideoNotFoundError
            published_bytes = video.quota_bytes
            video.delete(now, reason)
            work.videos.save(video)
            kinds = (*TRANSCODE_KINDS, TRANSCODE_REPAIR, FETCH_GET)
            ended = work.tasks.cancel(video.id, kinds=kinds)
            work.tasks.add(cancel_tasks(ended, now=work.now()))
            if grant is not None:
                # A fetch that began before there was a video is its grant's.
                work.tasks.cancel(grant.id, kinds=(FETCH_GET,))
                grant.end()
                work.grants.save(grant)
            self._order_purges(work, video)
            work.removals.add(
                Removal.once(
                    video_id=video.id,
                    kind=RemovalKind.ORDER,
                    place=reason.value if reason else "",
                    actor=actor_of(caller),
                    pieces=1,
                    size_bytes=published_bytes,
                    at=now,
                )
            )
            self.changes.of_video(work, video, InvalidationReason.DELETED)
            record_by_person(
                work,
                "video.delete",
                video.id,
                org_id=video.org_id,
                reason=reason.value if reason else None,
            )
            work.commit()
        return video

    def purge(self, run: TaskRun) -> None:
        """
        Remove the personal data and every file of a deleted video.

        Raises:
            UnavailableError: The storage refuses; the task is tried again.
        """
        with self.uow.read() as work:
            video = work.videos.find(run.task.subject)
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

    def _order_purges(self, work: Work, video: Video) -> None:
        for delay in (timedelta(), LATE_WRITES_AFTER):
            work.tasks.add(
                [
                    NewTask(
                        kind=VIDEO_PURGE,
                        lane=Lane.LIGHT,
                        org_id=video.org_id,
                        subject=video.id,
                        not_before=work.now() + delay,
                    )
                ]
            )

    def _hide(self, video: Video) -> None:
        if not isinstance(self.storage, SupportsHide):
            return
        try:
            self.storage.hide_tree(media_prefix(video.id))
        except UnavailableError:
            # The service obeys the database; this is for servers in front.
            _log.warning("files not hidden yet", extra={"hv_video": video.id})
