"""The promises of a sign-in backend about the addresses to which it sends browsers."""

from typing import Final
from urllib.parse import parse_qs, urlsplit

from hvcore.plugin_api import SignInPages, SignInProvider
from hvcore.testing.sentences import assert_sentences
from hvcore.testing.sign_in.kit import (
    OTHER_PAGES,
    PAGES,
    STATE,
    KitPerson,
    SignInKit,
    SignInVisit,
    complete,
)

_BOTH_HOSTS: Final = (PAGES, OTHER_PAGES, PAGES)
_ODD_STATES: Final = (
    *("a", "a&state=b", "a=b", "a b", "a+b", "a%2Bb", "a#b", "a?b", "a/b", "a;b"),
    *("a,b", "'a'", '"a"', "<a>", "a\\b", "é", "状態", "x" * 500, "0", "null"),
)
"""States with characters that have a meaning in addresses."""


class BeginningPromises(SignInKit):
    """The promises of a sign-in backend about addresses, states and hosts of a sign-in."""

    def test_a_sign_in_begins_at_an_address(self, provider: SignInProvider) -> None:
        """A sign-in begins with an address that carries the state and not the private value."""
        started = provider.begin(PAGES, STATE)

        parts = urlsplit(started.address)
        assert parts.scheme in {"http", "https"}
        assert parts.netloc
        assert not started.private or started.private not in started.address
        if self.comes_back:
            assert parse_qs(parts.query)["state"] == [STATE]

    def test_no_two_beginnings_share_what_is_private(
        self, provider: SignInProvider
    ) -> None:
        """Two sign-ins have different private values."""
        first, second = (provider.begin(PAGES, STATE) for _ in range(2))

        assert not first.private or first.private != second.private

    def test_an_odd_state_comes_back_as_it_is(self, provider: SignInProvider) -> None:
        """A state with any characters comes back unchanged in the address."""
        for state in _ODD_STATES:
            parts = urlsplit(provider.begin(PAGES, state).address)
            if self.comes_back:
                assert not parts.fragment, state
                assert parse_qs(parts.query)["state"] == [state]

    def test_a_sign_in_leads_back_to_the_host_where_it_began(
        self, provider: SignInProvider
    ) -> None:
        """A sign-in leads back to the host and port at which it began, in a service with several hosts."""
        for pages in _BOTH_HOSTS:
            started = provider.begin(pages, STATE)
            _assert_of(pages, started.address)
            if self.comes_back:
                query = parse_qs(urlsplit(started.address).query)
                given = [value for values in query.values() for value in values]
                assert pages.callback in given, "it does not say where to come back to"
            else:
                assert started.address.startswith(pages.link)

    def test_a_sign_in_is_completed_at_each_host(
        self, provider: SignInProvider
    ) -> None:
        """A sign-in can begin and be completed at each host of a service."""
        for pages in _BOTH_HOSTS:
            visit = SignInVisit(pages=pages, state=f"{STATE}-{len(pages.link)}")
            answer = self.answer_of(provider, visit)
            found = complete(provider, answer, pages=pages).identity

            assert found == self.identity(KitPerson.FIRST)

    def test_signing_out_leads_somewhere_or_nowhere(
        self, provider: SignInProvider
    ) -> None:
        """Signing out gives an address or None for any refresh state, never an error, and never leads to another host."""
        old = self.signed_in(provider).refresh_state
        state = provider.refresh(old).refresh_state

        for pages in _BOTH_HOSTS:
            for given in (state, old, "", "forged", "\x00", "[" * 100_000):
                address = provider.sign_out_address(given, pages)
                assert address is None or urlsplit(address).scheme in {"http", "https"}
                _assert_of(pages, address or "")

    def test_an_operator_s_check_is_told_sentences(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """``ambiguous_settings`` returns a list of sentences for operators, and a ping of a working provider succeeds."""
        provider.ping()
        for each in (provider, elsewhere):
            assert_sentences(each.ambiguous_settings())

    def test_providers_of_other_settings_have_addresses_of_their_own(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """Two providers of one process with other settings send browsers to different addresses."""
        if not self.comes_back:
            return
        ours, theirs, again = (
            _place(each.begin(PAGES, STATE).address)
            for each in (provider, elsewhere, provider)
        )

        assert ours == again
        assert ours != theirs


def _assert_of(pages: SignInPages, address: str) -> None:
    """Assert that an address does not contain the other host."""
    (other,) = {PAGES, OTHER_PAGES} - {pages}
    host = urlsplit(other.callback).hostname
    assert host is not None
    assert host not in address, f"it leads to {host}"


def _place(address: str) -> tuple[str, str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc, parts.path
