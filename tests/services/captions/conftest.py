"""
A service whose videos have sound.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.spoken_service import SpokenService, spoken_service


@pytest.fixture
def spoken(tmp_path: Path) -> Iterator[SpokenService]:
    with spoken_service(tmp_path) as made:
        yield made
