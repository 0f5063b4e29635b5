"""
Sign-in by one-time links.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import pytest

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId, new_member_id
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.links import SignInLink
from hvcore.domain.sign_in.members import OrganizationMember
from hvcore.domain.sign_in.sessions import hash_secret_value, new_secret_value
from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import (
    MembershipEndedError,
    SignInProvider,
    SignInRefusedError,
)
from hvcore.testing.sign_in import (
    PAGES,
    STATE,
    KitPerson,
    OutageOfSignIn,
    SignInAnswer,
    SignInConformance,
    SignInVisit,
)
from hvcore_sign_in_link.backend import LinkSignIn
from tests.conftest import SettableClock

ORG = OrgId("org_a")


@attrs.define
class LinkShelf:
    """
    Links and members in memory.
    """

    links: dict[str, SignInLink] = attrs.field(factory=dict)
    members: dict[tuple[str, str], OrganizationMember] = attrs.field(factory=dict)
    is_down: bool = False

    def redeem(self, code: str) -> SignInLink | None:
        """
        Use a link up.
        """
        if self.is_down:
            raise UnavailableError("The database does not answer.")
        try:
            return self.links.pop(hash_secret_value(code), None)
        except UnicodeEncodeError:
            return None

    def member(self, org_id: str, member_id: str) -> OrganizationMember | None:
        """
        Look a member up.
        """
        if self.is_down:
            raise UnavailableError("The database does not answer.")
        return self.members.get((org_id, member_id))

    def put(self, clock: SettableClock, member: OrganizationMember | None) -> str:
        """
        Make a link, and return its code.
        """
        code = new_secret_value()
        link = SignInLink(
            sha256=hash_secret_value(code),
            org_id=member.org_id if member else None,
            member_id=member.id if member else None,
            name="Olga",
            email="Olga@example.com",
            expires_at=clock.now(),
        )
        self.links[link.sha256] = link
        return code


@pytest.fixture
def shelf() -> LinkShelf:
    return LinkShelf()


@pytest.fixture
def ann(shelf: LinkShelf, clock: SettableClock) -> OrganizationMember:
    member = OrganizationMember(
        id=new_member_id(),
        org_id=ORG,
        email="ann@example.com",
        name="Ann",
        role=Role.EDITOR,
        created_at=clock.now(),
    )
    shelf.members[ORG, member.id] = member
    return member


class TestLinkSignIn(SignInConformance):
    comes_back = False

    @pytest.fixture(autouse=True)
    def _people(
        self, shelf: LinkShelf, ann: OrganizationMember, clock: SettableClock
    ) -> None:
        ben = attrs.evolve(
            ann,
            id=new_member_id(),
            org_id=OrgId("org_b"),
            email="ben@example.com",
            name="Bénédicte Šimůnek",
            role=Role.VIEWER,
        )
        shelf.members[ben.org_id, ben.id] = ben
        self.shelf, self.clock = shelf, clock
        self.people = {KitPerson.FIRST: ann, KitPerson.SECOND: ben}

    @pytest.fixture
    def provider(self, shelf: LinkShelf) -> SignInProvider:
        return LinkSignIn(book=shelf)

    @pytest.fixture
    def reopened(self, shelf: LinkShelf) -> Callable[[], SignInProvider]:
        return lambda: LinkSignIn(book=shelf)

    @pytest.fixture
    def elsewhere(self) -> SignInProvider:
        return LinkSignIn(book=LinkShelf())

    @pytest.fixture
    def outage(self, shelf: LinkShelf) -> OutageOfSignIn:
        @contextmanager
        def away() -> Iterator[None]:
            shelf.is_down = True
            yield
            shelf.is_down = False

        return away

    def answer_of(self, provider: SignInProvider, visit: SignInVisit) -> SignInAnswer:
        provider.begin(visit.pages, visit.state)
        code = self.shelf.put(self.clock, self.people[visit.person])
        return SignInAnswer(parameters={"code": code})

    def identity(self, person: KitPerson) -> Identity:
        member = self.people[person]
        return Identity(
            subject=member.id,
            name=member.name,
            email=member.email,
            roles={member.org_id: member.role},
        )

    def change_roles(self) -> Identity:
        changed = attrs.evolve(self.people[KitPerson.FIRST], role=Role.ADMIN)
        self.people[KitPerson.FIRST] = changed
        self.shelf.members[changed.org_id, changed.id] = changed
        return self.identity(KitPerson.FIRST)

    def end_membership(self) -> None:
        ann = self.people[KitPerson.FIRST]
        del self.shelf.members[ann.org_id, ann.id]


def test_a_member_has_the_role_of_the_list_and_of_no_other(
    shelf: LinkShelf, ann: OrganizationMember, clock: SettableClock
) -> None:
    provider = LinkSignIn(book=shelf)

    signed_in = provider.complete({"code": shelf.put(clock, ann)}, PAGES, "")
    shelf.members[ORG, ann.id] = attrs.evolve(ann, role=Role.VIEWER)
    refreshed = provider.refresh(signed_in.refresh_state)

    assert signed_in.identity.roles == {ORG: Role.EDITOR}
    assert refreshed.identity.roles == {ORG: Role.VIEWER}
    assert not signed_in.identity.is_operator
    assert signed_in.identity.name == "Ann"


def test_the_address_of_a_member_is_not_proven(
    shelf: LinkShelf, ann: OrganizationMember, clock: SettableClock
) -> None:
    """
    An admin who writes down somebody's address must not become that person.
    """
    code = shelf.put(clock, ann)

    identity = LinkSignIn(book=shelf).complete({"code": code}, PAGES, "").identity

    assert identity.email == "ann@example.com"
    assert not identity.is_email_proven


def test_a_link_of_an_organization_makes_nobody_an_operator(
    shelf: LinkShelf, ann: OrganizationMember, clock: SettableClock
) -> None:
    """
    The link of a mail that found no member names the organization alone.
    """
    code = shelf.put(clock, ann)
    (link,) = shelf.links.values()
    shelf.links[link.sha256] = attrs.evolve(link, member_id=None)

    with pytest.raises(SignInRefusedError, match="used already"):
        LinkSignIn(book=shelf).complete({"code": code}, PAGES, "")


def test_an_operator_stays_one(shelf: LinkShelf, clock: SettableClock) -> None:
    provider = LinkSignIn(book=shelf)

    signed_in = provider.complete({"code": shelf.put(clock, None)}, PAGES, "")

    assert signed_in.identity.is_operator
    assert signed_in.identity.subject == "operator:olga@example.com"
    assert provider.refresh(signed_in.refresh_state) == signed_in


def test_a_code_may_be_pasted_with_blanks(
    shelf: LinkShelf, clock: SettableClock
) -> None:
    code = f" {shelf.put(clock, None)}\n"

    signed_in = LinkSignIn(book=shelf).complete({"code": code}, PAGES, "")

    assert signed_in.identity.is_operator


def test_a_member_who_was_removed_has_no_link(
    shelf: LinkShelf, ann: OrganizationMember, clock: SettableClock
) -> None:
    code = shelf.put(clock, ann)
    shelf.members.clear()

    with pytest.raises(SignInRefusedError, match="Ask for a new one"):
        LinkSignIn(book=shelf).complete({"code": code}, PAGES, "")


def test_people_go_to_the_page_of_links(shelf: LinkShelf) -> None:
    assert LinkSignIn(book=shelf).begin(PAGES, STATE).address == PAGES.link


def test_the_state_of_another_backend_is_none(shelf: LinkShelf) -> None:
    with pytest.raises(MembershipEndedError, match="was removed"):
        LinkSignIn(book=shelf).refresh('{"refresh_token": "x"}')
