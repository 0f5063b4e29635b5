"""
Limit the time that a process waits for a PostgreSQL server that is silent or unreachable.

Three limits work together, because each sees what the others do not. The server ends a statement that
takes too long. The kernel ends a connection whose packets are not acknowledged. And the
process ends a connection on which no answer comes: a frozen server acknowledges packets all the
same.
"""

import time
import weakref
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, Final

import attrs
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection, Dialect, Engine
from sqlalchemy.pool import ConnectionPoolEntry

from hvcore.persistence.connecting import Connecting, openings

CONNECT_S: Final = 2
"""To each address of the server; the driver takes no less."""
PING_S: Final = 1.0
"""For a connection that nobody has used for a while. Together with the time of a new one
it stays below what a request waits."""
MARGIN_S: Final = 0.5
"""The server says first that a statement took too long: its connection goes on."""
POOL_TIMEOUT_S: Final = 2
"""Rather answer 503 than hold a request thread for longer."""
KEEPALIVE_IDLE_S: Final = 10
KEEPALIVE_INTERVAL_S: Final = 5
KEEPALIVES: Final = 3
"""A connection that nobody uses is known to be dead after 25 s, as by no default."""


@attrs.frozen(kw_only=True)
class ServerLimits:
    """
    The limits on how long the statements of a process may take.

    Attributes:
        statement_s: How long a statement may take.
        lock_s: How long a statement may wait for a lock.
        network_s: How long network packets may stay unacknowledged before the connection is given
            up.
    """

    statement_s: float
    lock_s: float
    network_s: float

    @property
    def silence_s(self) -> float:
        """The seconds without an answer after which a connection is given up."""
        return self.statement_s + MARGIN_S

    @property
    def options(self) -> dict[str, str]:
        """The settings of a PostgreSQL session, by name, that have the server enforce the limits."""
        return {
            # A row lock is held for milliseconds; longer means that its owner hangs.
            "lock_timeout": f"{self.lock_s * 1000:.0f}ms",
            "statement_timeout": f"{self.statement_s * 1000:.0f}ms",
            # A frozen process must not keep its row locks for ever.
            "idle_in_transaction_session_timeout": "60s",
            # Of the server's side. A host that was cut off says no goodbye: for two
            # hours its connections and locks would stay, as Linux has it by default.
            "tcp_keepalives_idle": f"{KEEPALIVE_IDLE_S}s",
            "tcp_keepalives_interval": f"{KEEPALIVE_INTERVAL_S}s",
            "tcp_keepalives_count": f"{KEEPALIVES}",
            "tcp_user_timeout": f"{self.network_s * 1000:.0f}ms",
        }


def limits_of_requests(timeout_s: float) -> ServerLimits:
    """
    Return the limits of a process that answers callers, who wait for the database.

    Args:
        timeout_s: How long a caller waits for the database.
    """
    return ServerLimits(statement_s=timeout_s, lock_s=timeout_s, network_s=timeout_s)


LIMITS_OF_JOBS: Final = ServerLimits(
    # Far above any statement of ours, below what an operator would wait.
    statement_s=30,
    lock_s=10,
    network_s=10,
)


def connect_arguments(url: URL, limits: ServerLimits) -> dict[str, Any]:
    """Return the driver's connection arguments that enforce the limits, without those that the URL sets already."""
    settings = " ".join(f"-c {name}={value}" for name, value in limits.options.items())
    arguments: dict[str, Any] = {
        "connect_timeout": CONNECT_S,
        "options": settings,
        "keepalives": 1,
        "keepalives_idle": KEEPALIVE_IDLE_S,
        "keepalives_interval": KEEPALIVE_INTERVAL_S,
        "keepalives_count": KEEPALIVES,
        # Without it the kernel sends again and again for a quarter of an hour.
        "tcp_user_timeout": int(limits.network_s * 1000),
    }
    return {name: value for name, value in arguments.items() if name not in url.query}


