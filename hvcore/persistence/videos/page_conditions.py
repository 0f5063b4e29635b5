"""Conditions of a statement that select the videos of a page."""

from collections.abc import Callable
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.sql.elements import UnaryExpression
from sqlalchemy.sql.operators import custom_op

from hvcore.domain.videos.states import LISTED_STATES
from hvcore.persistence.naming import named
from hvcore.persistence.tables import UtcDateTime, videos
from hvcore.persistence.videos.page_shapes import PageShape, Search
from hvcore.persistence.videos.search_index import MATCHES

LISTED: Final = [state.value for state in LISTED_STATES]


def page_condition(shape: PageShape, *, is_sqlite: bool) -> sa.ColumnElement[bool]:
    """Return the condition that the videos of a page fulfil."""
    # By no index but that of names, where that has found a few.
    is_found = shape.search is Search.FEW and is_sqlite
    read = _without_index if is_found else plain
    conditions = [
        *of_environment(read),
        in_state(read(videos.c.state), has_state=shape.has_state),
    ]
    if shape.has_since:
        conditions.append(read(videos.c.created_at) >= sa.bindparam("since"))
    if shape.has_until:
        conditions.append(read(videos.c.created_at) < sa.bindparam("until"))
    return sa.and_(*conditions, *name_conditions(shape, is_sqlite=is_sqlite))


def of_environment(
    read: Callable[[sa.Column[Any]], sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[bool], ...]:
    """
    Return the condition that videos belong to the environment.

    Args:
        read: Makes an expression of a column, such as :func:`plain`.
    """
    return (
        read(videos.c.org_id) == sa.bindparam("org_id"),
        read(videos.c.env_id) == sa.bindparam("env_id"),
    )


def name_conditions(
    shape: PageShape, *, is_sqlite: bool
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition that names have the text, if one is searched for."""
    if shape.search is Search.NONE:
        return ()
    if shape.search is Search.SCAN:
        # Not LIKE: the databases disagree about case, and % needs no escaping.
        find = sa.func.instr if is_sqlite else sa.func.strpos
        return (find(videos.c.name_folded, sa.bindparam("search")) > literal_number(0),)
    if is_sqlite:
        return (videos.c.id.in_(named(MATCHES).columns(sa.column("id"))),)
    return (name_is_like(),)


def name_is_like() -> sa.ColumnElement[bool]:
    """Return the condition that PostgreSQL's index of names answers."""
    return videos.c.name_folded.op("LIKE", is_comparison=True)(
        sa.bindparam("match", type_=sa.Text())
    )


def in_state(
    column: sa.ColumnElement[str], *, has_state: bool
) -> sa.ColumnElement[bool]:
    """Return the condition that videos are in the state, or else in any listed one."""
    if has_state:
        return column == sa.bindparam("state")
    return column.in_(list(map(literal_word, LISTED)))


def literal_word(text: str) -> sa.ColumnElement[str]:
    """Return a word of ours as a literal; the planner knows its value."""
    return sa.literal_column(f"'{text}'", sa.Text())


def literal_number(value: int) -> sa.ColumnElement[int]:
    """Return a number of ours as a literal."""
    return sa.literal_column(str(value), sa.Integer)


def plain(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a column as the database has it."""
    if isinstance(column.type, UtcDateTime):
        return sa.type_coerce(column, sa.BigInteger)
    return column


def _without_index(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a column in a form for which SQLite uses no index."""
    type_ = sa.BigInteger() if isinstance(column.type, UtcDateTime) else sa.Text()
    return UnaryExpression(plain(column), operator=custom_op("+"), type_=type_)
