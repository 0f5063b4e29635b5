"""
Processes that run one task, to be killed at a failpoint.
"""

import multiprocessing
import os
import signal
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from hvcore import failpoints
from hvcore.assembly import build
from hvcore.domain.ids import TaskId
from hvcore.settings import load
from tests.support.fakes import MemoryQueue, SettableClock

WITHIN_S: Final = 120

# Forked from a process that has imported all this, and has no thread: the import takes
# longer than what is tested.
_PROCESSES: Final = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload([__name__])


def killed_at(
    point: str,
    task_id: str,
    *,
    data_dir: Path,
    environ: Mapping[str, str],
    moment: datetime,
) -> None:
    """
    Have another process run a task at a moment, until a point where it is killed.

    Args:
        environ: The settings of its service, besides those of this process.
    """
    process = _PROCESSES.Process(
        target=_run,
        args=(point, task_id, data_dir, {**os.environ, **environ}, moment),
    )
    process.start()
    process.join(WITHIN_S)
    if process.is_alive():
        process.kill()
        process.join()
        raise AssertionError(f"{point} was not reached within {WITHIN_S} s")
    assert process.exitcode == -signal.SIGKILL, (point, process.exitcode)


def _run(
    point: str,
    task_id: str,
    data_dir: Path,
    environ: Mapping[str, str],
    moment: datetime,
) -> None:
    failpoints.arm(f"{point}=kill")
    settings = load(config_path=None, environ=environ, data_dir=data_dir).settings
    overrides = {"clock": SettableClock(moment), "queue": MemoryQueue()}
    with build(settings, overrides=overrides) as services:
        services.task_runs.run(
            TaskId(task_id), worker="test:killed", stopping=lambda: False
        )
