"""Files that the program itself has, beside a store that takes files of callers."""

import io
from pathlib import Path

import pytest

from hvcore.domain.uploads.grants import FileWanted, grant_path
from hvcore.domain.videos.states import VideoState
from hvcore.services.uploads.ended_grants import take_back
from tests.services.conftest import World
from tests.services.uploads.direct import direct_world
from tests.support.stores.object_store import new_swift_bucket

FILM = b"\0\0\0\x18ftypmp42" + bytes(1000)


@pytest.mark.services
def test_a_file_of_the_program_passes_no_address_of_the_store(
    tmp_path: Path, swift: str
) -> None:
    with direct_world(tmp_path, swift, new_swift_bucket(swift), mode="on") as world:
        services = world.services

        video_id = taken(world)

        with services.uow.read() as work:
            video = work.videos.find(video_id)
        assert video is not None
        assert video.state is VideoState.TRANSCODING
        with services.storage.open(video.source_path) as file:
            assert file.read() == FILM


def test_a_video_in_work_outlives_the_loss_of_the_answer_that_it_was_taken(
    world: World,
) -> None:
    uow = world.services.uow
    video_id = taken(world)
    with uow.read() as work:
        video = work.videos.find(video_id)
        assert video is not None
        grant = work.grants.find_path(grant_path(video.source_path))
    assert grant is not None

    take_back(uow, grant, world.clock.now())

    with uow.read() as work:
        assert work.grants.find(grant.id) == grant


def taken(world: World) -> str:
    file = FileWanted(file_name="film.mp4", size_bytes=len(FILM))
    return world.services.local_uploads.take(
        world.env, io.BytesIO(FILM), file, world.wanted()
    )
