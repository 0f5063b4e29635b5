"""
Tell event subscribers (plugins) about events: the work of ``subscriber.tell`` tasks.

Each event is a task of its own for each subscriber, ordered in the transaction of the change
that it describes. It waits until the earlier events of its video are told.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast

import attrs

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import SUBSCRIBER_TELL
from hvcore.domain.tasks.task import Task
from hvcore.domain.webhooks.events import StoredEvent
from hvcore.errors import HvcoreError
from hvcore.failpoints import failpoint
from hvcore.ports.event_subscribers import EventSubscriber, SubscribedEvent
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.tasks.leases import TaskRun
from hvcore.services.webhooks.endpoint_slots import EndpointSlots

EARLIER_WAITS: Final = timedelta(seconds=10)
"""The longest wait for an earlier event; telling that event wakes the next one."""
UNKNOWN_WAITS: Final = timedelta(minutes=1)
"""How long an event waits for its subscriber: while plugins change, old workers may lack it."""


class SubscriberError(HvcoreError):
    """A subscriber has failed to take an event."""


@attrs.frozen(kw_only=True)
class Subscriptions:
    """
    Tell event subscribers about events; those of one video in their order.

    Attributes:
        subscribers: The event subscribers by name.
    """

    uow: UnitOfWork
    subscribers: Mapping[str, EventSubscriber]
    _slots: EndpointSlots = attrs.field(factory=EndpointSlots, init=False)

    def tell(self, run: TaskRun) -> None:
        """
        Tell a subscriber one event, or put the task back until it is the event's turn.

        Raises:
            SubscriberError: The subscriber has not taken the event; the task is tried again.
        """
        name = _subscriber_of(run.task)
        with self.uow.read() as work:
            stored = work.events.find(str(_payload(run.task)["event"]))
            earlier = _earlier(work, run.task)
        subscriber = self.subscribers.get(name)
        if stored is None:
            # Too old to be told.
            self._finish(run)
        elif earlier:
            self._await_earlier(run)
        elif subscriber is None:
            self._put_back(run, UNKNOWN_WAITS, f"There is no subscriber {name} here.")
        else:
            self._tell(run, subscriber, stored)

    def _tell(
        self, run: TaskRun, subscriber: EventSubscriber, stored: StoredEvent
    ) -> None:
        name = _subscriber_of(run.task)
        # One that hangs must not hold the threads that others need.
        with self._slots.taken(name) as has_room:
            if not has_room:
                wait = self._slots.wait(name)
                self._put_back(run, wait, "waits: the subscriber is busy")
                return
            try:
                subscriber.hear(_told(stored))
            except Exception as exc:
                raise SubscriberError(
                    f"{name} has not taken it: {type(exc).__name__}: {exc}"
                ) from exc
        failpoint("subscriber.told")
        self._finish(run)

    def _finish(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            run.finish(work)
            later = _others(work, run.task)
            if later:
                work.tasks.hurry(later[:1])
            work.commit()

    def _await_earlier(self, run: TaskRun) -> None:
        with self.uow.write() as work:
            # Looked at again: the earlier ones may be told by now.
            earlier, now = _locked_earlier(work, run.task), work.now()
            run.put_back(
                work,
                not_before=_turn_of(earlier, now) if earlier else now,
                error="waits: an earlier event of the video is not told yet",
            )
            work.commit()

    def _put_back(self, run: TaskRun, wait: timedelta, why: str) -> None:
        with self.uow.write() as work:
            run.put_back(work, not_before=work.now() + wait, error=why)
            work.commit()


def _turn_of(earlier: Sequence[Task], now: datetime) -> datetime:
    # Of what pauses after a failure, nobody need look before it is tried again.
    return max(now, earlier[0].not_before) + EARLIER_WAITS


def _locked_earlier(work: Work, task: Task) -> Sequence[Task]:
    """
    Return the unended tasks of earlier events, and lock the row of the first one.

    That task ends, and wakes the next one, after this transaction: it would not wake a task
    that is still running here.
    """
    locked: TaskId | None = None
    while (earlier := _earlier(work, task)) and earlier[0].id != locked:
        locked = earlier[0].id
        work.tasks.find(locked, for_update=True)
    return earlier


def _earlier(work: Work, task: Task) -> Sequence[Task]:
    return [one for one in _others(work, task) if _sequence(one) < _sequence(task)]


def _others(work: Work, task: Task) -> Sequence[Task]:
    """Return other unended tasks of the same subscriber and video, in order."""
    unended = work.tasks.unended(task.subject, kind=SUBSCRIBER_TELL)
    name = _subscriber_of(task)
    found = [t for t in unended if t.id != task.id and _subscriber_of(t) == name]
    return sorted(found, key=_sequence)


def _told(stored: StoredEvent) -> SubscribedEvent:
    event = stored.event
    return SubscribedEvent(
        id=event.id,
        kind=event.kind,
        org_id=event.org_id,
        env_id=event.env_id,
        env_name=stored.env_name,
        video_id=event.video_id,
        sequence=event.sequence,
        status=event.status,
        error=event.error,
        happened_at=stored.created_at,
    )


def _subscriber_of(task: Task) -> str:
    return str(_payload(task)["subscriber"])


def _sequence(task: Task) -> int:
    return int(_payload(task)["sequence"])


def _payload(task: Task) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], task.payload)
