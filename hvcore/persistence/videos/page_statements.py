"""
Build the SQL statements that read a page of a list of videos.

A page is one statement that reads what a list shows and no more. Indexes carry the
order by date, by duration and by name, and the filter by state, whatever the number
of videos; see decisions 0014 and 0045 for what the other orders cost.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, TypeVar

import attrs
import sqlalchemy as sa
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from hvcore.domain.videos.catalog import SortBy, SortDir
from hvcore.persistence.fast_reads.reads import FastReads, Query
from hvcore.persistence.tables import videos
from hvcore.persistence.tables.videos import IS_LONG_NAME, IS_SHORT_NAME
from hvcore.persistence.videos.page_conditions import (
    LISTED,
    literal_word,
    name_conditions,
    of_environment,
    page_condition,
    plain,
    visibility_conditions,
    without_index,
)
from hvcore.persistence.videos.page_shapes import PageShape, Search
from hvcore.persistence.videos.page_totals import page_total

_BIG_LIMIT: Final = sa.bindparam("limit", type_=sa.BigInteger())
_BIG_OFFSET: Final = sa.bindparam("offset", type_=sa.BigInteger())
_RowsT = TypeVar("_RowsT", bound=sa.GenerativeSelect)

SORT_COLUMNS: Final = {
    SortBy.CREATED_AT: videos.c.created_at,
    SortBy.NAME: videos.c.name_folded,
    SortBy.DURATION: videos.c.duration_s,
    SortBy.STATUS: videos.c.state,
}
"""The column by which a list is ordered, before the id."""
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
    videos.c.labels,
    videos.c.job_id,
)
"""The columns of a page's rows."""


@attrs.frozen(kw_only=True)
class PageStatements:
    """
    The SQL statements that read the pages of lists of videos with one shape (filters and order).

    Attributes:
        near: Reads the rows of a page near the list's beginning, each with the total; parameters
            ``limit`` and
            ``offset``.
        deep: Reads the rows of a page far from the list's beginning, without the total; an index
            finds the rows.
        total: Counts the videos on all pages.
    """

    near: Query
    deep: Query
    total: Query


def page_statements(reads: FastReads, shape: PageShape) -> PageStatements:
    """Build the SQL statements that read the pages of lists of videos with a shape (filters and order)."""
    near, deep, total = _near_deep_total(shape, is_sqlite=reads.is_sqlite)
    return PageStatements(
        near=reads.prepare_page(near),
        deep=reads.prepare_page(deep),
        total=reads.prepare(total),
    )


# Of a few hundred shapes, a service is asked for some.
@lru_cache(maxsize=64)
def _near_deep_total(
    shape: PageShape, *, is_sqlite: bool
) -> tuple[sa.Select[Any], sa.Select[Any], sa.Select[Any]]:
    where = page_condition(shape, is_sqlite=is_sqlite)
    total = page_total(shape, where, is_sqlite=is_sqlite)
    # Of its own, although it reads the same table.
    counted = total.scalar_subquery().correlate(None)
    columns = map(plain, columns_of(shape))
    near = _page(sa.select(*columns, counted).where(where), in_order(shape, videos.c))
    return near, deep_rows(shape, where, is_sqlite=is_sqlite), total


def deep_rows(
    shape: PageShape,
    where: sa.ColumnElement[bool],
    *further: sa.ColumnElement[bool],
    is_sqlite: bool,
) -> sa.Select[Any]:
    """
    Return the statement that finds a page's videos in an index alone, and then reads their rows.

    Args:
        further: More conditions, which the index answers without reading rows.
    """
    where = sa.and_(where, *further)
    if shape.search is Search.FEW:
        return _few(shape, where, is_sqlite=is_sqlite)
    # The rows that are passed over are read from the index alone.
    chosen: sa.GenerativeSelect
    if shape.has_few and is_sqlite:
        # It would walk through the index that has the order, and read each row.
        sorted_by = {column.name: without_index(column) for column in videos.c}
        order = in_order(shape, sorted_by)
        chosen = _page(sa.select(videos.c.id).where(where), order)
    elif shape.sort_by is SortBy.NAME and not shape.has_days:
        chosen = _by_name(shape, *further, is_sqlite=is_sqlite)
    else:
        chosen = _page(sa.select(videos.c.id).where(where), in_order(shape, videos.c))
    ids = chosen.subquery("chosen")
    columns = map(plain, columns_of(shape))
    rows = sa.select(*columns).join_from(ids, videos, videos.c.id == ids.c.id)
    return rows.order_by(*in_order(shape, videos.c))


