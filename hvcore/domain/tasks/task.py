"""
Tasks: background work that workers carry out, with leases and retries.

A task is a row in the database. A worker that runs a task takes a lease on it. The
lease has a fence: a number that rises with each lease, so that a worker that was
thought to be dead cannot finish a task that another worker has started again.
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
"""The waits before the second attempt at a task, and before the third."""
CAPTIONS_BACKOFF: Final = (timedelta(minutes=1), timedelta(hours=1))
"""A transcription server that fails at every sound would end all captions that wait, with shorter waits."""
QUEUE_WINDOW: Final = 8
"""Tasks of one organization and lane in the queue at once: no flood of messages."""
RINGS_AGAIN_AFTER: Final = timedelta(seconds=15)
"""A queued task that nobody took by then is put into the queue once more."""


class Lane(Enum):
    """
    Name the lanes of tasks: separate queues, so that encodes never delay light work.

    PLAN and ASSEMBLE are the beginning and the end of a transcode job. They are light
    work, too; a job that can be finished is finished before another is begun. OUTBOUND
    tasks talk to other servers: fetches, webhooks, and parts that another service
    encodes. Light workers run many of these at a time, because they mostly wait. CAPTIONS
    tasks write down what is said; encoders take them while no encode can be taken.
    """

    ENCODE = "encode"
    ASSEMBLE = "assemble"
    PLAN = "plan"
    LIGHT = "light"
    OUTBOUND = "outbound"
    CAPTIONS = "captions"


LIGHT_LANES: Final = (Lane.ASSEMBLE, Lane.PLAN, Lane.LIGHT)
"""The lanes of a light worker, the most urgent first."""
ENCODE_LANES: Final = (Lane.ENCODE, Lane.CAPTIONS)
"""The lanes of an encode worker, the most urgent first."""
FAIR_LANES: Final = (*LIGHT_LANES, *ENCODE_LANES)
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
    Describe a task that is to be stored.

    Attributes:
        subject: The object of the work, such as a video's id.
        payload: The parameters of the task as plain JSON data.
        not_before: The earliest moment at which the task may run; None is at once.
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
    Describe a task as the database stores it.

    Attributes:
        attempts: The number of attempts that failed with an error.
        losses: The number of leases that expired because their worker vanished.
        leased_at: When the last attempt began.
        progress: The finished share of the task, 0.0 to 1.0.
        result: The result of the finished task as plain JSON data; None if it has none.
        error: The reason for the last attempt's failure, for operators.
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


@attrs.frozen(kw_only=True)
class TaskCount:
    """
    Count the tasks of one kind in one state.

    Attributes:
        is_later: Whether the counted tasks may run only at a later moment, such as
            another attempt.
        oldest_due_at: The earliest moment at which one of the counted tasks may run.
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
    Count the tasks of a lane that have not ended, and the tasks that failed.

    Attributes:
        due: Tasks that wait and may run now.
        later: Tasks that may run only at a later moment, such as another attempt.
        queued: Tasks whose id was put into the queue.
        leased: Tasks that a worker is running.
        oldest_due_at: Since when the oldest task that may run now has waited.
    """

    lane: Lane
    due: int = 0
    later: int = 0
    queued: int = 0
    leased: int = 0
    failed: int = 0
    oldest_due_at: datetime | None = None
