"""
Invitations that are mailed to members.
"""

from collections.abc import Mapping
from datetime import timedelta

import attrs
import pytest

from hvcore import metrics
from hvcore.domain.access.roles import Role
from hvcore.domain.sign_in.mails import MAX_SIGN_IN_MAILS
from hvcore.domain.tasks.kinds import SHARE_LINK_SEND
from hvcore.domain.tasks.task import MAX_ATTEMPTS, TaskState
from hvcore.services.sign_in import mailed_links
from tests.dashboard.mailed import Mailing, codes_in
from tests.dashboard.opened import VIDEOS, Dashboard, ids_in
from tests.dashboard.pages.members.test_changes import MEMBERS, member_named
from tests.dashboard.pages.sign_in.test_mails import session_in
from tests.dashboard.sent_forms import form_of
from tests.metrics.readings import Growth
from tests.support.http.world import ORG, OTHER_ORG

ANN = "ann@example.com"
NEW: Mapping[str, str] = {"name": "Ann", "email": ANN, "role": "editor"}


def test_a_colleague_signs_in_from_the_mail_alone(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)

    invited = admin.post(f"{MEMBERS}/new", NEW)
    (mail,) = mailing.run()
    entered = mailing.use(codes_in(mail)[0])

    assert invited.headers["location"] == MEMBERS
    assert f"An invitation goes to {ANN}" in admin.get(MEMBERS).text or invited.cookies
    assert mailing.server.recipients == [ANN]
    assert ORG in mail["Subject"]
    assert "as\nan editor" in mail.get_content().replace("\r", "")
    assert entered.headers["location"] == "/dashboard/"
    upload = f"/dashboard/{ORG}/upload"
    opened = mailing.dashboard.get(upload, Cookie=session_in(entered))
    assert opened.status_code == 200


