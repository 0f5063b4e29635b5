"""
Mails as files, where there is no mail server.
"""

from email import message_from_bytes, policy
from pathlib import Path

import pytest

from hvcore.errors import UnavailableError
from hvcore.mail import MailFolder
from tests.mail.sent_mail import MAIL, SENDER


def test_without_a_server_a_mail_is_a_file_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    mailer = MailFolder(folder, sender=SENDER)

    mailer.send(MAIL)

    (path,) = folder.iterdir()
    assert path.suffix == ".eml"
    assert folder.stat().st_mode & 0o077 == path.stat().st_mode & 0o077 == 0
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert message["To"] == "ann@example.com"


def test_a_mail_that_is_tried_again_is_the_same_file(tmp_path: Path) -> None:
    for _try in range(2):
        MailFolder(tmp_path, sender=SENDER).send(MAIL)

    (path,) = tmp_path.iterdir()

    assert path.name == "shc_1.eml"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file")

    with pytest.raises(UnavailableError, match="mail folder"):
        MailFolder(tmp_path / "mail", sender=SENDER).send(MAIL)
