"""
The sweep: a process that puts lost tasks back, sends due tasks, and ends expired uploads.

Many sweep processes may run. One leads and does the work that is done once for the
installation; the others wait to take over.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final

from hvcore.assembly import Services, build
from hvcore.domain.access.service_keys import PLAYBACK
from hvcore.errors import UnavailableError
from hvcore.processes import heartbeat
from hvcore.processes.names import process_name
from hvcore.processes.rounds import Round
from hvcore.settings import Settings
from hvcore_worker.scratch import remove_orphans
from hvcore_worker.stopping import Stopping, stops_within

_log = logging.getLogger(__name__)

EVERY_S: Final = 2.0
TIDY_EVERY: Final = 15
"""The number of sweeps between two rounds of tidying, which are about 30 s apart."""
_OF_EACH_HOST: Final[Mapping[str, Callable[[Services], object]]] = {
    "uploads.clean_incoming": lambda of: of.uploads.clean_incoming(),
    "resumable.tidy": lambda of: of.resumable.tidy(),
    "scratch": lambda of: remove_orphans(of.settings.data_dir / "work"),
}
_OF_THE_LEADER: Final[Mapping[str, Callable[[Services], object]]] = {
    "uploads.expire": lambda of: of.uploads.expire(),
}
_TIDYING: Final[Mapping[str, Callable[[Services], object]]] = {
    "tasks": lambda of: of.task_runs.forget_ended(),
    "webhooks": lambda of: of.webhooks.end_leftovers(),
    "events": lambda of: of.events.forget_old(),
    "personal data": lambda of: of.erasure.sweep(),
    "first requests": lambda of: of.idempotency.forget_expired(),
    "sessions": lambda of: of.sign_in_sessions.forget_ended(),
    "bulk changes": lambda of: of.bulk_changes.forget_old(),
    "domain lists": lambda of: of.playback.forget_unused_domains(),
    "service keys": lambda of: of.key_rotations[PLAYBACK].finish(),
    "what is said": lambda of: of.spoken_reading.step(),
    "quarantine": lambda of: of.quarantine.tidy(),
    # Else the first report after a long while would have all of them to take over.
    "lengths of videos": lambda of: of.learn_lengths(),
    "playback sessions": lambda of: of.forget_playback_sessions(),
    "live analytics": lambda of: of.live_analytics.forget_old(),
}
"""The steps of tidying, by name; the leader carries them out about every 30 s."""


def run_sweep(settings: Settings) -> None:
    """Run the sweep every 2 s in this process until SIGTERM."""
    with build(settings) as services:
        sweep_until(Stopping(), services)


def sweep_until(
    stopping: Callable[[], bool],
    services: Services,
    also: Callable[[], None] = lambda: None,
) -> None:
    """
    Run the sweep every 2 s until stopping() is true; a failed round is logged.

    Args:
        stopping: Returns whether the sweep is to end.
        also: Called after each round.
    """
    holder = process_name(services.settings.data_dir)
    turn = 0
    while True:
        try:
            try:
                sweep_once(services, holder=holder, tidies=turn % TIDY_EVERY == 0)
            finally:
                also()
        except UnavailableError as error:
            _log.warning("sweep waits for the service", extra={"hv_why": error.detail})
        except Exception:  # noqa: BLE001 - one of the three loops
            # The loop that everything else relies on never ends by itself.
            _log.exception("sweep failed; it goes on")
        turn += 1
        if stops_within(stopping, EVERY_S):
            return


def sweep_once(services: Services, *, holder: str, tidies: bool) -> None:
    """
    Do one round of the sweep: the work for this host, and for the installation if it leads.

    Args:
        holder: The name of this process, under which it leads.
        tidies: Whether the round also removes old files and records.

    Raises:
        UnavailableError: The database does not answer which process leads.
    """
    current = Round(_log, "a step of the sweep failed; the others go on")

    def do(steps: Mapping[str, Callable[[Services], object]]) -> None:
        for name, step in steps.items():
            heartbeat.beat()
            with current.part(hv_step=name):
                step(services)

    if tidies:
        do(_OF_EACH_HOST)
    if services.task_runs.sweep(holder=holder):
        do(_OF_THE_LEADER)
        if tidies:
            do(_TIDYING)
