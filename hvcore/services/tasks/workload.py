"""Measure the work that waits, for programs that scale workers."""

from collections.abc import Sequence
from datetime import datetime

import attrs

from hvcore.domain.tasks.task import TaskCount
from hvcore.ports.unit_of_work import UnitOfWork


@attrs.frozen(kw_only=True)
class Workload:
    """
    The work that waits at a moment, in all lanes.

    Attributes:
        at: The moment at which the work was measured, by the database's clock.
        counts: The numbers of tasks by lane, kind and state.
        waiting_encode_s: Seconds of source video that wait for an encode worker.
        clock_ahead_s: The seconds by which this host's clock is ahead of the
            database's.
        installed_at: The moment since which the database has the installation's id; None if not
            known.
        backed_up_at: The moment of the newest backup; None if there is none.
    """

    at: datetime
    counts: Sequence[TaskCount]
    waiting_encode_s: float
    clock_ahead_s: float = 0.0
    installed_at: datetime | None = None
    backed_up_at: datetime | None = None


def read_workload(uow: UnitOfWork) -> Workload:
    """
    Read the amount of waiting work from the database.

    Raises:
        UnavailableError: The database does not answer.
    """
    ahead_s = uow.clock_ahead_s()
    with uow.read() as work:
        return Workload(
            at=work.now(),
            counts=work.tasks.counts(),
            waiting_encode_s=work.tasks.waiting_encode_s(),
            clock_ahead_s=ahead_s,
        )
