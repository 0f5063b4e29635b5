"""
What is true of every test here.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live import LiveService, live_service
from tests.support.servers import PostgresqlServer


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Run them under one interpreter only: they mostly wait for processes.
    """
    here = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.matrix)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """
    A service that strangers keep busy.
    """
    with live_service(tmp_path_factory.mktemp("held")) as running:
        yield running


@pytest.fixture(params=["bare", "edge"])
def edge(request: pytest.FixtureRequest) -> bool:
    """
    Whether nginx is in front.
    """
    return bool(request.param == "edge")


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest) -> dict[str, str]:
    """
    The settings of a database.
    """
    if request.param == "sqlite":
        return {}
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return {"HV_DATABASE__URL": server.new_database()}
