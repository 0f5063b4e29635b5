"""
Sign-in sessions: how long a person stays signed in, and the cookie that proves it.

A browser holds a random value in a cookie. The database holds only the value's SHA-256,
so that whoever reads the database cannot take a session over.
"""

import hashlib
import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import Final

import attrs

from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.people import SignedInPerson

_VALUE_BYTES: Final = 32
_VALUE: Final = re.compile(r"[0-9A-Za-z_-]{43}")
_CHANGE_PURPOSE: Final = b"hvcore change token 1"


@attrs.frozen(kw_only=True)
class SignInSession:
    """
    Describe the session of a person who is signed in, in one browser.

    Attributes:
        sha256: The SHA-256 of the value in the cookie, 64 hex digits.
        identity: The person with all roles: those from the sign-in backend, and those
            that admins gave.
        backend: The name of the backend that recognised the person.
        last_used_at: When the session was used last, to the minute.
        asked_at: When the backend was last asked whether the person is still a member.
        ends_at: When the session ends, however much it is used.
        refresh_state: Data with which the backend asks the provider again; encrypted.
    """

    sha256: str = attrs.field(repr=False)
    identity: Identity
    backend: str
    created_at: datetime
    last_used_at: datetime
    asked_at: datetime
    ends_at: datetime
    refresh_state: bytes = attrs.field(repr=False)

    @property
    def actor(self) -> str:
        """The person's name in the audit log, such as ``oidc:alice``."""
        return f"{self.backend}:{self.identity.subject}"

    def is_over_at(self, now: datetime, idle: timedelta) -> bool:
        """Return whether the session has ended, or was not used for the idle time."""
        return now >= self.ends_at or now >= self.last_used_at + idle

    def person(self, value: str) -> SignedInPerson:
        """
        Return the signed-in person of the session.

        Args:
            value: The value of the session's cookie, from which the change token is made.
        """
        return SignedInPerson(
            subject=self.identity.subject,
            name=self.identity.shown_name,
            email=self.identity.email,
            roles=self.identity.roles,
            is_operator=self.identity.is_operator,
            backend=self.backend,
            change_token=change_token(value),
        )


def new_secret_value() -> str:
    """Make a random secret: 256 bits, 43 characters."""
    return secrets.token_urlsafe(_VALUE_BYTES)


def is_secret_value(text: str) -> bool:
    """Return whether a text has the form of a secret from new_secret_value."""
    return _VALUE.fullmatch(text) is not None


def hash_secret_value(value: str) -> str:
    """Return the SHA-256 that the database stores instead of a secret: 64 hex digits."""
    return hashlib.sha256(value.encode()).hexdigest()


def change_token(session_value: str) -> str:
    """
    Return the change token of a session, which protects changes against CSRF.

    The token is computed from the cookie's value, which other sites cannot read, and is
    stored nowhere.
    """
    mac = hmac.new(session_value.encode(), _CHANGE_PURPOSE, hashlib.sha256)
    return mac.hexdigest()
