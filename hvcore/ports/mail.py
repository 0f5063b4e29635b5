"""The mail port: one short text to one person."""

from typing import Protocol

import attrs

from hvcore.errors import HvcoreError


@attrs.frozen(kw_only=True)
class Mail:
    """
    A mail.

    Attributes:
        id: The same for every try, so that a mail program recognises copies.
        to: The address, as its owner writes it.
        subject: One line.
        text: Plain text; lines end with a line feed.
    """

    id: str
    to: str = attrs.field(repr=False)
    subject: str = attrs.field(repr=False)
    text: str = attrs.field(repr=False)


class MailRefusedError(HvcoreError):
    """A mail server will not take a mail, however often it is tried."""


class Mailer(Protocol):
    """
    Sends mails; thread-safe.

    Called by tasks only: no request waits for a mail server.
    """

    def send(self, mail: Mail) -> None:
        """
        Hand a mail over; may block for a minute.

        Raises:
            UnavailableError: Nobody takes it now; try again later.
            MailRefusedError: It will not be taken.
        """
        ...
