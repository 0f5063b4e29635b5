"""
Steps of direct uploads, and what is known of them.
"""

from hvcore.domain.uploads.grants import GrantState, UploadGranted
from tests.services.conftest import World


def state(world: World, granted: UploadGranted) -> GrantState:
    with world.services.uow.read() as work:
        grant = work.grants.find(granted.grant.id)
    assert grant is not None
    return grant.state


def complete(world: World, granted: UploadGranted) -> None:
    world.services.direct_uploads.complete(
        world.caller, world.env.org_id, granted.grant.video_id or ""
    )


def look(world: World) -> None:
    """
    Let the time pass after which somebody looks.
    """
    world.clock.move(seconds=10)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


def used_bytes(world: World) -> int:
    return world.services.quotas.of_one(world.env.org_id).use.stored_bytes
