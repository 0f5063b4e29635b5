"""
Fixtures of delivery's playback sessions.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import SettableClock
from tests.delivery.theatre import Theatre, theatre_of


@pytest.fixture
def theatre(clock: SettableClock, tmp_path: Path) -> Iterator[Theatre]:
    with theatre_of(clock, tmp_path, is_public=True) as made:
        yield made


@pytest.fixture
def session(theatre: Theatre) -> str:
    token: str = theatre.begin().json["session"]
    theatre.clock.moment += timedelta(minutes=1)
    return token
