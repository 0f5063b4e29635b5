"""
Web side, workers and forks of a host program.
"""

import gc
import os
import signal
import threading
from pathlib import Path

import pytest

from hvcore.assembly import Services, build
from hvcore.domain.ids import TaskId
from hvcore.domain.tasks.task import Lane
from hvcore.embedding import ConfigError, Overrides, embed
from hvcore.embedding.process import ProcessServices
from hvcore.persistence.driver_errors import idle_connections
from hvcore.settings import load
from hvcore.testing.children import in_child
from tests.embedding.conftest import ENVIRON, Host
from tests.embedding.test_web import ask
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.fakes import MemoryQueue
from tests.support.live import until


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


def test_a_child_forked_while_the_services_are_made_makes_its_own(
    tmp_path: Path,
) -> None:
    settings = load(config_path=None, environ=ENVIRON, data_dir=tmp_path).settings
    parent, is_making, goes_on = os.getpid(), threading.Event(), threading.Event()

    def make() -> Services:
        if os.getpid() == parent:
            is_making.set()
            goes_on.wait(60)
        return build(settings)

    process = ProcessServices(make)
    thread = threading.Thread(target=lambda: process.services)
    thread.start()
    is_making.wait(20)
    try:
        made = in_child(lambda: type(process.services).__name__)
    finally:
        goes_on.set()
        thread.join()
        process.close()

    assert made == "Services"


def test_a_child_forked_while_the_apps_are_made_answers(tmp_path: Path) -> None:
    with embed(tmp_path, public_url="http://shop.example", environ=ENVIRON) as hv:
        with hv._web._lock.held():
            status = in_child(lambda: str(ask(hv.wsgi_app, "/api/nothing").status))

        assert status == "404"


def test_a_child_leaves_its_parents_connections_alone(host: Host) -> None:
    shop = host.shop
    upload = shop.grant_upload(file_name="a.mp4")
    shop.find(upload.video_id)
    engine = host.hv._process.services.engine
    connections = [one.driver for one in idle_connections(engine)]
    # SQLite's belong to a thread each.
    assert connections or host.engine.dialect.name == "sqlite"
    # Or the child would keep them, too.
    del engine

    def ask_in_child() -> str:
        name = host.shop.name
        gc.collect()
        return name

    assert in_child(ask_in_child) == "main"

    for connection in connections:
        connection.execute("SELECT 1")
    assert shop.find(upload.video_id).id == upload.video_id


def test_services_that_cannot_be_made_leave_nothing_open(tmp_path: Path) -> None:
    environ = {**ENVIRON, "HV_UPLOADS__DIRECT": "on"}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    made: list[Services] = []
    closed: list[Services] = []

    class Watched(Services):
        def close(self) -> None:
            closed.append(self)
            super().close()

    def make() -> Services:
        made.append(Watched(build(settings).recipe))
        return made[-1]

    process = ProcessServices(make)
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"uploads\.direct"):
            process.services.close()

    assert len(made) == 2
    assert closed == made


@pytest.mark.parametrize("name", ["run_worker", "run_sweep"])
def test_the_host_has_its_signal_handlers_back_at_the_end(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    numbers = (signal.SIGTERM, signal.SIGINT)

    def work() -> str:
        hosts = [lambda *_: None, signal.default_int_handler]
        for number, handler in zip(numbers, hosts, strict=True):
            signal.signal(number, handler)
        threading.Thread(target=end_this, args=(hosts[0],), daemon=True).start()
        with embed(tmp_path, environ={**ENVIRON, "HV_QUEUE__BACKEND": "local"}) as hv:
            getattr(hv, name)()
        after = [signal.getsignal(number) for number in numbers]
        return str(after == hosts)

    def end_this(hosts: object) -> None:
        until(lambda: signal.getsignal(signal.SIGTERM) is not hosts, within_s=20)
        os.kill(os.getpid(), signal.SIGTERM)

    assert in_child(work) == "True"


def test_a_worker_leaves_the_hosts_garbage_alone(tmp_path: Path) -> None:
    (tmp_path / "hvcore.sqlite3").write_bytes(sqlite_of_a_service())
    environ = {**ENVIRON, "HV_QUEUE__BACKEND": "local"}

    def work() -> str:
        before = gc.get_freeze_count()
        with embed(tmp_path, environ=environ) as hv:
            hv.run_worker(encodes=False, stopping=lambda: True)
        return str(gc.get_freeze_count() - before)

    # Of what the tests have frozen some may go meanwhile.
    assert int(in_child(work)) <= 0


class EmptyQueue(MemoryQueue):
    def __len__(self) -> int:
        return 0


def test_an_override_is_used_though_it_is_empty() -> None:
    queue = EmptyQueue()

    assert Overrides(queue=queue).given() == {"queue": queue}
    assert Overrides(auth_providers=()).given() == {}
