"""
The statements that read a page of a list, and how many videos the list has.

A page is one statement that reads what a list shows and no more. Indexes carry the
order by date, by duration and by name, and the filter by state, whatever the number
of videos; see decisions 0014 and 0045 for what the other orders cost.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar

import attrs
import sqlalchemy as sa
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.domain.videos.video import LISTED_STATES
from hvcore.persistence.fast_reads.reads import FastReads, Query
from hvcore.persistence.tables import EPOCH, UtcDateTime, video_totals, videos
from hvcore.persistence.tables.videos import IS_LONG_NAME, IS_SHORT_NAME
from hvcore.persistence.videos.search_index import (
    COUNT_MATCHES,
    MATCHES,
    match_value,
)

_BIG_LIMIT: Final = sa.bindparam("limit", type_=sa.BigInteger())
_BIG_OFFSET: Final = sa.bindparam("offset", type_=sa.BigInteger())
_RowsT = TypeVar("_RowsT", bound=sa.GenerativeSelect)

_MICROSECOND: Final = timedelta(microseconds=1)
_LISTED: Final = [state.value for state in LISTED_STATES]
_SORT_COLUMNS: Final = {
    SortBy.CREATED_AT: videos.c.created_at,
    SortBy.NAME: videos.c.name_folded,
    SortBy.DURATION: videos.c.duration_s,
    SortBy.STATUS: videos.c.state,
}
SHOWN: Final = (
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
"""The columns of a page's rows."""


class Search(Enum):
    """
    How the names with a text are found.

    NONE: all are wanted.
    SCAN: each name is looked at, in the order of the list; quick where many have it.
    FEW: the index has found so few that all of them are put into order.
    """

    NONE = "none"
    SCAN = "scan"
    FEW = "few"


class PageShape(NamedTuple):
    """
    What makes one statement different from another; values are parameters.
    """

    sort_by: SortBy
    sort_dir: SortDir
    search: Search
    has_state: bool
    has_since: bool
    has_until: bool
    has_long_names: bool = False

    @property
    def has_days(self) -> bool:
        """
        Whether only some days are wanted.
        """
        return self.has_since or self.has_until

    @property
    def is_counted(self) -> bool:
        """
        Whether the kept totals know how many videos there are.
        """
        return self.search is Search.NONE and not self.has_days


@attrs.frozen(kw_only=True)
class PageStatements:
    """
    The statements of one shape.

    Attributes:
        near: The rows, each with the total; parameters ``limit`` and ``offset``.
        deep: The rows alone, whose place is found in an index first.
        total: How many there are.
    """

    near: Query
    deep: Query
    total: Query


def page_shape(query: VideoQuery, search: Search) -> PageShape:
    """
    Return the shape of a query.
    """
    return PageShape(
        sort_by=query.sort_by,
        sort_dir=query.sort_dir,
        search=search,
        has_state=query.state is not None,
        has_since=query.since is not None,
        has_until=_has_end(query.until),
    )


def page_values(
    env: Environment, query: VideoQuery, search: str, *, is_sqlite: bool
) -> dict[str, object]:
    """
    Return the values of a query's parameters.

    Args:
        search: The text, folded.
    """
    values: dict[str, object] = {"org_id": env.org_id, "env_id": env.id}
    if query.state is not None:
        values["state"] = query.state.value
    if search:
        values["search"] = search
        values["match"] = match_value(search, is_sqlite=is_sqlite)
    if query.since is not None:
        values["since"] = _midnight(query.since)
    if query.until is not None and _has_end(query.until):
        values["until"] = _midnight(query.until + timedelta(days=1))
    return values


def page_statements(reads: FastReads, shape: PageShape) -> PageStatements:
    """
    Make the statements of one shape.
    """
    where = _where(shape, is_sqlite=reads.is_sqlite)
    total = _total(shape, where)
    # Of its own, although it reads the same table.
    counted = total.scalar_subquery().correlate(None)
    near = sa.select(*_SHOWN, counted).where(where)
    return PageStatements(
        near=reads.prepare_page(_page(near, _order(shape, videos.c))),
        deep=reads.prepare_page(_deep(shape, where, is_sqlite=reads.is_sqlite)),
        total=reads.prepare(total),
    )


