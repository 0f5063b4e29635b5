"""
Answer by the rules of cross-origin requests (CORS), with one policy for each app.

Source: the interface document, "Authentication", 9; the Fetch standard, section 3.2.
"""

from collections.abc import Iterable
from typing import Final

import attrs
import falcon

from hvcore_web.viewers import CMCD_HEADERS


@attrs.frozen(kw_only=True)
class CorsPolicy:
    """
    The origins whose pages may read the answers of an app.

    Attributes:
        origins: The origins, compared exactly; None allows every page.
        methods: The HTTP methods that a preflight allows.
        headers: The request headers that a preflight allows.
        exposed: The response headers that a page may read.
    """

    origins: frozenset[str] | None
    methods: tuple[str, ...]
    headers: tuple[str, ...]
    exposed: tuple[str, ...] = ("X-Request-Id",)


PREFLIGHT_MAX_AGE_S: Final = "3600"
"""The time for which a browser may keep a preflight's answer."""

TUS_REQUEST_HEADERS: Final = (
    *("Tus-Resumable", "Upload-Length", "Upload-Offset", "Upload-Metadata"),
    "Upload-Checksum",
)
"""The request headers of tus 1.0 with its extensions creation, termination and checksum."""
TUS_ANSWER_HEADERS: Final = (
    *("Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size"),
    *("Tus-Checksum-Algorithm", "Upload-Offset", "Upload-Length", "Upload-Expires"),
)

CLIENT_HEADERS: Final = ("X-Request-Id", "Upload-Name")
"""The headers that upload clients add by themselves: tus clients on request, FilePond always."""
CREDENTIAL_HEADERS: Final = ("X-Api-Key", "Authorization")
"""
The headers with credentials that upload addresses allow but never read: clients that create
an upload with a key also send the key to the upload address.
"""

ANY_ORIGIN: Final = CorsPolicy(
    origins=None,
    methods=("GET", "HEAD", "OPTIONS"),
    headers=("Range", "Content-Type", *CMCD_HEADERS),
    exposed=(
        *("Content-Length", "Content-Range", "ETag", "X-Request-Id"),
        "Retry-After",
    ),
)
"""The CORS policy of delivery and the player, and of all files that any page may load."""

FOR_ANY_PAGE: Final = (
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", ", ".join(ANY_ORIGIN.exposed)),
    # Pages that are isolated take pictures and media only where this says so.
    ("Cross-Origin-Resource-Policy", "cross-origin"),
)
"""The headers of answers under ANY_ORIGIN."""

UPLOAD: Final = CorsPolicy(
    origins=None,
    methods=("PUT", "POST", "PATCH", "HEAD", "DELETE", "OPTIONS"),
    headers=(
        *("Content-Type", "X-HTTP-Method-Override"),
        *TUS_REQUEST_HEADERS,
        *CLIENT_HEADERS,
        *CREDENTIAL_HEADERS,
    ),
    exposed=(
        *("ETag", "X-Request-Id", "Location", "Retry-After", "Upload-Metadata"),
        *TUS_ANSWER_HEADERS,
    ),
)
"""The CORS policy of upload addresses."""


def exact_origins(
    origins: Iterable[str], credentials: Iterable[str] = ()
) -> CorsPolicy:
    """
    Return the CORS policy of an app that only pages of the given origins may use.

    Args:
        origins: The origins, such as ``https://app.example.com``. ``*`` and ``null`` are
            left out: a page of any origin can send ``null``.
        credentials: The names of the request headers with which callers authenticate.
    """
    exact = {origin.strip().rstrip("/").lower() for origin in origins}
    return CorsPolicy(
        origins=frozenset(exact - {"", "*", "null"}),
        methods=("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
        headers=(
            *dict.fromkeys(credentials),
            *("Content-Type", "Idempotency-Key", "If-Match"),
            *TUS_REQUEST_HEADERS,
            *CLIENT_HEADERS,
        ),
        exposed=(
            *("X-Request-Id", "Retry-After", "Location", "Idempotency-Replayed"),
            "ETag",
            *("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
            *("X-Asset-Id", "X-Bucket-Path"),
            *TUS_ANSWER_HEADERS,
        ),
    )


class CorsMiddleware:
    """
    Falcon middleware that answers CORS preflights and adds CORS headers to every answer.

    Error answers get the headers as well.

    Args:
        open_paths: The paths whose answers pages of every origin may read, whatever the
            policy is.
    """

    def __init__(
        self, policy: CorsPolicy, open_paths: frozenset[str] = frozenset()
    ) -> None:
        self._policy = policy
        self._open_paths = open_paths

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Answer a CORS preflight with 204, before any other middleware asks for a key."""
        policy = self._policy_of(req)
        if not _is_preflight(req, policy):
            return
        if _allowed_origin(req, policy) is not None:
            resp.set_header("Access-Control-Allow-Methods", ", ".join(policy.methods))
            resp.set_header("Access-Control-Allow-Headers", ", ".join(policy.headers))
            resp.set_header("Access-Control-Max-Age", PREFLIGHT_MAX_AGE_S)
        resp.status = falcon.HTTP_204
        resp.complete = True

    def process_response(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        _resource: object,
        _req_succeeded: bool,  # noqa: FBT001 - Falcon's signature
    ) -> None:
        """Add the CORS headers that the policy has for this request to the answer."""
        policy = self._policy_of(req)
        if policy is ANY_ORIGIN:
            resp.set_headers(FOR_ANY_PAGE)
            return
        if policy.origins is not None:
            resp.append_header("Vary", "Origin")
        origin = _allowed_origin(req, policy)
        if origin is not None:
            resp.set_header("Access-Control-Allow-Origin", origin)
            resp.set_header("Access-Control-Expose-Headers", ", ".join(policy.exposed))

    def _policy_of(self, req: falcon.Request) -> CorsPolicy:
        return ANY_ORIGIN if req.path in self._open_paths else self._policy


def _is_preflight(req: falcon.Request, policy: CorsPolicy) -> bool:
    if req.method != "OPTIONS":
        return False
    asked = req.get_header("Access-Control-Request-Method") is not None
    return policy.origins is None or (asked and req.get_header("Origin") is not None)


def _allowed_origin(req: falcon.Request, policy: CorsPolicy) -> str | None:
    if policy.origins is None:
        return "*"
    origin = req.get_header("Origin")
    return origin if origin in policy.origins else None
