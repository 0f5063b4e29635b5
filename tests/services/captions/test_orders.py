"""
Captions by machine that are ordered together with their video.
"""

from pathlib import Path
from threading import Thread
from typing import NoReturn

import attrs
import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.source_info import CaptionTrackInfo
from hvcore.domain.processing.speech import TranscriberCapabilities
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import EventKind
from hvcore.errors import QuotaExceededError, UnavailableError
from hvcore.services.captions.making import NOT_READY
from hvcore.services.captions.orders import CANCELLED
from hvcore.testing.memory_transcriber import MemoryTranscriber
from tests.services.conftest import make_world
from tests.services.spoken_service import SpokenService, spoken_service


def processed(spoken: SpokenService, *languages: str, says: bool = True) -> VideoId:
    world = spoken.world
    wanted = world.wanted()
    if says:
        settings = attrs.evolve(wanted.settings, caption_languages=languages)
        wanted = attrs.evolve(wanted, settings=settings)
    path = world.uploaded().path
    return world.services.processing.process(world.env, path, wanted)


def wishes(spoken: SpokenService, video_id: VideoId) -> list[str]:
    with spoken.world.services.uow.read() as work:
        return [job.wish for job in work.caption_jobs.of_video(video_id)]


def test_captions_that_a_request_asks_for_are_made_once_the_video_is_ready(
    spoken: SpokenService,
) -> None:
    video_id = processed(spoken, "de", "auto")
    assert wishes(spoken, video_id) == []

    spoken.world.run_tasks()

    assert spoken.world.video(video_id).state is VideoState.READY
    assert wishes(spoken, video_id) == ["auto", "de"]
    assert [one.language for one in spoken.tracks(video_id)] == ["de", "en"]


def test_a_video_is_ready_before_its_captions_are_begun(spoken: SpokenService) -> None:
    video_id = processed(spoken, "auto")
    seen: list[VideoState] = []
    sound = spoken.transcoder.sound

    def note(*given: object) -> Path:
        seen.append(spoken.world.video(video_id).state)
        return sound(*given)  # type: ignore[arg-type]  # as given

    spoken.transcoder.sound = note  # type: ignore[method-assign]  # watched
    spoken.world.run_tasks()

    assert set(seen) == {VideoState.READY}


def test_captions_that_came_with_the_file_are_not_made_again(
    spoken: SpokenService,
) -> None:
    english = CaptionTrackInfo(stream_index=2, codec="subrip", language="eng")
    cue = b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n"
    spoken.transcoder.captions = [(english, cue)]
    video_id = processed(spoken, "en", "de")

    spoken.world.run_tasks()

    assert wishes(spoken, video_id) == ["de"]


@pytest.mark.parametrize(
    ("request_says", "expected"), [("nothing", ["de", "es"]), ("none", [])]
)
def test_captions_of_every_new_video_are_a_setting(
    tmp_path: Path, request_says: str, expected: list[str]
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "de,es"}) as spoken:
        video_id = processed(spoken, says=request_says == "none")

        spoken.world.run_tasks()

        assert wishes(spoken, video_id) == expected


def test_without_a_transcriber_a_video_is_ready_without_captions(
    tmp_path: Path,
) -> None:
    with make_world(tmp_path, {"HV_TRANSCRIBER__GENERATE": "auto"}) as world:
        video_id = world.processed()

        world.run_tasks()

        assert world.video(video_id).state is VideoState.READY
        with world.services.uow.read() as work:
            assert work.caption_jobs.of_video(video_id) == []


def waiting_tasks(spoken: SpokenService, video_id: VideoId) -> list[Task]:
    with spoken.world.services.uow.read() as work:
        return list(work.tasks.unended(video_id, kind="captions.make"))