def count_matches(reads: FastReads, *, has_state: bool) -> Query:
    """
    Ask the index for how many names of an environment have a text, or for ``cap``.
    """
    if reads.is_sqlite:
        some: sa.SelectBase = sa.text(COUNT_MATCHES[has_state]).columns(
            sa.column("one")
        )
        return reads.prepare(_count_of(some))
    where = (*_of_environment(plain), _has_state(videos.c.state, has_state=has_state))
    some = (
        sa.select(_number(1).label("one"))
        .where(*where, _is_like())
        .limit(_CAP)
        .offset(_number(0))
    )
    # PostgreSQL must know the text before it chooses a way.
    return attrs.evolve(reads.prepare(_count_of(some)), is_planned_anew=True)


def kept_total(reads: FastReads, *, has_state: bool) -> Query:
    """
    Ask the kept totals for the videos of an environment, perhaps in one state.
    """
    return reads.prepare(_kept_total(has_state=has_state))


def any_long_name(reads: FastReads) -> Query:
    """
    Ask whether an environment has names that are in no order.
    """
    where = (*_of_environment(plain), _has_state(videos.c.state, has_state=False))
    some = sa.select(_number(1).label("one")).where(*where, IS_LONG_NAME)
    return reads.prepare(some.limit(_number(1)).offset(_number(0)))


def _deep(
    shape: PageShape, where: sa.ColumnElement[bool], *, is_sqlite: bool
) -> sa.Select[Any]:
    if shape.search is Search.FEW:
        return _few(shape, where, is_sqlite=is_sqlite)
    # The rows that are passed over are read from the index alone.
    chosen: sa.GenerativeSelect
    if shape.sort_by is SortBy.NAME and not shape.has_days:
        chosen = _by_name(shape, is_sqlite=is_sqlite)
    else:
        chosen = _page(sa.select(videos.c.id).where(where), _order(shape, videos.c))
    ids = chosen.subquery("chosen")
    rows = sa.select(*_SHOWN).join_from(ids, videos, videos.c.id == ids.c.id)
    return rows.order_by(*_order(shape, videos.c))


def _few(
    shape: PageShape, where: sa.ColumnElement[bool], *, is_sqlite: bool
) -> sa.Select[Any]:
    if is_sqlite:
        return _page(sa.select(*_SHOWN).where(where), _order(shape, videos.c))
    # By themselves: or PostgreSQL may walk through an index that has the order.
    needed = {column.name: column for column in (*_SORT_COLUMNS.values(), *SHOWN)}
    found = sa.select(*map(plain, needed.values())).where(where).cte("found")
    found = found.prefix_with("MATERIALIZED")
    shown = [found.c[column.name] for column in SHOWN]
    return _page(sa.select(*shown), _order(shape, found.c))


def _by_name(shape: PageShape, *, is_sqlite: bool) -> sa.GenerativeSelect:
    """
    Choose a page by merging what the index has in order: each state's names.

    Long names are in no order there; they are few.
    """
    states: list[sa.ColumnElement[str]] = [sa.bindparam("state", type_=sa.Text())]
    if not shape.has_state:
        states = list(map(_word, _LISTED))
    # Of these PostgreSQL would expect a third of all to have one, and sort them.
    lengths = [IS_SHORT_NAME, *([IS_LONG_NAME] if shape.has_long_names else [])]
    arms = [
        sa.select(videos.c.id, videos.c.name_folded).where(
            *_of_environment(plain),
            videos.c.state == state,
            is_of_length,
            *_has_search(shape, is_sqlite=is_sqlite),
        )
        for state in states
        for is_of_length in lengths
    ]
    # Of the union itself: around it, SQLite would sort all that the arms give.
    names: dict[str, sa.ColumnElement[Any]] = {
        name: sa.column(name) for name in ("name_folded", "id")
    }
    if len(arms) == 1:
        return _page(arms[0], _order(shape, names))
    if not is_sqlite:
        # PostgreSQL would sort them all; SQLite merges, and knows no arm with an end.
        reach = _BIG_LIMIT + _BIG_OFFSET
        order = _order(shape, videos.c)
        arms = [arm.order_by(*order).limit(reach) for arm in arms]
    return _page(sa.union_all(*arms), _order(shape, names))


