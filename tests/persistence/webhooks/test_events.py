"""
Events: written with the change they tell of, and read in order.
"""

import threading
import time
from datetime import timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import EnvId, OrgId, new_webhook_id
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER as DELIVER_KIND
from hvcore.domain.tasks.task import Lane
from hvcore.domain.videos.video import Video
from hvcore.domain.webhooks.endpoints import (
    EndpointState,
    WebhookEndpoint,
    WebhookSecret,
    new_secret,
)
from hvcore.domain.webhooks.events import EventKind, EventQuery, StoredEvent
from hvcore.persistence import tables
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.conftest import SettableClock
from tests.persistence.samples import (
    ENV,
    NOW,
    ORG,
    OTHER_ORG,
    Rung,
    at_once,
    video,
)


def environment(org_id: OrgId = ORG) -> Environment:
    return Environment(
        id=ENV,
        org_id=org_id,
        name=ENV,
        kind=EnvironmentKind.DEVELOPMENT,
        created_at=NOW,
    )


def read(
    uow: SqlUnitOfWork,
    after: int = 0,
    *,
    limit: int = 1000,
    org_id: OrgId = ORG,
    kinds: frozenset[EventKind] = frozenset(),
) -> tuple[StoredEvent, ...]:
    query = EventQuery(after=after, limit=limit, kinds=kinds)
    with uow.read() as work:
        return work.events.page(environment(org_id), query).events


def failed(org_id: OrgId = ORG) -> Video:
    made = video(org_id=org_id)
    assert made.job_id is not None
    made.mark_failed(made.job_id, "There is no picture.")
    return made


def add_failed(uow: SqlUnitOfWork, org_id: OrgId = ORG) -> Video:
    made = failed(org_id)
    with uow.write() as work:
        work.videos.add(made)
        work.commit()
    return made


def endpoint(**changes: object) -> WebhookEndpoint:
    made = WebhookEndpoint(
        id=new_webhook_id(),
        org_id=ORG,
        env_id=ENV,
        url="https://example.com/hook",
        secrets=(new_secret(), WebhookSecret(value="whsec_old", ends_at=NOW)),
        created_at=NOW,
    )
    return attrs.evolve(made, **changes)


def add_endpoint(uow: SqlUnitOfWork, made: WebhookEndpoint) -> WebhookEndpoint:
    with uow.write() as work:
        work.webhooks.add(made)
        work.commit()
    return made


def test_an_event_says_what_has_happened(uow: SqlUnitOfWork) -> None:
    made = add_failed(uow)

    (stored,) = read(uow)

    assert (stored.number, stored.env_name) == (1, ENV)
    assert stored.event.kind is EventKind.FAILED
    assert (stored.event.video_id, stored.event.sequence) == (made.id, 1)
    assert (stored.event.status, stored.event.error) == (
        "failed",
        "There is no picture.",
    )
    with uow.read() as work:
        assert work.events.find(stored.event.id) == stored
        assert work.events.find("evt_nobody") is None
        assert work.events.find("\0") is None


