"""
Tasks: all later work, which worker holds it, and when it is tried again.

A task is a row. A worker that runs a task takes a lease on it. The lease has a
fence: a number that rises with each lease, so that a worker that was taken for
dead cannot finish a task that another one has started again.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.ids import OrgId, TaskId, new_task_id

LEASE: Final = timedelta(seconds=20)
MAX_ATTEMPTS: Final = 3
"""Attempts that may end by themselves before a task fails for good."""
MAX_LOSSES: Final = 20
"""Workers that may vanish under a task; a machine's crash is not its fault."""
BACKOFF: Final = (timedelta(seconds=2), timedelta(seconds=15))
QUEUE_WINDOW: Final = 8
"""Tasks of one organization and lane in the queue at once: no flood of messages."""
RINGS_AGAIN_AFTER: Final = timedelta(seconds=15)
"""A queued task that nobody took by then is put into the queue once more."""


class Lane(Enum):
    """
    The lanes of tasks: long encodes never hold up light work.

    ASSEMBLE and PLAN are the end and the beginning of a job. They are light work,
    too; what can be finished is finished before more is begun.
    OUTBOUND is what talks to other people's servers: fetches, webhooks, and parts that
    are made elsewhere.
    Light workers run many of these at a time, because they mostly wait.
    """

    ENCODE = "encode"
    ASSEMBLE = "assemble"
    PLAN = "plan"
    LIGHT = "light"
    OUTBOUND = "outbound"


LIGHT_LANES: Final = (Lane.ASSEMBLE, Lane.PLAN, Lane.LIGHT)
"""What a light worker does itself, the most urgent first."""
FAIR_LANES: Final = (*LIGHT_LANES, Lane.ENCODE)
"""Where the database decides whose task is next; see fair_order."""


class TaskState(Enum):
    """The states of a task."""

    DUE = "due"
    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


ORIGIN: Final = "requestId"
"""Of a payload: the request that the task comes from."""
ENDED: Final = frozenset({TaskState.DONE, TaskState.FAILED, TaskState.CANCELLED})


@attrs.frozen(kw_only=True)
class NewTask:
    """
    A task as it is ordered.

    Attributes:
        subject: What it is about, such as a video's id.
        payload: Plain JSON data.
        not_before: The earliest moment it may run; None is at once.
    """

    id: TaskId = attrs.field(factory=new_task_id)
    kind: str
    lane: Lane
    org_id: OrgId
    subject: str
    payload: Mapping[str, object] = attrs.field(factory=dict)
    not_before: datetime | None = None


@attrs.frozen(kw_only=True)
class Task:
    """
    A task as it stands in the database.

    Attributes:
        attempts: Attempts that ended by themselves, with an error.
        losses: Leases that ran out because their worker vanished.
        leased_at: When the last attempt began.
        progress: Finished share, 0.0 to 1.0.
        result: What the finished task has left, plain JSON data.
        error: Why the last attempt failed, for operators.
    """

    id: TaskId
    kind: str
    lane: Lane
    org_id: OrgId
    subject: str
    payload: Mapping[str, object]
    state: TaskState
    not_before: datetime
    created_at: datetime
    updated_at: datetime
    fence: int = 0
    leased_at: datetime | None = None
    lease_until: datetime | None = None
    worker: str = ""
    attempts: int = 0
    losses: int = 0
    progress: float = 0.0
    result: Mapping[str, object] | None = None
    error: str = ""


def backoff(attempts: int) -> timedelta:
    """Return the time to wait after a number of failed attempts."""
    return BACKOFF[min(attempts, len(BACKOFF)) - 1]


@attrs.frozen(kw_only=True)
class TaskCount:
    """
    The number of tasks of a kind in a state.

    Attributes:
        is_later: Due at a later moment, such as another attempt.
        oldest_due_at: The earliest moment at which one of them may run.
    """

    lane: str
    kind: str
    state: str
    is_later: bool
    count: int
    oldest_due_at: datetime


@attrs.frozen(kw_only=True)
class LaneBacklog:
    """
    The tasks of a lane that have not ended, and those that failed.

    Attributes:
        due: Waiting, and may run now.
        later: Due at a later moment, such as another attempt.
        queued: A worker was told of it.
        leased: In work.
        oldest_due_at: Since when the oldest of those that may run now waits.
    """

    lane: Lane
    due: int = 0
    later: int = 0
    queued: int = 0
    leased: int = 0
    failed: int = 0
    oldest_due_at: datetime | None = None
