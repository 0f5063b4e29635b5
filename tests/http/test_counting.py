"""
Which answers of delivery are counted as served segments.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hvcore.domain.analytics import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from hvcore.services.segment_counting import SpooledCounter
from hvcore.spool import Spool, opened, spool_files
from tests.conftest import SettableClock
from tests.http.delivery_world import (
    PRIVATE_PATH,
    PUBLIC_PATH,
    DeliveryWorld,
    make_world,
)
from tests.media_samples import ROOT, VIDEO

SEGMENT = "video/720p/0.m4s"
COUNTED = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


@pytest.fixture(params=["local", "remote"])
def world(
    request: pytest.FixtureRequest, clock: SettableClock, tmp_path: Path
) -> DeliveryWorld:
    folder = tmp_path if request.param == "local" else None
    return make_world(clock, folder, is_public=True)


def get(
    world: DeliveryWorld,
    file: str,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> int:
    result = world.get(f"{PUBLIC_PATH}/{file}", headers=headers, method=method)
    return result.status_code


def test_a_segment_that_was_answered_whole_is_counted(world: DeliveryWorld) -> None:
    assert get(world, SEGMENT) == 200

    assert world.counted == [COUNTED]


def test_a_private_segment_is_counted_likewise(world: DeliveryWorld) -> None:
    world.change(is_public=False)

    result = world.get(f"{PRIVATE_PATH}/{SEGMENT}", query=f"token={world.token()}")

    assert (result.status_code, world.counted) == (200, [COUNTED])


@pytest.mark.parametrize(
    "asked", ["bytes=0-", "bytes=0-0", "bytes=0-99", "bytes=-99999"]
)
def test_a_part_from_the_first_byte_on_is_counted(
    world: DeliveryWorld, asked: str
) -> None:
    assert get(world, SEGMENT, {"Range": asked}) == 206

    assert world.counted == [COUNTED]


@pytest.mark.parametrize("asked", ["bytes=1-", "bytes=100-200", "bytes=-1"])
def test_a_part_that_begins_later_is_not_counted(
    world: DeliveryWorld, asked: str
) -> None:
    assert get(world, SEGMENT, {"Range": asked}) == 206

    assert world.counted == []


def test_several_ranges_are_answered_whole_and_counted(world: DeliveryWorld) -> None:
    assert get(world, SEGMENT, {"Range": "bytes=1-2,5-6"}) == 200

    assert world.counted == [COUNTED]


@pytest.mark.parametrize(
    "file",
    [
        "master.m3u8",
        "video-720p.m3u8",
        "audio.m3u8",
        "video/init.m4s",
        "video/720p/init.m4s",
        "audio/init.m4s",
        "audio/0.m4s",
    ],
)
def test_only_media_segments_of_video_rungs_are_counted(
    world: DeliveryWorld, file: str
) -> None:
    assert get(world, file) == 200

    assert world.counted == []


def test_pictures_are_not_counted(world: DeliveryWorld) -> None:
    assert world.get(f"/t/{VIDEO}/320x180.jpg").status_code in {200, 404}

    assert world.counted == []


def test_head_is_not_counted(world: DeliveryWorld) -> None:
    assert get(world, SEGMENT, method="HEAD") == 200

    assert world.counted == []


def test_what_the_player_has_already_is_not_counted(world: DeliveryWorld) -> None:
    etag = world.get(f"{PUBLIC_PATH}/{SEGMENT}").headers["ETag"]
    world.counted.clear()

    assert get(world, SEGMENT, {"If-None-Match": etag}) == 304

    assert world.counted == []


def test_refused_ranges_and_missing_files_are_not_counted(
    world: DeliveryWorld,
) -> None:
    assert get(world, SEGMENT, {"Range": "bytes=99999-"}) == 416
    assert get(world, "video/720p/99.m4s") == 404

    assert world.counted == []


def test_a_segment_whose_file_is_gone_is_not_counted(world: DeliveryWorld) -> None:
    world.storage.delete_tree(ROOT)
    folder = getattr(world.storage, "folder", None)
    if folder is not None:
        for file in folder.rglob("0.m4s"):
            file.unlink()

    assert get(world, SEGMENT) == 404

    assert world.counted == []


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Spool]:
    made = Spool(tmp_path / "spool")
    yield made
    made.close()


def test_a_counter_writes_down_place_and_time(
    spool: Spool, clock: SettableClock, tmp_path: Path
) -> None:
    SpooledCounter(spool=spool, clock=clock).count(COUNTED)

    (path,) = spool_files(tmp_path / "spool")
    with opened(path) as file:
        chunk = file.read(0)
    assert chunk is not None
    (count,) = chunk.counts
    assert count.place == COUNTED
    assert count.first_at == clock.now().replace(microsecond=678_000)


def test_playback_goes_on_when_nothing_can_be_written_down(
    clock: SettableClock, tmp_path: Path
) -> None:
    (tmp_path / "spool").write_bytes(b"a file where the folder should be")
    world = make_world(clock, tmp_path / "media", is_public=True)
    counter = SpooledCounter(spool=Spool(tmp_path / "spool"), clock=clock)
    object.__setattr__(world.delivery, "counter", counter)

    assert get(world, SEGMENT) == 200
