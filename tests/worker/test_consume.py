"""
A worker that leaves ends its running task, and takes no other.
"""

from pathlib import Path

from hvcore.domain.tasks.kinds import TRANSCODE_PART
from hvcore.domain.tasks.task import Lane
from hvcore.ports.transcoder import Part
from hvcore_worker.consume import work_until
from tests.services.conftest import World


def test_a_worker_that_leaves_encodes_its_part_to_the_end_and_takes_no_other(
    world: World, tmp_path: Path
) -> None:
    world.transcoder.parts = 2
    video_id = world.processed()
    begun: list[Part] = []
    world.transcoder.before_part = begun.append

    work_until(
        # A part that is not encoded to the end is begun again.
        lambda: len(begun) > 1,
        lambda _: world.services,
        data_dir=tmp_path / "worker",
        lanes=[Lane.PLAN, Lane.ENCODE],
        leaving=lambda: bool(begun),
    )

    with world.services.uow.read() as work:
        left = work.tasks.unended(video_id, kind=TRANSCODE_PART)
    assert (len(begun), len(left)) == (1, 1)
