"""Keep a consumer registered while it handles a message for hours."""

import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Self

from hvcore.plugin_api import Database, Lane, UnavailableError
from hvcore_queue_sql.statements import COUNTS_FOR_S, forget_old, register, unregister

NOTES_EVERY_S: Final = COUNTS_FOR_S / 3
TIMEOUT_MS: Final = 1_000
"""The time limit of one registration; on a busy SQLite one may fail, and the next one comes in time."""


class Presence:
    """Keeps a consumer registered in the database while a block runs; after an outage it registers late."""

    def __init__(self, database: Database, lanes: Sequence[Lane]) -> None:
        self._database = database
        self._lanes = sorted({lane.value for lane in lanes})
        self._name = secrets.token_hex(8)
        self._has_ended = threading.Event()
        self._thread = threading.Thread(
            target=self._note, name="queue-record", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._has_ended.set()
        self._thread.join()

    def _note(self) -> None:
        while True:
            with (
                suppress(UnavailableError),
                self._database.writing(timeout_ms=TIMEOUT_MS) as connection,
            ):
                register(connection, self._name, self._lanes)
                forget_old(connection)
                connection.commit()
            if self._has_ended.wait(NOTES_EVERY_S):
                break
        with (
            suppress(UnavailableError),
            self._database.writing(timeout_ms=TIMEOUT_MS) as connection,
        ):
            unregister(connection, self._name)
            connection.commit()
