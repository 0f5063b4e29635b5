"""Wrap the connections that host programs give: SQLAlchemy's, Django's, or a driver's."""

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy.engine import Connection, Engine
from sqlalchemy.orm import Session, scoped_session

from hvcore.errors import ConfigError
from hvcore.persistence.host_connections.after_commit import call_after_commit
from hvcore.persistence.host_connections.drivers import FAILED, Driver, driver_of
from hvcore.persistence.host_connections.held_here import note_connection

OnHostCommit = Callable[[Callable[[], None]], object]
"""Takes a function that is to be called once the host program has committed."""

_AUTOCOMMIT: Final = (
    "This connection commits each statement (autocommit), so it has no transaction to "
    "share"
)


class HostConnection(ABC):
    """A database connection that a host program (which embeds hvcore) has given, usable until its transaction ends."""

    begin_hint = "begin one first"

    @property
    @abstractmethod
    def driver(self) -> Driver:
        """
        The driver's connection that the host program's connection wraps; a reconnect may change it.

        Raises:
            ConfigError: The connection cannot be used.
        """

    def begin(self) -> Driver:
        """
        Return the driver's connection, with a transaction open or begun by its next statement.

        Raises:
            ConfigError: The connection cannot be used, or commits each statement.
        """
        driver = self.driver
        driver.check()
        if driver.commits_each_statement and not driver.is_in_transaction:
            raise ConfigError(f"{_AUTOCOMMIT}; {self.begin_hint}.")
        return driver

    def is_of(self, engine: Engine) -> bool:
        """Return whether this connection leads to the database of the given engine."""
        return self.driver.is_of(engine)

    @property
    def on_commit(self) -> OnHostCommit | None:
        """The connection's own hook, which has a given function called after the commit; None if it has no such hook."""
        return None


class DriversConnection(HostConnection):
    """A database driver's connection that a host program has given without a wrapper."""

    begin_hint = (
        "begin one first: with BEGIN, with connection.transaction() of psycopg, or by "
        "opening the connection without autocommit"
    )

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def driver(self) -> Driver:
        return self._driver


class SqlalchemyConnection(HostConnection):
    """A SQLAlchemy connection that a host program has given."""

    begin_hint = "use one without the isolation level AUTOCOMMIT"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        if connection.closed:
            raise ConfigError(
                "This connection is closed; give one that is open, in its transaction."
            )
        self._driver = self.driver

    @property
    def driver(self) -> Driver:
        dialect = self._connection.dialect
        found = driver_of(self._connection.connection.driver_connection)
        if found is None or dialect.is_async:
            raise ConfigError(_unknown(f"the driver {dialect.driver}"))
        return found

    def begin(self) -> Driver:
        if not self._connection.in_transaction():
            self._connection.begin()
        note_connection(self._connection.connection)
        if self.driver.dialect == "sqlite":
            # It commits nothing by itself within what we begin.
            self.driver.check()
            return self.driver
        return super().begin()

    def is_of(self, engine: Engine) -> bool:
        # An engine's own creator knows where it leads; its address may not say so.
        return self._connection.engine.url == engine.url or super().is_of(engine)

    @property
    def on_commit(self) -> OnHostCommit:
        def call(later: Callable[[], None]) -> None:
            call_after_commit(self._connection, later)

        return call


class DjangoConnection(HostConnection):
    """A Django connection that a host program has given."""

    begin_hint = "call this within transaction.atomic()"

    def __init__(self, wrapper: Any) -> None:  # noqa: ANN401 - Django's
        self._wrapper = wrapper

    @property
    def driver(self) -> Driver:
        from django.db import (  # noqa: PLC0415 - there is a connection of it
            DatabaseError,
        )

        try:
            self._wrapper.validate_thread_sharing()
        except DatabaseError as exc:
            raise ConfigError(f"This connection cannot be used here: {exc}") from None
        self._wrapper.ensure_connection()
        found = driver_of(self._wrapper.connection)
        if found is None:
            raise ConfigError(_unknown(f"Django's {self._wrapper.display_name}"))
        return found

    def begin(self) -> Driver:
        driver = self.driver
        if self._wrapper.needs_rollback:
            raise ConfigError(FAILED)
        if self._wrapper.get_autocommit():
            raise ConfigError(f"{_AUTOCOMMIT}; {self.begin_hint}.")
        driver.check()
        return driver

    @property
    def on_commit(self) -> OnHostCommit | None:
        if not self._wrapper.in_atomic_block:
            # Whoever manages transactions by hand is told of none.
            return None

        def call(later: Callable[[], None]) -> None:
            self._wrapper.on_commit(later, robust=True)

        return call


def host_connection(connection: object) -> HostConnection:
    """
    Wrap a host program's connection, in whatever form it was given.

    Raises:
        ConfigError: The object is no connection, or one that cannot be used.
    """
    if isinstance(connection, Connection):
        return SqlalchemyConnection(connection)
    wrapper = _django_wrapper(connection)
    if wrapper is not None:
        return DjangoConnection(wrapper)
    driver = driver_of(connection)
    if driver is not None:
        return DriversConnection(driver)
    name = f"{type(connection).__module__}.{type(connection).__qualname__}"
    if isinstance(connection, Session | scoped_session):
        raise ConfigError(f"{name} is no connection; give session.connection().")
    raise ConfigError(_unknown(f"an object of {name}", connection))


def _unknown(name: str, connection: object = None) -> str:
    is_async = inspect.iscoroutinefunction(getattr(connection, "commit", None))
    if is_async or hasattr(connection, "__aenter__"):
        return (
            f"{name} is asynchronous and cannot be used; give a connection of a "
            "synchronous driver, in a thread such as that of asyncio.to_thread."
        )
    return (
        f"{name} cannot be used; give a connection of SQLAlchemy, Django, psycopg or "
        "sqlite3 that leads to the database with the videos."
    )


def _django_wrapper(connection: Any) -> Any:  # noqa: ANN401 - Django's
    """Return a connection of Django without the proxy before it; None if it is another."""
    django = sys.modules.get("django.db")
    base = sys.modules.get("django.db.backends.base.base")
    # Without the latter Django has made no connection.
    if django is None or base is None:
        return None
    if connection is django.connection:
        connection = django.connections[django.DEFAULT_DB_ALIAS]
    return connection if isinstance(connection, base.BaseDatabaseWrapper) else None
