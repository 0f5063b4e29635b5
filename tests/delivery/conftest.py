"""
Fixtures of delivery's playback sessions.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.conftest import SettableClock
from tests.delivery.theatre import Theatre, theatre_of
from tests.support.http.delivery_worker import WAYS, DeliveryWorker, worker_by


@pytest.fixture
def theatre(clock: SettableClock, tmp_path: Path) -> Iterator[Theatre]:
    with theatre_of(clock, tmp_path, is_public=True) as made:
        yield made


@pytest.fixture
def session(theatre: Theatre) -> str:
    token: str = theatre.begin().json["session"]
    theatre.clock.moment += timedelta(minutes=1)
    return token


@pytest.fixture(params=WAYS)
def public(
    request: pytest.FixtureRequest, clock: SettableClock, tmp_path: Path
) -> DeliveryWorker:
    return worker_by(request.param, clock, tmp_path, is_public=True)


@pytest.fixture
def worker(public: DeliveryWorker) -> DeliveryWorker:
    return public


@pytest.fixture(params=["local", "loop"])
def private(
    request: pytest.FixtureRequest, clock: SettableClock, tmp_path: Path
) -> DeliveryWorker:
    return worker_by(request.param, clock, tmp_path, is_public=False)
