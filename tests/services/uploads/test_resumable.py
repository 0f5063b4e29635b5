"""
Resumable uploads on real files.
"""

from pathlib import Path

import pytest

from hvcore.domain.uploads.grants import FileWanted, UploadGrant
from hvcore.domain.uploads.resumable import UploadGoneError, UploadLockedError
from hvcore.domain.videos.states import VideoState
from hvcore.errors import UnavailableError
from hvcore.incoming.partial import PartialFile, PartialFiles
from hvcore.services.uploads.resumable import ResumableUploads
from tests.services.conftest import World

DATA = b"a video in pieces"


@pytest.fixture
def resumable(world: World) -> ResumableUploads:
    return world.services.resumable


def begun(world: World) -> UploadGrant:
    file = FileWanted(file_name="clip.mp4", size_bytes=len(DATA), tus_metadata="")
    return world.services.resumable.create(world.env, file, world.wanted()).grant


def sent(world: World, data: bytes = DATA) -> UploadGrant:
    grant = begun(world)
    with world.services.resumable.partial_files().hold(grant.id) as file:
        file.append(data)
    return grant


def state(world: World, grant: UploadGrant) -> VideoState:
    assert grant.video_id is not None
    return world.video(grant.video_id).state


def test_a_whole_upload_whose_sender_is_gone_is_kept(
    world: World, resumable: ResumableUploads
) -> None:
    grant = sent(world)

    assert resumable.tidy() == 1

    assert state(world, grant) is VideoState.TRANSCODING
    (stored,) = world.files("uploads/")
    assert (world.storage_dir / stored).read_bytes() == DATA
    assert resumable.partial_files().found() == []


def test_half_an_upload_waits_for_its_sender(
    world: World, resumable: ResumableUploads
) -> None:
    grant = sent(world, DATA[:5])

    assert resumable.tidy() == 0

    assert resumable.partial_files().size_of(grant.id) == 5
    assert state(world, grant) is VideoState.AWAITING_UPLOAD


