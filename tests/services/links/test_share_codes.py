"""
Watching by a share link that is for one viewer, who gets a code by mail.
"""

import email.policy
import logging
import re
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from typing import cast
from urllib.parse import quote

import attrs
import pytest
from falcon.testing import Result, TestClient

from hvcore.assembly.task_handlers import ServiceMethod
from hvcore.domain.links.links import MAX_GUESSES
from hvcore.domain.links.share_codes import MAX_CODE_GUESSES, MAX_MAILS
from hvcore.domain.tasks.kinds import SHARE_CODE_SEND
from hvcore.domain.tasks.task import Lane, Task, TaskState
from hvcore.errors import UnavailableError
from hvcore.ports.mail import Mail, MailAnswerLostError, MailRefusedError
from hvcore.services.links.share_code_mails import ShareCodeMails
from hvcore.services.tasks.leases import TaskRun
from hvcore_player.app import make_app as make_player
from tests.support.http.cinema import Cinema, token_of
from tests.support.http.world import problem_of

EMAIL = "Ann@Example.com"
ELSEWHERE = "198.51.100.7"


def tasks(cinema: Cinema) -> list[Task]:
    with cinema.api.services.uow.read() as work:
        return list(work.tasks.search(kind=SHARE_CODE_SEND))


def mails(cinema: Cinema) -> list[EmailMessage]:
    """
    Send what is to be sent; return the mails that were written since.
    """
    for task in tasks(cinema):
        cinema.api.services.task_runs.run(task.id, worker="w", stopping=lambda: False)
    found = []
    for path in sorted((cinema.api.folder / "mail").glob("*.eml")):
        assert path.stat().st_mode & 0o077 == 0
        message = message_from_bytes(path.read_bytes(), policy=email.policy.default)
        found.append(cast(EmailMessage, message))
        path.unlink()
    return found


def ask(
    cinema: Cinema, share: str, address: str = EMAIL, *, client: str = "192.0.2.1"
) -> str:
    """
    Name an address; return the id that the page's form carries.
    """
    form = f"email={quote(address)}"
    page = cinema.page(f"/v1/watch/{share}", form=form, client=client)
    assert page.status_code == 200, page.text
    found = re.search(r'name="request" value="(\w+)"', page.text)
    assert found
    return found[1]


def code_in(mail: EmailMessage) -> str:
    (code,) = re.findall(r"\b\d{6}\b", mail.get_content())
    return str(code)


def enter(
    cinema: Cinema, share: str, request: str, code: str, *, client: str = "192.0.2.1"
) -> Result:
    form = f"request={request}&email={quote(EMAIL)}&code={quote(code)}"
    return cinema.page(f"/v1/watch/{share}", form=form, client=client)


def recognised(cinema: Cinema, share: str) -> Result:
    request = ask(cinema, share)
    (mail,) = mails(cinema)
    page = enter(cinema, share, request, code_in(mail))
    assert page.status_code == 200
    return page


def token_in(page: Result) -> str:
    return page.text.partition("master.m3u8?token=")[2].partition('"')[0]


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def master_of(share: str) -> str:
    return f"/v1/share/{share}/master.m3u8"


@pytest.mark.parametrize("address", ["ann@example.com", " ANN@EXAMPLE.COM "])
def test_the_code_of_the_mail_lets_the_viewer_in(cinema: Cinema, address: str) -> None:
    share = cinema.share(viewerEmail=EMAIL, maxViews=1)
    request = ask(cinema, share, address)
    (mail,) = mails(cinema)

    page = enter(cinema, share, request, code_in(mail))

    assert mail["To"] == EMAIL
    assert mail["From"] == "no-reply@[127.0.0.1]"
    assert code_in(mail) in mail["Subject"]
    assert "clip" in mail.get_content()
    assert page.status_code == 200
    assert cinema.views() == [0]
    # The token begins sessions, and opens nothing by itself.
    token = token_in(page)
    file = f"/v1/share/{share}/video/720p/0.m4s"
    assert cinema.load(file, f"token={token}").status_code == 401
    session = token_of(cinema.load(master_of(share), f"token={token}").text)
    assert session != token
    assert cinema.load(file, f"token={session}").status_code == 200
    assert cinema.views() == [1]
    assert cinema.load(master_of(share), f"token={token}").status_code == 403


def test_no_request_waits_for_a_mail_server(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)

    ask(cinema, share)

    (task,) = tasks(cinema)
    assert task.lane is Lane.OUTBOUND
    assert task.state is not TaskState.DONE
    assert not (cinema.api.folder / "mail").exists()


