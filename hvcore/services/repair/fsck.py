"""Find the damages of the whole database and the whole storage, by comparing both ways."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.remote_jobs import cancel_tasks
from hvcore.domain.tasks.task import Task
from hvcore.errors import VideoNotFoundError
from hvcore.ports.repositories.inspection import Inspection, WrongTotal
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.repair.damages import Damage, DamageKind, Repair, Scope
from hvcore.services.repair.orphans import Orphans
from hvcore.services.repair.right_database import RightDatabase
from hvcore.services.repair.video_files import VideoFiles

PAGE: Final = 500
"""Videos whose ids are kept in memory at a time."""
MOST_TASKS: Final = 1_000
"""Tasks without a video that one check reports; the next check finds the rest."""


@attrs.frozen(kw_only=True)
class Fsck:
    """
    Find damages of the database and the storage, and propose a repair for each.

    Repairs nothing by itself.

    Attributes:
        recount: Corrects all stored totals.
        database: Checks that the database belongs to the storage; asked before any repair.
    """

    uow: UnitOfWork
    inspection: Inspection
    videos: VideoFiles
    orphans: Orphans
    database: RightDatabase
    recount: Callable[[], None]

    def refuse_wrong_database(self, scope: Scope) -> None:
        """
        Refuse to repair with a database that does not belong to the storage.

        If the scope is a single video, the share of known videos is not checked.

        Raises:
            ConfigError: The database looks like that of another installation.
            UnavailableError: The storage or the database does not answer.
        """
        self.database.check_mark()
        if scope.video_id is None:
            self.database.check()

    def damages(
        self, scope: Scope, *, looked_at: Callable[[int], None] = lambda _: None
    ) -> Iterator[Damage]:
        """
        Yield each damage in the scope as soon as it is found.

        A caller who repairs each damage before asking for the next one also gets the damages that
        follow from the repair.

        Args:
            looked_at: Called now and then with the number of videos compared so far.

        Raises:
            VideoNotFoundError: There is no such video, and no files of one.
            UnavailableError: The storage or the database does not answer.
        """
        if scope.video_id is not None:
            yield from self._one(scope, scope.video_id)
            return
        yield from self._tasks(scope)
        count = 0
        for video_id in self._listed(scope):
            yield from self.videos.damages(video_id, scope)
            count += 1
            if count % PAGE == 0:
                looked_at(count)
        looked_at(count)
        yield from self.orphans.find(scope)
        for total in self.inspection.wrong_totals(org_id=scope.org_id):
            yield self._wrong(total)

    def _one(self, scope: Scope, video_id: VideoId) -> Iterator[Damage]:
        with self.uow.read() as work:
            video = work.videos.find(video_id)
        found = list(self.orphans.find(scope))
        if video is None and not found:
            raise VideoNotFoundError
        if video is not None:
            yield from self.videos.damages(video.id, scope)
        yield from found

    def _listed(self, scope: Scope) -> Iterator[VideoId]:
        after = ""
        while page := self.inspection.listed_videos(
            after=after, limit=PAGE, org_id=scope.org_id
        ):
            yield from page
            after = page[-1]

    def _tasks(self, scope: Scope) -> Iterator[Damage]:
        for task in self.inspection.tasks_without_video(
            org_id=scope.org_id, limit=MOST_TASKS
        ):
            yield Damage(
                kind=DamageKind.TASK_WITHOUT_VIDEO,
                what=f"The task {task.kind} is about a video that there is not.",
                org_id=task.org_id,
                video_id=VideoId(task.subject),
                repair=Repair(
                    step=f"cancel the task {task.id}",
                    carry_out=partial(self._cancel, task),
                ),
            )

    def _cancel(self, task: Task) -> str:
        with self.uow.write() as work:
            ended = work.tasks.cancel(task.subject, kinds=(task.kind,))
            work.tasks.add(cancel_tasks(ended, now=work.now()))
            work.commit()
        return f"{len(ended)} tasks are cancelled"

    def _wrong(self, total: WrongTotal) -> Damage:
        recorded = "none" if total.recorded is None else total.recorded
        return Damage(
            kind=DamageKind.TOTALS,
            what=f"{total.of}: {recorded} recorded, {total.counted} counted.",
            org_id=total.org_id,
            repair=Repair(
                step="count all totals again",
                carry_out=partial(self._recount, total),
            ),
        )

    def _recount(self, total: WrongTotal) -> str:
        wrong = self.inspection.wrong_totals(org_id=total.org_id)
        if all(one.of != total.of for one in wrong):
            return "nothing: it is right by now"
        self.recount()
        return "all totals are counted again"
