"""Log attempts at tasks, and count them in the metrics."""

import logging
from collections.abc import Mapping

from hvcore import log_context
from hvcore.domain.ids import is_video_id
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS
from hvcore.domain.tasks.task import ORIGIN, Task
from hvcore.metrics.declared import TASK_RUN_DURATION, TASK_RUNS

_log = logging.getLogger(__name__)


def ids_of(task: Task) -> Mapping[str, str]:
    """Return a task's id and kind, and the ids of its organization, video and request, for log lines."""
    ids = {"task": task.id, "kind": task.kind, "organization": task.org_id}
    if is_video_id(task.subject):
        ids["video"] = task.subject
    origin = task.payload.get(ORIGIN)
    return {**ids, log_context.REQUEST_ID: origin} if isinstance(origin, str) else ids


def note_attempt(task: Task, outcome: str, took_s: float) -> None:
    """
    Count an ended attempt at a task in the metrics, and log it if it is of a transcode job.

    Args:
        outcome: One of the outcomes that the metric names, such as ``done``.
        took_s: The duration of the attempt, in seconds.
    """
    lane = task.lane.value
    TASK_RUNS.add(lane, task.kind, outcome)
    TASK_RUN_DURATION.observe(lane, task.kind, amount=took_s)
    if task.kind in TRANSCODE_KINDS:
        # With the id of its request: where a video was made, and how long that took.
        _log.info(
            "task attempt ended",
            extra={
                "hv_task": task.id,
                "hv_kind": task.kind,
                "hv_outcome": outcome,
                "hv_took_s": round(took_s, 3),
            },
        )
