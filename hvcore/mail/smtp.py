"""
Mails by SMTP (RFC 5321), to the one server that the operator names.
"""

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from urllib.parse import unquote, urlsplit

from hvcore.errors import UnavailableError
from hvcore.mail.message import message_of
from hvcore.ports.mail import Mail, MailRefusedError

TIMEOUT_S: Final = 15.0
"""For each step; a task waits for it and no request does."""
GOODBYE_S: Final = 2.0
"""For QUIT, which nobody needs: the mail is with the server, or it is not."""
PORTS: Final = {"smtp": 25, "smtps": 465}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_FIRST_PERMANENT: Final = 500
"""RFC 5321, section 4.2.1: 4xx may work later, 5xx will not."""


class SmtpMailer:
    """
    Hands mails to a server.

    ``smtps`` speaks TLS from the beginning. ``smtp`` changes to TLS where the server
    offers it (STARTTLS); without it, a password is sent to this machine only.
    Certificates are checked.

    Args:
        url: Such as ``smtps://user:password@mail.example.com``, as the settings have
            checked it.
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
        Send a mail; see ports.mail.Mailer.

        Sent is a mail that the server has answered 250 to (RFC 5321, section 6.1);
        whatever comes after that does not make it be sent again.
        """
        message = message_of(mail, sender=self._sender)
        try:
            with self._connected() as server:
                server.send_message(message)
        except smtplib.SMTPException as exc:
            raise _mail_error(exc, self._host) from exc
        except OSError as exc:
            raise UnavailableError(_unreachable(self._host, exc)) from exc

    def check(self) -> None:
        """
        Connect and sign in, and send nothing.

        Raises:
            UnavailableError: The server does not answer, or refuses to talk.
            MailRefusedError: It refuses the user or the password.
        """
        try:
            with self._connected() as server:
                server.noop()
        except smtplib.SMTPException as exc:
            raise _mail_error(exc, self._host) from exc
        except OSError as exc:
            raise UnavailableError(_unreachable(self._host, exc)) from exc

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        server = self._opened()
        try:
            yield server
        finally:
            _say_goodbye(server)

    def _opened(self) -> smtplib.SMTP:
        tls = ssl.create_default_context()
        if self._is_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                self._host, self._port, timeout=TIMEOUT_S, context=tls
            )
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=TIMEOUT_S)
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


def _say_goodbye(server: smtplib.SMTP) -> None:
    """Send QUIT and close the connection, whatever the server answers."""
    if server.sock is not None:
        server.sock.settimeout(GOODBYE_S)
    with suppress(smtplib.SMTPException, OSError):
        server.quit()
    server.close()


def _mail_error(error: smtplib.SMTPException, host: str) -> Exception:
    """
    Return what to do about an answer of the server, whose text may quote an address.
    """
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
