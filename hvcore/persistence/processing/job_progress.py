"""Calculate the progress of the running transcode jobs of some videos."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.tasks.kinds import PART_KINDS
from hvcore.domain.tasks.task import TaskState
from hvcore.persistence.tables import tasks

MAX_PROGRESS: Final = 99
"""What is not published yet is not finished."""


def progress_of(
    connection: Connection, running: Mapping[str, str]
) -> Mapping[str, int]:
    """
    Return the progress in percent (0 to 99) of running transcode jobs, by job id; jobs without planned parts are missing.

    Args:
        running: The video's id of each running job, by job id.
    """
    done = sa.case((tasks.c.state == TaskState.DONE.value, 1.0), else_=tasks.c.progress)
    share = sa.func.sum(tasks.c.weight * done)
    whole = sa.func.sum(tasks.c.weight)
    statement = (
        sa.select(tasks.c.subject, tasks.c.job_id, share, whole)
        .where(
            tasks.c.subject.in_([*running, *running.values()]),
            tasks.c.kind.in_(PART_KINDS),
        )
        .group_by(tasks.c.subject, tasks.c.job_id)
    )
    jobs = {video_id: job_id for job_id, video_id in running.items()}
    shares: dict[str, float] = {}
    for subject, job_id, part, total in connection.execute(statement):
        found = job_id or jobs.get(subject, subject)
        if found in running and total:
            shares[found] = part / total
    return {j: max(0, min(MAX_PROGRESS, int(100 * s))) for j, s in shares.items()}
