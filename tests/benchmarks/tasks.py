"""
Tasks a second: taken, ended and rung for, while many others wait.

Workers are processes that take a task, end it and account for it, without any work in
between; so that is the most that all workers of an installation can begin and end. The
yardstick is the least that a queue in a database does: a row is taken with SKIP LOCKED
in one transaction and marked as ended in another, without shares of organizations.
Both wait for the disk as a database that people rely on does.

Run: ``python -m tests.benchmarks.tasks [--waiting N ...] [--processes N ...]``
"""

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import attrs
import psutil
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.domain.ids import OrgId
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.persistence import tables
from hvcore.persistence.engine import make_engine, writing
from hvcore.persistence.rows import new_task_to_row
from hvcore.services.tasks.lane_scheduler import LaneScheduler
from hvcore.settings import load
from tests.benchmarks.api.data import environ_of
from tests.benchmarks.processor_time import cpu_s
from tests.support.servers import postgresql_server

ORGS: Final = 200
BATCH: Final = 20_000
LOOKS: Final = 5
LANE: Final = Lane.LIGHT
DURABLE: Final = (
    "fsync=on",
    "autovacuum=on",
    "shared_buffers=1GB",
    "wal_level=replica",
)
"""What a database has on which people rely; max_wal_senders is 0 for the tests."""

TAKE: Final = sa.text(
    "UPDATE plain_tasks SET state = 1 WHERE id = (SELECT id FROM plain_tasks WHERE"
    " state = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id"
)
PLAIN_ROWS: Final = sa.text(
    "INSERT INTO plain_tasks (state, payload) SELECT 0, repeat('x', 40)"
    " FROM generate_series(1, :count)"
)
END: Final = sa.text("UPDATE plain_tasks SET state = 2 WHERE id = :id")


@attrs.frozen
class Figures:
    """
    What so many workers did.

    Attributes:
        cpu_ms: Processor time of a task, of the workers and of PostgreSQL together.
    """

    a_second: float
    cpu_ms: float


def rows_of(services: Services, count: int) -> Iterator[Sequence[Mapping[str, object]]]:
    """
    Yield the rows of due tasks, those of each organization in turn.
    """
    # As if they had waited: what is due this moment is not due for all clocks.
    now = services.clock.now() - timedelta(minutes=1)
    for start in range(0, count, BATCH):
        yield [
            new_task_to_row(
                NewTask(
                    kind="bench",
                    lane=LANE,
                    org_id=OrgId(f"org_{number % ORGS}"),
                    subject=f"vid_{number}",
                    payload={"job": number},
                ),
                now,
            )
            for number in range(start, min(start + BATCH, count))
        ]


def fill(services: Services, count: int) -> None:
    """
    Have so many tasks wait, and as many rows of the yardstick.
    """
    with writing(services.engine) as connection:
        for rows in rows_of(services, count):
            connection.execute(sa.insert(tables.tasks), rows)
        connection.execute(
            sa.text(
                "CREATE TABLE plain_tasks (id bigserial PRIMARY KEY, state int NOT"
                " NULL, payload text NOT NULL)"
            )
        )
        connection.execute(PLAIN_ROWS, {"count": count})
        connection.execute(sa.text("CREATE INDEX ON plain_tasks (id) WHERE state = 0"))
        connection.commit()
    with services.engine.connect() as connection:
        connection.execution_options(isolation_level="AUTOCOMMIT").execute(
            sa.text("VACUUM ANALYZE")
        )
    # The accounts of the organizations follow from the tasks.
    services.task_runs.ring()


def takes_ours(environ: Mapping[str, str]) -> Callable[[], bool]:
    """
    Return what takes and ends one task of ours.
    """
    found = load(config_path=None, environ=environ, data_dir=Path(environ["HV_DATA"]))
    services = build(found.settings, rings=False).__enter__()
    scheduler, worker = LaneScheduler([LANE]), f"bench-{os.getpid()}"

    def take() -> bool:
        task = services.task_runs.take_next(scheduler, worker=worker)
        if task is None:
            return False
        with services.uow.write() as work:
            assert work.tasks.finish(task)
            work.tasks.charge(task, 0.01)
            work.commit()
        return True

    return take


