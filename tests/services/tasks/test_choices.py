"""
The lane of which a free worker takes its next task.
"""

from hvcore.domain.access.quotas import QuotaLimits
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from tests.services.conftest import World


def test_encodes_that_a_quota_holds_back_keep_no_worker_from_other_lanes(
    world: World,
) -> None:
    runs, org_id = world.services.task_runs, world.env.org_id
    scheduler = LaneScheduler([Lane.ENCODE, Lane.LIGHT])
    ordered = [
        NewTask(kind="any", lane=lane, org_id=org_id, subject=subject)
        for lane, subject in (
            (Lane.ENCODE, "vid_1"),
            (Lane.ENCODE, "vid_2"),
            (Lane.LIGHT, "vid_3"),
        )
    ]
    with world.services.uow.write() as work:
        work.quotas.set_limits(org_id, QuotaLimits(concurrent_encodes=1))
        work.tasks.add(ordered)
        work.commit()

    taken = [runs.take_next(scheduler, worker="w") for _ in range(3)]

    assert [task and task.subject for task in taken] == ["vid_1", "vid_3", None]
