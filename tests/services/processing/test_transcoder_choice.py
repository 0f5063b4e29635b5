"""
Rules send some jobs to a service elsewhere, and leave the others to this machine.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import attrs
import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.tasks.kinds import TRANSCODE_PART
from hvcore.domain.tasks.task import Lane, TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import ConfigError, UnavailableError
from hvcore.ports.transcoder import Transcoder
from hvcore.services.processing.transcoders import Transcoders
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from hvcore.settings import load
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.services.processing.remote_world import RemoteWorld, remote_world
from tests.support.fakes import TextTranscoder

LARGE = b"video" * 100
Ruled = Callable[[str], RemoteWorld]


@pytest.fixture
def ruled(tmp_path: Path, store: str) -> Iterator[Ruled]:
    """
    Make a service with rules.
    """
    with ExitStack() as stack:
        yield lambda routes: stack.enter_context(
            remote_world(tmp_path, store, routes=routes)
        )


def job_of(remote: RemoteWorld, video_id: str) -> TranscodeJob:
    job_id = remote.world.video(video_id).job_id
    assert job_id is not None
    with remote.world.services.uow.read() as work:
        job = work.jobs.find(job_id)
    assert job is not None
    return job


def test_a_rule_sends_a_job_elsewhere_and_the_job_says_why(ruled: Ruled) -> None:
    remote = ruled("far if duration > 10 s")
    video_id = remote.submitted()

    remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY
    job = job_of(remote, video_id)
    assert (job.transcoder, job.chosen_because) == ("far", "duration > 10 s")
    assert len(remote.service.jobs) == 1
    assert remote.world.transcoder.attempts == 0


def test_a_video_that_no_rule_is_about_is_made_here(ruled: Ruled) -> None:
    remote = ruled("far if duration > 1 h, far if hdr, far if edge > 1440 px")
    video_id = remote.world.processed()

    remote.world.run_tasks()

    assert remote.world.video(video_id).state is VideoState.READY
    job = job_of(remote, video_id)
    assert (job.transcoder, job.chosen_because) == ("ffmpeg", "")
    assert not remote.service.jobs


def test_a_video_routed_by_its_size_is_probed_elsewhere(
    ruled: Ruled, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    open_object = RemoteStorage.open

    def note(self: RemoteStorage, path: str, **of: object) -> object:
        opened.append(path)
        return open_object(self, path, **of)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(RemoteStorage, "open", note)
    remote = ruled("far if size > 0.0001 MB")
    video_id = remote.world.processed(LARGE)
    remote.world.run_tasks()

    remote.move_on(seconds=remote.service.length_s)

    assert remote.world.video(video_id).state is VideoState.READY
    assert [path for path in opened if path.startswith("uploads/")] == []


@pytest.mark.matrix
def test_fifty_pending_jobs_do_not_hold_a_local_encode(ruled: Ruled) -> None:
    remote = ruled("far if size > 0.0001 MB")
    for _ in range(50):
        remote.world.processed(LARGE)
    remote.world.run_tasks()
    assert len(remote.service.running()) == 50
    # All of them are to be asked for now.
    remote.world.clock.move(seconds=30)
    video_id = remote.world.processed()
    runs, scheduler = remote.world.services.task_runs, LaneScheduler([Lane.PLAN])
    assert runs.run_next(scheduler, worker="test:1", stopping=lambda: False)

    began = runs.run_next(
        LaneScheduler([Lane.ENCODE]), worker="test:2", stopping=lambda: False
    )

    assert began
    with remote.world.services.uow.read() as work:
        (part,) = work.tasks.of_subject(video_id, kind=TRANSCODE_PART)
    assert part.state is TaskState.DONE
    assert len(remote.service.running()) == 50


def test_jobs_burst_elsewhere_while_much_video_waits(ruled: Ruled) -> None:
    remote = ruled("far if waiting > 0.3 min")
    videos = [remote.world.processed() for _ in range(4)]
    runs, scheduler = remote.world.services.task_runs, LaneScheduler([Lane.PLAN])
    for _ in videos:
        runs.run_next(scheduler, worker="test:1", stopping=lambda: False)

    made_by = [job_of(remote, video_id).transcoder for video_id in videos]

    # Each waits with its 12 s.
    assert made_by == ["ffmpeg", "ffmpeg", "far", "far"]


def test_a_job_that_the_other_cannot_carry_out_stays_here(ruled: Ruled) -> None:
    remote = ruled("far if duration > 10 s")
    wanted = remote.world.wanted()
    with_mp3 = attrs.evolve(wanted.settings, audio_codec=AudioCodec.MP3)
    video_id = remote.world.services.processing.process(
        remote.world.env,
        remote.world.uploaded().path,
        attrs.evolve(wanted, settings=with_mp3),
    )

    remote.world.run_tasks()

    assert job_of(remote, video_id).transcoder == "ffmpeg"


@pytest.mark.parametrize("rule", ["far if duration > 10 s", "far if size > 0.0001 MB"])
def test_a_job_that_one_declines_goes_to_the_usual_one(
    tmp_path: Path, store: str, rule: str
) -> None:
    with remote_world(
        tmp_path, store, routes=rule, declines="Too much today."
    ) as remote:
        video_id = remote.world.processed(LARGE)

        remote.world.run_tasks()

        assert remote.world.video(video_id).state is VideoState.READY
        assert job_of(remote, video_id).transcoder == "ffmpeg"
        assert not remote.service.jobs


def planned_at_once(remote: RemoteWorld, count: int) -> list[VideoId]:
    """
    Have jobs planned before any of them is submitted.
    """
    videos = [remote.world.processed(LARGE) for _ in range(count)]
    runs, scheduler = remote.world.services.task_runs, LaneScheduler([Lane.PLAN])
    for _ in videos:
        runs.run_next(scheduler, worker="test:1", stopping=lambda: False)
    return videos


def test_a_job_declined_when_it_is_submitted_goes_to_the_usual_transcoder(
    tmp_path: Path, store: str
) -> None:
    with remote_world(
        tmp_path, store, routes="far if size > 0.0001 MB", most=1
    ) as remote:
        videos = planned_at_once(remote, 3)
        assert [job_of(remote, one).transcoder for one in videos] == ["far"] * 3

        remote.world.run_tasks()
        remote.move_on(seconds=remote.service.length_s)

        states = [remote.world.video(one).state for one in videos]
        assert states == [VideoState.READY] * 3
        made_by = [job_of(remote, one).transcoder for one in videos]
        assert sorted(made_by) == ["far", "ffmpeg", "ffmpeg"]
        assert len(remote.service.jobs) == 1
        # Nobody cancels the one that was taken.
        remote.move_on(hours=1)
        assert not remote.service.cancels
        assert not remote.waiting_cancels()


def test_a_job_that_all_transcoders_decline_fails_with_the_reason(
    ruled: Ruled,
) -> None:
    remote = ruled("far if hdr")
    changes = {
        "HV_TRANSCODER__BACKEND": "far",
        "HV_TRANSCODER__OPTIONS__URL": remote.service.url,
        "HV_TRANSCODER__OPTIONS__MOST": "1",
    }

    with remote.restarted(changes) as again:
        videos = planned_at_once(again, 2)
        again.world.run_tasks()

        found = [again.world.video(one) for one in videos]
        states = {one.state for one in found}
        assert states == {VideoState.TRANSCODING, VideoState.FAILED}
        assert "No more today." in {one.failure_reason for one in found}
    assert len(remote.service.jobs) == 1


@pytest.mark.parametrize("rule", ["far if size > 0.0001 MB", "far if hdr"])
def test_a_job_that_all_decline_fails_with_the_reason(ruled: Ruled, rule: str) -> None:
    remote = ruled(rule)
    changes = {
        "HV_TRANSCODER__BACKEND": "far",
        "HV_TRANSCODER__ROUTES": rule,
        "HV_TRANSCODER__OPTIONS__URL": remote.service.url,
        "HV_TRANSCODER__OPTIONS__DECLINES": "Too much today.",
    }

    with remote.restarted(changes) as again:
        video_id = again.submitted()

        video = again.world.video(video_id)
        assert video.state is VideoState.FAILED
        assert video.failure_reason == "Too much today."
    assert not remote.service.jobs


def test_a_rule_whose_transcoder_cannot_be_used_is_left_out(ruled: Ruled) -> None:
    remote = ruled("unknown if duration > 10 s")
    video_id = remote.world.processed()

    remote.world.run_tasks()

    assert remote.world.video(video_id).state is VideoState.READY


def test_a_plugin_that_raises_anything_is_an_outage() -> None:
    def fail(_: str) -> Transcoder:
        raise RuntimeError("no credentials")

    transcoders = Transcoders(
        default=TextTranscoder(), default_name="ffmpeg", make=fail
    )

    with pytest.raises(UnavailableError, match="no credentials"):
        transcoders.named("far")
    assert transcoders.named("ffmpeg") is transcoders.default


def test_a_malformed_rule_is_refused_at_the_start(tmp_path: Path) -> None:
    environ = {"HV_TRANSCODER__ROUTES": "far when duration > 10 s"}

    with pytest.raises(ConfigError, match=r"transcoder\.routes.*NAME if CONDITION"):
        load(config_path=None, environ=environ, data_dir=tmp_path)
