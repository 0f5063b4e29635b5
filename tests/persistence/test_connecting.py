"""
A primary dies, and its standby goes on.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine, make_url

from hvcore.errors import ConfigError, UnavailableError
from hvcore.persistence.connecting import REFUSED_FOR_S
from hvcore.persistence.database_url import parse_database_url
from hvcore.persistence.engine import make_engine, reading, writing
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.server_limits import CONNECT_S, limits_of_requests
from tests.support.databases.postgresql_pair import PostgresqlPair, postgresql_pair
from tests.support.live import until
from tests.support.network.silent_line import (
    SilentLine,
    silent_line,
    unavailable_within,
)
from tests.support.servers import PostgresqlServer

ANSWERS_WITHIN_S: Final = 4.0
LIMITS: Final = limits_of_requests(1.0)


@pytest.mark.parametrize(
    ("written", "hosts", "ports"),
    [
        ("one:1,two:2/hv", "one,two", "1,2"),
        ("one,two/hv", "one,two", None),
        ("one,two:2/hv", "one,two", ",2"),
        ("[::1]:1,[fe80::2]:2/hv", "::1,fe80::2", "1,2"),
        ("%2Frun%2Fa,%2Frun%2Fb/hv", "/run/a,/run/b", None),
        ("one:1,two:2/hv?sslmode=require", "one,two", "1,2"),
    ],
)
def test_several_hosts_are_written_as_for_other_programs_of_postgresql(
    written: str, hosts: str, ports: str | None
) -> None:
    url = parse_database_url(f"postgresql://u:p,w:@{written}")

    assert (url.query["host"], url.query.get("port")) == (hosts, ports)
    assert (url.username, url.password, url.database) == ("u", "p,w:", "hv")
    assert url.query.get("sslmode") == ("require" if "ssl" in written else None)


def test_several_hosts_may_be_written_as_sqlalchemy_does() -> None:
    url = parse_database_url("postgresql://u@/hv?host=one:1&host=two:2")

    (_, arguments) = url.get_dialect()().create_connect_args(url)
    assert (arguments["host"], arguments["port"]) == ("one,two", "1,2")


@pytest.mark.parametrize(
    "written",
    [
        "postgresql://u:s3cret@one:x/hv",
        "postgresql://u:s3cret@one:x,two/hv",
        "postgresql://u:s3cret@one,,two/hv",
        "postgresql://u:s3cret@one,two/hv?host=three",
        "u:s3cret@one,two",
    ],
)
def test_a_url_that_cannot_be_used_is_told_without_its_password(written: str) -> None:
    with pytest.raises(ConfigError, match="host1:5432,host2:5432") as caught:
        parse_database_url(written)

    assert "s3cret" not in repr(caught.value) + repr(caught.value.__cause__)


@pytest.mark.parametrize("password", ["a,b", "a,/b", "a:1,b:2", "a?,b"])
def test_a_password_may_have_a_comma(password: str) -> None:
    url = parse_database_url(f"postgresql://u:{password}@one:1/hv?options=-cx%3D1@2")

    assert (url.host, url.port, url.password) == ("one", 1, password)


def test_the_folder_of_a_sqlite_database_may_have_a_comma() -> None:
    url = parse_database_url("sqlite:////srv/a,b/hv.sqlite3")

    assert url.database == "/srv/a,b/hv.sqlite3"


@pytest.fixture
def lines(postgresql: PostgresqlServer) -> Iterator[tuple[SilentLine, SilentLine]]:
    """
    Two ways to one server, as if it were two.
    """
    folder = str(make_url(postgresql.new_database()).query["host"])
    socket = Path(folder, ".s.PGSQL.5432")
    with silent_line(socket) as first, silent_line(socket) as second:
        yield first, second


@pytest.mark.services
def test_a_silent_host_holds_up_one_attempt(
    lines: tuple[SilentLine, SilentLine],
) -> None:
    first, second = lines
    engine = make_engine(
        f"postgresql://postgres@127.0.0.1:{first.port},127.0.0.1:{second.port}/postgres",
        limits=LIMITS,
    )
    first.fall_silent()

    with unavailable_within(CONNECT_S + 1):
        ask(engine)
    began_s = time.monotonic()
    assert ask(engine) == 1
    engine.dispose()
    # Nor does it again, once its time to be left alone is over.
    until(lambda: time.monotonic() - began_s > REFUSED_FOR_S, within_s=5)
    began_s = time.monotonic()
    assert ask(engine) == 1

    assert time.monotonic() - began_s < CONNECT_S / 2
    first.speak()
    engine.dispose()


@pytest.mark.services
def test_a_server_that_refuses_writes_loses_its_connections(
    postgresql: PostgresqlServer,
) -> None:
    url = postgresql.new_database()
    engine = make_engine(url, limits=LIMITS)
    reads = FastReads(engine)
    pid = reads.prepare(sa.select(sa.func.pg_backend_pid()))
    with writing(engine) as connection:
        connection.exec_driver_sql("CREATE TABLE notes (text TEXT)")
        connection.commit()
    before = reads.first(pid, {})

    set_read_only(postgresql, "on")
    until(lambda: not is_written(engine), within_s=10)
    set_read_only(postgresql, "off")
    until(lambda: is_written(engine), within_s=10)

    assert reads.first(pid, {}) != before
    engine.dispose()
    postgresql.drop_database(url)


@pytest.fixture(scope="module")
def pair() -> Iterator[PostgresqlPair]:
    with postgresql_pair() as one:
        yield one


@pytest.fixture
def paired(pair: PostgresqlPair) -> Iterator[Engine]:
    engine = make_engine(pair.url("postgres"), limits=LIMITS)
    with writing(engine) as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS notes")
        connection.exec_driver_sql("CREATE TABLE notes (text TEXT)")
        connection.commit()
    yield engine
    engine.dispose()
    pair.rejoin()


@pytest.mark.services
def test_writes_go_on_at_the_standby_and_all_that_was_committed_is_there(
    pair: PostgresqlPair, paired: Engine
) -> None:
    write(paired)

    pair.primary.kill()
    with unavailable_within(ANSWERS_WITHIN_S):
        write(paired)
    pair.promote()
    write(paired)

    # The old one comes back, refuses writes, and stands first in the URL.
    pair.rejoin()
    paired.dispose()
    write(paired)
    assert notes(paired) == 3
    # And back again.
    pair.primary.kill()
    pair.promote()
    write(paired)
    assert notes(paired) == 4


@pytest.mark.services
def test_nothing_is_acknowledged_that_the_standby_lacks(
    pair: PostgresqlPair, paired: Engine
) -> None:
    write(paired)

    pair.standby.kill()

    with unavailable_within(ANSWERS_WITHIN_S):
        write(paired)
    assert notes(paired) == 1


def notes(engine: Engine) -> int:
    with reading(engine) as connection:
        counted = connection.exec_driver_sql("SELECT count(*) FROM notes")
        return int(counted.scalar_one())


def ask(engine: Engine) -> int:
    with reading(engine) as connection:
        return int(connection.exec_driver_sql("SELECT 1").scalar_one())


def write(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.exec_driver_sql("INSERT INTO notes VALUES ('a')")
        connection.commit()


def is_written(engine: Engine) -> bool:
    try:
        write(engine)
    except UnavailableError:
        return False
    return True


def set_read_only(server: PostgresqlServer, value: Literal["on", "off"]) -> None:
    server.ask(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
    # Sessions that are open are told, too.
    server.ask("SELECT pg_reload_conf()")
