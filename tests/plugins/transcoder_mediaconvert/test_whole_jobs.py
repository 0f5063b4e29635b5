"""
From upload to playback with MediaConvert, step by step.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.domain.processing.encoding import PixelFormat
from hvcore.domain.videos.states import VideoState
from hvcore.errors import HvError
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.plugins.mediaconvert_local.local_server import LocalServer
from tests.plugins.transcoder_ffmpeg.strange.clips import STRANGE
from tests.plugins.transcoder_mediaconvert.cloud_world import CloudWorld, cloud_world

pytestmark = pytest.mark.services

HEAD_BYTES = 16 * 1024


@pytest.fixture
def cloud(
    tmp_path: Path, swift: str, mediaconvert: LocalServer
) -> Iterator[CloudWorld]:
    with cloud_world(tmp_path, swift, mediaconvert) as made:
        yield made
    mediaconvert.order("forget")


@attrs.frozen
class Read:
    """
    What was opened of an object.
    """

    path: str
    start: int
    end: int | None


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Read]:
    found: list[Read] = []
    open_object = RemoteStorage.open

    def note(
        self: RemoteStorage, path: str, *, start: int = 0, end: int | None = None
    ) -> object:
        found.append(Read(path, start, end))
        return open_object(self, path, start=start, end=end)

    monkeypatch.setattr(RemoteStorage, "open", note)
    return found


def test_neither_sources_nor_segments_go_through_a_worker(
    cloud: CloudWorld, clip: Path, reads: list[Read]
) -> None:
    video_id = cloud.world.processed(clip.read_bytes())
    cloud.world.run_tasks()
    reads.clear()

    assert cloud.ended(video_id).state is VideoState.READY

    assert [one for one in reads if one.path.startswith("uploads/")] == []
    segments = [one for one in reads if one.path.endswith(("1.cmfv", "1.cmfa"))]
    assert segments
    assert all(one.end and one.end - one.start <= HEAD_BYTES for one in segments)
    # The check before publishing.
    published = [one for one in reads if one.path.endswith("/0.m4s")]
    assert all(one.end and one.end - one.start <= HEAD_BYTES for one in published)


@pytest.mark.long
def test_sound_that_goes_on_ends_with_the_last_picture(
    cloud: CloudWorld, tmp_path: Path
) -> None:
    (strange,) = (one for one in STRANGE if one.name == "sound-goes-on.mp4")
    strange.make(tmp_path / strange.name)

    video_id = cloud.world.processed((tmp_path / strange.name).read_bytes())
    cloud.world.run_tasks()

    assert cloud.ended(video_id).state is VideoState.READY


def test_what_breaks_a_rule_is_not_published(cloud: CloudWorld, clip: Path) -> None:
    video_id = cloud.world.processed(clip.read_bytes())
    cloud.world.run_tasks()
    (job,) = cloud.jobs(video_id)
    cloud.server.ended(job["Id"])
    storage = cloud.world.services.storage
    (made,) = (
        info.path
        for info in storage.walk(f"media/{video_id}")
        if info.path.endswith("_180p_000000001.cmfv")
    )
    with storage.open(made) as file:
        data = bytearray(file.read())
    # It begins ten minutes too late: a decode time of 64 bits behind version and flags.
    at = data.index(b"tfdt") + 8
    data[at : at + 8] = (600 * 15360).to_bytes(8, "big")
    changed = clip.with_name(f"{video_id}.cmfv")
    changed.write_bytes(data)
    storage.put_file(made, changed, content_type="video/mp4")

    cloud.move_on(seconds=60)

    video = cloud.world.video(video_id)
    assert video.state is VideoState.FAILED
    assert "broke a rule that players rely on" in str(video.failure_reason)
    assert video.media is None


def test_a_file_that_mediaconvert_cannot_open_fails_at_once(cloud: CloudWorld) -> None:
    video_id = cloud.world.processed(b"no video at all")

    cloud.world.run_tasks()

    video = cloud.world.video(video_id)
    assert video.state is VideoState.FAILED
    assert "damaged" in str(video.failure_reason)


def test_an_error_of_the_source_makes_no_second_job(
    cloud: CloudWorld, clip: Path
) -> None:
    cloud.server.order("jobs", error_code=1030, times=1)
    video_id = cloud.world.processed(clip.read_bytes())
    cloud.world.run_tasks()

    video = cloud.ended(video_id)

    assert video.state is VideoState.FAILED
    assert "codec is not supported" in str(video.failure_reason)
    assert len(cloud.jobs(video_id)) == 1


@pytest.mark.long
def test_a_broken_answer_to_the_submit_call_makes_no_second_job(
    cloud: CloudWorld, clip: Path
) -> None:
    for _ in range(2):
        cloud.server.order(
            "answers",
            operation="CreateJob",
            error="InternalServerErrorException",
            afterwards=True,
            times=1,
        )
    video_id = cloud.world.processed(clip.read_bytes())
    cloud.world.run_tasks()
    # The request's token has ended by then, for MediaConvert.
    cloud.server.order("clock", advance_seconds=120)

    assert cloud.ended(video_id).state is VideoState.READY

    assert len(cloud.jobs(video_id)) == 1


@pytest.mark.long
@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("ForbiddenException", "may not call MediaConvert"),
        ("BadRequestException", "refuses the request"),
    ],
)
def test_a_refusal_is_plain_to_owners_and_exact_to_operators(
    cloud: CloudWorld, clip: Path, error: str, words: str
) -> None:
    cloud.server.order("answers", operation="CreateJob", error=error, times=1)
    video_id = cloud.world.processed(clip.read_bytes())

    cloud.world.run_tasks()

    assert words in cloud.part(video_id).error
    assert cloud.ended(video_id).state is VideoState.READY


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("ForbiddenException", "may not call MediaConvert"),
        ("UnrecognizedClientException", "access key is unknown"),
    ],
)
def test_a_job_goes_on_while_mediaconvert_refuses_to_show_it(
    cloud: CloudWorld, clip: Path, error: str, words: str
) -> None:
    video_id = cloud.world.processed(clip.read_bytes())
    cloud.world.run_tasks()
    cloud.server.order("answers", operation="GetJob", error=error, times=100)

    for _ in range(4):
        cloud.move_on(seconds=120)

    part = cloud.part(video_id)
    assert words in part.error
    assert part.attempts == 0
    assert not cloud.waiting_cancels()
    cloud.server.order("forget")
    assert cloud.ended(video_id).state is VideoState.READY
    assert len(cloud.jobs(video_id)) == 1


def test_too_many_requests_cost_no_attempt(cloud: CloudWorld, clip: Path) -> None:
    cloud.server.order(
        "answers", operation="CreateJob", error="TooManyRequestsException", times=4
    )
    video_id = cloud.world.processed(clip.read_bytes())

    cloud.world.run_tasks()

    assert cloud.part(video_id).attempts == 0
    cloud.server.order("forget")
    assert cloud.ended(video_id).state is VideoState.READY


def test_what_it_cannot_do_is_refused_with_the_request(cloud: CloudWorld) -> None:
    wanted = cloud.world.wanted()
    settings = attrs.evolve(wanted.settings, pixel_format=PixelFormat.YUV444P)

    with pytest.raises(HvError, match="pixelFormat"):
        cloud.world.services.processing.process(
            cloud.world.env,
            cloud.world.uploaded().path,
            attrs.evolve(wanted, settings=settings),
        )


@pytest.mark.long
def test_a_job_over_the_daily_limit_fails_with_a_reason_and_is_not_submitted(
    tmp_path: Path, swift: str, mediaconvert: LocalServer, clip: Path
) -> None:
    with cloud_world(
        tmp_path,
        swift,
        mediaconvert,
        # Of a clip of ten seconds or less with one rung below 720p.
        HV_TRANSCODER__OPTIONS__PRICE_PER_MINUTE="0.6",
        HV_TRANSCODER__OPTIONS__DAILY_LIMIT="0.15",
    ) as cloud:
        first = cloud.world.processed(clip.read_bytes())
        cloud.world.run_tasks()
        second = cloud.world.processed(clip.read_bytes())
        cloud.world.run_tasks()

        assert "daily limit" in str(cloud.world.video(second).failure_reason)
        assert cloud.jobs(second) == []
        assert cloud.ended(first).state is VideoState.READY
        # The next day.
        cloud.world.clock.move(hours=24)
        third = cloud.world.processed(clip.read_bytes())
        cloud.world.run_tasks()
        assert cloud.ended(third).state is VideoState.READY
