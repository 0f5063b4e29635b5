"""
Open HTTP connections to IP addresses that were checked.

The host name is looked up once, and the checked address is the one connected to, while
``Host``, SNI and the certificate are for the name.
"""

import http.client
import ssl
from collections.abc import Callable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Final

from urllib3.connection import HTTPConnection, HTTPSConnection

from hvcore.safe_http.addresses import Address
from hvcore.safe_http.errors import OutboundError
from hvcore.safe_http.targets import Target
from hvcore.safe_http.watching import SLICE_S, Watch, WatchedSocket, WatchedTls, connect

_READ_PAST: Final = frozenset(range(100, 200)) - {HTTPStatus.SWITCHING_PROTOCOLS}


def open_connection(
    target: Target,
    addresses: Sequence[Address],
    *,
    watch: Watch,
    tls: Callable[[], ssl.SSLContext],
) -> HTTPConnection:
    """
    Open an HTTP connection to the first IP address that answers, and return it.

    Args:
        tls: Returns the TLS context, whose socket class must be WatchedTls. Called for https
            only, because making a context reads all certificates of the machine.

    Raises:
        OutboundError: No address answers.
        OSError: TLS fails.
    """
    dial = partial(_dial, target, addresses, watch)
    connection: HTTPConnection
    if target.is_tls:
        connection = _TlsConnection(target, dial(), watch, tls())
    else:
        connection = _PlainConnection(target, dial())
    try:
        connection.connect()
    except BaseException:
        connection.close()
        raise
    return connection


def _dial(target: Target, addresses: Sequence[Address], watch: Watch) -> WatchedSocket:
    for address in addresses:
        try:
            return connect(address, target.port, watch)
        except OSError:
            continue
    raise OutboundError(f"The host {target.host} takes no connections.")


class _FinalAnswer(http.client.HTTPResponse):
    """
    An answer that has read past those before it, as 103 with hints.

    http.client itself reads past 100 alone (RFC 9110, section 15.2). How many there may
    be is bounded as heads are, by their bytes.
    """

    def begin(self) -> None:
        """Read heads up to that of the final answer."""
        super().begin()
        while self.status in _READ_PAST:
            # Else the next call takes this head for the answer's.
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()
        # urllib3 logs what of a head could not be parsed, whole and with a traceback:
        # the answer of a stranger is no text for our logs.
        self.msg.set_payload("")
        self.msg.defects.clear()


class _PlainConnection(HTTPConnection):
    """Without TLS, for hosts that an operator allows."""

    response_class = _FinalAnswer

    def __init__(self, target: Target, dialled: WatchedSocket) -> None:
        super().__init__(target.host, target.port, timeout=SLICE_S)
        self._resource = target.resource
        self.sock = dialled

    def connect(self) -> None:
        """Do nothing: it is connected."""

    def putrequest(
        self,
        method: str,
        url: str,
        skip_host: bool = False,  # noqa: FBT001, FBT002 - as inherited
        skip_accept_encoding: bool = False,  # noqa: FBT001, FBT002 - as inherited
    ) -> None:
        """Send the request line; see _TlsConnection.putrequest."""
        del url
        super().putrequest(method, self._resource, skip_host, skip_accept_encoding)


class _TlsConnection(HTTPSConnection):
    """A connection with TLS, verified against the name."""

    response_class = _FinalAnswer

    def __init__(
        self, target: Target, dialled: WatchedSocket, watch: Watch, tls: ssl.SSLContext
    ) -> None:
        super().__init__(target.host, target.port, timeout=SLICE_S, ssl_context=tls)
        self._resource = target.resource
        self._watch = watch
        self._tls = tls
        self.sock = dialled

    def connect(self) -> None:
        """Do the TLS handshake on the open connection."""
        # After this the plain socket is empty: the wrapped one owns it.
        wrapped = self._tls.wrap_socket(
            self.sock,
            server_hostname=self.host,
            do_handshake_on_connect=False,
            # Else an answer that is cut off looks like one that has ended.
            suppress_ragged_eofs=False,
        )
        if not isinstance(wrapped, WatchedTls):
            raise TypeError("the TLS context makes sockets that nobody watches")
        wrapped.watch = self._watch
        self.sock = wrapped
        wrapped.do_handshake()
        self.is_verified = True

    def putrequest(
        self,
        method: str,
        url: str,
        skip_host: bool = False,  # noqa: FBT001, FBT002 - as inherited
        skip_accept_encoding: bool = False,  # noqa: FBT001, FBT002 - as inherited
    ) -> None:
        """
        Send the request line, with the real path and query.

        They are passed to nothing else: urllib3 logs the one that it is given, and
        they may hold secrets.
        """
        del url
        super().putrequest(method, self._resource, skip_host, skip_accept_encoding)
