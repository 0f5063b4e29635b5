"""
For how long people stay signed in, and what ends it.
"""

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import attrs
import pytest
import sqlalchemy as sa

from hvcore.domain.access.roles import Role
from hvcore.errors import NotFoundError, UnavailableError
from hvcore.ports.sign_in import (
    MembershipEndedError,
    SignInOutcome,
    SignInRefusedError,
)
from tests.services.sign_in.conftest import (
    ADA,
    ORG,
    OTHER_ORG,
    House,
    ScriptedSignIn,
    make_house,
)

FIVE_MINUTES_S = 300


def test_a_signed_in_person_is_known(house: House) -> None:
    session = house.signed_in()

    person = house.person(session)

    assert person == session.person
    assert person is not None
    assert (person.subject, person.name, person.email) == (
        "ada",
        "Ada",
        "ada@example.com",
    )
    assert person.roles == {ORG: Role.EDITOR}
    assert session.lasts_s == 7 * 24 * 3600


@pytest.mark.parametrize("cookie", [None, "", "forged", "\ud800", "x" * 43])
def test_nobody_has_a_forged_session(house: House, cookie: str | None) -> None:
    assert house.services.sign_in_sessions.person_of(cookie) is None
    assert house.services.sign_in_sessions.sign_out(cookie) is None
    assert house.services.sign_in_sessions.sign_out_everywhere(cookie) is None


def test_the_database_has_neither_cookie_nor_state(house: House) -> None:
    session = house.signed_in()

    with house.services.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT * FROM sign_in_sessions")).all()
        entries = connection.execute(sa.text("SELECT * FROM audit_log")).all()

    stored = repr(rows) + repr(entries)
    assert "ada@example.com" in stored
    for secret in (session.value, session.person.change_token, "state 0"):
        assert secret not in stored
    assert session.value not in repr(session)


def test_a_session_that_is_not_used_ends(house: House) -> None:
    session = house.signed_in()

    house.clock.move(hours=11, minutes=59)
    assert house.person(session) is not None
    house.clock.move(hours=11, minutes=59)
    assert house.person(session) is not None
    house.clock.move(hours=12)
    assert house.person(session) is None


def test_a_session_that_is_used_ends_after_seven_days(house: House) -> None:
    session = house.signed_in()

    for _ in range(7 * 4 - 1):
        house.clock.move(hours=6)
        assert house.person(session) is not None
    house.clock.move(hours=6)
    assert house.person(session) is None


def test_both_times_are_settings(tmp_path: Path) -> None:
    environ = {
        "HV_DASHBOARD__SESSION_IDLE_S": "60",
        "HV_DASHBOARD__SESSION_TOTAL_S": "100",
    }
    with make_house(tmp_path, environ) as house:
        idle = house.signed_in()
        house.clock.move(seconds=60)
        used = house.signed_in()
        house.clock.move(seconds=59)
        is_known = house.person(used) is not None
        house.clock.move(seconds=41)

        assert house.person(idle) is None
        assert is_known
        assert house.person(used) is None
        assert used.lasts_s == 100


def test_use_within_a_minute_writes_nothing(house: House) -> None:
    session = house.signed_in()
    house.clock.move(seconds=59)

    with house.services.uow.write():
        # Nobody else can write meanwhile.
        assert house.person(session) is not None


def test_membership_is_asked_after_five_minutes_and_not_before(house: House) -> None:
    session = house.signed_in()

    house.clock.move(seconds=FIVE_MINUTES_S - 1)
    house.person(session)
    assert house.provider.asked == []
    house.clock.move(seconds=1)
    house.person(session)
    house.person(session)
    assert house.provider.asked == ["state 0"]
    house.clock.move(seconds=FIVE_MINUTES_S)
    house.person(session)
    assert house.provider.asked == ["state 0", "state 1"]