class AnswerLimit:
    """
    Wait for the answers of a psycopg connection, and close it when none comes in time.

    Replaces the connection's own method ``wait``.
    """

    def __init__(self, driver: Any, limit_s: float | None) -> None:  # noqa: ANN401 - psycopg's, which may be missing
        # The connection has this, too: a cycle would keep it open for longer.
        self._driver = weakref.ref(driver)
        self._wait: Callable[..., Any] = type(driver).wait
        self.usual_s = limit_s
        self.limit_s = limit_s

    def __call__(
        self,
        generator: Generator[Any, Any, Any],
        interval: float = 0.1,
        timeout: float | None = None,
    ) -> Any:  # noqa: ANN401 - whatever the generator returns
        from psycopg import OperationalError  # noqa: PLC0415 - loaded: it calls

        driver: Any = self._driver()
        limit_s = self.limit_s if timeout is None else timeout
        began_s = time.monotonic()
        try:
            return self._wait(driver, generator, interval, limit_s)
        except OperationalError:
            if limit_s is not None and time.monotonic() - began_s >= limit_s:
                # What comes late must not be taken for the next statement's answer.
                driver.pgconn.finish()
            raise


def keep_limits(
    engine: Engine, limits: ServerLimits, connecting: Connecting, *, of_host: bool
) -> None:
    """
    Have all connections of an engine enforce the limits.

    Args:
        of_host: Whether the connections are opened as another program opens its own.
    """
    # What the URL says stands above, and the server knows it.
    is_said = "options" in engine.url.query and not of_host
    event.listen(engine, "do_connect", partial(_connect, connecting))
    # First: what else is done with a new connection waits for answers, too.
    event.listen(
        engine, "connect", partial(_limit_answers, None if is_said else limits)
    )
    event.listen(engine, "checkin", _wait_as_usual)
    _ping_soon(engine.dialect)
    if of_host:
        event.listen(engine, "connect", partial(_set_timeouts, limits))


def wait_long(connection: Connection) -> None:
    """Wait without limit for a connection's answers, until the connection is back in its pool."""
    connection.info[AnswerLimit].limit_s = None


def set_for_good(connection: Any, name: str, value: str) -> None:  # noqa: ANN401 - psycopg's, which may be missing
    """Set a PostgreSQL setting on a connection for as long as the connection is open."""
    # Outside of a transaction, with whose end the old value would be back.
    connection.autocommit = True
    connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    connection.autocommit = False


def _connect(
    connecting: Connecting,
    dialect: Dialect,
    _record: object,
    words: tuple[Any, ...],
    arguments: dict[str, Any],
) -> Any:  # noqa: ANN401 - the driver's
    return connecting(openings(partial(dialect.connect, *words), arguments))


def _set_timeouts(limits: ServerLimits, connection: Any, _record: object) -> None:  # noqa: ANN401 - psycopg's, which may be missing
    # What a connection of ours is opened with.
    for name, value in limits.options.items():
        set_for_good(connection, name, value)


def _limit_answers(
    limits: ServerLimits | None,
    driver: Any,  # noqa: ANN401 - psycopg's, which may be missing
    record: ConnectionPoolEntry,
) -> None:
    # Without limits of ours, the server says how long a statement may take.
    silence_s = _asked_silence_s(driver) if limits is None else limits.silence_s
    driver.wait = record.info[AnswerLimit] = AnswerLimit(driver, silence_s)


def _wait_as_usual(_driver: object, record: ConnectionPoolEntry) -> None:
    # Its next user is no migration.
    if limit := record.info.get(AnswerLimit):
        limit.limit_s = limit.usual_s


def _ping_soon(dialect: Dialect) -> None:
    # Whether a connection is alive shows sooner than a statement ends.
    ping = dialect.do_ping

    def ping_within(dbapi_connection: Any) -> bool:  # noqa: ANN401 - psycopg's, which may be missing
        limit = dbapi_connection.wait
        limit.limit_s = PING_S if limit.limit_s is None else min(PING_S, limit.limit_s)
        try:
            return ping(dbapi_connection)
        finally:
            limit.limit_s = limit.usual_s

    dialect.do_ping = ping_within  # type: ignore[method-assign]  # it has no option for it


def _asked_silence_s(driver: Any) -> float | None:  # noqa: ANN401 - psycopg's, which may be missing
    asked = "SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout'"
    # Outside of a transaction, which nobody would end.
    driver.autocommit = True
    (timeout_ms,) = driver.execute(asked).fetchone()
    driver.autocommit = False
    return timeout_ms / 1000 + MARGIN_S if timeout_ms else None
