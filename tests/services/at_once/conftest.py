"""
A service on PostgreSQL, for pairs of calls that meet.
"""

from collections.abc import Iterator

import pytest

from tests.services.at_once.holding import Holding
from tests.services.at_once.meeting import Meeting
from tests.services.conftest import World, make_world
from tests.support.servers import PostgresqlServer

SETTINGS = {"HV_FETCH__ALLOWED_HOSTS": "127.0.0.1"}
"""Endpoints of webhooks are on this machine."""


@pytest.fixture(scope="module")
def world(
    postgresql: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """
    Return a service that the tests of a module share.
    """
    url = postgresql.new_database()
    folder = tmp_path_factory.mktemp("at_once")
    with make_world(folder, {"HV_DATABASE__URL": url, **SETTINGS}) as made:
        yield made
    postgresql.drop_database(url)


@pytest.fixture
def holding(world: World, postgresql: PostgresqlServer) -> Holding:
    """
    Return what holds the calls of a pair.
    """
    return Holding(engine=world.services.engine, server=postgresql)


@pytest.fixture
def meeting(world: World, holding: Holding) -> Meeting:
    """
    Return what has two calls meet.
    """
    return Meeting(world=world, holding=holding)
