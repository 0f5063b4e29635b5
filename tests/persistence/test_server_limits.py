"""
A PostgreSQL that is silent, and a network that swallows every packet.
"""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine, make_url

from hvcore.errors import UnavailableError
from hvcore.persistence.connecting import REFUSED_FOR_S
from hvcore.persistence.engine import (
    MIGRATION_TIMEOUT_MS,
    make_engine,
    reading,
    writing,
)
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.server_limits import (
    LIMITS_OF_JOBS,
    limits_of_requests,
)
from tests.support.live import until
from tests.support.network.silent_line import (
    SilentLine,
    silent_line,
    unavailable_within,
)
from tests.support.servers import PostgresqlServer

pytestmark = pytest.mark.services

TIMEOUT_S: Final = 1.0
ANSWERS_WITHIN_S: Final = 4.0
"""Of this timeout: a connection is asked for a second, a new one waited for for two."""
ONE: Final[sa.Select[int]] = sa.select(sa.literal_column("1"))


@pytest.fixture
def line(postgresql: PostgresqlServer) -> Iterator[SilentLine]:
    url = make_url(postgresql.new_database())
    with silent_line(Path(str(url.query["host"]), ".s.PGSQL.5432")) as one:
        yield one


@pytest.fixture
def url(line: SilentLine) -> str:
    return f"postgresql://postgres@127.0.0.1:{line.port}/postgres"


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    engine = make_engine(url, limits=limits_of_requests(TIMEOUT_S))
    yield engine
    engine.dispose()


def ask(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.execute(ONE).scalar_one())


def answers(engine: Engine) -> bool:
    try:
        return ask(engine) == 1
    except UnavailableError:
        return False


def test_a_connection_that_was_idle_is_given_up(
    engine: Engine, line: SilentLine
) -> None:
    assert ask(engine) == 1

    line.fall_silent()
    with unavailable_within(ANSWERS_WITHIN_S):
        ask(engine)
    line.speak()

    assert until(lambda: answers(engine), within_s=5)


def test_a_request_just_after_a_silence_is_refused_at_once(
    engine: Engine, line: SilentLine
) -> None:
    line.fall_silent()
    with unavailable_within(ANSWERS_WITHIN_S):
        ask(engine)

    began_s = time.monotonic()
    with unavailable_within(ANSWERS_WITHIN_S):
        ask(engine)
    assert time.monotonic() - began_s < REFUSED_FOR_S / 2
    line.speak()

    assert until(lambda: answers(engine), within_s=5)


def test_nobody_sees_that_an_idle_connection_has_died(
    engine: Engine, postgresql: PostgresqlServer
) -> None:
    with reading(engine) as connection:
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    other = make_engine(postgresql.new_database())
    with reading(other) as connection:
        ended = f"SELECT pg_terminate_backend({pid}, 5000)"
        assert connection.exec_driver_sql(ended).scalar_one()
    other.dispose()

    assert ask(engine) == 1


def test_a_read_is_given_up_and_not_tried_on_each_idle_connection(
    engine: Engine, line: SilentLine
) -> None:
    reads = FastReads(engine)
    one = reads.prepare(ONE)
    all_read = threading.Barrier(3)
    slow = reads.prepare(sa.select(sa.literal_column("pg_sleep(0.2)")))

    def read() -> None:
        all_read.wait(20)
        reads.first(slow, {})

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    line.fall_silent()
    with unavailable_within(ANSWERS_WITHIN_S):
        reads.first(one, {})
    line.speak()

    assert reads.first(one, {}) == (1,)


def test_a_transaction_ends_when_the_server_falls_silent(
    engine: Engine, line: SilentLine
) -> None:
    with unavailable_within(ANSWERS_WITHIN_S), writing(engine) as connection:
        connection.execute(ONE)
        line.fall_silent()
        connection.commit()
    line.speak()

    with writing(engine) as connection:
        assert connection.execute(ONE).scalar_one() == 1


def test_a_slow_statement_is_ended_by_the_server_and_its_connection_goes_on(
    engine: Engine,
) -> None:
    with reading(engine) as connection:
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    with (
        unavailable_within(ANSWERS_WITHIN_S),
        reading(engine) as connection,
    ):
        connection.exec_driver_sql("SELECT pg_sleep(30)")

    with reading(engine) as connection:
        again = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    assert again == pid


def test_a_migration_takes_as_long_as_it_takes(engine: Engine) -> None:
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        connection.exec_driver_sql(f"SELECT pg_sleep({TIMEOUT_S + 0.7})")

    # The next user of the connection is as impatient as before.
    with unavailable_within(ANSWERS_WITHIN_S), reading(engine) as connection:
        connection.exec_driver_sql("SELECT pg_sleep(30)")


def test_the_urls_own_limits_stand_above_ours(url: str) -> None:
    own = f"{url}?tcp_user_timeout=1234&options=-cstatement_timeout%3D0"
    engine = make_engine(own, limits=limits_of_requests(TIMEOUT_S))
    try:
        with reading(engine) as connection:
            assert tcp_user_timeout_ms(connection) == 1234
            connection.exec_driver_sql(f"SELECT pg_sleep({TIMEOUT_S + 0.7})")
    finally:
        engine.dispose()


def test_the_kernel_gives_up_what_nobody_acknowledges(url: str) -> None:
    engine = make_engine(url, limits=LIMITS_OF_JOBS)
    try:
        with reading(engine) as connection:
            assert tcp_user_timeout_ms(connection) == LIMITS_OF_JOBS.network_s * 1000
            assert option(connection, socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            assert option(connection, socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10
    finally:
        engine.dispose()


def test_the_server_gives_up_a_host_that_was_cut_off(url: str) -> None:
    engine = make_engine(url, limits=LIMITS_OF_JOBS)
    # What the server would do on a socket of another kind than this one.
    asked = "SELECT name, reset_val FROM pg_settings WHERE name LIKE 'tcp_%%'"
    try:
        with reading(engine) as connection:
            found = {row[0]: row[1] for row in connection.exec_driver_sql(asked)}
    finally:
        engine.dispose()

    assert found == {
        "tcp_keepalives_idle": "10",
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": "10000",
    }


def tcp_user_timeout_ms(connection: sa.Connection) -> int:
    return option(connection, socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)


def option(connection: sa.Connection, level: int, name: int) -> int:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    with socket.socket(fileno=driver.fileno()) as wrapped:
        try:
            return wrapped.getsockopt(level, name)
        finally:
            wrapped.detach()
