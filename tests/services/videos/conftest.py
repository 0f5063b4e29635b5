"""
Videos that were processed.
"""

import pytest

from tests.services.conftest import World


@pytest.fixture
def ready(world: World) -> str:
    video_id = world.processed()
    world.run_tasks()
    return video_id