def takes_plain(environ: Mapping[str, str]) -> Callable[[], bool]:
    """
    Return what takes and ends one task of the yardstick.
    """
    engine = make_engine(environ["HV_DATABASE__URL"])

    def take() -> bool:
        with engine.connect() as connection:
            found = connection.execute(TAKE).scalar()
            connection.commit()
            connection.execute(END, {"id": found})
            connection.commit()
        return found is not None

    return take


def work(
    make: Callable[[Mapping[str, str]], Callable[[], bool]],
    environ: Mapping[str, str],
    seconds: float,
    ready: "multiprocessing.synchronize.Barrier",
    done: "multiprocessing.Queue[int]",
) -> None:
    """
    Take tasks for so many seconds, and tell how many.
    """
    take = make(environ)
    take()
    ready.wait()
    count, end = 0, time.monotonic() + seconds
    while time.monotonic() < end and take():
        count += 1
    done.put(count)
    # Its time counts while it is there.
    ready.wait()


def measure(
    make: Callable[[Mapping[str, str]], Callable[[], bool]],
    environ: Mapping[str, str],
    *,
    processes: int,
    seconds: float,
) -> Figures:
    """
    Have workers take tasks, all of them at once.
    """
    context = multiprocessing.get_context("fork")
    ready, done = context.Barrier(processes + 1), context.Queue()
    workers = [
        context.Process(target=work, args=(make, environ, seconds, ready, done))
        for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    this = psutil.Process()
    ready.wait()
    before_s, began = cpu_s(this.children(recursive=True)), time.monotonic()
    count = sum(done.get() for _ in workers)
    took_s = time.monotonic() - began
    used_s = cpu_s(this.children(recursive=True)) - before_s
    ready.wait()
    for worker in workers:
        worker.join()
    return Figures(count / took_s, used_s / count * 1000)


def took_ms(look: Callable[[], object]) -> float:
    """
    Return the median of some calls.
    """
    found = []
    for _ in range(LOOKS):
        began = time.monotonic()
        look()
        found.append((time.monotonic() - began) * 1000)
    return statistics.median(found)


@contextmanager
def filled(waiting: int) -> Iterator[tuple[Services, Mapping[str, str]]]:
    """
    Yield an installation on PostgreSQL with so many waiting tasks.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hv-")))
        server = stack.enter_context(postgresql_server(*DURABLE))
        database = server.new_database()
        environ = environ_of(folder / "data", database=database, redis="")
        environ |= {"HV_QUEUE__BACKEND": "sql", "HV_LIMITS__ENABLED": "false"}
        del environ["HV_QUEUE__OPTIONS__URL"], environ["HV_LIMITS__OPTIONS__URL"]
        settings = load(
            config_path=None, environ=environ, data_dir=folder / "data"
        ).settings
        services = stack.enter_context(build(settings, rings=False))
        services.migrate()
        began = time.monotonic()
        fill(services, waiting)
        print(f"\n{waiting:,} tasks wait ({time.monotonic() - began:.0f} s to fill)")
        yield services, environ


def compare(waiting: int, processes: Sequence[int], seconds: float) -> None:
    """
    Print what so many workers do while so many tasks wait.
    """
    with filled(waiting) as (services, environ):
        for number in processes:
            for name, make in (("ours", takes_ours), ("plain", takes_plain)):
                found = measure(make, environ, processes=number, seconds=seconds)
                print(
                    f"{number} workers, {name}: {found.a_second:.0f} tasks a second,"
                    f" {found.cpu_ms:.2f} ms of the processors each"
                )
        print(
            f"sweep: {took_ms(lambda: services.task_runs.sweep(holder='bench')):.0f} ms"
        )
        with services.uow.read() as work_:
            print(f"backlogs: {took_ms(work_.tasks.backlogs):.0f} ms")
            print(f"counts: {took_ms(work_.tasks.counts):.0f} ms")
            left = work_.tasks.lanes_with_work([LANE])
        assert left == [LANE]


def main() -> None:
    """
    Print the figures.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waiting", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--seconds", type=float, default=10.0)
    wanted = parser.parse_args()
    for waiting in wanted.waiting:
        compare(waiting, wanted.processes, wanted.seconds)


if __name__ == "__main__":
    main()
