"""
Two calls at once that change the picture of one video.
"""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from hvcore.domain.tasks.kinds import THUMBNAIL_MAKE
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError, VideoNotFoundError
from hvcore.ports.transcoder import Workspace
from tests.services.at_once.calls import delete
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant
from tests.services.conftest import World, make_world
from tests.support.fakes import TextTranscoder
from tests.support.servers import PostgresqlServer

pytestmark = [pytest.mark.services, pytest.mark.long]


class Photographer(TextTranscoder):
    """
    Makes a picture of one colour.
    """

    def still(self, workspace: Workspace, at_s: float) -> Path:
        del at_s  # every moment looks alike
        made = workspace.folder / "any.jpg"
        Image.new("RGB", (64, 36), "lime").save(made)
        return made


@pytest.fixture(scope="module")
def world(
    postgresql: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    url = postgresql.new_database()
    folder = tmp_path_factory.mktemp("pictures")
    with make_world(folder, {"HV_DATABASE__URL": url}) as world:
        # Both names of the one transcoder, before a service is made of it.
        world.services.recipe.overrides["transcoder"] = Photographer()  # type: ignore[index]  # a dict in truth
        world.services.__dict__.pop("transcoder", None)
        yield world
    postgresql.drop_database(url)


def send(at: Tenant, video: Video, colour: str = "red") -> Call:
    made = io.BytesIO()
    Image.new("RGB", (64, 36), colour).save(made, "PNG")
    return lambda: at.services.custom_thumbnails.set_picture(
        at.caller,
        at.env.org_id,
        video.id,
        picture=made.getvalue(),
        content_type="image/png",
    )


def order(at: Tenant, video: Video) -> Call:
    return lambda: at.services.custom_thumbnails.order_still(
        at.caller, at.env.org_id, video.id, 1.0
    )


def shown(at: Tenant) -> tuple[int, int, int]:
    """
    Return the colour of the picture that is shown.
    """
    path = at.only_video().poster_path
    assert path is not None
    with Image.open(at.storage_dir / path) as image:
        red, green, blue = image.convert("RGB").getpixel((0, 0))  # type: ignore[misc]  # three, as converted
    return round(red, -2), round(green, -2), round(blue, -2)


def test_the_picture_of_two_that_is_shown_is_stored(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        return send(at, video, "red"), send(at, video, "blue")

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert shown(at) in {(300, 0, 0), (0, 0, 300)}
        assert at.audited("thumbnail.upload") == 2


def test_a_deleted_video_keeps_no_picture(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        return send(at, video), delete(at, video.id)

    for at, ends in meeting.each(pair):
        assert not isinstance(ends.second, HvError)
        is_set = not isinstance(ends.first, HvError)
        assert is_set or isinstance(ends.first, VideoNotFoundError)
        video = at.only_video()
        assert video.state is VideoState.DELETED
        at.run_tasks()
        assert not at.stored(f"media/{video.id}")


def test_a_picture_that_was_sent_last_is_shown(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        order(at, video)()
        return send(at, video), lambda: at.run(THUMBNAIL_MAKE)

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        at.run(THUMBNAIL_MAKE)
        assert shown(at) == (300, 0, 0)
        assert not at.tasks(THUMBNAIL_MAKE)


def test_one_still_of_two_that_were_ordered_is_made(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        return order(at, video), order(at, video)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        assert len(at.tasks(THUMBNAIL_MAKE)) == 1
        assert at.audited("thumbnail.choose") == 2


def test_a_deleted_video_gets_no_still(meeting: Meeting) -> None:
    def pair(at: Tenant) -> Pair:
        video = at.ready()
        order(at, video)()
        return delete(at, video.id), lambda: at.run(THUMBNAIL_MAKE)

    for at, ends in meeting.each(pair):
        assert ends.refused == 0
        video = at.only_video()
        assert video.state is VideoState.DELETED
        at.run_tasks()
        assert not at.stored(f"media/{video.id}")
