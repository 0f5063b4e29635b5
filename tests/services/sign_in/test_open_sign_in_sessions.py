"""
Sessions as those see them who run the service.
"""

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.errors import NotFoundError
from hvcore.services.access.audit import acting_as
from hvcore.services.sign_in.sessions import StartedSession
from tests.services.sign_in.conftest import ADA, ORG, OTHER_ORG, House

GRACE = attrs.evolve(ADA, subject="grace", name="Grace", email="grace@example.com")


def signed_in(house: House, identity: object = ADA) -> StartedSession:
    house.provider.identity = identity  # type: ignore[assignment]  # one of ours
    return house.signed_in()


def test_signed_in_people_are_listed_the_latest_first(house: House) -> None:
    signed_in(house)
    house.clock.move(minutes=2)
    signed_in(house, GRACE)

    found = house.services.open_sign_in_sessions.listed()

    assert [session.actor for session in found] == ["scripted:grace", "scripted:ada"]


def test_a_session_that_has_ended_is_not_listed(house: House) -> None:
    sessions = house.services.open_sign_in_sessions
    signed_in(house)
    (session,) = sessions.listed()

    house.clock.move(seconds=(sessions.ends_at(session) - house.clock.now()).seconds)

    assert list(sessions.listed()) == []
    with pytest.raises(NotFoundError, match="hv sessions list"):
        sessions.end_of("scripted:ada")


@pytest.mark.parametrize("name", ["scripted:ada", "Ada@Example.com"])
def test_all_sessions_of_a_person_end_and_no_others(house: House, name: str) -> None:
    first, second = signed_in(house), signed_in(house)
    other = signed_in(house, GRACE)

    ended = house.services.open_sign_in_sessions.end_of(name)

    assert [session.actor for session in ended] == ["scripted:ada"] * 2
    assert house.person(first) is None
    assert house.person(second) is None
    assert house.person(other) is not None


def test_nobody_has_no_address(house: House) -> None:
    signed_in(house, attrs.evolve(ADA, email=""))

    with pytest.raises(NotFoundError, match="is signed in"):
        house.services.open_sign_in_sessions.end_of("")


def test_the_actor_who_ended_sessions_is_in_the_audit_log(house: House) -> None:
    roles = {
        ORG: Role.ADMIN,
        OTHER_ORG: Role.VIEWER,
        OrgId("org_elsewhere"): Role.ADMIN,
    }
    signed_in(house, attrs.evolve(ADA, roles=roles))
    signed_in(house, attrs.evolve(ADA, roles={ORG: Role.ADMIN}))

    with acting_as("cli:olga"):
        house.services.open_sign_in_sessions.end_of("scripted:ada")

    entries = house.audited("session.end-all")
    assert {entry.actor for entry in entries} == {"cli:olga"}
    assert {(entry.org_id, entry.details["sessions"]) for entry in entries} == {
        (ORG, 2),
        (OTHER_ORG, 1),
    }
