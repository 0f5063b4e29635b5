"""
A provider in memory to whose pages people go: right, and wrong in one way each.
"""

import json
import logging
import threading
import time
from collections.abc import Mapping
from typing import ClassVar, Final
from urllib.parse import urlencode

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.sessions import new_secret_value
from hvcore.errors import UnavailableError
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
BEN = Identity(
    subject="ben",
    name="Bénédicte Šimůnek",
    email="ben@example.org",
    roles={OrgId("org_b"): Role.VIEWER},
)
GATE: Final = "https://id.example.com/authorize"
_log = logging.getLogger(__name__)


@attrs.define
class KnownPeople:
    """
    What the provider itself knows: its codes, its states, who belongs.
    """

    gate: str = GATE
    people: dict[str, Identity] = attrs.field(factory=lambda: {"ada": ADA, "ben": BEN})
    codes: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    states: dict[str, str] = attrs.field(factory=dict)
    is_down: bool = False


class MemorySignIn(SignInProvider):
    """
    Keeps every promise; its people always say yes.
    """

    def __init__(self, known: KnownPeople) -> None:
        self.known = known

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        query = urlencode({"state": state, "back": pages.callback})
        return SignInStart(
            address=f"{self.known.gate}?{query}", private=new_secret_value()
        )

    def consent(self, private: str, subject: str = "ada") -> str:
        """
        Return the code that a person brings back.
        """
        code = new_secret_value()
        self.known.codes[code] = (private, subject)
        return code

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        del pages
        self.ask()
        begun, subject = self.begun(parameters.get("code", ""))
        if begun != private or not self.belongs(subject):
            raise SignInRefusedError
        self.known.codes.pop(parameters["code"], None)
        return self.outcome(subject)

    def belongs(self, subject: str) -> bool:
        """
        Return whether a person is known.
        """
        return subject in self.known.people

    def begun(self, code: str) -> tuple[str, str]:
        """
        Return the private part and the person of a code.
        """
        return self.known.codes.get(code, ("none", ""))

    def refresh(self, refresh_state: str) -> SignInOutcome:
        self.ask()
        subject = self.known.states.get(refresh_state)
        if subject is None or subject not in self.known.people:
            raise MembershipEndedError
        del self.known.states[refresh_state]
        return self.outcome(subject)

    def ask(self) -> None:
        """
        Fail in an outage.
        """
        if self.known.is_down:
            raise UnavailableError("The provider does not answer.")

    def outcome(self, subject: str) -> SignInOutcome:
        """
        Return a person, with a state that was never used.
        """
        state = new_secret_value()
        self.known.states[state] = subject
        identity = self.identity(self.known.people[subject])
        return SignInOutcome(identity=identity, refresh_state=state)

    def identity(self, person: Identity) -> Identity:
        """
        Return the identity of a person.
        """
        return person


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
    def identity(self, person: Identity) -> Identity:
        return attrs.evolve(person, subject=new_secret_value())


class KnowsNobody(MemorySignIn):
    def identity(self, person: Identity) -> Identity:
        return attrs.evolve(person, subject="")


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
        return self.outcome("ada")


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
        begun, _ = self.known.codes.get(parameters.get("code", ""), (private, ""))
        return super().complete(parameters, pages, begun)


class RemembersByItself(MemorySignIn):
    def __init__(self, known: KnownPeople) -> None:
        super().__init__(attrs.evolve(known, codes={}, states={}))


