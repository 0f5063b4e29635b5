"""Keep the newest backups of an installation in a folder, and remove older ones."""

import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import attrs

from hvcore.services.backups.manifest import MANIFEST
from hvcore.services.backups.new_backup import UNFINISHED, only_backup_in

_PREFIX: Final = "hv-"
_GOING: Final = ".hv-going-"
LEFT_FOR: Final = timedelta(days=1)
"""Time since a run was cut off, after which its folder is removed."""


@attrs.frozen(kw_only=True)
class KeptBackup:
    """A complete backup in the folder of kept backups."""

    path: Path
    created_at: datetime


@attrs.frozen
class KeptBackups:
    """Name new backups in a folder, list the finished ones, and remove all but the newest few."""

    folder: Path

    def next_path(self, moment: datetime) -> Path:
        """Return the path in the folder for a backup that is made at the given moment."""
        return self.folder / f"{_PREFIX}{moment.astimezone(UTC):%Y%m%dT%H%M%S.%fZ}"

    def whole(self) -> Sequence[KeptBackup]:
        """
        Return the complete backups in the folder of kept backups, the newest first.

        Raises:
            OSError: The folder cannot be read.
        """
        found = []
        for path in self.folder.iterdir():
            created_at = _created_at(path) if path.name.startswith(_PREFIX) else None
            if created_at is not None:
                found.append(KeptBackup(path=path, created_at=created_at))
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    def keep(self, count: int, *, now: datetime) -> Sequence[Path]:
        """
        Remove all but the newest backups, and the rest of backup runs that were cut off.

        Args:
            count: The number of backups that stay; at least one.

        Returns:
            The paths of the removed backups.

        Raises:
            ConfigError: Another run makes a backup here.
            OSError: The folder cannot be written.
        """
        with only_backup_in(self.folder):
            old = [one.path for one in self.whole()[max(count, 1) :]]
            for path in old:
                # Half removed, it would look like a damaged backup.
                path.rename(path.with_name(f"{_GOING}{path.name}"))
            # Nobody makes one now, so nobody works in these any more.
            limit_s = (now - LEFT_FOR).timestamp()
            for path in self.folder.iterdir():
                is_left = path.name.startswith(f".{_PREFIX}") and (
                    path.name.endswith(UNFINISHED) and path.stat().st_mtime < limit_s
                )
                if is_left or path.name.startswith(_GOING):
                    shutil.rmtree(path, ignore_errors=True)
        return old


def _created_at(path: Path) -> datetime | None:
    """Return the moment of a backup; None if that is not whole."""
    try:
        text = (path / MANIFEST).read_text(encoding="utf-8")
        return datetime.fromisoformat(json.loads(text)["created_at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
