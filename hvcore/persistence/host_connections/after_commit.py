"""Call functions once a SQLAlchemy connection has committed."""

import logging
from collections.abc import Callable
from typing import Final
from weakref import WeakSet

from sqlalchemy import event
from sqlalchemy.engine import Connection
from sqlalchemy.pool import ConnectionPoolEntry, Pool

_WAITING: Final = "hv_waiting_calls"
_DUE: Final = "hv_due_calls"
_pools: Final[WeakSet[Pool]] = WeakSet()
"""The pools that tell when a connection comes back."""

_log = logging.getLogger(__name__)


def call_after_commit(connection: Connection, call: Callable[[], None]) -> None:
    """
    Have a function called after a SQLAlchemy connection's commit, once the connection is back in its pool.

    SQLAlchemy has an event before a commit, and none after it.
    """
    if not event.contains(connection, "commit", _become_due):
        event.listen(connection, "commit", _become_due)
        event.listen(connection, "rollback", _forget)
    pool = connection.engine.pool
    if pool not in _pools:
        _pools.add(pool)
        event.listen(pool, "checkin", _call_due)
    connection.info.setdefault(_WAITING, []).append(call)


def _become_due(connection: Connection) -> None:
    # It is about to commit; whoever is rung for in vain does nothing.
    calls = connection.info.pop(_WAITING, [])
    connection.info.setdefault(_DUE, []).extend(calls)


def _forget(connection: Connection) -> None:
    connection.info.pop(_WAITING, None)


def _call_due(_driver: object, record: ConnectionPoolEntry) -> None:
    record.info.pop(_WAITING, None)
    calls: list[Callable[[], None]] = record.info.pop(_DUE, [])
    for call in calls:
        try:
            call()
        except Exception:  # noqa: BLE001 - whatever a queue plugin raises
            # The host has committed, and its pool waits for the connection. The
            # sweep rings again.
            _log.exception("ringing for tasks failed")
