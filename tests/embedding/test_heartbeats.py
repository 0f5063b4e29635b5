"""
The database knows which programs embed the service, without a thread in them.
"""

import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.clock import SystemClock
from hvcore.embedding import embed, process
from hvcore.embedding.process import BEAT_LASTS
from hvcore.persistence import presence
from hvcore.persistence.engine import make_engine
from hvcore.persistence.presence import older_processes
from hvcore_worker import database_heartbeat
from tests.embedding.conftest import ENVIRON, Host
from tests.embedding.test_web import ask
from tests.support.databases.migrated import sqlite_of_a_service
from tests.support.live import until


@pytest.fixture(autouse=True)
def _an_older_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "SCHEMA", "0001")


def kinds(engine: Engine, *, after: timedelta = timedelta()) -> Sequence[str]:
    return [one.kind for one in older_processes(engine, SystemClock().now() + after)]


def test_a_program_that_embeds_the_service_is_at_work_once_it_is_used(
    host: Host,
) -> None:
    own = host.hv._process._make()
    before = threading.active_count()
    assert kinds(own.engine) == []

    assert host.shop.name == "main"

    assert kinds(own.engine) == ["embedded 0.1.0"]
    assert kinds(own.engine, after=BEAT_LASTS - timedelta(minutes=1)) != []
    assert kinds(own.engine, after=BEAT_LASTS) == []
    assert threading.active_count() == before
    own.close()


def test_a_program_that_ends_its_use_is_forgotten_at_once(host: Host) -> None:
    assert host.shop.name == "main"
    own = host.hv._process._make()

    host.hv.close()

    assert kinds(own.engine) == []
    own.close()


def test_a_program_in_use_writes_its_heartbeat_at_most_once_a_minute(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert host.shop.name == "main"
    own = host.hv._process._make()
    own.forget_process("embedded")

    for _ in range(3):
        assert host.shop.name == "main"
    assert kinds(own.engine) == []

    later = time.monotonic() + process.BEATS_EVERY_S
    monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: later))
    assert host.shop.name == "main"
    assert kinds(own.engine) == ["embedded 0.1.0"]
    own.close()


def test_a_heartbeat_hardly_waits_for_a_transaction_of_the_host(host: Host) -> None:
    shop = host.shop
    upload = shop.grant_upload(file_name="a.mp4")
    host.hv._process._beats_again_at_s.clear()

    with host.engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO orders VALUES ('1', 'x')"))
        began_at_s = time.monotonic()
        assert shop.find(upload.video_id).id == upload.video_id

    assert time.monotonic() - began_at_s < 2


def test_a_close_hardly_waits_for_a_transaction_of_the_host(host: Host) -> None:
    assert host.shop.name == "main"

    with host.engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO orders VALUES ('1', 'x')"))
        began_at_s = time.monotonic()
        host.hv.close()

    assert time.monotonic() - began_at_s < 2


def test_a_sweep_that_began_before_the_tables_has_a_heartbeat_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_heartbeat, "BEATS_EVERY_S", 0.1)
    over = threading.Event()
    with embed(tmp_path, environ={**ENVIRON, "HV_QUEUE__BACKEND": "local"}) as hv:
        database_heartbeat.begin_to_beat(hv._process._make, "embedded sweep", over)
        try:
            hv.migrate()
            engine = make_engine(f"sqlite:///{tmp_path / 'hvcore.sqlite3'}")
            until(
                lambda: "embedded sweep 0.1.0" in kinds(engine),
                within_s=20,
                what="the heartbeat",
            )
        finally:
            over.set()
    engine.dispose()


def test_each_task_of_a_program_has_a_heartbeat_of_its_own(host: Host) -> None:
    assert host.shop.name == "main"
    own = host.hv._process._make()
    own.beat("embedded sweep")

    host.hv.close()

    assert kinds(own.engine) == ["embedded sweep 0.1.0"]
    own.close()


def test_a_program_without_tables_has_no_heartbeat_and_goes_on(
    empty_host: Host,
) -> None:
    assert not empty_host.hv.is_migrated()

    empty_host.hv.migrate()

    assert empty_host.hv.is_migrated()


def test_a_request_is_a_use(tmp_path: Path) -> None:
    path = tmp_path / "hvcore.sqlite3"
    path.write_bytes(sqlite_of_a_service())
    with embed(tmp_path, public_url="http://shop.example", environ=ENVIRON) as hv:
        assert ask(hv.wsgi_app, "/api/nothing").status == 404

        engine = make_engine(f"sqlite:///{path}")
        assert kinds(engine) == ["embedded 0.1.0"]
        engine.dispose()


@pytest.mark.parametrize("name", ["worker", "sweep"])
def test_an_embedded_worker_or_sweep_has_a_heartbeat(tmp_path: Path, name: str) -> None:
    path = tmp_path / "hvcore.sqlite3"
    path.write_bytes(sqlite_of_a_service())
    engine = make_engine(f"sqlite:///{path}")
    stop = threading.Event()
    options = {"encodes": False} if name == "worker" else {}
    with embed(tmp_path, environ={**ENVIRON, "HV_QUEUE__BACKEND": "local"}) as hv:
        runs = threading.Thread(
            target=getattr(hv, f"run_{name}"),
            kwargs={**options, "stopping": stop.is_set},
        )
        runs.start()
        try:
            until(lambda: kinds(engine) == [f"embedded {name} 0.1.0"], within_s=20)
        finally:
            stop.set()
            runs.join(20)
    engine.dispose()
