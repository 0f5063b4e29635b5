"""API keys as pages show them."""

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
    A key, and what its record does not say.

    Attributes:
        env_name: "" if it has none.
        state: ``active``, ``ending`` (it works until ``revoked_at``), ``expired`` or
            ``revoked``.
    """

    key: ApiKey
    env_name: str
    state: str

    @property
    def is_over(self) -> bool:
        """Return whether it works no more."""
        return self.state in {"expired", "revoked"}

    @property
    def end(self) -> str:
        """Return the time at which the key was told to end, as forms send it."""
        return end_of(self.key)

    @property
    def type_text(self) -> str:
        """Return the key's type in words: what it gives access to."""
        return TYPES[self.key.type]

    @property
    def permissions(self) -> Sequence[str]:
        """Return the key's permissions, in the order of the documentation."""
        return [one.value for one in Permission if one in self.key.permissions]


def shown_key(here: OrganizationVisit, key: ApiKey, now: datetime) -> ShownKey:
    """Return a key as the organization's pages show it."""
    names = {env.id: env.name for env in here.environments}
    return ShownKey(
        key=key,
        env_name=names.get(key.env_id, "") if key.env_id else "",
        state=_state(key, now),
    )


def end_of(key: ApiKey) -> str:
    """Return the time at which a key was told to end; empty if it was not."""
    return key.revoked_at.isoformat() if key.revoked_at else ""


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None and key.revoked_at <= now:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now:
        return "expired"
    return "active" if key.revoked_at is None else "ending"
