"""Make the services that record the installation in the database: its processes, its id, its backups."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore import __version__
from hvcore.assembly.backends import Backends
from hvcore.errors import ConfigError
from hvcore.persistence.presence import (
    BEAT_LASTS,
    RunningProcess,
    beat,
    forget_process,
    installation,
    newest_backup,
    note_backup,
    older_processes,
)
from hvcore.processes.names import process_name
from hvcore.services.tasks.workload import Workload, read_workload

_SHOWN: Final = 5


class PresenceWiring(Backends):
    """The services that record the installation in the database, a part of Services; each is made when it is first read."""

    def beat(
        self, task: str, *, lasts: timedelta = BEAT_LASTS, waits_ms: int | None = None
    ) -> None:
        """
        Record in the database that this process still does a task; see persistence.presence.

        Args:
            task: What the process does, such as ``api``. A process with several tasks has a
                heartbeat for each.
            lasts: How long the process counts as running without another heartbeat.
            waits_ms: How long to wait for locks; None waits as long as usual.
        """
        name, kind = self._name_of(task), f"{task} {__version__}"
        now = self.clock.now()
        beat(self.engine, name, kind, now, lasts=lasts, waits_ms=waits_ms)

    def forget_process(self, task: str, *, waits_ms: int | None = None) -> None:
        """
        Remove the heartbeat of a task of this process from the database, because the task ends.

        Args:
            task: The task as ``beat`` was told.
            waits_ms: How long to wait for locks; None waits as long as usual.
        """
        forget_process(self.engine, self._name_of(task), waits_ms=waits_ms)

    def older_processes(self) -> Sequence[RunningProcess]:
        """Return the running processes of versions that know an older schema than this version."""
        return older_processes(self.engine, self.clock.now())

    def refuse_older_processes(self) -> None:
        """
        Raise ConfigError while processes of an older version are at work.

        Raises:
            ConfigError: Such processes are at work; the message names some, and says when the
                records of ended ones lapse.
        """
        older = self.older_processes()
        if not older:
            return
        last = max(one.until for one in older)
        names = ", ".join(f"{one.kind} ({one.name})" for one in older[:_SHOWN])
        raise ConfigError(
            f"{len(older)} processes of an older version are at work: {names}. End them on "
            f"all machines; those that have ended are forgotten at {last:%H:%M:%S} UTC."
        )

    def installation_id(self) -> str:
        """Return the id of this installation."""
        return installation(self.engine, self.clock.now()).id

    def note_backup(self, backup_id: str, moment: datetime) -> None:
        """Record that a backup has everything up to the given moment."""
        note_backup(self.engine, backup_id, moment)

    def workload(self) -> Workload:
        """Return the amount of waiting work, and since when the installation and its newest backup exist."""
        found = read_workload(self.uow)
        return attrs.evolve(
            found,
            installed_at=installation(self.engine, found.at).since,
            backed_up_at=newest_backup(self.engine),
        )

    def _name_of(self, task: str) -> str:
        return f"{process_name(self.settings.data_dir)} {task}"
