"""Build the SQL conditions that select the videos of a page."""

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
    """Return the SQL condition that selects the videos on all pages of lists with a shape (filters and order)."""
    # By no index but that of names, where that has found a few.
    is_found = shape.search is Search.FEW and is_sqlite
    read = without_index if is_found else plain
    # The index by visibility has few, and knows their states, too.
    read_state = without_index if is_found or (shape.has_few and is_sqlite) else plain
    conditions = [
        *of_environment(read),
        in_state(read_state(videos.c.state), has_state=shape.has_state),
    ]
    conditions += visibility_conditions(shape, read)
    if shape.has_since:
        conditions.append(read(videos.c.created_at) >= sa.bindparam("since"))
    if shape.has_until:
        conditions.append(read(videos.c.created_at) < sa.bindparam("until"))
    return sa.and_(*conditions, *name_conditions(shape, is_sqlite=is_sqlite))


def of_environment(
    read: Callable[[sa.Column[Any]], sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[bool], ...]:
    """
    Return the SQL conditions that a video belongs to the environment in the parameters ``org_id`` and ``env_id``.

    Args:
        read: Turns a column into an SQL expression, as :func:`plain` does.
    """
    return (
        read(videos.c.org_id) == sa.bindparam("org_id"),
        read(videos.c.env_id) == sa.bindparam("env_id"),
    )


def visibility_conditions(
    shape: PageShape,
    read: Callable[[sa.Column[Any]], sa.ColumnElement[Any]],
) -> tuple[sa.ColumnElement[bool], ...]:
    """
    Return the SQL condition that a video is public or private, as the parameter ``is_public`` says; none if both are wanted.

    Args:
        read: Turns a column into an SQL expression, as :func:`plain` does.
    """
    if not shape.has_visibility:
        return ()
    return (read(videos.c.is_public) == sa.bindparam("is_public", type_=sa.Boolean()),)


def name_conditions(
    shape: PageShape, *, is_sqlite: bool
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the SQL condition that a video's name has the searched text; none if no text is searched."""
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
    """Return the LIKE condition on video names that PostgreSQL checks by its search index; the pattern is the parameter ``match``."""
    return videos.c.name_folded.op("LIKE", is_comparison=True)(
        sa.bindparam("match", type_=sa.Text())
    )


def in_state(
    column: sa.ColumnElement[str], *, has_state: bool
) -> sa.ColumnElement[bool]:
    """Return the SQL condition that a video is in the state of the parameter ``state``, or else in any state that lists show."""
    if has_state:
        return column == sa.bindparam("state")
    return column.in_(list(map(literal_word, LISTED)))


def literal_word(text: str) -> sa.ColumnElement[str]:
    """Return a constant word as an SQL literal instead of a parameter, so that the query planner knows its value."""
    return sa.literal_column(f"'{text}'", sa.Text())


def literal_number(value: int) -> sa.ColumnElement[int]:
    """Return a constant number as an SQL literal instead of a parameter, so that the query planner knows its value."""
    return sa.literal_column(str(value), sa.Integer)


def plain(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a column's value as it is stored: a moment as the number of microseconds since 1970."""
    if isinstance(column.type, UtcDateTime):
        return sa.type_coerce(column, sa.BigInteger)
    return column


def without_index(column: sa.Column[Any]) -> sa.ColumnElement[Any]:
    """Return a column in a form for which SQLite uses no index."""
    type_ = sa.BigInteger() if isinstance(column.type, UtcDateTime) else column.type
    return UnaryExpression(plain(column), operator=custom_op("+"), type_=type_)
