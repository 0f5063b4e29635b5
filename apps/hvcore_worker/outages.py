"""
Wait while the service does not answer, and keep the message that work came by.

Who drops it has the work wait until the sweep rings again; and would drop all others of
the queue within a moment.
"""

import logging
from collections.abc import Callable
from typing import Final

import attrs

from hvcore.errors import UnavailableError
from hvcore_worker.stopping import stops_within

WAITS_S: Final = 1.0

_log = logging.getLogger(__name__)


@attrs.define
class Outage:
    """Of one loop that takes tasks. Its beginning and its end are a line each in the log."""

    stopping: Callable[[], bool]
    _lasts: bool = False

    def wait(self, error: UnavailableError) -> None:
        """Wait before the next attempt, unless the process is to end."""
        if not self._lasts:
            self._lasts = True
            _log.warning(
                "no task is taken: the service does not answer",
                extra={"hv_why": error.detail},
            )
        stops_within(self.stopping, WAITS_S)

    def end(self) -> None:
        """Take note that the service answers."""
        if self._lasts:
            self._lasts = False
            _log.info("tasks are taken again")
