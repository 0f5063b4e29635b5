"""
Sign-in at an OpenID provider.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc.jwk import Key

from hvcore.domain.access.roles import Role
from hvcore.domain.ids import OrgId
from hvcore.domain.sign_in.identities import Identity
from hvcore.errors import UnavailableError
from hvcore.ports.sign_in import (
    MembershipEndedError,
    RefreshInterruptedError,
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
from tests.plugins.sign_in_oidc.conftest import Make, SignInDesk
from tests.plugins.sign_in_oidc.provider import (
    DESCRIPTION,
    LoopbackProvider,
    Reply,
    new_key,
    running,
)
from tests.support.fakes import SettableClock


class TestOidcSignIn(SignInConformance):
    @pytest.fixture(autouse=True)
    def _desk(self, make: Make, loopback: LoopbackProvider) -> None:
        self.make, self.loopback = make, loopback
        loopback.people["31415"] = {
            "name": "Bénédicte Šimůnek",
            "email": "ben@example.org",
            "email_verified": False,
            "groups": ["other:viewer"],
        }

    @pytest.fixture
    def provider(self) -> SignInProvider:
        made: SignInProvider = self.make().backend
        return made

    @pytest.fixture
    def reopened(self) -> Callable[[], SignInProvider]:
        return lambda: self.make().backend

    @pytest.fixture
    def elsewhere(self, clock: SettableClock, key: Key) -> Iterator[SignInProvider]:
        with running(clock, key) as other:
            yield self.make(issuer=other.issuer).backend

    @pytest.fixture
    def outage(self) -> OutageOfSignIn:
        @contextmanager
        def away() -> Iterator[None]:
            for path in (DESCRIPTION, "/token", "/keys", "/me"):
                self.loopback.replies[path] = lambda _asked: Reply(status=503)
            yield
            self.loopback.replies.clear()

        return away

    def answer_of(self, provider: SignInProvider, visit: SignInVisit) -> SignInAnswer:
        started = provider.begin(visit.pages, visit.state)
        subject = self.subject_of(visit.person)
        brought = self.loopback.consent(started.address, subject=subject)
        return SignInAnswer(parameters=brought, private=started.private)

    def identity(self, person: KitPerson) -> Identity:
        is_first = person is KitPerson.FIRST
        claims = self.loopback.claims_of(self.subject_of(person))
        org, _, role = claims["groups"][0].partition(":")
        return Identity(
            subject=self.subject_of(person),
            name=claims["name"],
            email=claims["email"],
            is_email_proven=is_first,
            roles={OrgId(org): Role(role)},
        )

    def change_roles(self) -> Identity:
        self.loopback.person["groups"] = ["acme:viewer"]
        return self.identity(KitPerson.FIRST)

    def end_membership(self) -> None:
        self.loopback.left.add(self.loopback.subject)

    def subject_of(self, person: KitPerson) -> str:
        return self.loopback.subject if person is KitPerson.FIRST else "31415"


def test_the_person_is_who_the_provider_says(desk: SignInDesk) -> None:
    identity = desk.signed_in().identity

    assert identity.subject == "248289761001"
    assert identity.name == "Ada Lovelace"
    assert identity.email == "ada@example.com"
    assert identity.is_email_proven
    assert identity.roles == {"acme": Role.ADMIN}
    assert not identity.is_operator


def test_a_request_carries_state_nonce_and_challenge(desk: SignInDesk) -> None:
    started = desk.backend.begin(PAGES, STATE)

    sent = {k: v[0] for k, v in parse_qs(urlsplit(started.address).query).items()}
    private = json.loads(started.private)
    assert sent["state"] == STATE
    assert sent["redirect_uri"] == PAGES.callback
    assert sent["scope"] == "openid profile email offline_access"
    assert sent["nonce"] == private["nonce"]
    assert private["verifier"] not in started.address


def test_scopes_and_further_parameters_are_the_deployers(make: Make) -> None:
    desk = make(scopes="openid groups", parameters=("access_type=offline", "hd=a=b"))

    sent = parse_qs(urlsplit(desk.backend.begin(PAGES, STATE).address).query)

    assert sent["scope"] == ["openid groups"]
    assert sent["access_type"] == ["offline"]
    assert sent["hd"] == ["a=b"]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_the_secret_is_sent_as_the_deployer_says(make: Make, method: str) -> None:
    desk = make(client_authentication=method)

    desk.signed_in()

    (asked,) = (a for a in desk.provider.asked if a.path == "/token")
    assert bool(asked.authorization) == (method == "client_secret_basic")
    assert ("client_secret" in asked.form) == (method == "client_secret_post")


def test_a_secret_that_is_wrong_is_told_to_who_runs_the_service(make: Make) -> None:
    desk = make(client_secret="another")

    with pytest.raises(UnavailableError, match="hv doctor"):
        desk.signed_in()


def test_a_secret_that_changed_ends_no_session(make: Make) -> None:
    state = make().signed_in().refresh_state

    with pytest.raises(UnavailableError, match="does not know this service"):
        make(client_secret="another").backend.refresh(state)


def test_a_refresh_token_that_rotates_is_kept(desk: SignInDesk) -> None:
    first = desk.signed_in()
    second = desk.backend.refresh(first.refresh_state)

    with pytest.raises(MembershipEndedError, match="invalid_grant"):
        desk.backend.refresh(first.refresh_state)
    assert desk.backend.refresh(second.refresh_state).identity == first.identity


def test_one_that_does_not_is_kept_too(desk: SignInDesk) -> None:
    desk.provider.rotates = False

    outcome = desk.signed_in()
    for _ in range(3):
        outcome = desk.backend.refresh(outcome.refresh_state)

    assert outcome.identity.roles == {"acme": Role.ADMIN}


def test_without_a_refresh_token_nobody_can_be_asked(desk: SignInDesk) -> None:
    desk.provider.change_tokens = lambda tokens: tokens.pop("refresh_token")
    state = desk.signed_in().refresh_state

    with pytest.raises(MembershipEndedError, match="no refresh token"):
        desk.backend.refresh(state)


def test_roles_are_those_of_the_latest_answer(desk: SignInDesk) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.person["groups"] = ["acme:viewer"]

    roles = desk.backend.refresh(state).identity.roles

    assert roles == {"acme": Role.VIEWER}


def test_userinfo_adds_what_the_token_lacks(desk: SignInDesk) -> None:
    desk.provider.person = {}
    desk.provider.userinfo = {"name": "Ada", "groups": ["acme:editor"]}

    identity = desk.signed_in().identity

    assert identity.name == "Ada"
    assert identity.roles == {"acme": Role.EDITOR}


def test_userinfo_need_not_be_asked(make: Make) -> None:
    desk = make(userinfo=False)

    desk.signed_in()

    assert "/me" not in desk.provider.paths()


def test_without_a_new_id_token_userinfo_alone_tells(desk: SignInDesk) -> None:
    desk.provider.gives_id_token_again = False
    state = desk.signed_in().refresh_state

    assert not desk.backend.refresh(state).identity.roles
    desk.provider.userinfo = {"groups": ["acme:admin"]}
    state = desk.signed_in().refresh_state
    assert desk.backend.refresh(state).identity.roles == {"acme": Role.ADMIN}


def test_what_rotated_is_not_lost_while_the_provider_is_half_down(
    desk: SignInDesk,
) -> None:
    """
    The refresh token was used up, and the person is not to be signed out for that.
    """
    state = desk.signed_in().refresh_state
    desk.provider.replies["/me"] = lambda _asked: Reply(status=503)

    with pytest.raises(RefreshInterruptedError) as interrupted:
        desk.backend.refresh(state)
    desk.provider.replies.clear()

    renewed = interrupted.value.refresh_state
    assert desk.backend.refresh(renewed).identity.roles == {"acme": Role.ADMIN}
    with pytest.raises(MembershipEndedError, match="invalid_grant"):
        desk.backend.refresh(state)


def test_new_keys_of_the_provider_are_found(desk: SignInDesk, other_key: Key) -> None:
    state = desk.signed_in().refresh_state
    desk.provider.keys.insert(0, other_key)

    assert desk.backend.refresh(state).identity.roles
    assert desk.provider.paths().count("/keys") == 2


def test_keys_that_change_twice_in_a_row_are_found(desk: SignInDesk) -> None:
    state = desk.signed_in().refresh_state
    for name in ("second", "third"):
        desk.provider.keys.insert(0, new_key(name))
        state = desk.backend.refresh(state).refresh_state

    assert desk.provider.paths().count("/keys") == 3


def test_unknown_keys_make_nobody_fetch_them_again_and_again(
    desk: SignInDesk, other_key: Key
) -> None:
    desk.signed_in()
    unknown = other_key.as_dict(private=True, kid="unknown")
    shown, desk.provider.keys = (
        desk.provider.keys,
        [type(other_key).import_key(unknown)],
    )
    public = Reply.json({"keys": [key.as_dict(private=False) for key in shown]})
    desk.provider.replies["/keys"] = lambda _asked: public

    with pytest.raises(SignInRefusedError, match="cannot be trusted"):
        desk.signed_in()
    for _ in range(3):
        with pytest.raises(UnavailableError, match="keys change"):
            desk.signed_in()

    assert desk.provider.paths().count("/keys") == 2


def test_people_sign_out_at_the_provider(desk: SignInDesk) -> None:
    state = desk.signed_in().refresh_state

    address = desk.backend.sign_out_address(state, PAGES)

    parts = urlsplit(address or "")
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == (
        f"{desk.provider.issuer}/end"
    )
    sent = {k: v[0] for k, v in parse_qs(parts.query).items()}
    assert sent["post_logout_redirect_uri"] == PAGES.signed_out
    assert sent["client_id"] == "hv dashboard"
    assert sent["id_token_hint"] == json.loads(state)["id_token"]


def test_nobody_signs_out_where_there_is_no_address(desk: SignInDesk) -> None:
    desk.provider.changed_metadata = {"end_session_endpoint": None}
    state = desk.signed_in().refresh_state

    assert desk.backend.sign_out_address(state, PAGES) is None


def test_a_long_id_token_makes_no_long_address(desk: SignInDesk) -> None:
    desk.provider.person["much"] = "x" * 5000
    state = desk.signed_in().refresh_state

    assert len(desk.backend.sign_out_address(state, PAGES) or "") < 1000


def test_sessions_of_another_issuer_end(make: Make, loopback: LoopbackProvider) -> None:
    state = make().signed_in().refresh_state
    other = make(issuer="https://id.example.com")

    with pytest.raises(MembershipEndedError, match="another provider"):
        other.backend.refresh(state)


def test_an_operators_check_asks_for_everything(desk: SignInDesk) -> None:
    desk.backend.ping()

    assert desk.provider.paths() == [DESCRIPTION, "/keys"]
    desk.provider.replies["/keys"] = lambda _asked: Reply.json({"keys": []})
    with pytest.raises(UnavailableError, match="without keys"):
        desk.backend.ping()
