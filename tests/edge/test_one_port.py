"""API and delivery behind one port of nginx, which tells them apart by the host of a request."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.settings import (
    EdgeSettings,
    PlaybackSettings,
    PublicSettings,
    Settings,
    UploadSettings,
)
from hvcore_edge.config import EdgeConfig
from tests.support.live import free_ports, request
from tests.support.network.edge import running_nginx

pytestmark = pytest.mark.services
VIDEO = "https://video.example.com"


def config(folder: Path, *, listen: str, api_service: str, api_url: str) -> EdgeConfig:
    return EdgeConfig(
        settings=Settings(
            data_dir=folder,
            public=PublicSettings(
                api_url=api_url, worker_url=VIDEO, player_url=VIDEO, upload_url=VIDEO
            ),
            playback=PlaybackSettings(signing_key="p" * 32),
            uploads=UploadSettings(signing_key="u" * 32),
            edge=EdgeSettings(
                listen=listen,
                api_listen=listen,
                # Nobody: what is for delivery is unavailable.
                service="127.0.0.1:1",
                api_service=api_service,
            ),
        ),
        folder=folder / "edge",
        scripts=folder / "out",
        storage=folder / "storage",
    )


@contextmanager
def api() -> Iterator[str]:
    """Run a server that stands for the API: it answers each request with 418."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(418)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_the_host_of_a_request_tells_the_api_from_delivery(tmp_path: Path) -> None:
    port = free_ports()
    with api() as service:
        made = config(
            tmp_path,
            listen=f"127.0.0.1:{port}",
            api_service=service,
            api_url="https://API.example.com",
        )
        with running_nginx(made.write([]), port=port, folder=tmp_path / "edge") as edge:
            found = {
                host: request("GET", f"{edge.root}/x", headers={"Host": host}).status
                for host in ("api.example.com", "video.example.com", "other.test")
            }

    assert found == {
        "api.example.com": 418,
        "video.example.com": 503,
        "other.test": 503,
    }


@pytest.mark.parametrize("api_url", [VIDEO, f"{VIDEO}:8443"])
def test_one_port_needs_an_api_with_a_host_of_its_own(
    api_url: str, tmp_path: Path
) -> None:
    made = config(tmp_path, listen="443", api_service="127.0.0.1:8080", api_url=api_url)

    with pytest.raises(ConfigError, match="HV_PUBLIC__API_URL a host that none of"):
        made.config()
