"""
A service behind a socket, with everything that the client asks for.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import attrs
import pytest

from hvcore.settings.tree import LimitSettings
from hvcore_upload.app import make_app as make_upload
from tests.client_js.breaking_proxy import BreakingProxy, breaking_proxy
from tests.client_js.moody_server import MoodyServer, moody_server
from tests.client_js.running import end_all
from tests.conftest import SettableClock
from tests.support.http.fixtures import Template, _template, api, settings_of
from tests.support.http.world import World

__all__ = ["_template", "api"]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of http.server
        """
        Say nothing.
        """


@attrs.frozen(kw_only=True)
class ClientSite:
    """
    A service with an API and an upload address.

    Attributes:
        url: Of the API.
        proxy: The way to the upload address.
    """

    url: str
    world: World
    proxy: BreakingProxy

    @property
    def given(self) -> dict[str, str]:
        """
        What every program is given.
        """
        return {"apiURL": self.url, "apiKey": self.world.key.value}

    def stored(self) -> list[bytes]:
        """
        Return the uploads that have come.
        """
        files = self.world.storage.files
        return [data for path, data in files.items() if path.startswith("uploads/")]


@pytest.fixture(scope="module")
def site(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClientSite]:
    settings = settings_of(tmp_path_factory.mktemp("site"))
    with breaking_proxy() as proxy:
        upload_url = f"http://127.0.0.1:{proxy.port}"
        settings = attrs.evolve(
            settings,
            limits=LimitSettings(enabled=False),
            public=attrs.evolve(settings.public, upload_url=upload_url),
        )
        clock = SettableClock(datetime.now(UTC))
        with _template.open(settings, clock) as world, served(world) as port:
            proxy.to_port = port
            yield ClientSite(url=f"http://127.0.0.1:{port}", world=world, proxy=proxy)


@contextmanager
def served(world: World) -> Iterator[int]:
    """
    Serve the API and the upload address on one port.
    """
    api, upload = world.client.app, make_upload(world.services)

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        is_upload = environ["PATH_INFO"].startswith("/uploads/")
        return (upload if is_upload else api)(environ, start)

    with make_server(
        "127.0.0.1", 0, app, server_class=_Server, handler_class=_Handler
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session", autouse=True)
def _nodes() -> Iterator[None]:
    yield
    end_all()


@pytest.fixture(scope="module")
def moody() -> Iterator[MoodyServer]:
    with moody_server() as running:
        yield running
