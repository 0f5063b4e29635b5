"""Send HTTP requests to the OpenID provider, and to no other host."""

import json
import re
import socket
import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import attrs
import urllib3
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.exceptions import TimeoutError as WaitedTooLongError

from hvcore.plugin_api import SocketDeadline, UnavailableError
from hvcore_openid_provider.addresses import is_safe_address

TOTAL_S: Final = 8.0
"""For all requests of one exchange: a sign-in backend may block for 10 s."""
SPARED_S: Final = 5.0
"""
After it was silent for so long, nobody waits for it again at once: every page of every
person would hold a thread that the API needs.
"""
MAX_BYTES: Final = 512 * 1024
"""More than the keys of any provider, or the claims of any person."""
TOKEN_ERRORS: Final = ("invalid_token", "insufficient_scope")
"""What RFC 6750, section 3.1, calls it that a token is not taken; ``invalid_request`` is of
a question that is wrong."""
_BEARER: Final = re.compile(r"bearer(\s|$)", re.IGNORECASE)
_CONNECT_S: Final = 3.0
_READ_S: Final = 5.0
_CHUNK_BYTES: Final = 16 * 1024
_HEADERS: Final = {
    "Accept": "application/json",
    # Bytes as they are: nothing here unpacks, so nothing can be a bomb.
    "Accept-Encoding": "identity",
    # Minutes lie between calls; providers drop idle connections meanwhile.
    "Connection": "close",
    "User-Agent": "hvcore",
}


@attrs.frozen(kw_only=True)
class ProviderSettings:
    """
    The addresses and names of an OpenID provider, from the settings.

    Attributes:
        issuer: The provider's address, spelled as the provider spells it.
        further_hosts: Hosts besides the issuer's that its endpoints may be on.
        called: The provider's name in error messages, such as ``The sign-in provider``.
        section: The section of the settings that names the provider, such as
            ``sign_in.oidc``.
    """

    issuer: str
    further_hosts: tuple[str, ...]
    called: str
    section: str

    @property
    def silence(self) -> str:
        """The message of errors while the OpenID provider does not answer."""
        return f"{self.called} does not answer; try again soon."


@attrs.frozen(kw_only=True)
class ProviderAnswer:
    """
    The answer of an OpenID provider to a request.

    Attributes:
        challenge: The header WWW-Authenticate; "" if there is none.
    """

    status: int
    data: bytes = attrs.field(repr=False)
    challenge: str = ""

    @property
    def refuses_token(self) -> bool:
        """
        Return whether the provider itself refuses an access token that was shown.

        A firewall or a proxy before it answers 401 and 403, too, with a page of its own,
        and says nothing about a person.

        Source: RFC 6750, section 3: the answer has a challenge of the scheme Bearer.
        Some providers leave it out, and name the error in JSON.
        """
        if self.status not in {401, 403}:
            return False
        if any(_BEARER.match(part.strip()) for part in self.challenge.split(",")):
            return True
        return (self.json() or {}).get("error") in TOKEN_ERRORS

    def json(self) -> Mapping[str, Any] | None:
        """Return the JSON object in the answer's body; None if the body is none."""
        try:
            found = json.loads(self.data)
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) else None


class ProviderHttp:
    """
    Send requests to the issuer's host, and to further hosts by name; thread-safe.

    Redirects are not followed: they could lead anywhere.
    """

    def __init__(self, settings: ProviderSettings) -> None:
        self.settings = settings
        origin = urlsplit(settings.issuer)
        self._netlocs = {_netloc(origin)} | {
            _netloc(urlsplit(f"{scheme}://{host}"))
            for host in settings.further_hosts
            for scheme in ("https", "http")
        }
        self._silent_until_s = 0.0

    def allows(self, address: str) -> bool:
        """Return whether an address is on a host of the provider and safe (https, or this machine)."""
        return is_safe_address(address) and _netloc(urlsplit(address)) in self._netlocs

    def begin(self) -> "ProviderExchange":
        """Begin a series of requests that together may take 8 s."""
        return ProviderExchange(self, time.monotonic() + TOTAL_S)

    @property
    def is_spared(self) -> bool:
        """Return whether the provider failed to answer a moment ago, so that no request is sent to it now."""
        return time.monotonic() < self._silent_until_s

    def note_silence(self) -> None:
        """Record that the provider does not answer, so that for a moment no request is sent to it."""
        self._silent_until_s = time.monotonic() + SPARED_S


