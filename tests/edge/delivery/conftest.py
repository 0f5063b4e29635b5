"""
Sites whose files lie here and elsewhere, and their workers.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.conftest import SettableClock
from tests.edge.edge_site import EdgeSite, WorkerBehindEdge, edge_site


@pytest.fixture(scope="package")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("local"), is_local=True) as site:
        yield site


@pytest.fixture(scope="package")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeSite]:
    with edge_site(tmp_path_factory.mktemp("remote"), is_local=False) as site:
        yield site


@pytest.fixture
def clock() -> SettableClock:
    # nginx knows no other time than the true one.
    return SettableClock(datetime.now(UTC))


@pytest.fixture(params=["local", "remote"])
def site(request: pytest.FixtureRequest) -> EdgeSite:
    found: EdgeSite = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def public(site: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return site.worker(clock, is_public=True)


@pytest.fixture
def private(local: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    return local.worker(clock, is_public=False)


@pytest.fixture
def far_away(remote: EdgeSite, clock: SettableClock) -> WorkerBehindEdge:
    """
    A private video in a storage that is on no disk of this machine.
    """
    return remote.worker(clock, is_public=False)
