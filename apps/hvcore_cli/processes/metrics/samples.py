"""The metrics about waiting tasks, disks, and the backends on which the service depends."""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from hvcore_cli.processes.metrics.sampled import Sampled

S_PER_MINUTE: Final = 60.0
_MAY_RUN: Final = frozenset({TaskState.DUE.value, TaskState.QUEUED.value})


@attrs.frozen(kw_only=True, eq=False)
class SampleCollector(Collector):
    """
    A Prometheus collector of the metrics that are measured whenever Prometheus asks.

    Attributes:
        workload: The numbers of waiting and running tasks.
        spool_dir: The folder in which counts of this machine wait for the analytics sinks.
        dependencies: The dependencies by name; each says whether it answers.
        apps: Returns the servers of this machine's apps, each as the name of its app and
            whether it is ready.
        disks: The free disk space of folders, by name.
    """

    workload: Sampled[Workload]
    spool_dir: Path
    dependencies: Mapping[str, Sampled[bool]]
    apps: Callable[[], Sequence[tuple[str, Sampled[bool]]]]
    disks: Mapping[str, Sampled["DiskRoom"]]

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Yield the measured metrics; those whose values could not be found out are left out."""
        # All at once: if all of them hang, this takes as long as with one.
        self.workload.begin()
        for dependency in self.dependencies.values():
            dependency.begin()
        apps = self.apps()
        for _, server in apps:
            server.begin()
        for disk in self.disks.values():
            disk.begin()
        yield _gauge(declared.BUILD_INFO, [((__version__,), 1.0)])
        yield _gauge(declared.SPOOL_BACKLOG, [((), _size_bytes(self.spool_dir))])
        answers = {name: one.latest() for name, one in self.dependencies.items()}
        # One that has said nothing for long does not answer.
        yield _gauge(
            declared.DEPENDENCY_UP,
            [((name,), float(bool(answer))) for name, answer in answers.items()],
        )
        yield _gauge(declared.READY, _ready(apps).items())
        yield from self._rooms()
        found = self.workload.latest()
        if found is not None:
            yield from _work(found)

    def _rooms(self) -> Iterable[GaugeMetricFamily]:
        rooms = {
            name: room
            for name, one in self.disks.items()
            if (room := one.latest()) is not None
        }
        yield _gauge(
            declared.DISK_FREE, [((n,), one.free_bytes) for n, one in rooms.items()]
        )
        yield _gauge(
            declared.DISK_SIZE, [((n,), one.size_bytes) for n, one in rooms.items()]
        )


def _ready(
    apps: Sequence[tuple[str, Sampled[bool]]],
) -> Mapping[tuple[str, ...], float]:
    ready: dict[tuple[str, ...], float] = {}
    for name, server in apps:
        # Of several servers of an app, each must be.
        ready[name,] = min(ready.get((name,), 1.0), float(bool(server.latest())))
    return ready


@attrs.frozen(kw_only=True)
class DiskRoom:
    """The free space and the total size of a disk, both in bytes."""

    free_bytes: int
    size_bytes: int


def room_of(folder: Path) -> DiskRoom:
    """
    Return the free space and size of the disk on which a folder is, or will be made.

    Raises:
        OSError: The disk cannot be read.
    """
    there = next(one for one in (folder, *folder.parents) if one.exists())
    usage = shutil.disk_usage(there)
    return DiskRoom(free_bytes=usage.free, size_bytes=usage.total)


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
    for declaration, moment in (
        (declared.INSTALLATION_AGE, found.installed_at),
        (declared.BACKUP_AGE, found.backed_up_at),
    ):
        if moment is not None:
            yield _gauge(declaration, [((), (found.at - moment).total_seconds())])


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
