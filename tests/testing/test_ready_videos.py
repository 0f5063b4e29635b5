"""Ready videos without an encoder, for the tests of programs that embed the service."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import attrs
import pytest

from hvcore.conformance import Piece, UnreadableError, check
from hvcore.embedding import (
    ConfigError,
    EmbeddedService,
    Overrides,
    VideoState,
    WsgiApp,
    embed,
)
from hvcore.testing import FakeTranscoder, make_ready_video
from hvcore.testing.fakes import MemoryStorage
from tests.embedding.conftest import ENVIRON
from tests.embedding.test_web import ask
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue

MANY = 20
RUNGS = 3
"""Of the standard preset, for a source of 720p."""


@pytest.fixture
def hv(tmp_path: Path) -> Iterator[EmbeddedService]:
    """A service in memory, without ffmpeg."""
    yield from services_in(tmp_path, Overrides(transcoder=FakeTranscoder()))


def services_in(folder: Path, overrides: Overrides) -> Iterator[EmbeddedService]:
    (folder / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    with embed(
        folder,
        public_url="http://shop.example/videos",
        environ={**ENVIRON, "HV_TRANSCODER__OPTIONS__FFMPEG": "/nowhere/ffmpeg"},
        overrides=attrs.evolve(overrides, queue=MemoryQueue(), storage=MemoryStorage()),
    ) as made:
        yield made


@attrs.frozen
class Served:
    """The files of a video, as the app serves them."""

    app: WsgiApp
    playlist: str

    def read(self, name: str, start: int, length: int) -> Piece:
        place = urlsplit(urljoin(self.playlist, name))
        answer = ask(self.app, f"{place.path}?{place.query}")
        if answer.status != 200:
            raise UnreadableError(f"{name}: {answer.status}")
        return Piece(
            data=answer.body[start : start + length], size_bytes=len(answer.body)
        )


@pytest.mark.parametrize("is_public", [True, False])
def test_a_ready_video_plays_and_is_conformant(
    hv: EmbeddedService, *, is_public: bool
) -> None:
    shop = hv.environment("shop")
    film = FakeTranscoder(width_px=1280, height_px=720, duration_s=14)

    video = make_ready_video(shop, transcoder=film, is_public=is_public, name="A film")

    assert (video.state, video.name) == (VideoState.READY, "A film")
    assert video.duration_s == 14
    playlist = shop.playlist_address(video.id)
    served = Served(hv.beside(ask_nobody), playlist)
    report = check(served, playlist.rpartition("/")[2], shown_px=(1280, 720))
    assert report.findings == ()
    # Two playlists for each rung, one of them of single pictures.
    assert (report.playlists, report.segments) == (1 + 2 * RUNGS, RUNGS * (1 + 3))


class Broken(FakeTranscoder):
    """A transcoder that cannot read anything."""

    def probe(self, workspace: object) -> object:  # type: ignore[override]  # fails anyway
        del workspace
        raise OSError("the disk is gone")


def test_a_video_that_does_not_get_ready_is_an_error_that_says_why(
    hv: EmbeddedService,
) -> None:
    with pytest.raises(RuntimeError, match=r"is transcoding: .*the disk is gone"):
        make_ready_video(hv.environment("shop"), transcoder=Broken())


def test_many_ready_videos_are_made_without_any_program(
    hv: EmbeddedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = hv.environment("shop")
    monkeypatch.setattr(subprocess, "Popen", refuse)

    made = [make_ready_video(shop, file_name=f"{n}.mp4") for n in range(MANY)]

    assert {video.state for video in made} == {VideoState.READY}
    assert shop.list(state=VideoState.READY).total == MANY


def test_the_services_own_transcoder_is_not_even_made(tmp_path: Path) -> None:
    for hv in services_in(tmp_path, Overrides()):
        shop = hv.environment("shop")
        with pytest.raises(ConfigError, match="/nowhere/ffmpeg"):
            assert hv._process.services.transcoder

        assert make_ready_video(shop).state is VideoState.READY


def refuse(*args: object, **_options: object) -> None:
    raise AssertionError(f"no program is started: {args}")


def ask_nobody(environ: object, start_response: object) -> list[bytes]:
    del environ, start_response
    raise AssertionError("the host's own app is not asked")
