"""Run threads that take jobs out of their queues and work on them."""

import logging
import sqlite3
import threading
from collections.abc import Callable
from typing import Final

from hvcore_mediaconvert_local.clock import MovableClock
from hvcore_mediaconvert_local.errors import JobFailedError
from hvcore_mediaconvert_local.job_events import JobEvents
from hvcore_mediaconvert_local.job_run import JobRun
from hvcore_mediaconvert_local.job_store import JobStore
from hvcore_mediaconvert_local.jobs import LocalJob, LocalJobPhase, LocalJobStatus
from hvcore_mediaconvert_local.queues import LocalQueues

_log = logging.getLogger(__name__)

LOOK_AGAIN_S: Final = 0.5
"""The most seconds between the end of a job's delay and the beginning of its work."""


class JobStoppedError(Exception):
    """Say that the work on a job ends, because the job was canceled or the server stops."""


class JobRunner:
    """Work on the jobs of the queues, several at a time; thread-safe."""

    def __init__(
        self,
        store: JobStore,
        queues: LocalQueues,
        clock: MovableClock,
        events: JobEvents,
        run: JobRun,
    ) -> None:
        self._store = store
        self._queues = queues
        self._clock = clock
        self._events = events
        self._run = run
        self._stopping = threading.Event()
        self._canceled: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def start(self, encodes: int) -> None:
        """
        Start threads, each of which works on one job at a time.

        Jobs that an earlier server had begun start again.

        Args:
            encodes: The number of threads.
        """
        for job in self._store.with_status(LocalJobStatus.PROGRESSING):
            self._store.change(job.id, LocalJob.put_back)
        for number in range(encodes):
            thread = threading.Thread(target=self._work, name=f"encode-{number}")
            thread.start()
            self._threads.append(thread)

    def cancel(self, job_id: str) -> None:
        """End the work on a canceled job within a second."""
        event = self._canceled.get(job_id)
        if event is not None:
            event.set()

    def close(self) -> None:
        """End the work on all jobs; begun jobs stay PROGRESSING in the state file."""
        self._stopping.set()
        self._clock.wake()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                has_worked = self._work_on_next()
            except sqlite3.Error:
                # The disk of the state file may be full: others are worked on later.
                _log.exception("the state file cannot be used")
                has_worked = False
            if not has_worked:
                self._clock.wait(LOOK_AGAIN_S)

    def _work_on_next(self) -> bool:
        job = self._take()
        if job is None:
            return False
        try:
            self._work_on(job)
        finally:
            self._canceled.pop(job.id, None)
        return True

    def _take(self) -> LocalJob | None:
        now_s = self._clock.now_s()
        with self._store.changing():
            due = [
                job
                for job in self._store.with_status(LocalJobStatus.SUBMITTED)
                if job.due_at_s <= now_s and self._queues.free_places(job.queue) > 0
            ]
            if not due:
                return None
            first = min(due, key=lambda job: (-job.priority, job.number))
            # Before anybody can see that it is worked on, and cancel it.
            self._canceled[first.id] = threading.Event()
            return self._store.change(first.id, lambda job: job.begun(now_s))

    def _work_on(self, job: LocalJob) -> None:
        self._events.publish(job)
        canceled = self._canceled[job.id]
        progress = _Progress(job, self._store, self._events, canceled, self._stopping)
        try:
            made = self._run.run(job, progress)
            # An error that was ordered for the end.
            progress.move(LocalJobPhase.UPLOADING, 100)
        except JobStoppedError:
            return
        except JobFailedError as exc:
            self._fail(job, exc)
        except Exception as exc:  # noqa: BLE001 - a loop; it is logged
            # Whatever it is, the job must not stay PROGRESSING for ever.
            _log.exception("a job failed", extra={"hv_job": job.id})
            self._fail(job, JobFailedError(1999, f"{type(exc).__name__} (see the log)"))
        else:
            now_s = self._clock.now_s()
            self._end(job, lambda found: found.completed(made, now_s))

    def _fail(self, job: LocalJob, exc: JobFailedError) -> None:
        now_s = self._clock.now_s()
        self._end(job, lambda found: found.failed(exc.code, exc.message, now_s))

    def _end(self, job: LocalJob, change: Callable[[LocalJob], LocalJob]) -> None:
        ended = self._store.change(job.id, change)
        # One that was canceled meanwhile has told so already.
        if ended is not None and ended.status is not LocalJobStatus.CANCELED:
            self._events.publish(ended)
        self._clock.wake()


class _Progress:
    """Store and publish the progress of one job; used by one thread."""

    def __init__(
        self,
        job: LocalJob,
        store: JobStore,
        events: JobEvents,
        canceled: threading.Event,
        stopping: threading.Event,
    ) -> None:
        self._job = job
        self._store = store
        self._events = events
        self._canceled = canceled
        self._stopping = stopping

    def move(self, phase: LocalJobPhase, percent: int) -> None:
        self.check()
        fault = self._job.fault
        if fault.error_code and percent >= fault.at_percent:
            raise JobFailedError(fault.error_code, fault.error_message)
        if (phase, percent) == (self._job.phase, self._job.percent):
            return
        is_new = phase is not self._job.phase
        changed = self._store.change(
            self._job.id, lambda job: job.moved(phase, percent)
        )
        if changed is not None:
            self._job = changed
            if is_new:
                self._events.publish(changed, "STATUS_UPDATE")

    def check(self) -> None:
        if self._canceled.is_set() or self._stopping.is_set():
            raise JobStoppedError
