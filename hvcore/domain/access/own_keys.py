"""
The choice of the service's own keys that sign, and that are believed.

There are those of the settings, and those that have taken their place.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

import attrs

from hvcore.domain.access.service_keys import ServiceKey, signing_order
from hvcore.errors import ConfigError

KeyT_co = TypeVar("KeyT_co", covariant=True)


class StoredKeys(Protocol[KeyT_co]):
    """The keys of the service that lie in the database, of one purpose."""

    def all(self, *, at_once: bool = False) -> Sequence[ServiceKey]:
        """
        Return the keys as of now, or as of half a second ago.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def open(self, stored: ServiceKey) -> KeyT_co | None:
        """
        Return a key; None if it has no material, or another secret has sealed it.

        The same object each time.
        """
        ...


@attrs.frozen(kw_only=True)
class OwnKeys(Generic[KeyT_co]):
    """
    The keys of one purpose.

    Attributes:
        purpose: What they sign, as ``hv keys rotate-signing --for`` names it.
        settings: By kid. The first one signs until it is rotated.
        rotated: The keys that have taken their place; None: there are none.
    """

    purpose: str
    settings: Mapping[str, KeyT_co] = attrs.field(repr=False)
    rotated: StoredKeys[KeyT_co] | None = attrs.field(default=None, repr=False)

    @property
    def first_kid(self) -> str:
        """The settings' key that signs until it is rotated."""
        return next(iter(self.settings))

    def stored(self) -> Sequence[ServiceKey]:
        """
        Return the rows of the keys, as of now or half a second ago.

        Raises:
            UnavailableError: The database does not answer.
        """
        return () if self.rotated is None else self.rotated.all()

    def refresh(self) -> None:
        """
        Know at once which keys there are, and not half a second later.

        Raises:
            UnavailableError: The database does not answer.
        """
        if self.rotated is not None:
            self.rotated.all(at_once=True)

    def signing(self, now: datetime) -> tuple[str, KeyT_co]:
        """
        Return the key that signs, behind its kid.

        Raises:
            ConfigError: It was sealed with a secret that was replaced since.
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
        """Return the keys that verify, by kid, where these are stored."""
        kids = dict.fromkeys((*self.settings, *(one.id for one in stored)))
        found = ((kid, self.find(kid, stored, now)) for kid in kids)
        return {kid: key for kid, key in found if key is not None}

    def find(
        self, kid: str, stored: Sequence[ServiceKey], now: datetime
    ) -> KeyT_co | None:
        """
        Return a key; None if there is none, or it is not believed.

        Args:
            stored: The rows of the keys.
        """
        row = next((one for one in stored if one.id == kid), None)
        if row is not None and not row.is_believed(now):
            return None
        key = self.settings.get(kid)
        if key is None and row is not None and self.rotated is not None:
            return self.rotated.open(row)
        return key
