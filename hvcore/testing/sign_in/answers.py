"""The promises of a sign-in backend about answers and states that are not its own."""

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
"""A shorter text is found in others by chance."""


class AnswerPromises(SignInKit):
    """Nobody signs in by what the provider did not give."""

    def test_an_answer_is_good_once(self, provider: SignInProvider) -> None:
        """A code that belongs to no beginning is used up; the service sees to others."""
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
        """An answer that the provider did not give signs nobody in, and is not repeated."""
        private = provider.begin(PAGES, STATE).private

        with pytest.raises(SignInRefusedError) as refused:
            provider.complete(parameters, PAGES, private)

        code = parameters.get("code")
        assert not code or code not in str(refused.value)
        assert STATE not in str(refused.value)

    def test_an_answer_without_one_of_its_parameters_is_an_answer_or_refused(
        self, provider: SignInProvider
    ) -> None:
        """A parameter may be missing, or empty: that breaks nothing."""
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
        """A code that is almost right is refused, and the right one is good after all."""
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
        """An answer that was stolen is worth nothing in another sign-in."""
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
        """The code of one is refused in the sign-in of the other, in both directions."""
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

    def test_an_answer_of_another_provider_is_refused(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """Two providers of one process take no answers of each other."""
        elsewhere.begin(PAGES, STATE)
        answer = self.answer(provider)

        with pytest.raises(SignInRefusedError):
            complete(elsewhere, answer)
        fresh = self.answer(provider)
        assert complete(provider, fresh).identity == self.identity(KitPerson.FIRST)

    def test_a_state_of_another_provider_ends_the_membership(
        self, provider: SignInProvider, elsewhere: SignInProvider
    ) -> None:
        """Nobody knows that person there; here the person goes on."""
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
        """A state that cannot be read ends the session instead of breaking it."""
        with pytest.raises(MembershipEndedError):
            provider.refresh(state)

    def test_a_state_is_read_whole(self, provider: SignInProvider) -> None:
        """A state that was cut off or added to is none."""
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
        """Neither by an error and its causes, nor by what is printed or logged."""
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
    """Give texts that are nearly a secret, and some that are none at all."""
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
