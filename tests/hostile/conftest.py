"""
What is true of every test here.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import LiveService, live_service


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    Run them under one interpreter only: they mostly wait for processes.
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.matrix)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """
    A service that strangers keep busy.
    """
    with live_service(tmp_path_factory.mktemp("held")) as running:
        yield running
