"""
The sweep: brings back lost tasks, rings for due ones, ends what ran out.

Many may run; one leads, the others wait to take over.
"""

import logging
from collections.abc import Callable
from typing import Final

from hv_worker.identity import worker_name
from hv_worker.scratch import remove_orphans
from hv_worker.stopping import Stopping, waited
from hvcore.assembly import Services, build
from hvcore.domain.access.service_keys import PLAYBACK
from hvcore.errors import UnavailableError
from hvcore.settings import Settings

_log = logging.getLogger(__name__)

EVERY_S: Final = 2.0
TIDY_EVERY: Final = 15
"""Sweeps between two rounds of tidying, so about every 30 s."""


def run_sweep(settings: Settings) -> None:
    """
    Sweep until SIGTERM.
    """
    with build(settings) as services:
        sweep_until(Stopping(), services)


def sweep_until(
    stopping: Callable[[], bool],
    services: Services,
    also: Callable[[], None] = lambda: None,
) -> None:
    """
    Sweep again and again.

    Args:
        stopping: Returns whether this is to end.
        also: What else is done each time.
    """
    holder = worker_name(services.settings.data_dir)
    turn = 0
    while True:
        try:
            sweep_once(services, holder=holder, tidies=turn % TIDY_EVERY == 0)
            also()
        except UnavailableError as error:
            _log.warning("sweep waits for the service", extra={"hv_why": error.detail})
        except Exception:  # noqa: BLE001 - one of the three loops
            # The loop that everything else relies on never ends by itself.
            _log.exception("sweep failed; it goes on")
        turn += 1
        if waited(stopping, EVERY_S):
            return


def sweep_once(services: Services, *, holder: str, tidies: bool) -> None:
    """
    Do one round, if this process leads.
    """
    if tidies:
        services.uploads.clean_incoming()
        services.resumable.tidy()
        remove_orphans(services.settings.data_dir / "work")
    if services.task_runs.sweep(holder=holder):
        services.uploads.expire()
        if tidies:
            services.task_runs.forget_ended()
            services.webhooks.end_leftovers()
            services.events.forget_old()
            services.erasure.sweep()
            services.idempotency.forget_expired()
            services.sessions.forget_ended()
            services.playback.forget_unused_domains()
            services.key_rotations[PLAYBACK].finish()
            services.live_analytics.forget_old()
