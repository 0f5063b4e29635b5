"""The promises of an authentication provider about single callers and their credentials."""

import logging
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import MappingProxyType
from typing import Final

import pytest

from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import is_chosen_id
from hvcore.errors import UnauthorizedError
from hvcore.ports.auth import AuthProvider, Credentials
from hvcore.testing.auth.kit import (
    CLAIMS,
    DEV,
    FOREIGN_HEADERS,
    LIVE,
    ORG_A,
    ORG_B,
    AuthKit,
    ReopenedProvider,
    accepted,
    asked,
    changed,
    is_accepted,
)
from hvcore.testing.children import is_unavailable
from hvcore.testing.held_calls import held_at

_LINES: Final = 40


class CallerPromises(AuthKit):
    """The promises of an authentication provider: it recognises callers by valid credentials alone."""

    def test_a_caller_is_recognised(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """Valid credentials give the same principal each time and in every process, with its organization and environment."""
        issued = self.issue(ORG_A, DEV)
        found = accepted(provider, issued)

        assert isinstance(found, Principal)
        assert (found.org_id, found.env_id) == (ORG_A, DEV)
        assert isinstance(found.permissions, frozenset)
        assert found.permissions
        assert all(isinstance(one, Permission) for one in found.permissions)
        assert accepted(provider, issued) == found
        assert accepted(reopened(), issued) == found

    def test_a_caller_has_an_id(self, provider: AuthProvider) -> None:
        """Each caller has an id of its own for limits, logs and audit, which does not contain the secret."""
        issued = [self.issue(org, DEV) for org in (ORG_A, ORG_A, ORG_B)]
        found = [accepted(provider, one) for one in issued]

        assert len({one.counted_as for one in found}) == len(found)
        for principal, one in zip(found, issued, strict=True):
            assert one.secret not in principal.counted_as
            if principal.person is None:
                assert isinstance(principal.key_id, str)
                assert is_chosen_id(principal.key_id), "letters, digits, _ and -"
                assert isinstance(principal.type, KeyType)
                assert principal.type is not KeyType.SYSTEM

    def test_callers_are_told_what_to_send(self, provider: AuthProvider) -> None:
        """The provider's ``scheme`` names the header that callers send, for the API description and CORS."""
        issued = self.issue(ORG_A, DEV)

        assert provider.scheme is not None, "say in scheme how callers send theirs"
        assert provider.scheme.header.lower() in issued.headers

    def test_a_request_without_credentials_is_left_to_other_providers(
        self, provider: AuthProvider
    ) -> None:
        """A request without credentials for the provider gives None, so that the next provider is asked."""
        self.issue(ORG_A, DEV)

        assert provider.authenticate(Credentials(headers={})) is None
        foreign = Credentials(headers=FOREIGN_HEADERS)
        assert provider.authenticate(foreign) is None

    def test_malformed_credentials_are_refused(self, provider: AuthProvider) -> None:
        """A malformed header gives no caller, and no error but UnauthorizedError."""
        issued = self.issue(ORG_A, DEV)
        other = self.issue(ORG_B, LIVE)

        for name, value in issued.headers.items():
            others = other.headers.get(name, "")
            for wrong in _malformed(value, others, issued.secret, other.secret):
                if wrong in {value, others}:
                    continue
                headers = {**issued.headers, name: wrong}
                assert not is_accepted(provider, headers), f"{name} was accepted"

    def test_a_guessed_secret_is_refused(self, provider: AuthProvider) -> None:
        """A secret with one wrong character is refused, wherever the character stands."""
        issued = self.issue(ORG_A, DEV)
        secret = issued.secret
        # The last one of a base64 text may hold bits that nobody reads.
        for at in {0, 1, len(secret) // 3, len(secret) // 2, len(secret) - 3}:
            guess = changed(secret, at)
            headers = {
                name: value.replace(secret, guess)
                for name, value in issued.headers.items()
            }
            assert not is_accepted(provider, headers), f"character {at} is not read"

    def test_tenants_are_told_apart(self, provider: AuthProvider) -> None:
        """Credentials of several tenants give their own organization and environment, whatever else a request claims."""
        wanted = [(ORG_A, DEV), (ORG_B, DEV), (ORG_A, LIVE)]
        issued = [self.issue(org, env) for org, env in wanted]

        for _ in range(2):
            for one, (org, env) in zip(issued, wanted, strict=True):
                found = accepted(provider, one)
                assert (found.org_id, found.env_id) == (org, env)
        claiming = {**FOREIGN_HEADERS, **CLAIMS, **issued[0].headers}
        assert asked(provider, claiming) == accepted(provider, issued[0])

    def test_headers_stay_as_they_are(self, provider: AuthProvider) -> None:
        """The provider accepts headers as a read-only mapping that also has headers of no concern to it."""
        issued = self.issue(ORG_A, DEV)
        headers = MappingProxyType({**FOREIGN_HEADERS, **issued.headers})

        assert asked(provider, headers) == accepted(provider, issued)

    def test_a_revoked_credential_is_refused(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """A revoked credential is refused in every process at once; other credentials stay valid."""
        issued, other = self.issue(ORG_A, DEV), self.issue(ORG_A, DEV)
        second = reopened()
        before = {accepted(each, issued).org_id for each in (provider, second)}
        self.revoke(issued)

        assert before == {ORG_A}
        for each in (provider, second, reopened()):
            with pytest.raises(UnauthorizedError):
                asked(each, issued.headers)
            assert accepted(each, other).org_id == ORG_A

    def test_an_expired_credential_is_refused(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """An expired credential is refused in every process."""
        issued = self.issue(ORG_A, DEV)
        before = accepted(provider, issued).org_id
        self.expire(issued)

        assert before == ORG_A
        for each in (provider, reopened()):
            with pytest.raises(UnauthorizedError):
                asked(each, issued.headers)

    def test_a_provider_that_cannot_look_up_says_so(
        self, unreachable: AuthProvider
    ) -> None:
        """A provider that cannot look keys up raises UnavailableError in time, neither accepting nor refusing the caller."""
        issued = self.issue(ORG_A, DEV)

        for _ in range(2):
            ask = partial(asked, unreachable, issued.headers)
            assert is_unavailable(self.gives_up_within_s, ask), "it answered"
        assert unreachable.authenticate(Credentials(headers={})) is None

    def test_no_secret_is_told(
        self, provider: AuthProvider, caplog: pytest.LogCaptureFixture
    ) -> None:
        """No error, cause, ``repr`` or log line of the provider contains a secret."""
        caplog.set_level(logging.DEBUG)
        issued, revoked = self.issue(ORG_A, DEV), self.issue(ORG_A, DEV)
        texts = [repr(accepted(provider, issued)), repr(provider)]
        self.revoke(revoked)
        guess = changed(issued.secret, len(issued.secret) // 2)
        guessed = {
            name: value.replace(issued.secret, guess)
            for name, value in issued.headers.items()
        }
        for headers in (revoked.headers, guessed):
            try:
                asked(provider, headers)
            except UnauthorizedError as exc:
                texts += traceback.format_exception(exc)
                texts += [repr(exc), str(exc), repr(vars(exc))]
        texts += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]

        for secret in (issued.secret, revoked.secret, guess):
            assert not any(secret in text for text in texts), "a secret is told"

    def test_callers_at_once_are_not_mixed_up(self, provider: AuthProvider) -> None:
        """Two callers that are recognised at the same time are not mixed up, at whatever line of code one waits."""
        ann, ben = self.issue(ORG_A, DEV), self.issue(ORG_B, LIVE)
        wanted = (accepted(provider, ann), accepted(provider, ben))
        for line in range(1, _LINES):
            with held_at(line) as hold:
                both = hold(
                    partial(accepted, provider, ann), partial(accepted, provider, ben)
                )
                if both is None:
                    break
                assert both == wanted, "two callers are mixed up"
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(partial(accepted, provider), [ann, ben] * 50))

        assert found == list(wanted) * 50

    def test_closing_is_for_one_process(
        self, provider: AuthProvider, reopened: ReopenedProvider
    ) -> None:
        """Closing a provider does not affect other providers on the same data."""
        issued = self.issue(ORG_A, DEV)
        other = reopened()
        provider.close()

        assert accepted(other, issued).org_id == ORG_A


def _malformed(value: str, other: str, secret: str, other_secret: str) -> Iterator[str]:
    """Yield malformed values of a header, as mistakes and attacks would send them."""
    yield from _odd(value, other)
    if secret != value:
        # In their place, such as behind "Bearer".
        for odd in _odd(secret, other_secret):
            yield value.replace(secret, odd)


def _odd(text: str, other: str) -> Iterator[str]:
    yield from ("", " ", "\0", "-", ".", "..", "null", "undefined", "Bearer", "Bearer ")
    yield from ("é" * 40, "\udcff", "a" * 100_000, "." * 1_000, "{}", "[]", "%00")
    yield from (text[:-1], text[: len(text) // 2], text[1:], text[:8])
    yield from (text * 2, f"{text}, {text}", f"{text}, {other}", f"{other}, {text}")
    yield from (text.swapcase(), text[::-1], f"{text}x", f"x{text}", f"{text}\0")
    yield from (f"{text}'--", text.replace(text[-4:], "%"))
