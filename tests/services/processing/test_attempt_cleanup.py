"""
What attempts have left goes, and what is published stays.
"""

from datetime import timedelta
from pathlib import Path

import pytest

from hvcore.domain.processing.source_info import CaptionTrackInfo
from hvcore.domain.processing.transcoding import Part
from hvcore.domain.tasks.kinds import TRANSCODE_TIDY
from hvcore.domain.tasks.task import MAX_LOSSES
from hvcore.domain.videos.states import VideoState
from hvcore.services.processing.attempt_cleanup import order_tidying
from tests.services.conftest import World


def strayed(world: World, root: str, name: str) -> None:
    file = world.storage_dir / root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"late")


def test_a_lost_workers_files_after_the_publishing_are_removed(world: World) -> None:
    video_id = world.processed()
    world.run_tasks()
    root = world.video(video_id).media_root
    assert root is not None
    published = world.files(root)
    strayed(world, root, "p0a9/video/480p/0.m4s")
    folder = next(name for name in published if name.endswith("0.m4s"))
    strayed(world, root, f"{folder.split('/')[3]}/still.jpg")

    world.run_everything()
    world.clock.move(minutes=20)
    world.run_everything()

    assert world.files(root) == published


@pytest.mark.parametrize("source", [b"broken", b"video"])
def test_an_attempt_leaves_nothing_in_the_folder_of_work(
    world: World, source: bytes
) -> None:
    folders: list[Path] = []
    work_dir = world.storage_dir.parent / "work"
    world.transcoder.before_part = lambda _: folders.extend(work_dir.glob("*/out"))

    world.processed(source)
    world.run_everything()

    assert folders
    assert not [path for path in folders if path.parent.exists()]


def test_nothing_of_a_failed_job_stays_and_its_source_does(world: World) -> None:
    video_id = world.processed(b"broken")
    root = world.video(video_id).media_root
    assert root is not None
    world.transcoder.before_part = lambda _: strayed(world, root, "p0a1/init.m4s")

    world.run_everything()

    assert world.video(video_id).state is VideoState.FAILED
    assert world.files("media/") == []
    assert len(world.files("uploads/")) == 1


def test_the_files_of_a_retry_outlive_the_tidying_of_the_job_before(
    world: World,
) -> None:
    video_id = world.processed(b"broken")
    world.run_everything()
    source = world.storage_dir / world.video(video_id).source_path
    source.write_bytes(b"repaired")

    world.services.processing.retry(world.caller, "org_a", video_id)
    world.run_everything()
    world.clock.move(minutes=20)
    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert f"{video.media_root}/master.m3u8" in world.files()
    assert any(name.endswith("0.m4s") for name in world.files("media/"))


def test_a_file_that_kills_its_worker_ends_also_where_workers_are_replaced(
    world: World,
) -> None:
    # hv up starts the next worker at once, which frees what the dead one held,
    # so that the sweep never sees a lease run out.
    video_id = world.processed()
    for _ in range(MAX_LOSSES + 2):
        with world.services.uow.write() as work:
            (task,) = work.tasks.of_subject(video_id, kind="transcode.plan")
            if work.tasks.lease(task.id, worker="test:dead") is None:
                break
            work.tasks.free_worker("test:dead")
            work.commit()

    def fail(_: Part) -> None:
        raise AssertionError("it ran again")

    world.transcoder.before_part = fail
    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "Processing was interrupted too often."


@pytest.mark.parametrize("data", [b"video", b"broken"])
def test_captions_of_a_killed_attempt_go_however_its_job_ends(
    world: World, data: bytes
) -> None:
    video_id = world.processed(data)
    job_id = world.video(video_id).job_id
    captions = f"media/{video_id}/captions"
    strayed(world, captions, f"de-{job_id}a1.vtt")
    # Of a retry, whose rows are not there yet, and of an owner.
    others = [f"de-{job_id}xa1.vtt", "de-0123456789abcdef.vtt"]
    for name in others:
        strayed(world, captions, name)

    world.run_everything()
    world.clock.move(minutes=20)
    world.run_everything()

    left = [name.rpartition("/")[2] for name in world.files(captions)]
    assert sorted(left) == sorted(others)


def test_captions_that_are_shown_outlive_the_tidying(world: World) -> None:
    text = b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n"
    info = CaptionTrackInfo(stream_index=2, codec="subrip", language="eng")
    world.transcoder.captions = [(info, text)]
    video_id = world.processed()

    world.run_everything()
    world.clock.move(minutes=20)
    world.run_everything()

    with world.services.uow.read() as work:
        (shown,) = work.captions.of_video(video_id)
    assert world.files(f"media/{video_id}/captions") == [shown.path]


def test_captions_that_are_about_to_be_shown_outlive_the_tidying(world: World) -> None:
    # Such as 15 minutes after a cancelled remote job, when the next one is published.
    video_id = world.processed()
    video = world.video(video_id)
    captions = f"media/{video_id}/captions"
    strayed(world, captions, f"de-{video.job_id}a7.vtt")
    with world.services.uow.write() as work:
        order_tidying(work, video, timedelta())
        work.commit()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id, kind=TRANSCODE_TIDY)

    world.services.task_runs.run(task.id, worker="test:1", stopping=lambda: False)

    assert world.video(video_id).state is VideoState.TRANSCODING
    assert world.files(captions) == [f"{captions}/de-{video.job_id}a7.vtt"]


def test_the_conformance_report_of_another_job_outlives_the_tidying(
    world: World,
) -> None:
    # A renewal stores its report before the commit that publishes its files.
    video_id = world.processed()
    world.run_everything()
    conformance_reports = f"media/{video_id}/certificates"
    strayed(world, conformance_reports, "job_renewal.json")

    world.clock.move(minutes=20)
    world.run_everything()

    own = f"{conformance_reports}/{world.video(video_id).job_id}.json"
    assert world.files(conformance_reports) == sorted(
        [own, f"{conformance_reports}/job_renewal.json"]
    )
