"""Read the videos that lists and single descriptions show."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.videos.catalog import TagTotal, VideoPage, VideoQuery
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.engine import reading
from hvcore.persistence.fast_reads.reads import FastReads, Query
from hvcore.persistence.processing.job_progress import progress_of
from hvcore.persistence.processing.probed_sources import ProbedSources
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.rows import video_from_row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import EPOCH, UtcDateTime, videos
from hvcore.persistence.videos.page_conditions import plain
from hvcore.persistence.videos.pages import VideoPages
from hvcore.persistence.videos.tag_totals import TagTotals

MAX_OUTLINES: Final = 2_000
"""About 12 MB."""


class SqlVideoCatalog:
    """Read videos for lists and descriptions; see ports.repositories.catalog.VideoCatalog."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reads = FastReads(engine)
        self._sources = ProbedSources(self._reads)
        self._pages = VideoPages(engine, self._reads, self._sources)
        self._tags = TagTotals(self._reads)
        self._outlines = MediaCache(10 * MAX_OUTLINES)
        self._by_id = self._reads.prepare(_BY_ID)
        self._by_public_id = self._reads.prepare(_BY_PUBLIC_ID)
        self._by_external_id = self._reads.prepare(_BY_EXTERNAL_ID)

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        return self._pages.read(env, query)

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
