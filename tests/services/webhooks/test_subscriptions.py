"""
Subscribers of events: told of each at least once, and in order.
"""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.ids import VideoId
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import Task, TaskState
from hvcore.domain.videos.video import VideoChanges
from hvcore.domain.webhooks.events import EVENT_RETENTION, EventKind
from hvcore.errors import UnavailableError
from hvcore.plugin_api import (
    BuildContext,
    EventSubscriber,
    EventSubscriberBackend,
    NoOptions,
    SubscribedEvent,
    UnusableSourceError,
    hookimpl,
)
from tests.services.conftest import World, make_world
from tests.services.webhooks import telling

ROOT: Final = Path(__file__).parents[3]
MAIN: Final = "from tests.services.webhooks import telling; telling.main()"
"""Not run as a script: the plugin would then be there twice."""


class Ears(EventSubscriber):
    """
    Remembers what it is told, and fails while it is deaf.
    """

    def __init__(self) -> None:
        self.heard: list[SubscribedEvent] = []
        self.deaf_for: Exception | None = None
        self.is_closed = False

    def hear(self, event: SubscribedEvent) -> None:
        if self.deaf_for is not None:
            raise self.deaf_for
        self.heard.append(event)

    def close(self) -> None:
        self.is_closed = True

    def told(self) -> list[tuple[int, EventKind]]:
        return [(event.sequence, event.kind) for event in self.heard]


class TwoSubscribers:
    """
    A plugin with one subscriber for everything and one for failures.
    """

    def __init__(self) -> None:
        self.all, self.failures = Ears(), Ears()

    @hookimpl
    def hvcore_event_subscribers(self) -> Iterator[EventSubscriberBackend]:
        yield EventSubscriberBackend(name="all", factory=self.build_all)
        yield EventSubscriberBackend(
            name="failures", factory=self.build_failures, kinds={EventKind.FAILED}
        )

    def build_all(self, options: NoOptions, context: BuildContext) -> Ears:
        del options, context
        return self.all

    def build_failures(self, options: NoOptions, context: BuildContext) -> Ears:
        del options, context
        return self.failures


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> TwoSubscribers:
    made = TwoSubscribers()
    monkeypatch.setitem(sys.modules, "acme_ears", made)  # type: ignore[arg-type]  # a plugin made on the spot
    return made


@pytest.fixture
def world(tmp_path: Path, plugin: TwoSubscribers) -> Iterator[World]:
    del plugin
    names = ",".join([*telling.PLUGINS[:-1], "acme_ears"])
    with make_world(tmp_path, {"HV_PLUGINS": names}) as made:
        yield made


def go_on(world: World, **by: float) -> None:
    world.clock.move(**by)
    world.services.task_runs.sweep(holder="test")
    world.run_tasks()


def rename(world: World, video_id: VideoId, name: str) -> None:
    with world.services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        video.change(VideoChanges(name=name))
        work.videos.save(video)
        work.commit()


def waiting(world: World, video_id: VideoId) -> list[Task]:
    with world.services.uow.read() as work:
        return list(work.tasks.unended(video_id, kind=SUBSCRIBER_TELL))


def in_order(tasks: list[Task]) -> list[Task]:
    return sorted(tasks, key=lambda task: int(str(task.payload["sequence"])))


def test_a_subscriber_is_told_what_it_wants(
    world: World, plugin: TwoSubscribers
) -> None:
    good = world.processed()
    bad = world.processed(b"unusable")
    world.run_tasks()

    of_good = [event for event in plugin.all.heard if event.video_id == good]
    assert [(event.sequence, event.kind) for event in of_good] == [
        (1, EventKind.STARTED),
        (2, EventKind.COMPLETED),
    ]
    assert (of_good[1].org_id, of_good[1].env_name) == ("org_a", "live")
    assert (of_good[1].status, of_good[1].error) == ("ready", None)
    assert of_good[1].happened_at == world.clock.now()
    (failure,) = plugin.failures.heard
    assert (failure.video_id, failure.kind) == (bad, EventKind.FAILED)
    assert failure.error == world.video(bad).failure_reason


def test_a_deletion_is_told(world: World, plugin: TwoSubscribers) -> None:
    video_id = world.processed()
    world.run_tasks()
    world.services.deletion.delete(world.caller, "org_a", video_id, None)
    world.run_tasks()

    assert plugin.all.told()[-1] == (3, EventKind.DELETED)


@pytest.mark.parametrize(
    "error",
    [RuntimeError("no"), UnavailableError("no"), UnusableSourceError("no")],
    ids=["a bug", "an outage", "what ends a transcode"],
)
def test_a_failing_subscriber_is_told_again_after_growing_pauses(
    world: World, plugin: TwoSubscribers, error: Exception
) -> None:
    plugin.all.deaf_for = error
    video_id = world.processed()
    world.run_tasks()
    pauses = []
    for _ in range(14):
        first = waiting(world, video_id)[0]
        pauses.append((first.not_before - world.clock.now()).total_seconds())
        assert "all has not taken it" in first.error
        go_on(world, seconds=pauses[-1])
    plugin.all.deaf_for = None
    go_on(world, minutes=10)

    assert pauses[:4] == [2, 4, 8, 16]
    assert pauses[-1] == 600
    assert plugin.all.told() == [(1, EventKind.STARTED), (2, EventKind.COMPLETED)]


