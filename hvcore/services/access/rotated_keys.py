"""Read the service's own keys from the database, and unseal them."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeAlias, TypeVar

from hvcore.domain.access.service_keys import PLAYBACK, ServiceKey
from hvcore.errors import ConfigError, UnavailableError
from hvcore.signing.sealing import SealBrokenError, Sealer

READ_EVERY_S: Final = 0.5
"""Keys are read again after this time, so every process knows a change within a second."""

LoadServiceKeys: TypeAlias = Callable[[], Sequence[ServiceKey]]
KeyT = TypeVar("KeyT")


class RotatedKeys(Generic[KeyT]):
    """
    Read and unseal the service's own keys of one purpose; thread-safe.

    Args:
        load: Reads all keys of the purpose.
        sealer: Decrypts the keys, which are stored encrypted (sealed).
        read_key: Makes a key of its kid and its text; raises ConfigError if the text is none.
    """

    def __init__(
        self,
        load: LoadServiceKeys,
        sealer: Sealer,
        read_key: Callable[[str, str], KeyT],
    ) -> None:
        self._load = load
        self._sealer = sealer
        self._read_key = read_key
        self._opened: dict[str, KeyT | None] = {}
        self._read: Sequence[ServiceKey] = ()
        self._read_again_at_s = float("-inf")
        self._failed_at_s = float("-inf")
        self._lock = threading.Lock()

    def all(self, *, at_once: bool = False) -> Sequence[ServiceKey]:
        """
        Return the stored keys as of now, or as of at most half a second ago.

        Args:
            at_once: Whether the keys are read now; otherwise those that were read in the
                last half second may be returned.

        Raises:
            UnavailableError: The database does not answer.
        """
        asked_at_s = time.monotonic()
        with self._lock:
            if asked_at_s < self._failed_at_s:
                # Of many requests to a database that is silent, each would wait for
                # its own time and for that of all before it.
                raise UnavailableError
            if at_once or asked_at_s >= self._read_again_at_s:
                try:
                    self._read = self._load()
                except UnavailableError:
                    self._failed_at_s = time.monotonic()
                    raise
                self._read_again_at_s = asked_at_s + READ_EVERY_S
            return self._read

    def open(self, stored: ServiceKey) -> KeyT | None:
        """
        Return the usable key that a stored, sealed key holds; the same object each time.

        Returns:
            None if the stored key has no material, or was sealed with another secret.
        """
        if stored.id in self._opened:
            return self._opened[stored.id]
        # Two threads may both open it; who has the first one asks once more.
        return self._opened.setdefault(stored.id, self._unsealed(stored))

    def _unsealed(self, stored: ServiceKey) -> KeyT | None:
        text = open_key(self._sealer, stored)
        if text is None:
            return None
        try:
            return self._read_key(stored.id, text)
        except ConfigError:
            return None


def seal_key(sealer: Sealer, kid: str, text: str, *, purpose: str) -> bytes:
    """
    Return the text of a service key, sealed for the database.

    Args:
        kid: The key's id, to which the seal is bound.
        text: The key as text.
        purpose: The kind of tokens that the key signs, to which the seal is bound, too.
    """
    return sealer.seal(text, about=_sealed_about(kid, purpose))


def open_key(sealer: Sealer, stored: ServiceKey) -> str | None:
    """
    Return the text of a stored service key.

    Returns:
        None if the key has no material, or was sealed with another secret.
    """
    if not stored.material:
        return None
    about = _sealed_about(stored.id, stored.purpose)
    try:
        return sealer.open(stored.material, about=about)
    except SealBrokenError:
        return None


def _sealed_about(kid: str, purpose: str) -> str:
    # Playback was there first, and its rows are sealed without a purpose.
    return f"service key {kid}" + ("" if purpose == PLAYBACK else f" for {purpose}")