def _where(shape: PageShape, *, is_sqlite: bool) -> sa.ColumnElement[bool]:
    # By no index but that of names, where that has found a few.
    is_found = shape.search is Search.FEW and is_sqlite
    read = _without_index if is_found else plain
    conditions = [
        *_of_environment(read),
        _has_state(read(videos.c.state), has_state=shape.has_state),
    ]
    if shape.has_since:
        conditions.append(read(videos.c.created_at) >= sa.bindparam("since"))
    if shape.has_until:
        conditions.append(read(videos.c.created_at) < sa.bindparam("until"))
    return sa.and_(*conditions, *_has_search(shape, is_sqlite=is_sqlite))


def _of_environment(
    read: Callable[[sa.Column[Any]], sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        read(videos.c.org_id) == sa.bindparam("org_id"),
        read(videos.c.env_id) == sa.bindparam("env_id"),
    )


def _has_search(
    shape: PageShape, *, is_sqlite: bool
) -> tuple[sa.ColumnElement[bool], ...]:
    if shape.search is Search.NONE:
        return ()
    if shape.search is Search.SCAN:
        # Not LIKE: the databases disagree about case, and % needs no escaping.
        find = sa.func.instr if is_sqlite else sa.func.strpos
        return (find(videos.c.name_folded, sa.bindparam("search")) > _number(0),)
    if is_sqlite:
        return (videos.c.id.in_(sa.text(MATCHES).columns(sa.column("id"))),)
    return (_is_like(),)


def _is_like() -> sa.ColumnElement[bool]:
    return videos.c.name_folded.op("LIKE", is_comparison=True)(
        sa.bindparam("match", type_=sa.Text())
    )


def _page(rows: _RowsT, order: tuple[sa.ColumnElement[Any], ...]) -> _RowsT:
    limit: sa.BindParameter[int] = sa.bindparam("limit")
    offset: sa.BindParameter[int] = sa.bindparam("offset")
    return rows.order_by(*order).limit(limit).offset(offset)


def _count_of(rows: sa.SelectBase) -> sa.Select[Any]:
    return sa.select(sa.func.count()).select_from(rows.subquery("some"))


def _total(shape: PageShape, where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    if shape.is_counted:
        return _kept_total(has_state=shape.has_state)
    return sa.select(sa.func.count()).select_from(videos).where(where)


def _kept_total(*, has_state: bool) -> sa.Select[Any]:
    columns = video_totals.c
    count = sa.func.coalesce(sa.func.sum(columns.videos), _number(0))
    return sa.select(sa.cast(count, sa.BigInteger)).where(
        columns.org_id == sa.bindparam("org_id"),
        columns.env_id == sa.bindparam("env_id"),
        _has_state(columns.state, has_state=has_state),
    )


def _has_state(
    column: sa.ColumnElement[str], *, has_state: bool
) -> sa.ColumnElement[bool]:
    if has_state:
        return column == sa.bindparam("state")
    return column.in_(list(map(_word, _LISTED)))


def _order(
    shape: PageShape,
    columns: ReadOnlyColumnCollection[str, Any] | Mapping[str, sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[Any], ...]:
    column, tie = columns[_SORT_COLUMNS[shape.sort_by].name], columns["id"]
    # Ties run the same way, so that the one order is the other reversed.
    if shape.sort_dir is SortDir.ASC:
        return column.asc(), tie.asc()
    return column.desc(), tie.desc()


def _word(word: str) -> sa.ColumnElement[str]:
    # Words of ours, and not parameters: the planner knows them.
    return sa.literal_column(f"'{word}'", sa.Text())


def _number(value: int) -> sa.ColumnElement[int]:
    return sa.literal_column(str(value), sa.Integer)


def _has_end(until: date | None) -> bool:
    # The day after the last one cannot be written, and nothing lies there.
    return until is not None and until < date.max


def _midnight(day: date) -> int:
    return (datetime.combine(day, time(), tzinfo=UTC) - EPOCH) // _MICROSECOND


def plain(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """
    Return a column as the database has it.
    """
    if isinstance(column.type, UtcDateTime):
        return sa.type_coerce(column, sa.BigInteger)
    return column


def _without_index(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """
    Return a column in a form for which SQLite uses no index.
    """
    type_ = sa.BigInteger() if isinstance(column.type, UtcDateTime) else sa.Text()
    return sa.literal_column(f"+videos.{column.name}", type_)


_SHOWN: Final = tuple(map(plain, SHOWN))
_CAP: Final[sa.BindParameter[int]] = sa.bindparam("cap", type_=sa.BigInteger())
