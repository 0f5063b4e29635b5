"""Empty SQLite's write-ahead log, which still holds data that was overwritten in order to erase it."""

import logging
import time
from collections.abc import Callable
from typing import Final

import attrs
from sqlalchemy.engine import Engine

from hvcore.persistence.engine import BUSY_TIMEOUT_MS, reading

LOG_TIMEOUT_MS: Final = 100
"""For readers of what is in the log; the next round tries again."""
TOLD_EVERY_S: Final = 3600.0

_log = logging.getLogger(__name__)


@attrs.define(kw_only=True)
class OverwrittenLog:
    """
    Empty the write-ahead log of a database; warn if a process prevents it for long.

    Attributes:
        now_s: A clock that never goes back, in seconds.
    """

    now_s: Callable[[], float] = time.monotonic
    _busy_since_s: float | None = attrs.field(default=None, init=False)
    _told_at_s: float = attrs.field(default=float("-inf"), init=False)

    def empty(self, engine: Engine) -> None:
        """
        Empty the write-ahead log, unless the database is PostgreSQL or a process is reading the log.

        A reader may prevent it; then the next call empties the log. If readers prevent it twice
        in a row or more often, it is logged once an hour.

        Raises:
            UnavailableError: The database does not answer.
        """
        if engine.dialect.name != "sqlite":
            return
        if _truncate(engine):
            self._busy_since_s = None
            return
        now_s = self.now_s()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        elif now_s - self._told_at_s >= TOLD_EVERY_S:
            self._told_at_s = now_s
            _log.warning(
                "what was erased is still in the database's -wal file, because a process "
                "keeps reading; end long reads of it (backups, sqlite3 shells: "
                "fuser -v names them), or restart the service",
                extra={"hv_since_s": round(now_s - self._busy_since_s)},
            )


def _truncate(engine: Engine) -> bool:
    """Empty the log; return whether it is empty now."""
    with reading(engine) as connection:
        # Writers wait as long as this does.
        connection.exec_driver_sql(f"PRAGMA busy_timeout={LOG_TIMEOUT_MS}")
        try:
            answer = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
            is_busy, _, _ = answer.one()
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
    return not is_busy
