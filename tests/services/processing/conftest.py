"""
A service that another one makes videos for.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.processing.remote_world import RemoteWorld, remote_world
from tests.support.stores.object_store import s3_server


@pytest.fixture
def remote(tmp_path: Path, store: str) -> Iterator[RemoteWorld]:
    with remote_world(tmp_path, store) as made:
        yield made


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint
