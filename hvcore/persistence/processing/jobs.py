"""Store the transcode jobs."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import JobId
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.tasks.kinds import (
    TRANSCODE_CANCEL,
    TRANSCODE_KINDS,
    TRANSCODE_PART,
)
from hvcore.domain.tasks.task import ENDED, Lane, TaskState
from hvcore.persistence.rows import job_from_row, job_to_row
from hvcore.persistence.statements import insert_unless_there
from hvcore.persistence.tables import tasks, transcode_jobs

_UNFINISHED: Final = [state.value for state in TaskState if state not in ENDED]


class SqlJobRepository:
    """Store transcode jobs; see ports.repositories.jobs.JobRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, job: TranscodeJob) -> bool:
        return insert_unless_there(self._connection, transcode_jobs, job_to_row(job))

    def find(self, job_id: JobId) -> TranscodeJob | None:
        statement = sa.select(transcode_jobs).where(transcode_jobs.c.id == job_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else job_from_row(row)

    def count_down(self, job_id: JobId) -> int:
        """
        Record one finished part of a transcode job; return how many parts are left.

        Raises:
            LookupError: There is no such job.
        """
        # One statement: of several finishing at once, exactly one gets 0.
        statement = (
            sa.update(transcode_jobs)
            .where(transcode_jobs.c.id == job_id)
            .values(parts_left=transcode_jobs.c.parts_left - 1)
            .returning(transcode_jobs.c.parts_left)
        )
        left: int | None = self._connection.execute(statement).scalar_one_or_none()
        if left is None:
            raise LookupError(f"there is no job {job_id}")
        return left

    def unfinished(self) -> Mapping[str, int]:
        """Return the number of jobs that still need a transcoder, by the transcoder's name."""
        jobs = sa.func.count(sa.distinct(transcode_jobs.c.id)).label("jobs")
        statement = (
            sa.select(transcode_jobs.c.transcoder, jobs)
            .join(tasks, tasks.c.job_id == transcode_jobs.c.id)
            .where(
                tasks.c.state.in_(_UNFINISHED),
                tasks.c.kind.in_([*TRANSCODE_KINDS, TRANSCODE_CANCEL]),
            )
            .group_by(transcode_jobs.c.transcoder)
        )
        return {row.transcoder: row.jobs for row in self._connection.execute(statement)}

    def waiting_s(self) -> float:
        """Return the total length of source video, in seconds, that waits for an encoder of this deployment."""
        seconds = sa.func.sum(tasks.c.weight * transcode_jobs.c.duration_s)
        statement = (
            sa.select(seconds)
            .join(transcode_jobs, transcode_jobs.c.id == tasks.c.job_id)
            .where(
                tasks.c.state.in_([TaskState.DUE.value, TaskState.QUEUED.value]),
                tasks.c.lane == Lane.ENCODE.value,
                tasks.c.kind == TRANSCODE_PART,
            )
        )
        return float(self._connection.execute(statement).scalar_one() or 0.0)
