"""
A worker: takes tasks from the lanes of the queue until it is told to end.

A queue message says only that there is a task to run. The database then decides which task is
taken, and the worker takes further tasks until there are none. So an organization that sent
more messages is not served more often, and no task waits for a lost message.
"""

import gc
import logging
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services, build
from hvcore.domain.ids import TaskId
from hvcore.domain.processing.transcoding import Capabilities
from hvcore.domain.tasks.task import Lane
from hvcore.errors import UnavailableError
from hvcore.processes.names import process_name
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from hvcore.services.tasks.runs import TaskRuns
from hvcore.settings import Settings
from hvcore_worker.outages import Outage
from hvcore_worker.outbound import OutboundThreads
from hvcore_worker.presence import present
from hvcore_worker.scratch import remove_orphans, scratch_folder
from hvcore_worker.stopping import Stopping, stops_within

RESERVE_LOOKS_EVERY_S: Final = 1.0
"""The seconds between two looks of a reserve worker, by a query that locks nothing: a clip of an
organization without an encode in progress waits only so long."""
RESTS_FOR_S: Final = 0.5
"""The seconds for which a worker without tasks rests before it asks again whether to end."""
WEAK_SANDBOX: Final = "rlimits"
"""The level of a sandbox without bubblewrap."""

_log = logging.getLogger(__name__)


def run_worker(
    settings: Settings,
    lanes: Sequence[Lane],
    *,
    is_reserve: bool = False,
    is_kept: bool = False,
) -> None:
    """
    Run tasks in this process until SIGTERM: one at a time, but outbound tasks in threads.

    On SIGTERM, running tasks are handed back at once. A worker that is told to leave
    (``hvcore_worker.presence``) finishes them first.

    Args:
        is_kept: Whether a supervisor starts the worker again when it ends.
        is_reserve: Whether the worker only takes tasks of organizations that have no
            running task, while another organization has one. It has no outbound lane.

    Raises:
        RuntimeError: The thread that takes outbound tasks has ended; a new process is
            needed.
    """

    def make(folder: Path) -> Services:
        services = build(settings, work_dir=folder)
        _freeze(services)
        return services

    stopping = Stopping()
    name = f"{socket.gethostname()}, process {os.getpid()}"
    with present(settings.data_dir, stopping, name=name, is_kept=is_kept):
        work_until(
            stopping,
            make,
            data_dir=settings.data_dir,
            lanes=lanes,
            is_reserve=is_reserve,
            leaving=stopping.is_leaving,
        )


def work_until(  # noqa: PLR0913 - what differs between programs
    stopping: Callable[[], bool],
    make: Callable[[Path], Services],
    *,
    data_dir: Path,
    lanes: Sequence[Lane],
    is_reserve: bool = False,
    leaving: Callable[[], bool] | None = None,
) -> None:
    """
    Run tasks in this thread until told to end; like ``run_worker``, but without signals.

    Args:
        stopping: Returns whether the work is to end at once.
        make: Makes the services, with a folder for temporary files.
        lanes: The lanes from which tasks are taken.
        is_reserve: Whether only tasks of organizations are taken that have nothing
            running in the lane.
        leaving: Returns whether no more tasks are to be taken, and the work is to end after
            the running tasks; true whenever ``stopping`` is. None: the same as ``stopping``.
    """
    leaving = leaving or stopping
    name = process_name(data_dir)
    scratch = data_dir / "work"
    remove_orphans(scratch)
    with scratch_folder(scratch) as folder, make(folder) as services:
        task_runs = services.task_runs
        _log.info(
            "worker ready",
            extra={"hv_worker": name, "hv_lanes": [lane.value for lane in lanes]},
        )
        # The one that a reserve stands beside says so, and each trial takes 0.15 s.
        if Lane.ENCODE in lanes and not is_reserve:
            _tell_confinement(services.transcoder.capabilities())

        own = [lane for lane in lanes if lane is not Lane.OUTBOUND]
        threads: OutboundThreads | None = None

        def shall_end() -> bool:
            # Asked between tasks, in the thread that runs them.
            services.source_cache.remove_idle()
            return leaving() or (threads is not None and threads.has_ended())

        loop = _Loop(
            task_runs=task_runs,
            scheduler=LaneScheduler(own),
            worker=name,
            stopping=stopping,
            shall_end=shall_end,
            is_reserve=is_reserve,
        )
        if is_reserve:
            # Messages are for those who take everything: one that came here would
            # be missing there.
            while not stops_within(leaving, RESERVE_LOOKS_EVERY_S):
                loop.handle()
            return
        if Lane.OUTBOUND not in lanes:
            services.queue.consume(loop.handle, lanes=own, until=shall_end)
            return
        threads = OutboundThreads(
            services, worker=name, stopping=stopping, leaving=leaving
        )
        with threads.running():
            services.queue.consume(loop.handle, lanes=own, until=shall_end)
        if not leaving():
            raise RuntimeError("outbound tasks are no longer taken")


@attrs.define(kw_only=True)
class _Loop:
    """Takes one task after the other, as long as there are any."""

    task_runs: TaskRuns
    scheduler: LaneScheduler
    worker: str
    stopping: Callable[[], bool]
    shall_end: Callable[[], bool]
    is_reserve: bool
    _outage: Outage = attrs.field(init=False)

    @_outage.default
    def _no_outage(self) -> Outage:
        return Outage(self.stopping)

    def handle(self, _: TaskId | None = None) -> None:
        """Run tasks until there are no more, or until the worker is to end."""
        while not self.shall_end():
            if self.task_runs.rest.lasts:
                # Waiting here leaves the messages to other workers.
                stops_within(self.stopping, RESTS_FOR_S)
            elif not self._run_next():
                return

    def _run_next(self) -> bool:
        """Return whether there may be more to do."""
        try:
            has_worked = self.task_runs.run_next(
                self.scheduler,
                worker=self.worker,
                stopping=self.stopping,
                for_reserve=self.is_reserve,
            )
        except UnavailableError as error:
            self._outage.wait(error)
            return True
        self._outage.end()
        return has_worked


def _freeze(services: Services) -> None:
    # Makes all that tasks need.
    assert services.task_runs is not None  # noqa: S101 - reading it is what makes it
    # To look through all of this for garbage again and again would take 70 ms each
    # time, maybe while a task holds a lock of the database. Another program's process
    # has its own ways.
    gc.collect()
    gc.freeze()


def _tell_confinement(able: Capabilities) -> None:
    _log.log(
        # Without bubblewrap, files of this machine are not hidden from ffmpeg.
        logging.WARNING if able.sandbox == WEAK_SANDBOX else logging.INFO,
        "what strangers have uploaded is confined",
        extra={"hv_sandbox": able.sandbox or "unknown"},
    )
