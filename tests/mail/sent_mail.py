"""
A mail, and what sends it.
"""

from hvcore.mail import SmtpMailer
from hvcore.ports.mail import Mail
from tests.support.network.mail_server import MailServer

SENDER = "videos@example.com"

MAIL = Mail(
    id="shc_1",
    to="ann@example.com",
    subject="Grüße, 123456",
    text="Eins\nzwei — drei\n",
)


def mailer(server: MailServer, scheme: str = "smtp", login: str = "") -> SmtpMailer:
    return SmtpMailer(f"{scheme}://{login}127.0.0.1:{server.port}", sender=SENDER)
