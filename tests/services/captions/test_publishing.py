"""
The files of captions by machine: which are kept, and which are removed.
"""

import threading
from contextlib import suppress
from typing import NoReturn

import attrs
import pytest

from hvcore.domain.processing.speech import UnusableSoundError
from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.domain.videos.captions import MAX_CAPTION_TRACKS, CaptionTrack
from hvcore.errors import UnavailableError
from hvcore.services.captions.publishing import TOO_MANY_TRACKS
from hvcore.services.tasks.leases import TaskRun, TaskStopped
from tests.services.spoken_service import SpokenService


def caption_files(spoken: SpokenService) -> list[str]:
    return [path for path in spoken.world.files("media/") if "/captions/" in path]


def leave_files(spoken: SpokenService, video_id: str) -> None:
    """
    Write the files of an attempt that was killed before it listed them.
    """
    folder = spoken.world.storage_dir / f"media/{video_id}/captions"
    folder.mkdir(parents=True)
    for ending in (".vtt", ".words.json"):
        (folder / f"en-cap_0000000000000000000a7{ending}").write_bytes(b"said")


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

    attempt("listener:1")
    monkeypatch.setattr("hvcore.services.captions.making.failpoint", pause)
    try:
        attempt("first:1")
    finally:
        may_commit.set()
        second.join()

    (track,) = spoken.tracks(video_id)
    assert caption_files(spoken) == sorted(track.paths)


@pytest.mark.parametrize(
    ("others", "ends"),
    [
        (MAX_CAPTION_TRACKS - 1, (CaptionJobState.READY, "")),
        (MAX_CAPTION_TRACKS, (CaptionJobState.FAILED, TOO_MANY_TRACKS)),
    ],
)
def test_a_machine_writes_the_last_captions_that_a_video_may_have_and_no_more(
    spoken: SpokenService, others: int, ends: tuple[CaptionJobState, str]
) -> None:
    video_id = spoken.ready()
    written = CaptionTrack(
        video_id=video_id,
        language="de",
        label="German",
        cues=1,
        size_bytes=100,
        sha256="0" * 64,
        version="0" * 16,
        created_at=spoken.world.clock.now(),
    )
    with spoken.world.services.uow.write() as work:
        for number in range(others):
            work.captions.put(attrs.evolve(written, language=f"de-{number:03}"))
        work.commit()
    spoken.generate(video_id, "en")

    spoken.world.run_tasks()

    job = spoken.job(video_id, "en")
    assert (job.state, job.reason) == ends


def test_files_of_killed_attempts_go_with_the_end_of_the_next_job(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    leave_files(spoken, video_id)
    spoken.transcoder.said_ms = []

    spoken.generate(video_id)
    spoken.world.run_tasks()

    assert caption_files(spoken) == []


def test_files_of_killed_attempts_go_though_their_captions_are_cancelled(
    spoken: SpokenService,
) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id)
    leave_files(spoken, video_id)

    world.services.caption_orders.cancel(world.caller, "org_a", video_id)
    world.run_everything()

    assert caption_files(spoken) == []


def test_files_of_killed_attempts_go_though_the_job_fails_for_good(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    leave_files(spoken, video_id)

    def fail(*_: object) -> NoReturn:
        raise UnusableSoundError("It cannot be read.")

    monkeypatch.setattr(spoken.transcoder, "sound", fail)
    spoken.generate(video_id)
    spoken.world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert caption_files(spoken) == []


def test_files_of_killed_attempts_are_removed_once_storage_answers(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    leave_files(spoken, video_id)
    spoken.transcoder.said_ms = []

    def fail(*_: object) -> NoReturn:
        raise UnavailableError("It does not answer.")

    with monkeypatch.context() as patched:
        patched.setattr(spoken.world.services.storage, "delete_tree", fail)
        spoken.generate(video_id)
        spoken.world.run_tasks()
    assert spoken.job(video_id).state is CaptionJobState.READY
    assert len(caption_files(spoken)) == 2

    spoken.world.run_everything()

    assert caption_files(spoken) == []
