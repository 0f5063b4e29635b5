"""
Damages are found and repaired, and nothing that is whole is touched.
"""

import os
import threading
from datetime import timedelta

import pytest

from hvcore.domain.processing.transcoding import Part
from hvcore.domain.videos.states import VideoState
from hvcore.domain.webhooks.events import EventKind
from hvcore.services.repair.damages import DamageKind, Scope
from hvcore.services.repair.file_checks import FileChecks
from hvcore.services.repair.video_repairs import CHANGED_MEANWHILE, LOST, ORDERED_BEFORE
from tests.services.conftest import World
from tests.services.repair.planting import (
    PLANTS,
    Site,
    found,
    lose,
    media_of,
    names,
    picture,
    repair,
    segment,
)


def later(world: World) -> None:
    world.clock.move(days=8)


def test_every_planted_damage_is_found_and_repaired(site: Site) -> None:
    whole = site.ready()
    site.settle()
    planted = [(kind, *plant(site)) for kind, plant in PLANTS.values()]
    assert len(planted) > 20
    later(site.world)

    damages = found(site.world)
    expected = sorted((kind, video) for kind, video, _ in planted)
    totals = ("totals", "")

    # What is wrong at once with many totals may be more lines.
    assert sorted(
        pair
        for pair in ((one.kind.value, one.video_id or "") for one in damages)
        if pair != totals
    ) == [pair for pair in expected if pair != totals]
    for kind, video, word in planted:
        assert any(
            one.kind.value == kind
            and (one.video_id or "") == video
            and word in one.what
            for one in damages
        ), (kind, word)
    before = site.everything()
    repair(site.world)
    site.settle()
    later(site.world)

    assert names(site.world) == []
    after = site.everything()
    assert {path: after.get(path) for path in before if whole.id in path} == {
        path: data for path, data in before.items() if whole.id in path
    }
    for video_id in {video for _, video, _ in planted if video}:
        with site.world.services.uow.read() as work:
            video = work.videos.find(video_id)
        assert video is None or video.state in {VideoState.READY, VideoState.DELETED}


@pytest.mark.parametrize("name", ["a_segment_is_missing", "the_poster_is_missing"])
def test_a_part_is_put_back_byte_by_byte_and_the_others_are_not_encoded(
    site: Site, name: str
) -> None:
    video = site.ready()
    whole = site.everything()
    path = segment(video)
    if "poster" in name:
        path = f"{video.media_root}/{media_of(video).poster}"
    site.remove(path)
    encoded: list[int] = []
    site.world.transcoder.before_part = lambda part: encoded.append(part.index)

    repair(site.world)
    site.world.run_tasks()

    assert site.everything() == whole
    assert encoded == [0 if "poster" in name else 1]
    assert site.world.video(video.id).version == video.version


def test_a_damaged_videos_rest_plays_while_another_encoder_makes_it_again(
    site: Site,
) -> None:
    video, states = site.ready(), list[VideoState]()
    site.remove(segment(video))
    other_bytes = site.read(segment(video, 0))

    def differ(part: Part) -> None:
        now = site.world.video(video.id)
        states.append(now.state)
        assert now.job_id == video.job_id
        assert site.read(segment(video, 0)) == other_bytes

    # A size of the picture, which belongs to the job.
    site.put(f"media/{video.id}/thumbnails/{video.job_id}/640x360.jpg", picture())
    site.put(f"media/{video.id}/moments/{video.job_id}/10-64x64.jpg", picture())
    site.world.transcoder.before_part = differ
    site.world.transcoder.version = b"\0\0\0\x08free"
    repair(site.world)
    site.world.run_tasks()

    renewed = site.world.video(video.id)
    assert renewed.state is VideoState.READY
    assert renewed.job_id != video.job_id
    # Of two parts the one alone; the other one is copied.
    assert states == [VideoState.READY]
    # Who has begun to watch may be reading the old files.
    assert site.read(segment(video, 0)) == other_bytes
    site.settle()
    later(site.world)
    assert names(site.world) == []
    assert not list(site.world.services.storage.walk(str(video.media_root)))
    assert not list(site.world.services.storage.walk(f"media/{video.id}/moments"))


