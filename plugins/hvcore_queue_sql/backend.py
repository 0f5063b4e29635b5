"""
A queue in the service's own database, SQLite or PostgreSQL.

Consumers look for messages four times a second. LISTEN and NOTIFY would be quicker, but
are lost behind a pooler of connections. A message is removed before it is handled,
so no transaction is open while a task runs.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from hvcore.plugin_api import (
    Database,
    Lane,
    Queue,
    QueueOutage,
    SupportsPrepare,
    TaskId,
    UnavailableError,
    hand_over,
)
from hvcore_queue_sql import tables
from hvcore_queue_sql.presence import Presence
from hvcore_queue_sql.statements import (
    CONSUMERS,
    DEPTH,
    LANES_WITH_MESSAGES,
    TAKE,
    put,
)

LOOKS_EVERY_S: Final = 0.25
PUT_TIMEOUT_MS: Final = 250
"""The time limit of putting a message: the port promises that a request does not wait for the queue."""
TAKE_TIMEOUT_MS: Final = 1_000
"""The time limit of taking a message: half of the 2 s within which ``until`` must be called."""


class SqlQueue(SupportsPrepare, Queue):
    """A queue of task ids whose messages are rows of a table in the service's own database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owner_pid = os.getpid()

    def put(self, task_id: TaskId, *, kind: str, lane: Lane) -> None:
        """
        Put a task's id into a lane, unless it waits there already.

        Raises:
            UnavailableError: The message was not taken.
        """
        self._check_process()
        values: dict[str, object] = {
            "task_id": task_id,
            "lane": lane.value,
            "kind": kind,
        }
        with self._database.writing(timeout_ms=PUT_TIMEOUT_MS) as connection:
            put(connection, values)
            connection.commit()

    def consume(
        self,
        handle: Callable[[TaskId], None],
        *,
        lanes: Sequence[Lane],
        until: Callable[[], bool],
    ) -> None:
        outage, turns = QueueOutage(), deque(lanes)
        with Presence(self._database, lanes):
            while not until():
                try:
                    self._check_process()
                    task_id = self._take(turns)
                    outage.end()
                except UnavailableError as exc:
                    outage.wait(exc, until)
                    continue
                if task_id is None:
                    time.sleep(LOOKS_EVERY_S)
                else:
                    hand_over(handle, task_id)

    def depth(self, lane: Lane) -> int:
        """Return the number of tasks that wait in a lane."""
        self._check_process()
        ((count,),) = self._database.ask(DEPTH, {"lane": lane.value})
        return int(count)

    def workers(self, lane: Lane) -> int:
        """Count the consumers of a lane, on all machines."""
        self._check_process()
        ((count,),) = self._database.ask(CONSUMERS, {"lane": lane.value})
        return int(count)

    def ping(self) -> None:
        """Raise UnavailableError if messages cannot be put into the table."""
        self._check_process()
        if not self.is_prepared():
            raise UnavailableError(
                "The queue's tables are not in the database; run: hv migrate."
            )

    def prepare(self) -> None:
        """Make the tables of the queue."""
        tables.prepare(self._database)

    def uninstall(self) -> None:
        """Remove the tables of the queue."""
        tables.uninstall(self._database)

    def is_prepared(self) -> bool:
        """Return whether the tables of the queue exist."""
        return tables.is_prepared(self._database)

    def _take(self, turns: deque[Lane]) -> TaskId | None:
        # A look first: it locks nothing, and mostly there is nothing.
        with_messages = {
            lane for (lane,) in self._database.ask(LANES_WITH_MESSAGES, {})
        }
        for lane in tuple(turns):
            # Behind the others next time, so that none waits for an empty one.
            turns.rotate(-1)
            if lane.value in with_messages:
                task_id = self._take_of(lane)
                if task_id is not None:
                    return task_id
        return None

    def _take_of(self, lane: Lane) -> TaskId | None:
        with self._database.writing(timeout_ms=TAKE_TIMEOUT_MS) as connection:
            found = connection.execute(TAKE, {"of_lane": lane.value}).scalar()
            connection.commit()
        return None if found is None else TaskId(found)

    def _check_process(self) -> None:
        # Connections that are used on both sides of a fork are broken on both.
        if os.getpid() != self._owner_pid:
            raise UnavailableError(
                "This queue was made before a fork; make one in each process."
            )
