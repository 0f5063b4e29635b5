"""
nginx in front of a real service: what was answered is obeyed, and all is counted.
"""

import http.client
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.assembly import Services
from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.analytics.segments import VideoScope
from hvcore.domain.ids import KeyId
from hvcore.domain.videos.video import VideoChanges
from hvcore.ports.analytics import SupportsReports
from tests.support.hv_processes import RunningHv, start_hv
from tests.support.live import Answer, free_ports, request, until
from tests.support.network.edge import RunningEdge, running_edge
from tests.support.stores.published import (
    Published,
    migrate,
    new_tenant,
    publish,
    services_of,
)

SEGMENT: Final = "video/720p/0.m4s"
# More than the sockets on the way hold.
LONG: Final = "video/720p/1.m4s"
CONTENT: Final = b"segment " * 10_000
LONG_CONTENT: Final = os.urandom(16 * 1024 * 1024)


@attrs.frozen
class Site:
    """
    A delivery process, an edge before it, and the services that change things.
    """

    environ: Mapping[str, str]
    edge: RunningEdge
    services: Services
    env: Environment
    caller: Principal

    def publish(self, *more: bytes, is_public: bool = False) -> Published:
        contents = {720: (CONTENT, *more)}
        return publish(self.services, self.env, contents, is_public=is_public)

    def signed(self, video: Published, name: str = SEGMENT) -> str:
        made = self.services.playback.sign(
            self.caller, self.env.org_id, video.id, expires_in_s=3600
        )
        parts = urlsplit(made.url)
        path = parts.path.replace("master.m3u8", name)
        return f"{self.edge.root}{path}?{parts.query}"

    def is_served(self, address: str) -> bool:
        """
        Ask until the edge has answered a segment by itself, which it counts.
        """
        before = self.edge.segments()
        is_good = request("GET", address).status == 200
        until(
            lambda: self.edge.segments() > before,
            within_s=10,
            what="a count",
        )
        return is_good


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("edge")
    environ = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    environ["HV_DATA"] = str(folder / "data")
    migrate(environ)
    with services_of(environ) as services:
        env = new_tenant(services)
        caller = Principal(
            key_id=KeyId("key_tests"),
            type=KeyType.FULL_ACCESS,
            org_id=env.org_id,
            env_id=env.id,
            permissions=frozenset(Permission),
        )
        with (
            running_delivery(environ) as service,
            running_edge(environ, folder / "out", service=service) as edge,
        ):
            yield Site(environ, edge, services, env, caller)


@contextmanager
def running_delivery(environ: Mapping[str, str]) -> Iterator[str]:
    port = free_ports()
    process = start_hv("delivery", "--port", str(port), environ=environ)
    try:
        until(lambda: is_alive(port), within_s=60, what="delivery")
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def is_alive(port: int) -> bool:
    try:
        return request("GET", f"http://127.0.0.1:{port}/health/live").status == 200
    except OSError:
        return False


def refused(answer: Answer) -> tuple[int, str]:
    headers = {name.lower(): value for name, value in answer.headers.items()}
    assert headers["access-control-allow-origin"] == "*"
    assert headers["content-type"] == "application/problem+json"
    return answer.status, answer.json["code"]


def test_a_delete_is_obeyed_by_the_very_next_request(site: Site) -> None:
    names = (SEGMENT, "video/720p/init.m4s", "master.m3u8", "video-720p.m3u8")
    for _ in range(3):
        video = site.publish()
        addresses = [site.signed(video, name) for name in names]
        assert [request("GET", one).status for one in addresses] == [200] * 4

        site.services.deletion.delete(site.caller, site.env.org_id, video.id, None)

        for address in addresses:
            assert refused(request("GET", address)) == (404, "video_not_found")


def test_what_is_made_private_or_revoked_is_refused_by_the_very_next_request(
    site: Site,
) -> None:
    video, org = site.publish(is_public=True), site.env.org_id
    services, root = site.services, site.edge.root
    public = f"{root}/v1/public/{org}/live/{video.id}/{SEGMENT}"
    key = services.edge_keys.create(
        site.caller, org, video.id, domains=(), expires_at=None
    )
    keyed = f"{root}/v1/{key.id}/{SEGMENT}"
    share = services.shares.create(
        site.caller, org, video.id, valid_hours=1, max_views=None, viewer_email=None
    )
    begun = f"{root}/v1/share/{share.id}/master.m3u8"
    master = request("GET", begun).data.decode()
    token = master.partition("token=")[2].split()[0].strip('"')
    shared = begun.replace("master.m3u8", f"{SEGMENT}?token={token}")
    assert all(site.is_served(address) for address in (public, keyed, shared))

    services.editing.change(site.caller, org, video.id, VideoChanges(is_public=False))
    assert refused(request("GET", public)) == (403, "forbidden")
    assert site.is_served(keyed)
    services.edge_keys.revoke(site.caller, org, key.id)
    assert refused(request("GET", keyed)) == (403, "forbidden")
    assert site.is_served(shared)
    services.shares.revoke(site.caller, org, video.id, share.id)
    assert refused(request("GET", shared)) == (403, "forbidden")


