"""Use the SQLAlchemy engine of another program whose database has the service's tables, too."""

from typing import Any, Final

from sqlalchemy.engine import Dialect, Engine

from hvcore.errors import ConfigError
from hvcore.extras import install_command
from hvcore.persistence.host_connections.held_here import note_connections

_DRIVERS: Final = {"postgresql": "psycopg", "sqlite": "pysqlite"}


def check_host_engine(host: object) -> None:
    """
    Raise ConfigError if the service cannot use the engine's connections; connects to nothing.

    Raises:
        ConfigError: The object was not made by ``sqlalchemy.create_engine``, is of an
            unsupported database or driver, or of a database in memory.
    """
    if not isinstance(host, Engine):
        raise ConfigError(
            f"engine: {type(host).__name__} cannot be used; make an engine of the same "
            "database with sqlalchemy.create_engine."
        )
    _check_driver(host.dialect)
    if host.dialect.name == "sqlite" and host.url.database in {None, "", ":memory:"}:
        raise ConfigError(
            "engine: SQLite needs a file, because several processes share it."
        )


def accept_host_engine(host: Engine) -> None:
    """
    Check an engine as check_host_engine does, and note its SQLite connections by thread.

    Raises:
        ConfigError: The service cannot use the engine's connections.
    """
    check_host_engine(host)
    if host.dialect.name == "sqlite":
        note_connections(host)


def open_as(host: Engine) -> Any:  # noqa: ANN401 - the driver's
    """
    Open a driver connection as another program's engine opens its own, with its arguments and listeners; return it.

    The connection takes no place in that program's pool: the caller may hold the last one.
    """
    # The same arguments and listeners, and no connection yet.
    opened = host.pool.recreate().connect()
    driver = opened.driver_connection
    opened.detach()
    return driver


def _check_driver(dialect: Dialect) -> None:
    wanted = _DRIVERS.get(dialect.name)
    if wanted is None:
        raise ConfigError(
            f"engine: {dialect.name} is not supported; use PostgreSQL or SQLite, or "
            "leave engine out and let the settings choose a database for the videos."
        )
    if dialect.driver == wanted and not dialect.is_async:
        return
    used = f"{dialect.driver}{' (async)' if dialect.is_async else ''}"
    if dialect.name == "sqlite":
        raise ConfigError(
            f"engine: the driver {used} is not supported; use Python's own, as in "
            "sqlite:////path/to/file."
        )
    raise ConfigError(
        f"engine: the driver {used} is not supported; use psycopg 3: "
        f"{install_command('postgresql')}, and write postgresql+psycopg://… in the URL "
        "of the engine."
    )
