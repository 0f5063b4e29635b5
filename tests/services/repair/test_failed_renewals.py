"""
A renewal that fails leaves the published video as it was, and nothing of its own.
"""

from hvcore.domain.ids import JobId
from hvcore.domain.tasks.kinds import TRANSCODE_PLAN
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.services.repair.damages import Scope
from tests.services.repair.planting import Site, media_of, repair


def renewal_of(site: Site, video: Video) -> JobId:
    """
    Damage a video so that the whole of it is made again; return the new job.
    """
    board = media_of(video).storyboard
    assert board is not None
    site.remove(f"{video.media_root}/{board.sprites[0].path}")
    repair(site.world, Scope(video_id=video.id))
    with site.world.services.uow.read() as work:
        (task,) = work.tasks.unended(video.id, kind=TRANSCODE_PLAN)
    return JobId(str(task.payload["job"]))


def certificates(site: Site, video: Video) -> dict[str, bytes]:
    return {
        path: data
        for path, data in site.everything().items()
        if path.startswith(f"media/{video.id}/certificates/")
    }


def test_the_conformance_report_of_a_renewal_that_fails_replaces_none(
    site: Site,
) -> None:
    video = site.ready()
    before = certificates(site, video)
    assert list(before) == [f"media/{video.id}/certificates/{video.job_id}.json"]
    site.world.transcoder.spoil = lambda segment: segment[:-1]
    job_id = renewal_of(site, video)

    site.world.run_tasks()

    now = site.world.video(video.id)
    assert (now.state, now.job_id) == (VideoState.READY, video.job_id)
    assert certificates(site, video).items() >= before.items()
    report = site.world.services.conformance_reports.find(now)
    assert report is not None
    assert report.is_conformant
    site.settle()
    assert certificates(site, video) == before
    assert not list(site.world.services.storage.walk(f"media/{video.id}/{job_id}"))


def test_files_written_after_their_renewal_was_ended_are_removed(
    site: Site,
) -> None:
    video = site.ready()
    site.put(video.source_path, b"unusable")
    job_id = renewal_of(site, video)
    site.world.run_everything()
    kept = site.everything()

    site.put(f"media/{video.id}/{job_id}/p0a1/video/480p/0.m4s", b"late")
    site.put(f"media/{video.id}/certificates/{job_id}.json", b"{}")
    site.world.clock.move(minutes=15)
    site.world.run_everything()

    assert site.everything() == kept
    assert site.world.video(video.id).job_id == video.job_id
