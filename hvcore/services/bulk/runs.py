"""
Carry out bulk changes video by video: the work of ``bulk.change`` tasks.

An attempt works for a slice of time and puts its task back, so that other work of the
lane has its turn. A video is changed or deleted in the transaction that stores the
outcome for it: a process that dies at any moment doubles nothing.
"""

import time
from datetime import timedelta
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.rate_limits import Bucket, RateLimitState
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.bulk_changes import (
    BulkChange,
    BulkEnd,
    BulkKind,
    BulkOutcome,
    BulkState,
    TooManyTagsError,
    video_changes,
)
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    AlreadyDeletedError,
    ForbiddenError,
    InvalidParametersError,
    RateLimitExceededError,
    UnavailableError,
    VideoNotFoundError,
)
from hvcore.failpoints import failpoint
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.access.audit import acting_as_person, actor_of_person
from hvcore.services.sign_in.operation_limits import OperationLimits
from hvcore.services.sign_in.sessions import SignInSessions
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from hvcore.services.videos.deletion import Deletion
from hvcore.services.videos.editing import Editing

SLICE_S: Final = 3.0
"""The seconds that an attempt works before tasks of others have their turn."""
PAUSE: Final = timedelta(minutes=5)
"""The least time between two deletions while less than half of the allowance is left."""
ASKED_AGAIN_AFTER: Final = timedelta(minutes=1)
"""The pause of a bulk change while nobody can say whether the person still has the role."""
BATCH: Final = 25
"""Videos between two questions whether the person still has the role."""
NEEDED: Final = Role.EDITOR
"""The role that changes videos on pages, too."""


class _ChangedByOthersError(Exception):
    """Somebody else has changed a video since the question whether to delete it."""


