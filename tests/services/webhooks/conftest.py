"""
A world with an endpoint that listens.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.services.webhooks.endpoints import WebhookWithSecret
from tests.services.conftest import World, make_world
from tests.services.webhooks.deliveries.ordered import ALLOWED, add
from tests.support.network.receivers import Receiver, receiver


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with make_world(tmp_path, ALLOWED) as made:
        yield made


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


@pytest.fixture
def failing(world: World, hook: Receiver) -> WebhookWithSecret:
    """
    An endpoint whose first attempt has failed.
    """
    added = add(world, hook)
    hook.status = 500
    world.processed()
    world.run_tasks()
    assert len(hook.received) == 1
    return added
