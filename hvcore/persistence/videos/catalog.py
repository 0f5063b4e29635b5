"""
Lists of videos, and single videos to describe.

A page is one statement that reads what a list shows and no more. Indexes
carry the order by date and by duration, and the filter by state, whatever the
number of videos; see decision 0014 for what the other orders cost.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import PublicId, VideoId
from hvcore.domain.processing.transcoding import MediaIndex
from hvcore.domain.videos.catalog import (
    SortBy,
    SortDir,
    VideoPage,
    VideoQuery,
    VideoSummary,
)
from hvcore.domain.videos.video import LISTED_STATES, Video, VideoState
from hvcore.persistence.engine import reading
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row
from hvcore.persistence.processing.job_progress import progress_of
from hvcore.persistence.processing.published_media import MediaCache
from hvcore.persistence.rows import encoding_settings, video_from_row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import EPOCH, UtcDateTime, video_totals, videos

DEEP_OFFSET: Final = 200
"""From here on a page's place is found in an index before rows are read."""
MAX_OUTLINES: Final = 2_000
"""About 12 MB."""

_MICROSECOND: Final = timedelta(microseconds=1)
_LISTED: Final = [state.value for state in LISTED_STATES]
_SORT_COLUMNS: Final = {
    SortBy.CREATED_AT: videos.c.created_at,
    SortBy.NAME: videos.c.name_folded,
    SortBy.DURATION: videos.c.duration_s,
    SortBy.STATUS: videos.c.state,
}
_INDEXED: Final = {SortBy.CREATED_AT, SortBy.DURATION}
"""The others sort ids first: whole rows would not fit into memory."""
_SHOWN: Final = (
    videos.c.id,
    videos.c.public_id,
    videos.c.name,
    videos.c.description,
    videos.c.state,
    videos.c.is_public,
    videos.c.settings,
    videos.c.created_at,
    videos.c.duration_s,
)
_STATES: Final = {state.value: state for state in VideoState}


class _Shape(NamedTuple):
    """
    What makes one statement different from another; values are parameters.
    """

    sort_by: SortBy
    sort_dir: SortDir
    has_state: bool
    has_search: bool
    has_since: bool
    has_until: bool

    @property
    def is_counted(self) -> bool:
        """
        Whether the kept totals know how many videos there are.
        """
        return not (self.has_search or self.has_since or self.has_until)


