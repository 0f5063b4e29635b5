"""Files that the program itself has, beside a store that takes files of callers."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import cast

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.labels import Labels
from hvcore.domain.uploads.grants import FileWanted, UploadGrant, grant_path
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import VideoWanted
from hvcore.errors import ConflictError, ForbiddenError, InvalidParametersError
from hvcore.persistence.tables import grants
from hvcore.services.uploads.ended_grants import take_back
from hvcore.services.uploads.grants import Uploads
from hvcore.services.uploads.source_checks import SNIFFED_BYTES
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


class ObservedStream(io.BytesIO):
    """A film with a look at something else at its end."""

    def __init__(self, look: Callable[[], object]) -> None:
        super().__init__(FILM)
        self._look = look

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        if not found:
            self._look()
        return found


def test_a_file_that_was_opened_as_text_is_refused(world: World) -> None:
    source = cast("io.BytesIO", io.StringIO("a film"))

    with pytest.raises(InvalidParametersError, match="gives str instead of bytes"):
        taken(world, source)


def test_an_external_id_that_is_taken_is_refused_before_the_file_is_read(
    world: World,
) -> None:
    wanted = attrs.evolve(world.wanted(), labels=Labels(external_id="order 1"))
    taken(world, wanted=wanted)
    source = io.BytesIO(FILM + bytes(SNIFFED_BYTES))

    with pytest.raises(ConflictError, match="externalID belongs to another video"):
        taken(world, source, wanted=wanted)

    assert source.tell() <= SNIFFED_BYTES


def test_of_two_uploads_at_once_with_one_external_id_one_is_made(world: World) -> None:
    wanted = attrs.evolve(world.wanted(), labels=Labels(external_id="order 1"))
    made: list[str] = []
    source = ObservedStream(lambda: made.append(taken(world, wanted=wanted)))

    with pytest.raises(ConflictError, match="externalID belongs to another video"):
        taken(world, source, wanted=wanted)

    found = world.services.catalog.videos.find_external(world.env, "order 1")
    assert found is not None
    assert [found.id] == made
    assert states_of_grants(world) == ["ended", "used"]


class EndingUploads(Uploads):
    """Uploads to an environment that is removed right after a file was received."""

    def receive(
        self, grant_id: str, local: Path, *, size_bytes: int, content_type: str
    ) -> UploadGrant:
        grant = super().receive(
            grant_id, local, size_bytes=size_bytes, content_type=content_type
        )
        take_back(self.uow, grant, self.clock.now())
        return grant


def test_an_upload_that_was_ended_meanwhile_makes_no_video(world: World) -> None:
    service = world.services.local_uploads
    uploads = EndingUploads(**attrs.asdict(service.uploads, recurse=False))
    service = attrs.evolve(service, uploads=uploads)

    with pytest.raises(ForbiddenError, match="meanwhile"):
        service.take(world.env, io.BytesIO(FILM), world.file(), world.wanted())

    assert states_of_grants(world) == ["ended"]


def states_of_grants(world: World) -> list[str]:
    with world.services.engine.connect() as connection:
        found = connection.execute(sa.select(grants.c.state).order_by(grants.c.state))
        return list(found.scalars())


def taken(
    world: World, source: io.BytesIO | None = None, wanted: VideoWanted | None = None
) -> str:
    return world.services.local_uploads.take(
        world.env,
        source or io.BytesIO(FILM),
        FileWanted(file_name="film.mp4"),
        wanted or world.wanted(),
    )
