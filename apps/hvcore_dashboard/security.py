"""
Security headers of every dashboard page, and the check that changes come from its own pages.

Source: Content Security Policy 3; Fetch Metadata; Trusted Types; the OWASP sheet on
cross-site request forgery ("Defense in depth").
"""

import secrets
from collections.abc import Iterable, Mapping
from typing import Final

import attrs
import falcon

from hvcore.domain.web_addresses import is_origin_at

CHANGE_TOKEN: Final = "change_token"  # noqa: S105 - the name of a field
CHANGE_TOKEN_HEADER: Final = "X-HV-Change-Token"  # noqa: S105 - the name of a header
HEADERS: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # With no-referrer, browsers would send no Origin with forms.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""The security headers of every page of the dashboard. ``nosniff`` is not among them: every
answer of every app has it."""


@attrs.frozen(kw_only=True)
class ContentPolicy:
    """The origins that a page's Content-Security-Policy allows, besides the dashboard's own files."""

    pictures: tuple[str, ...] = ()
    media: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    connections: tuple[str, ...] = ()

    def joined(self, other: "ContentPolicy") -> "ContentPolicy":
        """Return a policy with the origins of both policies."""
        return ContentPolicy(
            pictures=(*self.pictures, *other.pictures),
            media=(*self.media, *other.media),
            frames=(*self.frames, *other.frames),
            connections=(*self.connections, *other.connections),
        )

    def header(self, nonce: str) -> str:
        """
        Return the value of the header ``Content-Security-Policy``.

        Args:
            nonce: The nonce of this answer's scripts and of the elements that htmx obeys;
                empty for a page without scripts.
        """
        rules = [
            "default-src 'none'",
            "style-src 'self'",
            f"img-src {_sources(self.pictures)}",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        ]
        if not nonce:
            return "; ".join([*rules, "trusted-types 'none'"])
        rules += [
            f"script-src 'self' 'nonce-{nonce}'",
            f"connect-src {_sources(self.connections)}",
            "trusted-types htmx",
        ]
        if self.media:
            rules.append(f"media-src {_sources(self.media)}")
        if self.frames:
            rules.append(f"frame-src {' '.join(self.frames)}")
        return "; ".join(rules)


PLAIN: Final = ContentPolicy()


def new_nonce() -> str:
    """Return a new random nonce for the Content-Security-Policy of one answer."""
    return secrets.token_urlsafe(16)


def is_from_our_pages(req: falcon.Request) -> bool:
    """
    Return whether the headers say that a request comes from a page of this dashboard.

    A request with neither ``Sec-Fetch-Site`` nor ``Origin`` passes: no current browser sends
    one, and the change token is checked besides.
    """
    site = req.get_header("Sec-Fetch-Site")
    if site is not None and site != "same-origin":
        return False
    origin = req.get_header("Origin")
    return origin is None or is_origin_at(origin, req.get_header("Host"))


def is_opened(req: falcon.Request) -> bool:
    """
    Return whether a browser opens this address as a page, not as a picture or another resource.

    Otherwise another site could begin sign-ins by pictures until the limit of sign-ins for
    the person's IP address is reached.
    """
    return req.get_header("Sec-Fetch-Dest") in {None, "document"}


def _sources(origins: Iterable[str]) -> str:
    return " ".join(["'self'", *origins])
