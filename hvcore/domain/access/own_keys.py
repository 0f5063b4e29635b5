"""
The service's own signing keys: which key signs, and which keys verify.

Keys come from the settings or, once they were rotated, from the database.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import attrs

from hvcore.domain.access.service_keys import ServiceKey, signing_order
from hvcore.errors import ConfigError

KeyT_co = TypeVar("KeyT_co", covariant=True)


class StoredKeys(Protocol[KeyT_co]):
    """Read the service's own signing keys of one purpose from the database."""

    def all(self, *, at_once: bool = False) -> Sequence[ServiceKey]:
        """
        Return the stored signing keys of the service, as of now or as of at most half a second ago.

        Args:
            at_once: Whether the keys are read now; otherwise those that were read in the
                last half second may be returned.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def open(self, stored: ServiceKey) -> KeyT_co | None:
        """
        Decrypt a stored key, and return the same key object each time.

        Returns:
            The key; None if the row has no key material, or was sealed with another secret.
        """
        ...


@attrs.frozen(kw_only=True)
class OwnKeys(Generic[KeyT_co]):
    """
    Choose among the service's own signing keys of one purpose.

    Attributes:
        purpose: The kind of tokens that the keys sign, as ``hv keys rotate-signing --for``
            names it.
        settings: The keys of the settings by their ``kid``. The first one signs until
            keys are rotated.
        rotated: The keys in the database, which replace those of the settings; None if
            keys cannot be rotated here.
    """

    purpose: str
    settings: Mapping[str, KeyT_co] = attrs.field(repr=False)
    rotated: StoredKeys[KeyT_co] | None = attrs.field(default=None, repr=False)

    @property
    def first_kid(self) -> str:
        """The ``kid`` of the settings' key that signs until keys are rotated."""
        return next(iter(self.settings))

    def stored(self) -> Sequence[ServiceKey]:
        """
        Return the database rows of the keys, as of now or at most half a second ago.

        Raises:
            UnavailableError: The database does not answer.
        """
        return () if self.rotated is None else self.rotated.all()

    def refresh(self) -> None:
        """
        Read the keys from the database now, instead of up to half a second later.

        Raises:
            UnavailableError: The database does not answer.
        """
        if self.rotated is not None:
            self.rotated.all(at_once=True)

    def signing(self, now: datetime) -> tuple[str, KeyT_co]:
        """
        Return the ``kid`` of the key that signs at present, and the key.

        Raises:
            ConfigError: No key can be decrypted: the secret that sealed them was replaced.
            UnavailableError: The database does not answer.
        """
        stored = self.stored()
        for kid in (*(one.id for one in signing_order(stored, now)), self.first_kid):
            key = self.find(kid, stored, now)
            if key is not None:
                return kid, key
        raise ConfigError(
            f"No key for {self.purpose} can be opened: the secret that seals them was "
            f"replaced. Run: hv keys rotate-signing --for {self.purpose}"
        )

    def believed(
        self, stored: Sequence[ServiceKey], now: datetime
    ) -> Mapping[str, KeyT_co]:
        """
        Return the keys whose signatures are accepted at a moment, by their ``kid``.

        Args:
            stored: The database rows of the keys.
        """
        kids = dict.fromkeys((*self.settings, *(one.id for one in stored)))
        found = ((kid, self.find(kid, stored, now)) for kid in kids)
        return {kid: key for kid, key in found if key is not None}

    def find(
        self, kid: str, stored: Sequence[ServiceKey], now: datetime
    ) -> KeyT_co | None:
        """
        Return the key with a ``kid``; None if there is none or it is not accepted any more.

        Args:
            stored: The database rows of the keys.
        """
        row = next((one for one in stored if one.id == kid), None)
        if row is not None and not row.is_believed(now):
            return None
        key = self.settings.get(kid)
        if key is None and row is not None and self.rotated is not None:
            return self.rotated.open(row)
        return key
