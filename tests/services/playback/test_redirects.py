"""
Players are sent to the object store, for as long as they may watch and no longer.

The store is an imitation of S3, which checks no signatures.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.assembly import Services, build
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import new_edge_key_id
from hvcore.domain.links.links import EdgeKey
from hvcore.errors import ConfigError
from hvcore.services.playback.redirects import VALID_S
from hvcore.settings import Settings, load
from hvcore_delivery.app import make_app
from hvcore_player.app import make_app as make_player_app
from tests.support.fakes import MemoryQueue
from tests.support.live import request
from tests.support.stores.object_store import environ_of_bucket, new_bucket, s3_server
from tests.support.stores.published import Published, migrate, new_tenant, publish

SEGMENTS: Final = tuple(bytes([number]) * 5_000 for number in range(3))


@attrs.frozen(kw_only=True)
class Site:
    """
    A service whose files lie in an object store.
    """

    services: Services
    env: Environment
    worker: TestClient
    player: TestClient

    def video(self, *, is_public: bool = False) -> Published:
        return publish(self.services, self.env, {720: SEGMENTS}, is_public=is_public)

    def token(self, video: Published, valid_s: float = 3_600) -> str:
        return self.services.key_ring.issue(
            video_id=video.id,
            public_id=video.public_id,
            now=self.services.clock.now() - timedelta(seconds=3_600 - valid_s),
            valid_s=3_600,
        )

    def get(
        self, video: Published, file: str, token: str, method: str = "GET", **more: str
    ) -> Result:
        return self.worker.simulate_request(
            method,
            f"/v1/private/{video.id}/{file}",
            query_string=f"token={token}",
            headers=more,
        )

    def counted(self, video: Published) -> int:
        self.services.flusher.run_once()
        return self.services.analytics_store.served([video.id]).get(video.id, 0)


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with s3_server() as endpoint:
        yield {
            "HV_DATA": str(tmp_path_factory.mktemp("redirects") / "data"),
            **environ_of_bucket(endpoint, new_bucket(endpoint)),
            "HV_STORAGE__OPTIONS__CONFIG_KWARGS__SIGNATURE_VERSION": "s3v4",
            "HV_PLAYBACK__REDIRECTS": "true",
        }


def settings_of(environ: dict[str, str]) -> Settings:
    folder = Path(environ["HV_DATA"])
    return load(config_path=None, environ=environ, data_dir=folder).settings


@pytest.fixture(scope="module")
def site(environ: dict[str, str]) -> Iterator[Site]:
    migrate(environ)
    overrides = {"queue": MemoryQueue()}
    with build(settings_of(environ), overrides=overrides, rings=False) as services:
        yield Site(
            services=services,
            env=new_tenant(services),
            worker=TestClient(make_app(services)),
            player=TestClient(make_player_app(services)),
        )


def valid_s(address: str) -> int:
    """
    How long S3 takes an address.
    """
    query = parse_qs(urlsplit(address).query)
    return int(query["X-Amz-Expires"][0])


def test_a_segment_is_fetched_from_the_store_and_counts(site: Site) -> None:
    video = site.video()

    answer = site.get(video, "video/720p/1.m4s", site.token(video))

    assert answer.status_code == 307
    assert answer.content == b""
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["access-control-allow-origin"] == "*"
    fetched = request("GET", answer.headers["location"])
    assert fetched.status == 200
    assert fetched.data == SEGMENTS[1]
    assert site.counted(video) == 1


def test_an_address_is_good_for_half_a_minute(site: Site) -> None:
    video = site.video()

    answer = site.get(video, "video/720p/0.m4s", site.token(video))

    assert valid_s(answer.headers["location"]) == VALID_S


def test_no_address_outlives_the_token(site: Site) -> None:
    video = site.video()

    answer = site.get(video, "video/720p/0.m4s", site.token(video, valid_s=12.5))

    assert answer.status_code == 307
    assert valid_s(answer.headers["location"]) <= 12


def test_a_token_of_less_than_a_second_gets_the_bytes_from_here(site: Site) -> None:
    video = site.video()
    token = site.token(video, valid_s=0.9)

    answer = site.get(video, "video/720p/0.m4s", token)

    # Within the leeway that clocks have.
    assert answer.status_code == 200
    assert answer.content == SEGMENTS[0]


def test_no_address_outlives_an_edge_key(site: Site) -> None:
    video = site.video()
    ends_at = site.services.clock.now() + timedelta(seconds=10)
    key = EdgeKey(
        id=new_edge_key_id(),
        org_id=site.env.org_id,
        env_id=site.env.id,
        video_id=video.id,
        domains=(),
        created_at=site.services.clock.now(),
        expires_at=ends_at,
    )
    with site.services.uow.write() as work:
        work.edge_keys.add(key)
        work.commit()

    answer = site.player.simulate_get(f"/v1/{key.id}/video/720p/0.m4s")

    assert answer.status_code == 307
    assert valid_s(answer.headers["location"]) <= 10


def test_playlists_and_manifests_come_from_here(site: Site) -> None:
    video = site.video()
    token = site.token(video)

    for file in ("master.m3u8", "video-720p.m3u8", "manifest.mpd"):
        assert site.get(video, file, token).status_code == 200
    assert site.counted(video) == 0


def test_a_part_is_asked_for_where_the_whole_is(site: Site) -> None:
    video = site.video()
    token = site.token(video)

    begins = site.get(video, "video/720p/0.m4s", token, Range="bytes=0-99")
    later = site.get(video, "video/720p/0.m4s", token, Range="bytes=100-199")

    assert (begins.status_code, later.status_code) == (307, 307)
    part = request("GET", later.headers["location"], headers={"Range": "bytes=100-199"})
    assert part.status == 206
    assert part.data == SEGMENTS[0][100:200]
    # As with answers of our own: more than half counts.
    assert site.counted(video) == 0
    most = site.get(video, "video/720p/0.m4s", token, Range="bytes=100-")
    assert most.status_code == 307
    assert site.counted(video) == 1


def test_a_request_that_needs_no_bytes_is_answered_here(site: Site) -> None:
    video = site.video()
    token = site.token(video)

    asked = site.get(video, "video/720p/0.m4s", token, method="HEAD")
    tag = asked.headers["etag"]
    known = site.get(video, "video/720p/0.m4s", token, **{"If-None-Match": tag})

    assert asked.status_code == 200
    assert asked.headers["content-length"] == "5000"
    assert known.status_code == 304
    assert site.counted(video) == 0


def test_a_refused_viewer_learns_no_address(site: Site) -> None:
    video, other = site.video(), site.video()

    for token in ("", "wrong", site.token(other), site.token(video, valid_s=-10)):
        answer = site.get(video, "video/720p/0.m4s", token)
        assert answer.status_code in {401, 403}
        assert "location" not in answer.headers
        assert "X-Amz" not in answer.text
        assert json.loads(answer.text)["code"]


def test_public_videos_are_fetched_from_the_store_too(site: Site) -> None:
    video = site.video(is_public=True)
    path = f"/v1/public/{site.env.org_id}/{site.env.id}/{video.id}/video/720p/2.m4s"

    answer = site.worker.simulate_get(path)

    assert answer.status_code == 307
    assert request("GET", answer.headers["location"]).data == SEGMENTS[2]


@pytest.mark.parametrize("url", ["memory://films", "films"])
def test_a_storage_that_signs_nothing_is_refused_at_the_start(
    environ: dict[str, str], tmp_path: Path, url: str
) -> None:
    wanted = settings_of(
        {
            "HV_DATA": str(tmp_path),
            "HV_STORAGE__OPTIONS__URL": url,
            "HV_PLAYBACK__REDIRECTS": "true",
        }
    )
    overrides = {"queue": MemoryQueue()}
    with (
        build(wanted, overrides=overrides, rings=False) as services,
        pytest.raises(ConfigError, match="redirects"),
    ):
        _ = services.delivery