def test_captions_of_a_video_that_plays_no_more_end(spoken: SpokenService) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    uow = spoken.world.services.uow
    with uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        assert video.job_id is not None
        video.mark_lost(video.job_id, "The files are lost.")
        work.videos.save(video)
        work.commit()

    spoken.world.run_tasks()

    job = spoken.job(video_id)
    assert (job.state, job.reason) == (CaptionJobState.FAILED, NOT_READY)
    assert waiting_tasks(spoken, video_id) == []


def test_captions_rest_while_their_video_is_in_the_bin(spoken: SpokenService) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id)
    (task,) = waiting_tasks(spoken, video_id)
    world.services.deletion.delete(world.caller, "org_a", video_id, None, keep_hours=72)
    with world.services.uow.write() as work:
        # As if its attempt had begun before the delete.
        work.tasks.hurry([task])
        work.commit()

    world.run_tasks()

    (task,) = waiting_tasks(spoken, video_id)
    stay = world.video(video_id).bin_stay
    assert stay is not None
    assert task.not_before == stay.ends_at
    assert spoken.job(video_id).state is CaptionJobState.WAITING


def test_a_job_that_has_lost_its_task_does_not_keep_others_from_being_ordered(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id, "de")
    with spoken.world.services.uow.write() as work:
        work.tasks.cancel(video_id, kinds=("captions.make",))
        work.commit()

    spoken.generate(video_id, "en")
    spoken.world.run_tasks()

    assert spoken.job(video_id, "de").state is CaptionJobState.FAILED
    assert spoken.job(video_id, "en").state is CaptionJobState.READY


def test_a_video_is_ready_without_captions_that_cannot_be_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "de,xx"}) as spoken:
        videos = [processed(spoken, says=False) for _ in range(2)]

        spoken.world.run_tasks()

        assert [wishes(spoken, one) for one in videos] == [["de"], ["de"]]
        assert {spoken.world.video(one).state for one in videos} == {VideoState.READY}
    told = [one for one in caplog.records if one.msg == "captions cannot be made"]
    assert [vars(one)["hv_wish"] for one in told] == ["xx"]


def test_captions_of_a_transcriber_that_is_away_are_ordered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "de"}) as spoken:
        video_id = processed(spoken, says=False)

        def fail() -> NoReturn:
            raise UnavailableError("It does not answer.")

        with monkeypatch.context() as patched:
            patched.setattr(MemoryTranscriber, "capabilities", lambda _: fail())
            spoken.world.run_tasks()

        assert spoken.world.video(video_id).state is VideoState.READY
        assert wishes(spoken, video_id) == ["de"]


def test_nobody_waits_for_the_database_while_the_transcriber_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "de"}) as spoken:
        uow = spoken.world.services.uow
        video_id = processed(spoken, says=False)
        able = spoken.transcriber.capabilities()
        written: list[bool] = []

        def write() -> None:
            with uow.write() as work:
                work.commit()

        def ask(_: object) -> TranscriberCapabilities:
            other = Thread(target=write, daemon=True)
            other.start()
            other.join(timeout=3)
            written.append(not other.is_alive())
            return able

        with monkeypatch.context() as patched:
            patched.setattr(MemoryTranscriber, "capabilities", ask)
            spoken.world.run_tasks()

        assert spoken.job(video_id, "de").state is CaptionJobState.READY
        assert set(written) == {True}


def test_captions_that_are_cancelled_are_made_no_further(spoken: SpokenService) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id, "de", "en")
    (task, _) = waiting_tasks(spoken, video_id)
    world.services.task_runs.run(task.id, worker="test:1", stopping=lambda: False)
    heard = len(spoken.transcoder.spans)

    jobs = world.services.caption_orders.cancel(world.caller, "org_a", video_id)
    world.run_everything()

    assert {(job.state, job.reason) for job in jobs} == {
        (CaptionJobState.FAILED, CANCELLED)
    }
    assert len(spoken.transcoder.spans) == heard
    assert waiting_tasks(spoken, video_id) == []
    with world.services.uow.read() as work:
        assert [work.caption_jobs.windows(job.id) for job in jobs] == [[], []]
    ended = [(EventKind.CAPTIONS_FAILED.value, CANCELLED)] * 2
    assert spoken.events(EventKind.CAPTIONS_FAILED) == ended


