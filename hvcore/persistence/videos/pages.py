"""
Read pages of lists of videos.

Where few names have the searched text, the index of names finds the videos, which are
then sorted. Where many names have it, the list is walked through in its order until
the page is full. See docs/decisions/0045.
"""

from collections.abc import Hashable, Mapping
from typing import Final, Protocol

from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment
from hvcore.domain.folded_texts import folded
from hvcore.domain.videos.catalog import SortBy, VideoQuery
from hvcore.domain.videos.states import LISTED_STATES
from hvcore.persistence.fast_reads.reads import FastReads, Query, Row
from hvcore.persistence.statements import is_storable
from hvcore.persistence.videos.found_totals import Found, FoundTotals
from hvcore.persistence.videos.labelled_pages import LabelledPages
from hvcore.persistence.videos.page_shapes import (
    PageShape,
    Search,
    page_shape,
    page_values,
)
from hvcore.persistence.videos.page_statements import PageStatements, page_statements
from hvcore.persistence.videos.page_totals import (
    any_long_name,
    count_matches,
    stored_total,
)
from hvcore.persistence.videos.search_index import MIN_CHARS, NAME_INDEX

DEEP_OFFSET: Final = 200
"""From here on a page's place is found in an index before rows are read."""
FEW: Final = 3_000
"""Found videos that are put into order, and videos that are looked at one by one."""
ALL: Final = 2**62
"""More than there can be: the interface promises the total of a search, too."""

_INDEXED: Final = {SortBy.CREATED_AT, SortBy.DURATION}
"""The others sort ids first: whole rows would not fit into memory."""

_Values = Mapping[str, object]


