"""The promises of a transcriber about the languages that it knows."""

import re
from typing import Final

import pytest

from hvcore.domain.processing.speech import (
    SoundFile,
    TranscriptionOrder,
    UnknownLanguageError,
)
from hvcore.ports.transcriber import Transcriber
from hvcore.testing.transcriber.kit import TranscriberKit, ends_within

_CODE: Final = re.compile(r"[a-z]{2,3}")
_UNKNOWN: Final = ("zxx", "qqx", "EN", "en-US", "english", "")
"""No linguistic content, one for private use, and forms that no order has."""


class LanguagePromises(TranscriberKit):
    """The promises of a transcriber: it declares its languages, tells the one it heard, and refuses others."""

    def test_languages_are_declared(self, transcriber: Transcriber) -> None:
        """The declared languages are primary subtags of BCP 47, the same at each call."""
        told = transcriber.capabilities()

        assert told.languages, "no language is declared"
        assert all(map(_CODE.fullmatch, told.languages)), sorted(told.languages)
        assert self.spoken_language in told.languages
        assert told.assumed_language is None or told.assumed_language in told.languages
        assert transcriber.capabilities() == told

    def test_a_language_that_is_asked_for_is_that_of_the_cues(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """A transcription has the language that was asked for, without a probability."""
        heard = self.heard(transcriber, said, language=self.spoken_language)

        assert heard.cues
        assert heard.language.code == self.spoken_language
        assert heard.language.probability is None, "it was not told, but asked for"

    def test_the_language_is_told(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """Without a wish, the language is told from the sound with a probability, or is the assumed one."""
        language = self.heard(transcriber, said).language
        assumed = transcriber.capabilities().assumed_language

        assert language.code == self.spoken_language
        if assumed is None:
            is_told = language.probability is not None
            assert is_told or not self.says_how_sure, "it does not say how sure it is"
            assert 0 <= (language.probability or 0) <= 1
        else:
            assert language.probability is None, "it was not told, but assumed"

    def test_an_unknown_language_is_refused_at_once(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """A language that is not declared is refused before the first cue, and nothing is transcribed."""
        for language in _UNKNOWN:
            order = TranscriptionOrder(sound=said, language=language)

            with (
                ends_within(self.gives_up_within_s),
                pytest.raises(UnknownLanguageError),
            ):
                transcriber.transcribe(order)

    def test_a_refused_language_spoils_nothing(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """After a refusal the next order is transcribed as if there had been none."""
        with pytest.raises(UnknownLanguageError):
            transcriber.transcribe(TranscriptionOrder(sound=said, language="zxx"))

        assert self.heard(transcriber, said).cues
