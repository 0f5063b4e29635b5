"""Sign-ins that have begun, and wait for the backend's answer."""

from datetime import datetime, timedelta
from typing import Final

import attrs

PENDING_FOR: Final = timedelta(minutes=10)
"""From leaving for the provider to coming back."""


@attrs.frozen(kw_only=True)
class PendingSignIn:
    """
    A sign-in that has begun in one browser.

    Attributes:
        state_sha256: Of the state, which the provider sends back and the browser
            shows in a cookie; 64 hex digits.
        private: What the backend needs to read the answer, such as a nonce and the
            verifier of PKCE; sealed.
        return_to: The path of the page that the person wanted.
    """

    state_sha256: str = attrs.field(repr=False)
    backend: str
    private: bytes = attrs.field(repr=False)
    return_to: str
    expires_at: datetime
