"""SQLite's write-ahead log, in which what was overwritten stands as it was."""

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
    Empties the log of one database, and tells when somebody keeps it full for long.

    Attributes:
        now_s: Seconds that never go back.
    """

    now_s: Callable[[], float] = time.monotonic
    _busy_since_s: float | None = attrs.field(default=None, init=False)
    _told_at_s: float = attrs.field(default=float("-inf"), init=False)

    def empty(self, engine: Engine) -> None:
        """
        Empty the log, if the database has one and nobody reads it just now.

        Somebody who reads may prevent it; then the next time does it. If it is prevented
        twice and more, a line an hour says so.

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
