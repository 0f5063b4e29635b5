"""
Sessions: for how long a person stays signed in, and what proves it.

A browser holds a random value. The database holds only its SHA-256, so that whoever
reads the database cannot take a session over.
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
    A person who is signed in, in one browser.

    Attributes:
        sha256: Of the value in the cookie, 64 hex digits.
        identity: With all roles: the backend's, and those that admins gave.
        backend: The name of the backend that recognised the person.
        last_used_at: To the minute.
        asked_at: When the membership was asked last.
        ends_at: Then it ends, however much it is used.
        refresh_state: What the backend asks with; sealed.
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
        """Return the name of the person in the audit log."""
        return f"{self.backend}:{self.identity.subject}"

    def is_over_at(self, now: datetime, idle: timedelta) -> bool:
        """Return whether it has ended."""
        return now >= self.ends_at or now >= self.last_used_at + idle

    def person(self, value: str) -> SignedInPerson:
        """Return the person, for who shows the value of the cookie."""
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
    """Make a secret that nobody can guess: 256 random bits, 43 characters."""
    return secrets.token_urlsafe(_VALUE_BYTES)


def is_secret_value(text: str) -> bool:
    """Return whether this has the form of such a value."""
    return _VALUE.fullmatch(text) is not None


def hash_secret_value(value: str) -> str:
    """Return the hash that the database has instead of the value: 64 hex digits."""
    return hashlib.sha256(value.encode()).hexdigest()


def change_token(session_value: str) -> str:
    """
    Return the change token of a session.

    It follows from the cookie, which other sites cannot read, and is stored nowhere.
    """
    mac = hmac.new(session_value.encode(), _CHANGE_PURPOSE, hashlib.sha256)
    return mac.hexdigest()
