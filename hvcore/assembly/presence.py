"""Make the services about the installation's records in the database: processes, id, backups."""

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
    """The services about hosts and processes, a part of Services; each is made when it is first read."""

    def beat(
        self, task: str, *, lasts: timedelta = BEAT_LASTS, waits_ms: int | None = None
    ) -> None:
        """
        Write the heartbeat of a task of this process into the database; see persistence.presence.

        Args:
            task: What the process does, such as ``api``. One process may do several things,
                each with a heartbeat of its own.
        """
        name, kind = self._name_of(task), f"{task} {__version__}"
        now = self.clock.now()
        beat(self.engine, name, kind, now, lasts=lasts, waits_ms=waits_ms)

    def forget_process(self, task: str, *, waits_ms: int | None = None) -> None:
        """Remove the heartbeat of a task of this process."""
        forget_process(self.engine, self._name_of(task), waits_ms=waits_ms)

    def older_processes(self) -> Sequence[RunningProcess]:
        """Return the running processes of versions that know an older schema than this version."""
        return older_processes(self.engine, self.clock.now())

    def refuse_older_processes(self) -> None:
        """
        Raise ConfigError while processes of an older version are at work.

        Raises:
            ConfigError: Such processes are at work; the text names some, and says when they are
                forgotten if they have ended.
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
        """Return the amount of waiting work, and the dates of the installation and its newest backup."""
        found = read_workload(self.uow)
        return attrs.evolve(
            found,
            installed_at=installation(self.engine, found.at).since,
            backed_up_at=newest_backup(self.engine),
        )

    def _name_of(self, task: str) -> str:
        return f"{process_name(self.settings.data_dir)} {task}"
