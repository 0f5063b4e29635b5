"""
Record in the database the installation's id, its running processes, and its newest backup.

The records are rows of the table ``leaders``, each a name, a holder and a moment.
"""

import re
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.persistence.engine import reading, writing
from hvcore.persistence.schema_version import NEWEST_CONTRACT, NEWEST_EXPAND, SCHEMA
from hvcore.persistence.statements import begin_insert, insert_unless_there
from hvcore.persistence.tables import EPOCH, leaders

BEAT_LASTS: Final = timedelta(seconds=100)
"""Without another one; a process with a thread for it sends one each 30 s."""
_PROCESS: Final = "process:"
_INSTALLATION: Final = "installation"
_BACKUP: Final = "backup"
_FORGOTTEN_AFTER: Final = timedelta(days=1)
_VERSION: Final = re.compile(r"(?P<kind>.+) \((?P<expand>\d*)\+?(?P<contract>\w*)\)")


@attrs.frozen(kw_only=True)
class Installation:
    """
    The id of an installation of hvcore, as the database has it.

    Attributes:
        since: When the id was first asked for, and stored.
    """

    id: str
    since: datetime


@attrs.frozen(kw_only=True)
class RunningProcess:
    """
    A process that uses the database.

    Attributes:
        name: Host, data folder, process id and task, as one text.
        kind: The kind of process and its version, such as ``api 0.1.0``.
        until: When the process is taken for dead, unless it sends a heartbeat before.
    """

    name: str
    kind: str
    until: datetime


def beat(  # noqa: PLR0913 - each by its name
    engine: Engine,
    name: str,
    kind: str,
    now: datetime,
    *,
    lasts: timedelta = BEAT_LASTS,
    waits_ms: int | None = None,
) -> None:
    """
    Write the heartbeat of a process of this version into the database.

    Args:
        lasts: How long the process counts as running without another heartbeat.
        waits_ms: How long to wait for locks; None waits as long as usual.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine, timeout_ms=waits_ms, is_durable=False) as connection:
        row = {"name": _PROCESS + name, "until": now + lasts}
        _put(connection, {**row, "holder": f"{kind} ({SCHEMA})"})
        connection.execute(
            sa.delete(leaders).where(
                leaders.c.name.startswith(_PROCESS, autoescape=True),
                leaders.c.until < now - _FORGOTTEN_AFTER,
            )
        )
        connection.commit()


def forget_process(engine: Engine, name: str, *, waits_ms: int | None = None) -> None:
    """
    Remove the heartbeat of a process that ends.

    Args:
        waits_ms: How long to wait for locks; None waits as long as usual.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine, timeout_ms=waits_ms, is_durable=False) as connection:
        connection.execute(sa.delete(leaders).where(leaders.c.name == _PROCESS + name))
        connection.commit()


def older_processes(engine: Engine, now: datetime) -> Sequence[RunningProcess]:
    """
    Return the running processes of versions that know an older schema than this version.

    Raises:
        UnavailableError: The database does not answer.
    """
    asked = sa.select(leaders).where(
        leaders.c.name.startswith(_PROCESS, autoescape=True), leaders.c.until >= now
    )
    with reading(engine) as connection:
        rows = connection.execute(asked.order_by(leaders.c.name)).all()
    return [
        RunningProcess(
            name=row.name.removeprefix(_PROCESS),
            kind=row.holder.rpartition(" (")[0],
            until=row.until,
        )
        for row in rows
        if _is_older(row.holder)
    ]


def installation(engine: Engine, now: datetime) -> Installation:
    """
    Return the installation of this database; the first call stores its id.

    A copy of the database, or a restored one, is the same installation.

    Raises:
        UnavailableError: The database does not answer.
    """
    named = leaders.c.name == _INSTALLATION
    with reading(engine) as connection:
        found = connection.execute(sa.select(leaders).where(named)).one_or_none()
    if found is not None and found.until > EPOCH:
        return Installation(id=found.holder, since=found.until)
    row = {"name": _INSTALLATION, "holder": secrets.token_hex(10), "until": now}
    with writing(engine) as connection:
        # Of several that ask at once, one wins.
        insert_unless_there(connection, leaders, row)
        # Older versions noted the id without a moment.
        undated = sa.update(leaders).where(named, leaders.c.until == EPOCH)
        connection.execute(undated.values(until=now))
        connection.commit()
    return installation(engine, now)


def note_backup(engine: Engine, backup_id: str, moment: datetime) -> None:
    """
    Record that a backup has everything up to the given moment.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine) as connection:
        _put(connection, {"name": _BACKUP, "holder": backup_id, "until": moment})
        connection.commit()


def newest_backup(engine: Engine) -> datetime | None:
    """
    Return the moment of the newest backup; None if there was no backup.

    Raises:
        UnavailableError: The database does not answer.
    """
    asked = sa.select(leaders.c.until).where(leaders.c.name == _BACKUP)
    with reading(engine) as connection:
        found: datetime | None = connection.execute(asked).scalar()
    return found


def _put(connection: Connection, row: dict[str, object]) -> None:
    statement = begin_insert(connection.dialect.name, leaders)
    new = statement.excluded
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=[leaders.c.name],
            set_={"holder": new.holder, "until": new.until},
        ),
        row,
    )


def _is_older(holder: str) -> bool:
    found = _VERSION.fullmatch(holder)
    if found is None:
        return False
    return found["expand"] < NEWEST_EXPAND or found["contract"] < NEWEST_CONTRACT
