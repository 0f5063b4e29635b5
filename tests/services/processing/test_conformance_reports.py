"""
The check that is the last step of every job.
"""

import struct
from pathlib import Path

import pytest

from hvcore.conformance import RULES, Level, check
from hvcore.domain.processing.conformance_reports import FindingLevel
from hvcore.domain.processing.encoding import EncodingSettings, PixelFormat, Preset
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.transcoding import TranscodeOrder
from hvcore.domain.tasks.kinds import TRANSCODE_ASSEMBLE as ASSEMBLE_KIND
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.errors import NotFoundError, VideoNotFoundError
from hvcore.ports.transcoder import Workspace
from hvcore.services.playback.delivery import PlaybackRequest
from hvcore.services.processing.conformance_reports import NEVER, NOT_YET
from hvcore.services.processing.failure_reasons import MEANINGS, chosen_by
from hvcore.services.processing.published_source import PublishedSource
from hvcore.services.tasks.leases import TaskStopped
from tests.services.conftest import World
from tests.support.fakes import TextTranscoder
from tests.support.media_samples import index, segments, video_track


def late(segment: bytes) -> bytes:
    """
    Begin a segment one picture later, but for the first one.
    """
    at = segment.index(b"tfdt") + 8
    (begins,) = struct.unpack_from(">Q", segment, at)
    moved = struct.pack(">Q", begins and begins + 512)
    return segment[:at] + moved + segment[at + 8 :]


def order(**settings: object) -> TranscodeOrder:
    wanted = EncodingSettings(preset=Preset.HIGH, **settings)  # type: ignore[arg-type]  # names of fields
    nowhere = Path()
    source = TextTranscoder().probe(
        Workspace(
            source=Path(__file__),
            folder=nowhere,
            report=lambda _: None,
            check=lambda: None,
        )
    )
    ladder = build_ladder(source, wanted)
    return TranscodeOrder(source=source, settings=wanted, ladder=ladder, segment_s=6)


def conformance_reports(world: World) -> list[str]:
    return [name for name in world.files() if "/certificates/" in name]


def test_a_finished_video_has_a_conformance_report(world: World) -> None:
    video_id = world.processed()
    world.run_tasks()

    found = world.services.conformance_reports.of_video(world.caller, "org_a", video_id)

    assert world.video(video_id).state is VideoState.READY
    assert found.is_conformant
    assert found.findings == ()
    assert found.checked_at == world.clock.now()
    # Two rungs, each with a playlist of pictures, and the master playlist.
    assert (found.playlists, found.segments) == (5, 4)


def test_a_broken_stream_fails_at_once_and_is_never_reachable(world: World) -> None:
    world.transcoder.parts = 2
    world.transcoder.spoil = late
    video_id = world.processed()

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason is not None
    assert "do not follow each other without a gap" in video.failure_reason
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id, kind=ASSEMBLE_KIND)
    assert (task.state, task.attempts) == (TaskState.FAILED, 0)
    with pytest.raises(VideoNotFoundError):
        world.services.delivery.open(
            PlaybackRequest(
                environment=("org_a", "live"), video=video_id, file="master.m3u8"
            )
        )


def test_the_conformance_report_of_a_broken_stream_tells_where(world: World) -> None:
    world.transcoder.parts = 2
    world.transcoder.spoil = late
    video_id = world.processed()
    world.run_everything()

    found = world.services.conformance_reports.of_video(world.caller, "org_a", video_id)

    assert not found.is_conformant
    first = found.findings[0]
    assert (first.rule, first.level) == ("decode-time", FindingLevel.MUST)
    # The master playlist begins with the best of the cheap variants.
    assert (first.file, first.place) == ("video/720p/1.m4s", "tfdt")
    rule = RULES[first.rule]
    assert (first.says, first.source) == (rule.says, rule.source)


def test_a_file_that_was_cut_after_it_was_measured_fails_the_video(
    world: World,
) -> None:
    world.transcoder.spoil = lambda segment: segment[:-1]
    video_id = world.processed()

    world.run_everything()

    reason = world.video(video_id).failure_reason
    assert reason is not None
    assert "a file of it is missing" in reason


