"""Make the mailer that the settings choose: by a mail server, or into a folder."""

import ipaddress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from hvcore.mail.folder import MailFolder
from hvcore.mail.smtp import SmtpMailer
from hvcore.ports.mail import Mailer
from hvcore.settings import Settings

FOLDER: Final = "mail"
"""In the data folder."""


def make_mailer(settings: Settings) -> Mailer:
    """Return the mailer that the settings choose: one that sends by a mail server, or writes into a folder."""
    sender = settings.mail.sender or f"no-reply@{_host(settings.public.player_url)}"
    if settings.mail.url:
        return SmtpMailer(settings.mail.url, sender=sender)
    return MailFolder(mail_folder(settings), sender=sender)


def mail_folder(settings: Settings) -> Path:
    """Return the folder into which mails are written if no mail server is set."""
    return settings.data_dir / FOLDER


def _host(url: str) -> str:
    host = urlsplit(url).hostname or "localhost"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    # RFC 5321, section 4.1.3.
    return f"[IPv6:{address}]" if address.version == 6 else f"[{address}]"  # noqa: PLR2004 - its own name