def columns_of(shape: PageShape) -> tuple[sa.Column[Any], ...]:
    """Return the columns that the rows of a page with a shape have, in order."""
    return (videos.c.id,) if shape.has_ids_alone else SHOWN


def _few(
    shape: PageShape, where: sa.ColumnElement[bool], *, is_sqlite: bool
) -> sa.Select[Any]:
    if is_sqlite:
        rows = sa.select(*map(plain, columns_of(shape))).where(where)
        return _page(rows, in_order(shape, videos.c))
    # By themselves: or PostgreSQL may walk through an index that has the order.
    columns = columns_of(shape)
    needed = {column.name: column for column in (*SORT_COLUMNS.values(), *columns)}
    found = sa.select(*map(plain, needed.values())).where(where).cte("found")
    found = found.prefix_with("MATERIALIZED")
    shown = [found.c[column.name] for column in columns]
    return _page(sa.select(*shown), in_order(shape, found.c))


def _by_name(
    shape: PageShape, *further: sa.ColumnElement[bool], is_sqlite: bool
) -> sa.GenerativeSelect:
    """
    Choose a page by merging what the index has in order: each state's names.

    Long names are in no order there; they are few.
    """
    lengths: list[tuple[sa.ColumnElement[bool], ...]]
    states: list[sa.ColumnElement[str]] = [sa.bindparam("state", type_=sa.Text())]
    if not shape.has_state:
        states = list(map(literal_word, LISTED))
    # Of these PostgreSQL would expect a third of all to have one, and sort them.
    lengths = [(IS_SHORT_NAME,), *([(IS_LONG_NAME,)] if shape.has_long_names else [])]
    if is_sqlite:
        # Its index has names of any length in order.
        lengths = [()]
    arms = [
        sa.select(videos.c.id, videos.c.name_folded).where(
            *of_environment(plain),
            videos.c.state == state,
            *visibility_conditions(shape, plain),
            *is_of_length,
            *name_conditions(shape, is_sqlite=is_sqlite),
            *further,
        )
        for state in states
        for is_of_length in lengths
    ]
    # Of the union itself: around it, SQLite would sort all that the arms give.
    names: dict[str, sa.ColumnElement[Any]] = {
        name: sa.column(name) for name in ("name_folded", "id")
    }
    if len(arms) == 1:
        return _page(arms[0], in_order(shape, names))
    if not is_sqlite:
        # PostgreSQL would sort them all; SQLite merges, and knows no arm with an end.
        most = _BIG_LIMIT + _BIG_OFFSET
        order = in_order(shape, videos.c)
        arms = [arm.order_by(*order).limit(most) for arm in arms]
    return _page(sa.union_all(*arms), in_order(shape, names))


def _page(rows: _RowsT, order: tuple[sa.ColumnElement[Any], ...]) -> _RowsT:
    limit: sa.BindParameter[int] = sa.bindparam("limit")
    offset: sa.BindParameter[int] = sa.bindparam("offset")
    return rows.order_by(*order).limit(limit).offset(offset)


def in_order(
    shape: PageShape,
    columns: ReadOnlyColumnCollection[str, Any] | Mapping[str, sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[Any], ...]:
    """Return the ORDER BY expressions of a page shape, on the columns of a table or statement."""
    column, tie = columns[SORT_COLUMNS[shape.sort_by].name], columns["id"]
    # Ties run the same way, so that the one order is the other reversed.
    if shape.sort_dir is SortDir.ASC:
        return column.asc(), tie.asc()
    return column.desc(), tie.desc()
