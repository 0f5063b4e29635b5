"""
The kit of authentication providers lets a right one pass, and catches a wrong one.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

import pytest

from hvcore.plugin_api import AuthProvider, EnvId, OrgId
from hvcore.testing.auth import AuthConformance, IssuedCredentials, ReopenedProvider
from tests.testing import auth_memory as wrong
from tests.testing.auth_memory import HEADER, KnownTokens, MemoryTokens
from tests.testing.running import is_caught, never_broken

WRONG: Final[Mapping[str, Sequence[type[MemoryTokens]]]] = {
    "test_a_caller_is_recognised": (
        *(wrong.NamesEachRequest, wrong.PermitsNothing, wrong.PermitsByNames),
        wrong.ReturnsNames,
    ),
    "test_a_caller_has_an_id": (
        *(wrong.HasOneKeyId, wrong.NamesOrganizations, wrong.NamesTokens),
        *(wrong.NamesWithSpaces, wrong.IsSystem),
    ),
    "test_callers_are_told_what_to_send": (
        *(wrong.NamesNoHeader, wrong.NamesAnotherHeader),
    ),
    "test_a_request_without_credentials_is_left_to_other_providers": (
        *(wrong.RefusesOthers, wrong.WantsHeaders),
    ),
    "test_malformed_credentials_are_refused": (
        *(wrong.BreaksOnOddTexts, wrong.ParsesJson, wrong.TakesTheFirst),
        *(wrong.TakesBeginnings, wrong.TakesLongerOnes, wrong.FoldsCase),
    ),
    "test_a_guessed_secret_is_refused": (wrong.ReadsTheBeginning, wrong.ReadsTheEnd),
    "test_tenants_are_told_apart": (
        *(wrong.RemembersTheLast, wrong.BelievesHeaders, wrong.KnowsNoEnvironments),
    ),
    "test_headers_stay_as_they_are": (wrong.TakesHeadersApart,),
    "test_a_revoked_credential_is_refused": (wrong.KeepsWhatItFound,),
    "test_an_expired_credential_is_refused": (
        wrong.ChecksNoEnd,
        wrong.KeepsWhatItFound,
    ),
    "test_a_provider_that_cannot_look_up_says_so": (
        *(wrong.LeaksErrors, wrong.RefusesWhenDown, wrong.AcceptsWhenDown),
        *(wrong.HangsWhenDown, wrong.AsksForNothing),
    ),
    "test_no_secret_is_told": (
        *(wrong.NamesWhatItRefuses, wrong.CausesTellTheToken, wrong.LogsTokens),
        wrong.ShowsTokens,
    ),
    "test_callers_at_once_are_not_mixed_up": (wrong.SharesARequest,),
    "test_closing_is_for_one_process": (wrong.ClosesForAll,),
    "test_no_other_header_makes_a_caller_another": (
        *(wrong.BelievesAHeaderOfItsOwn, wrong.BelievesHeaders),
    ),
    "test_many_callers_are_told_apart_and_a_guess_is_nobody": (
        *(wrong.ComparesTwelveBits, wrong.HasOneKeyId),
    ),
    "test_a_caller_keeps_its_permissions_whoever_comes_in_between": (
        *(wrong.PermitsWhatOthersMay, wrong.RemembersTheLast),
    ),
    "test_a_credential_that_is_issued_later_is_known_at_once": (
        wrong.ReadsAtTheFirstCall,
    ),
    "test_an_operator_s_check_is_told_sentences": (wrong.TellsOneText,),
    "test_an_error_in_the_middle_of_a_call_is_passed_on": (
        *(wrong.RefusesAfterErrors, wrong.IsNobodyAfterInterrupts),
    ),
}
"""Providers that each check catches."""


class Kit(AuthConformance):
    """
    The kit, for tokens in memory.
    """

    __test__ = False
    gives_up_within_s = 0.2

    @pytest.fixture(autouse=True)
    def _tokens(self) -> None:
        self.known = KnownTokens()

    @pytest.fixture
    def provider(self, reopened: ReopenedProvider) -> AuthProvider:
        return reopened()

    @pytest.fixture
    def reopened(self) -> ReopenedProvider:
        return lambda: MemoryTokens(self.known)

    @pytest.fixture
    def unreachable(self) -> AuthProvider:
        self.known.is_down = True
        return MemoryTokens(self.known)

    def issue(self, org_id: OrgId, env_id: EnvId) -> IssuedCredentials:
        token = secrets.token_hex(16)
        name = f"token-{len(self.known.owners)}"
        self.known.owners[token] = (org_id, env_id, name)
        return IssuedCredentials(headers={HEADER: f"Bearer {token}"}, secret=token)

    def revoke(self, issued: IssuedCredentials) -> None:
        del self.known.owners[issued.secret]

    def expire(self, issued: IssuedCredentials) -> None:
        self.known.expired.add(issued.secret)


class TestMemoryTokens(Kit):
    __test__ = True


@pytest.mark.parametrize(
    ("check", "kind"),
    [(check, kind) for check, kinds in WRONG.items() for kind in kinds],
)
def test_a_wrong_provider_is_caught(
    check: str, kind: type[MemoryTokens], caplog: pytest.LogCaptureFixture
) -> None:
    kit = Kit()
    kit.known = KnownTokens()

    with unreachable(kind) as (down, known):
        if check == "test_a_provider_that_cannot_look_up_says_so":
            kit.known = known
        assert is_caught(
            kit,
            check,
            {
                "provider": kind(kit.known),
                "reopened": lambda: kind(kit.known),
                "unreachable": down,
                "caplog": caplog,
            },
        )


@contextmanager
def unreachable(kind: type[MemoryTokens]) -> Iterator[tuple[MemoryTokens, KnownTokens]]:
    known = KnownTokens(is_down=True)
    yield kind(known), known


def test_every_promise_has_somebody_who_breaks_it() -> None:
    assert never_broken(AuthConformance, WRONG) == set()
