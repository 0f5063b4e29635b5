"""Store jobs that make captions by machine; see ports.repositories.caption_jobs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.ids import CaptionJobId, VideoId
from hvcore.domain.processing.speech import SpokenCue
from hvcore.domain.videos.caption_jobs import (
    RUNNING_STATES,
    CaptionJob,
    CaptionJobState,
    CaptionWindow,
)
from hvcore.domain.videos.heard_speech import HeardLanguage, HeardSpeech
from hvcore.persistence.json_columns import dump, load
from hvcore.persistence.statements import insert_into, insert_new
from hvcore.persistence.tables import caption_jobs, caption_windows

_JOB: Final = caption_jobs.c
_WINDOW: Final = caption_windows.c
_HEARD: Final = _JOB.heard_json
# What was heard is long, and no part of a job.
_OF_JOB: Final = [column for column in _JOB if column is not _HEARD]
# Read where they are: the times of all speech in a long video are 100 KB.
_PARTS_OF_HEARD: Final = {
    "sqlite": (
        "json_extract(heard_json, '$.language')",
        "json_extract(heard_json, '$.spans[0][0]')",
    ),
    "postgresql": (
        "(heard_json::json ->> 'language')",
        "(heard_json::json -> 'spans' -> 0 ->> 0)",
    ),
}
_RUNNING: Final = sorted(state.value for state in RUNNING_STATES)


class SqlCaptionJobRepository:
    """Store caption jobs and their windows; see ports.repositories.caption_jobs.CaptionJobRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, job: CaptionJob) -> None:
        former = sa.select(_JOB.id).where(
            _JOB.video_id == job.video_id, _JOB.wish == job.wish
        )
        self._connection.execute(
            sa.delete(caption_windows).where(
                _WINDOW.job_id.in_(former.scalar_subquery())
            )
        )
        row = _row(job)
        self._connection.execute(
            insert_into(self._connection, caption_jobs)
            .values(row)
            .on_conflict_do_update(index_elements=[_JOB.video_id, _JOB.wish], set_=row)
        )

    def find(self, job_id: CaptionJobId) -> CaptionJob | None:
        statement = sa.select(*_OF_JOB).where(_JOB.id == job_id)
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _job(row)

    def of_video(self, video_id: VideoId) -> Sequence[CaptionJob]:
        statement = (
            sa.select(*_OF_JOB).where(_JOB.video_id == video_id).order_by(_JOB.wish)
        )
        return [_job(row) for row in self._connection.execute(statement).mappings()]

    def save(self, job: CaptionJob) -> bool:
        statement = (
            sa.update(caption_jobs)
            .where(_JOB.id == job.id, _JOB.state.in_(_RUNNING))
            .values(_row(job))
        )
        return self._connection.execute(statement).rowcount == 1

    def add_window(self, job: CaptionJob, window: CaptionWindow) -> None:
        insert_new(
            self._connection,
            caption_windows,
            {
                "job_id": job.id,
                "start_ms": window.start_ms,
                "video_id": job.video_id,
                "end_ms": window.end_ms,
                "cues_json": dump(window.cues),
            },
        )

    def windows(self, job_id: CaptionJobId) -> Sequence[CaptionWindow]:
        statement = (
            sa.select(caption_windows)
            .where(_WINDOW.job_id == job_id)
            .order_by(_WINDOW.start_ms)
        )
        return [
            CaptionWindow(
                start_ms=row["start_ms"],
                end_ms=row["end_ms"],
                cues=load(row["cues_json"], tuple[SpokenCue, ...]),
            )
            for row in self._connection.execute(statement).mappings()
        ]

    def remove_windows(self, job_id: CaptionJobId) -> None:
        self._connection.execute(
            sa.delete(caption_windows).where(_WINDOW.job_id == job_id)
        )

    def save_heard(self, job_id: CaptionJobId, heard: HeardSpeech | None) -> None:
        self._connection.execute(
            sa.update(caption_jobs)
            .where(_JOB.id == job_id)
            .values(heard_json=None if heard is None else dump(heard))
        )

    def heard_languages(self, video_id: VideoId) -> Sequence[HeardLanguage]:
        language, first_span = _PARTS_OF_HEARD[self._connection.dialect.name]
        statement = (
            sa.select(_JOB.wish, sa.literal_column(language), _JOB.changed_at)
            .where(
                _JOB.video_id == video_id,
                _HEARD.is_not(None),
                sa.literal_column(first_span).is_not(None),
            )
            .order_by(_JOB.changed_at.desc(), _JOB.wish)
        )
        return [
            HeardLanguage(wish=wish, language=language, changed_at=changed_at)
            for wish, language, changed_at in self._connection.execute(statement)
        ]

    def heard(self, video_id: VideoId, wish: str) -> HeardSpeech | None:
        statement = sa.select(_HEARD).where(
            _JOB.video_id == video_id, _JOB.wish == wish
        )
        text = self._connection.execute(statement).scalar()
        return None if text is None else load(text, HeardSpeech)


def _row(job: CaptionJob) -> Mapping[str, Any]:
    return {**attrs.asdict(job), "state": job.state.value}


def _job(row: RowMapping) -> CaptionJob:
    return CaptionJob(**{**row, "state": CaptionJobState(row["state"])})