def test_a_retry_is_checked_anew(world: World) -> None:
    world.transcoder.spoil = lambda segment: segment[:-1]
    video_id = world.processed()
    world.run_everything()
    world.transcoder.spoil = lambda segment: segment
    world.services.processing.retry(world.caller, "org_a", video_id)

    with pytest.raises(NotFoundError, match=NOT_YET):
        world.services.conformance_reports.of_video(world.caller, "org_a", video_id)
    world.run_everything()

    found = world.services.conformance_reports.of_video(world.caller, "org_a", video_id)
    assert found.is_conformant
    assert world.video(video_id).state is VideoState.READY


def test_the_conformance_report_of_a_job_before_goes_once_there_is_another(
    world: World,
) -> None:
    world.transcoder.spoil = lambda segment: segment[:-1]
    video_id = world.processed()
    world.run_everything()
    world.clock.move(minutes=20)
    world.run_everything()
    assert len(conformance_reports(world)) == 1
    world.transcoder.spoil = lambda segment: segment
    world.services.processing.retry(world.caller, "org_a", video_id)
    world.run_everything()

    world.clock.move(minutes=20)
    world.run_everything()

    video = world.video(video_id)
    assert video.job_id
    assert conformance_reports(world) == [
        f"media/{video.id}/certificates/{video.job_id}.json"
    ]


def test_a_video_of_an_older_version_was_not_checked(world: World) -> None:
    video_id = world.processed()
    world.run_tasks()
    (path,) = conformance_reports(world)
    world.services.storage.delete_tree(path)

    with pytest.raises(NotFoundError, match=NEVER):
        world.services.conformance_reports.of_video(world.caller, "org_a", video_id)


def test_a_check_that_is_not_wanted_any_more_ends_with_the_next_file(
    world: World,
) -> None:
    video_id = world.processed()
    world.run_tasks()
    video = world.video(video_id)
    assert video.media is not None
    asked = []

    def stop_at_the_third() -> None:
        asked.append(1)
        if len(asked) > 2:
            raise TaskStopped

    source = PublishedSource(
        storage=world.services.storage,
        media_root=str(video.media_root),
        media=video.media,
        before_reading=stop_at_the_third,
    )

    with pytest.raises(TaskStopped):
        check(source, "master.m3u8")
    assert len(asked) == 3


def test_every_rule_that_fails_a_video_has_a_meaning_for_its_owner() -> None:
    musts = {rule.id for rule in RULES.values() if rule.level is Level.MUST}

    assert musts == MEANINGS.keys()


@pytest.mark.parametrize(
    ("rule", "settings", "chooser"),
    [
        ("device-profile", {"pixel_format": PixelFormat.YUV420P10B}, "pixelFormat"),
        ("device-profile", {"pixel_format": PixelFormat.YUV444P}, "pixelFormat"),
        ("device-profile", {}, "source"),
        ("frame-rate-limit", {"max_frame_rate": 120}, "maxFrameRate"),
        ("frame-rate-limit", {}, "source"),
        ("several-variants", {"max_edge_px": 480}, "maxEdgeLength"),
        ("several-variants", {"max_edge_px": 1080}, "source"),
        ("language-present", {}, "source"),
        ("limits", {}, "source"),
        ("decode-time", {"pixel_format": PixelFormat.YUV444P}, None),
    ],
)
def test_the_chooser_of_a_setting_that_breaks_a_rule_is_named(
    rule: str, settings: dict[str, object], chooser: str | None
) -> None:
    assert chosen_by(rule, order(**settings), index(video_track())) == chooser


def test_pictures_for_seeking_are_the_transcoders_to_make() -> None:
    made = index(video_track(of=segments([1, 1], pictures=[1, 1])))

    assert chosen_by("iframe-playlists", order(), made) is None
    assert chosen_by("iframe-playlists", order(), index(video_track())) == "transcoder"
