"""
The settings choose how mails go, and who sends them.
"""

from email import message_from_bytes, policy
from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.mail import MailFolder, SmtpMailer, mail_folder, make_mailer
from hvcore.settings import Settings, load
from tests.mail.sent_mail import MAIL


def settings(tmp_path: Path, **environ: str) -> Settings:
    return load(config_path=None, environ=environ, data_dir=tmp_path).settings


def test_the_settings_choose_the_way(tmp_path: Path) -> None:
    by_default = settings(tmp_path)
    named = settings(tmp_path, HV_MAIL__URL="smtp://mail.example.com")

    assert isinstance(make_mailer(by_default), MailFolder)
    assert mail_folder(by_default) == tmp_path / "mail"
    assert isinstance(make_mailer(named), SmtpMailer)


@pytest.mark.parametrize(
    ("player_url", "sender"),
    [
        ("https://play.example.com/x", "no-reply@play.example.com"),
        ("http://127.0.0.1:8081", "no-reply@[127.0.0.1]"),
        ("http://[::1]:8081", "no-reply@[IPv6:::1]"),
    ],
)
def test_a_sender_is_made_of_the_players_host(
    tmp_path: Path, player_url: str, sender: str
) -> None:
    chosen = settings(tmp_path, HV_PUBLIC__PLAYER_URL=player_url)

    make_mailer(chosen).send(MAIL)

    (path,) = mail_folder(chosen).iterdir()
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert message["From"] == sender


@pytest.mark.parametrize(
    "url",
    [
        "mail.example.com",
        "http://mail.example.com",
        "smtp://",
        "smtp://host:port",
        "smtp://host:0",
        "smtp://host/path",
        "smtp://user:pa/ss@host",
        "smtp://host?x=1",
        "smtp://host\n",
    ],
)
def test_an_address_of_a_server_that_is_none_is_refused_unseen(
    tmp_path: Path, url: str
) -> None:
    with pytest.raises(ConfigError, match=r"mail\.url must be smtp://") as refused:
        settings(tmp_path, HV_MAIL__URL=url)

    assert url not in str(refused.value).replace("smtp://host", "").replace("//", "")


@pytest.mark.parametrize("sender", ["x", "a b@example.com", "A <a@example.com>"])
def test_a_sender_that_is_no_address_is_refused(tmp_path: Path, sender: str) -> None:
    with pytest.raises(ConfigError, match=r"mail\.sender"):
        settings(tmp_path, HV_MAIL__SENDER=sender)
