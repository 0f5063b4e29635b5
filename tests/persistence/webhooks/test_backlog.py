"""
What waits for an endpoint: ended by the batch, put off all at once.
"""

import threading
from datetime import timedelta

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.ids import WebhookId
from hvcore.domain.tasks.task import Task, TaskState
from hvcore.domain.webhooks.deliveries import WebhookDeliveryState
from hvcore.domain.webhooks.endpoints import EndpointState, WebhookEndpoint
from hvcore.persistence import tables
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from hvcore.services.webhooks import backlog
from hvcore.services.webhooks.backlog import end_backlog, end_leftovers
from tests.persistence.samples import ORG, Rung
from tests.persistence.webhooks.test_events import (
    add_endpoint,
    add_failed,
    endpoint,
    failed,
)


@pytest.fixture
def waiting(uow: SqlUnitOfWork) -> WebhookEndpoint:
    """
    An endpoint that three deliveries wait for.
    """
    made = add_endpoint(uow, endpoint())
    for _ in range(3):
        add_failed(uow)
    return made


def put_into(uow: SqlUnitOfWork, made: WebhookEndpoint, state: EndpointState) -> None:
    with uow.write() as work:
        if state is EndpointState.REMOVED:
            work.webhooks.remove(made.id)
        else:
            work.webhooks.save(attrs.evolve(made, state=state))
        work.commit()


def end(uow: SqlUnitOfWork, webhook_id: WebhookId, limit: int) -> int:
    with uow.write() as work:
        count = work.webhook_backlog.end(webhook_id, limit)
        work.commit()
    return count


def unended(uow: SqlUnitOfWork) -> list[WebhookId]:
    with uow.read() as work:
        return list(work.webhook_backlog.unended())


def tasks_of(uow: SqlUnitOfWork, made: WebhookEndpoint) -> list[Task]:
    with uow.read() as work:
        found = work.webhooks.deliveries(made.id, 100)
        return [task for d in found for task in work.tasks.of_subject(d.id)]


def count_of(engine: Engine, table: sa.Table) -> int:
    with engine.connect() as connection:
        statement = sa.select(sa.func.count()).select_from(table)
        count: int = connection.execute(statement).scalar_one()
    return count


def test_a_disabled_endpoints_deliveries_are_cancelled_by_the_batch(
    uow: SqlUnitOfWork, waiting: WebhookEndpoint
) -> None:
    put_into(uow, waiting, EndpointState.DISABLED)

    assert unended(uow) == [waiting.id]
    assert [end(uow, waiting.id, 2) for _ in range(3)] == [2, 1, 0]

    assert unended(uow) == []
    with uow.read() as work:
        found = work.webhooks.deliveries(waiting.id, 10)
    assert {d.state for d in found} == {WebhookDeliveryState.CANCELLED}
    assert {d.last_error for d in found} == {"The endpoint is disabled."}
    assert {t.state for t in tasks_of(uow, waiting)} == {TaskState.CANCELLED}


def test_a_request_ends_what_it_can_in_time_and_the_sweep_the_rest(
    uow: SqlUnitOfWork, waiting: WebhookEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "WITHIN_S", 0.0)
    monkeypatch.setattr(backlog, "BATCH", 1)
    put_into(uow, waiting, EndpointState.DISABLED)

    assert not end_backlog(uow, waiting.id)

    assert unended(uow) == [waiting.id]
    end_leftovers(uow)
    assert unended(uow) == []
    assert end_backlog(uow, waiting.id)


@pytest.mark.parametrize("state", [EndpointState.ACTIVE, EndpointState.FAILING])
def test_nothing_is_ended_that_waits_for_an_endpoint_in_use(
    uow: SqlUnitOfWork, waiting: WebhookEndpoint, state: EndpointState
) -> None:
    put_into(uow, waiting, state)

    assert unended(uow) == []
    end_backlog(uow, waiting.id)

    assert {t.state for t in tasks_of(uow, waiting)} == {TaskState.QUEUED}


def test_a_removed_endpoint_is_found_by_nobody(
    uow: SqlUnitOfWork, waiting: WebhookEndpoint
) -> None:
    put_into(uow, waiting, EndpointState.REMOVED)
    add_failed(uow)

    with uow.read() as work:
        assert work.webhooks.find(waiting.id) is None
        assert work.webhooks.of_organization(None) == []
        assert work.webhooks.of_environment(ORG, waiting.env_id) == []
        assert len(work.webhooks.deliveries(waiting.id, 10)) == 3


