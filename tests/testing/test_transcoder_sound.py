"""
The kit of transcoders that take sound out of segments lets a right one pass, and catches a wrong one.
"""

import math
import struct
import wave
from array import array
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import (
    SOUND_RATE_HZ,
    SoundSpan,
    UnusableSourceError,
    Workspace,
)
from hvcore.testing.fake_transcoder import FakeTranscoder
from hvcore.testing.transcoder_sound import SoundConformance, SoundSegments

HEAD: Final = struct.Struct(">QQ")
INIT: Final = b"beeps"
LENGTHS: Final = (3 * SOUND_RATE_HZ, 2 * SOUND_RATE_HZ, 3 * SOUND_RATE_HZ)
"""The samples of each segment."""


def beeps() -> SoundSegments:
    """
    Return segments with a tone that is louder each tenth of a second, and begins again after seven.
    """
    media, begin = [], 0
    for length in LENGTHS:
        samples = array(
            "h",
            (
                round(500 * (1 + at * 10 // SOUND_RATE_HZ % 7) * math.sin(at / 3))
                for at in range(begin, begin + length)
            ),
        )
        media.append(HEAD.pack(begin, length) + samples.tobytes())
        begin += length
    seconds = [length / SOUND_RATE_HZ for length in LENGTHS]
    return SoundSegments(init=INIT, media=media, durations_s=seconds)


class BeepTranscoder(FakeTranscoder):
    """
    Takes the sound out of segments that are nothing but numbered samples.
    """

    channels = 1
    cuts_at_s = 1 / SOUND_RATE_HZ
    longer_s = 0.0
    fills_gaps = True
    asks = True
    error: type[Exception] = UnusableSourceError

    def sound(self, workspace: Workspace, span: SoundSpan) -> Path:
        """
        Write the samples of a span.
        """
        if self.asks:
            workspace.check()
        samples = self._samples(workspace.source.read_bytes())
        begins_s = span.start_s // self.cuts_at_s * self.cuts_at_s
        begin = round(begins_s * SOUND_RATE_HZ)
        length = round((span.duration_s + self.longer_s) * SOUND_RATE_HZ)
        path = self.folder_of(workspace) / "sound.wav"
        with wave.open(str(path), "wb") as sound:
            sound.setparams((self.channels, 2, SOUND_RATE_HZ, 0, "NONE", ""))
            sound.writeframes(samples[begin : begin + length].tobytes())
        return path

    def folder_of(self, workspace: Workspace) -> Path:
        return workspace.folder

    def _samples(self, source: bytes) -> "array[int]":
        if not source.startswith(INIT):
            raise self.error("There is no sound.")
        samples, at = array("h"), len(INIT)
        while at < len(source):
            begin, length = HEAD.unpack_from(source, at)
            at += HEAD.size
            if self.fills_gaps:
                samples.extend([0] * (begin - len(samples)))
            samples.frombytes(source[at : at + 2 * length])
            at += 2 * length
        return samples


class TestSoundOfBeeps(SoundConformance):
    """
    The kit lets the right one pass.
    """

    @pytest.fixture
    def transcoder(self) -> BeepTranscoder:
        return BeepTranscoder()

    @pytest.fixture
    def segments(self) -> SoundSegments:
        return beeps()


class TakesTwoChannels(BeepTranscoder):
    channels = 2


class WritesBesideItsFolder(BeepTranscoder):
    def folder_of(self, workspace: Workspace) -> Path:
        return workspace.source.parent


class CutsAtWholeSeconds(BeepTranscoder):
    cuts_at_s = 1.0


class ForgetsToEnd(BeepTranscoder):
    longer_s = 0.2


class ClosesGaps(BeepTranscoder):
    fills_gaps = False


class TriesAgain(BeepTranscoder):
    error = OSError


class AsksNobody(BeepTranscoder):
    asks = False


@pytest.mark.parametrize(
    ("wrong", "promise", "said"),
    [
        (
            TakesTwoChannels,
            "a_sound_is_as_transcribers_take_it",
            r"are \(2, 2, 16000\)",
        ),
        (
            WritesBesideItsFolder,
            "a_sound_is_as_transcribers_take_it",
            "is not in workspace.folder",
        ),
        (CutsAtWholeSeconds, "a_span_begins_where_it_was_ordered", "begins elsewhere"),
        (ForgetsToEnd, "a_span_is_as_long_as_it_was_ordered", "lasts 3.200 s"),
        (ClosesGaps, "segments_that_are_missing_are_silence", "it is 8.000 s"),
        (AsksNobody, "a_sound_that_nobody_wants_any_more_is_not_made", "KitStop"),
    ],
)
def test_a_wrong_transcoder_of_sound_is_caught(
    wrong: type[BeepTranscoder], promise: str, said: str, tmp_path: Path
) -> None:
    test = getattr(SoundConformance(), f"test_{promise}")

    with pytest.raises((AssertionError, pytest.fail.Exception), match=said):
        test(wrong(), beeps(), tmp_path)


def test_an_error_that_is_worth_another_attempt_is_caught(tmp_path: Path) -> None:
    promise = SoundConformance().test_a_file_without_sound_is_unusable

    with pytest.raises(OSError, match="There is no sound"):
        promise(TriesAgain(), tmp_path)


def test_a_transcoder_without_sound_is_caught(tmp_path: Path) -> None:
    promise = SoundConformance().test_a_file_without_sound_is_unusable

    with pytest.raises(AssertionError, match="has no method sound"):
        promise(FakeTranscoder(), tmp_path)
