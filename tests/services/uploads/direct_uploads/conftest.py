"""
A service whose callers send their files straight to Swift.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.conftest import World
from tests.services.uploads.direct import (
    direct_world,
    new_bucket_of,
)


@pytest.fixture
def bucket(swift: str) -> str:
    return new_bucket_of(swift)


@pytest.fixture
def world(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    with direct_world(tmp_path, swift, bucket) as made:
        yield made


@pytest.fixture
def any_file(tmp_path: Path, swift: str, bucket: str) -> Iterator[World]:
    """
    A service whose addresses are the store's whatever they bind.
    """
    with direct_world(tmp_path, swift, bucket, mode="on") as made:
        yield made
