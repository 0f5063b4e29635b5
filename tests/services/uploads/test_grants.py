"""
Grants, and the bytes that come in on them.
"""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hvcore.domain.labels import Labels
from hvcore.domain.uploads.grants import (
    FileWanted,
    GrantState,
    UploadGrant,
    name_of_file,
)
from hvcore.domain.videos.states import VideoState
from hvcore.errors import (
    ConflictError,
    ForbiddenError,
    InvalidFileSizeError,
    ProcessingInProgressError,
    UnavailableError,
    UnsupportedFormatError,
    VideoNotFoundError,
)
from hvcore.incoming.whole_files import INCOMING_PREFIX
from hvcore.persistence.unit_of_work import SqlWork
from hvcore.ports.unit_of_work import Work
from tests.services.conftest import MP4, World, make_world
from tests.services.lost_commits import next_commit_is_lost


def granted(world: World, size_bytes: int | None = None) -> UploadGrant:
    return world.services.uploads.grant(
        world.env,
        FileWanted(
            file_name="../../etc/clip.mp4", content_type=MP4, size_bytes=size_bytes
        ),
    ).grant


def awaited(world: World) -> UploadGrant:
    return world.services.uploads.grant_video(
        world.env, FileWanted(file_name="clip.mp4"), world.wanted()
    ).grant


def test_a_file_name_is_never_part_of_a_path(world: World) -> None:
    grant = granted(world)

    assert grant.path == f"uploads/org_a/{world.env.id}/{grant.id}"


def test_the_signed_address_names_the_grant_and_lasts_an_hour(world: World) -> None:
    answer = world.services.uploads.grant(world.env, FileWanted(file_name="a"))

    assert answer.signed_url.startswith(
        f"http://127.0.0.1:8081/upload/{answer.grant.id}?expires="
    )
    assert (answer.grant.expires_at - world.clock.now()).total_seconds() == 3600
    assert "signature" not in repr(answer)


def test_sending_again_replaces_what_was_sent(world: World) -> None:
    grant = granted(world)

    world.send(grant, b"first")
    world.send(grant, b"second")

    (path,) = world.files("uploads/")
    assert (world.storage_dir / path).read_bytes() == b"second"


def test_sending_while_the_video_is_processed_is_a_conflict(world: World) -> None:
    grant = world.uploaded()
    world.services.processing.process(world.env, grant.path, world.wanted())

    with pytest.raises(ProcessingInProgressError):
        world.send(grant, b"late")
    assert len(world.files("uploads/")) == 1


def test_a_sending_that_ends_after_processing_began_changes_nothing(
    world: World,
) -> None:
    grant = world.uploaded(b"video")
    uploads = world.services.uploads
    local = uploads.incoming_dir() / "late"
    local.write_bytes(b"late!")
    put_file = uploads.storage.put_file

    class ProcessesMeanwhile:
        def __getattr__(self, name: str) -> object:
            return getattr(uploads.storage, name)

        def put_file(self, *args: object, **kwargs: object) -> object:
            stored = put_file(*args, **kwargs)  # type: ignore[arg-type]  # passed on
            world.services.processing.process(world.env, grant.path, world.wanted())
            return stored

    racing = attrs.evolve(uploads, storage=ProcessesMeanwhile())

    with pytest.raises(ProcessingInProgressError):
        racing.receive(grant.id, local, size_bytes=5, content_type=MP4)
    (path,) = world.files("uploads/")
    assert (world.storage_dir / path).read_bytes() == b"video"


