"""
Web side, workers and forks of a host program.
"""

import threading
from pathlib import Path

from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane
from hvcore.embedding import embed
from tests.embedding.conftest import ENVIRON
from tests.live import until
from tests.migrated import sqlite_of_a_service


def test_a_worker_in_a_thread_hears_what_the_web_side_rings_for(tmp_path: Path) -> None:
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    stop = threading.Event()
    with embed(tmp_path, environ={**ENVIRON, "HV_QUEUE__BACKEND": "local"}) as hv:
        worker = threading.Thread(
            target=hv.run_worker, kwargs={"encodes": False, "stopping": stop.is_set}
        )
        worker.start()
        try:
            queue = hv._process.services.queue
            until(lambda: queue.workers(Lane.LIGHT) > 0, within_s=20)
            # Another one's end is not the others'.
            with hv._make(None) as other:
                assert other.queue is queue
            queue.put(TaskId("task_x"), kind="video.purge", lane=Lane.LIGHT)
            until(lambda: queue.depth(Lane.LIGHT) == 0, within_s=20)
        finally:
            stop.set()
            worker.join(20)
