"""
The API behind a socket, for clients that are programs of their own.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import attrs
import pytest

from tests.support.http.fixtures import _template, shared
from tests.support.http.world import World

__all__ = ["_template", "shared"]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of http.server
        """
        Say nothing.
        """


@attrs.frozen(kw_only=True)
class LiveApi:
    """
    An API that clients reach.

    Attributes:
        url: Where it is.
        document: A file with its description.
        world: What it stands on.
    """

    url: str
    document: Path
    world: World

    def environ(self) -> Mapping[str, str]:
        """
        Return what programs with calls read: address, key, a new video.
        """
        return {
            "HV_URL": self.url,
            "HV_KEY": self.world.key.value,
            "HV_VIDEO": self.world.ready(),
        }


@pytest.fixture(scope="module")
def live_api(
    shared: World, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveApi]:
    """
    Serve the API of the tests on a port of this machine.
    """
    document = tmp_path_factory.mktemp("document") / "openapi.json"
    described = shared.client.simulate_get("/v1/openapi.json").json
    document.write_text(json.dumps(described), "utf-8")
    with make_server(
        "127.0.0.1", 0, shared.client.app, server_class=_Server, handler_class=_Handler
    ) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield LiveApi(url=url, document=document, world=shared)
        server.shutdown()
        thread.join()
