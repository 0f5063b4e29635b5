"""
Many kills, polls and deletes, with MediaConvert.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import TRANSCODE_PLAN, TRANSCODE_REMOTE
from hvcore.domain.videos.states import VideoState
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.local_server import LocalServer
from tests.plugins.transcoder_mediaconvert.cloud_world import CloudWorld, cloud_world
from tests.services.processing.remote_worker import killed_at
from tests.support.live import until

pytestmark = [pytest.mark.services, pytest.mark.long, pytest.mark.timeout(900)]

KILLS = 20
# As soon as the lease has ended, and when MediaConvert knows the token no more.
NEXT_ATTEMPT_AFTER_S = (21, 90)
AT_ONCE = 6
# Taken over, assembled; and once more for what was put back.
ROUNDS = 3
WAITS_S = 3600


@pytest.fixture
def cloud(
    tmp_path: Path, swift: str, mediaconvert: LocalServer
) -> Iterator[CloudWorld]:
    with cloud_world(tmp_path, swift, mediaconvert) as made:
        yield made
    mediaconvert.order("forget")
    client = mediaconvert.client()
    for job in made.running():
        client.cancel_job(Id=job["Id"])


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """
    A second without sound, of which few files are made.
    """
    file = tmp_path_factory.mktemp("clips") / "short.mp4"
    make_clip(file, seconds=1, size="160x90", rate=10, audio=False)
    return file.read_bytes()


def _at_once(work: Callable[[VideoId], object], videos: Iterable[VideoId]) -> None:
    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(work, videos))


def _planned(cloud: CloudWorld, film: bytes) -> Sequence[VideoId]:
    """
    Return videos whose parts are to be submitted next.
    """
    videos = [cloud.world.processed(film) for _ in range(KILLS)]
    _at_once(lambda video_id: cloud.run(video_id, TRANSCODE_PLAN), videos)
    cloud.world.queue.messages.clear()
    return videos


def _kill_all_at(point: str, cloud: CloudWorld, videos: Iterable[VideoId]) -> None:
    """
    Have another process go on with the part of each video until it is killed.
    """

    def kill(video_id: VideoId) -> None:
        killed_at(
            point,
            cloud.part(video_id).id,
            data_dir=cloud.world.services.settings.data_dir,
            environ=cloud.environ,
            moment=cloud.world.clock.now(),
        )

    _at_once(kill, videos)


def _end_all(cloud: CloudWorld, videos: Sequence[VideoId]) -> None:
    """
    Let all jobs end, and what is due in the service be done.
    """
    for video_id in videos:
        for job in cloud.jobs(video_id):
            cloud.server.ended(job["Id"], within_s=300)
    for _ in range(ROUNDS):
        cloud.world.clock.move(seconds=120)
        cloud.world.services.task_runs.sweep(holder="test")
        cloud.run_at_once(AT_ONCE)


def _each_was_made_once(cloud: CloudWorld, videos: Sequence[VideoId]) -> None:
    states = Counter(cloud.world.video(video_id).state for video_id in videos)
    jobs = Counter(
        tuple(job["Status"] for job in cloud.jobs(video_id)) for video_id in videos
    )

    assert states == {VideoState.READY: KILLS}
    assert jobs == {("COMPLETE",): KILLS}


def _next_attempts(cloud: CloudWorld, *, after_s: float) -> None:
    """
    Let time pass, at MediaConvert too, and the next attempts begin.
    """
    cloud.server.order("clock", advance_seconds=after_s)
    cloud.world.clock.move(seconds=after_s)
    cloud.world.services.task_runs.sweep(holder="test")
    cloud.run_at_once(AT_ONCE)


@pytest.mark.parametrize("after_s", NEXT_ATTEMPT_AFTER_S)
@pytest.mark.parametrize(
    "point", ["task.leased", "attempt.workspace", "part.submitted", "part.remembered"]
)
def test_kills_while_a_part_is_submitted_leave_one_job_each(
    cloud: CloudWorld, short: bytes, point: str, after_s: float
) -> None:
    videos = _planned(cloud, short)

    _kill_all_at(point, cloud, videos)
    _next_attempts(cloud, after_s=after_s)
    _end_all(cloud, videos)

    _each_was_made_once(cloud, videos)


@pytest.mark.parametrize("after_s", NEXT_ATTEMPT_AFTER_S)
@pytest.mark.parametrize("point", ["part.encoded", "part.stored"])
def test_kills_while_a_part_is_taken_over_leave_one_job_each(
    cloud: CloudWorld, short: bytes, point: str, after_s: float
) -> None:
    videos = _planned(cloud, short)
    _at_once(lambda video_id: cloud.run(video_id, TRANSCODE_REMOTE), videos)
    for video_id in videos:
        (job,) = cloud.jobs(video_id)
        cloud.server.ended(job["Id"], within_s=300)
    cloud.world.clock.move(seconds=60)

    _kill_all_at(point, cloud, videos)
    _next_attempts(cloud, after_s=after_s)
    _end_all(cloud, videos)

    _each_was_made_once(cloud, videos)


def test_three_jobs_are_asked_for_120_times_without_a_byte_of_their_sources(
    cloud: CloudWorld, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    open_object = RemoteStorage.open

    def note(self: RemoteStorage, path: str, **of: int) -> object:
        opened.append(path)
        return open_object(self, path, **of)

    cloud.server.order("jobs", delay_seconds=100 * WAITS_S, times=3)
    videos = [cloud.world.processed(clip.read_bytes()) for _ in range(3)]
    cloud.world.run_tasks()
    monkeypatch.setattr(RemoteStorage, "open", note)

    for _ in range(120):
        cloud.move_on(seconds=61)
    assert opened == []
    cloud.server.order("clock", advance_seconds=101 * WAITS_S)

    for video_id in videos:
        assert cloud.ended(video_id).state is VideoState.READY
        assert len(cloud.jobs(video_id)) == 1
    assert [path for path in opened if path.startswith("uploads/")] == []


def test_a_hundred_deleted_videos_are_cancelled_each(
    cloud: CloudWorld, clip: Path
) -> None:
    cloud.server.order("jobs", delay_seconds=WAITS_S, times=100)
    videos = []
    for _ in range(100):
        videos.append(cloud.world.processed(clip.read_bytes()))
        cloud.world.run_tasks()
    assert len(cloud.running()) == 100

    for video_id in videos:
        cloud.delete(video_id)
    cloud.world.run_tasks()

    assert cloud.running() == []
    assert cloud.waiting_cancels() == []


def test_progress_is_within_ten_points(
    cloud: CloudWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film = make_clip(tmp_path / "film.mp4", seconds=200, size="1280x720")
    video_id = cloud.world.processed(film.read_bytes())
    cloud.world.run_tasks()
    began = last = time.monotonic()
    apart: list[float] = []

    def step() -> bool:
        nonlocal last
        now = time.monotonic()
        cloud.move_on(seconds=now - last)
        last = now
        (job,) = cloud.jobs(video_id)
        if job["Status"] == "PROGRESSING":
            shown = cloud.world.video(video_id).progress
            apart.append(abs(int(job.get("JobPercentComplete") or 0) - shown))
        return bool(job["Status"] == "COMPLETE")

    until(step, within_s=600, what="the end of the job")

    with capsys.disabled():
        took_s = time.monotonic() - began
        sys.stderr.write(f"\n{took_s:.0f} s, at most {max(apart)} points apart\n")
    assert max(apart) <= 10
    assert cloud.ended(video_id).state is VideoState.READY
