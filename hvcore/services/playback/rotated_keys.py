"""
The keys of the service that lie in the database, as the ring uses them.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from hvcore.domain.playback.service_keys import ServiceKey
from hvcore.errors import ConfigError
from hvcore.playback_tokens.keys import TokenKey
from hvcore.sealing import SealBrokenError, Sealer

READ_EVERY_S: Final = 0.5
"""So that a change is known to every process within a second."""

LoadServiceKeys: TypeAlias = Callable[[], Sequence[ServiceKey]]


class RotatedKeys:
    """
    Read and open the service's keys; thread-safe.

    Args:
        load: Reads all of them.
        sealer: Opens them.
    """

    def __init__(self, load: LoadServiceKeys, sealer: Sealer) -> None:
        self._load = load
        self._sealer = sealer
        self._opened: dict[str, TokenKey | None] = {}
        self._read: Sequence[ServiceKey] = ()
        self._read_again_at_s = float("-inf")
        self._lock = threading.Lock()

    def all(self, *, at_once: bool = False) -> Sequence[ServiceKey]:
        """
        Return the keys as of now, or as of half a second ago.

        Raises:
            UnavailableError: The database does not answer.
        """
        with self._lock:
            asked_at_s = time.monotonic()
            if at_once or asked_at_s >= self._read_again_at_s:
                self._read = self._load()
                self._read_again_at_s = asked_at_s + READ_EVERY_S
            return self._read

    def open(self, stored: ServiceKey) -> TokenKey | None:
        """
        Return a key; None if it has no material, or another secret has sealed it.

        The same object each time.
        """
        if stored.id in self._opened:
            return self._opened[stored.id]
        # Two threads may both open it; who has the first one asks once more.
        return self._opened.setdefault(stored.id, self._unsealed(stored))

    def _unsealed(self, stored: ServiceKey) -> TokenKey | None:
        if not stored.material:
            return None
        try:
            text = self._sealer.open(stored.material, about=sealed_about(stored.id))
            return TokenKey.load(text.encode(), kid=stored.id)
        except (SealBrokenError, ConfigError):
            return None


def seal_key(sealer: Sealer, kid: str, text: str) -> bytes:
    """
    Return what the database may have of a key.
    """
    return sealer.seal(text, about=sealed_about(kid))


def sealed_about(kid: str) -> str:
    """
    Return what the seal of a key is bound to.
    """
    return f"service key {kid}"
