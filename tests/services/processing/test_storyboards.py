"""
Sheets, made of the stills that parts have left.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import attrs
import pytest
from PIL import Image

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import Part, PartDone, PartPending, Still
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.ports.transcoder import Workspace
from hvcore.services.processing.conformance_reports import ConformanceReports
from hvcore.services.processing.source_captions import SourceCaptions, StoredCaptions
from hvcore.services.processing.storyboards import NO_STORYBOARD, Storyboards
from hvcore.services.tasks.leases import TaskStopped
from tests.services.conftest import World
from tests.support.drawing import DRAWING_ROOM
from tests.support.media_samples import ROOT, BytesStorage, file_of, index, video_track

SIZE = (32, 18)


def shade(number: int) -> int:
    return 20 + number * 2


def still(grey: int, size: tuple[int, int] = SIZE) -> bytes:
    made = BytesIO()
    Image.new("RGB", size, (grey, grey, grey)).save(made, "JPEG", quality=95)
    return made.getvalue()


def huge() -> bytes:
    """
    A picture that says it has 65,000 pixels a side.
    """
    picture = bytearray(still(9))
    size = picture.index(b"\xff\xc0") + 5
    picture[size : size + 4] = (65_000).to_bytes(2, "big") * 2
    return bytes(picture)


def part(*moments_s: int, poster: str | None = None) -> PartDone:
    stills = tuple(
        Still(at_s=at_s, name=f"stills/{number}.jpg")
        for number, at_s in enumerate(moments_s)
    )
    return PartDone(tracks=(), stills=stills, poster=poster)


def media(duration_s: float) -> MediaIndex:
    return attrs.evolve(index(video_track()), duration_s=duration_s)


def storage_of(*done: tuple[str, PartDone], interval_s: int) -> BytesStorage:
    return BytesStorage(
        {
            f"{ROOT}/{folder}/{one.name}": still(shade(one.at_s // interval_s))
            for folder, part in done
            for one in part.stills
        }
    )


def made(
    storage: BytesStorage,
    duration_s: float,
    *done: tuple[str, PartDone],
    interval_s: int = 1,
) -> MediaIndex:
    return Storyboards(storage=storage, pictures=DRAWING_ROOM).add(
        ROOT,
        media(duration_s),
        done,
        interval_s=interval_s,
        folder="storyboard-a1",
    )


def shown(storage: BytesStorage, found: MediaIndex) -> list[int]:
    board = found.storyboard
    assert board
    greys = []
    for sprite in board.sprites:
        content = storage.objects[f"{ROOT}/{sprite.path}"]
        assert sprite.file == file_of(content)
        with Image.open(BytesIO(content)) as sheet:
            grey = sheet.convert("L")
        for number in range(sprite.count):
            row, column = divmod(number, board.columns)
            x, y = column * board.tile_width_px, row * board.tile_height_px
            value = grey.getpixel((x + 16, y + 9))
            assert isinstance(value, int)
            greys.append(round((value - 20) / 2))
    return greys


def test_sheets_show_every_moment_in_its_order() -> None:
    first = ("p1a1", part(*range(60)))
    second = ("p2a1", part(*range(60, 100)))
    storage = storage_of(first, second, interval_s=1)

    found = made(storage, 99.8, first, second)

    assert found.storyboard
    assert [sprite.count for sprite in found.storyboard.sprites] == [50, 50]
    assert (found.storyboard.tile_width_px, found.storyboard.tile_height_px) == SIZE
    assert shown(storage, found) == list(range(100))
    assert found.warnings == ()


def test_a_short_video_has_a_small_sheet() -> None:
    done = ("p0a1", part(0, 1, 2))
    storage = storage_of(done, interval_s=1)

    found = made(storage, 2.5, done)

    assert found.storyboard
    (sprite,) = found.storyboard.sprites
    with Image.open(BytesIO(storage.objects[f"{ROOT}/{sprite.path}"])) as sheet:
        assert sheet.size == (96, 18)


def test_a_moment_without_a_still_shows_the_one_before() -> None:
    done = ("p0a1", part(5, 15, 30))
    storage = storage_of(done, interval_s=5)

    found = made(storage, 40.0, done, interval_s=5)

    assert shown(storage, found) == [1, 1, 1, 3, 3, 3, 6, 6]


def test_a_video_without_stills_has_no_storyboard() -> None:
    storage = BytesStorage()

    found = made(storage, 10.0, ("p0a1", part()))

    assert found == media(10.0)
    assert storage.objects == {}


@pytest.mark.parametrize(
    "content",
    [
        None,
        b"",
        b"\xff\xd8\xff",
        b"GIF89a",
        still(9)[:300],
        still(9, (640, 16)),
        still(9, (16, 16)),
        huge(),
    ],
)
def test_a_still_that_cannot_be_read_costs_the_storyboard_alone(
    content: bytes | None,
) -> None:
    done = ("p0a1", part(0, 1, 2))
    storage = storage_of(done, interval_s=1)
    path = f"{ROOT}/p0a1/stills/1.jpg"
    if content is None:
        del storage.objects[path]
    else:
        storage.objects[path] = content

    found = made(storage, 3.0, done)

    assert found == attrs.evolve(media(3.0), warnings=(NO_STORYBOARD,))
    assert not any("storyboard" in name for name in storage.objects)


def jpegs(world: World, video_id: str) -> list[str]:
    root = world.video(video_id).media_root
    return [
        name.removeprefix(f"{root}/")
        for name in world.files(f"{root}/")
        if name.endswith(".jpg")
    ]


def test_a_published_video_has_its_sheet_and_nothing_it_was_made_of(
    world: World,
) -> None:
    world.transcoder.parts = 2
    world.transcoder.still_picture = still(99)
    video_id = world.processed()

    world.run_everything()

    video = world.video(video_id)
    assert video.media
    assert video.media.storyboard
    assert video.media.storyboard.interval_s == 1
    (sprite,) = video.media.storyboard.sprites
    assert sprite.count == 12
    assert jpegs(world, video_id) == sorted([str(video.media.poster), sprite.path])


@pytest.mark.parametrize(
    "poster", ["stills/poster.jpg", "stills/0.jpg", "video/480p/0.jpg"]
)
def test_a_poster_among_stills_or_segments_is_published_and_stills_are_not(
    world: World, monkeypatch: pytest.MonkeyPatch, poster: str
) -> None:
    run = world.transcoder.run
    beside = poster.rpartition("/")[0]

    def lay(part: Part, workspace: Workspace) -> PartDone | PartPending:
        made = run(part, workspace)
        assert isinstance(made, PartDone)
        names = {poster: still(7)}
        names |= {f"{beside}/{one.at_s}.jpg": still(9) for one in made.stills}
        for name, picture in names.items():
            (workspace.folder / name).write_bytes(picture)
        moved = [attrs.evolve(s, name=f"{beside}/{s.at_s}.jpg") for s in made.stills]
        return attrs.evolve(made, poster=poster, stills=tuple(moved))

    monkeypatch.setattr(world.transcoder, "run", lay)
    world.transcoder.still_picture = still(99)
    video_id = world.processed()

    world.run_tasks()

    video = world.video(video_id)
    assert video.media
    assert video.media.storyboard
    (sprite,) = video.media.storyboard.sprites
    assert jpegs(world, video_id) == sorted([f"p0a1/{poster}", sprite.path])
    assert all(
        f"{video.media_root}/p0a1/video/{rung.key}/0.m4s" in world.files()
        for rung in video.rungs
    )


def test_sheets_of_an_attempt_that_ended_are_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [TaskStopped(), RuntimeError("a fault")]

    def fail(*_: object) -> None:
        raise errors.pop(0)

    world.transcoder.still_picture = still(99)
    video_id = world.processed()
    monkeypatch.setattr(ConformanceReports, "issue", fail)

    world.run_tasks()

    assert errors == []
    assert world.video(video_id).state is VideoState.TRANSCODING
    assert any(name.endswith("480p/0.m4s") for name in world.files())
    assert not any("storyboard-a" in name for name in world.files())


def test_sheets_stay_where_only_the_answer_of_the_publishing_was_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.transcoder.still_picture = still(99)
    video_id = world.processed()
    stored = SourceCaptions.stored

    @contextmanager
    def lose(*args: Any, **kwargs: Any) -> Iterator[StoredCaptions]:  # noqa: ANN401 - those of stored
        with stored(*args, **kwargs) as captions:
            yield captions
        raise UnavailableError("The answer was lost.")

    monkeypatch.setattr(SourceCaptions, "stored", lose)

    world.run_tasks()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media
    assert video.media.storyboard
    (sprite,) = video.media.storyboard.sprites
    assert sprite.path in jpegs(world, video_id)


def test_a_damaged_still_does_not_fail_a_video(world: World) -> None:
    world.transcoder.still_picture = b"no picture"
    video_id = world.processed()

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media
    assert video.media.storyboard is None
    assert video.media.warnings == (NO_STORYBOARD,)