def test_the_sweep_deletes_what_a_removed_endpoint_left(
    uow: SqlUnitOfWork, engine: Engine, waiting: WebhookEndpoint
) -> None:
    other = add_endpoint(uow, endpoint())
    add_failed(uow)
    put_into(uow, waiting, EndpointState.REMOVED)

    assert end_leftovers(uow) == 4
    assert end_leftovers(uow) == 0

    assert unended(uow) == []
    assert count_of(engine, tables.webhook_endpoints) == 1
    assert count_of(engine, tables.webhook_deliveries) == 1
    assert {t.state for t in tasks_of(uow, other)} == {TaskState.QUEUED}
    with uow.read() as work:
        assert len(work.tasks.search(state=TaskState.CANCELLED)) == 4


def test_an_endpoint_whose_deliveries_cannot_go_keeps_no_others(
    uow: SqlUnitOfWork, engine: Engine, waiting: WebhookEndpoint
) -> None:
    with uow.read() as work:
        held = work.webhooks.deliveries(waiting.id, 1)[0]
    other = add_endpoint(uow, endpoint())
    add_failed(uow)
    put_into(uow, waiting, EndpointState.REMOVED)
    put_into(uow, other, EndpointState.REMOVED)
    column = "id TEXT REFERENCES webhook_deliveries (id)"
    if engine.dialect.name == "postgresql":
        column = column.replace("TEXT", 'TEXT COLLATE "C"')
    with engine.begin() as connection:
        connection.execute(sa.text(f"CREATE TABLE holders ({column})"))
        holders = sa.table("holders", sa.column("id"))
        connection.execute(sa.insert(holders).values(id=held.id))

    end_leftovers(uow)

    assert unended(uow) == [waiting.id]


@pytest.mark.services
def test_removing_does_not_wait_for_who_orders_deliveries(
    uow: SqlUnitOfWork, engine: Engine, waiting: WebhookEndpoint
) -> None:
    """
    And what was ordered in that moment is ended by the next sweep.
    """
    if engine.dialect.name == "sqlite":
        pytest.skip("has one writer at a time")
    with uow.write() as slow:
        (seen,) = slow.webhooks.of_environment(ORG, waiting.env_id)
        remover = threading.Thread(
            target=lambda: [
                put_into(uow, waiting, EndpointState.REMOVED),
                end_backlog(uow, waiting.id),
            ]
        )
        remover.start()
        remover.join(5)
        was_quick = not remover.is_alive()
        with uow.read() as work:
            was_removed = work.webhooks.find(waiting.id) is None
        (event,) = failed()._events
        slow.webhooks.order([(event, seen)])
        slow.commit()
    remover.join()

    assert (was_quick, was_removed) == (True, True)
    assert end_leftovers(uow) == 1
    assert count_of(engine, tables.webhook_endpoints) == 0
    assert count_of(engine, tables.webhook_deliveries) == 0


def test_all_due_deliveries_of_an_endpoint_are_put_off_at_once(
    uow: SqlUnitOfWork, waiting: WebhookEndpoint
) -> None:
    with uow.write() as work:
        until = work.now() + timedelta(minutes=1)
        count = work.webhook_backlog.put_off(
            waiting.id, until=until, why="waits", limit=10
        )
        again = work.webhook_backlog.put_off(
            waiting.id, until=until, why="waits", limit=10
        )
        work.commit()

    assert (count, again) == (3, 0)
    tasks = tasks_of(uow, waiting)
    assert {(t.state, t.not_before, t.error) for t in tasks} == {
        (TaskState.DUE, until, "waits")
    }
    with uow.read() as work:
        ids = [d.id for d in work.webhooks.deliveries(waiting.id, 10)]
        assert work.webhook_backlog.reasons(ids) == dict.fromkeys(ids, "waits")


def test_deliveries_put_off_leave_the_queue_to_other_endpoints(
    uow: SqlUnitOfWork, rung: Rung
) -> None:
    dead = add_endpoint(uow, endpoint())
    for _ in range(20):
        add_failed(uow)
    put_into(uow, dead, EndpointState.DISABLED)
    healthy = add_endpoint(uow, endpoint())
    add_failed(uow)
    (task,) = tasks_of(uow, healthy)
    assert task.id not in rung.ids

    with uow.write() as work:
        until = work.now() + timedelta(minutes=1)
        work.webhook_backlog.put_off(dead.id, until=until, why="waits", limit=100)
        work.commit()

    assert rung.ids[-1] == task.id


def test_a_counter_is_locked_for_one_statement_before_the_commit(
    uow: SqlUnitOfWork, engine: Engine
) -> None:
    """
    Writers of an environment wait for each other only this long.
    """
    for _ in range(3):
        add_endpoint(uow, endpoint())
    said: list[str] = []

    def listen(*args: object) -> None:
        said.append(str(args[2]))

    sa.event.listen(engine, "before_cursor_execute", listen)
    add_failed(uow)

    counted = next(i for i, text in enumerate(said) if "event_counters" in text)
    assert [text.split()[:3] for text in said[counted + 1 :]] == [
        ["INSERT", "INTO", "events"]
    ]
    deliveries = [text for text in said if "INTO webhook_deliveries" in text]
    assert len(deliveries) == 1
