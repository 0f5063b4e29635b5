"""Pictures that stand for videos, as the host program's own code sets them."""

import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image

from hvcore.domain.tasks.kinds import THUMBNAIL_MAKE
from hvcore.embedding import (
    ConflictError,
    EmbeddedService,
    InvalidParametersError,
    Overrides,
    embed,
)
from hvcore.testing import FakeTranscoder, make_ready_video
from tests.embedding.conftest import ENVIRON
from tests.embedding.test_environments import film
from tests.embedding.test_web import ask, the_host
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue

RED = (255, 0, 0)


@pytest.fixture
def hv(tmp_path: Path) -> Iterator[EmbeddedService]:
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    with embed(
        tmp_path,
        public_url="http://shop.example/videos",
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue(), transcoder=FakeTranscoder()),
    ) as made:
        yield made


def shown(hv: EmbeddedService, video_id: str) -> tuple[int, ...]:
    """Return the colour in the middle of a video's picture, as viewers get it."""
    place = urlsplit(hv.environment("shop").posters.address(video_id))
    answer = ask(hv.beside(the_host), f"{place.path}?{place.query}")
    assert answer.status == 200
    with Image.open(io.BytesIO(answer.body)) as picture:
        pixel = picture.convert("RGB").resize((1, 1)).getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return tuple(round(value / 32) * 32 for value in pixel)


def red_png() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (640, 360), RED).save(made, "PNG")
    return made.getvalue()


def test_a_picture_of_the_hosts_own_is_shown_at_once_and_a_moment_once_it_is_made(
    hv: EmbeddedService,
) -> None:
    shop = hv.environment("shop")
    video = make_ready_video(shop)
    assert shown(hv, video.id) == (128, 128, 128)

    shop.posters.put(video.id, red_png(), content_type="image/png")
    assert shown(hv, video.id) == (256, 0, 0)

    shop.posters.choose(video.id, 2.5)
    assert shown(hv, video.id) == (256, 0, 0)
    services = hv._process.services
    with services.uow.read() as work:
        (task,) = work.tasks.unended(video.id, kind=THUMBNAIL_MAKE)
    services.task_runs.run(task.id, worker="test", stopping=lambda: False)
    assert shown(hv, video.id) == (128, 128, 128)


@pytest.mark.parametrize(
    ("picture", "content_type", "why"),
    [
        (b"no picture", "image/png", "cannot be read as image/png"),
        (b"", "image/png", "picture must have from 1 to 10485760 bytes"),
        (red_png(), "image/gif", "content_type must be one of"),
        (bytes(10 * 1024**2 + 1), "image/jpeg", "picture must have from 1 to"),
    ],
)
def test_a_picture_that_cannot_be_shown_is_refused(
    hv: EmbeddedService, picture: bytes, content_type: str, why: str
) -> None:
    shop = hv.environment("shop")
    video = make_ready_video(shop)

    with pytest.raises(InvalidParametersError, match=why):
        shop.posters.put(video.id, picture, content_type=content_type)
    with pytest.raises(InvalidParametersError, match="at_s"):
        shop.posters.choose(video.id, -1)


def test_a_video_that_is_not_ready_has_no_picture_to_choose(
    hv: EmbeddedService,
) -> None:
    shop = hv.environment("shop")
    video_id = film(shop, "a")

    with pytest.raises(ConflictError, match="once it is ready"):
        shop.posters.put(video_id, red_png(), content_type="image/png")
    with pytest.raises(ConflictError, match="once it is ready"):
        shop.posters.choose(video_id, 0)