def test_a_changed_role_is_felt_within_five_minutes(house: House) -> None:
    session = house.signed_in()
    house.provider.identity = attrs.evolve(ADA, roles={OTHER_ORG: Role.ADMIN})

    house.clock.move(seconds=FIVE_MINUTES_S)
    person = house.person(session)

    assert person is not None
    assert person.role_in(ORG) is None
    assert person.role_in(OTHER_ORG) is Role.ADMIN


@pytest.mark.parametrize("told", [True, False])
def test_a_lost_membership_ends_the_session(
    house: House, caplog: pytest.LogCaptureFixture, *, told: bool
) -> None:
    session = house.signed_in()
    if told:
        house.provider.failure = MembershipEndedError("the account is closed")
    house.provider.identity = attrs.evolve(ADA, roles={})

    house.clock.move(seconds=FIVE_MINUTES_S)
    with caplog.at_level(logging.INFO):
        assert house.person(session) is None
    house.provider.failure, house.provider.identity = None, ADA
    assert house.person(session) is None
    assert "a session ends with its membership" in caplog.text


def test_another_person_is_never_taken_over(house: House) -> None:
    session = house.signed_in()
    house.provider.identity = attrs.evolve(ADA, subject="bob")

    house.clock.move(seconds=FIVE_MINUTES_S)

    assert house.person(session) is None


def test_a_provider_that_is_down_refuses_for_now(house: House) -> None:
    session = house.signed_in()
    house.provider.failure = UnavailableError("The provider does not answer.")
    house.clock.move(seconds=FIVE_MINUTES_S)

    for _ in range(2):
        with pytest.raises(UnavailableError, match="does not answer"):
            house.person(session)
    house.provider.failure = None

    assert house.person(session) is not None


def test_a_changed_secret_ends_sessions_instead_of_breaking_them(
    tmp_path: Path,
) -> None:
    with make_house(tmp_path, {"HV_SIGN_IN__SECRET": "a" * 32}) as house:
        session = house.signed_in()
    with make_house(tmp_path, {"HV_SIGN_IN__SECRET": "b" * 32}) as again:
        assert again.person(session) is not None
        other = again.signed_in()
        again.clock.move(seconds=FIVE_MINUTES_S)
        assert again.person(session) is None
        assert again.person(other) is not None
    with make_house(tmp_path, {"HV_SIGN_IN__SECRET": "c" * 32}) as third:
        assert third.services.sign_in_sessions.sign_out(other.value) is None
        assert third.person(other) is None


def test_requests_at_once_ask_once(house: House) -> None:
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    slow = SlowSignIn(house.provider)
    house.providers["scripted"] = slow

    with ThreadPoolExecutor(4) as threads:
        people = [threads.submit(house.person, session) for _ in range(4)]
        assert slow.begun.wait(10)
        slow.go_on.set()
        found = [person.result(10) for person in people]

    assert found == [session.person] * 4
    assert house.provider.asked == ["state 0"]


def test_a_request_that_waits_too_long_for_another_is_refused(house: House) -> None:
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    sessions = house.services.sign_in_sessions
    times = attrs.evolve(sessions.times, waited_s=0)
    hasty = attrs.evolve(sessions, times=times)
    slow = SlowSignIn(house.provider)
    house.providers["scripted"] = slow

    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(house.person, session)
        assert slow.begun.wait(10)
        with pytest.raises(UnavailableError, match="sign-in provider does not answer"):
            hasty.person_of(session.value)
        slow.go_on.set()

        assert asking.result(10) == session.person


def test_a_process_that_died_while_it_asked_holds_up_nobody_for_long(
    house: House,
) -> None:
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    house.provider.failure = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        house.person(session)
    house.provider.failure = None

    house.clock.move(seconds=30)

    assert house.person(session) == session.person


def test_a_role_that_changes_while_it_is_asked_is_asked_again(house: House) -> None:
    member = house.services.members.add(ORG, role=Role.VIEWER, email="ada@example.com")
    house.provider.identity = attrs.evolve(ADA, roles={})
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    slow = SlowSignIn(house.provider)
    house.providers["scripted"] = slow

    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(house.person, session)
        assert slow.begun.wait(10)
        house.services.members.change_role(ORG, member.id, Role.ADMIN)
        slow.go_on.set()
        person = asking.result(10)

    assert person is not None
    assert person.role_in(ORG) is Role.ADMIN


