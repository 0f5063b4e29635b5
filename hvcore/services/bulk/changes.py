"""
Prepare changes of many videos (bulk changes), which a person confirms; start and stop them.

The videos are those that were found when the question was asked: what is uploaded
afterwards is not among them, and what is changed or deleted meanwhile stays among them.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Person
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import OrgId, VideoId, new_bulk_change_id
from hvcore.domain.tasks.kinds import BULK_CHANGE
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.videos.bulk_changes import (
    BULK_KEPT_FOR,
    MAX_BULK_VIDEOS,
    MAX_RUNNING_BULK_CHANGES,
    QUESTION_KEPT_FOR,
    TAGGING,
    BulkChange,
    BulkEnd,
    BulkFailure,
    BulkKind,
    BulkProgress,
    BulkState,
)
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.errors import ConflictError, InvalidParametersError, NotFoundError
from hvcore.ports.repositories.catalog import VideoCatalog
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import record
from hvcore.services.bulk.question_limit import QuestionLimit

NO_VIDEO: Final = "No video was chosen."


@attrs.frozen(kw_only=True)
class BulkView:
    """
    Show a bulk change with its progress.

    Attributes:
        first_ids: The first videos that were chosen.
        failures: The first videos that could not be changed.
    """

    bulk: BulkChange
    progress: BulkProgress
    first_ids: Sequence[VideoId]
    failures: Sequence[BulkFailure]


@attrs.frozen(kw_only=True)
class BulkChanges:
    """
    Prepare bulk changes of videos, start and stop them, and show their progress.

    Attributes:
        keep_hours: For how many hours videos can be restored that new bulk changes delete.
    """

    uow: UnitOfWork
    videos: VideoCatalog
    questions: QuestionLimit
    clock: Clock
    keep_hours: int

    def ask_found(
        self, env: Environment, person: Person, kind: BulkKind, query: VideoQuery
    ) -> BulkChange:
        """
        Prepare a bulk change of all videos that a query finds now, for a person to confirm.

        Raises:
            InvalidParametersError: The query finds no video, or too many.
            RateLimitExceededError: The person has asked too many such questions.
        """
        self.questions.count(person)
        # One statement: a video that is uploaded meanwhile moves none onto another page.
        whole = attrs.evolve(query, page=1, page_size=MAX_BULK_VIDEOS + 1)
        found = self.videos.ids(env, whole)
        if len(found.ids) > MAX_BULK_VIDEOS:
            count = "Too many" if found.has_more else f"{found.total:,}"
            raise InvalidParametersError(
                f"{count} videos were found, and at most {MAX_BULK_VIDEOS:,} can "
                "be changed at once. Narrow the search, for example by a day."
            )
        return self._ask(env, person, kind, found.ids)

    def ask_chosen(
        self, env: Environment, person: Person, kind: BulkKind, chosen: Sequence[str]
    ) -> BulkChange:
        """
        Prepare a bulk change, for a person to confirm, of chosen videos.

        Ids of missing videos are left out.

        Raises:
            InvalidParametersError: None of the videos is there.
        """
        there = self.videos.listed(env, chosen)
        in_order = [VideoId(one) for one in dict.fromkeys(chosen) if one in there]
        return self._ask(env, person, kind, in_order)

    def start(
        self, org_id: OrgId, bulk_id: str, person: Person, tags: tuple[str, ...] = ()
    ) -> BulkChange:
        """
        Start a bulk change that its person has confirmed, or let a stopped one go on.

        A bulk change that runs or is done stays as it is: a form that is sent twice starts it
        once.

        Args:
            tags: The tags that are added or removed; those of a stopped one stay.

        Raises:
            NotFoundError: The organization has no such bulk change, or the bulk change
                waited too long to be confirmed.
            ConflictError: The organization has too many running bulk changes.
            InvalidParametersError: Tags are needed and not given.
        """
        with self.uow.write() as work:
            bulk = _find(work, org_id, bulk_id)
            if bulk.state in {BulkState.RUNNING, BulkState.DONE}:
                return bulk
            if bulk.state is BulkState.STOPPED:
                tags = bulk.tags
            elif bulk.created_at + QUESTION_KEPT_FOR <= self.clock.now():
                raise NotFoundError
            if bulk.kind in TAGGING and not tags:
                raise InvalidParametersError("Give at least one tag.")
            if work.bulk_changes.count_running(org_id) >= MAX_RUNNING_BULK_CHANGES:
                raise ConflictError(
                    f"{MAX_RUNNING_BULK_CHANGES} bulk changes of this organization run. "
                    "Wait for one of them, or stop it."
                )
            if work.bulk_changes.start(bulk, person, tags, self.clock.now()):
                work.tasks.add(
                    [
                        NewTask(
                            kind=BULK_CHANGE,
                            lane=Lane.LIGHT,
                            org_id=org_id,
                            subject=bulk.id,
                        )
                    ]
                )
                record(
                    work,
                    "bulk.start",
                    bulk.id,
                    org_id=org_id,
                    change=bulk.kind.value,
                    videos=bulk.total,
                )
                work.commit()
        return bulk

    def stop(self, org_id: OrgId, bulk_id: str) -> None:
        """
        Stop a running bulk change; the videos that it has changed stay changed.

        Raises:
            NotFoundError: The organization has no such bulk change.
        """
        with self.uow.write() as work:
            bulk = _find(work, org_id, bulk_id)
            if work.bulk_changes.end(bulk, BulkEnd.BY_PERSON, self.clock.now()):
                work.tasks.cancel(bulk.id, kinds=(BULK_CHANGE,))
                record(work, "bulk.stop", bulk.id, org_id=org_id)
                work.commit()

    def view(
        self, org_id: OrgId, bulk_id: str, *, first: int, most_failures: int
    ) -> BulkView:
        """
        Return a bulk change with its progress.

        Args:
            first: The most ids of chosen videos in the result.
            most_failures: The most videos that could not be changed in the result.

        Raises:
            NotFoundError: The organization has no such bulk change.
        """
        with self.uow.read() as work:
            bulk = _find(work, org_id, bulk_id)
            return BulkView(
                bulk=bulk,
                progress=work.bulk_changes.progress(bulk.id),
                first_ids=work.bulk_changes.first_videos(bulk.id, first),
                failures=work.bulk_changes.failures(bulk.id, most_failures),
            )

    def latest(self, org_id: OrgId, limit: int) -> Sequence[BulkView]:
        """Return the latest bulk changes of an organization with their progress."""
        with self.uow.read() as work:
            found = work.bulk_changes.latest(org_id, limit)
            return [_brief(work, bulk) for bulk in found]

    def running(self, org_id: OrgId) -> Sequence[BulkView]:
        """Return the bulk changes of an organization that run, with their progress."""
        # Of these alone: to count the videos of all that have ended took every list long.
        with self.uow.read() as work:
            return [_brief(work, bulk) for bulk in work.bulk_changes.running(org_id)]

    def forget_old(self) -> None:
        """Remove bulk changes that nobody confirmed, and those that ended long ago."""
        now = self.clock.now()
        with self.uow.write() as work:
            work.bulk_changes.remove_old(
                asked_before=now - QUESTION_KEPT_FOR, ended_before=now - BULK_KEPT_FOR
            )
            work.commit()

    def _ask(
        self,
        env: Environment,
        person: Person,
        kind: BulkKind,
        video_ids: Sequence[VideoId],
    ) -> BulkChange:
        if not video_ids:
            raise InvalidParametersError(NO_VIDEO)
        with self.uow.write() as work:
            # By the clock of the audit log, which tells what was changed since.
            now = work.now()
            bulk = BulkChange(
                id=new_bulk_change_id(),
                org_id=env.org_id,
                env_id=env.id,
                kind=kind,
                person=person,
                total=len(video_ids),
                # The person confirms this figure: a worker may have other settings.
                keep_hours=self.keep_hours,
                created_at=now,
                changed_at=now,
            )
            # Of each person one is kept: what waits for an answer does not grow.
            work.bulk_changes.remove_questions(person, env.org_id)
            work.bulk_changes.add(bulk, video_ids)
            work.commit()
        return bulk


def _brief(work: Work, bulk: BulkChange) -> BulkView:
    return BulkView(
        bulk=bulk,
        progress=work.bulk_changes.progress(bulk.id),
        first_ids=(),
        failures=(),
    )


def _find(work: Work, org_id: OrgId, bulk_id: str) -> BulkChange:
    bulk = work.bulk_changes.find(bulk_id)
    if bulk is None or bulk.org_id != org_id:
        raise NotFoundError
    return bulk
