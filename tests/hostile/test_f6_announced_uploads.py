"""
An organization announces files as large as the disk, and sends next to nothing.

Other organizations' uploads go through meanwhile, also to another process of the
machine; its own are cut off or refused, with a reason.
"""

import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import pytest

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.limits import MAX_UPLOAD_BYTES
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import VideoWanted
from hvcore_server.listening import listen
from tests.hostile.small_disk import ROOM_BYTES
from tests.support.live import request, until
from tests.support.stores.published import migrate, services_of

CUT_OFF_WITHIN_S = 45
SIZES = (
    MAX_UPLOAD_BYTES,
    ROOM_BYTES - MAX_UPLOAD_BYTES - 10**6,
    *[MAX_UPLOAD_BYTES] * 3,
)
"""The first two are all there is but a megabyte; one organization has four places."""
MP4 = {"Content-Type": "video/mp4"}
TUS = {
    "Content-Type": "application/offset+octet-stream",
    "Tus-Resumable": "1.0.0",
    "Upload-Offset": "0",
}


@attrs.frozen(kw_only=True)
class Site:
    """
    Two processes that take uploads, on a disk with little room.
    """

    services: Services
    attacker: Environment
    victim: Environment
    ports: tuple[int, ...]

    def put_address(self, env: Environment, size_bytes: int) -> str:
        file = FileWanted(
            file_name="a.mp4", content_type="video/mp4", size_bytes=size_bytes
        )
        return _relative(self.services.uploads.grant(env, file).signed_url)

    def patch_address(self, env: Environment, size_bytes: int) -> str:
        file = FileWanted(
            file_name="a.mp4", size_bytes=size_bytes, tus_metadata="filename YQ=="
        )
        settings = EncodingSettings(preset=Preset.STANDARD)
        wanted = VideoWanted(settings=settings, is_public=False)
        return _relative(self.services.resumable.create(env, file, wanted).signed_url)

    def announce(
        self,
        stack: ExitStack,
        address: str,
        size_bytes: int,
        headers: Mapping[str, str],
    ) -> socket.socket:
        """
        Announce a file, and send 2 kB of it.
        """
        method = "PATCH" if headers is TUS else "PUT"
        lines = [f"{method} {address} HTTP/1.1", "Host: 127.0.0.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines += [f"Content-Length: {size_bytes}", "", ""]
        sock = stack.enter_context(
            socket.create_connection(("127.0.0.1", self.ports[0]), CUT_OFF_WITHIN_S)
        )
        sock.sendall("\r\n".join(lines).encode() + bytes(2000))
        return sock


def _relative(url: str) -> str:
    address = urlsplit(url)
    return f"{address.path}?{address.query}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("f6")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HV_")}
    environ = {**inherited, "HV_DATA": str(folder / "data")}
    migrate(environ)
    with ExitStack() as stack:
        services = stack.enter_context(services_of(environ))
        envs = []
        for org_id in ("org_mallory", "org_alice"):
            services.tenants.create_organization(org_id)
            envs.append(
                services.tenants.create_environment(
                    org_id, "live", EnvironmentKind.PRODUCTION
                )
            )
        ports = tuple(
            stack.enter_context(_delivery(environ, folder / "log")) for _ in range(2)
        )
        yield Site(services=services, attacker=envs[0], victim=envs[1], ports=ports)


@contextmanager
def _delivery(environ: Mapping[str, str], log: Path) -> Iterator[int]:
    with listen("127.0.0.1", 0) as listener, log.open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.small_disk", str(listener.fileno())],
            env=dict(environ),
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        port = int(listener.getsockname()[1])
        try:
            url = f"http://127.0.0.1:{port}/health/live"
            until(lambda: _answers(url), within_s=60, what="hv delivery")
            yield port
        finally:
            process.terminate()
            process.wait(timeout=20)


def _answers(url: str) -> bool:
    try:
        return request("GET", url).status == 200
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["PUT", "PATCH"])
def test_who_announces_the_disk_and_sends_nothing_stops_nobody(
    site: Site, kind: str
) -> None:
    headers = MP4 if kind == "PUT" else TUS
    address_of = site.put_address if kind == "PUT" else site.patch_address
    with ExitStack() as stack:
        silent = [
            site.announce(stack, address_of(site.attacker, size), size, headers)
            for size in SIZES
        ]
        # Whoever comes last is over the share, and told so at once.
        (last, *_), _, _ = select.select(silent, [], [], CUT_OFF_WITHIN_S)
        silent.remove(last)
        status, detail = _refusal(last)
        assert status == 503
        assert "too many uploads" in detail

        for port in site.ports:
            _upload(site, port)

        for sock in silent:
            status, detail = _refusal(sock)
            assert status in {400, 409}
            assert "send it again" in detail or "arrived too slowly" in detail


def test_what_does_not_fit_is_refused_before_it_is_sent(site: Site) -> None:
    fill = site.services.settings.data_dir / "filling"
    with fill.open("wb") as file, ExitStack() as stack:
        # Without a byte on the disk.
        file.truncate(ROOM_BYTES // 2)
        address = site.put_address(site.victim, MAX_UPLOAD_BYTES)
        status, detail = _refusal(site.announce(stack, address, MAX_UPLOAD_BYTES, MP4))
    fill.unlink()

    assert status == 503
    assert "no room" in detail


def _upload(site: Site, port: int) -> None:
    data = bytes(4 * 10**6)
    address = site.put_address(site.victim, len(data))
    answer = request("PUT", f"http://127.0.0.1:{port}{address}", data=data, headers=MP4)
    assert answer.status == 200, answer.data


def _refusal(sock: socket.socket) -> tuple[int, str]:
    with HTTPResponse(sock) as answer:
        answer.begin()
        return answer.status, str(json.loads(answer.read())["detail"])
