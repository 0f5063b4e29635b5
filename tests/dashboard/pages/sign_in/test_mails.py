"""
Links to sign in that members ask for on the sign-in page.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from urllib.parse import quote

import attrs
import pytest
import sqlalchemy as sa
from falcon.testing import Result

from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.mails import MAX_ASKED_BY_CLIENT, MAX_SIGN_IN_MAILS
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.tasks.task import TaskState
from hvcore.persistence.tables import metadata
from hvcore_dashboard.pages.sign_in.mails import SignInMailResource
from tests.dashboard.mailed import ASK, LINK, Mailing, codes_in
from tests.dashboard.opened import SESSION, VIDEOS, Dashboard, same_for_all
from tests.support.http.world import ORG, OTHER_ORG

ADA = "Ada@example.com"
STRANGER = "bob@example.com"


@pytest.fixture
def ada(mailing: Mailing) -> OrganizationMember:
    members = mailing.dashboard.world.services.members
    return members.add(ORG, role=Role.EDITOR, email=ADA, name="Ada")


def session_in(answer: Result) -> str:
    """
    Return the cookie header of who was signed in by an answer.
    """
    found = re.search(rf"{SESSION}=([^;]+)", answer.headers["set-cookie"])
    assert found, answer.headers
    return f"{SESSION}={found[1]}"


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize("address", [ADA, " ada@EXAMPLE.com "])
def test_a_member_signs_in_by_a_mail_and_comes_back_to_the_page(
    mailing: Mailing, address: str
) -> None:
    page = f"{VIDEOS}?search=a+b"
    form = mailing.dashboard.get(f"/dashboard/sign-in?next={quote(page)}").text

    answer = mailing.ask(address, back=page)
    (mail,) = mailing.run()
    (code,) = codes_in(mail)
    # In another browser, which has no cookie of the page.
    entered = mailing.use(code)

    assert "Mail me a link" in form
    assert f'name="next" value="{page}"' in form
    assert answer.status_code == 200
    assert mailing.server.recipients == [ADA]
    assert entered.headers["location"] == page
    opened = mailing.dashboard.get(VIDEOS, Cookie=session_in(entered))
    assert opened.status_code == 200
    assert "Ada" in opened.text


@pytest.mark.usefixtures("ada")
def test_opening_a_mailed_link_does_not_use_it(mailing: Mailing) -> None:
    mailing.ask(ADA)
    (code,) = codes_in(mailing.run()[0])

    for method in ("GET", "HEAD"):
        for path in (LINK, f"{LINK}?code={code}", ASK):
            opened = mailing.dashboard.client.simulate_request(method, path)
            assert opened.status_code in {200, 303, 405}
            assert "set-cookie" not in opened.headers

    assert mailing.use(code).status_code == 303


@pytest.mark.usefixtures("ada")
def test_a_mailed_link_signs_in_once_and_for_ten_minutes(mailing: Mailing) -> None:
    mailing.ask(ADA)
    mailing.ask(ADA)
    once, late = (codes_in(mail)[0] for mail in mailing.run())

    answers = [mailing.use(once).status_code for _ in range(2)]
    mailing.dashboard.world.clock.move(timedelta(minutes=10))

    assert answers == [303, 403]
    assert mailing.use(late).status_code == 403


@pytest.mark.usefixtures("ada")
def test_every_address_gets_the_same_answer(mailing: Mailing) -> None:
    texts = [
        same_for_all(mailing.ask(address)).replace(address, "ADDRESS")
        for address in (ADA, STRANGER)
    ]

    assert texts[0] == texts[1]
    assert [mail["To"] for mail in mailing.run()] == [ADA]
    assert len(mailing.tasks()) == 1


@pytest.mark.usefixtures("ada")
def test_every_address_takes_the_same_statements(mailing: Mailing) -> None:
    """
    The time of an answer does not tell a stranger which address is that of a member.
    """
    services = mailing.dashboard.world.services
    services.members.add(OTHER_ORG, role=Role.VIEWER, email=ADA)
    run: dict[str, list[str]] = {}
    for address in (ADA, STRANGER, f"x{ADA}"):
        with statements(services.engine) as found:
            mailing.ask(address)
        run[address] = [
            re.sub(r"VALUES.*|RELEASE.*|ROLLBACK TO.*", "…", text) for text in found
        ]

    assert run[ADA] == run[STRANGER] == run[f"x{ADA}"]
    assert len(run[ADA]) > 5


@contextmanager
def statements(engine: sa.Engine) -> Iterator[list[str]]:
    """
    Return a list that fills with what is sent to the database.
    """
    found: list[str] = []

    def note(*given: object) -> None:
        found.append(" ".join(str(given[2]).split()))

    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)


def test_addresses_of_nobody_leave_no_rows(mailing: Mailing) -> None:
    for number in range(10):
        mailing.ask(f"x{number}@example.com")

    with mailing.dashboard.world.services.engine.connect() as connection:
        left = {
            name: connection.execute(
                sa.select(sa.func.count()).select_from(metadata.tables[name])
            ).scalar_one()
            for name in ("sign_in_mails", "sign_in_links", "tasks")
        }
    assert left["sign_in_mails"] == left["sign_in_links"] == left["tasks"] == 0
    entries = mailing.dashboard.world.services.audit.latest(None, limit=100)
    assert "example.com" not in repr(entries)


@pytest.mark.usefixtures("ada")
def test_no_request_waits_for_the_mail_server(mailing: Mailing) -> None:
    mailing.server.answer = "554 no"

    assert mailing.ask(ADA).status_code == 200

    (task,) = mailing.tasks()
    assert task.state is TaskState.DUE
    assert mailing.server.messages == []


@pytest.mark.usefixtures("ada")
def test_an_address_gets_three_mails_an_hour(mailing: Mailing) -> None:
    answers = [
        same_for_all(mailing.ask(ADA, client=f"192.0.2.{number}"))
        for number in range(MAX_SIGN_IN_MAILS + 2)
    ]
    mails = mailing.run()

    assert len(set(answers)) == 1
    assert len(mails) == MAX_SIGN_IN_MAILS
    # A stranger who asks ends no link of before.
    assert mailing.use(codes_in(mails[0])[0]).status_code == 303
    mailing.dashboard.world.clock.move(timedelta(hours=1))
    mailing.ask(ADA)
    assert len(mailing.run()) == 1


def test_a_client_asks_so_often_an_hour(mailing: Mailing) -> None:
    for number in range(MAX_ASKED_BY_CLIENT):
        assert mailing.ask(f"x{number}@example.com").status_code == 200

    refused = mailing.ask(STRANGER)

    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) <= 3600
    assert "Mail me a link" in refused.text
    assert mailing.ask(STRANGER, client="192.0.2.9").status_code == 200


@pytest.mark.parametrize(
    "address", ["", "nobody", "a@b\r\nBcc: c@d", "<x>@example.com", "a" * 251 + "@b.c"]
)
def test_a_malformed_address_is_told_beside_its_field(
    mailing: Mailing, address: str
) -> None:
    answer = mailing.ask(address)

    assert answer.status_code == 400
    assert 'id="email-about"' in answer.text
    assert mailing.tasks() == []


@pytest.mark.usefixtures("ada")
@pytest.mark.parametrize(
    "back",
    [
        "https://evil.example/",
        "//evil.example",
        "/dashboard/../v1",
        "/dashboard/\\evil",
        f"/dashboard/{OTHER_ORG}/videos",
        "/dashboard/sign-out",
    ],
)
def test_a_mailed_link_leads_nobody_elsewhere(mailing: Mailing, back: str) -> None:
    mailing.ask(ADA, back=back)
    (code,) = codes_in(mailing.run()[0])

    assert mailing.use(code).headers["location"] == "/dashboard/"


@pytest.mark.usefixtures("ada")
def test_an_address_in_two_organizations_gets_a_link_to_each(mailing: Mailing) -> None:
    members = mailing.dashboard.world.services.members
    members.add(OTHER_ORG, role=Role.VIEWER, email=ADA.lower())

    mailing.ask(ADA)
    (mail,) = mailing.run()
    mailing.ask(ADA, back=VIDEOS)
    (of_page,) = mailing.run()

    assert len(codes_in(mail)) == 2
    for org in (ORG, OTHER_ORG):
        assert f"{org}:" in mail.get_content()
    assert len(codes_in(of_page)) == 1
    entered = mailing.use(codes_in(mail)[1])
    cookie = session_in(entered)
    statuses = [
        mailing.dashboard.get(f"/dashboard/{org}/videos", Cookie=cookie).status_code
        for org in (ORG, OTHER_ORG)
    ]
    assert statuses == [404, 200]


def test_a_removed_member_gets_in_by_no_mail(
    mailing: Mailing, ada: OrganizationMember
) -> None:
    mailing.ask(ADA)
    (code,) = codes_in(mailing.run()[0])
    mailing.ask(ADA)

    mailing.dashboard.world.services.members.remove(ORG, ada.id)

    assert mailing.use(code).status_code == 403
    assert mailing.run() == []
    assert {task.state for task in mailing.tasks()} == {TaskState.DONE}


def test_a_role_that_was_changed_is_the_role_of_who_signs_in(
    mailing: Mailing, ada: OrganizationMember
) -> None:
    mailing.ask(ADA)
    (code,) = codes_in(mailing.run()[0])

    mailing.dashboard.world.services.members.change_role(ORG, ada.id, Role.VIEWER)

    cookie = session_in(mailing.use(code))
    upload = mailing.dashboard.get(f"/dashboard/{ORG}/upload", Cookie=cookie)
    assert "You are a viewer" in upload.text


@pytest.mark.usefixtures("ada")
def test_a_mail_whose_answer_was_lost_is_the_same_mail_again(mailing: Mailing) -> None:
    mailing.ask(ADA)
    mailing.server.answer = "451 taken, and not said"
    assert mailing.run() == []
    mailing.server.answer = "250 OK"
    clock = mailing.dashboard.world.clock
    clock.move(timedelta(minutes=2))

    (mail,) = mailing.run()

    assert mail["Message-ID"].startswith("<sim_")
    assert mailing.use(codes_in(mail)[0]).status_code == 303


@pytest.mark.usefixtures("ada")
def test_a_link_that_was_used_is_not_mailed_again(mailing: Mailing) -> None:
    services = mailing.dashboard.world.services
    mailing.ask(ADA)
    (task,) = mailing.tasks()
    mailing.server.answer = "451 taken, and not said"
    mailing.run()
    with services.uow.read() as work:
        (link,) = work.sign_in_links.of_mail(task.subject, services.clock.now())
    code = services.mailed_sign_ins.codes.code(task.subject, str(link.member_id))
    assert mailing.use(code).status_code == 303
    mailing.server.answer = "250 OK"
    mailing.dashboard.world.clock.move(timedelta(minutes=2))

    assert mailing.run() == []

    assert mailing.use(code).status_code == 403
    assert mailing.tasks()[0].state is TaskState.DONE


@pytest.mark.usefixtures("ada")
def test_no_code_of_a_mail_is_kept_or_logged(
    mailing: Mailing, caplog: pytest.LogCaptureFixture
) -> None:
    mailing.ask(ADA)
    (code,) = codes_in(mailing.run()[0])
    mailing.use(code)
    mailing.use(code)

    with mailing.dashboard.world.services.engine.connect() as connection:
        kept = [
            connection.execute(sa.select(table)).all()
            for table in metadata.sorted_tables
        ]
    assert code not in repr(kept)
    # The mail server of the tests logs its recipients under this name.
    records = [record for record in caplog.records if record.name != "mail.log"]
    logged = "".join(repr(vars(record)) for record in records)
    assert code not in logged
    assert ADA not in logged


@pytest.mark.usefixtures("ada")
def test_a_service_with_another_secret_mails_no_link_that_does_not_work(
    mailing: Mailing,
) -> None:
    services = mailing.dashboard.world.services
    mailing.ask(ADA)
    with services.uow.write() as work:
        work.sign_in_links.remove_expired(services.clock.now() + timedelta(days=9))
        (task,) = work.tasks.search(kind=mailing.tasks()[0].kind)
        member = work.members.of_email(ADA)[0]
        link = services.mailed_sign_ins
        forged = attrs.evolve(
            link, codes=type(link.codes)("another secret of the service")
        )
        mail = work.sign_in_mails.find(task.subject)
        assert mail is not None
        work.sign_in_links.add(forged._link(mail, member))
        work.commit()

    assert mailing.run() == []

    (failed,) = mailing.tasks()
    assert failed.state is TaskState.FAILED
    assert "secret has changed" in failed.error


def test_without_a_mail_server_nobody_is_offered_a_mail(dashboard: Dashboard) -> None:
    page = dashboard.get("/dashboard/sign-in")
    answer = dashboard.client.simulate_post(ASK, host="api.test")

    assert "Mail me a link" not in page.text
    assert answer.status_code == 404


def test_past_single_sign_on_nobody_gets_in_by_a_mail(mailing: Mailing) -> None:
    services = mailing.dashboard.world.services
    with_provider = attrs.evolve(services.mailed_sign_ins, backend="oidc")
    page = mailing.dashboard.get("/dashboard/sign-in").text
    ada = services.members.add(ORG, role=Role.ADMIN, email=ADA)
    link = services.sign_in_links.for_member(ORG, ada.id).address
    operator = services.sign_in_links.for_operator(name="Olga").address
    sign_ins = attrs.evolve(services.sign_ins, backend="oidc")

    assert "Mail me a link" in page
    assert not with_provider.can_be_asked
    with pytest.raises(Exception, match="links are for operators"):
        sign_ins.complete_link(link.partition("#")[2], client_address="192.0.2.1")
    started = sign_ins.complete_link(
        operator.partition("#")[2], client_address="192.0.2.1"
    )
    assert started.person.is_operator


def test_a_reload_of_the_answer_leads_to_the_form(mailing: Mailing) -> None:
    answer = mailing.dashboard.get(ASK)

    assert answer.headers["location"] == "/dashboard/sign-in"
    assert SignInMailResource.__doc__


def test_another_site_has_nobody_sent_a_mail(mailing: Mailing) -> None:
    answer = mailing.ask(ADA, Origin="https://evil.example")

    assert answer.status_code == 403
    assert mailing.tasks() == []
