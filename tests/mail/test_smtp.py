"""
Mails that go to a real mail server.
"""

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from smtplib import (
    SMTPException,
    SMTPNotSupportedError,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)

import attrs
import pytest

from hvcore.errors import UnavailableError
from hvcore.mail import SmtpMailer
from hvcore.ports.mail import MailAnswerLostError, MailRefusedError
from tests.mail.sent_mail import MAIL, SENDER, mailer
from tests.support.full_machine import full_machine
from tests.support.network.mail_server import MailServer, mail_server
from tests.support.network.outbound import Certificates, make_certificates
from tests.support.network.trickling import trickling_server


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("tls"), "127.0.0.1", "localhost")


@pytest.fixture
def trusted(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.ca_file))


@pytest.fixture(scope="module")
def context(certificates: Certificates) -> ssl.SSLContext:
    return certificates.server_context({})


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as running:
        yield running


def test_a_mail_arrives_as_it_was_written(server: MailServer) -> None:
    mailer(server).send(MAIL)

    (message,) = server.messages
    assert server.recipients == ["ann@example.com"]
    assert message["From"] == SENDER
    assert message["To"] == "ann@example.com"
    assert message["Subject"] == "Grüße, 123456"
    assert message["Message-ID"] == "<shc_1@example.com>"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Date"].datetime is not None
    assert message.get_content().splitlines() == ["Eins", "zwei — drei"]


def test_hosts_of_all_scripts_are_written_as_servers_know_them(
    server: MailServer,
) -> None:
    mailer(server).send(attrs.evolve(MAIL, to="zoë@exämple.com"))

    assert server.recipients == ["zoë@xn--exmple-cua.com"]


@pytest.mark.parametrize("to", ["a\r\nRCPT TO:<b@example.com>@example.com", "a@ü..com"])
def test_an_address_adds_no_line_to_the_talk(server: MailServer, to: str) -> None:
    with pytest.raises(MailRefusedError, match="cannot be written"):
        mailer(server).send(attrs.evolve(MAIL, to=to))

    assert server.messages == []


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_password_goes_over_tls(
    trusted: None, context: ssl.SSLContext, scheme: str
) -> None:
    way = {"smtp": "starttls", "smtps": "tls"}[scheme]
    with mail_server(**{way: context}, login=(b"hv", b"p@ss:/ ")) as server:  # type: ignore[arg-type]  # names of arguments
        mailer(server, scheme, "hv:p%40ss%3A%2F%20@").send(MAIL)

        assert len(server.messages) == 1
        assert server.had_tls == [True]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_certificate_of_somebody_else_is_not_trusted(
    context: ssl.SSLContext, scheme: str
) -> None:
    way = {"smtp": "starttls", "smtps": "tls"}[scheme]
    with mail_server(**{way: context}) as server:  # type: ignore[arg-type]  # names of arguments
        with pytest.raises(UnavailableError, match=r"mail server 127\.0\.0\.1"):
            mailer(server, scheme).send(MAIL)

        assert server.messages == []


