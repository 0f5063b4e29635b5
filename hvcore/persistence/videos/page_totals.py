"""
The statements that count: how many videos a list has.
"""

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
    Ask the index for how many names of an environment have a text, or for ``cap``.
    """
    if reads.is_sqlite:
        some: sa.SelectBase = named(COUNT_MATCHES[has_state]).columns(sa.column("one"))
        return reads.prepare(_count_of(some))
    where = (*of_environment(plain), in_state(videos.c.state, has_state=has_state))
    some = (
        sa.select(literal_number(1).label("one"))
        .where(*where, name_is_like())
        .limit(_CAP)
        .offset(literal_number(0))
    )
    # PostgreSQL must know the text before it chooses a way.
    return attrs.evolve(reads.prepare(_count_of(some)), is_planned_anew=True)


def stored_total(reads: FastReads, *, has_state: bool) -> Query:
    """
    Ask for the videos of an environment, perhaps in one state, and their changes.
    """
    changes = sa.func.coalesce(sa.func.sum(video_totals.c.changes), literal_number(0))
    total = _stored_total(has_state=has_state)
    return reads.prepare(total.add_columns(sa.cast(changes, sa.BigInteger)))


def any_long_name(reads: FastReads) -> Query:
    """
    Ask whether an environment has names that are in no order.
    """
    where = (*of_environment(plain), in_state(videos.c.state, has_state=False))
    some = sa.select(literal_number(1).label("one")).where(*where, IS_LONG_NAME)
    return reads.prepare(some.limit(literal_number(1)).offset(literal_number(0)))


def _count_of(rows: sa.SelectBase) -> sa.Select[Any]:
    return sa.select(sa.func.count()).select_from(rows.subquery("some"))


def page_total(
    shape: PageShape, where: sa.ColumnElement[bool], *, is_sqlite: bool
) -> sa.Select[Any]:
    """
    Return the statement that counts the videos of all pages.
    """
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
