"""
Videos put into the bin and taken out of it, and what is left of them.
"""

from hvcore.domain.access.quotas import QuotaUse, month_number
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.errors import (
    VideoNotFoundError,
)
from tests.services.conftest import World


def bin_it(world: World, video_id: str, keep_hours: int = 20) -> None:
    world.services.deletion.delete(
        world.caller, "org_a", video_id, None, keep_hours=keep_hours
    )


def delete_now(
    world: World, video_id: str, reason: DeletionReason | None = None
) -> None:
    world.services.deletion.delete(world.caller, "org_a", video_id, reason)


def restore(world: World, video_id: str) -> None:
    world.services.bin.restore(world.caller, "org_a", video_id)


def pass_hours(world: World, hours: float) -> None:
    world.clock.move(seconds=hours * 3600)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


def is_playing(world: World, video_id: str) -> bool:
    try:
        world.services.playback_access.ready(video_id)
    except VideoNotFoundError:
        return False
    return True


def used(world: World) -> QuotaUse:
    with world.services.uow.read() as work:
        return work.quotas.use(world.env.org_id, month_number(world.clock.now()))


def stored_bytes(world: World) -> int:
    return used(world).stored_bytes


def kept_files(world: World, video_id: str) -> list[str]:
    return world.files(f"{media_prefix(world.video(video_id).id)}/") + world.files(
        "uploads/"
    )
