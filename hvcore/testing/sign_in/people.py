"""The promises of a sign-in backend about people: identities, roles and memberships."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import attrs

from hvcore.domain.sign_in.identities import is_subject
from hvcore.plugin_api import (
    Identity,
    MembershipEndedError,
    SignInProvider,
    SignInRefusedError,
    UnavailableError,
)
from hvcore.testing.children import is_unavailable, spread
from hvcore.testing.held_calls import held_at, lines_of
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line
from hvcore.testing.sign_in.kit import (
    PAGES,
    STATE,
    KitPerson,
    OutageOfSignIn,
    ReopenedSignIn,
    SignInAnswer,
    SignInKit,
    SignInVisit,
    complete,
)

_BOTH: Final = (KitPerson.FIRST, KitPerson.SECOND)
_PLACES: Final = 24
_BREAKS: Final = 80


class PeoplePromises(SignInKit):
    """The promises of a sign-in backend: each person gets the right identity with current roles."""

    def test_a_sign_in_recognises_the_person(self, provider: SignInProvider) -> None:
        """A person who signs in has a valid subject, and roles, operator rights or a proven e-mail address."""
        identity = self.signed_in(provider).identity

        assert is_subject(identity.subject)
        assert identity.is_operator or identity.roles or identity.is_email_proven
        assert identity.email or not identity.is_email_proven

    def test_each_field_of_an_identity_is_the_person_s(
        self, provider: SignInProvider
    ) -> None:
        """Each field of an identity is right for both people, after signing in and after a refresh."""
        names = [self.identity(person).name for person in _BOTH]
        assert not all(name.isascii() for name in names if name) or not any(names), (
            "give one of the two people a name with letters beyond ASCII"
        )
        for person in _BOTH:
            wanted = attrs.asdict(self.identity(person), recurse=False)
            signed_in = self.signed_in(provider, person)
            later = provider.refresh(signed_in.refresh_state)
            for outcome in (signed_in, later):
                found = attrs.asdict(outcome.identity, recurse=False)
                for name, value in wanted.items():
                    assert found[name] == value, f"{name} of the {person.value} person"
                    assert type(found[name]) is type(value) or name == "roles", name

    def test_a_person_stays_the_same(self, provider: SignInProvider) -> None:
        """A person who signs in twice has the same subject both times."""
        first, second = (self.signed_in(provider).identity for _ in range(2))

        assert first.subject == second.subject

    def test_two_people_are_told_apart(
        self, provider: SignInProvider, reopened: ReopenedSignIn
    ) -> None:
        """Two people who sign in at the same time keep their own identities over all refreshes."""
        answers = [self.answer_of(provider, SignInVisit(person=one)) for one in _BOTH]
        outcomes = [complete(provider, one) for one in reversed(answers)][::-1]
        wanted = [self.identity(person) for person in _BOTH]
        assert wanted[0].subject != wanted[1].subject

        for each in (provider, reopened(), provider):
            assert [outcome.identity for outcome in outcomes] == wanted
            outcomes = [each.refresh(one.refresh_state) for one in outcomes]

    def test_people_at_once_are_not_mixed_up(self, provider: SignInProvider) -> None:
        """Two people who sign in at the same time are not mixed up, at whatever line of code one waits."""
        wanted = tuple(self.identity(person) for person in _BOTH)
        signs_in = [partial(self._identity_of, provider, person) for person in _BOTH]
        for line in spread(lines_of(signs_in[0]), at_most=_PLACES):
            calls = self._at_hand(provider)
            with held_at(line) as hold:
                both = hold(*calls)
                assert both is None or both == wanted, "two people are mixed up"
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda call: call(), signs_in * 10))

        assert found == list(wanted) * 10

    def test_another_process_may_complete_and_refresh(
        self, provider: SignInProvider, reopened: ReopenedSignIn
    ) -> None:
        """Another process can complete and refresh a sign-in: nothing is kept in the memory of one."""
        answer = self.answer(provider)

        completed = complete(reopened(), answer)
        refreshed = reopened().refresh(completed.refresh_state)

        assert refreshed.identity.subject == completed.identity.subject

    def test_membership_is_confirmed_again_and_again(
        self, provider: SignInProvider
    ) -> None:
        """Each refresh returns a state with which the next refresh succeeds."""
        first = self.signed_in(provider)

        outcome = first
        for _ in range(3):
            outcome = provider.refresh(outcome.refresh_state)

        assert outcome.identity == first.identity

    def test_a_role_that_changes_is_told(
        self, provider: SignInProvider, reopened: ReopenedSignIn
    ) -> None:
        """A changed role shows in the next refresh and sign-in in every process; other people keep theirs."""
        other = reopened()
        states = [self.signed_in(provider, person).refresh_state for person in _BOTH]
        states = [provider.refresh(state).refresh_state for state in states]
        changed, second = self.change_roles(), self.identity(KitPerson.SECOND)

        found = [other.refresh(state).identity for state in states]
        assert found == [changed, second]
        for each in (provider, other):
            assert self.signed_in(each).identity == changed

    def test_a_lost_membership_is_told(self, provider: SignInProvider) -> None:
        """A refresh of a former member is refused or returns no roles."""
        state = self.signed_in(provider).refresh_state

        self.end_membership()

        assert not _has_roles(provider, state)

    def test_a_person_who_leaves_takes_nobody_along(
        self, provider: SignInProvider, reopened: ReopenedSignIn
    ) -> None:
        """The membership of other people stays in every process when one person leaves."""
        other = reopened()
        states = [self.signed_in(other, person).refresh_state for person in _BOTH]
        states = [provider.refresh(state).refresh_state for state in states]

        self.end_membership()

        kept = provider.refresh(states[1])
        assert kept.identity == self.identity(KitPerson.SECOND)
        assert not _has_roles(other, states[0])
        assert other.refresh(kept.refresh_state).identity == kept.identity

    def test_a_person_who_has_left_is_refused_when_signing_in(
        self, provider: SignInProvider
    ) -> None:
        """A former member who signs in is refused or gets no roles, also with an earlier answer; others sign in."""
        answer = self.answer(provider)

        self.end_membership()

        try:
            found = complete(provider, answer).identity
        except SignInRefusedError:
            pass
        else:
            assert not found.roles
            assert not found.is_operator
        second = self.signed_in(provider, KitPerson.SECOND).identity
        assert second == self.identity(KitPerson.SECOND)

    def test_to_close_a_provider_is_for_one_process(
        self, provider: SignInProvider, reopened: ReopenedSignIn
    ) -> None:
        """Sign-ins and sessions of a closed provider go on in other providers."""
        closing = reopened()
        answer, state = self.answer(closing), self.signed_in(closing).refresh_state
        closing.close()

        assert complete(provider, answer).identity == self.identity(KitPerson.FIRST)
        assert provider.refresh(state).identity == self.identity(KitPerson.FIRST)

    def test_an_outage_ends_no_membership(
        self, provider: SignInProvider, outage: OutageOfSignIn
    ) -> None:
        """An outage raises UnavailableError in time, and the refresh state stays valid."""
        state, answer = self.signed_in(provider).refresh_state, self.answer(provider)

        with outage():
            for call in (
                partial(provider.refresh, state),
                partial(complete, provider, answer),
            ):
                assert is_unavailable(self.gives_up_within_s, call), "it answered"
            _begins_or_is_unavailable(provider)

        assert provider.refresh(state).identity == self.identity(KitPerson.FIRST)
        assert self.signed_in(provider).identity == self.identity(KitPerson.FIRST)

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_sign_in_is_passed_on(
        self, provider: SignInProvider
    ) -> None:
        """An error at any line of ``complete`` reaches the caller and is no refusal; the next sign-in works."""
        answer: SignInAnswer

        def before() -> None:
            nonlocal answer
            answer = self.answer(provider)

        def look(ended: BrokenOffCall[Identity]) -> None:
            assert ended.error is not None or ended.result == wanted
            assert self.signed_in(provider).identity == wanted

        wanted = self.identity(KitPerson.FIRST)
        break_off_at_each_line(
            lambda: complete(provider, answer).identity,
            backends=[provider],
            before=before,
            look=look,
            never=(SignInRefusedError,),
            at_most=_BREAKS,
        )

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_a_refresh_ends_no_membership(
        self, provider: SignInProvider
    ) -> None:
        """An error at any line of ``refresh`` reaches the caller, and does not count as the end of a membership."""
        state = ""

        def before() -> None:
            nonlocal state
            state = self.signed_in(provider).refresh_state

        def look(ended: BrokenOffCall[Identity]) -> None:
            assert ended.error is not None or ended.result == wanted
            assert provider.begin(PAGES, STATE).address

        wanted = self.identity(KitPerson.FIRST)
        break_off_at_each_line(
            lambda: provider.refresh(state).identity,
            backends=[provider],
            before=before,
            look=look,
            never=(MembershipEndedError, SignInRefusedError),
            at_most=_BREAKS,
        )

    def _identity_of(self, provider: SignInProvider, person: KitPerson) -> Identity:
        state = self.signed_in(provider, person).refresh_state
        return provider.refresh(state).identity

    def _at_hand(
        self, provider: SignInProvider
    ) -> tuple[Callable[[], Identity], Callable[[], Identity]]:
        """Return two calls that each sign in one of the two people from the beginning."""
        first, second = (
            partial(self._identity_of, provider, person) for person in _BOTH
        )
        return first, second


def _has_roles(provider: SignInProvider, state: str) -> bool:
    try:
        left = provider.refresh(state).identity
    except MembershipEndedError:
        return False
    return bool(left.roles or left.is_operator)


def _begins_or_is_unavailable(provider: SignInProvider) -> None:
    try:
        assert provider.begin(PAGES, STATE).address
    except UnavailableError:
        return