def test_a_password_leaves_this_machine_over_tls_alone(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolve(*_: object, **__: object) -> list[object]:
        address = ("127.0.0.1", server.port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    away = SmtpMailer(f"smtp://hv:secret@mail.test:{server.port}", sender=SENDER)

    with pytest.raises(MailRefusedError, match="offers no TLS") as refused:
        away.send(MAIL)

    assert "secret" not in str(refused.value)


def test_a_wrong_password_is_final() -> None:
    with mail_server(login=(b"hv", b"right")) as server:
        for act in (SmtpMailer.check, lambda m: m.send(MAIL)):
            with pytest.raises(MailRefusedError, match="535") as refused:
                act(mailer(server, login="hv:wrong@"))
            assert "wrong" not in str(refused.value)


@pytest.mark.parametrize(
    ("answer", "error"),
    [("450 later", UnavailableError), ("554 no, ann@example.com", MailRefusedError)],
)
@pytest.mark.parametrize("which", ["answer", "recipient_answer"])
def test_what_may_work_later_is_told_from_what_will_not(
    server: MailServer, which: str, answer: str, error: type[Exception]
) -> None:
    setattr(server, which, answer)

    with pytest.raises(error) as refused:
        mailer(server).send(MAIL)

    assert answer[:3] in str(refused.value)
    assert "ann" not in str(refused.value)


@pytest.mark.parametrize("goodbye", ["421 busy", "554 no", "not a code", None])
def test_a_mail_that_was_taken_is_sent_however_the_goodbye_fails(
    server: MailServer, goodbye: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.mail.smtp.GOODBYE_S", 0.2)
    server.goodbye = goodbye

    mailer(server).send(MAIL)
    mailer(server).check()

    assert len(server.messages) == 1


def test_a_refusal_is_told_however_the_goodbye_fails(server: MailServer) -> None:
    server.recipient_answer, server.goodbye = "450 later", "554 no"

    with pytest.raises(UnavailableError, match="450"):
        mailer(server).send(MAIL)


def test_a_server_that_scans_a_mail_for_long_gets_it_once(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.mail.smtp.TOTAL_S", 1.0)
    monkeypatch.setattr("hvcore.mail.smtp.TIMEOUT_S", 0.9)
    server.scans_for_s = 1.5

    mailer(server).send(MAIL)

    assert len(server.messages) == 1


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_mail_whose_answer_does_not_come_may_have_been_taken(
    scheme: str, context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.mail.smtp.ANSWER_S", 0.2)
    monkeypatch.setattr("hvcore.mail.smtp.GOODBYE_S", 0.2)
    tls = context if scheme == "smtps" else None
    with mail_server(tls=tls) as server:
        server.answer = None

        with pytest.raises(MailAnswerLostError, match="did not say"):
            mailer(server, scheme).send(MAIL)

        assert len(server.messages) == 1


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_server_that_never_finishes_is_given_up_in_all(
    scheme: str, context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    However soon each of its lines comes.
    """
    monkeypatch.setattr("hvcore.mail.smtp.TOTAL_S", 0.3)
    tls = context if scheme == "smtps" else None

    with trickling_server(b"220-wait\r\n", tls=tls) as port:
        slow = SmtpMailer(f"{scheme}://localhost:{port}", sender=SENDER)
        began_s = time.monotonic()
        for act in (slow.check, lambda: slow.send(MAIL)):
            with pytest.raises(UnavailableError, match=r"localhost .* within 0\.3 s"):
                act()

    assert time.monotonic() - began_s < 5


def test_a_goodbye_that_never_finishes_is_no_failure_of_a_mail(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of which the mail itself takes a second on a machine that is full.
    monkeypatch.setattr("hvcore.mail.smtp.TOTAL_S", 4.0)
    server.goodbye = None

    mailer(server).send(MAIL)

    assert len(server.messages) == 1


def test_a_name_that_is_never_looked_up_is_given_up_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    is_over = threading.Event()

    def silent_resolver(*_: object, **__: object) -> list[object]:
        is_over.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", silent_resolver)
    monkeypatch.setattr("hvcore.mail.smtp.TOTAL_S", 0.3)
    silent = SmtpMailer("smtp://mail.example.com", sender=SENDER)

    with pytest.raises(UnavailableError, match=r"did not finish within 0\.3 s"):
        silent.send(MAIL)

    is_over.set()


def test_a_name_that_is_not_known_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    lost = SmtpMailer("smtp://mail.example.com", sender=SENDER)

    with pytest.raises(UnavailableError, match=r"mail\.example\.com is not known"):
        lost.send(MAIL)


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        away = SmtpMailer(f"smtp://127.0.0.1:{port}", sender=SENDER)

        for act in (away.check, lambda: away.send(MAIL)):
            with pytest.raises(UnavailableError, match=r"127\.0\.0\.1 cannot be"):
                act()


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_unreachable_server_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, error: OSError, why: str
) -> None:
    def connect(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(socket, "create_connection", connect)

    with pytest.raises(UnavailableError, match=f"cannot be reached: {why}"):
        SmtpMailer("smtp://127.0.0.1", sender=SENDER).check()


def test_a_server_that_closes_the_connection_may_take_the_mail_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            for _ in range(2):
                taken, _ = listening.accept()
                with taken:
                    taken.sendall(b"220 welcome\r\n")

        greeting = threading.Thread(target=greet)
        greeting.start()
        port = listening.getsockname()[1]
        closing = SmtpMailer(f"smtp://127.0.0.1:{port}", sender=SENDER)
        for act in (closing.check, lambda: closing.send(MAIL)):
            with pytest.raises(UnavailableError, match=r"127\.0\.0\.1 "):
                act()
        greeting.join()


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (SMTPServerDisconnected("away"), UnavailableError, "closed the connection"),
        (SMTPNotSupportedError("AUTH"), MailRefusedError, "cannot do it: AUTH"),
        (SMTPResponseException(499, b"x"), UnavailableError, "answered 499; it may"),
        (SMTPResponseException(500, b"x"), MailRefusedError, "500, which is final"),
        (
            SMTPRecipientsRefused({"a@b": (450, b"x"), "c@d": (550, b"y")}),
            MailRefusedError,
            "answered 450, 550, which is final",
        ),
        (SMTPRecipientsRefused({}), UnavailableError, "closed the connection"),
    ],
)
def test_the_answer_of_a_server_tells_whether_to_try_again(
    server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
    error: SMTPException,
    kind: type[Exception],
    says: str,
) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr("smtplib.SMTP.send_message", refuse)

    with pytest.raises(kind, match=says):
        mailer(server).send(MAIL)


def test_a_server_that_works_passes_its_check(server: MailServer) -> None:
    mailer(server).check()

    assert server.messages == []


def test_a_mail_waits_while_the_machine_has_no_thread(server: MailServer) -> None:
    with full_machine(), pytest.raises(UnavailableError, match="no thread"):
        mailer(server).send(MAIL)
