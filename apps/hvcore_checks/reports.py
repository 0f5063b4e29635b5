"""Run the checks of this installation for a dashboard page that many people may open at once."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Final

from hvcore.domain.health_findings import Examination
from hvcore.domain.processes import ServiceProcess
from hvcore.settings import Settings
from hvcore_checks.checks import examine
from hvcore_checks.processes import read_processes

KEPT_S: Final = 30.0
"""The seconds for which findings are shown again without new checks: some checks start
programs."""


class InstallationReports:
    """Runs all checks of ``hv doctor``, one run at a time, and keeps their findings; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._kept: tuple[float, Examination] | None = None

    def examination(self, *, anew: bool) -> Examination:
        """
        Return the findings of all checks of ``hv doctor``, at most ``KEPT_S`` seconds old.

        A caller that asks while the checks run gets the findings of that run.

        Args:
            anew: Whether to run the checks even if findings are kept.
        """
        asked_s = time.monotonic()
        with self._lock:
            oldest_s = asked_s if anew else asked_s - KEPT_S
            if self._kept is not None and self._kept[0] >= oldest_s:
                return self._kept[1]
            found = Examination(
                findings=tuple(examine(self._settings)), at=datetime.now(UTC)
            )
            self._kept = (time.monotonic(), found)
            return found

    def processes(self) -> Sequence[ServiceProcess] | None:
        """Return the processes that ``hv up`` runs on this data folder; None if no ``hv up`` runs."""
        return read_processes(self._settings.data_dir)
