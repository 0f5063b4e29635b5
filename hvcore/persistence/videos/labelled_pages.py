"""
Read pages of lists of videos that are filtered by labels.

The label index has the videos of each label ordered by date, and counts them by state:
such a page costs the same with a thousand videos and with a million. In another order,
few videos are sorted, and many are read in that order until the page is full, as with
searches. With further filters, all videos with the rarest of the labels are counted.
See docs/decisions/0124.
"""

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import attrs
import sqlalchemy as sa

from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row
from hvcore.persistence.tables import label_totals, video_labels, videos
from hvcore.persistence.videos.page_conditions import (
    in_state,
    literal_number,
    name_conditions,
    of_environment,
    page_condition,
    plain,
    visibility_conditions,
)
from hvcore.persistence.videos.page_shapes import PageShape, Search, page_shape
from hvcore.persistence.videos.page_statements import columns_of, deep_rows, in_order

_Values = Mapping[str, object]
FEW: Final = 2_000
"""Videos that are put into order."""


class _Shape(NamedTuple):
    """The features of a page by which its statement differs from others."""

    page: PageShape
    terms: int
    has_external_id: bool
    is_walked: bool = False


@attrs.frozen(kw_only=True)
class _Statements:
    rows: Query
    count: Query


class LabelledPages:
    """
    Read pages of lists that are filtered by labels; thread-safe.

    Args:
        with_long_names: Returns the given page shape with ``has_long_names`` set for the
            environment in the given values.
        has_ids_alone: Whether the rows have the ids of videos, and nothing else.
    """

    def __init__(
        self,
        reads: FastReads,
        with_long_names: Callable[[PageShape, _Values], PageShape],
        *,
        has_ids_alone: bool,
    ) -> None:
        self._reads = reads
        self._has_ids_alone = has_ids_alone
        self._with_long_names = with_long_names
        self._statements: dict[_Shape, _Statements] = {}
        self._totals = {
            has_state: reads.prepare(_total(has_state=has_state))
            for has_state in (False, True)
        }

    def read(self, query: VideoQuery, values: _Values) -> tuple[list[Row], int]:
        """
        Return the rows of a page of videos, and the number of videos on all pages.

        Args:
            values: The values of the statement's parameters (see page_values).
        """
        search = Search.SCAN if query.search else Search.NONE
        page = page_shape(query, search)._replace(has_ids_alone=self._has_ids_alone)
        totals = sorted(
            (self._number(self._totals[page.has_state], {**values, "term": term}), term)
            for term in query.terms
        )
        # The rarest first: only its videos are looked at.
        names = _names(len(totals))
        named = {name: term for name, (_, term) in zip(names, totals, strict=True)}
        asked = {**values, **named, "external_id": query.external_id}
        shape = _Shape(page, len(named), query.external_id is not None)
        if _is_other_order(shape) and totals[0][0] > FEW:
            named_long = self._with_long_names(page, values)
            shape = shape._replace(page=named_long, is_walked=True)
        statements = self._of(shape)
        if totals and not totals[0][0]:
            total = 0
        elif len(totals) == 1 and page.is_counted and not shape.has_external_id:
            total = totals[0][0]
        else:
            total = self._number(statements.count, asked)
        offset = (query.page - 1) * query.page_size
        rows = self._reads.all(statements.rows, asked) if offset < total else []
        return rows, total

    def _number(self, question: Query, values: _Values) -> int:
        row = self._reads.first(question, values)
        return row[0] if row else 0

    def _of(self, shape: _Shape) -> _Statements:
        statements = self._statements.get(shape)
        if statements is None:
            rows, count = _rows_and_count(shape, is_sqlite=self._reads.is_sqlite)
            statements = _Statements(
                rows=self._reads.prepare_page(rows), count=self._reads.prepare(count)
            )
            self._statements[shape] = statements
        return statements


# Of a few hundred shapes, a service is asked for some.
@lru_cache(maxsize=64)
def _rows_and_count(
    shape: _Shape, *, is_sqlite: bool
) -> tuple[sa.Select[Any], sa.Select[Any]]:
    chosen = _chosen(shape, is_sqlite=is_sqlite)
    if shape.is_walked:
        rows = _walked(shape, is_sqlite=is_sqlite)
    else:
        rows = _rows(shape, chosen)
    return rows, sa.select(sa.func.count()).select_from(chosen.subquery("some"))


