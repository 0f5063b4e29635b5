"""The promises of a transcriber about the words and times of cues."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from hvcore.domain.processing.speech import SoundFile, SpokenCue, SpokenWord
from hvcore.ports.transcriber import Transcriber
from hvcore.testing.transcriber.kit import PAUSE_MS, TranscriberKit
from hvcore.testing.transcriber.sounds import (
    BYTES_PER_FRAME,
    faint_noise,
    frames_of,
    silence,
    write_sound,
)

_LONG_PAUSE_MS: Final = 8_000
_EARLY_MS: Final = 700
"""How much too early a word may begin: models hear in steps, and pad what they hear."""
_QUIET_MS: Final = 10_000


class CuePromises(TranscriberKit):
    """The promises of a transcriber: cues have words and true times, and silence has none."""

    def test_speech_becomes_cues_with_words(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """Speech becomes cues; each has a text, and words with a confidence between 0 and 1."""
        cues = self.heard(transcriber, said).cues

        assert cues, "nobody was heard"
        for cue in cues:
            assert cue.text.strip() == cue.text != "", f"its text is {cue.text!r}"
            assert cue.words, f"{cue.text!r} has no words"
            for word in cue.words:
                assert word.text.strip() == word.text != "", f"a word is {word.text!r}"
                assert 0 <= word.confidence <= 1, f"{word.text!r}: {word.confidence}"
                assert word.text in cue.text, f"{word.text!r} is not in {cue.text!r}"

    def test_times_are_whole_milliseconds(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """Times are ints in milliseconds, and confidences floats: they are stored as JSON."""
        cues = self.heard(transcriber, said).cues
        words = [word for cue in cues for word in cue.words]
        timed: list[SpokenCue | SpokenWord] = [*cues, *words]
        times = [time for one in timed for time in (one.start_ms, one.end_ms)]

        assert {type(time) for time in times} == {int}
        assert {type(word.confidence) for word in words} <= {float, int}

    def test_times_never_run_back(
        self, transcriber: Transcriber, said_twice: SoundFile
    ) -> None:
        """A cue starts after the end of the cue before it, and a word after that of the word before it."""
        cues = self.heard(transcriber, said_twice).cues

        _assert_in_order(cues)
        for cue in cues:
            _assert_in_order(cue.words)
            assert cue.start_ms <= cue.words[0].start_ms, f"{cue.text!r} starts late"
            assert cue.words[-1].end_ms <= cue.end_ms, f"{cue.text!r} ends early"

    def test_cues_lie_within_the_sound(
        self, transcriber: Transcriber, speech: Path, tmp_path: Path
    ) -> None:
        """No cue ends after the sound, also if the sound ends in the middle of a word."""
        frames = frames_of(speech)
        for share in (1.0, 0.8, 0.55):
            count = int(len(frames) // BYTES_PER_FRAME * share)
            cut = write_sound(tmp_path / "cut.wav", frames[: count * BYTES_PER_FRAME])
            for cue in self.heard(transcriber, cut).cues:
                assert cue.start_ms >= 0
                assert cue.end_ms <= cut.duration_ms, f"{cue.text!r} ends too late"

    def test_times_count_from_the_start_of_the_sound(
        self, transcriber: Transcriber, speech: Path, tmp_path: Path
    ) -> None:
        """Words after a long pause have the times at which they are said, with the pause."""
        frames = frames_of(speech)
        late = write_sound(tmp_path / "late.wav", silence(_LONG_PAUSE_MS) + frames)
        heard = self.heard(transcriber, late)

        assert heard.cues, "nobody was heard after a pause"
        first = heard.cues[0].words[0]
        assert first.start_ms >= _LONG_PAUSE_MS - _EARLY_MS, f"{first} is too early"

    def test_words_of_both_sides_of_a_pause_are_heard(
        self, transcriber: Transcriber, said: SoundFile, said_twice: SoundFile
    ) -> None:
        """Speech before and after a pause becomes cues, and none in the pause."""
        half_ms = said.duration_ms + PAUSE_MS
        cues = self.heard(transcriber, said_twice).cues
        words = [word for cue in cues for word in cue.words]
        pause_from_ms, pause_to_ms = half_ms + _EARLY_MS, half_ms + PAUSE_MS - _EARLY_MS

        assert any(word.start_ms < half_ms for word in words), "not the first"
        assert any(word.start_ms >= pause_to_ms for word in words), "not the second"
        assert not any(
            pause_from_ms <= word.start_ms < pause_to_ms for word in words
        ), "somebody was heard in the pause"

    def test_silence_has_no_cues(
        self, transcriber: Transcriber, tmp_path: Path
    ) -> None:
        """Silence, the faint noise of a quiet room, and a sound without length have no cues."""
        for frames in (silence(_QUIET_MS), faint_noise(_QUIET_MS), b""):
            quiet = write_sound(tmp_path / "quiet.wav", frames)
            heard = self.heard(transcriber, quiet, language=self.spoken_language)

            assert not heard.cues, f"words were invented: {heard.text!r}"

    def test_the_sound_is_only_read(
        self, transcriber: Transcriber, said: SoundFile
    ) -> None:
        """The file of the sound stays as it is, and no file comes into its folder."""
        folder = said.path.parent
        before = (said.path.read_bytes(), sorted(folder.iterdir()))
        self.heard(transcriber, said)

        assert (said.path.read_bytes(), sorted(folder.iterdir())) == before


def _assert_in_order(found: Sequence[SpokenCue | SpokenWord]) -> None:
    """Assert that cues or words are in the order of their times, and do not overlap."""
    for one in found:
        assert one.start_ms <= one.end_ms, f"{one.text!r} ends before it starts"
    for before, after in pairwise(found):
        assert before.end_ms <= after.start_ms, f"{after.text!r} starts too early"
