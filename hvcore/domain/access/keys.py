"""
API keys: their secret values, their stored records and their permissions.

Source: the interface document, "Authentication".
"""

import hashlib
import re
import secrets
from datetime import datetime
from enum import Enum
from typing import Final

import attrs

from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import BASE62, EnvId, KeyId, OrgId
from hvcore.domain.shown_text import one_line

KEY_CHARS: Final = 32
CHECKSUM_CHARS: Final = 6
DISPLAYED_CHARS: Final = 12
MAX_KEY_NAME_CHARS: Final = 200


class KeyType(Enum):
    """Name the reach of an API key: one environment, one organization, or everything."""

    ENVIRONMENT = "environment"
    FULL_ACCESS = "full-access"
    SYSTEM = "system"


class Permission(Enum):
    """Name the groups of operations that an API key may be used for."""

    VIDEOS_READ = "videos:read"
    VIDEOS_WRITE = "videos:write"
    PLAYBACK_SIGN = "playback:sign"
    ANALYTICS_READ = "analytics:read"


ALL_PERMISSIONS: Final = frozenset(Permission)


@attrs.frozen(kw_only=True)
class ApiKey:
    """
    Store the facts about an API key; the secret value itself is not stored.

    Attributes:
        sha256: The SHA-256 of the whole key value, 64 hex digits.
        shown: The first characters of the key value, by which people recognise it in
            lists.
        org_id: The organization of the key; None for a system key.
        env_id: The environment of an environment key; the default
            environment of a full-access key, if it has one.
    """

    id: KeyId
    name: str
    type: KeyType
    org_id: OrgId | None
    env_id: EnvId | None
    permissions: frozenset[Permission]
    sha256: str = attrs.field(repr=False)
    shown: str
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    revoked_at: datetime | None = None

    def is_valid_at(self, now: datetime) -> bool:
        """
        Return whether the key can be used at a moment: neither revoked nor expired.

        ``revoked_at`` may be in the future: after a rotation the old key works on until
        then.
        """
        ended = [at for at in (self.expires_at, self.revoked_at) if at is not None]
        return all(now < at for at in ended)


def checksum(text: str) -> str:
    """
    Return the checksum of a text as six base62 characters.

    It ends every key value, so that a mistyped key is recognised without a database.
    """
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    chars = []
    for _ in range(CHECKSUM_CHARS):
        number, digit = divmod(number, len(BASE62))
        chars.append(BASE62[digit])
    return "".join(chars)


def new_key_value(kind: EnvironmentKind) -> str:
    """Make the secret value of a new API key: prefix, 26 random characters, checksum."""
    body = "".join(secrets.choice(BASE62) for _ in range(KEY_CHARS - CHECKSUM_CHARS))
    start = kind.key_prefix + body
    return start + checksum(start)


def is_key_value(text: str) -> bool:
    """Return whether a text has the form and the checksum of an API key's value."""
    return _KEY_VALUE.fullmatch(text) is not None and secrets.compare_digest(
        checksum(text[:-CHECKSUM_CHARS]), text[-CHECKSUM_CHARS:]
    )


def is_key_name(text: str) -> bool:
    """Return whether a text may name an API key: one line, not too long; "" is allowed."""
    return len(text) <= MAX_KEY_NAME_CHARS and one_line(text) == text


def hash_key(value: str) -> str:
    """Return the SHA-256 of an API key's value as 64 hex digits."""
    return hashlib.sha256(value.encode()).hexdigest()


_KEY_VALUE = re.compile(
    f"(?:{'|'.join(re.escape(kind.key_prefix) for kind in EnvironmentKind)})"
    f"[0-9A-Za-z]{{{KEY_CHARS}}}"
)
