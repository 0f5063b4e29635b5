"""
The files of captions by machine: which are kept, and which are removed.
"""

import threading
from contextlib import suppress

import attrs
import pytest

from hvcore.services.tasks.leases import TaskRun, TaskStopped
from tests.services.spoken_service import SpokenService


def caption_files(spoken: SpokenService) -> list[str]:
    return [path for path in spoken.world.files("media/") if "/captions/" in path]


def test_an_attempt_that_lost_its_lease_leaves_the_files_of_the_next_one(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    spoken.transcoder.said_ms = [(1_000, 2_000)]
    making = spoken.world.services.caption_making
    making = attrs.evolve(making, sounds=attrs.evolve(making.sounds, window_ms=60_000))
    spoken.generate(video_id)
    services = spoken.world.services
    with services.uow.read() as work:
        (task,) = work.tasks.unended(video_id, kind="captions.make")
    is_stored, may_commit = threading.Event(), threading.Event()

    def attempt(worker: str) -> None:
        with services.uow.write() as work:
            leased = work.tasks.lease(task.id, worker=worker)
            work.commit()
        assert leased is not None
        with suppress(TaskStopped):
            making.run(TaskRun(services.uow, leased, stopping=lambda: False))

    second = threading.Thread(target=attempt, args=("second:1",))

    def pause(point: str) -> None:
        if point != "captions.stored":
            return
        if threading.current_thread() is second:
            is_stored.set()
            may_commit.wait(20)
            return
        with services.uow.write() as work:
            work.tasks.free_worker("first:1")
            work.commit()
        second.start()
        is_stored.wait(20)

    monkeypatch.setattr("hvcore.services.captions.making.failpoint", pause)
    try:
        attempt("first:1")
    finally:
        may_commit.set()
        second.join()

    (track,) = spoken.tracks(video_id)
    assert caption_files(spoken) == sorted(track.paths)


def test_files_of_killed_attempts_go_with_the_end_of_the_next_job(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    folder = spoken.world.storage_dir / f"media/{video_id}/captions"
    folder.mkdir(parents=True)
    for ending in (".vtt", ".words.json"):
        (folder / f"en-cap_0000000000000000000a7{ending}").write_bytes(b"said")
    spoken.transcoder.said_ms = []

    spoken.generate(video_id)
    spoken.world.run_tasks()

    assert caption_files(spoken) == []
