"""API keys in memory, for the tests of authentication providers that look keys up."""

from datetime import datetime
from typing import Any

import attrs

from hvcore.clock import Clock
from hvcore.domain.access.keys import (
    ALL_PERMISSIONS,
    ApiKey,
    KeyType,
    hash_key,
    new_key_value,
)
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import EnvId, OrgId, new_key_id
from hvcore.errors import UnavailableError


@attrs.define
class MemoryKeyBook:
    """
    A KeyBook in memory that counts its lookups.

    Attributes:
        keys: The API keys by their hashes.
        is_down: If True, no key can be looked up.
        lookups: The number of lookups so far.
        uses: The keys that were used, each with the moment.
    """

    keys: dict[str, ApiKey] = attrs.field(factory=dict)
    is_down: bool = False
    lookups: int = 0
    uses: list[tuple[ApiKey, datetime]] = attrs.field(factory=list)

    def find(self, sha256: str) -> ApiKey | None:
        """Return the API key with a hash, or None if there is none."""
        self.lookups += 1
        if self.is_down:
            raise UnavailableError("The database does not answer.")
        return self.keys.get(sha256)

    def note_use(self, key: ApiKey, at: datetime) -> None:
        """Record that an API key was used."""
        self.uses.append((key, at))

    def add(self, clock: Clock, **changes: Any) -> str:  # noqa: ANN401 - fields of ApiKey
        """
        Add an API key, and return the value that a caller sends.

        Args:
            changes: Values of fields of ApiKey that differ from the defaults.
        """
        value = new_key_value(EnvironmentKind.DEVELOPMENT)
        key = ApiKey(
            id=new_key_id(),
            name="k",
            type=KeyType.ENVIRONMENT,
            org_id=OrgId("org_a"),
            env_id=EnvId("dev"),
            permissions=ALL_PERMISSIONS,
            sha256=hash_key(value),
            shown=value[:12],
            created_at=clock.now(),
        )
        self.keys[key.sha256] = attrs.evolve(key, **changes)
        return value