def test_an_attempt_at_captions_that_are_cancelled_publishes_nothing(
    spoken: SpokenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id)

    def cancel(point: str) -> None:
        if point == "captions.stored":
            world.services.caption_orders.cancel(world.caller, "org_a", video_id)

    monkeypatch.setattr("hvcore.services.captions.making.failpoint", cancel)
    world.run_everything()

    assert spoken.job(video_id).reason == CANCELLED
    assert spoken.tracks(video_id) == []
    assert [path for path in world.files("media/") if "/captions/" in path] == []


def test_captions_can_be_ordered_again_after_they_were_cancelled(
    spoken: SpokenService,
) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id)
    world.services.caption_orders.cancel(world.caller, "org_a", video_id)

    spoken.generate(video_id)
    world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.READY


def test_cancelling_leaves_captions_that_are_made(spoken: SpokenService) -> None:
    world = spoken.world
    video_id = spoken.ready()
    spoken.generate(video_id)
    world.run_everything()
    before = spoken.job(video_id)

    jobs = world.services.caption_orders.cancel(world.caller, "org_a", video_id)

    assert jobs == [before]
    assert len(spoken.tracks(video_id)) == 1
    assert spoken.events(EventKind.CAPTIONS_FAILED) == []


def limit(spoken: SpokenService, minutes: int | None) -> None:
    spoken.world.services.quotas.change("org_a", {"caption_minutes_per_month": minutes})


def heard_ms(spoken: SpokenService) -> int:
    return spoken.world.services.quotas.of_one("org_a").use.caption_ms


def test_every_heard_window_counts_in_the_minutes_of_the_month(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    duration_ms = round(spoken.world.video(video_id).duration_s * 1000)

    spoken.generate(video_id, "de", "en")
    spoken.world.run_everything()
    assert heard_ms(spoken) == 2 * duration_ms

    spoken.transcriber.confidence = 0.1
    spoken.generate(video_id, "en")
    spoken.world.run_everything()
    assert heard_ms(spoken) == 3 * duration_ms


def test_no_captions_are_ordered_once_the_minutes_of_the_month_are_used_up(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    limit(spoken, 0)

    with pytest.raises(
        QuotaExceededError, match=r"0\.0 of 0 minutes of sound"
    ) as raised:
        spoken.generate(video_id)

    assert int(raised.value.headers["Retry-After"]) > 0
    limit(spoken, None)
    spoken.generate(video_id)


def test_captions_of_new_videos_fail_once_the_minutes_of_the_month_are_used_up(
    tmp_path: Path,
) -> None:
    with spoken_service(tmp_path, {"HV_TRANSCRIBER__GENERATE": "auto"}) as spoken:
        limit(spoken, 0)
        video_id = processed(spoken, says=False)
        before = len(spoken.transcoder.spans)

        spoken.world.run_tasks()

        assert spoken.world.video(video_id).state is VideoState.READY
        job = spoken.job(video_id)
        assert job.state is CaptionJobState.FAILED
        assert "0 minutes of captions by machine for this month" in job.reason
        assert spoken.events(EventKind.CAPTIONS_FAILED) == [
            (EventKind.CAPTIONS_FAILED.value, job.reason)
        ]
        assert len(spoken.transcoder.spans) == before
        assert waiting_tasks(spoken, video_id) == []


def test_captions_that_were_begun_are_finished_though_the_minutes_are_used_up(
    spoken: SpokenService,
) -> None:
    video_id = spoken.ready()
    spoken.generate(video_id)
    (task,) = waiting_tasks(spoken, video_id)
    spoken.world.services.task_runs.run(
        task.id, worker="test:1", stopping=lambda: False
    )
    limit(spoken, 0)

    spoken.world.run_everything()

    assert spoken.job(video_id).state is CaptionJobState.READY
