"""
Erase the personal data of deleted videos from the database.

Events that some receiver has not been told yet keep their data for a day at the most.
"""

import logging
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import VIDEO_PURGE
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.removals import Removal, RemovalKind
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.processes.rounds import Round
from hvcore.services.videos.bin_stays import end_for_good, order_purges

_log = logging.getLogger(__name__)

UNTOLD_KEPT_FOR: Final = timedelta(hours=23, minutes=30)
"""How long undelivered events keep their data: 24 hours, less the time for the last task."""
UNTOLD_AGAIN_AFTER: Final = timedelta(hours=1)
LEFT_BEHIND_AFTER: Final = timedelta(hours=25)
"""When a video's own purges have surely come, if it had any that erase."""
SWEPT_AT_ONCE: Final = 50


@attrs.frozen(kw_only=True)
class Erasure:
    """Erase the personal data of deleted videos: data of the owner, the file and the viewers."""

    uow: UnitOfWork
    clock: Clock

    def erase(self, video: Video, *, actor: str) -> None:
        """
        Erase the personal data of a deleted video, in one transaction; idempotent.

        A stay of the video in the bin ends, and its purge is ordered.

        If undelivered events keep their data, a later purge is ordered, unless one is to come.

        Args:
            actor: Whom the deletion certificate names as the eraser: a task, or the service.
        """
        with self.uow.write() as work:
            # Locks are taken in one order everywhere: grant, video, tasks.
            grant = work.grants.find_path(upload_path(video), for_update=True)
            found = work.videos.find(video.id, for_update=True)
            if found is None or found.state is not VideoState.DELETED:
                return
            if found.bin_stay is not None:
                end_for_good(work, found, grant)
                work.videos.save(found)
                order_purges(work, found)
            now = work.now()
            deleted_at = found.deleted_at or now
            spares_untold = now < deleted_at + UNTOLD_KEPT_FOR
            erased = work.personal_data.erase(found, spares_untold=spares_untold)
            for place, rows in sorted(erased.items()):
                work.removals.add(
                    Removal.once(
                        video_id=found.id,
                        kind=RemovalKind.ROWS,
                        place=place,
                        actor=actor,
                        pieces=rows,
                        at=now,
                    )
                )
            if spares_untold:
                self._order_another(work, found, actor)
            work.commit()

    def left(self, video_id: VideoId) -> dict[str, int]:
        """
        Return the number of rows that still hold personal data of a video, by column.

        Raises:
            VideoNotFoundError: There was never such a video.
        """
        with self.uow.read() as work:
            video = work.videos.find(video_id)
            if video is None:
                raise VideoNotFoundError
            return dict(work.personal_data.left(video))

    def sweep(self) -> int:
        """
        Erase personal data that is left of videos deleted long ago; return the number of erased videos.

        Stays in the bin that nothing has ended are ended.

        Afterwards erased data are also removed from the places where the database keeps copies
        beside its tables.
        """
        before = self.clock.now() - LEFT_BEHIND_AFTER
        current = Round(_log, "personal data is not erased yet; it is tried again")
        tried: set[VideoId] = set()
        erased = 0
        while erased < SWEPT_AT_ONCE:
            # Those that fail stay the oldest, and must keep no other one from its turn.
            videos = self._left_behind(before, len(tried) + SWEPT_AT_ONCE - erased)
            untried = [video for video in videos if video.id not in tried]
            if not untried:
                break
            for video in untried:
                tried.add(video.id)
                with current.part(hv_video=video.id):
                    self.erase(video, actor="service")
                    erased += 1
        self.uow.forget_overwritten()
        return erased

    def _left_behind(self, before: datetime, limit: int) -> list[Video]:
        with self.uow.read() as work:
            named = work.personal_data.named_deleted(before, work.now(), limit)
            # Processes of a version without a bin remove the files, and end no stay.
            overstayed = work.personal_data.overstayed(before, limit)
            found = map(work.videos.find, dict.fromkeys([*named, *overstayed]))
            return [video for video in found if video is not None]

    def _order_another(self, work: Work, video: Video, actor: str) -> None:
        others = work.tasks.unended(video.id, kind=VIDEO_PURGE)
        if any(task.id != actor for task in others):
            return
        if not work.personal_data.has_untold(video.id):
            return
        now = work.now()
        last = (video.deleted_at or now) + UNTOLD_KEPT_FOR
        work.tasks.add(
            [
                NewTask(
                    kind=VIDEO_PURGE,
                    lane=Lane.LIGHT,
                    org_id=video.org_id,
                    subject=video.id,
                    not_before=min(now + UNTOLD_AGAIN_AFTER, last),
                )
            ]
        )
