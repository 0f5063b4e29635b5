"""The HTTP client for every request that the service makes for a caller."""

import http.client
import re
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

import attrs
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError, ProtocolError
from urllib3.response import HTTPResponse

from hvcore.errors import UnavailableError
from hvcore.safe_http.addresses import Address, is_public, parse_address
from hvcore.safe_http.allowed_hosts import AllowedHosts
from hvcore.safe_http.connections import open_connection
from hvcore.safe_http.errors import OutboundError, TargetRefusedError
from hvcore.safe_http.resolving import (
    MAX_LOOKUPS,
    Resolve,
    look_up,
    look_up_now,
    system_addresses,
)
from hvcore.safe_http.targets import Target, parse_target, redirected
from hvcore.safe_http.watching import Watch, WatchedTls
from hvcore.throttling.shares import SharedCapacity

CHECK_S: Final = 0.5
"""A thread of the API waits for it; names that are not known by then are checked later."""
BLOCK_BYTES: Final = 256 * 1024
MAX_REDIRECTS: Final = 5
"""Unless the caller allows another number."""
_LENGTH: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_HEADERS: Final = {
    "User-Agent": "hvcore",
    # Bytes as they are: nothing here unpacks, so nothing can be a bomb.
    "Accept-Encoding": "identity",
    "Connection": "close",
}


@attrs.frozen(kw_only=True)
class OutboundResponse:
    """
    The status and headers of an HTTP response whose body was not read.

    Attributes:
        headers: The values of the headers, by their names in lower case.
    """

    status: int
    headers: Mapping[str, str]


@attrs.frozen(kw_only=True)
class StreamedResponse:
    """
    An HTTP response whose body can be read once.

    Attributes:
        headers: The values of the headers, by their names in lower case.
        content_length: The announced length of the body in bytes; None if it was not announced.
    """

    status: int
    headers: Mapping[str, str]
    content_length: int | None
    _response: HTTPResponse = attrs.field(repr=False)
    _host: str

    def blocks(self) -> Iterator[bytes]:
        """
        Yield the bytes of the body as they were sent, in blocks of at most 256 KiB.

        Raises:
            OutboundError: The bytes end too early, stop coming or take too long.
        """
        while block := self._read():
            yield block

    def _read(self) -> bytes:
        with _failing(self._host):
            return self._response.read1(BLOCK_BYTES, decode_content=False)


def _go_on() -> None:
    pass


class OutboundHttp:
    """
    HTTP client for public addresses, and for hosts that an operator allows.

    All other addresses are refused: see ``check`` for the rules. The client uses no proxies, no
    cookies and no ``.netrc``. Thread-safe.

    Args:
        allowed_hosts: The value of the setting ``fetch.allowed_hosts``.
        resolve: Returns the addresses of a host name.
        lookups_of_one: The value of the setting ``shares.name_lookups_of_one``.
        ca_file: Certificates to trust instead of the system's.

    Raises:
        ConfigError: An allowed host cannot be understood.
    """

    def __init__(
        self,
        *,
        allowed_hosts: Sequence[str],
        resolve: Resolve = system_addresses,
        lookups_of_one: int = 4,
        ca_file: Path | None = None,
    ) -> None:
        self._allowed = AllowedHosts(allowed_hosts)
        self._resolve = resolve
        # Of checks alone: fetches and webhooks have their own room.
        self._lookups = SharedCapacity(
            name="name_lookups_of_one",
            capacity=MAX_LOOKUPS,
            most_of_one=lookups_of_one,
            reserved_for_newcomers=MAX_LOOKUPS // 4,
            things="host names looked up",
        )
        self._ca_file = ca_file

    def check(self, url: str, *, client: str) -> None:
        """
        Raise TargetRefusedError if a URL breaks the rules, as far as is known now; makes no connection.

        A target must be an absolute https URL on port 443, without userinfo, and every
        address of its host name must be public. Allowed hosts may also be private, on
        other ports, and without TLS. A name that cannot be resolved within half a
        second is not refused: it is checked again when it is used. No name is looked up while the
        client has its share of lookups in progress, so that names that hang do not hold up the
        caller's thread.

        Args:
            client: The id of the organization that names the target.

        Raises:
            TargetRefusedError: A rule refuses the target; the reason says which.
        """
        target = parse_target(url)
        if self._allowed.has_name(target.host, target.port):
            return

        def find() -> Sequence[str]:
            self._lookups.acquire(client)
            return look_up_now(
                self._resolve,
                target.host,
                target.port,
                limit_s=CHECK_S,
                at_end=lambda: self._lookups.release(client),
            )

        try:
            self._addresses_of(target, find)
        except (OutboundError, UnavailableError):
            return

    def post(
        self,
        url: str,
        *,
        body: bytes,
        headers: Mapping[str, str],
        timeout_s: float,
        check: Callable[[], None] = _go_on,
    ) -> OutboundResponse:
        """
        Send a POST and return the status and headers of the response; do not follow redirects.

        Args:
            timeout_s: The limit for the whole request: name lookup, connection, sending and
                response.
            check: Called several times a second; raises to end the request.

        Raises:
            TargetRefusedError: The rules refuse the target.
            OutboundError: The target does not answer, or too late.
        """
        watch = Watch(timeout_s, check)
        target = parse_target(url)
        with self._asked(target, watch, "POST", headers, body) as response:
            return OutboundResponse(status=response.status, headers=_lower(response))

    @contextmanager
    def get(
        self,
        url: str,
        *,
        deadline_s: float,
        max_redirects: int = MAX_REDIRECTS,
        check: Callable[[], None] = _go_on,
    ) -> Iterator[StreamedResponse]:
        """
        Send a GET and return the response with its body; check every redirect like the first URL.

        Args:
            deadline_s: The limit for the whole request, reading the body included.
            check: Called several times a second; raises to end the request.

        Raises:
            TargetRefusedError: The rules refuse the URL, or a URL that it redirects to.
            OutboundError: The target does not answer, answers too late, or redirects too often.
        """
        watch = Watch(deadline_s, check)
        target, here = parse_target(url), url
        for _ in range(max_redirects + 1):
            with self._asked(target, watch, "GET", {"Accept": "*/*"}, None) as response:
                location = _location(response)
                if location is None:
                    yield _download(response, target)
                    return
            here = redirected(here, location)
            target = parse_target(here)
        raise TargetRefusedError(
            f"The address redirects more than {max_redirects} times."
        )

    @contextmanager
    def _asked(
        self,
        target: Target,
        watch: Watch,
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
    ) -> Iterator[HTTPResponse]:
        addresses = self._addresses_of(
            target,
            lambda: look_up(
                self._resolve,
                target.host,
                target.port,
                limit_s=watch.left_s,
                check=watch,
            ),
        )
        with _failing(target.host):
            connection = open_connection(
                target, addresses, watch=watch, tls=lambda: self._tls
            )
        try:
            with _failing(target.host):
                response = _exchange(connection, watch, method, headers, body)
            try:
                yield response
            finally:
                response.close()
        finally:
            connection.close()

    def _addresses_of(
        self, target: Target, find: Callable[[], Sequence[str]]
    ) -> Sequence[Address]:
        is_named = self._allowed.has_name(target.host, target.port)
        if target.address is not None:
            addresses: Sequence[Address] = [target.address]
        else:
            may_be = is_named or self._allowed.has_networks(target.port)
            if not (target.is_usual or may_be):
                raise _unusual(target)
            addresses = _parsed(find(), target)
        if is_named:
            return addresses
        for address in addresses:
            self._judge(target, address)
        return addresses

    def _judge(self, target: Target, address: Address) -> None:
        if self._allowed.has_address(address, target.port):
            return
        if not target.is_usual:
            raise _unusual(target)
        if not is_public(address):
            raise TargetRefusedError(
                f"The host {target.host} is not on the public internet.",
                allowed_as=target.host_and_port,
            )

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self._ca_file)
        # Debian's Python takes the end of a broken connection for the end of the answer.
        context.options &= ~ssl.OP_IGNORE_UNEXPECTED_EOF
        context.sslsocket_class = WatchedTls
        return context