def _rows(shape: _Shape, chosen: sa.Select[Any]) -> sa.Select[Any]:
    ids = _on_page(chosen, shape).subquery("chosen")
    columns = map(plain, columns_of(shape.page))
    rows = sa.select(*columns).join_from(ids, videos, videos.c.id == ids.c.id)
    return rows.order_by(*in_order(shape.page, videos.c))


def _walked(shape: _Shape, *, is_sqlite: bool) -> sa.Select[Any]:
    where = page_condition(shape.page, is_sqlite=is_sqlite)
    further = [
        _has_term(name, videos.c.created_at, videos.c.id)
        for name in _names(shape.terms)
    ]
    return deep_rows(shape.page, where, *further, is_sqlite=is_sqlite)


def _is_other_order(shape: _Shape) -> bool:
    is_by_date = shape.page.sort_by is SortBy.CREATED_AT
    return shape.terms > 0 and not is_by_date and not shape.has_external_id


def _on_page(chosen: sa.Select[Any], shape: _Shape) -> sa.Select[Any]:
    order = in_order(shape.page, videos.c)
    if _is_by_date(shape):
        column, tie = video_labels.c.created_at, video_labels.c.video_id
        is_rising = shape.page.sort_dir is SortDir.ASC
        order = tuple(
            each.asc() if is_rising else each.desc() for each in (column, tie)
        )
    limit: sa.BindParameter[int] = sa.bindparam("limit")
    offset: sa.BindParameter[int] = sa.bindparam("offset")
    return chosen.order_by(*order).limit(limit).offset(offset)


def _is_by_date(shape: _Shape) -> bool:
    return shape.terms > 0 and shape.page.sort_by is SortBy.CREATED_AT


def _chosen(shape: _Shape, *, is_sqlite: bool) -> sa.Select[Any]:
    """Choose the videos of all pages."""
    page, first = shape.page, video_labels
    reads_videos = (
        not shape.terms
        or shape.has_external_id
        or page.search is not Search.NONE
        or page.has_visibility
        or page.sort_by is not SortBy.CREATED_AT
    )
    found = sa.select(first.c.video_id.label("id") if shape.terms else videos.c.id)
    if shape.terms and reads_videos:
        found = found.join_from(first, videos, videos.c.id == first.c.video_id)
    if reads_videos:
        found = found.where(
            *of_environment(plain), in_state(videos.c.state, has_state=page.has_state)
        )
        found = found.where(
            *visibility_conditions(page, plain),
            *name_conditions(page, is_sqlite=is_sqlite),
        )
    if shape.has_external_id:
        found = found.where(videos.c.external_id == sa.bindparam("external_id"))
    dated = plain(first.c.created_at if shape.terms else videos.c.created_at)
    if page.has_since:
        found = found.where(dated >= sa.bindparam("since"))
    if page.has_until:
        found = found.where(dated < sa.bindparam("until"))
    if not shape.terms:
        return found
    rarest, *others = _names(shape.terms)
    found = found.where(*_with_term(first, rarest))
    if page.has_state:
        found = found.where(first.c.state == sa.bindparam("state"))
    return found.where(
        *(_has_term(name, first.c.created_at, first.c.video_id) for name in others)
    )


def _names(terms: int) -> list[str]:
    """Return the names of the parameters for the terms, the rarest first."""
    return [f"term_{number}" for number in range(terms)]


def _has_term(
    name: str, created_at: sa.Column[Any], video_id: sa.Column[str]
) -> sa.ColumnElement[bool]:
    labels = video_labels.alias(f"with_{name}")
    found = sa.select(literal_number(1)).where(
        *_with_term(labels, name),
        plain(labels.c.created_at) == plain(created_at),
        labels.c.video_id == video_id,
    )
    # Not EXISTS: PostgreSQL would make a join of it, and read all that have the label.
    return found.scalar_subquery().is_not(None)


def _with_term(labels: sa.FromClause, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        labels.c.org_id == sa.bindparam("org_id"),
        labels.c.env_id == sa.bindparam("env_id"),
        labels.c.term == sa.bindparam(name),
    )


@cache
def _total(*, has_state: bool) -> sa.Select[Any]:
    columns = label_totals.c
    count = sa.func.coalesce(sa.func.sum(columns.videos), literal_number(0))
    return sa.select(sa.cast(count, sa.BigInteger)).where(
        *_with_term(label_totals, "term"),
        in_state(columns.state, has_state=has_state),
    )
