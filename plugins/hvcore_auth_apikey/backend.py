"""Authenticate callers that send an API key."""

import secrets
from typing import Final

from hvcore.plugin_api import (
    AuthProvider,
    Clock,
    Credentials,
    HeaderScheme,
    KeyBook,
    Principal,
    UnauthorizedError,
    hash_key,
    is_key_value,
)

SCHEME: Final = HeaderScheme(name="ApiKey", header="X-Api-Key")
HEADER: Final = SCHEME.header.lower()


class ApiKeyProvider(AuthProvider):
    """An authentication provider that recognises callers by an API key in a header."""

    scheme = SCHEME

    def __init__(self, *, keys: KeyBook, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock

    def authenticate(self, credentials: Credentials) -> Principal | None:
        """
        Return the principal of the API key in a request, or None if no key was sent.

        Raises:
            UnauthorizedError: The key is not valid. The error does not say why.
        """
        value = credentials.headers.get(HEADER)
        if value is None:
            return None
        # Before any lookup, so that guessing costs us nothing. It also
        # refuses two headers, which arrive joined by a comma.
        if not is_key_value(value):
            raise UnauthorizedError
        digest = hash_key(value)
        now = self._clock.now()
        key = self._keys.find(digest)
        if key is None or not key.is_valid_at(now):
            raise UnauthorizedError
        # The database may compare texts more loosely than byte by byte.
        if not secrets.compare_digest(key.sha256, digest):
            raise UnauthorizedError
        self._keys.note_use(key, now)
        return Principal(
            key_id=key.id,
            type=key.type,
            org_id=key.org_id,
            env_id=key.env_id,
            permissions=key.permissions,
            key_name=key.name,
        )