def test_a_failing_subscriber_stops_no_other(
    world: World, plugin: TwoSubscribers
) -> None:
    plugin.all.deaf_for = RuntimeError("no")

    world.processed(b"unusable")
    world.run_tasks()

    assert [event.kind for event in plugin.failures.heard] == [EventKind.FAILED]


def test_a_later_event_waits_for_an_earlier_one(
    world: World, plugin: TwoSubscribers
) -> None:
    plugin.all.deaf_for = RuntimeError("no")
    video_id = world.processed()
    world.run_tasks()
    plugin.all.deaf_for = None
    rename(world, video_id, "second")
    world.run_tasks()

    assert plugin.all.heard == []
    assert "earlier event" in waiting(world, video_id)[-1].error
    go_on(world, seconds=2)
    assert [sequence for sequence, _ in plugin.all.told()] == [1, 2, 3]
    assert waiting(world, video_id) == []


def test_of_several_events_only_the_next_one_is_hurried(
    world: World, plugin: TwoSubscribers
) -> None:
    plugin.all.deaf_for = RuntimeError("no")
    video_id = world.processed()
    world.run_tasks()
    for name in ("second", "third"):
        rename(world, video_id, name)
    world.run_tasks()
    first, second, *later = in_order(waiting(world, video_id))
    plugin.all.deaf_for = None
    world.clock.move(seconds=2)

    world.services.task_runs.run(first.id, worker="t:1", stopping=lambda: False)

    hurried, *others = in_order(waiting(world, video_id))
    assert hurried.not_before < second.not_before
    assert len(others) == 2
    assert others == later


def test_another_video_does_not_wait(world: World, plugin: TwoSubscribers) -> None:
    plugin.all.deaf_for = RuntimeError("no")
    world.processed()
    world.run_tasks()
    plugin.all.deaf_for = None

    other = world.processed()
    world.run_tasks()

    assert [e.sequence for e in plugin.all.heard if e.video_id == other] == [1, 2]


def test_an_event_past_its_retention_is_told_no_more(
    world: World, plugin: TwoSubscribers
) -> None:
    plugin.all.deaf_for = RuntimeError("no")
    video_id = world.processed()
    world.run_tasks()
    world.clock.move(seconds=EVENT_RETENTION.total_seconds() + 1)
    world.services.events.forget_old()
    plugin.all.deaf_for = None

    for _ in range(3):
        go_on(world, minutes=11)

    assert (plugin.all.heard, waiting(world, video_id)) == ([], [])


def test_an_absent_subscribers_event_is_left_to_a_worker_that_has_it(
    world: World, plugin: TwoSubscribers
) -> None:
    known = world.services.subscriptions.subscribers
    assert isinstance(known, dict)
    taken_out = known.pop("all")
    video_id = world.processed()
    world.run_tasks()
    states = {task.state for task in waiting(world, video_id)}
    known["all"] = taken_out
    go_on(world, minutes=1)

    assert states == {TaskState.DUE}
    assert [sequence for sequence, _ in plugin.all.told()] == [1, 2]


def test_a_change_that_is_not_committed_is_not_told(
    world: World, plugin: TwoSubscribers
) -> None:
    video_id = world.processed()
    world.run_tasks()
    with world.services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        video.change(VideoChanges(name="never"))
        work.videos.save(video)
    world.run_tasks()

    assert [sequence for sequence, _ in plugin.all.told()] == [1, 2]


def test_subscribers_are_closed_at_the_end(
    tmp_path: Path, plugin: TwoSubscribers
) -> None:
    names = ",".join([*telling.PLUGINS[:-1], "acme_ears"])
    with make_world(tmp_path, {"HV_PLUGINS": names}) as world:
        world.processed()
        world.run_tasks()

    assert plugin.all.is_closed


@pytest.mark.parametrize(
    ("videos", "changes", "kills"),
    [
        pytest.param(4, 10, 4, id="few"),
        pytest.param(20, 48, 50, id="1,000 events", marks=pytest.mark.long),
    ],
)
@pytest.mark.timeout(600)
def test_kills_lose_no_event_and_change_no_order(
    tmp_path: Path, videos: int, changes: int, kills: int
) -> None:
    with make_world(tmp_path, telling.ENVIRON) as world:
        made = [world.processed() for _ in range(videos)]
        # What tells of them does not run yet.
        for video_id in made:
            for number in range(changes):
                rename(world, video_id, f"name {number}")
        ordered = {video_id: waiting(world, video_id) for video_id in made}
        last = {video_id: len(tasks) for video_id, tasks in ordered.items()}

    done = subprocess.run(
        [sys.executable, "-c", MAIN, tmp_path, str(kills)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=560,
    )

    assert done.returncode == 0, done.stderr
    heard = telling.heard_in(tmp_path / "state" / telling.HEARD)
    assert set(heard) == set(made)
    for video_id, told in heard.items():
        assert sorted(set(told)) == list(range(1, last[video_id] + 1))
        # Only the one that was told last may be told again.
        assert all(later - earlier in {0, 1} for earlier, later in pairwise(told))
