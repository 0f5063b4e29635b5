"""
Send one request to a cache and read its answer, within a total time limit.

The time limit of an HTTP client is for each read: an answer whose head comes one byte
at a time would never end.
"""

import http.client
import json
import socket
import ssl
from collections.abc import Mapping
from contextlib import closing
from urllib.parse import urlsplit

import attrs

from hvcore.plugin_api import SocketDeadline


@attrs.frozen(kw_only=True)
class PurgeRequest:
    """
    A purge request to one cache.

    Attributes:
        path: The path of the request; None for the path in the cache's own address.
    """

    method: str
    path: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    body: bytes | None = None


@attrs.frozen(kw_only=True)
class CacheAnswer:
    """
    The answer of a cache to a purge request.

    Attributes:
        is_json: Whether the content type of the answer is JSON.
        body: The body of the answer, or its beginning if it is long.
    """

    status: int
    is_json: bool = False
    body: bytes = b""

    @property
    def is_failure(self) -> bool:
        """
        Return whether an answer with a success status reports a failure in its JSON, or is cut off.

        CDNs report a failure as ``{"success": false, "errors": […]}``.
        """
        try:
            told = json.loads(self.body) if self.body else {}
        except (ValueError, RecursionError):
            return self.is_json
        return isinstance(told, dict) and told.get("success", True) is not True


def exchange(
    address: str,
    request: PurgeRequest,
    *,
    headers: Mapping[str, str],
    within_s: float,
    body_bytes: int,
) -> CacheAnswer:
    """
    Send a request to a cache, and return its answer.

    Redirects are not followed, because the secret token is only for the address in the
    settings.

    Args:
        within_s: The seconds for the whole exchange, the look-up of the cache's name
            included.
        body_bytes: The most bytes of the answer's body that are read.

    Raises:
        OSError: The cache cannot be reached, or does not answer in time.
        http.client.HTTPException: The answer is not HTTP.
        UnavailableError: No thread could be started for the request.
    """
    parts = urlsplit(address)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    if request.path is not None:
        target = parts.path.rstrip("/") + request.path
    kind = (
        http.client.HTTPSConnection
        if parts.scheme == "https"
        else http.client.HTTPConnection
    )
    connection = kind(parts.hostname or "", parts.port)
    with SocketDeadline(within_s) as deadline, closing(connection):
        connection.sock = _connected(connection, deadline, within_s)
        connection.request(
            request.method, target or "/", body=request.body, headers=dict(headers)
        )
        with connection.getresponse() as answer:
            body = answer.read(body_bytes) if body_bytes else b""
    if deadline.has_passed:
        # Its end looks like the answer's, where that has no length.
        raise TimeoutError("the answer did not end in time")
    is_json = answer.headers.get_content_subtype().endswith("json")
    return CacheAnswer(status=answer.status, is_json=is_json and bool(body), body=body)


def _connected(
    connection: http.client.HTTPConnection, deadline: SocketDeadline, within_s: float
) -> socket.socket:
    made = deadline.connect(connection.host, connection.port, step_s=within_s)
    if not isinstance(connection, http.client.HTTPSConnection):
        return made
    tls = ssl.create_default_context()
    tls.set_alpn_protocols(["http/1.1"])
    return tls.wrap_socket(made, server_hostname=connection.host)
