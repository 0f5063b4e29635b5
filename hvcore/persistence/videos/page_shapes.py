"""Name the shapes of pages of videos: the combinations of filters and order that have SQL statements of their own."""

from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from typing import Final, NamedTuple

from hvcore.domain.access.tenants import Environment
from hvcore.domain.videos.catalog import SortBy, SortDir, VideoQuery
from hvcore.persistence.tables import EPOCH
from hvcore.persistence.videos.search_index import match_value

_MICROSECOND: Final = timedelta(microseconds=1)


class Search(Enum):
    """
    The way to find the videos whose name has the searched text.

    NONE: no text is searched; all videos are wanted.
    SCAN: each name is looked at, in the order of the list; quick where many names have the text.
    FEW: the index has found so few names that all of these videos are sorted.
    """

    NONE = "none"
    SCAN = "scan"
    FEW = "few"


class PageShape(NamedTuple):
    """
    The features of a requested page of videos that decide on its SQL statement.

    Attributes:
        has_visibility: Whether only public videos are wanted, or only private ones.
        has_few: Whether so few videos have the wanted visibility that all of them are sorted.
        has_ids_alone: Whether the page's rows have the ids of videos, and nothing else.
    """

    sort_by: SortBy
    sort_dir: SortDir
    search: Search
    has_state: bool
    has_since: bool
    has_until: bool
    has_visibility: bool = False
    has_few: bool = False
    has_long_names: bool = False
    has_ids_alone: bool = False

    @property
    def has_days(self) -> bool:
        """Whether the page has only videos created in a range of days."""
        return self.has_since or self.has_until

    @property
    def is_counted(self) -> bool:
        """Whether a stored total tells the number of the list's videos, so that nothing need be counted."""
        is_whole = not self.has_days and not self.has_visibility
        return self.search is Search.NONE and is_whole


def page_shape(query: VideoQuery, search: Search) -> PageShape:
    """Return the page shape of a video query: which of its filters and which order it has."""
    return PageShape(
        sort_by=query.sort_by,
        sort_dir=query.sort_dir,
        search=search,
        has_state=query.state is not None,
        has_since=query.since is not None,
        has_until=_has_end(query.until),
        has_visibility=query.is_public is not None,
    )


def page_values(
    env: Environment, query: VideoQuery, search: str, *, is_sqlite: bool
) -> dict[str, object]:
    """
    Return the parameter values of a video query for its SQL statements.

    Args:
        search: The searched text, case-folded.
    """
    values: dict[str, object] = {"org_id": env.org_id, "env_id": env.id}
    if query.state is not None:
        values["state"] = query.state.value
    if query.is_public is not None:
        values["is_public"] = query.is_public
    if search:
        values["search"] = search
        values["match"] = match_value(search, is_sqlite=is_sqlite)
    if query.since is not None:
        values["since"] = _midnight(query.since)
    if query.until is not None and _has_end(query.until):
        values["until"] = _midnight(query.until + timedelta(days=1))
    return values


def _has_end(until: date | None) -> bool:
    # The day after the last one cannot be written, and nothing is there.
    return until is not None and until < date.max


def _midnight(day: date) -> int:
    return (datetime.combine(day, time(), tzinfo=UTC) - EPOCH) // _MICROSECOND
