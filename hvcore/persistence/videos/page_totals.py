"""Build the SQL statements that count the videos of a list."""

from functools import cache
from typing import Any, Final

import attrs
import sqlalchemy as sa

from hvcore.persistence.fast_reads.reads import FastReads, Query
from hvcore.persistence.naming import named
from hvcore.persistence.tables import video_totals, videos
from hvcore.persistence.tables.videos import IS_LONG_NAME, IS_SHORT_NAME
from hvcore.persistence.videos.page_conditions import (
    in_state,
    literal_number,
    name_is_like,
    of_environment,
    plain,
)
from hvcore.persistence.videos.page_shapes import PageShape, Search
from hvcore.persistence.videos.search_index import COUNT_MATCHES

_CAP: Final[sa.BindParameter[int]] = sa.bindparam("cap", type_=sa.BigInteger())


def count_matches(reads: FastReads, *, has_state: bool) -> Query:
    """
    Return the query that counts, by the search index, the videos whose names have a text; it stops at the parameter ``cap``.

    Args:
        has_state: Whether only videos in the parameter ``state`` are counted.
    """
    question = reads.prepare(_matches(is_sqlite=reads.is_sqlite, has_state=has_state))
    # PostgreSQL must know the text before it chooses a way.
    return attrs.evolve(question, is_planned_anew=not reads.is_sqlite)


def stored_total(reads: FastReads, *, has_state: bool) -> Query:
    """
    Return the query that reads two stored numbers of an environment: its videos, and the changes of its videos.

    Args:
        has_state: Whether only the videos in one state are counted.
    """
    return reads.prepare(_stored_total_and_changes(has_state=has_state))


def any_long_name(reads: FastReads) -> Query:
    """Return the query that returns a row if an environment has a video name that is too long for the index of names."""
    return reads.prepare(_one_long_name())


@cache
def _one_long_name() -> sa.Select[Any]:
    where = (*of_environment(plain), in_state(videos.c.state, has_state=False))
    some = sa.select(literal_number(1).label("one")).where(*where, IS_LONG_NAME)
    return some.limit(literal_number(1)).offset(literal_number(0))


@cache
def _matches(*, is_sqlite: bool, has_state: bool) -> sa.Select[Any]:
    if is_sqlite:
        return _count_of(named(COUNT_MATCHES[has_state]).columns(sa.column("one")))
    where = (*of_environment(plain), in_state(videos.c.state, has_state=has_state))
    return _count_of(
        sa.select(literal_number(1).label("one"))
        .where(*where, name_is_like())
        .limit(_CAP)
        .offset(literal_number(0))
    )


@cache
def _stored_total_and_changes(*, has_state: bool) -> sa.Select[Any]:
    changes = sa.func.coalesce(sa.func.sum(video_totals.c.changes), literal_number(0))
    total = _stored_total(has_state=has_state)
    return total.add_columns(sa.cast(changes, sa.BigInteger))


def _count_of(rows: sa.SelectBase) -> sa.Select[Any]:
    return sa.select(sa.func.count()).select_from(rows.subquery("some"))


def page_total(
    shape: PageShape, where: sa.ColumnElement[bool], *, is_sqlite: bool
) -> sa.Select[Any]:
    """Return the statement that counts the videos on all pages of lists with a shape (filters and order)."""
    if shape.is_counted:
        return _stored_total(has_state=shape.has_state)
    count = sa.select(sa.func.count()).select_from(videos).where(where)
    if is_sqlite or shape.search is not Search.SCAN or shape.has_days:
        return count
    # The indexes of names hold all that is looked at, and PostgreSQL reads no rows.
    counts = [
        count.where(is_of_length).scalar_subquery()
        for is_of_length in (IS_SHORT_NAME, IS_LONG_NAME)
    ]
    return sa.select((counts[0] + counts[1]).label("total"))


def _stored_total(*, has_state: bool) -> sa.Select[Any]:
    columns = video_totals.c
    count = sa.func.coalesce(sa.func.sum(columns.videos), literal_number(0))
    return sa.select(sa.cast(count, sa.BigInteger)).where(
        columns.org_id == sa.bindparam("org_id"),
        columns.env_id == sa.bindparam("env_id"),
        in_state(columns.state, has_state=has_state),
    )
