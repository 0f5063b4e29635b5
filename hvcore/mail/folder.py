"""Write mails into files, for an installation without a mail server."""

import os
from pathlib import Path

from hvcore.errors import UnavailableError
from hvcore.mail.message import message_of
from hvcore.ports.mail import Mail


class MailFolder:
    """
    Writes each mail into a file of its own, which only the owner may read.

    Args:
        folder: The folder for the files; made with the first mail.
    """

    def __init__(self, folder: Path, *, sender: str) -> None:
        self._folder = folder
        self._sender = sender

    def send(self, mail: Mail) -> None:
        """Write a mail into a file of the folder; see ports.mail.Mailer."""
        data = message_of(mail, sender=self._sender).as_bytes()
        temporary = self._folder / f".{mail.id}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(
                temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600
            )
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            # By its id alone: one mail is one file, however often it is tried.
            temporary.replace(self._folder / f"{mail.id}.eml")
        except OSError as exc:
            raise UnavailableError(
                f"The mail folder {self._folder} cannot be written: {exc.strerror}."
            ) from exc
