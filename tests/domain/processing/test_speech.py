"""Values about what is said: languages that are known, and how sure words are."""

import pytest

from hvcore.domain.processing.speech import (
    SpokenCue,
    SpokenWord,
    TranscriberCapabilities,
    UnknownLanguageError,
    mean_confidence,
    require_known_language,
)


def cue(*confidences: float) -> SpokenCue:
    words = tuple(
        SpokenWord(text="a", start_ms=0, end_ms=0, confidence=one)
        for one in confidences
    )
    return SpokenCue(start_ms=0, end_ms=0, text="a", words=words)


def able(assumed: str | None = None) -> TranscriberCapabilities:
    return TranscriberCapabilities(
        name="a", languages=frozenset({"de", "en"}), assumed_language=assumed
    )


@pytest.mark.parametrize("language", ["de", "en", None])
def test_a_known_language_is_accepted(language: str | None) -> None:
    require_known_language(language, able())


@pytest.mark.parametrize("language", ["fr", "EN", ""])
def test_an_unknown_language_is_refused_with_the_known_ones(language: str) -> None:
    with pytest.raises(UnknownLanguageError, match="these can: de, en") as raised:
        require_known_language(language, able())
    assert (raised.value.language, raised.value.known) == (language, {"de", "en"})


def test_a_transcriber_without_an_assumed_language_detects_languages() -> None:
    assert able().detects_languages
    assert not able("en").detects_languages


def test_the_mean_confidence_is_that_of_all_words() -> None:
    assert mean_confidence([cue(0.9), cue(0.4, 0.6)]) == pytest.approx(0.6)


def test_a_few_sure_words_do_not_hide_guesses() -> None:
    assert mean_confidence([cue(0.99, 0.99, 0.99, 0.05, 0.05)]) < 0.5


def test_one_impossible_word_does_not_decide() -> None:
    assert mean_confidence([cue(*[0.9] * 30, 0.0)]) > 0.7


def test_without_words_nothing_is_unsure() -> None:
    assert mean_confidence([]) == 1