def test_an_invitation_is_good_once_and_for_three_days(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    admin.post(f"{MEMBERS}/new", {**NEW, "name": "Bob", "email": "bob@example.com"})
    ann, bob = (codes_in(mail)[0] for mail in mailing.run())
    clock = mailing.dashboard.world.clock

    clock.move(timedelta(days=3) - timedelta(seconds=1))
    answers = [mailing.use(ann).status_code for _ in range(2)]
    clock.move(timedelta(seconds=1))

    assert answers == [303, 403]
    assert mailing.use(bob).status_code == 403


def test_an_address_of_a_member_is_not_invited_anew(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)

    again = admin.post(f"{MEMBERS}/new", {**NEW, "email": ANN.upper(), "role": "admin"})

    assert again.status_code == 409
    assert "is a member already" in again.text
    assert len(mailing.run()) == 1
    assert member_named(mailing.dashboard, "Ann").role is Role.EDITOR


def test_an_invited_role_that_was_changed_counts_as_changed(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", {**NEW, "role": "admin"})
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    admin.submit(f"{path}/role", {"role": "viewer"}, page=path)

    (mail,) = mailing.run()
    cookie = session_in(mailing.use(codes_in(mail)[0]))

    assert "a viewer" in mail.get_content()
    assert mailing.dashboard.get(MEMBERS, Cookie=cookie).status_code == 403
    assert mailing.dashboard.get(VIDEOS, Cookie=cookie).status_code == 200


@pytest.mark.parametrize("when", ["before the mail", "after the mail"])
def test_a_removed_member_is_not_invited_any_more(mailing: Mailing, when: str) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    mails = mailing.run() if when == "after the mail" else []

    admin.submit(f"{path}/remove", page=path)

    for mail in mails:
        assert mailing.use(codes_in(mail)[0]).status_code == 403
    assert mailing.run() == []
    assert {task.state for task in mailing.tasks()} == {TaskState.DONE}


def test_a_new_invitation_ends_the_one_before(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    (first,) = mailing.run()
    ann = member_named(mailing.dashboard, "Ann").id
    path = f"{MEMBERS}/{ann}"

    assert admin.submit(f"{path}/invite", page=path).status_code == 303
    assert mailing.dashboard.last_audited()[:2] == ("member.invite", ann)
    (second,) = mailing.run()

    assert mailing.use(codes_in(first)[0]).status_code == 403
    assert mailing.use(codes_in(second)[0]).status_code == 303
    assert mailing.dashboard.last_audited()[0] == "session.start"


def test_a_page_says_how_far_an_invitation_has_come(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"

    ordered = admin.get(path)
    (mail,) = mailing.run()
    sent = admin.get(path).text
    mailing.use(codes_in(mail)[0])

    assert ids_in(ordered)
    assert "is on its way" in ordered.text
    assert "It was mailed, and signs in once" in sent
    assert "It was used" in admin.get(path).text
    assert codes_in(mail)[0] not in sent


def test_a_mail_that_the_server_refuses_is_told_to_the_admin_without_its_reason(
    mailing: Mailing,
) -> None:
    mailing.server.recipient_answer = "550 no such user"
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)

    mailing.run()

    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    page = admin.get(path).text
    (task,) = mailing.tasks()
    assert "could not be delivered" in page
    assert ">Send again<" in page
    assert "550" in task.error
    assert task.error not in page
    assert "550" not in page


def test_a_mail_that_may_have_arrived_is_not_called_undelivered(
    mailing: Mailing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hvcore.mail.smtp.ANSWER_S", 0.2)
    monkeypatch.setattr("hvcore.mail.smtp.GOODBYE_S", 0.1)
    world, admin = mailing.dashboard.world, mailing.dashboard.sign_in(Role.ADMIN)
    video_id, path = world.ready(), f"{MEMBERS}/new"
    sharing = f"{VIDEOS}/{video_id}/sharing"
    admin.post(path, NEW)
    admin.submit(sharing, {"viewers": ANN, "mail": "yes"})
    mailing.server.answer = None

    for _ in range(MAX_ATTEMPTS):
        mailing.run()
        mailing.run(SHARE_LINK_SEND)
        world.clock.move(timedelta(minutes=10))

    member = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    assert len(mailing.server.messages) == 2 * MAX_ATTEMPTS
    for page in (admin.get(member).text, admin.get(sharing).text):
        assert "The mail may have arrived: the mail server did not say." in page
        assert "could not be delivered" not in page
        assert "mail server 127" not in page
        assert ">Send again<" in page


def test_an_invitation_that_is_asked_for_twice_on_a_page_is_mailed_once(
    mailing: Mailing,
) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    mailing.run()
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    seen = admin.get(path)
    mailing.dashboard.world.clock.move(timedelta(minutes=1))

    again = [admin.submit(f"{path}/invite", seen=seen).status_code for _ in range(3)]

    assert again == [303] * 3
    assert len(mailing.run()) == 1
    admin.submit(f"{path}/invite", page=path)
    assert len(mailing.run()) == 1


def test_a_mail_server_that_is_down_gets_the_mail_later_and_once(
    mailing: Mailing,
) -> None:
    mailing.server.recipient_answer = "450 later"
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    assert mailing.run() == []
    mailing.server.recipient_answer = "250 OK"
    mailing.dashboard.world.clock.move(timedelta(hours=20))

    assert len(mailing.run()) == 1
    assert mailing.run() == []


def test_an_address_is_not_flooded_with_invitations(
    mailing: Mailing, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)
    admin.post(f"{MEMBERS}/new", NEW)
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    for _ in range(MAX_SIGN_IN_MAILS - 1):
        assert admin.submit(f"{path}/invite", page=path).status_code == 303

    metrics.switch_on()
    name = "hv_rate_limited_total"
    limited = Growth({name: {"limit": "invitations"}})
    refused = admin.submit(f"{path}/invite", page=path)

    assert refused.status_code == 429
    assert "hand over a link yourself" in refused.text
    assert limited.of_all() == {name: 1.0}
    assert int(refused.headers["retry-after"]) > 0
    assert form_of(refused, f"{path}/role")["role"] == ["editor"]
    monkeypatch.setattr(mailed_links, "MAX_INVITATIONS", MAX_SIGN_IN_MAILS)
    other = admin.post(
        f"{MEMBERS}/new", {**NEW, "name": "Bob", "email": "b@example.com"}
    )
    assert other.status_code == 429
    assert "This organization has mailed" in other.text
    # Whoever asks for links is counted apart.
    assert mailing.ask(ANN).status_code == 200
    assert len(mailing.run()) == 2


@pytest.mark.parametrize(
    "name", ["Ann\r\nBcc: eve@example.com", "=?utf-8?q?x?=", "Ann\u2028Bcc: e@x.y"]
)
@pytest.mark.parametrize(
    "email", ["a@b.example\r\nBcc: eve@example.com", "a@b.example,eve@example.com"]
)
def test_no_name_or_address_adds_a_recipient(
    mailing: Mailing, name: str, email: str
) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)

    refused = admin.post(f"{MEMBERS}/new", {**NEW, "email": email})
    admin.post(f"{MEMBERS}/new", {**NEW, "name": name})
    mails = mailing.run()

    assert refused.status_code == 400
    assert all(mail["Bcc"] is None for mail in mails)
    assert set(mailing.server.recipients) <= {ANN}


def test_a_member_without_an_address_is_handed_a_link(mailing: Mailing) -> None:
    admin = mailing.dashboard.sign_in(Role.ADMIN)

    answer = admin.post(
        f"{MEMBERS}/new", {"name": "Ann", "email": "", "role": "viewer"}
    )

    assert "sign-in/link#" in answer.text
    path = f"{MEMBERS}/{member_named(mailing.dashboard, 'Ann').id}"
    assert "Mail an invitation" not in admin.get(path).text
    refused = admin.post(f"{path}/invite")
    assert refused.status_code == 400
    assert form_of(refused, f"{path}/role")["role"] == ["viewer"]
    assert mailing.tasks() == []


def test_without_a_mail_server_a_link_is_handed_over(dashboard: Dashboard) -> None:
    admin = dashboard.sign_in(Role.ADMIN)

    answer = admin.post(f"{MEMBERS}/new", NEW)

    assert "sign-in/link#" in answer.text
    path = f"{MEMBERS}/{member_named(dashboard, 'Ann').id}"
    assert "Mail an invitation" not in admin.get(path).text
    assert admin.post(f"{path}/invite").status_code == 404


def test_a_member_of_others_is_not_invited(mailing: Mailing) -> None:
    members = mailing.dashboard.world.services.members
    theirs = members.add(OTHER_ORG, role=Role.VIEWER, email=ANN)
    admin = mailing.dashboard.sign_in(Role.ADMIN)

    assert admin.post(f"{MEMBERS}/{theirs.id}/invite").status_code == 404
    assert mailing.tasks() == []


def test_past_single_sign_on_an_invitation_has_no_link(mailing: Mailing) -> None:
    services = mailing.dashboard.world.services
    member = services.members.add(ORG, role=Role.VIEWER, email=ANN)
    ordering = attrs.evolve(services.mailed_sign_ins, backend="oidc")
    sending = attrs.evolve(services.sign_in_mails, backend="oidc")
    ordering.invite(ORG, member.id)
    (task,) = mailing.tasks()

    with services.uow.read() as work:
        assert work.sign_in_links.of_mail(task.subject, services.clock.now()) == []
    mail = sending._find(task.subject)

    assert mail is not None
    assert "#" not in mail.text
    assert f"/dashboard/{ORG}/videos" in mail.text


@pytest.mark.parametrize("page", ["new", "member"])
def test_roles_are_explained_where_they_are_chosen(
    dashboard: Dashboard, page: str
) -> None:
    admin = dashboard.sign_in(Role.ADMIN)
    path = {"new": "new", "member": admin.session.person.subject}[page]

    text = admin.get(f"{MEMBERS}/{path}").text

    for explained in ("Changes nothing", "Also uploads", "Also manages members"):
        assert explained in text
    assert text.count('type="radio"') == len(Role)
