"""
Clips that take less than a second to encode.
"""

from pathlib import Path

import pytest

from tests.torture.customers import Clips, make_clips


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Clips:
    return make_clips(tmp_path_factory.mktemp("torture-clips"))
