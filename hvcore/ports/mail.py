"""The mail port: send one short text to one person."""

from typing import Protocol

import attrs

from hvcore.errors import HvcoreError


@attrs.frozen(kw_only=True)
class Mail:
    """
    Describe a mail to one person.

    Attributes:
        id: The mail's id, the same for every attempt, so that a mail program recognises
            copies.
        to: The recipient's address, as its owner writes it.
        subject: The subject on one line.
        text: Plain text; lines end with a line feed.
    """

    id: str
    to: str = attrs.field(repr=False)
    subject: str = attrs.field(repr=False)
    text: str = attrs.field(repr=False)


class MailRefusedError(HvcoreError):
    """Say that a mail server will never accept a mail, however often it is sent."""


class MailAnswerLostError(HvcoreError):
    """
    Say that a mail was sent whole, and that the mail server did not say whether it has taken the mail.

    Whoever sends the mail again risks a second copy in the recipient's mailbox, so that a
    task counts this as an attempt.
    """


class Mailer(Protocol):
    """
    Send mails; thread-safe.

    Only tasks call the mailer: no request waits for a mail server.
    """

    def send(self, mail: Mail) -> None:
        """
        Give a mail to the mail server; the call may take four minutes.

        Raises:
            UnavailableError: The server does not take the mail now; try again later.
            MailRefusedError: The server will never take the mail.
            MailAnswerLostError: The server may have taken the mail.
        """
        ...
