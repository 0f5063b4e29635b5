"""Wrap a driver's connection of another program in a SQLAlchemy connection."""

from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import NullPool

from hvcore.persistence.driver_errors import share_errors
from hvcore.persistence.host_connections.drivers import Driver

_twins: Final[WeakKeyDictionary[Engine, Engine]] = WeakKeyDictionary()


def adopt(engine: Engine, driver: Driver) -> Connection:
    """
    Return a SQLAlchemy connection of the service on another program's driver connection.

    The driver's connection belongs to the other program: nothing here closes it, commits it
    or rolls it back.

    Args:
        engine: The service's own engine of the same database.
    """
    speaking = _speaking(engine, driver.name)
    pool: Any = NullPool(
        partial(_Borrowed, driver), reset_on_return=None, dialect=speaking.dialect
    )
    own = Connection(speaking, connection=pool.connect())
    if speaking.dialect.server_version_info is None:
        # What the server can, SQLAlchemy learns at the first connection. To open one
        # for that might wait for a place that the caller holds.
        speaking.dialect.initialize(own)
    return own


def _speaking(engine: Engine, driver: str) -> Engine:
    """Return the engine, or another one of the same database that speaks to a driver."""
    if engine.dialect.driver == driver:
        return engine
    twin = _twins.get(engine)
    if twin is None:
        # It connects to nothing, and translates errors alike.
        twin = _twins[engine] = sa.create_engine(
            f"postgresql+{driver}://",
            use_native_hstore=False,
            execution_options=dict(engine.get_execution_options()),
        )
        share_errors(twin)
    return twin


class _Borrowed:
    """A driver's connection whose end is another's affair."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def cursor(self) -> Any:  # noqa: ANN401 - the driver's
        return self._driver.cursor()

    def commit(self) -> None:
        """Leave the transaction as it is."""

    def rollback(self) -> None:
        """Leave the transaction as it is."""

    def close(self) -> None:
        """Leave the connection open."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the driver's
        return getattr(self._driver.connection, name)
