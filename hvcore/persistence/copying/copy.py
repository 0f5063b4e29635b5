"""Copy all tables from a database or a backup into another database, and compare the rows of both."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.clock import Clock
from hvcore.errors import ConfigError
from hvcore.failpoints import failpoint
from hvcore.persistence.copying.sources import RowSource
from hvcore.persistence.copying.target import CopyTarget, MakeTables
from hvcore.persistence.copying.values import Digest
from hvcore.persistence.engine import reading, schema_of
from hvcore.persistence.schema_version import SCHEMA
from hvcore.persistence.tables import leaders

Tell = Callable[[str], None]

_TOLD_ROWS: Final = 100_000


@attrs.frozen(kw_only=True)
class CopiedTable:
    """
    A table that was copied, with its rows found equal in both databases.

    Attributes:
        rows: The number of rows.
        digest: The hash over all rows, equal in both databases.
    """

    name: str
    rows: int
    digest: str


@attrs.frozen(kw_only=True)
class Copied:
    """
    The result of copying a database: the tables that were copied, and those that were not.

    Attributes:
        left_out: Names of the tables that were not copied, because the plugins that make these
            are not chosen at the target.
    """

    tables: Sequence[CopiedTable]
    left_out: Sequence[str]


def copy_id_of(engine: Engine) -> str:
    """Return the id that marks a copy of this database, so that a broken-off copy can go on."""
    url = engine.url.set(password=None).render_as_string()
    return sha256(f"{SCHEMA} {schema_of(engine)} {url}".encode()).hexdigest()[:20]


def copy(  # noqa: PLR0913 - the steps of a copy
    source: RowSource,
    target: CopyTarget,
    *,
    make_tables: MakeTables,
    tell: Tell,
    filled: Callable[[], None] = lambda: None,
    ends: Callable[[Connection], None] = lambda _: None,
) -> Copied:
    """
    Copy all tables that are not copied yet, and compare the rows of source and target.

    Args:
        source: Gives the same rows each time, also to a later process that continues the copy.
        make_tables: Makes the tables of the target database.
        filled: Called when all rows are copied, before services may start on the target.
        ends: Called after that, in the transaction after which services may start on the
            target; for changes that a continued copy must not find.

    Raises:
        UnavailableError: A database does not answer.
        ConfigError: The tables cannot be copied, or differ at the end.
    """
    target.begin(source, make_tables)
    for name in target:
        count = target.count(name)
        if count:
            tell(f"{name}: {count} rows are there already")
        for rows in target.fill(name, source.rows(name, skip=count)):
            # Now and then: tables are many, and most of them are small.
            if (count + rows) // _TOLD_ROWS > count // _TOLD_ROWS:
                tell(f"{name}: {count + rows} rows copied")
            count += rows
    tell("Comparing both sides; many rows take minutes.")
    copied = _compared(source, target)
    failpoint("copy.checked")
    filled()
    target.finish(ends)
    failpoint("copy.finished")
    names = {table.name for table in copied}
    left_out = [name for name in source.shapes if name not in names]
    return Copied(tables=copied, left_out=left_out)


def _compared(source: RowSource, target: CopyTarget) -> Sequence[CopiedTable]:
    copied: list[CopiedTable] = []
    different: list[str] = []
    for name, there in target.digests().items():
        here = Digest.of(source.rows(name))
        if here == there:
            copied.append(CopiedTable(name=name, rows=there.rows, digest=there.text))
        else:
            different.append(f"{name} ({here.rows} rows, {there.rows} in the copy)")
    if different:
        raise ConfigError(
            f"The copy is not the same: {', '.join(different)}. Somebody has written to "
            "one of the two databases since it was begun. Nothing was lost where it "
            "comes from: begin anew with an empty database."
        )
    return copied


def led_by(engine: Engine, clock: Clock) -> tuple[str, float] | None:
    """
    Return the name of the process that leads the sweep (does the periodic tasks alone), and for how many seconds it still leads; None if no process does.

    Raises:
        UnavailableError: The database does not answer.
    """
    now = clock.now()
    with reading(engine) as connection:
        asked = sa.select(leaders.c.holder, leaders.c.until).where(
            leaders.c.name == "sweep", leaders.c.until >= now
        )
        found = connection.execute(asked.order_by(leaders.c.until.desc())).first()
    return found and (found.holder, (found.until - now).total_seconds())


def refuse_leader(
    engine: Engine, clock: Clock, *, wait: Callable[[float], None], longest_s: float
) -> None:
    """
    Raise ConfigError if a sweep process (which runs the periodic tasks) works with the database.

    Args:
        wait: Waits for the given seconds.
        longest_s: The most seconds to wait until the record of a sweep that was killed is over.

    Raises:
        ConfigError: A sweep is at work.
    """
    found = led_by(engine, clock)
    if found is None:
        return
    holder, rest_s = found
    if rest_s <= longest_s:
        wait(rest_s + 0.1)
        found = led_by(engine, clock)
    if found is not None:
        raise ConfigError(
            f"A sweep ({holder}) works with this database. Stop the service on all "
            "machines first."
        )
