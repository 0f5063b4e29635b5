"""
Read pages of lists of videos in which words are said.

Where few texts have the words, the index finds their videos, which are then sorted. Where
many have them, the list is walked through in its order until the page is full, but not far:
words may be common in old videos alone. Then all found videos are sorted after all. Pages
end where the total ends, or their cost would grow with their number. See
docs/decisions/0230.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.access.tenants import Environment
from hvcore.domain.folded_texts import folded
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.spoken_texts import MAX_COUNTED
from hvcore.domain.videos.spoken_words import SpokenQuery
from hvcore.domain.videos.states import LISTED_STATES
from hvcore.persistence.naming import named
from hvcore.persistence.spoken.index import (
    SPOKEN_INDEX,
    has_words,
    match_value,
    of_sign,
)
from hvcore.persistence.spoken.page_filters import filter_conditions
from hvcore.persistence.spoken.server_lookup import IS_FOUND, server_lookup
from hvcore.persistence.statements import is_storable
from hvcore.persistence.tables import spoken_texts, videos
from hvcore.persistence.videos.page_conditions import (
    without_index,
)
from hvcore.persistence.videos.page_shapes import (
    PageShape,
    Search,
    page_shape,
    page_values,
)
from hvcore.persistence.videos.page_statements import in_order

FEW: Final = 1_500
"""Found texts whose videos SQLite puts into order: 8 us for each."""
FEW_ON_SERVER: Final = 4_000
"""Found texts whose videos PostgreSQL puts into order: 4 us for each."""
COUNTED: Final = 1_100
"""Found texts of a common word that PostgreSQL counts with them: some are of deleted videos."""
FIRST_STEP: Final = 50
"""Videos of the list that are looked at first."""
LOOKED_INTO: Final = 100
"""Videos whose words PostgreSQL reads: 35 us for each; of more, the index tells all that have them."""
LONGEST_STEP: Final = 8
"""The factor by which the number of videos that are looked at next may grow at most."""
FARTHEST: Final = 1_600
"""The place in the list up to which it is walked through."""

ReadIds = Callable[[Environment, VideoQuery], Sequence[VideoId]]


@attrs.frozen(kw_only=True)
class SpokenPage:
    """
    A page of a list of videos in which words are said.

    Attributes:
        total: The number of videos on all pages, MAX_COUNTED at most.
        has_more: Whether more videos than that are on them.
        has_next: Whether there is a next page; none begins behind MAX_COUNTED videos.
    """

    ids: Sequence[VideoId]
    total: int
    has_more: bool
    has_next: bool


@attrs.frozen(kw_only=True)
class _Asked:
    """The words and the filters of a list of videos, with their values in statements."""

    env: Environment
    query: VideoQuery
    words: Sequence[str]
    is_indexed: bool
    shape: PageShape
    values: Mapping[str, Any]

    @property
    def skipped(self) -> int:
        return (self.query.page - 1) * self.query.page_size

    @property
    def is_beyond(self) -> bool:
        """Whether the page begins behind all videos that are counted: no page is there."""
        return self.skipped >= MAX_COUNTED


class SpokenPages:
    """
    Read pages of lists of videos in which words are said; thread-safe.

    Args:
        read_ids: Returns the ids of a page of a list of videos without regard to what is said.
    """

    def __init__(self, engine: Engine, read_ids: ReadIds) -> None:
        self._read_ids = read_ids
        self._is_sqlite = engine.dialect.name == "sqlite"

    def read(
        self, connection: Connection, env: Environment, query: VideoQuery
    ) -> SpokenPage:
        """
        Return one page of an environment's videos in which all words of the query are said.

        Args:
            connection: A connection of ``reading_by_index``: PostgreSQL's planner takes the
                words of long texts for cheap to make, and would read all of them.
        """
        spoken = SpokenQuery.of(query.spoken or "")
        search = folded(query.search or "")
        nothing = SpokenPage(ids=(), total=0, has_more=False, has_next=False)
        texts = (search, query.external_id or "", *query.terms, *spoken.words)
        if not spoken.words or not all(map(is_storable, texts)):
            return nothing
        if query.state not in {None, *LISTED_STATES}:
            return nothing
        asked = _Asked(
            env=env,
            query=query,
            words=spoken.words,
            # Each time: it may be made or dropped meanwhile.
            is_indexed=not self._is_sqlite or SPOKEN_INDEX.exists(connection),
            shape=page_shape(query, Search.SCAN if search else Search.NONE),
            values=page_values(env, query, search, is_sqlite=self._is_sqlite)
            | {"match": match_value(env, spoken.words, is_sqlite=self._is_sqlite)}
            | {f"term_{at}": term for at, term in enumerate(sorted(query.terms))}
            | {"external_id": query.external_id},
        )
        look_up = self._look_up if self._is_sqlite else self._look_up_on_server
        behind, total = look_up(connection, asked)
        if behind is not None:
            return _page(asked, () if asked.is_beyond else behind, total)
        if total <= MAX_COUNTED:
            # Filters leave few of them, or many are of one video.
            total = self._count(connection, asked)
        ids: Sequence[VideoId] | None = ()
        if not asked.is_beyond:
            ids = self._walked(connection, asked) if total > MAX_COUNTED else None
        if ids is None:
            ids = self._all(connection, asked)
        return _page(asked, ids, total)

    def _look_up(
        self, connection: Connection, asked: _Asked
    ) -> tuple[Sequence[VideoId] | None, int]:
        """
        Return the videos on a page and behind it, and the number of all, if SQLite finds few texts.

        Returns:
            None and 0 if there are many.
        """
        if asked.is_indexed:
            # Without the texts, which lie far apart.
            numbers = named(_NUMBERS).columns(sa.column("no")).subquery("numbers")
            found = sa.select(numbers.c.no)
        else:
            found = self._matches(asked)
        some = found.limit(FEW + 1).subquery("some")
        counted = sa.select(sa.func.count()).select_from(some)
        if connection.execute(counted, dict(asked.values)).scalar_one() > FEW:
            return None, 0
        ids = dict.fromkeys(_ids(connection, self._matches(asked), asked.values))
        each = named("SELECT value FROM json_each(:ids)").columns(sa.column("id"))
        statement = (
            sa.select(videos.c.id)
            .where(videos.c.id.in_(each), *self._conditions(asked))
            .order_by(*self._order(asked.shape))
        )
        given = {**asked.values, "ids": orjson.dumps(list(ids)).decode()}
        listed = _ids(connection, statement, given) if ids else ()
        return listed[asked.skipped :], len(listed)

    def _look_up_on_server(
        self, connection: Connection, asked: _Asked
    ) -> tuple[Sequence[VideoId] | None, int]:
        """
        Return the videos on a page and one behind it, and the number of all, if PostgreSQL finds few texts.

        Returns:
            None if there are many, and the number of the first ones' videos that the
            filters let through.
        """
        query = asked.query
        statement = server_lookup(
            connection.dialect,
            asked.shape,
            len(query.terms),
            has_external_id=query.external_id is not None,
        )
        given = {
            **asked.values,
            "few": FEW_ON_SERVER,
            "counted": COUNTED,
            "skipped": asked.skipped,
            "listed": query.page_size + 1,
        }
        row = connection.exec_driver_sql(statement, given).one()
        are_many, total, counted, ids = row
        if are_many:
            return None, counted
        return list(map(VideoId, ids.split(","))) if ids else (), total

    def _count(self, connection: Connection, asked: _Asked) -> int:
        """Return the number of found videos that the filters let through, MAX_COUNTED and one at most."""
        matches: sa.FromClause = self._matches(asked).subquery("found")
        if not self._is_sqlite:
            # By themselves: or PostgreSQL makes the words of each text of the environment.
            matches = self._matches(asked).cte("found").prefix_with("MATERIALIZED")
        some = (
            sa.select(videos.c.id)
            .distinct()
            .join_from(matches, videos, videos.c.id == next(iter(matches.c)))
            .where(*self._conditions(asked))
            .limit(MAX_COUNTED + 1)
        )
        counted = sa.select(sa.func.count()).select_from(some.subquery("some"))
        return int(connection.execute(counted, dict(asked.values)).scalar_one())

    def _all(self, connection: Connection, asked: _Asked) -> Sequence[VideoId]:
        """Return the ids on a page and the one behind them, of all found videos in order."""
        statement = (
            sa.select(videos.c.id)
            .where(self._is_match(asked), *self._conditions(asked))
            .order_by(*self._order(asked.shape))
            .limit(asked.query.page_size + 1)
            .offset(asked.skipped)
        )
        return _ids(connection, statement, asked.values)

    def _walked(
        self, connection: Connection, asked: _Asked
    ) -> Sequence[VideoId] | None:
        """Return the ids on a page and the one behind them by walking through the list; None if that goes too far."""
        end = asked.skipped + asked.query.page_size + 1
        found: list[VideoId] = []
        looked_at: set[VideoId] = set()
        size = FIRST_STEP
        while end <= FARTHEST:
            # From the beginning: what was seen is read quickly, and no page must fit to it.
            step = attrs.evolve(asked.query, spoken=None, page=1, page_size=size)
            ids = self._read_ids(asked.env, step)
            # Not by their number: a new video moves the others.
            new = [one for one in ids if one not in looked_at]
            looked_at.update(new)
            said = self._said_in(connection, asked, new)
            found += [one for one in new if one in said]
            if len(found) >= end or len(ids) < size:
                return found[asked.skipped : end]
            if size >= FARTHEST:
                break
            # As far as the words seem to lie apart, and a third more.
            further = 4 * size * end // (3 * max(1, len(found)))
            size = min(max(further, size + FIRST_STEP), LONGEST_STEP * size, FARTHEST)
        return None

    def _said_in(
        self, connection: Connection, asked: _Asked, ids: Sequence[VideoId]
    ) -> frozenset[VideoId]:
        """Return the given videos in which the words are said."""
        texts = spoken_texts.c
        if not self._is_sqlite and len(ids) > LOOKED_INTO:
            found = self._matches(asked).cte("found").prefix_with("MATERIALIZED")
            given_ids = sa.func.string_to_array(sa.bindparam("ids"), ",")
            one = sa.func.unnest(given_ids).table_valued("id").render_derived()
            joined = sa.select(one.c.id).join_from(
                one, found, found.c.video_id == one.c.id
            )
            given = {**asked.values, "ids": ",".join(ids)}
            return frozenset(_ids(connection, joined, given))
        if not self._is_sqlite or not asked.is_indexed:
            has_words = self._has_words(asked.words)
            statement = sa.select(texts.video_id).where(
                texts.video_id.in_(ids), has_words
            )
            return frozenset(map(VideoId, connection.execute(statement).scalars()))
        # The index alone: videos that are near each other in a list mostly have near numbers.
        given = {"ids": orjson.dumps(ids).decode()}
        owners = _owners(connection.execute(named(_OWNERS), given).scalar_one())
        if not owners:
            return frozenset()
        span = {
            "first": min(owners),
            "last": max(owners),
            "match": asked.values["match"],
        }
        found = connection.execute(named(_WITHIN), span).scalar_one()
        numbers = map(int, found.split(",")) if found else ()
        return frozenset(owners[one] for one in numbers if one in owners)

    def _has_words(self, words: Sequence[str]) -> sa.ColumnElement[bool]:
        return has_words(words, is_sqlite=self._is_sqlite)

    def _matches(self, asked: _Asked) -> sa.Select[Any]:
        """Return the statement that reads the video ids of the texts that the index finds."""
        if not self._is_sqlite:
            return sa.select(spoken_texts.c.video_id).where(IS_FOUND)
        if not asked.is_indexed:
            return sa.select(spoken_texts.c.video_id).where(
                of_sign(asked.env), self._has_words(asked.words)
            )
        found = named(_MATCHES).columns(sa.column("id")).subquery("matches")
        return sa.select(found.c.id)

    def _is_match(self, asked: _Asked) -> sa.ColumnElement[bool]:
        matches = self._matches(asked)
        if self._is_sqlite:
            return videos.c.id.in_(matches)
        # By themselves: or PostgreSQL makes the words of each text of the environment.
        found = matches.cte("matches").prefix_with("MATERIALIZED")
        return videos.c.id.in_(sa.select(found.c.video_id))

    def _conditions(self, asked: _Asked) -> Sequence[sa.ColumnElement[bool]]:
        return filter_conditions(
            asked.shape,
            len(asked.query.terms),
            has_external_id=asked.query.external_id is not None,
            is_sqlite=self._is_sqlite,
        )

    def _order(self, shape: PageShape) -> Sequence[sa.ColumnElement[Any]]:
        if not self._is_sqlite:
            return in_order(shape, videos.c)
        # Else SQLite might walk through an index that has the order.
        return in_order(
            shape, {column.name: without_index(column) for column in videos.c}
        )


def _ids(
    connection: Connection, statement: sa.Select[Any], values: Mapping[str, Any]
) -> list[VideoId]:
    """Run a statement that reads ids, and return them."""
    # As one row: of a thousand, the rows cost more than what is in them.
    if connection.dialect.name == "postgresql":
        # An array has the order of its rows; an aggregate of them need not.
        array = sa.func.array(statement.scalar_subquery())
        joined = sa.select(sa.func.array_to_string(array, ","))
    else:
        ids = statement.subquery("ids")
        joined = sa.select(sa.func.group_concat(ids.c[0], ","))
    found = connection.execute(joined, dict(values)).scalar_one()
    return [VideoId(one) for one in found.split(",")] if found else []


_MATCHES: Final = """
SELECT t.video_id AS id FROM {video_search_spoken} AS s CROSS JOIN {spoken_texts} AS t
WHERE {video_search_spoken} MATCH :match AND t.no = s.rowid
"""
"""SQLite's ids of the videos of the texts that the index finds."""
_NUMBERS: Final = """
SELECT s.rowid AS no FROM {video_search_spoken} AS s
WHERE {video_search_spoken} MATCH :match
"""
"""SQLite's numbers of the texts that the index finds."""
_OWNERS: Final = """
SELECT group_concat(no || ' ' || video_id, ',') FROM {spoken_texts}
WHERE video_id IN (SELECT value FROM json_each(:ids))
"""
"""SQLite's numbers of the texts of some videos, each with its video."""
_WITHIN: Final = """
SELECT group_concat(rowid) FROM (
  SELECT rowid FROM {video_search_spoken} AS s
  WHERE {video_search_spoken} MATCH :match AND s.rowid >= :first AND s.rowid <= :last)
"""
"""SQLite's numbers of the found texts between two numbers."""


def _owners(told: str | None) -> Mapping[int, VideoId]:
    """Return the videos of texts by number, as a statement has told them in one row."""
    pairs = (one.split(" ") for one in (told or "").split(",") if one)
    return {int(no): VideoId(video_id) for no, video_id in pairs}


def _page(asked: _Asked, behind: Sequence[VideoId], total: int) -> SpokenPage:
    """Return the page of a list from the ids on it and behind it, one of these at least if there are some."""
    size = asked.query.page_size
    return SpokenPage(
        ids=behind[:size],
        total=min(total, MAX_COUNTED),
        has_more=total > MAX_COUNTED,
        has_next=len(behind) > size and asked.skipped + size < MAX_COUNTED,
    )
