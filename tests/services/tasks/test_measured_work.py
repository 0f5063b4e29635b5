"""
Work is measured: what waits, what was done, and how fast.
"""

from contextlib import suppress

import pytest

from hvcore import metrics
from hvcore.domain.tasks.kinds import TRANSCODE_PART, TRANSCODE_PLAN
from hvcore.errors import HvError, UnavailableError
from hvcore.persistence.tasks.backlogs import UNKNOWN_S
from hvcore.services.uploads.measured_uploads import measured_upload
from tests.metrics.readings import Growth, reading
from tests.services.conftest import World

SOURCE_S = 12.0
"""Of the films of the transcoder."""


@pytest.fixture(autouse=True)
def measures() -> None:
    metrics.switch_on()


def test_waiting_tasks_are_counted_by_kind_and_in_seconds_of_source(
    world: World,
) -> None:
    for _ in range(2):
        world.processed()
    waiting = world.services.workload()
    assert {(one.kind, one.count) for one in waiting.counts} >= {(TRANSCODE_PLAN, 2)}
    # Nobody knows yet how long they are, or any other.
    assert waiting.waiting_encode_s == 2 * UNKNOWN_S

    with world.services.uow.read() as work:
        plans = work.tasks.search(kind=TRANSCODE_PLAN)
    for plan in plans:
        world.services.task_runs.run(plan.id, worker="t:1", stopping=lambda: False)

    waiting = world.services.workload()
    assert {(one.kind, one.count) for one in waiting.counts} >= {(TRANSCODE_PART, 2)}
    assert waiting.waiting_encode_s == 2 * SOURCE_S
    assert all(
        one.oldest_due_at <= waiting.at for one in waiting.counts if not one.is_later
    )

    # A burst is seen before any of it is planned: as long as those before.
    for _ in range(3):
        world.processed()
    assert world.services.workload().waiting_encode_s == 5 * SOURCE_S


def test_attempts_are_counted_by_how_they_ended(world: World) -> None:
    labels = {"lane": "encode", "kind": TRANSCODE_PART}
    runs = Growth(
        {
            "hv_task_runs_total": {**labels, "outcome": "done"},
            "hv_task_run_duration_seconds_count": labels,
            "hv_encoded_media_seconds_total": {},
            "hv_upload_bytes_total": {},
        }
    )
    again = {**labels, "outcome": "tried_again"}
    before, took_s = (
        reading("hv_task_runs_total", **again),
        reading("hv_encoder_seconds_total"),
    )

    world.processed(b"video")
    world.run_everything()
    world.processed(b"broken")
    world.run_tasks()

    found = runs.of_all()
    attempts = found.pop("hv_task_run_duration_seconds_count")
    assert found == {
        "hv_task_runs_total": 1,
        "hv_encoded_media_seconds_total": SOURCE_S,
        "hv_upload_bytes_total": len(b"video") + len(b"broken"),
    }
    assert reading("hv_task_runs_total", **again) - before == attempts - 1 == 1
    assert reading("hv_encoder_seconds_total") > took_s


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(None, "stored"), (HvError("no"), "refused"), (UnavailableError(), "failed")],
)
def test_uploads_are_counted_by_how_they_ended(
    error: HvError | None, outcome: str
) -> None:
    uploads = Growth({"hv_uploads_total": {"outcome": outcome}})

    with suppress(HvError), measured_upload(5):
        if error is not None:
            raise error

    assert uploads.of_all() == {"hv_uploads_total": 1}


def test_leases_that_ran_out_are_counted(world: World) -> None:
    world.processed()
    with world.services.uow.read() as work:
        (plan,) = work.tasks.search(kind=TRANSCODE_PLAN)
    world.services.task_runs.take(plan.id, worker="gone:1")
    lost = Growth({"hv_leases_lost_total": {}})

    for _ in range(2):
        world.clock.move(seconds=3600)
        world.services.task_runs.sweep(holder="test")

    assert lost.of_all() == {"hv_leases_lost_total": 1}
