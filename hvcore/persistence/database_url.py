"""Parse the URL of the database, which may name several hosts as libpq's URIs do."""

import re
from typing import Final
from urllib.parse import unquote

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from hvcore.errors import ConfigError

_POSTGRESQL_NAMES: Final = {"postgres", "postgresql", "postgresql+psycopg"}
_SEVERAL_HOSTS: Final = re.compile(
    # Possessive: a comma in a password is none between hosts.
    r"(?P<before>[\w+]+://(?:[^:/@]*(?::[^@]*)?@)?+)"
    r"(?P<places>[^/?@]*,[^/?@]*)"
    r"(?P<after>(?:[/?].*)?)"
)
_PLACE: Final = re.compile(r"(?P<host>\[[^]]+\]|[^:\[\]]+)(?::(?P<port>[0-9]*))?")


def parse_database_url(url: str) -> URL:
    """
    Parse the database URL of the settings; return it as SQLAlchemy's URL, with the driver to use.

    Several hosts may stand where one does (``host1:5432,host2:5432``), as in libpq's
    connection URIs, of which SQLAlchemy knows another form (``?host=…&host=…``).

    Raises:
        ConfigError: The URL cannot be used.

    Source: PostgreSQL, "Connection Strings" (libpq), "Specifying Multiple Hosts".
    """
    try:
        parsed = _parse(url)
    # Without its text: a part of a password may stand where a port is looked for.
    except (ArgumentError, ValueError):
        raise ConfigError(
            "database.url: not a database URL; expected sqlite:////path/to/file, "
            "postgresql://user:password@host/name, or, with standbys, "
            "postgresql://user:password@host1:5432,host2:5432/name"
        ) from None
    if parsed.drivername in _POSTGRESQL_NAMES:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in {"sqlite", "sqlite+pysqlite"}:
        raise ConfigError(
            f"database.url: {parsed.drivername} is not supported; "
            "use sqlite or postgresql"
        )
    if not parsed.database or parsed.database == ":memory:":
        raise ConfigError(
            "database.url: SQLite needs a file, because several processes share it"
        )
    return parsed


def _parse(url: str) -> URL:
    found = _SEVERAL_HOSTS.fullmatch(url)
    if found is None or url.startswith("sqlite"):
        return make_url(url)
    places = [_PLACE.fullmatch(place) for place in found["places"].split(",")]
    hosts = [unquote(place["host"]).strip("[]") for place in places if place]
    ports = [place["port"] or "" for place in places if place]
    parsed = make_url(found["before"] + found["after"])
    # Also where one is empty: libpq would take its own default for it.
    if len(hosts) < len(places) or {"host", "port"} & parsed.query.keys():
        raise ArgumentError("hosts")
    said = {"host": ",".join(hosts)}
    if any(ports):
        said["port"] = ",".join(ports)
    return parsed.update_query_dict(said)
