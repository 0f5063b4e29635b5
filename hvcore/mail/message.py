"""Build the headers and text of a mail as an e-mail message (RFC 5322)."""

from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, localtime
from typing import Final

import idna

from hvcore.domain.shown_text import one_line
from hvcore.ports.mail import Mail, MailRefusedError

# Bodies are readable as they are, and no line of theirs is too long.
_POLICY: Final = SMTP.clone(cte_type="7bit")


def message_of(mail: Mail, *, sender: str) -> EmailMessage:
    """
    Return a mail as an e-mail message that can be sent.

    Raises:
        MailRefusedError: An e-mail address cannot be written in the message's headers.
    """
    message = EmailMessage(policy=_POLICY)
    try:
        message["From"] = _address(sender)
        message["To"] = _address(mail.to)
        message["Subject"] = one_line(mail.subject)
    except (ValueError, IndexError, UnicodeError) as exc:
        raise MailRefusedError("The address cannot be written in a mail.") from exc
    message["Date"] = format_datetime(localtime())
    message["Message-ID"] = f"<{mail.id}@{_address(sender).domain}>"
    # Nobody's absence answers it (RFC 3834, section 5).
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    return message


def _address(text: str) -> Address:
    user, _, host = text.strip().rpartition("@")
    return Address(username=user, domain=_host(host))


def _host(host: str) -> str:
    # What mail servers know of exämple.com is xn--exmple-cua.com.
    return host if host.isascii() else idna.encode(host, uts46=True).decode()