def test_signing_out_ends_one_session(house: House) -> None:
    first, second = house.signed_in(), house.signed_in()

    address = house.services.sign_in_sessions.sign_out(first.value)

    assert address is not None
    assert address.startswith("https://id.example.com/end?state 0&to=http://127.0.0.1")
    assert house.person(first) is None
    assert house.person(second) is not None


def test_signing_out_everywhere_ends_all_of_a_person(house: House) -> None:
    first, second = house.signed_in(), house.signed_in()
    house.provider.identity = attrs.evolve(ADA, subject="bob")
    other = house.signed_in()

    house.services.sign_in_sessions.sign_out_everywhere(first.value)

    assert house.person(first) is house.person(second) is None
    assert house.person(other) is not None


def test_signing_in_and_out_is_audited_with_the_name(house: House) -> None:
    session = house.signed_in()
    house.services.sign_in_sessions.sign_out(session.value)

    for action in ("session.start", "session.end"):
        (entry,) = house.audited(action)
        assert entry.org_id == ORG
        assert (entry.actor, entry.actor_name) == ("scripted:ada", "Ada")


def test_ended_sessions_links_and_sign_ins_are_swept(house: House) -> None:
    house.signed_in()
    house.services.sign_in_links.for_operator(name="Olga")
    house.services.sign_ins.begin(return_to="", client_address="192.0.2.1")
    house.clock.move(days=8)

    house.services.sign_in_sessions.forget_ended()

    with house.services.engine.connect() as connection:
        for name in ("sign_in_sessions", "sign_in_links", "pending_sign_ins"):
            count = sa.select(sa.func.count()).select_from(sa.table(name))
            assert connection.execute(count).scalar_one() == 0, name


def test_a_person_calls_with_the_permissions_of_the_role(house: House) -> None:
    person = house.signed_in().person

    principal = house.services.sign_in_sessions.principal(person, ORG)

    assert principal.permissions == Role.EDITOR.permissions
    assert principal.person == person.as_person
    assert principal.key_id is None
    assert principal.type is None
    assert principal.may_use_org(ORG)
    assert not principal.may_use_org(OTHER_ORG)


def test_a_foreign_organization_is_as_one_that_is_not_there(house: House) -> None:
    sessions, person = house.services.sign_in_sessions, house.signed_in().person

    for org_id in (OTHER_ORG, "org_none", "\0"):
        with pytest.raises(NotFoundError, match="nothing at this address"):
            sessions.principal(person, org_id)


def test_an_operator_is_an_admin_where_there_is_an_organization(house: House) -> None:
    house.provider.identity = attrs.evolve(ADA, roles={}, is_operator=True)
    sessions, person = house.services.sign_in_sessions, house.signed_in().person

    principal = sessions.principal(person, OTHER_ORG)
    with pytest.raises(NotFoundError, match="nothing at this address"):
        sessions.principal(person, "org_none")

    assert principal.permissions == Role.ADMIN.permissions


@pytest.mark.parametrize("subject", ["", "a" * 256, "a\0b", "ä"])
def test_a_subject_that_is_none_is_refused(house: House, subject: str) -> None:
    house.provider.identity = attrs.evolve(ADA, subject=subject)

    with pytest.raises(SignInRefusedError, match="could not be"):
        house.signed_in()


def test_the_sessions_of_a_backend_end_with_it(house: House) -> None:
    session = house.signed_in()
    del house.providers["scripted"]

    assert house.person(session) is None


class SlowSignIn(ScriptedSignIn):
    """
    Answers when the test wants it.
    """

    def __init__(self, inner: ScriptedSignIn) -> None:
        super().__init__()
        self.inner, self.begun, self.go_on = inner, Event(), Event()

    def refresh(self, refresh_state: str) -> SignInOutcome:
        self.begun.set()
        assert self.go_on.wait(10)
        return self.inner.refresh(refresh_state)