def test_another_address_is_told_the_same_and_gets_nothing(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    path = f"/v1/watch/{share}"

    right, other = (
        cinema.page(path, form=f"email={name}%40example.com") for name in ("ann", "bob")
    )

    def without_own(page: Result) -> str:
        text = re.sub(r'value="shc_\w+"', "", page.text)
        return text.replace("ann@", "bob@")

    assert right.status_code == other.status_code == 200
    assert without_own(right) == without_own(other)
    assert len(tasks(cinema)) == 1
    assert [mail["To"] for mail in mails(cinema)] == [EMAIL]
    assert {task.state for task in tasks(cinema)} == {TaskState.DONE}


def test_a_code_that_was_not_sent_is_not_kept(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)

    request = ask(cinema, share, "bob@example.com")

    with cinema.api.services.uow.read() as work:
        assert work.share_codes.find(request) is None
    page = enter(cinema, share, request, "123456")
    assert page.status_code == 403
    assert "token=" not in page.text


@pytest.mark.parametrize("form", ["{0} {1}", "{0}-{1}", " {0}{1}\t", "fullwidth"])
def test_a_code_is_read_as_people_write_it(cinema: Cinema, form: str) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    request = ask(cinema, share)
    code = code_in(mails(cinema)[0])
    if form == "fullwidth":
        text = "".join(chr(0xFF10 + int(digit)) for digit in code)
    else:
        text = form.format(code[:3], code[3:])

    assert enter(cinema, share, request, text).status_code == 200


@pytest.mark.parametrize("text", ["", "x", "12345", "1234567", "²" * 6, "\ud800", "\0"])
def test_a_malformed_share_code_is_asked_for_again(cinema: Cinema, text: str) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    request = ask(cinema, share)
    form = f"request={request}&email=ann%40example.com&code="
    form += quote(text, errors="surrogatepass")

    page = cinema.page(f"/v1/watch/{share}", form=form)

    # An empty field is none, and begins anew with the address.
    assert page.status_code == (403 if text else 200)
    assert "token=" not in page.text
    assert '<form method="post"' in page.text


def test_a_code_is_good_for_an_hour(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    early, late = ask(cinema, share), ask(cinema, share)
    codes = {str(mail["Message-ID"])[1:27]: code_in(mail) for mail in mails(cinema)}
    cinema.api.clock.move(timedelta(minutes=59, seconds=59))
    assert enter(cinema, share, early, codes[early]).status_code == 200

    cinema.api.clock.move(timedelta(seconds=1))

    page = enter(cinema, share, late, codes[late])
    assert page.status_code == 403
    assert "has expired" in page.text


def test_a_code_is_good_once(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    request = ask(cinema, share)
    code = code_in(mails(cinema)[0])

    assert enter(cinema, share, request, code).status_code == 200

    assert enter(cinema, share, request, code).status_code == 403


def test_a_code_takes_five_guesses_of_who_asked_for_it(cinema: Cinema) -> None:
    """
    After which that browser has used up its own guesses and those of its address.
    """
    share = cinema.share(viewerEmail=EMAIL)
    request = ask(cinema, share)
    code = code_in(mails(cinema)[0])

    for _ in range(MAX_CODE_GUESSES):
        page = enter(cinema, share, request, wrong(code))
        assert page.status_code == 403
        assert "That is not the code" in page.text

    refused = enter(cinema, share, request, code)
    assert refused.status_code == 403
    assert "That is not the code" in refused.text


def test_a_code_is_for_its_own_link(cinema: Cinema) -> None:
    share, other = (cinema.share(viewerEmail=EMAIL) for _ in range(2))
    request = ask(cinema, share)
    code = code_in(mails(cinema)[0])

    assert enter(cinema, other, request, code).status_code == 403

    assert enter(cinema, share, request, code).status_code == 200


@pytest.mark.parametrize("request_", ["", "shc_" + "0" * 22, "%00", "x" * 300, "own"])
def test_the_newest_code_is_good_in_each_browser(cinema: Cinema, request_: str) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    first = ask(cinema, share)
    cinema.api.clock.move(timedelta(seconds=1))
    second = ask(cinema, share, client=ELSEWHERE)
    codes = {str(mail["Message-ID"])[1:27]: code_in(mail) for mail in mails(cinema)}
    entered = first if request_ == "own" else request_

    assert enter(cinema, share, entered, codes[second]).status_code == 200
    # That of the browser itself, too, although there was a newer one.
    assert enter(cinema, share, first, codes[first]).status_code == 200


def test_addresses_cannot_be_tried_without_end(cinema: Cinema) -> None:
    share, other = (cinema.share(viewerEmail=EMAIL) for _ in range(2))
    path = f"/v1/watch/{share}"
    for number in range(MAX_GUESSES):
        ask(cinema, share, f"a{number}@example.com")

    locked = cinema.page(path, form=f"email={quote(EMAIL)}")

    assert locked.status_code == 429
    assert locked.headers["retry-after"] == "3600"
    assert locked.headers["content-type"].startswith("text/html")
    assert mails(cinema) == []
    assert ask(cinema, other)
    # The invited viewer, who is somewhere else, is not shut out.
    assert ask(cinema, share, client=ELSEWHERE)
    cinema.api.clock.move(timedelta(hours=1))
    assert ask(cinema, share)


def test_nobody_is_sent_mails_without_end(cinema: Cinema) -> None:
    """
    From however many places they are asked for.
    """
    share = cinema.share(viewerEmail=EMAIL)

    for number in range(12):
        ask(cinema, share, client=f"198.51.100.{number}")

    assert len(tasks(cinema)) == len(mails(cinema)) == MAX_MAILS
    cinema.api.clock.move(timedelta(hours=1))
    ask(cinema, share)
    assert len(mails(cinema)) == 1


def test_the_viewer_may_come_back_often(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL, expirationHours=720)

    for _ in range(MAX_GUESSES + 1):
        assert recognised(cinema, share)
        cinema.api.clock.move(timedelta(minutes=20))


def test_a_browser_is_remembered_for_a_day(cinema: Cinema) -> None:
    share, other = (
        cinema.share(viewerEmail=EMAIL, expirationHours=720) for _ in range(2)
    )
    page = recognised(cinema, share)

    kept = page.headers["set-cookie"]
    cookie, *rules = kept.split("; ")

    assert rules == [
        f"Path=/v1/watch/{share}",
        "Max-Age=86400",
        "HttpOnly",
        "SameSite=Lax",
    ]
    headers = {"Cookie": cookie}
    again = cinema.page(f"/v1/watch/{share}", headers=headers)
    assert token_in(again)
    assert token_in(again) not in cookie
    elsewhere = cinema.page(f"/v1/watch/{other}", headers=headers)
    assert "E-mail address" in elsewhere.text
    cinema.api.clock.move(timedelta(hours=24, seconds=6))
    later = cinema.page(f"/v1/watch/{share}", headers=headers)
    assert "E-mail address" in later.text
    broken = cinema.page(f"/v1/watch/{share}", headers={"Cookie": "hv_viewer=x"})
    assert "E-mail address" in broken.text


def test_a_remembered_viewer_is_forgotten_with_the_link(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL, expirationHours=1)

    page = recognised(cinema, share)

    assert "Max-Age=3600" in page.headers["set-cookie"]
    cookie = page.headers["set-cookie"].partition(";")[0]
    cinema.api.delete(f"/v1/videos/{cinema.video}/shares/{share}")
    over = cinema.page(f"/v1/watch/{share}", headers={"Cookie": cookie})
    assert over.status_code == 410


def test_the_cookie_is_sent_over_tls_alone_where_there_is_tls(cinema: Cinema) -> None:
    api = cinema.api
    public = attrs.evolve(
        api.services.settings.public, player_url="https://play.test/videos"
    )
    api.services.settings = attrs.evolve(api.services.settings, public=public)
    share = cinema.share(viewerEmail=EMAIL)

    cinema.player = TestClient(make_player(api.services))
    page = recognised(cinema, share)

    kept = page.headers["set-cookie"]
    assert f"Path=/videos/v1/watch/{share};" in kept
    assert kept.endswith("; Secure")


def test_a_token_of_the_page_is_short(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    token = token_in(recognised(cinema, share))
    cinema.api.clock.move(timedelta(minutes=16))

    result = cinema.load(master_of(share), f"token={token}")

    problem_of(result, 401, "unauthorized")


def test_a_token_is_for_its_own_link(cinema: Cinema) -> None:
    share, other = (cinema.share(viewerEmail=EMAIL) for _ in range(2))
    token = token_in(recognised(cinema, share))

    problem_of(cinema.load(master_of(other), f"token={token}"), 403, "forbidden")


@pytest.mark.parametrize(
    "form", ["email=", "", "nothing", "&".join(f"a{n}=1" for n in range(50))]
)
def test_a_form_without_an_address_is_asked_again(cinema: Cinema, form: str) -> None:
    share = cinema.share(viewerEmail=EMAIL)

    page = cinema.page(f"/v1/watch/{share}", form=form)

    assert page.status_code == 400
    assert 'role="alert" >' in page.text
    assert tasks(cinema) == []


def test_an_address_of_any_characters_is_taken_as_it_is(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail="Zoë@exämple.com")

    for form in ("%00", "%F0%9F%99%82%ED%A0%80", "%22%3E%3Cscript%3E", "a%0D%0ABcc: x"):
        page = cinema.page(f"/v1/watch/{share}", form=f"email={form}")
        assert page.status_code == 200
        assert "<script>" not in page.text

    ask(cinema, share, "zoe\u0308@EXÄMPLE.com")
    (mail,) = mails(cinema)
    assert mail["To"].addresses[0].domain == "xn--exmple-cua.com"


def test_a_name_cannot_add_to_the_mails_head(cinema: Cinema) -> None:
    name = "a\r\nBcc: x@example.com\r\n\r\n\u202eb"
    cinema.rename(name)
    share = cinema.share(viewerEmail=EMAIL)

    ask(cinema, share)
    (mail,) = mails(cinema)

    assert mail["Bcc"] is None
    assert "    a Bcc: x@example.com b\r\n" in mail.get_content()


@pytest.mark.parametrize("end", ["revoked", "expired", "late"])
def test_a_code_that_came_too_late_is_not_sent(cinema: Cinema, end: str) -> None:
    share = cinema.share(viewerEmail=EMAIL, expirationHours=2 if end == "late" else 1)
    if end == "expired":
        cinema.api.clock.move(timedelta(minutes=59))
    ask(cinema, share)

    if end == "revoked":
        cinema.api.delete(f"/v1/videos/{cinema.video}/shares/{share}")
    else:
        cinema.api.clock.move(timedelta(minutes=1 if end == "expired" else 60))

    assert mails(cinema) == []
    assert [task.state for task in tasks(cinema)] == [TaskState.DONE]


class FailingMailer:
    """
    A mail server that takes nothing.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.tries = 0

    def send(self, mail: Mail) -> None:
        self.tries += 1
        raise self.error


def attempt(cinema: Cinema, error: Exception) -> None:
    services = cinema.api.services
    (task,) = tasks(cinema)
    taken = services.task_runs.take(task.id, worker="w")
    assert taken is not None
    mailing = ShareCodeMails(uow=services.uow, mailer=FailingMailer(error))
    with TaskRun(services.uow, taken, lambda: False) as run:
        mailing.send(run)


def test_a_mail_that_is_refused_is_not_sent_again(
    cinema: Cinema, caplog: pytest.LogCaptureFixture
) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    ask(cinema, share)

    with caplog.at_level(logging.WARNING):
        attempt(cinema, MailRefusedError("The mail server answered 550."))

    (task,) = tasks(cinema)
    assert task.state is TaskState.FAILED
    assert task.error == "The mail server answered 550."
    (line,) = [one for one in caplog.records if one.message == "code not sent"]
    assert EMAIL.lower() not in str(vars(line)).lower()


def test_a_mail_waits_for_a_server_that_is_away(cinema: Cinema) -> None:
    share = cinema.share(viewerEmail=EMAIL)
    ask(cinema, share)

    with pytest.raises(UnavailableError, match="away"):
        attempt(cinema, UnavailableError("away"))


def test_a_mail_whose_answer_is_lost_is_sent_three_times_at_most(
    cinema: Cinema,
) -> None:
    ask(cinema, cinema.share(viewerEmail=EMAIL))
    services = cinema.api.services
    (task,) = tasks(cinema)
    mailer = FailingMailer(MailAnswerLostError("The mail server did not say."))
    mailing = ShareCodeMails(uow=services.uow, mailer=mailer)
    handlers = {SHARE_CODE_SEND: ServiceMethod(run=mailing.send)}
    runs = attrs.evolve(services.task_runs, handlers=handlers)

    for _ in range(6):
        runs.run(task.id, worker="w", stopping=lambda: False)
        cinema.api.clock.move(timedelta(minutes=1))

    assert mailer.tries == 3
    (task,) = tasks(cinema)
    assert task.state is TaskState.FAILED
    assert "did not say" in task.error
