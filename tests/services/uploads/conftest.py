"""
A server from which files are fetched.
"""

from collections.abc import Iterator

import pytest

from hvcore.safe_http import OutboundHttp
from tests.services.conftest import World
from tests.services.uploads.fetching.outside import Outside
from tests.support.network.outbound import Names, source_server


@pytest.fixture
def outside(world: World) -> Iterator[Outside]:
    names = Names()
    names.set("source.test", ["127.0.0.1"])
    world.services.outbound = OutboundHttp(allowed_hosts=["source.test"], resolve=names)
    with source_server() as source:
        source.gives("/clip.mp4")
        yield Outside(source=source, names=names, world=world)
