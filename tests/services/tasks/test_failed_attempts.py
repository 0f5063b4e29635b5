"""
What attempts that fail write down, and what they cost.
"""

import pytest

from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import Part, TranscodeError
from hvcore.domain.tasks.kinds import TRANSCODE_PART
from hvcore.domain.tasks.task import Lane, Task, TaskState
from hvcore.errors import UnavailableError
from hvcore.persistence.tasks.lane_accounts import LaneAccounts
from hvcore.persistence.tasks.tasks import SqlTaskRepository
from tests.services.conftest import World

UNSTORABLE = "a plugin says \0 and \ud800 and \U0001f3ac"
STORED = "a plugin says \ufffd and \ufffd and \U0001f3ac"


def part(world: World, video_id: str) -> Task:
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id, kind=TRANSCODE_PART)
    return task


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (TranscodeError, UNSTORABLE),
        (UnusableSourceError, UNSTORABLE),
        # It is logged with its traceback, and a test's log is sent as UTF-8.
        (ValueError, UNSTORABLE.replace("\ud800", "\0")),
    ],
)
def test_an_error_of_any_text_ends_its_attempt(
    world: World, error: type[Exception], text: str
) -> None:
    video_id = world.processed()

    def fail(_: Part) -> None:
        raise error(text)

    world.transcoder.before_part = fail
    world.run_everything()

    task = part(world, video_id)
    assert task.state is TaskState.FAILED
    assert task.losses == 0
    assert STORED in task.error
    if error is not ValueError:
        assert world.video(video_id).failure_reason == STORED


@pytest.mark.parametrize(
    "error", [TranscodeError, UnusableSourceError, UnavailableError]
)
def test_an_attempt_that_has_lost_its_lease_is_charged_once(
    world: World, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = world.processed()
    charged: list[str] = []
    charge = LaneAccounts.charge

    def note(self: LaneAccounts, org_id: str, lane: str, cost_s: float) -> None:
        charged.append(lane)
        charge(self, org_id, lane, cost_s)

    def lose_and_fail(_: Part) -> None:
        task = part(world, video_id)
        monkeypatch.setattr(LaneAccounts, "charge", note)
        with world.services.uow.write() as work:
            assert isinstance(work.tasks, SqlTaskRepository)
            assert work.tasks.free_worker("test:1") == 1
            # Somebody else has it at once.
            assert work.tasks.lease(task.id, worker="test:2") is not None
            work.commit()
        raise error("too late")

    world.transcoder.before_part = lose_and_fail
    world.run_tasks()

    monkeypatch.undo()
    assert charged == [part(world, video_id).lane.value]


def test_an_attempt_that_is_handed_back_is_charged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.processed()
    charged: list[str] = []
    charge = LaneAccounts.charge

    def note(self: LaneAccounts, org_id: str, lane: str, cost_s: float) -> None:
        charged.append(lane)
        charge(self, org_id, lane, cost_s)

    def is_stopping() -> bool:
        return LaneAccounts.charge is note

    world.transcoder.before_part = lambda _: monkeypatch.setattr(
        LaneAccounts, "charge", note
    )
    world.queue.consume(
        lambda task_id: world.services.task_runs.run(
            task_id, worker="test:1", stopping=is_stopping
        ),
        lanes=list(Lane),
        until=is_stopping,
    )

    assert charged == [Lane.ENCODE.value]