def test_a_change_that_is_rolled_back_leaves_no_event(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    add_endpoint(uow, endpoint())

    with uow.write() as work:
        work.videos.add(failed())

    assert read(uow) == ()
    assert rung.ids == []
    add_failed(uow)
    assert [stored.number for stored in read(uow)] == [1]


def test_each_videos_events_are_counted_on_their_own(uow: SqlUnitOfWork) -> None:
    first, second = add_failed(uow), add_failed(uow)
    for made in (second, first):
        with uow.write() as work:
            found = work.videos.find(made.id)
            assert found is not None
            found.delete(NOW)
            work.videos.save(found)
            work.commit()

    numbered = [(s.number, s.event.video_id, s.event.sequence) for s in read(uow)]

    assert numbered == [
        (1, first.id, 1),
        (2, second.id, 1),
        (3, second.id, 2),
        (4, first.id, 2),
    ]


def test_a_videos_counting_goes_on_after_its_events_are_forgotten(
    uow: SqlUnitOfWork,
) -> None:
    made = add_failed(uow)
    with uow.write() as work:
        assert work.events.forget(work.now() + timedelta(days=1), 10) == 1
        work.commit()
    with uow.write() as work:
        found = work.videos.find(made.id)
        assert found is not None
        found.delete(NOW)
        work.videos.save(found)
        work.commit()

    (stored,) = read(uow)

    assert (stored.number, stored.event.sequence) == (2, 2)


def test_organizations_are_numbered_apart_and_see_their_own(
    uow: SqlUnitOfWork,
) -> None:
    with uow.write() as work:
        for org_id in (OTHER_ORG, ORG, OTHER_ORG):
            work.videos.add(failed(org_id))
        work.commit()

    assert [s.number for s in read(uow)] == [1]
    assert [s.number for s in read(uow, org_id=OTHER_ORG)] == [1, 2]


def test_reading_goes_on_where_it_has_ended(uow: SqlUnitOfWork) -> None:
    for _ in range(5):
        add_failed(uow)
    numbers, after, has_more = [], 0, True

    while has_more:
        with uow.read() as work:
            page = work.events.page(environment(), EventQuery(after=after, limit=2))
        numbers += [stored.number for stored in page.events]
        after, has_more = page.last, page.has_more

    assert numbers == [1, 2, 3, 4, 5]
    with uow.read() as work:
        page = work.events.page(environment(), EventQuery(after=5, limit=2))
    assert (page.events, page.last, page.has_more) == ((), 5, False)


def test_kinds_can_be_chosen(uow: SqlUnitOfWork) -> None:
    made = add_failed(uow)
    with uow.write() as work:
        found = work.videos.find(made.id)
        assert found is not None
        found.delete(NOW)
        work.videos.save(found)
        work.commit()

    deleted = read(uow, kinds=frozenset({EventKind.DELETED}))

    assert [stored.number for stored in deleted] == [2]


@pytest.mark.services
def test_a_reader_that_goes_on_while_many_write_misses_no_event(
    uow: SqlUnitOfWork,
) -> None:
    """
    Numbers show up in order, however long a transaction takes to commit.
    """
    writers, each = 6, 10
    done = threading.Event()
    seen: list[int] = []

    def follow() -> None:
        while True:
            is_last = done.is_set()
            found = read(uow, seen[-1] if seen else 0, limit=7)
            seen.extend(stored.number for stored in found)
            if is_last and not found:
                return

    def write(number: int) -> None:
        if number == writers:
            follow()
            return
        for _ in range(each):
            with uow.write() as work:
                work.videos.add(failed())
                work.commit()
        if finished.wait() == 0:
            done.set()

    finished = threading.Barrier(writers)
    results = at_once(write, threads=writers + 1)

    assert results == [None] * (writers + 1)
    assert seen == list(range(1, writers * each + 1))


def test_a_number_that_is_taken_first_is_seen_first(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    """
    A transaction that has its number holds up those that want a later one.
    """
    flushed, may_commit = threading.Event(), threading.Event()

    def slow() -> None:
        with uow.write() as work:
            # No video: its totals would hold the other one up even before.
            work.events.record(failed()._events)
            work.events.flush()
            flushed.set()
            may_commit.wait(5)
            work.commit()

    def quick() -> None:
        flushed.wait(5)
        with uow.write() as work:
            work.events.record(failed()._events)
            work.commit()

    threads = [threading.Thread(target=call) for call in (slow, quick)]
    for thread in threads:
        thread.start()
    flushed.wait(5)
    # Long enough for the quick one, if it did not wait.
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        assert read(uow) == ()
    may_commit.set()
    for thread in threads:
        thread.join()

    assert [stored.number for stored in read(uow)] == [1, 2]
    with engine.connect() as connection:
        last = sa.select(tables.event_counters.c.last)
        assert connection.execute(last).scalar_one() == 2


def test_an_endpoint_is_read_as_it_was_stored(uow: SqlUnitOfWork) -> None:
    made = add_endpoint(uow, endpoint())

    with uow.read() as work:
        assert work.webhooks.find(made.id) == made
        assert work.webhooks.of_organization(ORG) == [made]
        assert work.webhooks.of_organization(OTHER_ORG) == []
        assert work.webhooks.of_organization(OrgId("\0")) == []
        assert work.webhooks.of_organization(None) == [made]
        assert work.webhooks.find("\0") is None
        assert work.webhooks.find_delivery("\0") is None


def test_an_event_orders_its_deliveries_in_its_own_transaction(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    wanting = add_endpoint(uow, endpoint())
    add_endpoint(uow, endpoint(state=EndpointState.DISABLED))
    add_endpoint(uow, endpoint(kinds=frozenset({EventKind.DELETED})))
    add_endpoint(uow, endpoint(org_id=OTHER_ORG))

    add_failed(uow)

    (stored,) = read(uow)
    with uow.read() as work:
        (delivery,) = work.webhooks.deliveries(wanting.id, 10)
        (task,) = work.tasks.search()
    assert delivery.event_id == stored.event.id
    assert (task.kind, task.subject, task.lane) == (
        DELIVER_KIND,
        delivery.id,
        Lane.OUTBOUND,
    )
    assert rung.ids == [task.id]


def test_an_endpoint_that_is_removed_meanwhile_fails_no_change(
    uow: SqlUnitOfWork,
) -> None:
    made = [add_endpoint(uow, endpoint()) for _ in range(8)]

    def act(number: int) -> None:
        if number % 2:
            add_failed(uow)
            return
        with uow.write() as work:
            work.webhooks.remove(made[number].id)
            work.commit()

    assert at_once(act, threads=8) == [None] * 8
    assert len(read(uow)) == 4


def test_endpoints_that_change_while_events_are_written_block_nobody(
    uow: SqlUnitOfWork,
) -> None:
    made = add_endpoint(uow, endpoint())

    def act(number: int) -> None:
        for _ in range(5):
            if number % 2:
                add_failed(uow)
                continue
            with uow.write() as work:
                found = work.webhooks.find(made.id, for_update=True)
                assert found is not None
                work.webhooks.save(attrs.evolve(found, state=EndpointState.FAILING))
                work.commit()

    assert at_once(act, threads=6) == [None] * 6
    with uow.read() as work:
        assert len(work.webhooks.deliveries(made.id, 100)) == 15


def test_forgetting_takes_the_oldest_and_their_deliveries(
    uow: SqlUnitOfWork, clock: SettableClock, engine: Engine
) -> None:
    made = add_endpoint(uow, endpoint())
    for _ in range(3):
        add_failed(uow)
    with engine.connect() as connection, connection.begin():
        column = tables.events.c.number
        for number in (1, 2, 3):
            moment = clock.now() - timedelta(days=40 - number)
            connection.execute(
                sa.update(tables.events)
                .where(column == number)
                .values(created_at=moment)
            )

    with uow.write() as work:
        assert work.events.forget(clock.now() - timedelta(days=30), 2) == 2
        work.commit()

    assert [stored.number for stored in read(uow)] == [3]
    with uow.read() as work:
        assert len(work.webhooks.deliveries(made.id, 10)) == 1


def test_a_name_of_an_environment_is_told_not_its_id(
    uow: SqlUnitOfWork,
) -> None:
    named = attrs.evolve(environment(), id=EnvId("env_1"), name="live")
    with uow.write() as work:
        work.tenants.add_environment(named)
        made = failed()
        made.env_id = named.id
        made._events.clear()  # of the environment before
        made.delete(NOW)
        work.videos.add(made)
        work.commit()

    with uow.read() as work:
        page = work.events.page(named, EventQuery(after=0, limit=1))

    assert page.events[0].env_name == "live"
