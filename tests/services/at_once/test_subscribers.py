"""
Two events of one video that are told at once.
"""

import sys
from collections.abc import Iterator
from typing import Final

import pytest

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import Task
from hvcore.domain.videos.video import VideoChanges
from hvcore.plugin_api import (
    BuildContext,
    EventSubscriber,
    EventSubscriberBackend,
    NoOptions,
    SubscribedEvent,
    hookimpl,
)
from tests.services.at_once.holding import Call, Pair
from tests.services.at_once.meeting import Meeting
from tests.services.at_once.tenant import Tenant
from tests.services.conftest import World, make_world
from tests.services.webhooks import telling
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services

HEARD: Final[list[tuple[str, int]]] = []
"""The video and the sequence of each event that was told."""


class Listener(EventSubscriber):
    def hear(self, event: SubscribedEvent) -> None:
        HEARD.append((event.video_id, event.sequence))


def build_listener(options: NoOptions, context: BuildContext) -> Listener:
    del options, context
    return Listener()


@hookimpl
def hvcore_event_subscribers() -> Iterator[EventSubscriberBackend]:
    yield EventSubscriberBackend(name="listener", factory=build_listener)


@pytest.fixture(scope="module")
def world(
    postgresql: PostgresqlServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    url = postgresql.new_database()
    # This module is the plugin.
    names = ",".join([*telling.PLUGINS[:-1], sys.modules[__name__].__name__])
    environ = {"HV_DATABASE__URL": url, "HV_PLUGINS": names}
    with make_world(tmp_path_factory.mktemp("subscribers"), environ) as world:
        yield world
    postgresql.drop_database(url)


def test_an_event_that_asked_too_early_is_told_as_soon_as_the_one_before_it(
    meeting: Meeting,
) -> None:
    def pair(at: Tenant) -> Pair:
        at.processed()
        rename(at)
        unsorted = at.tasks(SUBSCRIBER_TELL)
        first, second = sorted(unsorted, key=sequence_of)
        return run(at, first.id), run(at, second.id)

    for at, ends in meeting.each(pair, is_symmetric=True):
        assert ends.refused == 0
        # Time stands still: what is put off by ten seconds is not due.
        at.run(SUBSCRIBER_TELL)
        video_id = at.only_video().id
        told = [sequence for video, sequence in HEARD if video == video_id]
        assert told == [1, 2], f"held at {ends.held_at}"


def sequence_of(task: Task) -> int:
    return int(str(task.payload["sequence"]))


def rename(at: Tenant) -> None:
    with at.services.uow.write() as work:
        video = work.videos.find(at.only_video().id, for_update=True)
        assert video is not None
        video.change(VideoChanges(name="second"))
        work.videos.save(video)
        work.commit()


def run(at: Tenant, task_id: TaskId) -> Call:
    return lambda: at.services.task_runs.run(
        task_id, worker="test:1", stopping=lambda: False
    )
