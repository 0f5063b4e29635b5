"""
Connections to a database server, as many as threads.
"""

import threading
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from hvcore.assembly import Services, build
from hvcore.errors import UnavailableError
from hvcore.persistence import engine as engine_module
from hvcore.persistence.engine import CONNECTIONS, POOLED_CONNECTIONS, writing
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.settings import load
from hvcore_cli.processes.alone import API_THREADS, DELIVERY_THREADS
from hvcore_server.serving import DEFAULT_SHARES, most_threads
from tests.support.live import until
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services


@pytest.mark.parametrize("threads", [API_THREADS, DELIVERY_THREADS])
def test_no_thread_of_a_server_waits_for_anothers_connection(
    postgresql: PostgresqlServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    threads: int,
) -> None:
    monkeypatch.setattr(engine_module, "POOL_TIMEOUT_S", 0)
    url = postgresql.new_database()
    environ = {"HV_DATABASE__URL": url}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    most = most_threads(threads, DEFAULT_SHARES)
    try:
        with build(settings, connections=most) as services, ExitStack() as all_threads:
            for _ in range(most):
                all_threads.enter_context(writing(services.engine))
            with (
                pytest.raises(UnavailableError, match="Too many requests"),
                writing(services.engine),
            ):
                pass
    finally:
        postgresql.drop_database(url)


def test_a_process_has_a_connection_for_each_reader_and_keeps_ten(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    """
    As docs/how-to/embedding.md counts them for a host program.
    """
    url, readers = postgresql.new_database(), 25
    environ = {"HV_DATABASE__URL": url}
    settings = load(config_path=None, environ=environ, data_dir=tmp_path).settings
    asked = sa.select(sa.func.pg_sleep(sa.bindparam("long_s")))
    all_read = threading.Barrier(readers)

    def read(services: Services) -> None:
        reads = FastReads(services.engine)
        all_read.wait(20)
        reads.first(reads.prepare(asked), {"long_s": 3})

    try:
        with build(settings) as services, ExitStack() as writers:
            threads = [
                threading.Thread(target=read, args=(services,)) for _ in range(readers)
            ]
            for thread in threads:
                thread.start()
            until(lambda: sessions(url) == readers, within_s=20)
            for _ in range(CONNECTIONS):
                writers.enter_context(writing(services.engine))
            assert sessions(url) == readers + CONNECTIONS

            for thread in threads:
                thread.join(20)
            writers.close()
            until(lambda: sessions(url) == 2 * POOLED_CONNECTIONS, within_s=20)
    finally:
        postgresql.drop_database(url)


def sessions(url: str) -> int:
    """
    Return how many connections a database has beside the one that asks.
    """
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        found = connection.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        ).fetchone()
    assert found is not None
    return int(found[0])
