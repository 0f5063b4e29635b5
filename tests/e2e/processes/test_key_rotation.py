"""
Both kinds of keys are rotated while a viewer watches and files are half sent.

The API and delivery with its edge are on hosts of their own, as far as a data folder
tells: what they have in common are the database, the storage and the settings.
"""

import http.client
import json
import os
import secrets
import subprocess
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.assembly import Services
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS
from hvcore.services.access.keys import KeyWanted
from tests.e2e.processes.test_alone import alone, lives
from tests.e2e.processes.test_edge import running_delivery
from tests.support.hv_processes import HV
from tests.support.live import Answer, free_ports, request, until
from tests.support.network.edge import RunningEdge, running_edge
from tests.support.stores.published import (
    ENV,
    ORG,
    Published,
    migrate,
    new_tenant,
    publish,
    services_of,
)

SEGMENTS: Final = 5
SEGMENT: Final = b"segment " * 1000
FILE: Final = os.urandom(1024 * 1024)
HALF: Final = len(FILE) // 2
WATCHES_EVERY_S: Final = 0.1
KNOWN_WITHIN_S: Final = 3.0
"""A second, and what the requests take."""
ALL_GOOD: Final = [200, 200, 200, 204]
TUS: Final = {"Tus-Resumable": "1.0.0"}