def test_bytes_whose_commit_is_under_way_stay(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Such as at a fail-over, while a synchronous standby is waited for.
    grant = awaited(world)

    def changed(work: SqlWork) -> Callable[[Work], None]:
        path = found(work, grant).stored_path

        def take_in(again: Work) -> None:
            taken = found(again, grant)
            taken.stored_path, taken.state = path, GrantState.USED
            again.grants.save(taken)

        return take_in

    with (
        next_commit_is_lost(world, monkeypatch, changed),
        pytest.raises(UnavailableError, match="connection was lost"),
    ):
        world.send(grant, b"a video")

    (stored,) = world.files("uploads/")
    with world.services.uow.read() as work:
        assert found(work, grant).stored_path == stored


def test_bytes_whose_commit_failed_are_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant = awaited(world)

    def fail(_: SqlWork) -> None:
        raise UnavailableError("The database does not answer.")

    with monkeypatch.context() as context:
        context.setattr(SqlWork, "commit", fail)
        with pytest.raises(UnavailableError, match="does not answer"):
            world.send(grant, b"a video")

    assert world.files("uploads/") == []


def found(work: Work, grant: UploadGrant) -> UploadGrant:
    known = work.grants.find(grant.id, for_update=True)
    assert known is not None
    return known


@pytest.mark.parametrize("size", [0, 4, 6])
def test_bytes_of_another_size_than_granted_are_refused(
    world: World, size: int
) -> None:
    grant = granted(world, size_bytes=5)

    with pytest.raises(InvalidFileSizeError, match="granted for 5 bytes"):
        world.send(grant, b"x" * size)
    assert world.files("uploads/") == []


@pytest.mark.parametrize("sent", [None, "", "text/plain", "video/webm"])
def test_bytes_of_another_type_than_granted_are_refused(
    world: World, sent: str | None
) -> None:
    with pytest.raises(UnsupportedFormatError) as caught:
        world.services.uploads.check_announced(granted(world), sent, 5)
    assert caught.value.http_status == 415


def test_a_grant_without_a_type_takes_any_of_the_five(world: World) -> None:
    grant = awaited(world)

    for sent in ("video/mp4", "Video/WebM; codecs=vp9", "video/x-matroska"):
        world.services.uploads.check_announced(grant, sent, None)


def test_an_expired_grant_takes_no_bytes(world: World) -> None:
    grant = granted(world)
    world.clock.move(hours=1)

    with pytest.raises(ForbiddenError, match="not valid any more"):
        world.services.uploads.open_upload(grant.id)


def test_an_upload_that_began_in_time_may_end_later(world: World) -> None:
    grant = granted(world)
    world.clock.move(minutes=70)

    world.send(grant)

    assert len(world.files("uploads/")) == 1


def test_an_unknown_grant_takes_no_bytes(world: World) -> None:
    with pytest.raises(ForbiddenError, match="not valid any more"):
        world.services.uploads.open_upload("up_unknown")


def test_a_video_whose_bytes_never_came_is_missing(world: World) -> None:
    grant = awaited(world)
    video_id = grant.video_id or ""
    catalog, deletion = world.services.catalog, world.services.deletion
    assert (
        catalog.details(world.caller, "org_a", video_id).state
        is VideoState.AWAITING_UPLOAD
    )

    world.clock.move(hours=1)

    for _ in range(2):
        with pytest.raises(VideoNotFoundError):
            catalog.details(world.caller, "org_a", video_id)
        with pytest.raises(VideoNotFoundError):
            deletion.delete(world.caller, "org_a", video_id, None)
        world.services.uploads.expire()


def test_an_external_id_is_free_again_six_hours_after_an_unused_address_expired(
    world: World,
) -> None:
    wanted = attrs.evolve(world.wanted(), labels=Labels(external_id="order 1"))
    uploads, file = world.services.uploads, world.file()
    uploads.grant_video(world.env, file, wanted)
    world.clock.move(hours=6)
    uploads.expire()
    with pytest.raises(ConflictError, match="externalID belongs to another video"):
        uploads.grant_video(world.env, file, wanted)

    world.clock.move(hours=1)
    uploads.expire()

    assert uploads.grant_video(world.env, file, wanted)


def test_a_cancelled_upload_takes_no_bytes(world: World) -> None:
    grant = awaited(world)
    world.services.deletion.delete(world.caller, "org_a", grant.video_id or "", None)

    with pytest.raises(ForbiddenError, match="not valid any more"):
        world.send(grant)
    assert world.files("uploads/") == []


def test_bytes_that_are_never_processed_are_removed_after_a_day(world: World) -> None:
    grant = world.uploaded()
    world.clock.move(hours=26)

    world.services.uploads.expire()
    world.run_tasks()

    assert world.files("uploads/") == []
    with world.services.uow.read() as work:
        ended = work.grants.find(grant.id)
    assert ended is not None
    assert ended.state is GrantState.ENDED


def test_bytes_that_storage_does_not_let_go_of_are_removed_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> int:
        raise UnavailableError("no storage today")

    world.uploaded()
    world.clock.move(hours=26)
    with monkeypatch.context() as patch:
        patch.setattr(world.services.storage, "delete_tree", refuse)
        world.services.uploads.expire()
        world.run_tasks()
    assert len(world.files("uploads/")) == 1

    world.run_everything()

    assert world.files("uploads/") == []


def test_a_cut_off_uploads_old_file_is_removed(world: World) -> None:
    folder = world.services.uploads.incoming_dir()
    (folder / "old").write_bytes(b"half")
    (folder / "fresh").write_bytes(b"half")
    os.utime(folder / "old", (0, 0))

    assert world.services.uploads.clean_incoming() == 1
    assert [file.name for file in folder.iterdir()] == ["fresh"]


def test_a_purge_waits_for_a_storage_that_is_not_mounted(world: World) -> None:
    world.uploaded()
    world.clock.move(hours=26)
    away = world.storage_dir.with_name("away")
    world.storage_dir.rename(away)
    world.services.uploads.expire()
    world.run_tasks()
    assert not world.storage_dir.exists()
    away.rename(world.storage_dir)
    assert len(world.files("uploads/")) == 1

    world.run_everything()

    assert world.files("uploads/") == []


def test_the_sweep_outlives_a_folder_for_uploads_that_is_gone(world: World) -> None:
    folder = world.services.uploads.incoming_dir()
    folder.rename(folder.parent / "away")

    assert world.services.uploads.clean_incoming() == 0


def test_without_locks_only_an_old_upload_is_removed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    folder = world.services.uploads.incoming_dir()
    (folder / f"{INCOMING_PREFIX}old").write_bytes(b"half")
    (folder / f"{INCOMING_PREFIX}fresh").write_bytes(b"half")
    os.utime(folder / f"{INCOMING_PREFIX}old", (0, 0))

    assert world.services.uploads.clean_incoming() == 1
    assert [file.name for file in folder.iterdir()] == [f"{INCOMING_PREFIX}fresh"]


def test_the_main_job_needs_no_local_files(tmp_path: Path) -> None:
    environ = {"HV_STORAGE__OPTIONS__URL": "memory://videos"}
    with make_world(tmp_path, environ) as world:
        video_id = world.processed()
        world.run_tasks()
        assert world.video(video_id).state is VideoState.READY

        world.services.deletion.delete(world.caller, "org_a", video_id, None)
        world.run_tasks()

        assert list(world.services.storage.walk("media")) == []


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("a/b\\c.tar.mp4", "c.tar"),
        ("clip", "clip"),
        (".mp4", ".mp4"),
        ("clips/", "clips/"),
    ],
)
def test_a_video_has_the_name_of_its_file_and_never_an_empty_one(
    file_name: str, name: str
) -> None:
    assert name_of_file(file_name) == name
