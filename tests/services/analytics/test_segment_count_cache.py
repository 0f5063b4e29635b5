"""
Counts of served segments are those of a moment ago.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from hvcore.domain.ids import VideoId
from hvcore.services.analytics import segment_count_cache
from hvcore.services.analytics.segment_count_cache import KNOWN_FOR, SegmentCountCache

NOW = datetime(2026, 1, 2, tzinfo=UTC)
A, B, C = (VideoId(f"vid_{letter}") for letter in "abc")


class Store:
    """
    Answers with what it is given, and remembers what it was asked.
    """

    def __init__(self) -> None:
        self.counts: dict[VideoId, int] = {A: 1}
        self.asked: list[list[VideoId]] = []

    def served(self, videos: Collection[VideoId]) -> Mapping[VideoId, int]:
        self.asked.append(list(videos))
        return {id_: n for id_, n in self.counts.items() if id_ in videos}


def made() -> tuple[Store, SegmentCountCache]:
    store = Store()
    return store, SegmentCountCache(cast("Any", store))


def test_the_store_is_asked_for_what_is_not_known() -> None:
    store, served = made()

    assert served.of([A, B], NOW) == {A: 1, B: 0}
    assert served.of([A, B, C], NOW) == {A: 1, B: 0, C: 0}

    assert store.asked == [[A, B], [C]]


@pytest.mark.parametrize("by", [KNOWN_FOR, -KNOWN_FOR])
def test_a_new_count_shows_after_four_seconds(by: timedelta) -> None:
    store, served = made()
    served.of([A], NOW)

    store.counts[A] = 2

    assert served.of([A], NOW + by) == {A: 2}


def test_more_videos_than_are_remembered_have_counts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(segment_count_cache, "MAX_KNOWN", 2)
    _, served = made()

    assert [served.of([id_], NOW)[id_] for id_ in (A, B, C, A)] == [1, 0, 0, 1]
