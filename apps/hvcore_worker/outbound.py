"""
Run outbound tasks, such as webhooks and fetches, many at a time in threads.

These tasks mostly wait for other people's servers. A thread of its own takes them from the
queue, so that light work never waits for them, and further threads run them. Only
work that starts no child processes may run here: a child's request to die with its parent
is tied to the thread that forked it.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from hvcore.assembly import Services
from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.kinds import FETCH_GET, TRANSCODE_CANCEL
from hvcore.domain.tasks.task import Lane, Task
from hvcore.errors import UnavailableError
from hvcore_worker.crowds import Crowds
from hvcore_worker.next_in_line import Lines
from hvcore_worker.outages import Outage

_log = logging.getLogger(__name__)

THREADS: Final = 24
"""The threads for outbound tasks in each light worker; a thread takes a few MB and sometimes a
connection. The limits below are for each light worker, too."""
MOST_OF_A_KIND: Final = 16
"""The most threads for one kind of task: fetches last for hours, so the rest is left to
webhooks, and the reverse."""
MOST_OF_A_KIND_AND_ORGANIZATION: Final = 8
MOST_FETCHES_OF_AN_ORGANIZATION: Final = 4
"""The most fetches of an organization at a time."""
RESERVED_FOR_NEWCOMERS: Final = 4
"""The threads of a kind that are reserved for organizations without a running task of the
kind."""
HANDS_BACK_WITHIN_S: Final = 1.5
"""The seconds in which tasks must be handed back at the end: tasks ask twice a second whether to
stop, and hv up kills a worker after 3 s."""
_LOOKS_EVERY_S: Final = 0.5


class OutboundThreads:
    """Threads of a worker that run outbound tasks (requests to other servers), one task in each."""

    def __init__(
        self,
        services: Services,
        *,
        worker: str,
        stopping: Callable[[], bool],
        leaving: Callable[[], bool] | None = None,
    ) -> None:
        self._queue = services.queue
        self._task_runs = services.task_runs
        self._worker = worker
        self._stopping = stopping
        self._leaving = leaving or stopping
        self._outage = Outage(self._leaving)
        self._ended = threading.Event()
        self._free = threading.Semaphore(THREADS)
        self._lock = threading.Lock()
        self._running: set[threading.Thread] = set()
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._lines = Lines()
        self._crowds = Crowds()

    @contextmanager
    def running(self) -> Iterator[None]:
        """
        Within the block, take and run outbound tasks; at its end, hand waiting tasks back.

        A task that does not stop in time ends with the process, and its lease runs out.
        """
        taker = self._start(self._consume)
        try:
            yield
        finally:
            while self._are_finishing():
                time.sleep(_LOOKS_EVERY_S)
            end = time.monotonic() + HANDS_BACK_WITHIN_S
            with self._lock:
                threads = [taker, *self._running]
            for thread in threads:
                thread.join(max(end - time.monotonic(), 0.0))
            with self._lock:
                waiting = self._lines.leave()
            self._put_back(waiting, lambda _: timedelta())

    def has_ended(self) -> bool:
        """Return whether outbound tasks are no longer taken, as after a bug in the queue."""
        return self._ended.is_set()

    def _are_finishing(self) -> bool:
        if self._stopping() or not self._leaving():
            return False
        with self._lock:
            return any(thread.is_alive() for thread in self._running)

    def _consume(self) -> None:
        try:
            self._queue.consume(
                self._handle, lanes=[Lane.OUTBOUND], until=self._leaving
            )
        except Exception:  # noqa: BLE001 - one of the three loops
            _log.exception("outbound tasks are no longer taken")
        finally:
            self._ended.set()

    def _handle(self, task_id: TaskId) -> None:
        # Waiting here leaves the messages in the queue, for other workers.
        while not self._free.acquire(timeout=_LOOKS_EVERY_S):
            if self._leaving():
                return
        try:
            is_started = self._begin_at_last(task_id)
        except BaseException:
            self._free.release()
            raise
        if not is_started:
            self._free.release()

    def _begin_at_last(self, task_id: TaskId) -> bool:
        while not self._leaving():
            try:
                is_started = self._begin(task_id)
            except UnavailableError as error:
                self._outage.wait(error)
            else:
                self._outage.end()
                return is_started
        return False

    def _begin(self, task_id: TaskId) -> bool:
        task = self._task_runs.take(task_id, worker=self._worker)
        if task is None:
            return False
        with self._lock:
            has_room = self._make_room(task)
            is_in_line = not has_room and self._join_line(task)
        if not has_room:
            if not is_in_line:
                self._task_runs.put_back(task, wait=self._refusal_wait(task))
            return False
        try:
            self._start(lambda: self._work(task))
        except RuntimeError:
            # The system has no more threads; the lease brings the task back.
            self._leave_room(task)
            raise
        return True

    def _work(self, task: Task) -> None:
        following: Task | None = task
        try:
            while following is not None:
                self._work_on(following)
                following = self._next_in_line(following)
        finally:
            with self._lock:
                self._running.discard(threading.current_thread())
            if following is not None:
                self._leave_room(following)
            self._free.release()

    def _work_on(self, task: Task) -> None:
        try:
            self._task_runs.work(task, stopping=self._stopping)
        except UnavailableError as error:
            # The lease brings the task back.
            _log.warning(
                "a task was left undone: the service does not answer",
                extra={"hv_task": task.id, "hv_why": error.detail},
            )
        except Exception:  # noqa: BLE001 - one of the three loops: task
            # The lease brings the task back.
            _log.exception("handling a task failed", extra={"hv_task": task.id})

    def _next_in_line(self, ended: Task) -> Task | None:
        """
        Return the task that takes over the place of one that has ended.

        If there is none, the place is left; those who wait too long are put back.
        """
        _, whose = _counted_as(ended)
        with self._lock:
            # At a stop, who waits is handed back with the rest.
            is_over = self._leaving()
            following = None if is_over else self._lines.next(whose)
            if following is not None:
                return following
            self._forget_counts(ended)
            late = [] if is_over else self._lines.leave(whose)
        self._put_back(late, self._refusal_wait)
        return None

    def _put_back(
        self, tasks: Sequence[Task], wait_of: Callable[[Task], timedelta]
    ) -> None:
        try:
            for task in tasks:
                self._task_runs.put_back(task, wait=wait_of(task))
        except Exception:  # noqa: BLE001 - one of the three loops
            # The lease brings the task back.
            _log.exception("tasks that waited were not put back")

    def _refusal_wait(self, task: Task) -> timedelta:
        with self._lock:
            return self._crowds.refused(task.kind, task.org_id)

    def _make_room(self, task: Task) -> bool:
        of_kind, of_both = _counted_as(task)
        own = self._counts[of_both]
        reserved = RESERVED_FOR_NEWCOMERS if own else 0
        is_full = self._counts[of_kind] >= MOST_OF_A_KIND - reserved
        if is_full or own >= _most_of_one(task.kind):
            return False
        self._counts.update((of_kind, of_both))
        return True

    def _join_line(self, task: Task) -> bool:
        _, of_both = _counted_as(task)
        # Only where somebody will look at the line when it ends.
        has_predecessor = self._counts[of_both] > 0
        return (
            task.kind == TRANSCODE_CANCEL
            and has_predecessor
            and self._lines.join(of_both, task)
        )

    def _leave_room(self, task: Task) -> None:
        with self._lock:
            self._forget_counts(task)

    def _forget_counts(self, task: Task) -> None:
        self._counts.subtract(_counted_as(task))
        # Drops those that have come down to none.
        self._counts += Counter()

    def _start(self, work: Callable[[], None]) -> threading.Thread:
        # Daemons: a process that is to end waits for nobody's server.
        thread = threading.Thread(target=work, name="outbound", daemon=True)
        with self._lock:
            # Held while it starts: it leaves the set at its end.
            thread.start()
            self._running.add(thread)
        return thread


def _most_of_one(kind: str) -> int:
    if kind == FETCH_GET:
        return MOST_FETCHES_OF_AN_ORGANIZATION
    return MOST_OF_A_KIND_AND_ORGANIZATION


def _counted_as(task: Task) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (task.kind,), (task.kind, task.org_id)