def _parsed(found: Sequence[str], target: Target) -> Sequence[Address]:
    addresses = [parse_address(text) for text in found]
    known = [address for address in addresses if address is not None]
    if len(known) != len(addresses):
        # With a zone, for one: link-local.
        raise TargetRefusedError(
            f"The host {target.host} is not on the public internet."
        )
    return known


def _exchange(
    connection: HTTPConnection,
    watch: Watch,
    method: str,
    headers: Mapping[str, str],
    body: bytes | None,
) -> HTTPResponse:
    connection.request(
        method,
        "/",
        body=body,
        headers={**_HEADERS, **headers},
        preload_content=False,
        decode_content=False,
    )
    watch.expect_head()
    response = connection.getresponse()
    is_marked = response.chunked or response.length_remaining is not None
    watch.expect_body(ends_with_connection=not is_marked)
    return response


def _download(response: HTTPResponse, target: Target) -> StreamedResponse:
    headers = _lower(response)
    length = headers.get("content-length")
    if length is not None and _LENGTH.fullmatch(length) is None:
        # Two readers would take it for two lengths (RFC 9112, section 6.3).
        raise OutboundError(f"{target.host} sent a Content-Length that is no number.")
    is_known = length is not None and "transfer-encoding" not in headers
    return StreamedResponse(
        status=response.status,
        headers=headers,
        content_length=int(length or 0) if is_known else None,
        response=response,
        host=target.host,
    )


def _location(response: HTTPResponse) -> str | None:
    location = response.headers.get("Location")
    if response.status not in REDIRECTS or location is None:
        return None
    try:
        # Heads are read as Latin-1; many servers send UTF-8.
        return location.strip(" \t").encode("latin-1").decode("utf-8")
    except UnicodeError as exc:
        raise TargetRefusedError(
            "The address redirects to one that cannot be read."
        ) from exc


def _lower(response: HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _unusual(target: Target) -> TargetRefusedError:
    what = "with https" if not target.is_tls else "on port 443"
    return TargetRefusedError(
        f"The host {target.host} is reached {what} only, unless the operator of this "
        f"service allows more.",
        allowed_as=target.host_and_port,
    )


@contextmanager
def _failing(host: str) -> Iterator[None]:
    """Turn errors of libraries into our own; their texts may name paths."""
    try:
        yield
    except ssl.SSLCertVerificationError as exc:
        raise OutboundError(
            f"The certificate of {host} is not trusted: {exc.verify_message}."
        ) from exc
    except (ProtocolError, http.client.IncompleteRead, ConnectionError) as exc:
        raise OutboundError(f"The connection to {host} broke off.") from exc
    except (OSError, HTTPError, http.client.HTTPException, ValueError) as exc:
        raise OutboundError(
            f"The connection to {host} failed: {type(exc).__name__}."
        ) from exc
