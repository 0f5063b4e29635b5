"""The promises of a transcriber about sounds, models and servers that cannot be used."""

import logging
import traceback

import pytest

from hvcore.domain.processing.speech import (
    SoundFile,
    TranscriptionError,
    TranscriptionOrder,
    UnusableSoundError,
)
from hvcore.errors import UnavailableError
from hvcore.ports.transcriber import Transcriber
from hvcore.testing.transcriber.kit import TranscriberKit, ends_within


class TranscriberFailurePromises(TranscriberKit):
    """The promises of a transcriber: an unusable sound is told from a missing model or server."""

    def test_a_sound_that_cannot_be_read_is_unusable(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """A file that is no WAV raises UnusableSoundError: no further attempt is made."""
        for data in (b"", b"RIFF", b"no sound at all " * 500):
            said.path.write_bytes(data)

            with pytest.raises(UnusableSoundError):
                self.heard(transcriber, said, language=self.spoken_language)

    def test_an_unusable_sound_spoils_nothing(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """After an unusable sound the next one is transcribed as if there had been none."""
        sound = said.path.read_bytes()
        said.path.write_bytes(b"no sound at all")
        with pytest.raises(UnusableSoundError):
            self.heard(transcriber, said, language=self.spoken_language)
        said.path.write_bytes(sound)

        assert self.heard(transcriber, said).cues

    def test_a_missing_model_or_server_is_unavailable(
        self, unavailable: Transcriber, said: SoundFile
    ) -> None:
        """A missing model or a silent server raises UnavailableError in time, so that the order is repeated later."""
        order = TranscriptionOrder(sound=said, language=self.spoken_language)
        with ends_within(self.gives_up_within_s), pytest.raises(UnavailableError):
            list(unavailable.transcribe(order).cues)

    def test_a_missing_model_or_server_is_told_to_operators(
        self, unavailable: Transcriber
    ) -> None:
        """``ping`` raises UnavailableError in time if the model is missing or the server is silent."""
        with ends_within(self.gives_up_within_s), pytest.raises(UnavailableError):
            unavailable.ping()

    def test_ping_finds_a_transcriber_that_works(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """``ping`` finds no fault in a transcriber that works, before its first sound and after it."""
        transcriber.ping()
        assert self.heard(transcriber, said).cues
        transcriber.ping()

    def test_no_secret_is_told(
        self,
        unavailable: Transcriber,
        transcriber: Transcriber,
        said: SoundFile,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """No error, cause, ``repr`` or log line of the transcriber contains a secret."""
        caplog.set_level(logging.DEBUG)
        texts = [repr(unavailable), repr(transcriber)]
        said.path.write_bytes(b"no sound at all")
        for one in (unavailable, transcriber):
            order = TranscriptionOrder(sound=said, language=self.spoken_language)
            try:
                list(one.transcribe(order).cues)
            except (UnavailableError, UnusableSoundError, TranscriptionError) as exc:
                texts += [*traceback.format_exception(exc), repr(vars(exc))]
        texts += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]

        for secret in self.secrets:
            assert not any(secret in text for text in texts), "a secret is told"
