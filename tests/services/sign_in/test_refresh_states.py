"""
What a provider gave is kept, whatever happens to the rest of its answer.
"""

import pytest

from hvcore.domain.access.roles import Role
from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import RefreshInterruptedError, SignInOutcome
from tests.services.sign_in.conftest import ADA, ORG, House, ScriptedSignIn

FIVE_MINUTES_S = 300


def test_an_interrupted_refreshs_state_is_used_for_the_next_one(house: House) -> None:
    """
    A refresh token that rotates is used up, although nobody knows yet who belongs.
    """
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    house.provider.failure = RefreshInterruptedError("half", refresh_state="rotated")
    with pytest.raises(UnavailableError, match="half"):
        house.person(session)
    house.provider.failure = None

    assert house.person(session) == session.person
    assert house.provider.asked == ["state 0", "rotated"]


def test_a_provider_that_says_nothing_changes_no_state(house: House) -> None:
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    house.provider.failure = UnavailableError()
    for _ in range(2):
        with pytest.raises(UnavailableError, match="temporarily"):
            house.person(session)

    assert house.provider.asked == ["state 0", "state 0"]


def test_a_role_that_changes_meanwhile_loses_no_state(house: House) -> None:
    """
    The answer is not believed then, but the refresh token of it is needed.
    """
    member = house.services.members.add(ORG, role=Role.VIEWER, email=ADA.email)
    session = house.signed_in()
    house.clock.move(seconds=FIVE_MINUTES_S)
    house.providers["scripted"] = ChangesRole(house, member.id)

    person = house.person(session)

    assert house.provider.asked == ["state 0", "state 1"]
    assert person
    assert person.roles == {ORG: Role.ADMIN}


class ChangesRole(ScriptedSignIn):
    """
    Sees how an admin changes the person's role while it is asked.
    """

    def __init__(self, house: House, member_id: str) -> None:
        super().__init__()
        self.house, self.member_id = house, member_id

    def refresh(self, refresh_state: str) -> SignInOutcome:
        outcome = self.house.provider.refresh(refresh_state)
        self.house.services.members.change_role(ORG, self.member_id, Role.ADMIN)
        return outcome
