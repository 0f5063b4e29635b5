"""The settings of sending mails."""

import re
from typing import Final
from urllib.parse import urlsplit

import attrs

SCHEMES: Final = ("smtp", "smtps")
_ADDRESS = re.compile(r"[^\s@<>\"(),:;\[\]\\]+@[^\s@<>\"(),:;\\]+")


@attrs.frozen(kw_only=True)
class MailSettings:
    """
    The settings for sending mails.

    Attributes:
        url: The address of the mail server, such as
            ``smtps://user:password@mail.example.com``; if empty, mails are written to
            files in the data folder.
        sender: The sender's address; ``no-reply@`` and the player's host if empty.
    """

    url: str = attrs.field(default="", repr=False)
    sender: str = attrs.field(default="")

    @url.validator
    def _check_url(self, _: object, value: str) -> None:
        if value and not _is_mail_server(value):
            # Not repeated: it may hold a password.
            raise ValueError(
                "mail.url must be smtp://host, smtp://host:port or smtps://user:password@host; "
                "write @, : and / of a user or a password as %40, %3A and %2F"
            )

    @sender.validator
    def _check_sender(self, _: object, value: str) -> None:
        if value and not _ADDRESS.fullmatch(value):
            raise ValueError(
                f"mail.sender must be an address such as videos@example.com, not {value!r}"
            )


def _is_mail_server(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # Reading the port is what judges it.
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    is_bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    return parts.scheme in SCHEMES and is_whole and is_bare and url.isprintable()
