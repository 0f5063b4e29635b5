"""``hv worker --drain``: have the workers of a data folder end."""

import time
from pathlib import Path
from typing import Final

from hvcore_cli.invocation import CliError
from hvcore_cli.output import say
from hvcore_worker.presence import workers_here

HANDS_BACK_WITHIN_S: Final = 30.0
"""The seconds within which workers must have handed their tasks back, as long as systemd
waits; a slow store delays them."""
_LOOKS_EVERY_S: Final = 0.1


def drain_workers(data_dir: Path, *, within_s: float) -> None:
    """
    Tell the workers to take no more tasks, and wait until all have ended.

    Args:
        within_s: Seconds for which the workers may go on with their running tasks.

    Raises:
        CliError: hv up keeps them running, or one has not ended in time.
    """
    there = workers_here(data_dir)
    if any(worker.is_kept for worker in there):
        raise CliError(
            "hv up keeps the workers of this folder running. Stop hv up instead "
            "(SIGTERM): it hands their tasks back."
        )
    if not there:
        say("No worker of this data folder runs on this machine.")
        return
    for worker in there:
        worker.tell_to_leave(hands_back_after_s=within_s)
    say(f"Waiting for {len(there)} workers to end.")
    until = time.monotonic() + within_s + HANDS_BACK_WITHIN_S
    while there := [worker for worker in there if worker.is_here()]:
        if time.monotonic() > until:
            names = "; ".join(worker.name for worker in there)
            raise CliError(
                f"These workers have not ended: {names}. Kill them: other workers take "
                "their tasks once the leases have ended, after at most 20 s."
            )
        time.sleep(_LOOKS_EVERY_S)
    say("All of them have ended, and handed back what they had not finished.")