@attrs.frozen(kw_only=True)
class BulkRuns:
    """Change the videos of bulk changes, each in the name of the person who confirmed it."""

    uow: UnitOfWork
    clock: Clock
    editing: Editing
    deletion: Deletion
    limits: OperationLimits
    sessions: SignInSessions

    def run(self, run: TaskRun) -> None:
        """
        Change the next videos of a bulk change, and put the task back if there are more.

        Raises:
            UnavailableError: The database does not answer.
        """
        with self.uow.read() as work:
            bulk = work.bulk_changes.find(run.task.subject)
        if bulk is None or bulk.state is not BulkState.RUNNING:
            run.finish()
            return
        ends_at = time.monotonic() + SLICE_S
        try:
            with acting_as_person(bulk.person):
                while time.monotonic() < ends_at:
                    if not self._change_batch(run, bulk):
                        return
        except RateLimitExceededError as error:
            wait = timedelta(seconds=int(error.headers["Retry-After"]))
            self._wait(run, bulk, wait)
            return
        with self.uow.write() as work:
            run.put_back(work, not_before=work.now(), error="")
            work.commit()

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        """
        Stop a bulk change whose task has failed for good; a person may have it go on.

        Args:
            reason: Not used: the page of the bulk change has a text of its own.
            error: The error's message, for operators.
        """
        del reason  # the page says it in its own words
        bulk = work.bulk_changes.find(task.subject)
        if bulk is not None:
            work.bulk_changes.end(bulk, BulkEnd.FAILED, work.now())
        work.tasks.fail(task, error=error)

    def _change_batch(self, run: TaskRun, bulk: BulkChange) -> bool:
        """Change some videos; return False if the bulk change has ended, or waits."""
        try:
            found = self.sessions.principal_now(bulk.person, bulk.org_id)
        except UnavailableError as error:
            self._wait(run, bulk, ASKED_AGAIN_AFTER, obstacle=error.detail)
            return False
        if found is None or not found[1].includes(NEEDED):
            self._end(run, bulk, BulkEnd.ROLE_LOST)
            return False
        caller = found[0]
        with self.uow.read() as work:
            video_ids = work.bulk_changes.waiting(bulk.id, BATCH)
        if not video_ids:
            self._end(run, bulk, BulkEnd.NONE)
            return False
        for video_id in video_ids:
            run.check()
            if bulk.kind is not BulkKind.DELETE:
                self._change(bulk, caller, video_id)
                continue
            counted = self._delete(bulk, caller, video_id)
            if counted is not None and self._leaves_too_little(bulk, counted):
                wait = max(PAUSE, counted.reset_at - self.clock.now())
                self._wait(run, bulk, wait)
                return False
        return True

    def _leaves_too_little(self, bulk: BulkChange, counted: RateLimitState) -> bool:
        """Return whether others need what remains of the limit, and videos are left."""
        if 2 * counted.remaining >= counted.rule.limit.requests:
            return False
        with self.uow.read() as work:
            return bool(work.bulk_changes.waiting(bulk.id, 1))

    def _change(self, bulk: BulkChange, caller: Principal, video_id: VideoId) -> None:
        try:
            with self.uow.write() as work:
                _, is_changed = self.editing.change_within(
                    work,
                    caller,
                    bulk.org_id,
                    video_id,
                    lambda video: video_changes(bulk, video),
                )
                _settle(
                    work,
                    bulk,
                    video_id,
                    BulkOutcome.CHANGED if is_changed else BulkOutcome.SAME,
                )
                failpoint("bulk.changed")
                work.commit()
        except VideoNotFoundError:
            self._note(bulk, video_id, BulkOutcome.GONE)
        except TooManyTagsError:
            self._note(bulk, video_id, BulkOutcome.TOO_MANY_TAGS)
        except (ForbiddenError, InvalidParametersError):
            self._note(bulk, video_id, BulkOutcome.REFUSED)
        else:
            self.editing.publish()

    def _delete(
        self, bulk: BulkChange, caller: Principal, video_id: VideoId
    ) -> RateLimitState | None:
        """Delete a video; return what remains of the limit, if it was counted."""
        with self.uow.read() as work:
            video = work.videos.find(video_id)
        if video is not None and video.state is VideoState.DELETED:
            # By somebody else.
            self._note(bulk, video_id, BulkOutcome.SAME)
            return None
        # Each is an operation, as it is for programs.
        counted = self.limits.count(bulk.org_id, Bucket.VIDEO_OPERATIONS)
        try:
            with self.uow.write() as work:
                deleted = self.deletion.order_within(
                    work,
                    caller,
                    bulk.org_id,
                    video_id,
                    DeletionReason.USER_REQUEST,
                    keep_hours=bulk.keep_hours,
                )
                _require_as_asked(work, bulk, video_id)
                # A video that is restored later must not have its turn again.
                _settle(work, bulk, video_id, BulkOutcome.CHANGED)
                failpoint("bulk.deleted")
                work.commit()
        except (AlreadyDeletedError, VideoNotFoundError):
            # By somebody else, a moment ago.
            self._note(bulk, video_id, BulkOutcome.SAME)
        except ForbiddenError:
            self._note(bulk, video_id, BulkOutcome.REFUSED)
        except _ChangedByOthersError:
            self._note(bulk, video_id, BulkOutcome.CHANGED_BY_OTHERS)
        else:
            self.deletion.publish(deleted)
        return counted

    def _note(self, bulk: BulkChange, video_id: VideoId, outcome: BulkOutcome) -> None:
        with self.uow.write() as work:
            _settle(work, bulk, video_id, outcome)
            work.commit()

    def _end(self, run: TaskRun, bulk: BulkChange, reason: BulkEnd) -> None:
        with self.uow.write() as work:
            work.bulk_changes.end(bulk, reason, work.now())
            run.finish(work)
            work.commit()

    def _wait(
        self, run: TaskRun, bulk: BulkChange, wait: timedelta, *, obstacle: str = ""
    ) -> None:
        with self.uow.write() as work:
            until = work.now() + wait
            work.bulk_changes.wait(bulk.id, until, obstacle)
            reason = obstacle or "The organization's rate limit leaves too little."
            run.put_back(work, not_before=until, error=reason)
            work.commit()


def _require_as_asked(work: Work, bulk: BulkChange, video_id: VideoId) -> None:
    """
    Refuse to delete a video that is not as it was when the person was asked.

    Raises:
        _ChangedByOthersError: Somebody else has changed the video since.
    """
    actor = actor_of_person(bulk.person)
    if work.audit.is_by_others(video_id, since=bulk.created_at, actor=actor):
        raise _ChangedByOthersError


def _settle(
    work: Work, bulk: BulkChange, video_id: VideoId, outcome: BulkOutcome
) -> None:
    """
    Store the outcome for a video.

    Raises:
        TaskStopped: The bulk change was stopped, or another attempt was quicker; nothing
            may be committed.
    """
    if not work.bulk_changes.settle(bulk.id, video_id, outcome):
        raise TaskStopped
