"""
A service that fetches, and a canary on loopback that it must not reach.
"""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.safe_http import (
    OutboundHttp,
)
from tests.safe_http.targets import NAMES
from tests.services.conftest import World, make_world
from tests.support.network.outbound import (
    Canary,
    Certificates,
    Names,
    Source,
    canary_server,
    make_certificates,
    source_server,
    watched_connects,
)

SOURCE_NAME = "public.test"


@attrs.frozen(kw_only=True)
class Outside:
    """
    Everything beyond the service.

    Attributes:
        http: The way out; ``public.test`` alone is allowed to be private.
        connects: The addresses that were connected to.
    """

    canary: Canary
    source: Source
    names: Names
    http: OutboundHttp
    connects: list[object]

    def source_url(self, path: str) -> str:
        """
        Return an address of the source, which stands for a public server.
        """
        return f"http://{SOURCE_NAME}:{self.source.port}{path}"

    def was_spared(self) -> bool:
        """
        Tell whether nothing but the source was connected to.
        """
        allowed = ("127.0.0.1", self.source.port)
        return self.canary.reached == 0 and set(self.connects) <= {allowed}


@pytest.fixture(scope="session")
def _canary() -> Iterator[Canary]:
    with canary_server() as canary:
        yield canary


@pytest.fixture(scope="session")
def _source() -> Iterator[Source]:
    with source_server() as source:
        yield source


@pytest.fixture
def outside(_canary: Canary, _source: Source) -> Iterator[Outside]:
    _canary.reached = 0
    _source.answers.clear()
    _source.requests.clear()
    names = Names()
    for name, addresses in NAMES.items():
        names.set(name, addresses)
    names.set(SOURCE_NAME, ["127.0.0.1"])
    http = OutboundHttp(allowed_hosts=[SOURCE_NAME], resolve=names)
    with watched_connects() as connects:
        yield Outside(
            canary=_canary, source=_source, names=names, http=http, connects=connects
        )


@pytest.fixture(scope="session")
def _shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    # Migrating takes longer than a test; tests make grants of their own.
    with make_world(tmp_path_factory.mktemp("world"), {}) as world:
        yield world


@pytest.fixture
def world(_shared_world: World, outside: Outside) -> World:
    services = _shared_world.services
    services.outbound = outside.http
    # Made anew, with the way out of this test.
    for name in ("fetching", "task_runs"):
        vars(services).pop(name, None)
    _shared_world.queue.messages.clear()
    return _shared_world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("certificates")
    return make_certificates(folder, "secure.test", "127.0.0.1")


@pytest.fixture
def tls_source(certificates: Certificates) -> Iterator[Source]:
    with source_server(certificates) as source:
        source.gives("/v")
        yield source
