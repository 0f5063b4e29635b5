"""
Sound that is heard in vain counts in the minutes of captions, too.
"""

import signal
from collections.abc import Callable
from typing import Final, NoReturn

import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.speech import TranscriptionError, UnusableSoundError
from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.persistence.videos.caption_jobs import SqlCaptionJobRepository
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.services.spoken_service import SpokenService

FIRST_WINDOW_MS: Final = 9_900
Ending = Callable[[SpokenService, VideoId], object]


def cancel(spoken: SpokenService, video_id: VideoId) -> None:
    spoken.world.services.caption_orders.cancel(spoken.world.caller, "org_a", video_id)


def order_again(spoken: SpokenService, video_id: VideoId) -> None:
    cancel(spoken, video_id)
    spoken.generate(video_id)


def delete(spoken: SpokenService, video_id: VideoId, *, keep_hours: int = 0) -> None:
    spoken.world.services.deletion.delete(
        spoken.world.caller, "org_a", video_id, None, keep_hours=keep_hours
    )


def put_into_the_bin(spoken: SpokenService, video_id: VideoId) -> None:
    delete(spoken, video_id, keep_hours=23)


def heard_ms(spoken: SpokenService) -> int:
    return spoken.world.services.quotas.of_one("org_a").use.caption_ms


def run_one(
    spoken: SpokenService, video_id: VideoId, *, is_stopping: bool = False
) -> None:
    with spoken.world.services.uow.read() as work:
        (task,) = work.tasks.unended(video_id, kind="captions.make")
    spoken.world.services.task_runs.run(
        task.id, worker="test:1", stopping=lambda: is_stopping
    )


@pytest.mark.parametrize("end", [cancel, order_again, delete, put_into_the_bin])
def test_a_window_counts_though_its_captions_are_unwanted_once_it_is_heard(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch, end: Ending
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)

    def ended_at(point: str) -> None:
        if point == "captions.heard":
            end(spoken, video_id)

    monkeypatch.setattr("hvcore.services.captions.making.failpoint", ended_at)
    run_one(spoken, video_id)

    assert heard_ms(spoken) == FIRST_WINDOW_MS


@pytest.mark.parametrize("end", [cancel, delete])
def test_a_window_counts_though_its_captions_are_unwanted_while_it_is_heard(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch, end: Ending
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    # The last call in the worker's own process: the window is shorter than planned.
    monkeypatch.setattr(MemoryTranscriber, "release", lambda *_: end(spoken, video_id))
    monkeypatch.setattr(MemoryTranscriber, "transcribe", lambda *_: signal.pause())

    run_one(spoken, video_id)

    assert heard_ms(spoken) == FIRST_WINDOW_MS


def test_the_last_window_counts_though_its_captions_are_unwanted_once_they_are_stored(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()
    duration_ms = round(spoken.world.video(video_id).duration_s * 1000)
    spoken.generate(video_id)

    def ended_at(point: str) -> None:
        if point == "captions.stored":
            cancel(spoken, video_id)

    monkeypatch.setattr("hvcore.services.captions.making.failpoint", ended_at)
    spoken.world.run_everything()

    assert heard_ms(spoken) == duration_ms


def test_a_window_counts_once_though_a_worker_ends_while_it_hears_it(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    duration_ms = round(spoken.world.video(video_id).duration_s * 1000)
    spoken.generate(video_id)

    run_one(spoken, video_id, is_stopping=True)
    assert heard_ms(spoken) == 0

    spoken.world.run_everything()
    assert heard_ms(spoken) == duration_ms


@pytest.mark.parametrize("error", [TranscriptionError, UnusableSoundError])
def test_a_window_at_which_captions_fail_counts_once(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    video_id = spoken.ready()

    def fail(*_: object) -> NoReturn:
        raise error("What is said cannot be written down.")

    monkeypatch.setattr(MemoryTranscriber, "transcribe", fail)
    spoken.generate(video_id)
    spoken.run_all_attempts()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert heard_ms(spoken) == FIRST_WINDOW_MS


def test_a_window_whose_words_cannot_be_kept_counts_once(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()

    def fail(*_: object) -> NoReturn:
        raise TypeError

    monkeypatch.setattr(SqlCaptionJobRepository, "add_window", fail)
    spoken.generate(video_id)
    spoken.run_all_attempts()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert heard_ms(spoken) == FIRST_WINDOW_MS


def test_a_sound_that_is_refused_before_it_is_heard_does_not_count(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = spoken.ready()

    def refuse(*_: object) -> NoReturn:
        raise UnusableSoundError("It costs too much.")

    monkeypatch.setattr(MemoryTranscriber, "reserve", refuse)
    spoken.generate(video_id)
    spoken.world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.FAILED
    assert heard_ms(spoken) == 0
