"""
The dashboard's cookies: session, messages for the next page, and last choices of a person.

A browser sends cookies to every port of a host. So no cookie's path is above the dashboard's
own path, except for ``__Host-`` cookies, which must have the root as their path.
"""

import base64
import json
from collections.abc import Sequence
from typing import Final, Literal
from urllib.parse import urlsplit

import attrs
import falcon

from hvcore.domain.ids import is_video_id

SESSION: Final = "hv_session"
SIGN_IN: Final = "hv_sign_in"
"""The cookie of a sign-in that has begun in this browser."""
MESSAGES: Final = "hv_messages"
VIEW: Final = "hv_view"
LAST: Final = "hv_last"
"""The cookie of the organization and the environment that were looked at last."""
_YEAR_S: Final = 365 * 24 * 3600
_MESSAGES_S: Final = 60
_MOST_MESSAGES: Final = 5
MOST_UNDONE: Final = 24
"""The most videos that one message undoes; a cookie has 4 KB."""

Tone = Literal["good", "warn", "danger"]


@attrs.frozen
class FlashMessage:
    """
    A message that the next page of the dashboard shows, once.

    Attributes:
        undo: The ids of the deleted videos that the message's button *Undo* restores.
    """

    text: str
    tone: Tone = "good"
    undo: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class Cookies:
    """
    Reads and sets the dashboard's cookies.

    Attributes:
        root: The path of the dashboard, as browsers see it.
        is_secure: Whether browsers reach the dashboard by HTTPS.
    """

    root: str
    is_secure: bool

    @classmethod
    def of(cls, dashboard_url: str) -> "Cookies":
        """Return the cookies of a dashboard with this public address."""
        parts = urlsplit(dashboard_url)
        return cls(root=parts.path.rstrip("/"), is_secure=parts.scheme == "https")

    def session(self, req: falcon.Request) -> str | None:
        """Return the value of the session cookie, or None if the request has no such cookie."""
        return self.read(req, SESSION)

    def start_session(
        self, resp: falcon.Response, value: str, *, max_age_s: int
    ) -> None:
        """
        Set the session cookie to this value.

        Args:
            max_age_s: The seconds after which the browser forgets the cookie.
        """
        self._set(resp, SESSION, value, max_age_s)

    def end_session(self, resp: falcon.Response) -> None:
        """Remove the session cookie from the browser."""
        self._set(resp, SESSION, "", 0)

    def read(self, req: falcon.Request, name: str) -> str | None:
        """Return the value of the cookie with this name, or None if the request has no such cookie."""
        values = req.get_cookie_values(self._name(name))
        return values[0] if values else None

    def keep(
        self,
        resp: falcon.Response,
        name: str,
        value: str,
        *,
        max_age_s: int = _YEAR_S,
    ) -> None:
        """Set the cookie with this name, such as one for a person's last choice."""
        self._set(resp, name, value, max_age_s)

    def forget(self, resp: falcon.Response, name: str) -> None:
        """Remove the cookie with this name from the browser."""
        self._set(resp, name, "", 0)

    def messages(self, req: falcon.Request) -> Sequence[FlashMessage]:
        """Return the messages in the request's cookie, which no page has shown yet."""
        value = self.read(req, MESSAGES)
        if not value:
            return ()
        try:
            found = json.loads(base64.urlsafe_b64decode(value))
            return [
                FlashMessage(str(text), tone, tuple(filter(is_video_id, undo)))
                for text, tone, undo in found
            ]
        except (RecursionError, TypeError, ValueError):
            # Not ours.
            return ()

    def tell(self, resp: falcon.Response, messages: Sequence[FlashMessage]) -> None:
        """Store messages for the next page in a cookie; an empty list removes the cookie."""
        if not messages:
            self._set(resp, MESSAGES, "", 0)
            return
        pairs = [
            [one.text[:500], one.tone, one.undo[:MOST_UNDONE]]
            for one in messages[:_MOST_MESSAGES]
        ]
        value = base64.urlsafe_b64encode(json.dumps(pairs).encode()).decode()
        self._set(resp, MESSAGES, value, _MESSAGES_S)

    def _name(self, name: str) -> str:
        return f"__Host-{name}" if self.is_secure else name

    def _set(
        self, resp: falcon.Response, name: str, value: str, max_age_s: int
    ) -> None:
        parts = [
            f"{self._name(name)}={value}",
            f"Path={'/' if self.is_secure else self.root or '/'}",
            f"Max-Age={max_age_s}",
            "HttpOnly",
            "SameSite=Lax",
        ]
        if self.is_secure:
            parts.append("Secure")
        resp.append_header("Set-Cookie", "; ".join(parts))
