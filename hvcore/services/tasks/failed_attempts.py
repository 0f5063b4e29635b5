"""Handle failed attempts: the task waits, is tried again, or fails for good."""

import logging
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.processing.conformance_reports import NotConformantError
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.speech import TranscriptionError, UnusableSoundError
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.task import (
    MAX_ATTEMPTS,
    Lane,
    Task,
    TaskState,
)
from hvcore.ports.mail import MailAnswerLostError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.handlers import TaskHandler
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.tasks.outages import (
    HANDED_ON_WAITS,
    OUTAGE_WAITS,
    HostRest,
    is_of_this_host,
    is_outage,
    outage_wait,
)

_log = logging.getLogger(__name__)

_FINAL: Final = (UnusableSourceError, UnusableSoundError, NotConformantError)
"""Errors that every further attempt would have, too."""
_FOR_ONE_ATTEMPT: Final = (TranscodeError, TranscriptionError, MailAnswerLostError)
"""Errors of this attempt, whose texts say all that is to be known."""
PATIENT_BACKOFF_MAX: Final = timedelta(minutes=10)


def has_lost_answer(task: Task) -> bool:
    """Return whether a task has failed because a mail server never said whether it took the mail."""
    # The only trace: a task has no other field for its reason.
    is_lost = task.error.startswith(MailAnswerLostError.__name__)
    return task.state is TaskState.FAILED and is_lost


@attrs.frozen(kw_only=True)
class FailedAttempts:
    """
    Record failed attempts at tasks, and decide what follows.

    Attributes:
        rest: The pause of this host's worker, which begins if this host is the cause,
            such as by a full disk.
    """

    uow: UnitOfWork
    rest: HostRest

    def end(self, run: TaskRun, handler: TaskHandler, error: Exception) -> str:
        """
        Put a task back after a failed attempt, or fail it for good; return the outcome's name.

        Returns:
            The outcome's name in the metrics: ``waits``, ``tried_again``, ``failed`` or
            ``lost``.
        """
        if is_outage(error):
            self._wait_out(run, error)
            return "waits"
        task = run.task
        reason = _reason(error)
        attempts = task.attempts + 1
        final = isinstance(error, _FINAL) or (
            attempts >= MAX_ATTEMPTS and not handler.is_patient
        )
        _log.log(
            logging.WARNING if _is_expected(error) else logging.ERROR,
            "task attempt failed",
            extra={
                "hv_task": task.id,
                "hv_kind": task.kind,
                "hv_attempt": attempts,
                "hv_why": _operator_text(error),
            },
            exc_info=None if _is_expected(error) else error,
        )
        with self.uow.write() as work:
            if final:
                handler.give_up(work, task, reason, error=_operator_text(error))
                is_ended = _was_failed(work, task)
            else:
                is_ended = work.tasks.put_back(
                    task,
                    not_before=work.now() + _wait(attempts, handler, error),
                    attempts=attempts,
                    error=_operator_text(error),
                )
            # An attempt that has lost its lease was charged when the lease was lost.
            if is_ended:
                run.charge(work)
            work.commit()
        if not is_ended:
            return "lost"
        return "failed" if final else "tried_again"

    def _wait_out(self, run: TaskRun, error: Exception) -> None:
        # Not the task's fault: it waits, however long, and costs no attempt.
        task = run.task
        _log.warning(
            "task waits for the service",
            extra={
                "hv_task": task.id,
                "hv_kind": task.kind,
                "hv_why": _waits_for(error),
            },
        )
        wait = outage_wait(error)
        # Who runs outbound tasks has other work meanwhile that needs no disk.
        if is_of_this_host(error) and task.lane is not Lane.OUTBOUND:
            self.rest.begin()
            wait = HANDED_ON_WAITS
        with self.uow.write() as work:
            if work.tasks.put_back(
                task,
                not_before=work.now() + wait,
                error=_operator_text(error),
            ):
                run.charge(work)
            work.commit()


def _was_failed(work: Work, task: Task) -> bool:
    """Return whether this attempt has failed the task: another one has a new fence."""
    found = work.tasks.find(task.id)
    return (
        found is not None
        and found.state is TaskState.FAILED
        and found.fence == task.fence
    )


def _waits_for(error: Exception) -> str:
    said = getattr(error, "said", None)
    return f"{error} It says: {said}" if said else f"{error}"


def _wait(attempts: int, handler: TaskHandler, error: Exception) -> timedelta:
    if isinstance(error, MailAnswerLostError):
        # A server that looks for viruses too slowly is as busy in two seconds.
        return attempts * OUTAGE_WAITS
    if not handler.is_patient:
        return handler.backoff[min(attempts, len(handler.backoff)) - 1]
    return min(timedelta(seconds=2.0 ** min(attempts, 12)), PATIENT_BACKOFF_MAX)


def _is_expected(error: Exception) -> bool:
    return isinstance(error, (*_FINAL, *_FOR_ONE_ATTEMPT))


def _reason(error: Exception) -> str:
    if _is_expected(error):
        return str(error)
    return "Processing failed because of an internal error."


def _operator_text(error: Exception) -> str:
    log = getattr(error, "log", "")
    return f"{type(error).__name__}: {error} {log}".strip()[:4000]
