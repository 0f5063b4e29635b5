"""Ask dependencies that may hang from threads, and keep each one's latest answer for the metrics."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from hvcore.errors import HvcoreError

Answer = TypeVar("Answer")

EVERY_S: Final = 10.0
"""The least seconds between two samples, however often the metrics are asked for."""
WITHIN_S: Final = 1.5
"""The seconds that a reader waits for the first sample; values that come later are left out."""
TOO_OLD_S: Final = 60.0

_log = logging.getLogger(__name__)


class Sampled(Generic[Answer]):
    """Asks a dependency that may hang, from a thread, and keeps its latest answer; thread-safe."""

    def __init__(self, ask: Callable[[], Answer]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._is_asking = False
        self._asked_at_s = float("-inf")
        self._latest: tuple[float, Answer] | None = None

    def begin(self) -> tuple[threading.Event, bool]:
        """
        Start asking the dependency, unless that was done less than ``EVERY_S`` seconds ago.

        Returns:
            The event that is set once the answer has come, and whether it is still to come.
        """
        with self._lock:
            now = time.monotonic()
            if not self._is_asking and now - self._asked_at_s >= EVERY_S:
                self._is_asking, self._asked_at_s = True, now
                self._over = threading.Event()
                # A daemon: one that hangs holds up no exit.
                threading.Thread(target=self._run, name="sample", daemon=True).start()
            return self._over, self._is_asking

    def latest(self) -> Answer | None:
        """
        Return the dependency's latest answer, after a short wait for a newer one.

        Returns:
            None if there is no answer, or if it is older than ``TOO_OLD_S`` seconds.
        """
        over, is_asking = self.begin()
        if is_asking:
            # Of something that hangs, only the first to ask waits.
            over.wait(max(self._asked_at_s + WITHIN_S - time.monotonic(), 0.0))
        latest = self._latest
        if latest is None or time.monotonic() - latest[0] > TOO_OLD_S:
            return None
        return latest[1]

    def _run(self) -> None:
        try:
            found = self._ask()
            self._latest = (time.monotonic(), found)
        except (HvcoreError, OSError) as error:
            # A database or a disk that is away, say.
            _log.info("not known for the metrics", extra={"hv_why": str(error)})
        except Exception:  # noqa: BLE001 - a thread's edge; the next sample is tried
            _log.exception("a bug keeps a value from the metrics")
        finally:
            with self._lock:
                self._is_asking = False
            self._over.set()
