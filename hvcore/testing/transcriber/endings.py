"""The promises of a transcriber about the end of its work: by itself, closed, or stopped."""

import pytest

from hvcore.domain.processing.speech import SoundFile, SpokenCue, TranscriptionOrder
from hvcore.ports.transcriber import Transcriber
from hvcore.testing.children import in_child
from hvcore.testing.transcriber.kit import (
    MS_PER_CUE,
    StoppedWorkError,
    TranscriberKit,
    ends_within,
)
from hvcore.testing.transcriber.sounds import silence, write_sound


class EndingPromises(TranscriberKit):
    """The promises of a transcriber: its work ends, can be stopped, can be repeated, and leaves nothing open."""

    def test_a_transcription_ends(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """The cues of a sound end, and the generator stays at its end."""
        made: list[SpokenCue] = []
        with ends_within(self.ends_within_s):
            cues = transcriber.transcribe(TranscriptionOrder(sound=said)).cues
            for cue in cues:
                made.append(cue)
                most = 1 + said.duration_ms // MS_PER_CUE
                assert len(made) <= most, "it never ends"

        assert made
        assert list(cues) == [], "it went on after its end"

    def test_a_sound_may_be_transcribed_again(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """The same transcriber transcribes the same sound twice, with the same words."""
        first = self.heard(transcriber, said, language=self.spoken_language)
        second = self.heard(transcriber, said, language=self.spoken_language)

        assert first.cues
        assert [cue.text for cue in second.cues] == [cue.text for cue in first.cues]

    def test_sounds_do_not_mix(
        self, transcriber: Transcriber, said: SoundFile, said_twice: SoundFile
    ) -> None:
        """A silent sound after a spoken one has no cues, and a spoken one after it its own."""
        first = self.heard(transcriber, said, language=self.spoken_language)
        quiet = write_sound(said.path.with_name("quiet.wav"), silence(2_000))
        between = self.heard(transcriber, quiet, language=self.spoken_language)
        twice = self.heard(transcriber, said_twice, language=self.spoken_language)
        last = self.heard(transcriber, said, language=self.spoken_language)

        assert not between.cues, f"words of another sound: {between.text!r}"
        assert twice.cues[-1].end_ms > said.duration_ms
        assert [cue.text for cue in last.cues] == [cue.text for cue in first.cues]

    def test_closed_cues_end_the_work(
        self, transcriber: Transcriber, said: SoundFile, said_twice: SoundFile
    ) -> None:
        """Cues that are closed after the first of them, or before it, end the work soon; the next order begins anew."""
        for wanted in (0, 1):
            cues = transcriber.transcribe(TranscriptionOrder(sound=said_twice)).cues
            for _ in range(wanted):
                next(cues)
            with ends_within(self.stops_within_s):
                cues.close()

            assert list(cues) == [], "it went on after it was closed"
        assert self.heard(transcriber, said).cues

    def test_the_work_is_checked_before_it_begins(
        self, transcriber: Transcriber, said_twice: SoundFile
    ) -> None:
        """An error of the first check passes unchanged, and soon."""
        error = StoppedWorkError("nobody wants it")

        def check() -> None:
            raise error

        order = TranscriptionOrder(sound=said_twice, check=check)
        with (
            ends_within(self.ends_within_s),
            pytest.raises(StoppedWorkError) as raised,
        ):
            list(transcriber.transcribe(order).cues)
        assert raised.value is error

    @pytest.mark.parametrize("kind", [StoppedWorkError, KeyboardInterrupt, SystemExit])
    def test_the_work_is_checked_before_each_cue(
        self,
        transcriber: Transcriber,
        said: SoundFile,
        said_twice: SoundFile,
        kind: type[BaseException],
    ) -> None:
        """An error of a check after the first cue passes unchanged and soon, in place of the next cue."""
        wanted = [True]
        error = kind("nobody wants it")

        def check() -> None:
            if not wanted[0]:
                raise error

        order = TranscriptionOrder(sound=said_twice, check=check)
        cues = transcriber.transcribe(order).cues
        next(cues)
        wanted[0] = False
        with ends_within(self.stops_within_s), pytest.raises(kind) as raised:
            next(cues)

        assert raised.value is error
        assert list(cues) == [], "it went on after it was stopped"
        assert self.heard(transcriber, said).cues

    def test_a_transcriber_works_after_a_fork(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """A transcriber that was made before a fork works in the child."""

        def listen() -> str:
            heard = self.heard(transcriber, said, language=self.spoken_language)
            transcriber.close()
            return f"{len(heard.cues)} cues"

        told = in_child(listen, timeout_s=self.ends_within_s)
        here = self.heard(transcriber, said, language=self.spoken_language)

        assert told == f"{len(here.cues)} cues"

    def test_a_closed_transcriber_leaves_nothing_open(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """After ``close`` nothing is left that the transcriber opened, also if it has done nothing."""
        assert self.heard(transcriber, said).cues
        transcriber.close()