class SqlVideoCatalog:
    """
    Videos from the database; see ports.catalog.VideoCatalog.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reads = FastReads(engine)
        # As many as there are shapes: 256.
        self._pages: dict[_Shape, _PageQuestions] = {}
        self._outlines = MediaCache(10 * MAX_OUTLINES)
        self._by_id = self._reads.prepare(_whole(videos.c.id))
        self._by_public_id = self._reads.prepare(_whole(videos.c.public_id))

    def page(self, env: Environment, query: VideoQuery) -> VideoPage:
        """
        Return one page of an environment's videos; awaited ones are in none.
        """
        search = (query.search or "").casefold()
        if not is_storable(search) or query.state not in {None, *LISTED_STATES}:
            return VideoPage(videos=(), total=0)
        questions = self._questions(_shape(query, search))
        offset = (query.page - 1) * query.page_size
        values = _values(env, query, search) | {
            "limit": query.page_size,
            "offset": offset,
        }
        if offset < DEEP_OFFSET and query.sort_by in _INDEXED:
            rows = self._reads.all(questions.near, values)
            total = rows[0][-1] if rows else self._total(questions, values)
        else:
            total = self._total(questions, values)
            # Counting past the last one is work for nothing.
            is_over = offset >= total
            rows = [] if is_over else self._reads.all(questions.deep, values)
        return VideoPage(videos=tuple(map(_summary, rows)), total=total)

    def find(self, video_id: str) -> Video | None:
        if not is_storable(video_id):
            return None
        is_public = video_id.startswith("pubvid_")
        question = self._by_public_id if is_public else self._by_id
        found = self._reads.first(question, {"wanted": video_id})
        if found is None:
            return None
        row: dict[str, Any] = {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(_WHOLE, found, strict=True)
        }
        return video_from_row(row, self._outline(row), self._progress(row))

    def _total(self, questions: "_PageQuestions", values: Mapping[str, object]) -> int:
        row = self._reads.first(questions.total, values)
        return row[0] if row else 0

    def _questions(self, shape: _Shape) -> "_PageQuestions":
        questions = self._pages.get(shape)
        if questions is None:
            questions = self._pages[shape] = _PageQuestions(self._reads, shape)
        return questions

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


class _PageQuestions:
    """
    The statements of one shape.
    """

    near: Query
    deep: Query
    total: Query

    def __init__(self, reads: FastReads, shape: _Shape) -> None:
        wanted = _wanted(shape, is_sqlite=reads.is_sqlite)
        total = _total(shape, wanted)
        limit: sa.BindParameter[int] = sa.bindparam("limit")
        offset: sa.BindParameter[int] = sa.bindparam("offset")
        shown = [_plain(column) for column in _SHOWN]
        order = _order(shape)
        # Of its own, although it reads the same table.
        counted = total.scalar_subquery().correlate(None)
        near = sa.select(*shown, counted).where(wanted)
        self.near = reads.prepare_page(
            near.order_by(*order).limit(limit).offset(offset)
        )
        # The rows that are passed over are read from the index alone.
        ids = sa.select(videos.c.id).where(wanted).order_by(*order)
        chosen = ids.limit(limit).offset(offset).subquery("chosen")
        deep = sa.select(*shown).join_from(chosen, videos, videos.c.id == chosen.c.id)
        self.deep = reads.prepare_page(deep.order_by(*order))
        self.total = reads.prepare(total)


def _shape(query: VideoQuery, search: str) -> _Shape:
    return _Shape(
        sort_by=query.sort_by,
        sort_dir=query.sort_dir,
        has_state=query.state is not None,
        has_search=bool(search),
        has_since=query.since is not None,
        has_until=_has_end(query.until),
    )


def _values(env: Environment, query: VideoQuery, search: str) -> dict[str, object]:
    values: dict[str, object] = {"org_id": env.org_id, "env_id": env.id}
    if query.state is not None:
        values["state"] = query.state.value
    if search:
        values["search"] = search
    if query.since is not None:
        values["since"] = _midnight(query.since)
    if query.until is not None and _has_end(query.until):
        values["until"] = _midnight(query.until + timedelta(days=1))
    return values


def _wanted(shape: _Shape, *, is_sqlite: bool) -> sa.ColumnElement[bool]:
    columns = videos.c
    conditions = [
        columns.org_id == sa.bindparam("org_id"),
        columns.env_id == sa.bindparam("env_id"),
        _has_state(shape, columns.state),
    ]
    if shape.has_search:
        # Not LIKE: the databases disagree about case, and % needs no escaping.
        find = sa.func.instr if is_sqlite else sa.func.strpos
        conditions.append(
            find(columns.name_folded, sa.bindparam("search")) > _number(0)
        )
    created_at = _plain(columns.created_at)
    if shape.has_since:
        conditions.append(created_at >= sa.bindparam("since"))
    if shape.has_until:
        conditions.append(created_at < sa.bindparam("until"))
    return sa.and_(*conditions)


def _total(shape: _Shape, wanted: sa.ColumnElement[bool]) -> sa.Select[Any]:
    if not shape.is_counted:
        return sa.select(sa.func.count()).select_from(videos).where(wanted)
    columns = video_totals.c
    count = sa.func.coalesce(sa.func.sum(columns.videos), _number(0))
    return sa.select(sa.cast(count, sa.BigInteger)).where(
        columns.org_id == sa.bindparam("org_id"),
        columns.env_id == sa.bindparam("env_id"),
        _has_state(shape, columns.state),
    )


def _has_state(shape: _Shape, column: sa.Column[str]) -> sa.ColumnElement[bool]:
    if shape.has_state:
        return column == sa.bindparam("state")
    # Words of ours, and not parameters: the planner knows them.
    return column.in_([sa.literal_column(f"'{state}'") for state in _LISTED])


def _order(shape: _Shape) -> tuple[sa.ColumnElement[Any], ...]:
    column, tie = _SORT_COLUMNS[shape.sort_by], videos.c.id
    # Ties run the same way, so that the one order is the other reversed.
    if shape.sort_dir is SortDir.ASC:
        return column.asc(), tie.asc()
    return column.desc(), tie.desc()


def _number(value: int) -> sa.ColumnElement[int]:
    return sa.literal_column(str(value), sa.Integer)


def _has_end(until: date | None) -> bool:
    # The day after the last one cannot be written, and nothing lies there.
    return until is not None and until < date.max


def _midnight(day: date) -> int:
    return (datetime.combine(day, time(), tzinfo=UTC) - EPOCH) // _MICROSECOND


def _plain(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """
    Return a column as the database has it.
    """
    if isinstance(column.type, UtcDateTime):
        return sa.type_coerce(column, sa.BigInteger)
    return column


def _moment(microseconds: int) -> datetime:
    return EPOCH + timedelta(microseconds=microseconds)


def _summary(row: Row) -> VideoSummary:
    return VideoSummary(
        id=VideoId(row[0]),
        public_id=PublicId(row[1]),
        name=row[2],
        description=row[3],
        state=_STATES[row[4]],
        is_public=bool(row[5]),
        preset=encoding_settings(row[6]).preset,
        created_at=_moment(row[7]),
        duration_s=row[8],
    )


def _whole(column: sa.Column[str]) -> sa.Select[Any]:
    columns = [_plain(each) for each in videos.c]
    return sa.select(*columns).where(column == sa.bindparam("wanted"))


def _converter(column: sa.Column[Any]) -> Callable[[Any], Any] | None:
    if isinstance(column.type, UtcDateTime):
        return lambda value: None if value is None else _moment(value)
    return bool if isinstance(column.type, sa.Boolean) else None


_WHOLE: Final = [(column.name, _converter(column)) for column in videos.c]
