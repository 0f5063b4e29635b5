"""
An edge asks the service about all videos together that are watched through it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs
import pytest
import urllib3

from hvcore.files.changes_file import CHANGES_FILE
from hvcore.services.edge.authorizations import EdgeAuthorizations
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.settings import Settings
from hvcore_delivery.app import make_app
from hvcore_edge.app import make_app as make_edge_app
from hvcore_player.app import make_app as make_player_app
from hvcore_reference.public_paths import by_path
from tests.edge.edge_site import EdgeSite, edge_site, settings_of
from tests.support.http.cinema import Cinema
from tests.support.http.world import ORG, World
from tests.support.live import until

pytestmark = pytest.mark.services

QUESTION: Final = "/v1/edge/authorizations"
INIT: Final = "video/720p/init.m4s"
VIDEOS: Final = 4
ROUNDS: Final = 3


@attrs.define
class Asked:
    """
    A service with several public videos behind an edge.

    Attributes:
        questions: What the edge has asked about of several at once.
        alone: What it has asked about each.
        is_older: Whether it knows nothing of questions about several.
    """

    cinema: Cinema
    site: EdgeSite
    videos: list[str]
    settings: Settings
    questions: list[set[str]] = attrs.field(factory=list)
    alone: list[str] = attrs.field(factory=list)
    is_older: bool = False

    @property
    def edge_authorizations(self) -> EdgeAuthorizations:
        return self.cinema.api.services.edge_authorizations

    def serve(self) -> None:
        services = self.cinema.api.services
        app = by_path(
            upload=make_app(services),
            player=make_player_app(services),
            delivery=make_app(services),
            edge=make_edge_app(self),
        )

        def counting(environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 - WSGI's own
            path = environ["PATH_INFO"]
            if path == QUESTION:
                listed = environ["HTTP_IF_NONE_MATCH"].split(",")
                self.questions.append({one.partition("=")[0] for one in listed})
                if self.is_older:
                    environ = {**environ, "PATH_INFO": "/v1/edge/unknown"}
            elif path.startswith("/v1/edge/authorization/"):
                self.alone.append(path)
            return app(environ, start_response)

        self.site.app = counting

    def watch(self, videos: Sequence[str]) -> None:
        for video in videos:
            assert self.status(video) == 200

    def status(self, video: str) -> int:
        path = f"/v1/public/{ORG}/live/{video}/{INIT}"
        return urllib3.request("GET", self.site.edge.root + path).status

    def until_asked_about(self, videos: Sequence[str]) -> None:
        """
        Watch videos until a question is about all of them, and no others.
        """
        scopes = {f"public/{ORG}/live/{video}" for video in videos}

        def is_asked() -> bool:
            self.watch(videos)
            return scopes in self.questions

        until(is_asked, within_s=20, what="a question about all videos")


@pytest.fixture
def asked(api: World, tmp_path: Path) -> Iterator[Asked]:
    cinema = Cinema(api=api)
    videos = [cinema.playable(is_public=True) for _ in range(VIDEOS)]
    with edge_site(tmp_path, is_local=False) as site:
        made = Asked(
            cinema=cinema,
            site=site,
            videos=videos,
            settings=settings_of(site.edge.folder),
        )
        PlaybackChanges(file=site.edge.folder / CHANGES_FILE).publish()
        made.serve()
        yield made


def test_watched_videos_are_asked_about_together(asked: Asked) -> None:
    asked.until_asked_about(asked.videos)
    alone = len(asked.alone)
    assert alone >= VIDEOS

    for _ in range(ROUNDS):
        asked.questions.clear()
        asked.until_asked_about(asked.videos)

    # None; but after a pause of this machine all are asked about anew.
    assert len(asked.alone) - alone < ROUNDS * VIDEOS / 2


def test_a_service_that_knows_no_such_question_is_asked_about_each(
    asked: Asked,
) -> None:
    asked.is_older = True

    def are_renewed() -> bool:
        asked.watch(asked.videos)
        return len(asked.alone) >= ROUNDS * VIDEOS

    until(are_renewed, within_s=20, what="renewals of each video")
    assert 1 <= len(asked.questions) <= 2


def test_of_videos_asked_about_together_one_that_is_deleted_ends_at_once(
    asked: Asked,
) -> None:
    asked.until_asked_about(asked.videos)
    gone, *others = asked.videos

    asked.cinema.api.delete(f"/v1/videos/{gone}")
    PlaybackChanges(file=asked.site.edge.folder / CHANGES_FILE).publish()

    assert asked.status(gone) == 404
    asked.until_asked_about(others)
    assert asked.status(gone) == 404