class VideoPages:
    """
    Read pages of lists of videos; thread-safe.

    Args:
        has_ids_alone: Whether the rows have the ids of videos, and nothing else.
    """

    def __init__(
        self, engine: Engine, reads: FastReads, *, has_ids_alone: bool
    ) -> None:
        self._engine = engine
        self._reads = reads
        self._has_ids_alone = has_ids_alone
        # As many as there are shapes: about a thousand.
        self._statements: dict[PageShape, PageStatements] = {}
        self._matches = _by_state(reads, count_matches)
        self._stored_totals = _by_state(reads, stored_total)
        self._any_long_name = any_long_name(reads)
        self._is_searchable: bool | None = None
        self._totals = FoundTotals()
        self._labelled = LabelledPages(
            reads, self._with_long_names, has_ids_alone=has_ids_alone
        )

    def read(self, env: Environment, query: VideoQuery) -> tuple[list[Row], int]:
        """
        Return the rows of one page of an environment's videos, and the number of videos on all pages.

        A video that awaits its file is on no page.
        """
        search = folded(query.search or "")
        if not is_storable(search) or query.state not in {None, *LISTED_STATES}:
            return [], 0
        offset = (query.page - 1) * query.page_size
        values = page_values(env, query, search, is_sqlite=self._reads.is_sqlite)
        values |= {"limit": query.page_size, "offset": offset}
        if query.terms or query.external_id is not None:
            return self._labelled.read(query, values)
        if not search and query.is_public is not None:
            return self._visible(query, values, offset)
        if not search:
            return self._listed(query, self._shape(query, Search.NONE), values, offset)
        return self._searched(query, search, values, offset)

    def _shape(self, query: VideoQuery, search: Search) -> PageShape:
        shape = page_shape(query, search)
        return shape._replace(has_ids_alone=self._has_ids_alone)

    def _visible(
        self, query: VideoQuery, values: _Values, offset: int
    ) -> tuple[list[Row], int]:
        row = self._reads.first(self._stored_totals[query.state is not None], values)
        total, changes = row or (0, 0)
        if not total:
            return [], 0
        shape = self._shape(query, Search.NONE)
        asked = _without_offset(query, values)
        found = self._totals.get(asked, changes)
        if found is None:
            total = self._number(self._of(shape).total, values)
            found = Found(total=total, is_few=total <= FEW)
            self._totals.put(asked, changes, found)
        if offset >= found.total:
            return [], found.total
        is_by_date = query.sort_by is SortBy.CREATED_AT
        shape = shape._replace(has_few=found.is_few and not is_by_date)
        statements = self._of(self._with_long_names(shape, values))
        return self._reads.all(statements.deep, values), found.total

    def _searched(
        self, query: VideoQuery, search: str, values: _Values, offset: int
    ) -> tuple[list[Row], int]:
        row = self._reads.first(self._stored_totals[query.state is not None], values)
        total, changes = row or (0, 0)
        if not total:
            return [], 0
        if total <= FEW:
            return self._listed(query, self._shape(query, Search.SCAN), values, offset)
        asked = _without_offset(query, values)
        found = self._totals.get(asked, changes)
        if found is None:
            found = self._count(query, search, values)
            self._totals.put(asked, changes, found)
        if offset >= found.total:
            return [], found.total
        way = Search.FEW if found.is_few else Search.SCAN
        shape = self._with_long_names(self._shape(query, way), values)
        return self._reads.all(self._of(shape).deep, values), found.total

    def _count(self, query: VideoQuery, search: str, values: _Values) -> Found:
        """Count by the index, as far as it knows what is asked for."""
        scan = page_shape(query, Search.SCAN)
        if not self._has_index(search):
            total = self._number(self._of(scan).total, values)
            return Found(total=total, is_few=False)
        named = self._number(self._matches[False], {**values, "cap": FEW + 1})
        is_few = named <= FEW
        has_more = scan.has_days or scan.has_visibility
        if is_few and not scan.has_state and not has_more:
            return Found(total=named, is_few=True)
        if is_few:
            counts = self._of(page_shape(query, Search.FEW)).total
        elif self._reads.is_sqlite and not has_more:
            counts = self._matches[scan.has_state]
        else:
            # PostgreSQL would read the row of each match.
            counts = self._of(scan).total
        total = self._number(counts, {**values, "cap": ALL})
        return Found(total=total, is_few=is_few)

    def _listed(
        self, query: VideoQuery, shape: PageShape, values: _Values, offset: int
    ) -> tuple[list[Row], int]:
        statements = self._of(self._with_long_names(shape, values))
        if offset < DEEP_OFFSET and query.sort_by in _INDEXED:
            rows = self._reads.all(statements.near, values)
            total = rows[0][-1] if rows else self._number(statements.total, values)
        else:
            total = self._number(statements.total, values)
            # Counting past the last one is work for nothing.
            is_over = offset >= total
            rows = [] if is_over else self._reads.all(statements.deep, values)
        return rows, total

    def _with_long_names(self, shape: PageShape, values: _Values) -> PageShape:
        is_sorted = shape.search is Search.FEW or shape.has_days
        if self._reads.is_sqlite or shape.sort_by is not SortBy.NAME or is_sorted:
            return shape
        has_long = self._reads.first(self._any_long_name, values) is not None
        return shape._replace(has_long_names=has_long)

    def _has_index(self, search: str) -> bool:
        if len(search) < MIN_CHARS:
            return False
        if self._is_searchable is None:
            self._is_searchable = NAME_INDEX.is_in(self._engine)
        return self._is_searchable

    def _number(self, question: Query, values: _Values) -> int:
        row = self._reads.first(question, values)
        return row[0] if row else 0

    def _of(self, shape: PageShape) -> PageStatements:
        statements = self._statements.get(shape)
        if statements is None:
            statements = page_statements(self._reads, shape)
            self._statements[shape] = statements
        return statements


class _Make(Protocol):
    def __call__(self, reads: FastReads, *, has_state: bool) -> Query: ...


def _by_state(reads: FastReads, make: _Make) -> Mapping[bool, Query]:
    return {has_state: make(reads, has_state=has_state) for has_state in (False, True)}


def _without_offset(query: VideoQuery, values: _Values) -> Hashable:
    """Return the filters that all pages of a list share, in whatever order."""
    wanted = ("org_id", "env_id", "search")
    names = tuple(values.get(name) for name in wanted)
    return (*names, query.state, query.since, query.until, query.is_public)
