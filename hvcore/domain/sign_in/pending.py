"""Pending sign-ins: sign-ins that have begun and wait for the provider's answer."""

from datetime import datetime, timedelta
from typing import Final

import attrs

PENDING_FOR: Final = timedelta(minutes=10)
"""From leaving for the provider to coming back."""


@attrs.frozen(kw_only=True)
class PendingSignIn:
    """
    Hold a sign-in that has begun in one browser.

    Attributes:
        state_sha256: The SHA-256 of the ``state`` parameter, which the provider sends
            back and which the browser holds in a cookie; 64 hex digits.
        private: Data that the backend needs to read the provider's answer, such as a
            nonce and the verifier of PKCE; encrypted.
        return_to: The path of the page that the person wanted to see.
    """

    state_sha256: str = attrs.field(repr=False)
    backend: str
    private: bytes = attrs.field(repr=False)
    return_to: str
    expires_at: datetime
