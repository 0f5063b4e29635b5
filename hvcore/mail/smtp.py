"""Send mails by SMTP (RFC 5321) to the one server that the operator names."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import unquote, urlsplit

from hvcore.errors import UnavailableError
from hvcore.mail.message import message_of
from hvcore.ports.mail import Mail, MailRefusedError
from hvcore.safe_http.deadlines import SocketDeadline

TIMEOUT_S: Final = 15.0
"""For each step; a task waits for it and no request does."""
TOTAL_S: Final = 60.0
"""For all of a mail, the look-up of the server's name included: a server may send one byte
in time again and again. RFC 5321 waits for minutes, which no lane of tasks can."""
GOODBYE_S: Final = 2.0
"""For QUIT, which nobody needs: the mail is with the server, or it is not."""
PORTS: Final = {"smtp": 25, "smtps": 465}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_FIRST_PERMANENT: Final = 500
"""RFC 5321, section 4.2.1: 4xx may work later, 5xx will not."""


class SmtpMailer:
    """
    Sends mails through an SMTP server.

    ``smtps`` speaks TLS from the beginning. ``smtp`` changes to TLS where the server
    offers it (STARTTLS); without it, a password is sent to this machine only.
    Certificates are checked.

    Args:
        url: The URL of the server, checked by the settings, such as
            ``smtps://user:password@mail.example.com``.
    """

    def __init__(self, url: str, *, sender: str) -> None:
        parts = urlsplit(url)
        self._is_tls = parts.scheme == "smtps"
        self._host = parts.hostname or ""
        self._port = parts.port or PORTS[parts.scheme]
        self._user = unquote(parts.username or "")
        self._password = unquote(parts.password or "")
        self._sender = sender

    def send(self, mail: Mail) -> None:
        """
        Send a mail through the mail server; see ports.mail.Mailer.

        A mail is sent once the server has answered 250 (RFC 5321, section 6.1); an error after
        that does not cause a second attempt.
        """
        message = message_of(mail, sender=self._sender)
        with self._connected() as server:
            server.send_message(message)

    def check(self) -> None:
        """
        Connect to the mail server and sign in, without sending a mail.

        Raises:
            UnavailableError: The server does not answer, or refuses to talk.
            MailRefusedError: The server refuses the user or the password.
        """
        with self._connected() as server:
            server.noop()

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        with SocketDeadline(TOTAL_S) as deadline:
            try:
                server = self._opened(deadline)
                try:
                    yield server
                finally:
                    _say_goodbye(server)
            except (smtplib.SMTPException, OSError) as exc:
                if deadline.has_passed:
                    raise UnavailableError(
                        f"The mail server {self._host} did not finish within "
                        f"{TOTAL_S:g} s."
                    ) from exc
                if isinstance(exc, smtplib.SMTPException):
                    raise _mail_error(exc, self._host) from exc
                raise UnavailableError(_unreachable(self._host, exc)) from exc

    def _opened(self, deadline: SocketDeadline) -> smtplib.SMTP:
        tls = ssl.create_default_context()
        server: smtplib.SMTP
        if self._is_tls:
            server = _SmtpOverTls(self._host, self._port, deadline=deadline, tls=tls)
        else:
            server = _Smtp(self._host, self._port, deadline=deadline)
        try:
            self._introduce(server, tls)
        except BaseException:
            server.close()
            raise
        return server

    def _introduce(self, server: smtplib.SMTP, tls: ssl.SSLContext) -> None:
        server.ehlo_or_helo_if_needed()
        is_safe = self._is_tls
        if not is_safe and server.has_extn("starttls"):
            server.starttls(context=tls)
            server.ehlo()
            is_safe = True
        if not self._user:
            return
        if not is_safe and self._host not in _LOOPBACK:
            raise MailRefusedError(
                f"The mail server {self._host} offers no TLS, so the password of "
                "HV_MAIL__URL is not sent to it; use smtps://."
            )
        server.login(self._user, self._password)


class _Smtp(smtplib.SMTP):
    """A conversation whose connection is made under a deadline."""

    def __init__(self, host: str, port: int, *, deadline: SocketDeadline) -> None:
        self._deadline = deadline
        super().__init__(host, port, timeout=TIMEOUT_S)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._deadline.connect(host, port, step_s=timeout)


class _SmtpOverTls(smtplib.SMTP_SSL):
    """A conversation over TLS whose connection is made under a deadline."""

    def __init__(
        self, host: str, port: int, *, deadline: SocketDeadline, tls: ssl.SSLContext
    ) -> None:
        self._deadline = deadline
        super().__init__(host, port, timeout=TIMEOUT_S, context=tls)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        made = self._deadline.connect(host, port, step_s=timeout)
        return self.context.wrap_socket(made, server_hostname=host)


def _say_goodbye(server: smtplib.SMTP) -> None:
    """Send QUIT and close the connection, whatever the server answers."""
    if server.sock is not None:
        server.sock.settimeout(GOODBYE_S)
    with suppress(smtplib.SMTPException, OSError):
        server.quit()
    server.close()


def _mail_error(error: smtplib.SMTPException, host: str) -> Exception:
    """Return the error for a server's answer, whose text may quote an address."""
    codes: list[int] = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
    elif isinstance(error, smtplib.SMTPResponseException):
        codes = [error.smtp_code]
    elif isinstance(error, smtplib.SMTPNotSupportedError):
        return MailRefusedError(f"The mail server {host} cannot do it: {error}")
    if not codes:
        return UnavailableError(f"The mail server {host} closed the connection.")
    answered = f"The mail server {host} answered {', '.join(map(str, codes))}"
    if max(codes) >= _FIRST_PERMANENT:
        return MailRefusedError(f"{answered}, which is final.")
    return UnavailableError(f"{answered}; it may take the mail later.")


def _unreachable(host: str, error: OSError) -> str:
    why = error.strerror or error.__class__.__name__
    return f"The mail server {host} cannot be reached: {why}."
