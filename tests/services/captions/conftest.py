"""
A service whose videos have sound.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.spoken_world import SpokenWorld, spoken_world


@pytest.fixture
def spoken(tmp_path: Path) -> Iterator[SpokenWorld]:
    with spoken_world(tmp_path) as made:
        yield made