class RefreshesOnce(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        outcome = super().refresh(refresh_state)
        return attrs.evolve(outcome, refresh_state=refresh_state)


class NeverAsks(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        if self.known.states.get(refresh_state) == "ada":
            self.known.people["ada"] = ADA
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


class QuotesNothing(MemorySignIn):
    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        started = super().begin(pages, "")
        address = started.address.replace("state=", f"state={state}")
        return attrs.evolve(started, address=address)


class KeepsTheFirstHost(MemorySignIn):
    pages: SignInPages | None = None

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        self.pages = self.pages or pages
        return super().begin(self.pages, state)


class IsForOneHost(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        if ":8443" in pages.callback:
            raise SignInRefusedError
        return super().complete(parameters, pages, private)


class SharesAGate(MemorySignIn):
    gate: ClassVar[str] = ""

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        started = super().begin(pages, state)
        address = started.address.replace(self.known.gate, GATE)
        return attrs.evolve(started, address=address)


class ForgetsRoles(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        outcome = super().refresh(refresh_state)
        return attrs.evolve(outcome, identity=attrs.evolve(outcome.identity, roles={}))


class ProvesEveryAddress(MemorySignIn):
    def identity(self, person: Identity) -> Identity:
        return attrs.evolve(person, is_email_proven=True)


class FoldsNames(MemorySignIn):
    def identity(self, person: Identity) -> Identity:
        return attrs.evolve(person, name=person.name.lower())


class RemembersTheFirst(MemorySignIn):
    first: Identity | None = None

    def identity(self, person: Identity) -> Identity:
        self.first = self.first or person
        return self.first


class SharesARequest(MemorySignIn):
    def outcome(self, subject: str) -> SignInOutcome:
        self.subject = subject
        time.sleep(0)
        return super().outcome(self.subject)


class KeepsRoles(MemorySignIn):
    def __init__(self, known: KnownPeople) -> None:
        super().__init__(known)
        self.seen: dict[str, Identity] = {}

    def identity(self, person: Identity) -> Identity:
        return self.seen.setdefault(person.subject, person)


class TakesWhoHasLeft(MemorySignIn):
    def belongs(self, subject: str) -> bool:
        return True

    def outcome(self, subject: str) -> SignInOutcome:
        identity = self.known.people.get(subject, ADA)
        self.known.people[subject] = identity
        return super().outcome(subject)


class TellsOneText(MemorySignIn):
    def ambiguous_settings(self) -> str:
        return "Two rules fit."


class EndsAllTogether(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        if "ada" not in self.known.people:
            raise MembershipEndedError
        return super().refresh(refresh_state)


class ClosesForAll(MemorySignIn):
    def close(self) -> None:
        self.known.states.clear()
        self.known.codes.clear()


class EndsInAnOutage(MemorySignIn):
    def ask(self) -> None:
        if self.known.is_down:
            raise MembershipEndedError


class LeaksErrors(MemorySignIn):
    def ask(self) -> None:
        if self.known.is_down:
            raise ConnectionRefusedError


class HangsInAnOutage(MemorySignIn):
    def ask(self) -> None:
        if self.known.is_down:
            threading.Event().wait(3)


class SwallowsInterrupts(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        try:
            return super().complete(parameters, pages, private)
        except (KeyboardInterrupt, OSError):
            raise SignInRefusedError from None


class EndsWithEveryError(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        try:
            return super().refresh(refresh_state)
        except BaseException:  # noqa: BLE001 - as a wrong one does
            raise MembershipEndedError from None


class NeedsEveryParameter(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        assert parameters["state"]
        return super().complete(parameters, pages, private)


class ReadsTheBeginning(MemorySignIn):
    def begun(self, code: str) -> tuple[str, str]:
        for known, begun in self.known.codes.items():
            if code and known[:8] == code[:8]:
                return begun
        return super().begun(code)


class SharesPeople(MemorySignIn):
    """
    All providers of the process have the codes and states of all.
    """

    codes: ClassVar[dict[str, tuple[str, str]]] = {}
    states: ClassVar[dict[str, str]] = {}

    def __init__(self, known: KnownPeople) -> None:
        known.codes, known.states, known.people = (
            self.codes,
            self.states,
            known.people or {"ada": ADA, "ben": BEN},
        )
        super().__init__(known)


class ReadsStatesByTheirBeginning(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        for state in list(self.known.states):
            if refresh_state and refresh_state[:16] == state[:16]:
                return super().refresh(state)
        return super().refresh(refresh_state)


class TellsTheCode(MemorySignIn):
    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        try:
            return super().complete(parameters, pages, private)
        except SignInRefusedError as exc:
            raise SignInRefusedError(f"none of {list(self.known.codes)}") from exc


class LogsStates(MemorySignIn):
    def refresh(self, refresh_state: str) -> SignInOutcome:
        _log.info("asked with %s", refresh_state)
        return super().refresh(refresh_state)
