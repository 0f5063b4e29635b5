"""Test whether a database has room to write, without changing anything in it."""

from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.errors import NoRoomError
from hvcore.incoming.disk_space import is_disk_full, try_to_write
from hvcore.persistence.connecting import NO_ROOM
from hvcore.persistence.engine import writing

_SMALL_MEMORY: Final = sa.text("SET LOCAL work_mem = '64kB'")
# More than that memory: it is kept in a temporary file, half a megabyte large, on the disk
# of the tables. No row, no catalog and no log is written.
_SPILL: Final = sa.text("SELECT count(*) FROM generate_series(1, 30000)")


def check_room(engine: Engine) -> None:
    """
    Have a database write some bytes to its disk, and discard them.

    Raises:
        NoRoomError: The disk has no room for the bytes.
        UnavailableError: The database does not answer.
    """
    if engine.dialect.name == "postgresql":
        # Rolled back; outside of a transaction the first statement would do nothing.
        with writing(engine) as connection:
            connection.execute(_SMALL_MEMORY)
            connection.execute(_SPILL)
        return
    path = engine.url.database
    if not path or path == ":memory:":
        return
    try:
        try_to_write(Path(path).parent)
    except OSError as exc:
        if is_disk_full(exc):
            raise NoRoomError(NO_ROOM) from exc
        # A folder that is not ours to write to; the file may be.