@attrs.frozen(kw_only=True)
class Site:
    """
    A service on two hosts, and its owner's key.

    Attributes:
        services: On the host of the API, as a command has them.
        delivery: The root address of delivery, without the edge.
    """

    environ: Mapping[str, str]
    services: Services
    api: str
    delivery: str
    edge: RunningEdge
    key: str
    video: Published

    def call(self, method: str, path: str, **body: object) -> Any:  # noqa: ANN401 - JSON
        headers = {"X-Api-Key": self.key, "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        answer = request(method, self.api + path, data=data, headers=headers)
        assert answer.status == 200, answer.data
        return answer.body

    def token(self) -> str:
        signed = self.call("GET", f"/v1/videos/{self.video.id}/signed-url")
        return urlsplit(signed["signed_url"]).query

    def watch(self, token: str, number: int) -> list[Answer]:
        """
        Load a segment from delivery and from the edge.
        """
        path = f"/v1/private/{self.video.id}/video/720p/{number % SEGMENTS}.m4s?{token}"
        return [request("GET", root + path) for root in (self.delivery, self.edge.root)]

    def address(self) -> str:
        wanted = {"fileName": "clip.mp4", "contentType": "video/mp4"}
        made = self.call("POST", "/v1/videos/upload-url", **wanted)
        return str(made["signedURL"])

    def resumable(self) -> str:
        headers = {
            **TUS,
            "X-Api-Key": self.key,
            "Upload-Length": str(len(FILE)),
            "Upload-Metadata": "fileName Y2xpcC5tcDQ=",
        }
        made = request("POST", f"{self.api}/v1/uploads", data=b"", headers=headers)
        assert made.status == 201, made.data
        return {name.lower(): text for name, text in made.headers.items()}["location"]

    def rotate(self, purpose: str) -> str:
        made = subprocess.run(
            [*HV, "keys", "rotate-signing", "--for", purpose],
            env=dict(self.environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    common = {
        **{k: v for k, v in os.environ.items() if not k.startswith("HV_")},
        "HV_DATABASE__URL": f"sqlite:///{folder / 'hvcore.sqlite3'}",
        "HV_STORAGE__OPTIONS__URL": str(folder / "storage"),
        "HV_QUEUE__BACKEND": "sql",
        "HV_LIMITS__ENABLED": "false",
        "HV_SERVER__SHUTDOWN_DELAY_S": "0",
        "HV_PLAYBACK__SIGNING_KEY": secrets.token_urlsafe(48),
        "HV_UPLOADS__SIGNING_KEY": secrets.token_urlsafe(48),
    }
    api_host = {**common, "HV_DATA": str(folder / "api")}
    delivery_host = {**common, "HV_DATA": str(folder / "delivery")}
    (folder / "delivery").mkdir()
    migrate(api_host)
    with ExitStack() as stack:
        services = stack.enter_context(services_of(api_host))
        env = new_tenant(services)
        wanted = KeyWanted(
            type=KeyType.ENVIRONMENT, org_id=ORG, env=ENV, permissions=ALL_PERMISSIONS
        )
        address = stack.enter_context(running_delivery(delivery_host))
        edge = running_edge(delivery_host, folder / "out", service=address)
        api_host["HV_PUBLIC__UPLOAD_URL"] = f"http://{address}"
        port = free_ports()
        stack.enter_context(alone(api_host, "api", "--port", str(port)))
        site = Site(
            environ=api_host,
            services=services,
            api=f"http://127.0.0.1:{port}",
            delivery=f"http://{address}",
            edge=stack.enter_context(edge),
            key=services.keys.create(wanted).value,
            video=publish(services, env, {720: [SEGMENT] * SEGMENTS}),
        )
        until(partial(lives, port), within_s=60, what="the API")
        yield site


@attrs.define
class Viewer:
    """
    Loads one segment after another with the token of a page that is open.
    """

    site: Site
    token: str
    served: int = 0
    failures: list[tuple[int, bytes]] = attrs.field(factory=list)
    over: threading.Event = attrs.field(factory=threading.Event)

    def go_on(self) -> None:
        while not self.over.wait(WATCHES_EVERY_S):
            for answer in self.site.watch(self.token, self.served):
                if answer.status != 200 or answer.data != SEGMENT:
                    self.failures.append((answer.status, answer.data[:200]))
            self.served += 1


def put(address: str, data: bytes = FILE) -> Answer:
    return request("PUT", address, data=data, headers={"Content-Type": "video/mp4"})


def patch(location: str, data: bytes, offset: int) -> Answer:
    headers = {
        **TUS,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": str(offset),
    }
    return request("PATCH", location, data=data, headers=headers)


def half_put(address: str) -> http.client.HTTPConnection:
    """
    Send the first half of a file; the rest may follow.
    """
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.putrequest("PUT", f"{parts.path}?{parts.query}")
    connection.putheader("Content-Type", "video/mp4")
    connection.putheader("Content-Length", str(len(FILE)))
    connection.endheaders()
    connection.send(FILE[:HALF])
    return connection


def refusal(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json["code"] if answer.status >= 400 else ""


def what_is_signed_now(site: Site) -> list[int]:
    """
    Return how a token and addresses are answered that are signed now.
    """
    return [
        *(answer.status for answer in site.watch(site.token(), 0)),
        put(site.address()).status,
        patch(site.resumable(), FILE, 0).status,
    ]


def tokens_are_refused(site: Site, token: str) -> bool:
    refusals = [refusal(answer) for answer in site.watch(token, 1)]
    return refusals == [(401, "unauthorized")] * 2


def addresses_are_refused(once: str, pieces: str) -> bool:
    # A byte: the server need not read what it refuses.
    refusals = [refusal(put(once, b"x")), refusal(patch(pieces, b"x", 0))]
    return refusals == [(403, "forbidden")] * 2


def end_keys_of_the_settings(site: Site) -> None:
    """
    Let the time be over in which the first keys are believed.
    """
    with site.services.uow.write() as work:
        for rotation in site.services.key_rotations.values():
            work.service_keys.end(rotation.keys.first_kid, site.services.clock.now())
        work.commit()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with running_site(tmp_path) as running:
        yield running


@pytest.mark.long
def test_who_watches_and_who_uploads_notices_no_rotation_and_old_keys_end(
    site: Site,
) -> None:
    viewer, first = Viewer(site, site.token()), (site.address(), site.resumable())
    pieces = site.resumable()
    assert patch(pieces, FILE[:HALF], 0).status == 204
    with (
        ThreadPoolExecutor(3) as threads,
        closing(half_put(site.address())) as half_sent,
    ):
        watching = threads.submit(viewer.go_on)
        try:
            kids = list(threads.map(site.rotate, (PLAYBACK, UPLOADS)))
            assert what_is_signed_now(site) == ALL_GOOD
            second = (site.token(), site.address(), site.resumable())
            later = [
                threads.submit(rotation.rotate)
                for rotation in site.services.key_rotations.values()
            ]
            assert not {one.result(30) for one in later} & set(kids)
            assert what_is_signed_now(site) == ALL_GOOD
            half_sent.send(FILE[HALF:])
            assert half_sent.getresponse().status == 200
            assert patch(pieces, FILE[HALF:], HALF).status == 204
        finally:
            viewer.over.set()
        watching.result(10)
    assert viewer.failures == []
    assert viewer.served > 30

    end_keys_of_the_settings(site)

    until(partial(tokens_are_refused, site, viewer.token), within_s=KNOWN_WITHIN_S)
    until(partial(addresses_are_refused, *first), within_s=KNOWN_WITHIN_S)
    # Of the key after it, all goes on, until it is said to have leaked.
    assert [answer.status for answer in site.watch(second[0], 2)] == [200, 200]
    assert patch(second[2], FILE[:HALF], 0).status == 204

    for rotation in site.services.key_rotations.values():
        rotation.replace_now()

    until(partial(tokens_are_refused, site, second[0]), within_s=KNOWN_WITHIN_S)
    until(partial(addresses_are_refused, *second[1:]), within_s=KNOWN_WITHIN_S)
    until(lambda: what_is_signed_now(site) == ALL_GOOD, within_s=KNOWN_WITHIN_S)
