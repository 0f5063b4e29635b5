"""
Build the statement by which PostgreSQL looks up videos by what is said, with one question of the index.

It is written once for each shape of a list: to write it takes longer than to find a rare word.
"""

from functools import lru_cache
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

from hvcore.persistence.shared_statements import write_statement
from hvcore.persistence.spoken.index import AS_VECTOR
from hvcore.persistence.spoken.page_filters import filter_conditions
from hvcore.persistence.tables import spoken_texts, videos
from hvcore.persistence.videos.page_conditions import literal_number
from hvcore.persistence.videos.page_shapes import PageShape
from hvcore.persistence.videos.page_statements import SORT_COLUMNS, in_order

IS_FOUND: Final = sa.text(f"{AS_VECTOR} @@ CAST(:match AS tsquery)")
"""PostgreSQL's condition that the index finds a text."""

_FEW: Final = sa.bindparam("few", type_=sa.BigInteger())
_COUNTED: Final = sa.bindparam("counted", type_=sa.BigInteger())
_LISTED: Final = sa.bindparam("listed", type_=sa.BigInteger())
_SKIPPED: Final = sa.bindparam("skipped", type_=sa.BigInteger())


# Of some dozen shapes, a service is asked for some.
@lru_cache(maxsize=64)
def server_lookup(
    dialect: Dialect, shape: PageShape, terms: int, *, has_external_id: bool
) -> str:
    """
    Return the statement that looks up the videos of a page.

    Its one row has: whether the index finds more than ``few`` texts; if not, the number of
    their videos that the filters let through; if so, the number of those of the first
    ``counted`` texts; if not, the ids on the page and behind it, with commas between.

    Args:
        terms: The number of terms of labels that are asked for.
        has_external_id: Whether an external id is asked for.
    """

    def wanted(texts: sa.FromClause) -> sa.Join:
        # First without doubles, as short as the rows are. Then each by its id: or
        # PostgreSQL reads all videos of the environment.
        each = sa.select(texts.c.video_id).distinct().subquery()
        one = (
            sa.select(videos.c.id, *SORT_COLUMNS.values())
            .where(
                videos.c.id == each.c.video_id,
                *filter_conditions(
                    shape, terms, has_external_id=has_external_id, is_sqlite=False
                ),
            )
            .limit(literal_number(1))
            .correlate(each)
            .lateral("one")
        )
        return each.join(one, sa.true())

    # Each by itself: or PostgreSQL makes the words of each text of the environment, or
    # walks through an index that has the order.
    found = (
        sa.select(spoken_texts.c.video_id)
        .where(IS_FOUND)
        .limit(_FEW + literal_number(1))
    )
    texts = found.cte("found").prefix_with("MATERIALIZED")
    # Counted once, although it is asked for three times.
    counting = sa.select(sa.func.count().label("number")).select_from(texts)
    size = counting.cte("size").prefix_with("MATERIALIZED")
    number = sa.select(size.c.number).scalar_subquery()
    columns = [
        sa.column(column.name, column.type)
        for column in (videos.c.id, *SORT_COLUMNS.values())
    ]
    # Only one of both: what is known not to hold beforehand is not looked for.
    few = sa.select(*columns).select_from(wanted(texts)).where(number <= _FEW)
    listed = few.cte("listed").prefix_with("MATERIALIZED")
    first = sa.select(texts.c.video_id).limit(_COUNTED).subquery("first")
    counted = sa.select(sa.func.count()).select_from(wanted(first))
    page = (
        sa.select(listed.c.id)
        .order_by(*in_order(shape, listed.c))
        .limit(_LISTED)
        .offset(_SKIPPED)
    )
    statement = sa.select(
        number > _FEW,
        sa.select(sa.func.count()).select_from(listed).scalar_subquery(),
        counted.where(number > _FEW).scalar_subquery(),
        sa.func.array_to_string(
            sa.func.array(page.scalar_subquery()), sa.literal_column("','")
        ),
    )
    text, _ = write_statement(statement, dialect)
    return text
