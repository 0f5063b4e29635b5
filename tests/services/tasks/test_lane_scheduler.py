"""
In which lane a worker takes its next task, and what an attempt costs.
"""

import subprocess
import sys

from hvcore.domain.tasks.task import ENCODE_LANES, LIGHT_LANES, Lane
from hvcore.services.tasks.costs import Meter, process_time_s
from hvcore.services.tasks.lane_scheduler import MOST_PASSES, LaneScheduler


def test_assembling_goes_before_planning_and_planning_before_light_tasks() -> None:
    scheduler = LaneScheduler(LIGHT_LANES)

    assert scheduler.choose([Lane.LIGHT, Lane.PLAN, Lane.ASSEMBLE]) is Lane.ASSEMBLE
    assert scheduler.choose([Lane.LIGHT, Lane.PLAN]) is Lane.PLAN
    assert scheduler.choose([Lane.LIGHT]) is Lane.LIGHT


def test_no_lane_waits_for_ever() -> None:
    scheduler = LaneScheduler((*LIGHT_LANES, Lane.ENCODE))

    chosen = [scheduler.choose(scheduler.lanes) for _ in range(40)]

    for lane in scheduler.lanes:
        gaps = "".join("x" if one is lane else "." for one in chosen).split("x")
        # Two that are overdue at a time go one after the other.
        assert max(len(gap) for gap in gaps) <= MOST_PASSES + len(scheduler.lanes)


def test_captions_wait_until_no_encode_waits() -> None:
    scheduler = LaneScheduler(ENCODE_LANES)

    chosen = {scheduler.choose(ENCODE_LANES) for _ in range(10 * MOST_PASSES)}

    assert chosen == {Lane.ENCODE}
    assert scheduler.choose([Lane.CAPTIONS]) is Lane.CAPTIONS


def test_a_lane_that_is_empty_now_and_then_keeps_no_claim() -> None:
    scheduler = LaneScheduler(LIGHT_LANES)
    for _ in range(MOST_PASSES):
        scheduler.choose([Lane.ASSEMBLE, Lane.LIGHT])

    assert scheduler.choose([Lane.ASSEMBLE]) is Lane.ASSEMBLE
    assert scheduler.choose([Lane.ASSEMBLE, Lane.LIGHT]) is Lane.ASSEMBLE


def test_the_work_of_children_is_counted() -> None:
    before_s = process_time_s()

    subprocess.run([sys.executable, "-c", "sum(range(3_000_000))"], check=True)

    assert process_time_s() - before_s > 0.01


def test_an_attempt_costs_processor_time_or_else_the_worker() -> None:
    now = {"processor": 100.0, "elapsed": 5.0}
    meter = Meter(
        processor_s=lambda: now["processor"], elapsed_s=lambda: now["elapsed"]
    )

    now |= {"processor": 108.0, "elapsed": 7.0}
    assert meter.cost_s() == 8.0
    now |= {"elapsed": 25.0}
    assert meter.cost_s() == 20.0
