"""
One organization orders more encoding than all encoders can do.
"""

import heapq
import math
import random
from pathlib import Path

import pytest

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import OrgId, VideoId
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS
from hvcore.domain.tasks.task import FAIR_LANES, Lane, NewTask
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from tests.hostile.customers import new_customer
from tests.plugins.transcoder_ffmpeg.counted import counted_clip
from tests.services.conftest import MP4, World, make_world
from tests.support.fakes import SettableClock
from tests.support.live import live_service, until
from tests.support.stores.published import services_of

ORGANIZATIONS = 1_000
WORKERS = 8
LONGEST_S = 60.0
EXPENSIVE_JOBS = 8
MORE_JOBS = 200


def _parts(org_id: OrgId, count: int) -> list[NewTask]:
    return [
        NewTask(kind="transcode.part", lane=Lane.ENCODE, org_id=org_id, subject="v")
        for _ in range(count)
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize("latecomers", [0, 100])
def test_a_first_slice_waits_for_one_slice_of_each_at_most(
    tmp_path: Path, latecomers: int
) -> None:
    """
    The proof of docs/decisions/0040, run: slices of any length, a simulated clock.
    """
    chance = random.Random(21)  # noqa: S311 - the same lengths each time
    engine = make_engine(f"sqlite:///{tmp_path}/hvcore.db")
    migrate(engine)
    clock = SettableClock()
    came_at_s: dict[str, float] = {}
    waited_for: dict[str, int] = {}
    wait_s: dict[str, float] = {}
    names = [OrgId(f"org_{n}") for n in range(ORGANIZATIONS)]
    coming = sorted(
        (chance.uniform(1, 900), name) for name in names[len(names) - latecomers :]
    )
    with SqlUnitOfWork(engine, clock, None).write() as work:
        tasks, began = work.tasks, clock.moment

        def comes(org_id: OrgId, at_s: float) -> None:
            # The first one has queued far more than its share.
            tasks.add(_parts(org_id, 300 if org_id == names[0] else 3))
            tasks.settle(rings=False)
            came_at_s[org_id] = at_s
            waited_for[org_id] = len(came_at_s)

        def move_to(at_s: float) -> None:
            clock.move(seconds=at_s - (clock.moment - began).total_seconds())

        for name in names[: len(names) - latecomers]:
            comes(name, 0.0)
        free = [(0.0, n, None) for n in range(WORKERS)]
        while len(wait_s) < ORGANIZATIONS:
            at_s, number, held = heapq.heappop(free)
            while coming and coming[0][0] <= at_s:
                came_s, name = coming.pop(0)
                move_to(came_s)
                comes(name, came_s)
            move_to(at_s)
            if held is not None:
                task, cost_s = held
                assert tasks.finish(task)
                tasks.charge(task, cost_s)
                tasks.settle(rings=False)
            task = tasks.lease_next(Lane.ENCODE, worker="w", most_percent=50)
            assert task is not None
            tasks.settle(rings=False)
            wait_s.setdefault(task.org_id, at_s - came_at_s[task.org_id])
            length_s = chance.choice([LONGEST_S, chance.uniform(0.1, LONGEST_S)])
            heapq.heappush(free, (at_s + length_s, number, (task, length_s)))
    engine.dispose()

    for name, seconds in wait_s.items():
        assert seconds <= LONGEST_S * math.ceil(waited_for[name] / WORKERS), name


def _victim(world: World) -> Environment:
    tenants = world.services.tenants
    tenants.create_organization("org_victim")
    return tenants.create_environment("org_victim", "live", EnvironmentKind.PRODUCTION)


def _ordered(world: World, env: Environment) -> VideoId:
    granted = world.services.uploads.grant(
        env, FileWanted(file_name="clip.mp4", content_type=MP4)
    )
    path = world.send(granted.grant).path
    return world.services.processing.process(env, path, world.wanted())


def _run(world: World, lane: Lane) -> str | None:
    """
    Let a worker of one lane do its next task; tell whose it was.
    """
    runs = world.services.task_runs
    task = runs.take_next(LaneScheduler([lane]), worker="w")
    if task is None:
        return None
    runs.work(task, stopping=lambda: False)
    return task.org_id


def test_another_ones_job_takes_its_next_step_on_the_next_free_worker(
    tmp_path: Path,
) -> None:
    with make_world(tmp_path, {}) as world:
        for _ in range(EXPENSIVE_JOBS):
            world.processed()
        while _run(world, Lane.PLAN):
            pass
        held = world.services.task_runs.take_next(
            LaneScheduler([Lane.ENCODE]), worker="busy"
        )
        assert held is not None
        world.clock.move(seconds=1)
        for _ in range(MORE_JOBS // 20):
            world.processed()
        env = _victim(world)
        world.clock.move(seconds=1)

        video_id = _ordered(world, env)
        owners = []
        for lane in (Lane.PLAN, Lane.ENCODE, Lane.ASSEMBLE):
            # The attacker may be first where both come new to a lane.
            owners.append(_run(world, lane))
            if owners[-1] != env.org_id:
                owners[-1] = _run(world, lane)

        assert owners == [env.org_id] * 3
        assert world.video(video_id).state is VideoState.READY


def test_many_short_clips_become_ready_one_after_the_other(tmp_path: Path) -> None:
    with make_world(tmp_path, {}) as world:
        ids = [world.processed() for _ in range(12)]
        turns = LaneScheduler(FAIR_LANES)
        runs = world.services.task_runs
        while not any(world.video(one).state is VideoState.READY for one in ids):
            task = runs.take_next(turns, worker="w")
            assert task is not None
            runs.work(task, stopping=lambda: False)

        with world.services.uow.read() as work:
            waiting = [
                task
                for one in ids
                for task in work.tasks.of_subject(one)
                if task.kind in TRANSCODE_KINDS and task.worker == ""
            ]
        assert len(waiting) >= 6


@pytest.mark.services
def test_a_short_clip_is_ready_before_what_another_one_has_queued(
    tmp_path: Path,
) -> None:
    clip = tmp_path / "clip.mp4"
    counted_clip(clip, frames=90)
    usual = {"videoQuality": "standard", "compressionRatio": "superfast"}
    costly = {"videoQuality": "high", "compressionRatio": "veryslow"}

    with live_service(tmp_path, "--workers", "1") as service:
        with services_of(service.environ) as services:
            attacker = new_customer(service, services, "org_attacker")
            victim = new_customer(service, services, "org_victim")
        # Sent before: orders of what came one after the other would not wait together.
        sent = [attacker.upload(clip) for _ in range(EXPENSIVE_JOBS)]
        clip_of_victim = victim.upload(clip)
        theirs = [attacker.order_uploaded(path, **costly) for path in sent]
        mine = victim.order_uploaded(clip_of_victim, **usual)

        until(lambda: victim.is_ready(mine), within_s=120, what="the victim's video")

        # One that ran, one that was before it in each lane, and one meanwhile.
        assert sum(map(attacker.is_ready, theirs)) <= EXPENSIVE_JOBS // 2
