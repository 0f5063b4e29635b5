"""
What the database says of the work that waits, asked now and then.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import attrs
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from hvcore import __version__
from hvcore.domain.tasks.kinds import WEBHOOK_DELIVER
from hvcore.domain.tasks.task import TaskCount, TaskState
from hvcore.metrics import declared
from hvcore.metrics.measuring import GaugeOf
from hvcore.services.tasks.workload import Workload

EVERY_S: Final = 10.0
"""However often somebody asks for the metrics."""
WITHIN_S: Final = 1.5
"""What is not known by then is left out; everything else is in time."""
TOO_OLD_S: Final = 60.0
S_PER_MINUTE: Final = 60.0
_MAY_RUN: Final = frozenset({TaskState.DUE.value, TaskState.QUEUED.value})

_log = logging.getLogger(__name__)


class Sampled:
    """
    The latest answer of something that may hang; thread-safe.
    """

    def __init__(self, ask: Callable[[], Workload]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._is_asking = False
        self._asked_at_s = float("-inf")
        self._latest: tuple[float, Workload] | None = None

    def latest(self) -> Workload | None:
        """
        Return what is known; None if that is nothing, or too old to be true.
        """
        with self._lock:
            now = time.monotonic()
            if not self._is_asking and now - self._asked_at_s >= EVERY_S:
                self._is_asking, self._asked_at_s = True, now
                self._over = threading.Event()
                # A daemon: one that hangs holds up no exit.
                threading.Thread(target=self._run, name="workload", daemon=True).start()
            over, is_asking = self._over, self._is_asking
        if is_asking:
            over.wait(WITHIN_S)
        latest = self._latest
        if latest is None or time.monotonic() - latest[0] > TOO_OLD_S:
            return None
        return latest[1]

    def _run(self) -> None:
        try:
            found = self._ask()
            self._latest = (time.monotonic(), found)
        except Exception as error:  # noqa: BLE001 - a database that is away, say
            _log.info("work not counted", extra={"hv_why": str(error)})
        finally:
            with self._lock:
                self._is_asking = False
            self._over.set()


@attrs.frozen(kw_only=True, eq=False)
class SampleCollector(Collector):
    """
    What is asked for when somebody wants the metrics.

    Attributes:
        spool_dir: Where counts of this machine wait.
    """

    workload: Sampled
    spool_dir: Path

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """
        Yield the gauges that are known.
        """
        yield _gauge(declared.BUILD_INFO, [((__version__,), 1.0)])
        yield _gauge(declared.SPOOL_BACKLOG, [((), _size_bytes(self.spool_dir))])
        found = self.workload.latest()
        if found is not None:
            yield from _work(found)


def _work(found: Workload) -> Iterable[GaugeMetricFamily]:
    yield _gauge(
        declared.TASKS,
        [((one.lane, one.kind, _state(one)), one.count) for one in _summed(found)],
    )
    ages: dict[str, float] = {}
    waiting, webhook_age_s = 0, 0.0
    for one in found.counts:
        age_s = (found.at - one.oldest_due_at).total_seconds()
        may_run = one.state in _MAY_RUN and not one.is_later
        ages[one.lane] = max(ages.get(one.lane, 0.0), age_s if may_run else 0.0)
        if one.kind == WEBHOOK_DELIVER and one.state != TaskState.FAILED.value:
            waiting += one.count
            webhook_age_s = max(webhook_age_s, age_s if may_run else 0.0)
    yield _gauge(
        declared.TASK_OLDEST_AGE, [((lane,), age) for lane, age in ages.items()]
    )
    yield _gauge(declared.WEBHOOKS_WAITING, [((), waiting)])
    yield _gauge(declared.WEBHOOK_OLDEST_AGE, [((), webhook_age_s)])
    minutes = found.waiting_encode_s / S_PER_MINUTE
    yield _gauge(declared.ENCODE_WAITING, [((), minutes)])
    yield _gauge(declared.CLOCK_AHEAD, [((), found.clock_ahead_s)])
    if found.backed_up_at is not None:
        age_s = (found.at - found.backed_up_at).total_seconds()
        yield _gauge(declared.BACKUP_AGE, [((), age_s)])


def _summed(found: Workload) -> Iterable[TaskCount]:
    sums: dict[tuple[str, str, str], TaskCount] = {}
    for one in found.counts:
        key = (one.lane, one.kind, _state(one))
        before = sums.get(key)
        total = one.count + (before.count if before else 0)
        sums[key] = attrs.evolve(one, count=total)
    return sums.values()


def _state(one: TaskCount) -> str:
    is_later = one.is_later and one.state == TaskState.DUE.value
    return "later" if is_later else one.state


def _gauge(
    declaration: GaugeOf, values: Iterable[tuple[tuple[str, ...], float]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        declaration.name, declaration.help, labels=declaration.labels
    )
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def _size_bytes(folder: Path) -> float:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            # It was read, and removed.
            continue
    return float(total)