def test_a_kept_file_is_not_sent_again_after_a_crash(
    world: World, resumable: ResumableUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    The process ends between the database's commit and the file's removal.
    """
    grant = sent(world)
    with resumable.partial_files().hold(grant.id) as file:
        resumable.finish(grant, file)
    with resumable.partial_files().hold(grant.id) as file:
        file.append(DATA)

        resumable.finish(grant, file)

    assert len(world.files("uploads/")) == 1
    assert resumable.partial_files().found() == []


def test_bytes_stay_when_the_database_fails_after_the_storage(
    world: World, resumable: ResumableUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant = sent(world)

    def refuse(*_: object) -> None:
        raise UnavailableError("no database today")

    with monkeypatch.context() as away:
        away.setattr(type(world.services.uploads), "_take_in", refuse)
        with resumable.partial_files().hold(grant.id) as file:
            with pytest.raises(UnavailableError, match="no database today"):
                resumable.finish(grant, file)
            assert file.size_bytes == len(DATA)

    assert resumable.tidy() == 1
    assert state(world, grant) is VideoState.TRANSCODING
    assert len(world.files("uploads/")) == 1


def test_a_whole_upload_that_is_cancelled_before_it_is_kept_leaves_nothing(
    world: World, resumable: ResumableUploads
) -> None:
    grant = sent(world)

    with resumable.partial_files().hold(grant.id) as file:
        resumable.cancel(grant.id)
        with pytest.raises(UploadGoneError):
            resumable.finish(grant, file)

    assert resumable.partial_files().found() == []
    assert world.files("uploads/") == []


def test_a_folder_without_second_names_keeps_uploads_as_well(
    world: World, resumable: ResumableUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    grant = sent(world)
    monkeypatch.setattr(Path, "hardlink_to", refuse)

    assert resumable.tidy() == 1

    assert state(world, grant) is VideoState.TRANSCODING
    assert resumable.partial_files().found() == []


def test_a_file_has_one_writer(tmp_path: Path, world: World) -> None:
    grant_id = begun(world).id
    files = PartialFiles(folder=tmp_path)

    with (
        files.hold(grant_id),
        pytest.raises(UploadLockedError),
        files.hold(grant_id),
    ):
        pytest.fail("two have it")
    with files.hold(grant_id):
        pass


def test_a_mark_that_a_power_cut_emptied_lets_nothing_count(
    tmp_path: Path, world: World
) -> None:
    grant_id = begun(world).id
    files = PartialFiles(folder=tmp_path)
    with files.hold(grant_id) as file:
        file.append(b"sure")
        file.begin_unverified()
        file.append(b"unsure")
    assert files.size_of(grant_id) == 4
    (mark,) = tmp_path.glob("*.good")
    mark.write_bytes(b"")

    assert files.size_of(grant_id) == 0
    with files.hold(grant_id) as file:
        assert file.size_bytes == 0


def test_bytes_sent_after_a_kill_before_a_verified_chunk_count(
    tmp_path: Path, world: World
) -> None:
    grant_id = begun(world).id
    files = PartialFiles(folder=tmp_path)
    with files.hold(grant_id) as file:
        file.append(b"sure")
        # Killed here: the mark stays, with the size that the file has.
        file.begin_unverified()

    with files.hold(grant_id) as file:
        file.append(b" and more")

    assert files.size_of(grant_id) == len(b"sure and more")
    with files.hold(grant_id) as file:
        assert file.size_bytes == len(b"sure and more")


def test_a_stored_object_is_whole_whatever_is_cut_off_its_upload(
    world: World, resumable: ResumableUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant = sent(world)
    with monkeypatch.context() as killed:
        # Between the commit and the removal of the partial file.
        killed.setattr(PartialFile, "remove", lambda _: None)
        with resumable.partial_files().hold(grant.id) as file:
            resumable.finish(grant, file)
    folder = world.services.uploads.incoming_dir()
    # As versions that forgot the mark of an earlier kill have left it.
    (folder / f"tus-{grant.id}.good").write_text("7", encoding="ascii")
    (stored,) = world.files("uploads/")
    assert (world.storage_dir / stored).stat().st_nlink == 2

    with resumable.partial_files().hold(grant.id) as file:
        assert file.size_bytes == 7

    assert (world.storage_dir / stored).read_bytes() == DATA
    assert resumable.tidy() == 1
    assert (world.storage_dir / stored).read_bytes() == DATA
    assert resumable.partial_files().found() == []


def test_an_upload_of_an_unknown_grant_is_removed(
    world: World, resumable: ResumableUploads
) -> None:
    folder = world.services.uploads.incoming_dir()
    (folder / f"tus-up_{'0' * 22}.good_new").write_bytes(b"1")
    (folder / "tus-other").write_bytes(b"not ours")

    assert resumable.tidy() == 1

    assert [file.name for file in folder.iterdir()] == ["tus-other"]


@pytest.mark.parametrize("trouble", ["refused by the store", "unreadable"])
def test_one_upload_that_cannot_be_tidied_keeps_no_other_on_the_disk(
    world: World,
    resumable: ResumableUploads,
    monkeypatch: pytest.MonkeyPatch,
    trouble: str,
) -> None:
    folder = world.services.uploads.incoming_dir()
    if trouble == "unreadable":
        (folder / f"tus-up_{'0' * 22}").mkdir()
    else:
        sent(world)

        def refuse(*_: object, **__: object) -> None:
            raise UnavailableError("The disk is full.")

        monkeypatch.setattr(type(world.services.storage), "put_file", refuse)
    # Behind every other one.
    abandoned = folder / f"tus-up_{'z' * 22}"
    abandoned.write_bytes(DATA)

    assert resumable.tidy() == 1

    assert not abandoned.exists()
    assert len(list(folder.iterdir())) == 1