class ProviderExchange:
    """A series of requests to an OpenID provider that share one time limit."""

    def __init__(self, http: ProviderHttp, ends_at_s: float) -> None:
        self._http = http
        self._called = http.settings.called
        self._ends_at_s = ends_at_s

    def get(self, address: str, *, token: str = "") -> ProviderAnswer:
        """
        Send a GET to the provider, and return the answer.

        Args:
            address: The URL, at the issuer's host or an allowed further one.
            token: The access token to show.

        Raises:
            UnavailableError: No answer came, or it was cut off or too large.
        """
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._send("GET", address, headers, None)

    def post(
        self, address: str, form: str, *, headers: Mapping[str, str]
    ) -> ProviderAnswer:
        """
        Send a form to the provider by POST, and return the answer.

        Args:
            address: The URL, at the issuer's host or an allowed further one.
            form: The form as the body has it, URL-encoded.
            headers: Further headers of the request.

        Raises:
            UnavailableError: No answer came, or it was cut off or too large.
        """
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._send("POST", address, {**kind, **headers}, form)

    def _send(
        self, method: str, address: str, headers: Mapping[str, str], body: str | None
    ) -> ProviderAnswer:
        if not self._http.allows(address):
            raise UnavailableError(f"{self._called} led to an unknown host.")
        if self._http.is_spared:
            raise UnavailableError(self._http.settings.silence)
        left_s = max(self._ends_at_s - time.monotonic(), 0.001)
        # A read's timeout begins anew at each byte of a head.
        with SocketDeadline(left_s) as deadline:
            set_by = _deadline.set(deadline)
            try:
                answer = self._ask(method, address, headers, body, left_s)
            except (HTTPError, OSError) as exc:
                is_silent = isinstance(exc, WaitedTooLongError | TimeoutError)
                if is_silent or deadline.has_passed:
                    self._http.note_silence()
                raise UnavailableError(self._http.settings.silence) from exc
            finally:
                _deadline.reset(set_by)
        if deadline.has_passed:
            # Its end looks like the answer's, where that has no length.
            self._http.note_silence()
            raise UnavailableError(self._http.settings.silence)
        return answer

    def _ask(
        self,
        method: str,
        address: str,
        headers: Mapping[str, str],
        body: str | None,
        left_s: float,
    ) -> ProviderAnswer:
        # A pool for each: whoever ignores "Connection: close" leaves a connection
        # in it, of which another request's deadline knows nothing.
        with urllib3.PoolManager(retries=False) as pool:
            pool.pool_classes_by_scheme = _POOLS
            response = pool.request(
                method,
                address,
                body=body,
                headers={**_HEADERS, **headers},
                redirect=False,
                preload_content=False,
                timeout=urllib3.Timeout(
                    connect=min(_CONNECT_S, left_s), read=min(_READ_S, left_s)
                ),
            )
            try:
                data = self._read(response)
            finally:
                response.close()
        challenge = response.headers.get("WWW-Authenticate", "")
        return ProviderAnswer(status=response.status, data=data, challenge=challenge)

    def _read(self, response: urllib3.BaseHTTPResponse) -> bytes:
        data = b""
        while chunk := response.read1(_CHUNK_BYTES, decode_content=False):
            data += chunk
            if len(data) > MAX_BYTES:
                raise UnavailableError(f"{self._called} answers too much.")
        return data


_deadline: Final[ContextVar[SocketDeadline]] = ContextVar("_deadline")


class _Connection(HTTPConnection):
    """A connection that is made under the deadline of the request that needs it."""

    def _new_conn(self) -> socket.socket:
        return _connected(self)


class _TlsConnection(HTTPSConnection):
    """The same with TLS."""

    def _new_conn(self) -> socket.socket:
        return _connected(self)


def _connected(connection: HTTPConnection) -> socket.socket:
    step_s = float(connection.timeout or _CONNECT_S)
    try:
        return _deadline.get().connect(connection.host, connection.port, step_s=step_s)
    except TimeoutError as exc:
        raise ConnectTimeoutError(connection, "connecting took too long") from exc
    except OSError as exc:
        raise NewConnectionError(connection, "nobody answers there") from exc


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _TlsConnection


_POOLS: Final = {"http": _Pool, "https": _TlsPool}


def _netloc(parts: SplitResult) -> tuple[str | None, int]:
    return parts.hostname, parts.port or (80 if parts.scheme == "http" else 443)
