"""
Wait while the database or another backend does not answer, and keep the task meanwhile.

A worker that dropped the queue message would leave its task waiting until the sweep sends
another one, and would drop all other messages of the queue within a moment.
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
    """An outage of a backend as one worker loop notices it; its start and end are logged once each."""

    stopping: Callable[[], bool]
    _lasts: bool = False

    def wait(self, error: UnavailableError) -> None:
        """Log the outage if it is new; then wait a second, or until the process is to end."""
        if not self._lasts:
            self._lasts = True
            _log.warning(
                "no task is taken: the service does not answer",
                extra={"hv_why": error.detail},
            )
        stops_within(self.stopping, WAITS_S)

    def end(self) -> None:
        """Log that the backend answers again, if there was an outage."""
        if self._lasts:
            self._lasts = False
            _log.info("tasks are taken again")
