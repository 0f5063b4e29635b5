"""The host program hears of events, without a plugin of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.embedding import EventKind, Overrides, SubscribedEvent, embed
from hvcore.testing import FakeTranscoder, make_ready_video
from tests.embedding.conftest import ENVIRON, Host
from tests.support.fakes import MemoryQueue


class Told(list[SubscribedEvent]):
    """The events that a program was told, which fails as often as it should."""

    failures = 0

    def hear(self, event: SubscribedEvent) -> None:
        self.append(event)
        if self.failures:
            self.failures -= 1
            raise OSError("the shop is closed")


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def hearing(host: Host, told: Told, tmp_path: Path) -> Iterator[Host]:
    """The program of ``host``, which wants to be told."""
    with embed(
        tmp_path / "hv",
        engine=host.engine,
        schema="hv",
        environ=ENVIRON,
        overrides=Overrides(queue=MemoryQueue(), transcoder=FakeTranscoder()),
        on_event=told.hear,
    ) as hv:
        yield Host(engine=host.engine, hv=hv, queue=host.queue)


def tell(host: Host, subject: str) -> None:
    """Do once whatever is due of a video's events, as a worker does."""
    services = host.hv._process.services
    with services.uow.read() as work:
        tasks = work.tasks.unended(subject, kind=SUBSCRIBER_TELL)
    for task in tasks:
        services.task_runs.run(task.id, worker="test", stopping=lambda: False)


def test_a_host_program_is_told_of_the_events_of_a_video_in_order(
    hearing: Host, told: Told
) -> None:
    video = make_ready_video(hearing.shop)
    hearing.shop.update(video.id, name="new")
    hearing.shop.delete(video.id)

    tell(hearing, video.id)

    assert [event.kind for event in told] == [
        EventKind.STARTED,
        EventKind.COMPLETED,
        EventKind.UPDATED,
        EventKind.DELETED,
    ]
    assert [event.sequence for event in told] == [1, 2, 3, 4]
    assert {event.video_id for event in told} == {video.id}
    assert {event.env_name for event in told} == {"main"}


def test_an_event_that_a_host_program_has_not_taken_is_told_again(
    hearing: Host, told: Told
) -> None:
    told.failures = 1
    video = make_ready_video(hearing.shop)

    tell(hearing, video.id)
    assert [event.sequence for event in told] == [1]
    services = hearing.hv._process.services
    with services.uow.write() as work:
        work.tasks.hurry(work.tasks.unended(video.id, kind=SUBSCRIBER_TELL))
        work.commit()
    tell(hearing, video.id)

    assert [event.sequence for event in told] == [1, 1, 2]
    assert told[0].id == told[1].id


def test_an_event_of_a_transaction_that_is_rolled_back_is_told_to_nobody(
    hearing: Host, told: Told
) -> None:
    video = make_ready_video(hearing.shop)
    tell(hearing, video.id)
    told.clear()

    with hearing.engine.connect() as connection:
        hearing.shop.in_transaction(connection).delete(video.id)
        connection.rollback()
    tell(hearing, video.id)
    assert told == []
    with hearing.engine.begin() as connection:
        hearing.shop.in_transaction(connection).delete(video.id)
    tell(hearing, video.id)

    assert [event.kind for event in told] == [EventKind.DELETED]
