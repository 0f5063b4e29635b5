"""The promises of a sign-in backend about forged, repeated and exchanged answers and states."""

import logging
import traceback
from collections.abc import Iterator, Mapping
from typing import Final

import attrs
import pytest

from hvcore.plugin_api import (
    MembershipEndedError,
    SignInProvider,
    SignInRefusedError,
)
from hvcore.testing.sign_in.kit import (
    PAGES,
    STATE,
    KitPerson,
    SignInAnswer,
    SignInKit,
    SignInVisit,
    complete,
    with_code,
)

_SHORTEST_SECRET: Final = 8
"""The least length of a secret that is searched for in logs; shorter texts occur by chance."""


class AnswerPromises(SignInKit):
    """The promises of a sign-in backend to refuse answers and states that it did not give."""

    def test_an_answer_is_good_once(self, provider: SignInProvider) -> None:
        """The answer of a backend without redirects is accepted once and refused the second time."""
        if self.comes_back:
            return
        answer = self.answer(provider)
        complete(provider, answer)

        with pytest.raises(SignInRefusedError):
            complete(provider, answer)

    @pytest.mark.parametrize(
        "parameters",
        [
            {},
            {"code": ""},
            {"code": "forged", "state": STATE},
            {"code": "\x00\ud800", "state": STATE},
            {"error": "access_denied", "state": STATE},
        ],
        ids=["nothing", "empty", "forged", "not text", "refused"],
    )
    def test_a_forged_answer_is_refused(
        self, provider: SignInProvider, parameters: Mapping[str, str]
    ) -> None:
        """An answer that the provider did not give is refused, and the error does not repeat its code or state."""
        private = provider.begin(PAGES, STATE).private

        with pytest.raises(SignInRefusedError) as refused:
            provider.complete(parameters, PAGES, private)

        code = parameters.get("code")
        assert not code or code not in str(refused.value)
        assert STATE not in str(refused.value)

    def test_an_answer_without_one_of_its_parameters_is_an_answer_or_refused(
        self, provider: SignInProvider
    ) -> None:
        """An answer with a missing or empty parameter is accepted or refused, without another error; without its code it is refused."""
        answer = self.answer(provider)
        for name in answer.parameters:
            rest = {key: v for key, v in answer.parameters.items() if key != name}
            for parameters in (rest, {**rest, name: ""}):
                if name == self.code_parameter:
                    assert self._is_refused(provider, answer, parameters), name
                else:
                    again = self.answer(provider)
                    changed = {**again.parameters, **dict.fromkeys([name], "")}
                    changed = changed if name in parameters else _without(changed, name)
                    _found_or_refused(provider, again, changed)

    def test_every_letter_of_a_code_counts(self, provider: SignInProvider) -> None:
        """A code with one wrong, missing or added letter is refused, and the right code is accepted afterwards."""
        answer = self.answer(provider)
        code = self.code_of(answer)
        for wrong in _almost(code):
            if wrong == code:
                continue
            forged = with_code(answer, self.code_parameter, wrong).parameters
            told = f"code accepted: {len(wrong)} letters for {len(code)}"
            assert self._is_refused(provider, answer, forged), told

        found = complete(provider, answer).identity
        assert found == self.identity(KitPerson.FIRST)

    def test_an_answer_needs_the_beginning_it_belongs_to(
        self, provider: SignInProvider
    ) -> None:
        """An answer is refused in a sign-in other than the one that it belongs to."""
        if not self.comes_back:
            return
        answer = self.answer(provider)
        other = provider.begin(PAGES, STATE).private

        own = answer.private
        for private in (other, "", own[:-1], own[1:], f"{own}x", own[: len(own) // 2]):
            with pytest.raises(SignInRefusedError):
                complete(provider, attrs.evolve(answer, private=private))

    def test_answers_of_two_people_are_not_exchanged(
        self, provider: SignInProvider
    ) -> None:
        """The answer of one person is refused in the sign-in of another person, in both directions."""
        if not self.comes_back:
            return
        for person in KitPerson:
            (other,) = set(KitPerson) - {person}
            mine = self.answer_of(provider, SignInVisit(person=person))
            theirs = self.answer_of(provider, SignInVisit(person=other))
            for private, parameters in (
                (mine.private, theirs.parameters),
                (theirs.private, mine.parameters),
            ):
                mixed = SignInAnswer(parameters=parameters, private=private)
                with pytest.raises(SignInRefusedError):
                    complete(provider, mixed)

    def test_no_parameter_of_another_person_makes_somebody_that_person(
        self, provider: SignInProvider
    ) -> None:
        """An answer with one parameter of another person is refused or signs in the owner of the code."""
        second = SignInVisit(person=KitPerson.SECOND)
        theirs = self.answer_of(provider, second).parameters
        for name, value in theirs.items():
            if name == self.code_parameter:
                continue
            answer = self.answer(provider)
            mixed = {**answer.parameters, name: value}
            try:
                found = complete(provider, attrs.evolve(answer, parameters=mixed))
            except SignInRefusedError:
                continue
            assert found.identity == self.identity(KitPerson.FIRST), name

    def test_an_answer_of_another_provider_is_refused(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """An answer of one provider is refused by another provider of the same process."""
        elsewhere.begin(PAGES, STATE)
        answer = self.answer(provider)

        with pytest.raises(SignInRefusedError):
            complete(elsewhere, answer)
        fresh = self.answer(provider)
        assert complete(provider, fresh).identity == self.identity(KitPerson.FIRST)

    def test_a_state_of_another_provider_ends_the_membership(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """A refresh state of another provider raises MembershipEndedError, and stays valid at its own provider."""
        state = self.signed_in(provider).refresh_state

        with pytest.raises(MembershipEndedError):
            elsewhere.refresh(state)
        assert provider.refresh(state).identity == self.identity(KitPerson.FIRST)

    @pytest.mark.parametrize(
        "state",
        [
            *("", "forged", "{}", "\x00", "[1]", "null", "0", "1e999", '""', "\ud800"),
            *("[" * 100_000, '{"a":' * 100_000, "x" * 100_000, "1" * 10_000, "é"),
            *('{"refresh_token": null}', '{"subject": ["a"]}', "..", "a.b.c", "%00"),
        ],
        ids=lambda state: f"{state[:20]!a}-{len(state)}",
    )
    def test_a_state_that_is_none_ends_the_membership(
        self, provider: SignInProvider, state: str
    ) -> None:
        """A refresh state that cannot be read raises MembershipEndedError and no other error."""
        with pytest.raises(MembershipEndedError):
            provider.refresh(state)

    def test_a_state_is_read_whole(self, provider: SignInProvider) -> None:
        """A refresh state that was cut off or added to raises MembershipEndedError."""
        state = self.signed_in(provider).refresh_state
        cut = (state[:-1], state[1:], state[: len(state) // 2], state[::-1])
        for wrong in (*cut, f"{state}x", f"x{state}", state * 2, f"{state}\0"):
            if wrong == state:
                continue
            with pytest.raises(MembershipEndedError):
                provider.refresh(wrong)

    def test_no_secret_is_told(
        self, provider: SignInProvider, caplog: pytest.LogCaptureFixture
    ) -> None:
        """No error, cause, ``repr`` or log line of the provider contains a code, private value or refresh state."""
        caplog.set_level(logging.DEBUG)
        answer, texts = self.answer(provider), [repr(provider)]
        code = self.code_of(answer)
        forged = with_code(answer, self.code_parameter, _changed(code, len(code) // 2))
        texts += _told(provider, forged)
        texts += _told(provider, attrs.evolve(answer, private="forged"))
        outcome = self.signed_in(provider)
        texts += [repr(answer), repr(provider.begin(PAGES, STATE))]
        self.end_membership()
        try:
            provider.refresh(outcome.refresh_state)
        except MembershipEndedError as exc:
            texts += [*traceback.format_exception(exc), repr(exc), repr(vars(exc))]
        texts += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]

        for secret in (code, answer.private, outcome.refresh_state):
            if len(secret) >= _SHORTEST_SECRET:
                assert not any(secret in text for text in texts), "a secret is told"

    def _is_refused(
        self,
        provider: SignInProvider,
        answer: SignInAnswer,
        parameters: Mapping[str, str],
    ) -> bool:
        try:
            complete(provider, attrs.evolve(answer, parameters=parameters))
        except SignInRefusedError:
            return True
        return False


def _without(parameters: Mapping[str, str], name: str) -> dict[str, str]:
    return {key: value for key, value in parameters.items() if key != name}


def _found_or_refused(
    provider: SignInProvider, answer: SignInAnswer, parameters: Mapping[str, str]
) -> None:
    try:
        complete(provider, attrs.evolve(answer, parameters=parameters))
    except SignInRefusedError:
        return


def _told(provider: SignInProvider, answer: SignInAnswer) -> list[str]:
    try:
        complete(provider, answer)
    except SignInRefusedError as exc:
        return [*traceback.format_exception(exc), repr(exc), repr(vars(exc))]
    return []


def _almost(text: str) -> Iterator[str]:
    """Yield texts that are nearly a secret, and some that are none at all."""
    if text:
        middle = len(text) // 2
        for at in {0, 1, 7, 8, 9, len(text) // 3, middle, 2 * middle - 3}:
            if 0 <= at < len(text) - 2:
                yield _changed(text, at)
    yield from (text[:-1], text[: len(text) // 2], text[1:], text[:8], text[::-1])
    yield from (text * 2, f"{text},{text}", f"{text}x", f"x{text}", f"{text}\0")
    yield from (text.swapcase(), f"{text}'--", "é" * 40, "\udcff", "a" * 100_000)
    yield from (".", "..", "null", "undefined", "{}", "[]", "%00", "\0", "-")


def _changed(text: str, at: int) -> str:
    other = "b" if text[at] == "a" else "a"
    return text[:at] + other + text[at + 1 :]
