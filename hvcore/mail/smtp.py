"""Send mails by SMTP (RFC 5321) to the one server that the operator names."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from hvcore.errors import UnavailableError
from hvcore.mail.message import message_of
from hvcore.ports.mail import Mail, MailAnswerLostError, MailRefusedError
from hvcore.safe_http.deadlines import SocketDeadline

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

TIMEOUT_S: Final = 15.0
"""For each step; a task waits for it and no request does."""
TOTAL_S: Final = 60.0
"""For all up to the last byte of a mail, the look-up of the server's name included: a server may
send one byte in time again and again."""
ANSWER_S: Final = 180.0
"""
For the answer to a whole mail, before which many servers look for viruses.

RFC 5321, section 4.5.3.2.6, asks for ten minutes, because who gives up earlier sends a mail twice.
"""
GOODBYE_S: Final = 2.0
"""For QUIT, which nobody needs: the mail is with the server, or it is not."""
PORTS: Final = {"smtp": 25, "smtps": 465}
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_END_OF_MAIL: Final = b"\r\n.\r\n"
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
        that does not cause a second attempt. If the connection ends between the last byte of the
        mail and the answer, MailAnswerLostError says so.
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
        server: _Smtp | None = None
        with SocketDeadline(TOTAL_S) as deadline:
            try:
                server = self._opened(deadline)
                try:
                    yield server
                finally:
                    _say_goodbye(server)
            except (smtplib.SMTPException, OSError) as exc:
                if server is not None and server.awaits_answer:
                    raise MailAnswerLostError(
                        f"The mail server {self._host} was sent the whole mail, and did "
                        "not say whether it has taken the mail."
                    ) from exc
                if deadline.has_passed:
                    raise UnavailableError(
                        f"The mail server {self._host} did not finish within "
                        f"{TOTAL_S:g} s."
                    ) from exc
                if isinstance(exc, smtplib.SMTPException):
                    raise _mail_error(exc, self._host) from exc
                raise UnavailableError(_unreachable(self._host, exc)) from exc

    def _opened(self, deadline: SocketDeadline) -> "_Smtp":
        tls = ssl.create_default_context()
        of_socket = tls if self._is_tls else None
        server = _Smtp(self._host, self._port, deadline=deadline, tls=of_socket)
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
    """
    A conversation whose connection is made under a deadline, with more time for the answer to a mail.

    Attributes:
        awaits_answer: Whether a mail was sent whole, and its answer has not come yet.
    """

    def __init__(
        self,
        host: str,
        port: int,
        *,
        deadline: SocketDeadline,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.awaits_answer = False
        self._deadline = deadline
        self._tls = tls
        super().__init__(host, port, timeout=TIMEOUT_S)

    def data(self, msg: "ReadableBuffer | str") -> tuple[int, bytes]:
        answer = super().data(msg)
        self.awaits_answer = False
        return answer

    def send(self, s: "ReadableBuffer | str") -> None:
        super().send(s)
        if isinstance(s, bytes) and s.endswith(_END_OF_MAIL) and self.sock is not None:
            self.awaits_answer = True
            self.sock.settimeout(ANSWER_S)
            # Without a thread for it, the earlier deadline holds.
            with suppress(UnavailableError):
                self._deadline.extend(ANSWER_S)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        made = self._deadline.connect(host, port, step_s=timeout)
        if self._tls is None:
            return made
        return self._tls.wrap_socket(made, server_hostname=host)


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
