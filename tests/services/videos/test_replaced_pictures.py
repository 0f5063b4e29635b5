"""
Custom pictures that are no longer shown go later, and never one that is shown.
"""

import io
import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from PIL import Image

from hvcore.domain.tasks.kinds import THUMBNAIL_TIDY
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.storage import ObjectInfo
from hvcore.services.videos.replaced_pictures import (
    ABANDONED_AFTER,
    READERS_END_AFTER,
)
from tests.services.conftest import World


def ready(world: World) -> Video:
    video_id = world.processed()
    world.run_tasks()
    video = world.video(video_id)
    assert video.state is VideoState.READY
    return video


def send(world: World, video: Video) -> str:
    made = io.BytesIO()
    Image.new("RGB", (64, 36), "red").save(made, "PNG")
    shown = world.services.custom_thumbnails.set_picture(
        world.caller,
        world.env.org_id,
        video.id,
        picture=made.getvalue(),
        content_type="image/png",
    )
    assert shown.poster_path is not None
    return shown.poster_path


def posters(world: World, video: Video) -> list[str]:
    return world.files(f"media/{video.id}/posters/")


def pass_readers_end(world: World) -> None:
    world.clock.move(seconds=READERS_END_AFTER.total_seconds() + 1)
    world.run_everything()


def store_and(
    monkeypatch: pytest.MonkeyPatch, world: World, meanwhile: Callable[[], object]
) -> None:
    """
    Do something once, between the storing of the next picture and its commit.
    """
    storage = type(world.services.storage)
    write = storage.write

    def write_and_go_on(*args: Any, **more: Any) -> ObjectInfo:  # noqa: ANN401 - passed on
        info = write(*args, **more)
        monkeypatch.setattr(storage, "write", write)
        meanwhile()
        return info

    monkeypatch.setattr(storage, "write", write_and_go_on)


def test_of_two_pictures_sent_at_once_the_shown_picture_is_stored(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = ready(world)
    send(world, video)
    store_and(monkeypatch, world, lambda: send(world, video))

    shown = send(world, video)

    assert world.video(video.id).poster_path == shown
    assert shown in posters(world, video)
    pass_readers_end(world)
    assert posters(world, video) == [shown]


def test_a_removal_that_runs_between_storing_and_commit_spares_the_picture(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = ready(world)
    send(world, video)
    send(world, video)
    store_and(monkeypatch, world, lambda: pass_readers_end(world))

    shown = send(world, video)

    assert shown in posters(world, video)


def test_a_replaced_picture_stays_while_requests_may_read_it(world: World) -> None:
    video = ready(world)
    first = send(world, video)
    second = send(world, video)

    world.run_tasks()

    assert posters(world, video) == sorted([first, second])
    pass_readers_end(world)
    assert posters(world, video) == [second]


def test_sizes_of_a_replaced_picture_are_removed(world: World) -> None:
    video = ready(world)
    first = send(world, video)
    name = first.rpartition("/")[2].removesuffix(".jpg")
    size = world.storage_dir / f"media/{video.id}/thumbnails/{name}/64x36.jpg"
    size.parent.mkdir(parents=True)
    size.write_bytes(b"rendered")

    send(world, video)
    pass_readers_end(world)

    assert not size.exists()


def test_a_picture_whose_request_was_killed_is_removed_with_the_next(
    world: World,
) -> None:
    video = ready(world)
    send(world, video)
    killed = world.storage_dir / f"media/{video.id}/posters/0123456789abcdef.jpg"
    killed.write_bytes(b"never shown")
    long_ago = world.clock.now() - ABANDONED_AFTER - timedelta(minutes=1)
    os.utime(killed, times=(long_ago.timestamp(), long_ago.timestamp()))

    shown = send(world, video)
    pass_readers_end(world)

    assert posters(world, video) == [shown]


def test_a_removal_waits_for_a_storage_that_refuses(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    video = ready(world)
    send(world, video)
    shown = send(world, video)

    def refuse(*_: object) -> int:
        raise UnavailableError("The storage refuses.")

    with monkeypatch.context() as context:
        context.setattr(type(world.services.storage), "delete_tree", refuse)
        pass_readers_end(world)
    assert len(posters(world, video)) == 2
    world.run_everything()

    assert posters(world, video) == [shown]
    with world.services.uow.read() as work:
        states = {t.state for t in work.tasks.of_subject(video.id, kind=THUMBNAIL_TIDY)}
    assert states == {TaskState.DONE}
