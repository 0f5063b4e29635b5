"""
The API and its upload addresses behind one socket, and clients of it.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import attrs
import httpx
import pytest

from hvcore.settings import PublicSettings
from hvcore.settings.tree import LimitSettings
from hvcore_client import AsyncHvClient, HvClient
from hvcore_upload.app import make_app as make_upload_app
from tests.conftest import SettableClock
from tests.support.http.fixtures import Template, _template, settings_of
from tests.support.http.world import World
from tests.support.network.swallowing_proxy import SwallowingProxy

__all__ = ["_template"]

App = Callable[[dict[str, Any], Any], Iterable[bytes]]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - of http.server
        pass


@attrs.define(kw_only=True)
class Service:
    """
    A service that clients reach.

    Attributes:
        url: Of the API, of uploads and of nothing else.
        upload_app: What answers below ``/upload``; tests may put something in front.
    """

    url: str
    world: World
    upload_app: App

    @property
    def key(self) -> str:
        """The key of the environment ``live``."""
        return self.world.key.value

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        if environ["PATH_INFO"].startswith("/upload"):
            return self.upload_app(environ, start)
        app: App = self.world.client.app
        return app(environ, start)


@contextmanager
def open_service(
    template: Template, folder: Path, proxy: SwallowingProxy | None = None
) -> Iterator[Service]:
    """
    Serve the API and the upload address on one port.

    Args:
        proxy: What stands before them, and what their addresses name.
    """
    apps: list[App] = []

    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:  # noqa: ANN401 - WSGI's own
        return apps[0](environ, start)

    settings = settings_of(folder)
    with make_server(
        "127.0.0.1", 0, answer, server_class=_Server, handler_class=_Handler
    ) as server:
        url = f"http://127.0.0.1:{server.server_port}"
        if proxy is not None:
            proxy.to_port = server.server_port
            url = proxy.url
        settings = attrs.evolve(
            settings,
            limits=LimitSettings(enabled=False),
            public=PublicSettings(
                api_url=url, worker_url="https://worker.test", upload_url=url
            ),
        )
        with template.open(settings, SettableClock()) as world:
            found = Service(
                url=url, world=world, upload_app=make_upload_app(world.services)
            )
            apps.append(found)
            thread = threading.Thread(target=server.serve_forever, args=(0.02,))
            thread.start()
            yield found
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def service(
    _template: Template, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service without limits; tests of a file share it."""
    with open_service(_template, tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def waits() -> list[float]:
    """How long a client would have waited."""
    return []


@pytest.fixture
def client(service: Service, waits: list[float]) -> Iterator[HvClient]:
    """A client that does not really wait."""
    # No proxy of the machine's environment.
    with httpx.Client(trust_env=False) as http:
        made = HvClient(service.url, service.key, http=http)
        made._sleep = waits.append
        yield made


def async_client(service: Service) -> AsyncHvClient:
    """Make a client for one event loop."""
    return AsyncHvClient(
        service.url, service.key, http=httpx.AsyncClient(trust_env=False)
    )
