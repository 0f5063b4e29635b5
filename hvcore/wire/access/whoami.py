"""The API's answer that describes the API key of its caller (``whoami``)."""

from datetime import datetime
from typing import Final

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.quotas import Quota, QuotaLimits, QuotaUse
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    COUNT,
    NUMBER,
    STRING,
    TIMESTAMP,
    Schema,
    array,
    nullable,
    record,
    words_of,
)

_QUOTA: Final[Schema] = record("QuotaUse", {"limit": COUNT, "used": NUMBER})
QUOTAS: Final[Schema] = record(
    "QuotaUses", {}, {quota.value: _QUOTA for quota in Quota}
)
WHOAMI: Final[Schema] = record(
    "WhoAmI",
    {
        "orgID": nullable(STRING),
        "envID": nullable(STRING),
        "kind": nullable(words_of(EnvironmentKind)),
        "keyID": STRING,
        "keyType": words_of(KeyType),
        "name": STRING,
        "permissions": array(words_of(Permission)),
        "expiresAt": nullable(TIMESTAMP),
        "quotas": QUOTAS,
    },
)


def quota_use(limits: QuotaLimits, use: QuotaUse) -> Payload:
    """Return the JSON payload of an organization's set quota limits, each with its use."""
    return {
        quota.value: {"limit": limit, "used": use.of(quota)}
        for quota in Quota
        if (limit := limits.of(quota)) is not None
    }


def whoami(
    caller: Principal,
    environment: Environment | None,
    *,
    name: str,
    expires_at: datetime | None,
    quotas: Payload,
) -> Payload:
    """
    Return the JSON payload that describes a caller's API key.

    Args:
        environment: The key's own or default environment.
        quotas: The payload of the organization's quotas; empty if there is no
            organization.
    """
    return {
        "orgID": caller.org_id,
        "envID": environment.name if environment else None,
        "kind": environment.kind.value if environment else None,
        "keyID": caller.key_id,
        "keyType": caller.type.value if caller.type else None,
        "name": name,
        "permissions": sorted(permission.value for permission in caller.permissions),
        "expiresAt": timestamp(expires_at) if expires_at else None,
        "quotas": quotas,
    }
