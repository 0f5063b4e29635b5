"""
A process that runs one task, to be killed at a failpoint.
"""

import os
import sys
from datetime import datetime
from pathlib import Path

from hvcore.assembly import build
from hvcore.domain.ids import TaskId
from hvcore.settings import load
from tests.fakes import MemoryQueue, SettableClock


def main(folder: str, moment: str, task_id: str) -> None:
    """
    Run a task at a moment.
    """
    settings = load(
        config_path=None, environ=os.environ, data_dir=Path(folder)
    ).settings
    overrides = {
        "clock": SettableClock(datetime.fromisoformat(moment)),
        "queue": MemoryQueue(),
    }
    with build(settings, overrides=overrides) as services:
        services.task_runs.run(
            TaskId(task_id), worker="test:killed", stopping=lambda: False
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