def test_a_job_that_cannot_replace_another_one_leaves_the_video_as_it_is(
    site: Site,
) -> None:
    video = site.ready()
    board = media_of(video).storyboard
    assert board is not None
    site.remove(f"{video.media_root}/{board.sprites[0].path}")
    site.put(video.source_path, b"unusable")

    repair(site.world, Scope(video_id=video.id))
    site.settle()

    now = site.world.video(video.id)
    assert (now.state, now.job_id) == (VideoState.READY, video.job_id)
    folders = {
        info.path.split("/")[2]
        for info in site.world.services.storage.walk(f"media/{video.id}")
    }
    assert video.job_id in folders
    assert len([one for one in folders if one.startswith("job_")]) == 1


def test_a_lost_video_fails_only_where_an_operator_gives_it_up(site: Site) -> None:
    video_id = lose(site)

    repairs = [one.repair for one in found(site.world)]

    assert all(one is not None and one.gives_up for one in repairs)
    assert site.world.video(video_id).state is VideoState.READY
    repair(site.world)
    site.settle()
    later(site.world)
    failed = site.world.video(video_id)
    assert (failed.state, failed.failure_reason) == (VideoState.FAILED, LOST)
    assert failed.duration_s == 0
    assert names(site.world) == []
    with site.world.services.uow.read() as work:
        assert work.quotas.use("org_a", 0).stored_bytes == 0


def test_a_service_at_work_has_no_damage(site: Site) -> None:
    world = site.world
    site.ready()
    later(world)
    # An upload that waits, one that was sent, one in processing, a failed video.
    world.services.uploads.grant(world.env, world.file())
    world.services.uploads.grant_video(world.env, world.file(), world.wanted())
    world.uploaded()
    failed = world.processed(b"unusable")
    world.run_tasks()
    assert world.video(failed).state is VideoState.FAILED
    world.processed()
    # What a worker is just now writing.
    video = world.video(world.processed())
    site.put(f"{video.media_root}/p0a1/video/480p/0.m4s", b"new")
    kept = site.everything()

    later(world)
    assert names(world) == []
    assert repair(world) == []
    assert site.everything() == kept


def test_leftovers_are_left_alone_for_a_time(site: Site) -> None:
    leftovers = {"folder-without-video", "old-job", "old-attempt", "leftover-upload"}
    for kind, plant in PLANTS.values():
        if kind in leftovers:
            plant(site)
    site.settle()

    site.world.clock.move(days=6)
    assert names(site.world) == []
    assert names(site.world, Scope(grace=timedelta(hours=1))) != []


def test_bytes_are_read_only_where_that_is_asked_for(site: Site) -> None:
    _, plant = PLANTS["a_segment_has_other_bytes"]
    video_id, _ = plant(site)

    assert names(site.world, Scope()) == []
    assert names(site.world) == [("segments", video_id)]


