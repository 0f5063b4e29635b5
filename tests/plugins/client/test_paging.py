"""
Lists are gone through whole, whatever comes and goes beside.
"""

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from hvcore_client import HvClient, models
from hvcore_client.generated import operations
from hvcore_client.generated.choices import SortBy, SortDir, VideoStatus
from hvcore_client.paging import page_size, pages_of
from tests.plugins.client.conftest import Service, async_client

MANY: Final = 25


@pytest.mark.cases(4)
@pytest.mark.parametrize("sort_dir", ["asc", "desc"])
@pytest.mark.parametrize("sort_by", ["created_at", "name", "duration", "status"])
def test_videos_are_given_once_while_others_come_and_go(
    service: Service, client: HvClient, sort_by: SortBy, sort_dir: SortDir
) -> None:
    label = f"moving {sort_by} {sort_dir}"
    there = [service.world.ready(name=f"{label} {n:02}") for n in range(12)]
    gone: set[str] = set()
    given: list[str] = []

    for video in client.iterate_videos(
        search=label, sort_by=sort_by, sort_dir=sort_dir, page_size=4
    ):
        given.append(video.id)
        if len(given) % 4 == 0:
            service.world.ready(name=f"{label} {len(given):02} too")
            for unwanted in (video.id, min(set(there) - gone)):
                if unwanted not in gone:
                    client.delete_video(unwanted)
                    gone.add(unwanted)

    assert len(set(given)) == len(given)
    assert set(there) - gone <= set(given)


def test_a_list_is_emptied_by_deleting_what_it_gives(
    service: Service, client: HvClient
) -> None:
    made = {service.world.ready(name=f"emptied {n}") for n in range(MANY)}

    given = [
        client.delete_video(video.id) and video.id
        for video in client.iterate_videos(search="emptied", page_size=10)
    ]

    assert set(given) == made
    assert len(given) == MANY
    assert client.list_videos(search="emptied").videos == []


def test_the_client_for_asyncio_empties_a_list_likewise(service: Service) -> None:
    made = {service.world.ready(name=f"evenly {n}") for n in range(MANY)}

    async def delete_all() -> Sequence[str]:
        async with async_client(service) as client:
            given = []
            async for video in client.iterate_videos(search="evenly", page_size=10):
                await client.delete_video(video.id)
                given.append(video.id)
            await client._http.aclose()
            return given

    given = asyncio.run(delete_all())

    assert (set(given), len(given)) == (made, MANY)


class MovingList:
    """
    Videos that come, go and change between any two pages.

    Attributes:
        there: Ids of those that nothing has happened to.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - draws cases
        self._next = 0
        self._by = self._random.choice(("created_at", "name", "status"))
        self._rises = self._random.random() < 0.5
        self.videos: list[models.VideoSummary] = []
        for _ in range(self._random.randrange(90)):
            self.add()
        self.there = {video.id for video in self.videos}
        self.asked = 0

    def add(self) -> None:
        self._next += 1
        self.videos.append(
            video_of(self._next, self._random.choice("abc"), self._state())
        )

    def page(self, number: int, size: int) -> models.VideoList:
        self.asked += 1
        found = sorted(
            self.videos,
            key=lambda v: (getattr(v, self._by), v.id),
            reverse=not self._rises,
        )
        begin = (number - 1) * size
        return models.VideoList(
            videos=found[begin : begin + size],
            pagination=models.Pagination(
                total=len(found),
                page=number,
                page_size=size,
                total_pages=-(-len(found) // size),
                has_next=begin + size < len(found),
                has_previous=number > 1,
            ),
        )

    def change(self, most: int) -> None:
        for _ in range(self._random.randrange(most + 1)):
            if not self.videos:
                return
            chosen = self._random.choice(self.videos)
            what = self._random.randrange(4)
            if what == 0:
                self.add()
                continue
            self.videos.remove(chosen)
            self.there.discard(chosen.id)
            if what == 1:
                number = int(chosen.id)
                self.videos.append(
                    video_of(number, self._random.choice("xyz"), self._state())
                )

    def _state(self) -> VideoStatus:
        return self._random.choice(("ready", "failed", "transcoding"))


def video_of(number: int, name: str, state: VideoStatus) -> models.VideoSummary:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=number // 3)
    return models.VideoSummary(
        id=f"{number:05}",
        name=f"{name}{number}",
        duration="",
        duration_seconds=1.0,
        created_at=at,
        thumbnail_url="",
        served="0",
        status=state,
        allow_public_access=True,
        video_quality="standard",
        playback=models.Playback(
            playlist_url="",
            manifest_url="",
            embed_url="",
            thumbnail_url="",
            storyboard_url="",
            needs_token=False,
        ),
    )


@pytest.mark.parametrize("first_seed", range(0, 400, 100))
def test_whatever_happens_what_stays_is_given_once(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + 100):
        moving, draw = MovingList(seed), random.Random(seed)  # noqa: S311 - draws cases
        most = draw.choice((0, 3, 12))
        wanted = draw.choice((1, 2, 3, 7, 10))
        pages = pages_of(operations.LIST_VIDEOS, {"page_size": wanted})
        given: list[str] = []

        while pages.arguments is not None:
            asked = pages.arguments
            page = moving.page(
                int(str(asked.get("page", 1))), int(str(asked["page_size"]))
            )
            given += [video.id for video in pages.items_of(page)]
            # It quietens down in the end, or there would be none.
            moving.change(most if moving.asked < 60 else 0)

        assert len(set(given)) == len(given), seed
        assert moving.there <= set(given), seed


@pytest.mark.parametrize("wanted", [1, 2, 10, 20, 99, 100])
def test_a_page_begins_before_a_place_and_goes_on_behind_it(wanted: int) -> None:
    for passed in range(1, 3_000):
        size = page_size(passed, wanted)
        begin = (passed - 1) // size * size

        assert size <= 100
        assert begin < passed < begin + size
        # At least about half of what was wanted is new.
        assert begin + size - passed >= wanted // 2 - 1
