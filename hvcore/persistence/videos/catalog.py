"""Read the videos that lists and single descriptions show."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.source_figures import SourceFigures
from hvcore.domain.videos.catalog import (
    TagTotal,
    VideoIds,
    VideoPage,
    VideoQuery,
    VideoSummary,
)
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.engine import reading, reading_by_index
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row
from hvcore.persistence.processing.job_progress import progress_of
from hvcore.persistence.processing.probed_sources import ProbedSources
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.rows import encoding_settings, labels_from_text, video_from_row
from hvcore.persistence.spoken.hits import read_hits
from hvcore.persistence.spoken.pages import SpokenPages
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import EPOCH, UtcDateTime, videos
from hvcore.persistence.videos.page_conditions import plain
from hvcore.persistence.videos.page_statements import SHOWN
from hvcore.persistence.videos.pages import VideoPages
from hvcore.persistence.videos.tag_totals import TagTotals

MAX_OUTLINES: Final = 2_000
"""About 12 MB."""
_STATES: Final = {state.value: state for state in VideoState}
_JOB_ID: Final = 10
"""The place of the id of the job in a row: see page_statements.SHOWN."""


class SqlVideoCatalog:
    """Read videos for lists and descriptions; see ports.repositories.catalog.VideoCatalog."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reads = FastReads(engine)
        self._sources = ProbedSources(self._reads)
        self._pages = VideoPages(engine, self._reads, has_ids_alone=False)
        self._ids = VideoPages(engine, self._reads, has_ids_alone=True)
        self._spoken = SpokenPages(engine, self._read_ids)
        self._tags = TagTotals(self._reads)
        self._outlines = MediaCache(10 * MAX_OUTLINES)
        self._by_id = self._reads.prepare(_BY_ID)
        self._by_public_id = self._reads.prepare(_BY_PUBLIC_ID)
        self._by_external_id = self._reads.prepare(_BY_EXTERNAL_ID)

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        if query.spoken:
            return self._spoken_page(env, query)
        rows, total = self._pages.read(env, query)
        sources = self._sources.of(row[_JOB_ID] for row in rows)
        videos = tuple(_summary(row, sources.get(row[_JOB_ID])) for row in rows)
        return VideoPage(videos=videos, total=total)

    def ids(self, env: Environment, query: VideoQuery) -> VideoIds:
        if query.spoken:
            with reading_by_index(self._engine) as connection:
                found = self._spoken.read(connection, env, query)
            return VideoIds(
                ids=tuple(found.ids), total=found.total, has_more=found.has_more
            )
        rows, total = self._ids.read(env, query)
        return VideoIds(ids=tuple(VideoId(row[0]) for row in rows), total=total)

    def listed(self, env: Environment, video_ids: Sequence[str]) -> frozenset[VideoId]:
        wanted = sa.select(videos.c.id).where(
            videos.c.id.in_([one for one in video_ids if is_storable(one)]),
            videos.c.org_id == env.org_id,
            videos.c.env_id == env.id,
            videos.c.state.in_(sorted(state.value for state in LISTED_STATES)),
        )
        with reading(self._engine) as connection:
            return frozenset(map(VideoId, connection.execute(wanted).scalars()))

    def tags(self, env: Environment, part: str, most: int) -> Sequence[TagTotal]:
        return self._tags.find(env, part, most)

    def find(self, video_id: str) -> Video | None:
        if not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        question = self._by_public_id if is_public else self._by_id
        return self._found(question, {"wanted": video_id})

    def find_external(self, env: Environment, external_id: str) -> Video | None:
        if not is_storable(external_id):
            return None
        wanted = {"org_id": env.org_id, "env_id": env.id, "external_id": external_id}
        return self._found(self._by_external_id, wanted)

    def _spoken_page(self, env: Environment, query: VideoQuery) -> VideoPage:
        with reading_by_index(self._engine) as connection:
            found = self._spoken.read(connection, env, query)
            hits = read_hits(connection, query.spoken or "", found.ids)
            asked = sa.select(*map(plain, SHOWN)).where(videos.c.id.in_(found.ids))
            rows = {row[0]: row for row in connection.execute(asked)}
        # One may have been deleted meanwhile, or made private.
        listed = [rows[one] for one in found.ids if _is_like(query, rows.get(one))]
        sources = self._sources.of(row[_JOB_ID] for row in listed)
        return VideoPage(
            videos=tuple(_summary(row, sources.get(row[_JOB_ID])) for row in listed),
            total=found.total,
            has_more=found.has_more,
            has_next=found.has_next,
            spoken_hits=hits,
        )

    def _read_ids(self, env: Environment, query: VideoQuery) -> Sequence[VideoId]:
        return self.ids(env, query).ids

    def _found(self, question: Query, wanted: Mapping[str, object]) -> Video | None:
        found = self._reads.first(question, wanted)
        if found is None:
            return None
        row: dict[str, Any] = {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(_WHOLE, found, strict=True)
        }
        video = video_from_row(row, self._outline(row), self._progress(row))
        if video.job_id:
            video.source = self._sources.of([video.job_id]).get(video.job_id)
        return video

    def _outline(self, row: Mapping[str, Any]) -> MediaIndex | None:
        text = row["media_outline"]
        if text is None:
            return None
        # What a job has published never changes.
        return self._outlines.get((row["id"], row["job_id"]), lambda: text)

    def _progress(self, row: Mapping[str, Any]) -> int:
        job_id = row["job_id"]
        if row["state"] != VideoState.TRANSCODING.value or not job_id:
            return 0
        with reading(self._engine) as connection:
            return progress_of(connection, {job_id: row["id"]}).get(job_id, 0)


def _is_like(query: VideoQuery, row: Row | None) -> bool:
    """Return whether a row of SHOWN has a state and a visibility that a query asks for."""
    if row is None:
        return False
    state, is_public = _STATES[row[4]], bool(row[5])
    wanted = LISTED_STATES if query.state is None else {query.state}
    return state in wanted and query.is_public in {None, is_public}


def _summary(row: Row, source: SourceFigures | None) -> VideoSummary:
    return VideoSummary(
        id=VideoId(row[0]),
        public_id=PublicId(row[1]),
        name=row[2],
        description=row[3],
        state=_STATES[row[4]],
        is_public=bool(row[5]),
        preset=encoding_settings(row[6]).preset,
        created_at=EPOCH + timedelta(microseconds=row[7]),
        duration_s=row[8],
        labels=labels_from_text(row[9]),
        source=source,
    )


def _moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def _whole(*conditions: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(*[plain(each) for each in videos.c]).where(*conditions)


def _converter(column: sa.Column[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column.type, UtcDateTime):
        return lambda value: None if value is None else _moment(value)
    return bool if isinstance(column.type, sa.Boolean) else None


_BY_ID: Final = _whole(videos.c.id == sa.bindparam("wanted"))
_BY_PUBLIC_ID: Final = _whole(videos.c.public_id == sa.bindparam("wanted"))
# A deleted video has none any more, unless it is in the bin.
_BY_EXTERNAL_ID: Final = _whole(
    *(
        videos.c[name] == sa.bindparam(name)
        for name in ("org_id", "env_id", "external_id")
    )
)
_WHOLE: Final = [(column.name, _converter(column)) for column in videos.c]
