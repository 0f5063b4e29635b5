"""
Cancel deliveries that wait for webhook endpoints that were disabled or removed.

There may be very many deliveries: each batch has its own transaction, so that no other
writer waits long, and the sweep finishes a run that was interrupted.
"""

import logging
import time
from typing import Final

from hvcore.domain.ids import WebhookId
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.processes.rounds import Round

_log = logging.getLogger(__name__)

BATCH: Final = 500
"""Deliveries in a transaction: a writer on SQLite delays everyone else."""
PAUSE_S: Final = 0.02
"""SQLite has no queue of writers: a writer that finds it locked sleeps about this long."""
WITHIN_S: Final = 2.0
"""The time that ``end_backlog`` takes of a request; the sweep ends the rest."""
SWEEP_BATCHES: Final = 60
"""Batches of one sweep; the next one goes on half a minute later."""


def end_backlog(uow: UnitOfWork, webhook_id: WebhookId) -> bool:
    """
    Cancel deliveries that wait for a disabled or removed webhook endpoint, for two seconds; the sweep cancels the rest.

    Returns:
        Whether none is left.
    """
    ends_at_s = time.monotonic() + WITHIN_S
    while _end_batch(uow, webhook_id):
        if time.monotonic() >= ends_at_s:
            return False
        time.sleep(PAUSE_S)
    return True


def end_leftovers(uow: UnitOfWork) -> int:
    """Cancel deliveries that calls of ``end_backlog`` have left; return the number of cancelled deliveries."""
    with uow.read() as work:
        unended = list(work.webhook_backlog.unended())
    total, current = 0, Round(_log, "deliveries to an ended webhook still wait")
    for _ in range(SWEEP_BATCHES):
        if not unended:
            break
        # What cannot be ended now is left to the next round, after all others.
        count = 0
        with current.part(hv_webhook=unended[0]):
            count = _end_batch(uow, unended[0])
        if count == 0:
            del unended[0]
        total += count
        time.sleep(PAUSE_S)
    return total


def _end_batch(uow: UnitOfWork, webhook_id: WebhookId) -> int:
    with uow.write() as work:
        count = work.webhook_backlog.end(webhook_id, BATCH)
        work.commit()
    return count
