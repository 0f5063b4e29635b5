"""
Hold the lease of a task during one attempt at it.

A worker renews the lease while it works. When the lease is lost, the task cancelled
or the service stopping, the next ``check()`` of the work raises, and the work throws its
results away.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Self

import attrs

from hvcore.domain.tasks.task import LEASE, Task
from hvcore.errors import UnavailableError
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.costs import Meter

_log = logging.getLogger(__name__)

RENEW_EVERY_S: Final = 0.8
"""How often a lease is renewed and a cancelled task is noticed; a delete promises 2 s."""


class TaskStopped(BaseException):
    """
    Ends the work of a task whose lease is lost or whose process is stopping.

    Not an Exception, so that no handler of errors swallows it.
    """


class TaskRun:
    """
    One attempt at a task, with which the work reports, checks and ends the task.

    Used as a context manager around the work; while it is open, a thread
    renews the lease.
    """

    def __init__(
        self, uow: UnitOfWork, task: Task, stopping: Callable[[], bool]
    ) -> None:
        self.task = task
        self._uow = uow
        self._stopping = stopping
        self._progress: float | None = None
        self._lost = threading.Event()
        self._over = threading.Event()
        self._meter = Meter()
        self._renewer = threading.Thread(
            target=self._renew, name=f"lease-{task.id}", daemon=True
        )

    def __enter__(self) -> Self:
        self._renewer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._renewer.join()

    @property
    def is_lost(self) -> bool:
        """Return whether the lease is lost: another worker has the task, or it was cancelled."""
        return self._lost.is_set()

    def check(self) -> None:
        """
        Raise ``TaskStopped`` if the work must stop.

        Raises:
            TaskStopped: The lease is lost or this process is stopping.
        """
        if self._lost.is_set() or self._stopping():
            raise TaskStopped

    def holds_after(self, wait_s: float) -> bool:
        """
        Wait for the given seconds, and return whether the work may go on.

        If the lease is lost meanwhile, return False at once.
        """
        return not self._lost.wait(wait_s) and not self._stopping()

    def report(self, progress: float) -> None:
        """Record the finished share of the work, 0.0 to 1.0; it is stored when the lease is renewed."""
        self._progress = min(max(progress, 0.0), 1.0)

    def finish(
        self,
        work: Work | None = None,
        *,
        result: Mapping[str, object] | None = None,
    ) -> None:
        """
        Mark the task as done, in the given transaction or one of its own.

        Args:
            result: The result of the task as plain JSON data; None if it has none.

        Raises:
            TaskStopped: The lease is lost; the transaction must not be
                committed.
        """
        if work is not None:
            if not work.tasks.finish(self.task, result=result):
                raise TaskStopped
            self.charge(work)
            return
        with self._uow.write() as own:
            self.finish(own, result=result)
            own.commit()

    def put_back(
        self,
        work: Work,
        *,
        not_before: datetime,
        error: str,
        payload: Mapping[str, object] | None = None,
        progress: float | None = None,
    ) -> None:
        """
        Have the task run again later, in the given transaction.

        This does not count as a failed attempt, because nothing has gone wrong with the task.

        Args:
            error: Why the task waits, for operators.
            payload: The task's new payload, for the next attempt; None leaves it unchanged.
            progress: The finished share, 0.0 to 1.0; None leaves it unchanged.

        Raises:
            TaskStopped: The lease is lost; the transaction must not be
                committed.
        """
        if not work.tasks.put_back(
            self.task,
            not_before=not_before,
            error=error,
            payload=payload,
            progress=progress,
        ):
            raise TaskStopped
        self.charge(work)

    def note(
        self,
        work: Work,
        payload: Mapping[str, object],
        *,
        progress: float | None = None,
    ) -> bool:
        """
        Replace the task's payload during its work, for later attempts, in a given transaction.

        Args:
            progress: The finished share, 0.0 to 1.0; None leaves it unchanged.

        Returns:
            False if the lease is lost.
        """
        if not work.tasks.note(self.task, payload, progress=progress):
            return False
        self.task = attrs.evolve(self.task, payload=payload)
        return True

    def charge(self, work: Work) -> None:
        """
        Charge the organization for the cost of this attempt, in the given transaction.

        Called by code that ends the attempt without ``finish`` or ``put_back``. Called
        in the thread that does the work, after its children have ended.
        """
        work.tasks.charge(self.task, self._meter.cost_s())

    def _renew(self) -> None:
        # Whatever ends this thread, the work must not go on without a lease.
        try:
            self._renew_until_over()
        except Exception:  # noqa: BLE001 - else the thread would end in silence
            _log.exception("lease not renewed", extra={"hv_task": self.task.id})
        finally:
            if not self._over.is_set():
                self._lost.set()

    def _renew_until_over(self) -> None:
        renewed_at = time.monotonic()
        while not self._over.wait(RENEW_EVERY_S):
            asked_at = time.monotonic()
            try:
                with self._uow.write(is_durable=False) as work:
                    held = work.tasks.renew(self.task, progress=self._progress)
                    work.commit()
            except UnavailableError:
                if time.monotonic() - renewed_at >= LEASE.total_seconds():
                    return
                continue
            if not held:
                return
            renewed_at = asked_at
