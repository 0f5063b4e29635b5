"""
A service with a sign-in backend that tests script, and the backend of links.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest

from hvcore.assembly import Services, build
from hvcore.domain.access.audit import AuditEntry
from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import EnvironmentKind
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore.persistence.sign_in.sign_in_book import SqlSignInBook
from hvcore.ports.sign_in import (
    SignInOutcome,
    SignInPages,
    SignInProvider,
    SignInRefusedError,
    SignInStart,
)
from hvcore.services.sign_in.sessions import StartedSession
from hvcore.settings import load
from hvcore_sign_in_link.backend import LinkSignIn
from tests.support.databases.migrated import lay_database
from tests.support.fakes import MemoryQueue, SettableClock, TextTranscoder

ORG = OrgId("org_a")
OTHER_ORG = OrgId("org_b")
ADDRESS = "192.0.2.7"
ADA = Identity(
    subject="ada",
    name="Ada",
    email="ada@example.com",
    is_email_proven=True,
    roles={ORG: Role.EDITOR},
)


class ScriptedSignIn(SignInProvider):
    """
    Says what the test wants, and remembers what it was asked.
    """

    def __init__(self) -> None:
        self.identity = ADA
        self.failure: BaseException | None = None
        self.completed: list[tuple[Mapping[str, str], str]] = []
        self.asked: list[str] = []

    def begin(self, pages: SignInPages, state: str) -> SignInStart:
        address = f"https://id.example.com/?state={state}&back={pages.callback}"
        return SignInStart(address=address, private="nonce")

    def complete(
        self, parameters: Mapping[str, str], pages: SignInPages, private: str
    ) -> SignInOutcome:
        self.completed.append((parameters, private))
        if parameters.get("code") != "good":
            raise SignInRefusedError
        return SignInOutcome(identity=self.identity, refresh_state="state 0")

    def refresh(self, refresh_state: str) -> SignInOutcome:
        self.asked.append(refresh_state)
        if self.failure is not None:
            raise self.failure
        state = f"state {len(self.asked)}"
        return SignInOutcome(identity=self.identity, refresh_state=state)

    def sign_out_address(self, refresh_state: str, pages: SignInPages) -> str | None:
        return f"https://id.example.com/end?{refresh_state}&to={pages.signed_out}"


@attrs.frozen(kw_only=True)
class House:
    """
    A service with the organizations ``org_a`` and ``org_b``.
    """

    services: Services
    clock: SettableClock
    provider: ScriptedSignIn
    providers: dict[str, SignInProvider]

    def signed_in(self) -> StartedSession:
        """
        Sign in as whom the provider names, from the first page to the last.
        """
        sign_ins = self.services.sign_ins
        begun = sign_ins.begin(return_to="/dashboard/", client_address=ADDRESS)
        return sign_ins.complete(
            {"code": "good", "state": begun.cookie},
            cookie=begun.cookie,
            client_address=ADDRESS,
        ).session

    def person(self, session: StartedSession) -> SignedInPerson | None:
        """
        Return who has this session now.
        """
        return self.services.sign_in_sessions.person_of(session.value)

    def by_link(self, address: str) -> StartedSession:
        """
        Open the address of a one-time link, and press the button.
        """
        code = address.partition("#")[2]
        return self.services.sign_ins.complete_link(code, client_address=ADDRESS)

    def audited(self, action: str) -> list[AuditEntry]:
        """
        Return what the audit log has of an action, the latest first.
        """
        found = self.services.audit.latest(None, limit=1000)
        return [entry for entry in found if entry.action == action]


@contextmanager
def make_house(folder: Path, environ: Mapping[str, str]) -> Iterator[House]:
    """
    Make a service in a folder, with settings of its own.
    """
    environ = {"HV_SIGN_IN__BACKEND": "scripted", **environ}
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    clock, provider = SettableClock(), ScriptedSignIn()
    providers: dict[str, SignInProvider] = {"scripted": provider}
    overrides = {
        "clock": clock,
        "queue": MemoryQueue(),
        "transcoder": TextTranscoder(),
        "sign_in_providers": providers,
    }
    lay_database(settings)
    with build(settings, overrides=overrides) as services:
        services.migrate()
        if not services.tenants.organizations():
            for org_id in (ORG, OTHER_ORG):
                services.tenants.create_organization(org_id)
            services.tenants.create_environment(ORG, "live", EnvironmentKind.PRODUCTION)
        book = SqlSignInBook(engine=services.engine, clock=clock)
        providers["link"] = LinkSignIn(book=book)
        yield House(
            services=services, clock=clock, provider=provider, providers=providers
        )


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with make_house(tmp_path, {}) as made:
        yield made


@pytest.fixture
def link_house(tmp_path: Path) -> Iterator[House]:
    """
    A service whose people sign in by links.
    """
    with make_house(tmp_path, {"HV_SIGN_IN__BACKEND": "link"}) as made:
        yield made