def test_files_of_a_video_are_read_at_the_same_time(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, plant = PLANTS["a_segment_has_other_bytes"]
    video_id, _ = plant(site)
    read, began, two_read = FileChecks.sha256, list[str](), threading.Event()

    def sha256(checks: FileChecks, path: str) -> str:
        began.append(path)
        if len(began) > 1:
            two_read.set()
        # The first one does not end before another one reads, too.
        assert two_read.wait(20)
        return read(checks, path)

    monkeypatch.setattr(FileChecks, "sha256", sha256)
    assert names(site.world) == [("segments", video_id)]


def test_a_look_can_be_narrowed(site: Site) -> None:
    _, plant = PLANTS["a_segment_is_missing"]
    first, second = plant(site)[0], plant(site)[0]

    assert names(site.world, Scope(video_id=site.world.video(first).id)) == [
        ("segments", first)
    ]
    assert sorted(names(site.world, Scope(org_id="org_a"))) == sorted(
        [("segments", first), ("segments", second)]
    )
    assert names(site.world, Scope(org_id="org_b")) == []


def test_a_repair_under_way_is_not_ordered_again(site: Site) -> None:
    _, plant = PLANTS["a_segment_is_missing"]
    video_id, _ = plant(site)
    repair(site.world)

    (again,) = found(site.world)

    assert again.repair is None
    assert again.why_not == "parts of the video are being made again"
    assert repair(site.world) == []
    with site.world.services.uow.read() as work:
        assert len(work.tasks.of_subject(video_id, kind="transcode.mend")) == 1


def test_a_video_that_is_deleted_meanwhile_is_not_repaired(site: Site) -> None:
    _, plant = PLANTS["a_segment_is_missing"]
    video_id, _ = plant(site)
    world = site.world
    (damage,) = found(world)
    repair(world)
    world.services.deletion.delete(world.caller, "org_a", video_id, None)

    assert damage.repair is not None
    world.run_tasks()
    site.settle()

    assert world.files("media/") == []


def test_a_leftover_that_is_written_again_meanwhile_stays(site: Site) -> None:
    _, plant = PLANTS["a_file_of_captions_is_left"]
    plant(site)
    later(site.world)
    (damage,) = found(site.world)
    now_s = site.world.clock.now().timestamp()
    os.utime(site.world.storage_dir / damage.path, (now_s, now_s))

    assert damage.repair is not None
    assert damage.repair.carry_out() == CHANGED_MEANWHILE
    assert damage.path in site.world.files("media/")


def test_owners_are_told_of_a_video_that_was_made_again(site: Site) -> None:
    _, plant = PLANTS["a_sheet_is_missing"]
    video_id, _ = plant(site)
    before = site.world.video(video_id).event_count

    repair(site.world)
    site.world.run_tasks()

    assert site.world.video(video_id).event_count == before + 1
    assert EventKind.UPDATED.value == "video.updated"


def test_a_kind_of_damage_is_planted_for_each_name(site: Site) -> None:
    assert {kind for kind, _ in PLANTS.values()} == {one.value for one in DamageKind}


def test_a_part_that_does_not_join_has_the_whole_video_made_again(site: Site) -> None:
    video = site.ready()
    site.remove(segment(video))
    # Another version of the transcoder cuts its jobs otherwise.
    site.world.transcoder.parts = 1

    repair(site.world)
    site.world.run_tasks()

    renewed = site.world.video(video.id)
    assert (renewed.state, renewed.job_id == video.job_id) == (VideoState.READY, False)
    assert len(media_of(renewed).tracks[0].track.segments) == 1
    site.settle()
    later(site.world)
    assert names(site.world) == []


def test_after_a_part_has_failed_the_whole_video_is_proposed(site: Site) -> None:
    video = site.ready()
    site.remove(segment(video))
    source = site.read(video.source_path)
    site.put(video.source_path, b"broken".ljust(len(source)))

    repair(site.world)
    site.world.run_everything()

    (again,) = found(site.world)
    assert again.repair is not None
    assert again.repair.step.startswith("encode the whole video again")
    assert site.world.video(video.id).job_id == video.job_id
    jobs = {
        info.path.split("/")[2]
        for info in site.world.services.storage.walk(f"media/{video.id}")
        if info.path.split("/")[2].startswith("job_")
    }
    assert jobs == {video.job_id}


def test_damaged_parts_of_a_video_are_published_together(site: Site) -> None:
    video = site.ready()
    site.remove(segment(video, 0))
    site.remove(segment(video, 1))
    site.world.transcoder.version = b"\0\0\0\x08free"

    assert repair(site.world)[1:] == [ORDERED_BEFORE]
    site.world.run_tasks()

    renewed = site.world.video(video.id)
    assert renewed.job_id != video.job_id
    assert found(site.world) == []


def test_pictures_at_moments_belong_to_the_job_that_they_were_made_of(
    site: Site,
) -> None:
    video = site.ready()
    moments = f"media/{video.id}/moments"
    site.put(f"{moments}/{video.job_id}/10-64x64.jpg", picture())
    site.put(f"{moments}/job_before/10-64x64.jpg", picture())
    later(site.world)

    repair(site.world)

    found = [info.path for info in site.world.services.storage.walk(moments)]
    assert found == [f"{moments}/{video.job_id}/10-64x64.jpg"]
