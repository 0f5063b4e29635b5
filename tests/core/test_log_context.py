"""
One id from the request through all of its tasks.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

import attrs
import pytest

from hvcore import log_context
from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.kinds import TRANSCODE_PART, VIDEO_PURGE
from hvcore.domain.tasks.task import BACKOFF, ORIGIN, Lane, NewTask, Task
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun
from tests.support.http.world import ORG, World


@attrs.define
class Ordering:
    """
    Work that notes what the log says meanwhile, and orders a task.
    """

    uow: UnitOfWork
    is_patient: bool = False
    backoff: Sequence[timedelta] = BACKOFF
    ids: Mapping[str, str] = attrs.field(factory=dict)

    def run(self, run: TaskRun) -> None:
        self.ids = log_context.current()
        further = NewTask(kind="next", lane=Lane.LIGHT, org_id=OrgId(ORG), subject="x")
        with self.uow.write() as work:
            work.tasks.add([further])
            run.finish(work)
            work.commit()

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        raise AssertionError(reason)


def test_an_encode_says_for_which_request_it_was(
    api: World, caplog: pytest.LogCaptureFixture
) -> None:
    handler = Ordering(api.services.uow)
    runs = attrs.evolve(api.services.task_runs, handlers={TRANSCODE_PART: handler})
    with log_context.about({"request_id": "r-2"}), api.services.uow.write() as work:
        part = NewTask(
            kind=TRANSCODE_PART, lane=Lane.ENCODE, org_id=OrgId(ORG), subject="x"
        )
        work.tasks.add([part])
        work.commit()

    caplog.handler.addFilter(log_context.AddIds())
    with caplog.at_level("INFO", logger="hvcore.services.tasks.attempt_notes"):
        runs.run(part.id, worker="test:1", stopping=lambda: False)

    (line,) = (one for one in caplog.records if one.message == "task attempt ended")
    said = vars(line)
    assert (said["hv_task"], said["hv_outcome"]) == (part.id, "done")
    assert said["hv_request_id"] == "r-2"


def test_tasks_and_what_they_order_know_their_request(api: World) -> None:
    video_id, uow = api.ready(), api.services.uow
    path = f"/v1/videos/{video_id}"
    headers = {"X-Request-Id": "r-1"}
    answer = api.call("DELETE", path, headers=headers)
    assert answer.status_code == 200, answer.text
    handler = Ordering(uow)
    runs = attrs.evolve(api.services.task_runs, handlers={VIDEO_PURGE: handler})

    with uow.read() as work:
        purges = work.tasks.search(kind=VIDEO_PURGE)
    purge = min(purges, key=lambda task: task.not_before)
    runs.run(purge.id, worker="test:1", stopping=lambda: False)

    with uow.read() as work:
        (further,) = work.tasks.search(kind="next")
    assert purge.payload[ORIGIN] == further.payload[ORIGIN] == "r-1"
    assert handler.ids == {
        "request_id": "r-1",
        "task": purge.id,
        "kind": VIDEO_PURGE,
        "organization": ORG,
        "video": video_id,
    }
    assert log_context.current() == {}
