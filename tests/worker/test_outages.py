"""
A worker whose database is away for a while keeps what it was rung for.
"""

import logging
from pathlib import Path

import pytest

from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.errors import UnavailableError
from hvcore.services.tasks.runs import TaskRuns
from hvcore_worker import outages
from hvcore_worker.consume import work_until
from tests.services.conftest import World

OUTAGE_LOOKS = 3


def test_a_message_that_came_during_an_outage_is_worked_off_after_it(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    looks: list[bool] = []
    usual = TaskRuns.take_next

    def away_at_first(self: TaskRuns, *given: object, **named: object) -> object:
        looks.append(len(looks) < OUTAGE_LOOKS)
        if looks[-1]:
            raise UnavailableError("The database does not answer.")
        return usual(self, *given, **named)  # type: ignore[arg-type]  # as it is called

    monkeypatch.setattr(TaskRuns, "take_next", away_at_first)
    monkeypatch.setattr(outages, "WAITS_S", 0.01)
    for subject in ("x", "y"):
        task = NewTask(
            kind="unknown", lane=Lane.LIGHT, org_id=world.env.org_id, subject=subject
        )
        with world.services.uow.write() as work:
            work.tasks.add([task])
            work.commit()
    # One message, as little as a queue can keep.
    world.queue.messages[:] = [(task.id, Lane.LIGHT)]

    with caplog.at_level(logging.INFO, logger="hvcore_worker"):
        work_until(
            lambda: False,
            lambda _: world.services,
            data_dir=tmp_path / "worker",
            lanes=[Lane.LIGHT],
        )

    # Both were taken, and nothing is left to take.
    assert looks == [*[True] * OUTAGE_LOOKS, False, False, False]
    said = [record.getMessage() for record in caplog.records]
    assert said.count("no task is taken: the service does not answer") == 1
    assert said.count("tasks are taken again") == 1
