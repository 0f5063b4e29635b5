"""A file in which ``hv up`` lists the processes that it keeps running, for other processes to read."""

import json
import os
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from hvcore.domain.processes import ServiceProcess
from hvcore.files.atomic_files import replace_file

FILE: Final = Path("run", "processes.json")
"""The file with the running processes, below the data folder."""


def write_processes(data_dir: Path, processes: Iterable[ServiceProcess]) -> None:
    """Write the list of processes that this process keeps running to a file."""
    document = {
        "keeper": os.getpid(),
        "processes": [
            {
                "name": one.name,
                "pid": one.pid,
                "startedAt": one.started_at.timestamp(),
                "starts": one.starts,
            }
            for one in processes
        ],
    }
    replace_file(data_dir / FILE, json.dumps(document))


def forget_processes(data_dir: Path) -> None:
    """Remove the list of processes, because ``hv up`` no longer runs here."""
    (data_dir / FILE).unlink(missing_ok=True)


def read_processes(data_dir: Path) -> Sequence[ServiceProcess] | None:
    """Return the processes that ``hv up`` runs on a data folder; None if no ``hv up`` runs on it."""
    try:
        document = json.loads((data_dir / FILE).read_text(encoding="utf-8"))
        if not _is_running(document["keeper"]):
            # Killed: the kernel has ended the others with it.
            return None
        return [
            ServiceProcess(
                name=one["name"],
                pid=one["pid"],
                started_at=datetime.fromtimestamp(one["startedAt"], UTC),
                starts=one["starts"],
            )
            for one in document["processes"]
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        # Somebody else's, but there.
        return True
    return True