def test_a_download_comes_through_and_obeys_the_next_request(site: Site) -> None:
    video, org = site.publish(LONG_CONTENT, is_public=True), site.env.org_id
    head = b"what says where everything is"
    site.services.storage.write(
        f"{video.root}/downloads/720p.mp4.1.head", BytesIO(head), content_type="x/x"
    )
    address = f"{site.edge.root}/v1/public/{org}/live/{video.id}/downloads/720p.mp4"

    def change(**changes: bool) -> None:
        wanted = VideoChanges(**changes)
        site.services.editing.change(site.caller, org, video.id, wanted)

    assert refused(request("GET", address)) == (404, "not_found")
    change(allows_download=True)
    whole = head + CONTENT + LONG_CONTENT
    assert request("GET", address).data == whole
    border = len(head + CONTENT)
    part = {"Range": f"bytes={border - 5}-{border + 5}"}
    answer = request("GET", address, headers=part)
    assert answer.status == 206
    assert answer.data == whole[border - 5 : border + 6]
    change(allows_download=False)
    assert refused(request("GET", address)) == (404, "not_found")
    change(allows_download=True, is_public=False)
    assert refused(request("GET", address)) == (403, "forbidden")
    signed = site.signed(video, "downloads/720p.mp4")
    assert request("GET", signed).data == whole
    site.services.deletion.delete(site.caller, org, video.id, None)
    assert refused(request("GET", signed)) == (404, "video_not_found")


def broken_off(site: Site, address: str) -> bool:
    """
    Kill nginx's workers while a segment is on its way; tell if it came whole.
    """
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.request("GET", f"{parts.path}?{parts.query}")
    answer = connection.getresponse()
    left = int(answer.headers["Content-Length"]) - len(answer.read(1000))
    for worker in site.edge.workers():
        worker.kill()
    with suppress(http.client.IncompleteRead, ConnectionError):
        left -= len(answer.read())
    connection.close()
    return left == 0


@contextmanager
def ingesting(site: Site) -> Iterator[RunningHv]:
    process = start_hv("edge", "ingest", environ=site.environ)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def served(site: Site, video: Published) -> int:
    return site.services.analytics_store.served([video.id]).get(video.id, 0)


def test_what_players_got_is_counted_once_whatever_is_killed(site: Site) -> None:
    video = site.publish(LONG_CONTENT)
    short, long = site.signed(video), site.signed(video, LONG)
    got = 0
    for _ in range(2):
        with ingesting(site):
            for _ in range(10):
                assert request("GET", short).status == 200
                got += 1
            got += broken_off(site, long)
            # Read in the middle of it, and the reader is killed.
            until(lambda: served(site, video) > 0, within_s=60, what="a count")
        assert request("GET", short).status == 200
        got += 1
        site.edge.reload()

    with ingesting(site) as process:
        until(lambda: served(site, video) == got, within_s=60, what="all counts")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0

    assert served(site, video) == got
    assert 22 <= got <= 24


@pytest.mark.parametrize("is_public", [False, True])
def test_a_viewer_whom_edge_and_service_served_is_one(
    site: Site,
    is_public: bool,  # noqa: FBT001 - a parameter
) -> None:
    video, org = site.publish(is_public=is_public), site.env.org_id
    address = f"{site.edge.root}/v1/public/{org}/live/{video.id}/{SEGMENT}"
    if not is_public:
        address = site.signed(video)
    one = {"User-Agent": "A Browser/1.0 (of a test)"}
    other = {"User-Agent": "Another Browser/1.0"}
    # What nginx does not judge, the service serves.
    by_service = {"If-Range": '"another"'}
    for headers in (one, {**one, **by_service}, {**other, **by_service}, other):
        assert request("GET", address, headers=headers).status == 200

    with ingesting(site):
        until(lambda: served(site, video) == 4, within_s=60, what="counts")

    store = site.services.analytics_store
    assert isinstance(store, SupportsReports)
    since = datetime.now(UTC) - timedelta(minutes=1)
    viewers = store.viewers(VideoScope(video_id=video.id), since)
    assert viewers == (2 if is_public else 1)


def test_nobody_finds_a_token_in_the_logs(site: Site) -> None:
    address = site.signed(site.publish())
    token = address.partition("token=")[2]
    assert site.is_served(address)
    assert request("GET", f"{address}x").status == 401

    for file in site.edge.folder.iterdir():
        if file.is_file():
            assert token[:60].encode() not in file.read_bytes(), file


def test_a_service_that_is_away_is_said_in_our_words(
    site: Site, tmp_path: Path
) -> None:
    address = site.signed(site.publish())
    folder = {"HV_EDGE__FOLDER": str(tmp_path / "state")}
    with running_edge(
        site.environ, tmp_path / "out", service="127.0.0.1:9", **folder
    ) as alone:
        answer = request("GET", address.replace(site.edge.root, alone.root))

    assert refused(answer) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "5"
    assert answer.json["requestId"] == answer.headers["X-Request-Id"]
    text = "".join(file.read_text() for file in (tmp_path / "state").glob("*.log"))
    assert answer.headers["X-Request-Id"] in text
    assert address.partition("token=")[2][:60] not in text
