"""
A mail server on this machine, which keeps what it is sent.
"""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, cast

import attrs
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@attrs.define(kw_only=True)
class MailServer:
    """
    A running server.

    Attributes:
        port: On 127.0.0.1.
        answer: To a mail that has come whole; None is silence.
        scans_for_s: The seconds that it takes before the answer.
        recipient_answer: To its recipient.
        goodbye: To QUIT; None is silence.
        messages: Those that were taken.
        had_tls: Whether each came over TLS.
        needs_login: Nobody else may send.
    """

    port: int = 0
    answer: str | None = "250 OK"
    scans_for_s: float = 0.0
    recipient_answer: str = "250 OK"
    goodbye: str | None = "221 Bye"
    messages: list[EmailMessage] = attrs.field(factory=list)
    recipients: list[str] = attrs.field(factory=list)
    had_tls: list[bool] = attrs.field(factory=list)
    needs_login: bool = False

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's own
        self,
        _server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        if self.needs_login and not session.authenticated:
            return "530 5.7.0 Authentication required"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's own
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        if self.recipient_answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(  # noqa: N802 - aiosmtpd's own
        self, server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        if self.answer is None or self.answer.startswith("250"):
            content = cast(bytes, envelope.content)
            message = message_from_bytes(content, policy=policy.default)
            self.messages.append(cast(EmailMessage, message))
            self.recipients += envelope.rcpt_tos
            self.had_tls.append(
                server.transport.get_extra_info("sslcontext") is not None
            )
        if self.answer is None:
            await asyncio.Event().wait()
        await asyncio.sleep(self.scans_for_s)
        return str(self.answer)

    async def handle_QUIT(  # noqa: N802 - aiosmtpd's own
        self, _server: SMTP, _session: Session, _envelope: Envelope
    ) -> str:
        if self.goodbye is None:
            await asyncio.Event().wait()
        return str(self.goodbye)


@contextmanager
def mail_server(
    *,
    tls: ssl.SSLContext | None = None,
    starttls: ssl.SSLContext | None = None,
    login: tuple[bytes, bytes] | None = None,
) -> Iterator[MailServer]:
    """
    Run a mail server until the block ends.

    Args:
        tls: Speaks TLS from the beginning.
        starttls: Offers it.
        login: The user and the password that it asks for.
    """
    kept = MailServer(needs_login=login is not None)

    def authenticate(*given: Any) -> AuthResult:  # noqa: ANN401 - aiosmtpd's own
        data = given[-1]
        is_right = (
            isinstance(data, LoginPassword) and (data.login, data.password) == login
        )
        return AuthResult(success=is_right, handled=False)

    loop = asyncio.new_event_loop()

    def protocol() -> SMTP:
        return SMTP(
            kept,
            hostname="mail.test",
            enable_SMTPUTF8=True,
            tls_context=starttls,
            require_starttls=starttls is not None,
            # Whether a password may be sent is our own rule, and tested.
            auth_require_tls=False,
            authenticator=authenticate,
            loop=loop,
        )

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(
        loop.create_server(protocol, "127.0.0.1", 0, ssl=tls), loop
    ).result(30)
    kept.port = server.sockets[0].getsockname()[1]
    try:
        yield kept
    finally:
        asyncio.run_coroutine_threadsafe(_close(server), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
        loop.close()


async def _close(server: asyncio.Server) -> None:
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
