"""
A provider in memory to whose pages people go: right, and wrong in one way each.
"""

import json
from collections.abc import Mapping

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.sessions import new_secret_value
from hvcore.ports.sign_in import (
    MembershipEndedError,
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
)

ADA = Identity(
    subject="ada",
    name="Ada",
    email="ada@example.com",
    is_email_proven=True,
    roles={OrgId("org_a"): Role.EDITOR},
)


@attrs.define
class KnownPeople:
    """
    What the provider itself knows: its codes, its states, who belongs.
    """

    codes: dict[str, str] = attrs.field(factory=dict)
    states: set[str] = attrs.field(factory=set)
    belongs: bool = True


class MemorySignIn(SignInProvider):
    """
    Keeps every promise; its people always say yes.
    """

    def __init__(self, known: KnownPeople) -> None:
        self.known = known

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        del pages
        address = f"https://id.example.com/authorize?state={state}"
        return SignInStart(address=address, private=new_secret_value())

    def consent(self, private: str) -> str:
        """
        Return the code that a person brings back.
        """
        code = new_secret_value()
        self.known.codes[code] = private
        return code

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        del pages
        code = parameters.get("code", "")
        if self.known.codes.get(code) != private:
            raise SignInRefusedError
        del self.known.codes[code]
        return self.outcome()

    def refresh(self, refresh_state: str) -> SignInOutcome:
        if refresh_state not in self.known.states or not self.known.belongs:
            raise MembershipEndedError
        self.known.states.discard(refresh_state)
        return self.outcome()

    def outcome(self) -> SignInOutcome:
        """
        Return the person, with a state that was never used.
        """
        state = new_secret_value()
        self.known.states.add(state)
        return SignInOutcome(identity=ADA, refresh_state=state)


class LosesTheState(MemorySignIn):
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        started = super().begin(pages, "another")
        return attrs.evolve(started, address=started.address + f"&hint={state}")


class ShowsWhatIsPrivate(MemorySignIn):
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        started = super().begin(pages, state)
        address = f"{started.address}&verifier={started.private}"
        return attrs.evolve(started, address=address)


class HasOneSecret(MemorySignIn):
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        return attrs.evolve(super().begin(pages, state), private="secret")


class NamesEachSignIn(MemorySignIn):
    def outcome(self) -> SignInOutcome:
        identity = attrs.evolve(ADA, subject=new_secret_value())
        return attrs.evolve(super().outcome(), identity=identity)


class KnowsNobody(MemorySignIn):
    def outcome(self) -> SignInOutcome:
        identity = attrs.evolve(ADA, subject="")
        return attrs.evolve(super().outcome(), identity=identity)


class TakesLinksTwice(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        kept = dict(self.known.codes)
        outcome = super().complete(parameters, pages, private)
        self.known.codes = kept
        return outcome


class TakesEveryAnswer(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        del parameters, pages, private
        return self.outcome()


class RepeatsTheCode(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        try:
            return super().complete(parameters, pages, private)
        except SignInRefusedError as exc:
            raise SignInRefusedError(
                f"refused: {json.dumps(dict(parameters))}"
            ) from exc


class NeedsNoBeginning(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        begun = self.known.codes.get(parameters.get("code", ""), private)
        return super().complete(parameters, pages, begun)


class RemembersByItself(MemorySignIn):
    def __init__(self, known: KnownPeople) -> None:
        super().__init__(attrs.evolve(known, codes={}, states=set()))


class RefreshesOnce(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        outcome = super().refresh(refresh_state)
        return attrs.evolve(outcome, refresh_state=refresh_state)


class NeverAsks(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        self.known.belongs = True
        return super().refresh(refresh_state)


class BreaksOnForgedStates(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        if refresh_state not in self.known.states:
            raise KeyError(refresh_state)
        return super().refresh(refresh_state)


class SignsOutAtAPath(MemorySignIn):
    def sign_out_address(self, refresh_state: str, pages: SignInPages) -> str | None:
        del pages
        return f"/sign-out/{len(refresh_state)}"
