"""
Members: who gives a role to whom, and when it is felt.
"""

import attrs
import pytest

from hvcore.domain.access.principals import Person
from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.errors import ConflictError, InvalidParametersError, NotFoundError
from hvcore.ports.sign_in import SignInRefusedError
from hvcore.services.access.audit import acting_as_person
from hvcore.services.sign_in.sessions import StartedSession
from tests.services.sign_in.conftest import ADA, ORG, OTHER_ORG, House

OLGA = Person(subject="olga", name="Olga", backend="oidc")


def by_link(house: House, member_id: str) -> StartedSession:
    made = house.services.sign_in_links.for_member(ORG, member_id)
    return house.by_link(made.address)


def test_members_are_listed_in_their_organization(house: House) -> None:
    members = house.services.members
    ann = members.add(ORG, role=Role.VIEWER, email=" ann@example.com ", name=" Ann ")
    house.clock.move(seconds=1)
    bob = members.add(ORG, role=Role.EDITOR, name="Bob")

    assert list(members.of_organization(ORG)) == [ann, bob]
    assert list(members.of_organization(OTHER_ORG)) == []
    assert (ann.email, ann.name, ann.shown_name) == ("ann@example.com", "Ann", "Ann")


def test_a_member_has_what_admins_gave_beside_the_backends_roles(house: House) -> None:
    members = house.services.members
    members.add(ORG, role=Role.VIEWER, email="ADA@example.com")
    members.add(OTHER_ORG, role=Role.ADMIN, email="ada@example.com")

    session = house.signed_in()

    # The stronger of both where there are two.
    assert session.person.roles == {ORG: Role.EDITOR, OTHER_ORG: Role.ADMIN}


def test_an_address_that_nobody_vouches_for_is_no_member(house: House) -> None:
    house.services.members.add(OTHER_ORG, role=Role.ADMIN, email="ada@example.com")
    house.provider.identity = attrs.evolve(ADA, is_email_proven=False)

    assert house.signed_in().person.roles == {ORG: Role.EDITOR}


@pytest.mark.parametrize("email", ["", "not an address", "a@b\n", "a" * 251 + "@b.c"])
def test_a_malformed_address_proves_nothing(house: House, email: str) -> None:
    house.provider.identity = attrs.evolve(ADA, email=email)

    person = house.signed_in().person

    assert person.email == ""
    assert person.roles == {ORG: Role.EDITOR}


@pytest.mark.parametrize("way", ["link", "provider"])
def test_a_change_is_felt_with_the_next_request(
    request: pytest.FixtureRequest, way: str
) -> None:
    fixture = {"link": "link_house", "provider": "house"}[way]
    house: House = request.getfixturevalue(fixture)
    members = house.services.members
    house.provider.identity = attrs.evolve(ADA, roles={})
    members.add(ORG, role=Role.ADMIN, name="Who stays")
    member = members.add(ORG, role=Role.VIEWER, email="ada@example.com")
    session = by_link(house, member.id) if way == "link" else house.signed_in()

    changed = members.change_role(ORG, member.id, Role.ADMIN)
    person = house.person(session)
    members.remove(ORG, member.id)

    assert changed.role is Role.ADMIN
    assert person is not None
    assert person.role_in(ORG) is Role.ADMIN
    assert house.person(session) is None


def test_a_signed_in_person_who_is_made_a_member_has_the_role_with_the_next_request(
    house: House,
) -> None:
    session = house.signed_in()
    assert session.person.role_in(OTHER_ORG) is None

    house.services.members.add(OTHER_ORG, role=Role.VIEWER, email="ADA@example.com")
    person = house.person(session)

    assert person is not None
    assert person.roles == {ORG: Role.EDITOR, OTHER_ORG: Role.VIEWER}


def test_a_removed_member_keeps_no_link(house: House) -> None:
    member = house.services.members.add(ORG, role=Role.VIEWER, name="Ann")
    made = house.services.sign_in_links.for_member(ORG, member.id)

    house.services.members.remove(ORG, member.id)

    with pytest.raises(SignInRefusedError, match="used already"):
        house.by_link(made.address)


def test_nobody_reaches_into_another_organization(house: House) -> None:
    members, links = house.services.members, house.services.sign_in_links
    member = members.add(ORG, role=Role.VIEWER, name="Ann")

    with pytest.raises(NotFoundError, match="no such member"):
        members.change_role(OTHER_ORG, member.id, Role.ADMIN)
    with pytest.raises(NotFoundError, match="no such member"):
        members.remove(OTHER_ORG, member.id)
    with pytest.raises(NotFoundError, match="no such member"):
        members.find(OTHER_ORG, member.id)
    with pytest.raises(NotFoundError, match="no such member"):
        links.for_member(OTHER_ORG, member.id)
    with pytest.raises(NotFoundError, match="no organization"):
        members.add("org_none", role=Role.VIEWER, name="Ann")

    assert list(members.of_organization(ORG)) == [member]


@pytest.mark.parametrize(
    ("email", "name", "why"),
    [
        ("", "", "an email address or a name"),
        (" ", " ", "an email address or a name"),
        ("nobody", "", "email must be an address"),
        ("", "a\nb", "name must have"),
        ("", "a" * 201, "name must have"),
    ],
)
def test_a_member_needs_an_address_or_a_name(
    house: House, email: str, name: str, why: str
) -> None:
    with pytest.raises(InvalidParametersError, match=why):
        house.services.members.add(ORG, role=Role.VIEWER, email=email, name=name)


def test_an_address_is_a_member_once(house: House) -> None:
    house.services.members.add(ORG, role=Role.VIEWER, email="ann@example.com")

    with pytest.raises(ConflictError, match="change the role"):
        house.services.members.add(ORG, role=Role.ADMIN, email="Ann@example.com")

    # Other letters than those of ASCII keep their case: they may be other people's.
    house.services.members.add(ORG, role=Role.VIEWER, email="stra\u00dfe@example.com")
    house.services.members.add(ORG, role=Role.VIEWER, email="strasse@example.com")


def test_changes_of_members_are_audited_with_the_persons_name(house: House) -> None:
    members = house.services.members
    with acting_as_person(OLGA):
        member = members.add(ORG, role=Role.VIEWER, name="Ann")
        members.change_role(ORG, member.id, Role.VIEWER)
        members.change_role(ORG, member.id, Role.EDITOR)
        members.remove(ORG, member.id)

    for action in ("member.add", "member.change", "member.remove"):
        (entry,) = house.audited(action)
        assert (entry.actor, entry.actor_name) == ("oidc:olga", "Olga")
        assert (entry.org_id, entry.subject) == (OrgId(ORG), member.id)
        assert entry.details["name"] == "Ann"
