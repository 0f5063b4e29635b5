"""The promises of an authentication provider about many callers, and about interrupted calls."""

import random
import string
from collections.abc import Iterator, Mapping
from typing import Final

from hvcore.domain.access.principals import Principal
from hvcore.errors import UnauthorizedError
from hvcore.ports.auth import AuthProvider, Credentials
from hvcore.testing.auth.kit import (
    DEV,
    FOREIGN_HEADERS,
    LIVE,
    ORG_A,
    ORG_B,
    AuthKit,
    IssuedCredentials,
    ReopenedProvider,
    accepted,
    asked,
    is_accepted,
)
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line
from hvcore.testing.sentences import assert_sentences

_TENANTS: Final = ((ORG_A, DEV), (ORG_B, DEV), (ORG_A, LIVE), (ORG_B, LIVE))
_CALLERS: Final = 300
_GUESSES: Final = 1_200
"""The number of guessed secrets: one would fit a caller if only 16 bits of a secret were compared."""
_BREAKS: Final = 160


class EveryHeaderClaims(Mapping[str, str]):
    """
    Headers of a request that has a claim in every header that a provider may look up.

    Args:
        headers: The issued headers, which keep their values.
        claim: The value of every other header.
    """

    def __init__(self, headers: Mapping[str, str], claim: str) -> None:
        self._headers, self._claim = {**FOREIGN_HEADERS, **headers}, claim

    def __getitem__(self, name: str) -> str:
        """Return the issued value of a header, or the claim for any other header."""
        return self._headers.get(name, self._claim)

    def __contains__(self, name: object) -> bool:
        """Return True: every header is there."""
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the issued headers."""
        return iter(self._headers)

    def __len__(self) -> int:
        """Return the number of issued headers."""
        return len(self._headers)


class ManyCallersPromises(AuthKit):
    """The promises of an authentication provider about many callers, and about interrupted calls."""

    def test_no_other_header_makes_a_caller_another(
        self, provider: AuthProvider
    ) -> None:
        """No other header, whatever it claims, changes who the caller is."""
        for org_id, env_id in _TENANTS:
            issued = self.issue(org_id, env_id)
            wanted = accepted(provider, issued)
            for claim in (ORG_B, ORG_A, LIVE, DEV, "root", "true", "1", ""):
                headers = EveryHeaderClaims(issued.headers, claim)
                found = _found_or_refused(provider, headers)
                assert found in {wanted, None}, f"a header with {claim!r} was believed"

    def test_many_callers_are_told_apart_and_a_guess_is_nobody(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """Many callers each have an id and tenant of their own, and guessed secrets are refused."""
        wanted = [_TENANTS[number % 4] for number in range(_CALLERS)]
        issued = [self.issue(org_id, env_id) for org_id, env_id in wanted]
        found = [accepted(provider, one) for one in issued]

        assert [(one.org_id, one.env_id) for one in found] == wanted
        assert len({one.counted_as for one in found}) == _CALLERS
        chance = random.Random(1)  # noqa: S311 - no secret
        for number in range(_GUESSES):
            guess = _guessed(issued[number % _CALLERS], chance)
            assert not is_accepted(provider, guess), "a guess was accepted"
        again = reopened()
        some = range(0, _CALLERS, 17)
        assert [accepted(again, issued[n]) for n in some] == [found[n] for n in some]

    def test_a_caller_keeps_its_permissions_whoever_comes_in_between(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """A caller's permissions do not change when other callers are accepted, refused or revoked in between."""
        issued = [self.issue(org_id, env_id) for org_id, env_id in _TENANTS]
        first = [accepted(provider, one) for one in issued]
        other = reopened()
        for turn in range(3):
            later = self.issue(*_TENANTS[turn])
            assert accepted(other, later).org_id == _TENANTS[turn][0]
            assert not is_accepted(provider, _guessed(later, random.Random(turn)))  # noqa: S311
            self.revoke(later)
            for each in (provider, other):
                found = [accepted(each, one) for one in reversed(issued)]
                assert found[::-1] == first

    def test_a_credential_that_is_issued_later_is_known_at_once(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """A new credential is accepted at once in every process, also in one that has been running before."""
        sides = (provider, reopened())
        for number, (org_id, env_id) in enumerate(_TENANTS):
            issued = self.issue(org_id, env_id)
            for each in sides if number % 2 else sides[::-1]:
                found = accepted(each, issued)
                assert (found.org_id, found.env_id) == (org_id, env_id)

    def test_an_operator_s_check_is_told_sentences(
        self, provider: AuthProvider
    ) -> None:
        """The method ``ambiguous_settings`` returns a list of sentences for operators."""
        assert_sentences(provider.ambiguous_settings())

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_call_is_passed_on(
        self, provider: AuthProvider
    ) -> None:
        """An error at any line of ``authenticate`` reaches the caller: it neither refuses nor admits a request."""
        good, other = self.issue(ORG_A, DEV), self.issue(ORG_B, LIVE)
        wanted, second = accepted(provider, good), accepted(provider, other)

        def look(ended: BrokenOffCall[Principal | None]) -> None:
            assert ended.error is not None or ended.result == wanted
            assert accepted(provider, other) == second
            assert accepted(provider, good) == wanted

        break_off_at_each_line(
            lambda: asked(provider, good.headers),
            backends=[provider],
            look=look,
            never=(UnauthorizedError,),
            at_most=_BREAKS,
        )


def _found_or_refused(
    provider: AuthProvider, headers: Mapping[str, str]
) -> Principal | None:
    try:
        return provider.authenticate(Credentials(headers=headers))
    except UnauthorizedError:
        return None


def _guessed(issued: IssuedCredentials, chance: random.Random) -> dict[str, str]:
    """Return the headers with a dozen letters of the secret changed."""
    letters = list(issued.secret)
    # The last one of a base64 text may hold bits that nobody reads.
    for at in chance.sample(range(len(letters) - 2), k=min(12, len(letters) - 2)):
        others = string.ascii_letters.replace(letters[at], "")
        letters[at] = chance.choice(others)
    guess = "".join(letters)
    return {
        name: value.replace(issued.secret, guess)
        for name, value in issued.headers.items()
    }
