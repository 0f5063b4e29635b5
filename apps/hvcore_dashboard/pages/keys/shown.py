"""API keys with the values that pages show besides the stored record."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.access.keys import ApiKey, KeyType, Permission
from hvcore_dashboard.visits import OrganizationVisit

TYPES: Final = {
    KeyType.ENVIRONMENT: "One environment",
    KeyType.FULL_ACCESS: "Full access",
}


@attrs.frozen(kw_only=True)
class ShownKey:
    """
    An API key, with the name of its environment and its present state.

    Attributes:
        env_name: The name of the key's environment; "" if it has none.
        state: ``active``, ``ending`` (it works until ``revoked_at``), ``expired`` or
            ``revoked``.
    """

    key: ApiKey
    env_name: str
    state: str

    @property
    def is_over(self) -> bool:
        """Whether the key no longer works."""
        return self.state in {"expired", "revoked"}

    @property
    def end(self) -> str:
        """The time at which the key stops working, in ISO format; empty if no end was set."""
        return end_of(self.key)

    @property
    def type_text(self) -> str:
        """The key's type in words, such as "Full access"."""
        return TYPES[self.key.type]

    @property
    def permissions(self) -> Sequence[str]:
        """The names of the key's permissions, in the order of the documentation."""
        return [one.value for one in Permission if one in self.key.permissions]


def shown_key(here: OrganizationVisit, key: ApiKey, now: datetime) -> ShownKey:
    """Return an API key with its environment's name and its state at a time."""
    names = {env.id: env.shown_name for env in here.environments}
    return ShownKey(
        key=key,
        env_name=names.get(key.env_id, "") if key.env_id else "",
        state=_state(key, now),
    )


def end_of(key: ApiKey) -> str:
    """Return the time at which a key stops working, in ISO format; empty if no end was set."""
    return key.revoked_at.isoformat() if key.revoked_at else ""


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None and key.revoked_at <= now:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "active" if key.revoked_at is None else "ending"
