"""
What a caller is told about its key.
"""

from datetime import datetime
from typing import Final

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.wire.responses import Payload, timestamp
from hvcore.wire.schema import (
    STRING,
    TIMESTAMP,
    Schema,
    array,
    nullable,
    record,
    words_of,
)

WHOAMI: Final[Schema] = record(
    {
        "orgID": nullable(STRING),
        "envID": nullable(STRING),
        "kind": nullable(words_of(EnvironmentKind)),
        "keyID": STRING,
        "keyType": words_of(KeyType),
        "name": STRING,
        "permissions": array(words_of(Permission)),
        "expiresAt": nullable(TIMESTAMP),
    }
)


def whoami(
    caller: Principal,
    environment: Environment | None,
    *,
    name: str,
    expires_at: datetime | None,
) -> Payload:
    """
    Render a caller's key.

    Args:
        environment: Its own or its default one.
    """
    return {
        "orgID": caller.org_id,
        "envID": environment.name if environment else None,
        "kind": environment.kind.value if environment else None,
        "keyID": caller.key_id,
        "keyType": caller.type.value,
        "name": name,
        "permissions": sorted(permission.value for permission in caller.permissions),
        "expiresAt": timestamp(expires_at) if expires_at else None,
    }
