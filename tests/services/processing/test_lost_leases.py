"""
Workers and messages that vanish, and tasks that no worker can run.
"""

import attrs

from hvcore.assembly import build
from hvcore.domain.ids import VideoId
from hvcore.domain.processing.transcoding import Part
from hvcore.domain.tasks.kinds import TRANSCODE_PLAN
from hvcore.domain.tasks.task import MAX_LOSSES, Lane, NewTask, Task, TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.ports.unit_of_work import Work
from hvcore.services.tasks.handlers import TaskHandler
from hvcore.services.tasks.leases import TaskRun
from tests.services.conftest import World


def test_a_worker_that_lost_its_lease_publishes_nothing(world: World) -> None:
    video_id = world.processed()
    seen = []

    def vanish(part: Part) -> None:
        # The first attempt sleeps through its lease; the second one runs on.
        if seen:
            return
        seen.append(part)
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks(worker="test:2")

    world.transcoder.before_part = vanish
    world.run_tasks(worker="test:1")

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.media is not None
    folders = {piece.folder for t in video.media.tracks for piece in t.pieces}
    assert len(folders) == 1
    kept = {path.split("/")[3] for path in world.files("media/") if ".m4s" in path}
    assert kept == folders


def test_a_worker_that_vanishes_costs_no_attempt(world: World) -> None:
    video_id = world.processed()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    for _ in range(MAX_LOSSES):
        with world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_task_that_kills_every_worker_fails_in_the_end(world: World) -> None:
    video_id = world.processed()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video_id)
    for _ in range(MAX_LOSSES + 1):
        with world.services.uow.write() as work:
            assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason == "Processing was interrupted too often."


def test_a_stopping_worker_hands_its_task_back(world: World) -> None:
    video_id = world.processed()
    stopping: list[bool] = []
    world.transcoder.before_part = lambda _: stopping.append(True)
    runs = world.services.task_runs
    world.queue.consume(
        lambda task_id: runs.run(
            task_id, worker="test:1", stopping=lambda: bool(stopping)
        ),
        lanes=list(Lane),
        until=lambda: bool(stopping),
    )

    with world.services.uow.read() as work:
        part = work.tasks.of_subject(video_id, kind="transcode.part")[0]
    assert part.state in {TaskState.DUE, TaskState.QUEUED}
    assert (part.attempts, part.losses) == (0, 0)


def test_a_lost_message_is_rung_again(world: World) -> None:
    video_id = world.processed()
    world.queue.messages.clear()

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY


def test_a_repeated_message_changes_nothing(world: World) -> None:
    video_id = world.processed()
    world.queue.messages *= 3

    world.run_tasks()

    assert world.video(video_id).state is VideoState.READY
    assert world.transcoder.attempts == 1


def test_a_worker_that_lost_its_lease_leaves_published_files_alone(
    world: World,
) -> None:
    video_id = world.processed()
    seen: list[list[str]] = []

    def vanish() -> None:
        # The first attempt sleeps through its lease; the second one publishes.
        if seen:
            return
        seen.append([])
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
        world.run_tasks(worker="test:2")
        seen.append(world.files("media/"))

    world.transcoder.before_assembling = vanish
    world.run_tasks(worker="test:1")

    assert world.video(video_id).state is VideoState.READY
    assert any(path.endswith("master.m3u8") for path in seen[1])
    assert world.files("media/") == seen[1]


def task_of_a_newer_version(world: World) -> NewTask:
    task = NewTask(
        kind="newer.kind",
        lane=Lane.LIGHT,
        org_id=world.env.org_id,
        subject="x",
    )
    with world.services.uow.write() as work:
        work.tasks.add([task])
        work.commit()
    return task


def test_a_task_that_nobody_can_run_holds_up_no_other(world: World) -> None:
    unknown = task_of_a_newer_version(world)
    for _ in range(MAX_LOSSES + 1):
        with world.services.uow.write() as work:
            work.tasks.lease(unknown.id, worker="test:dead")
            work.commit()
        world.clock.move(seconds=60)
        world.services.task_runs.sweep(holder="test")
    video_id = world.processed()

    world.run_everything()

    assert world.video(video_id).state is VideoState.READY
    with world.services.uow.read() as work:
        ended = work.tasks.find(unknown.id)
    assert ended is not None
    assert ended.state is TaskState.FAILED


@attrs.frozen
class HandlerWithABug:
    """
    Gives up the tasks of all videos but one.
    """

    sound: TaskHandler
    video_id: VideoId
    is_patient = False

    def run(self, run: TaskRun) -> None:
        self.sound.run(run)

    def give_up(self, work: Work, task: Task, reason: str, *, error: str) -> None:
        if task.subject == self.video_id:
            raise ArithmeticError("a bug")
        self.sound.give_up(work, task, reason, error=error)


def test_a_lost_task_that_cannot_be_ended_holds_up_no_other(world: World) -> None:
    first, second = world.processed(), world.processed()
    runs = world.services.task_runs
    buggy = HandlerWithABug(runs.handlers[TRANSCODE_PLAN], first)
    runs = attrs.evolve(runs, handlers={**runs.handlers, TRANSCODE_PLAN: buggy})
    for _ in range(MAX_LOSSES + 1):
        with world.services.uow.write() as work:
            for video_id in (first, second):
                (task,) = work.tasks.of_subject(video_id)
                assert work.tasks.lease(task.id, worker="test:dead") is not None
            work.commit()
        world.clock.move(seconds=60)
        runs.sweep(holder="test")

    assert world.video(first).state is VideoState.TRANSCODING
    assert world.video(second).state is VideoState.FAILED


def test_a_task_of_a_newer_version_waits_for_its_worker(world: World) -> None:
    unknown = task_of_a_newer_version(world)

    world.run_tasks()

    with world.services.uow.read() as work:
        waiting = work.tasks.find(unknown.id)
    assert waiting is not None
    assert waiting.state is TaskState.DUE
    assert (waiting.attempts, waiting.losses) == (0, 0)


def test_a_task_ordered_without_ringing_is_rung_by_the_next_sweep(
    world: World,
) -> None:
    path = world.uploaded().path
    overrides = {"clock": world.clock}
    with build(world.services.settings, overrides=overrides, rings=False) as tool:
        overridden = attrs.evolve(tool.processing, transcoder=world.transcoder)
        video_id = overridden.process(world.env, path, world.wanted())
    assert world.queue.messages == []

    world.services.task_runs.sweep(holder="test")
    world.run_tasks()

    assert world.video(video_id).state is VideoState.READY
