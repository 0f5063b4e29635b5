"""
The promises of transcoders that take sound out of published segments, as tests.

A plugin's tests inherit and say what is transcoded::

    class TestSoundOfAcmeTranscoder(SoundConformance):
        @pytest.fixture
        def transcoder(self): ...

        @pytest.fixture
        def workspace(self, tmp_path): ...

The video should have sound that changes within a second, such as beeps, and last for more
than two segments. The transcoder makes it anew; a transcoder whose parts are made elsewhere
gives the fixture ``segments`` in its place.
"""

import wave
from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import attrs
import pytest

from hvcore.plugin_api import (
    SOUND_RATE_HZ,
    SoundSpan,
    SupportsSound,
    Transcoder,
    UnusableSourceError,
    Workspace,
)
from hvcore.testing.kit import Kit
from hvcore.testing.local_transcoder import KitStop
from hvcore.testing.transcoder import order_of
from hvcore.testing.transcoder.made_parts import parts_made
from hvcore.testing.transcoder.watched_work import children

SPAN: Final = SoundSpan(start_s=1.3, duration_s=3.0)
LONGEST: Final = SoundSpan(start_s=0.0, duration_s=900.0)
STEP: Final = SOUND_RATE_HZ // 50
"""The samples of 20 ms, in which a sound has one loudness."""
_LATE_STEPS: Final = 2
_ROUNDED_S: Final = 0.05
_WRONG_SHARE: Final = 0.1
"""The most that two sounds of the same span may differ, as a share of their mean loudness."""
_LEAST_SEGMENTS: Final = 3

_made_once: Final[dict[type, "SoundSegments"]] = {}
"""The segments that were made, by test class, because encoding takes most of the kit's time."""


@attrs.frozen(kw_only=True)
class SoundSegments:
    """
    Hold the published segments of an audio track.

    Attributes:
        init: The init segment.
        media: The media segments in their order, three at least.
        durations_s: The seconds of each media segment.
    """

    init: bytes
    media: Sequence[bytes]
    durations_s: Sequence[float]

    def source(self, *numbers: int) -> bytes:
        """Return the init segment with the media segments of these places."""
        return b"".join((self.init, *(self.media[number] for number in numbers)))

    @property
    def whole(self) -> bytes:
        """The init segment with all media segments."""
        return self.source(*range(len(self.media)))


class SoundConformance(Kit):
    """The promises of every transcoder that implements ``SupportsSound``."""

    @pytest.fixture
    def transcoder(self) -> Transcoder:
        """Return the transcoder under test."""
        raise NotImplementedError

    @pytest.fixture
    def workspace(self, tmp_path: Path) -> Workspace:
        """Return a workspace with a video that has sound in three segments."""
        raise NotImplementedError

    @pytest.fixture
    def segments(
        self,
        transcoder: Transcoder,
        workspace: Workspace,
        tmp_path_factory: pytest.TempPathFactory,
    ) -> SoundSegments:
        """Return the segments of the video's sound; tests of a class share them."""
        if type(self) not in _made_once:
            root = tmp_path_factory.mktemp("made") / "parts"
            _made_once[type(self)] = segments_made(transcoder, workspace, root)
        return _made_once[type(self)]

    def test_a_sound_is_as_transcribers_take_it(
        self, transcoder: Transcoder, segments: SoundSegments, tmp_path: Path
    ) -> None:
        """A span of the sound is a WAV of 16-bit PCM, mono, SOUND_RATE_HZ, within ``workspace.folder``."""
        made = sound_of(transcoder, segments.whole, SPAN, tmp_path)

        folder = (tmp_path / "out").resolve()
        assert folder in made.resolve().parents, f"{made} is not in workspace.folder"
        with wave.open(str(made), "rb") as sound:
            form = (sound.getnchannels(), sound.getsampwidth(), sound.getframerate())
        assert form == (1, 2, SOUND_RATE_HZ), (
            f"channels, bytes of a sample and rate are {form}"
        )

    def test_a_span_is_as_long_as_it_was_ordered(
        self, transcoder: Transcoder, segments: SoundSegments, tmp_path: Path
    ) -> None:
        """A span within the sound has the ordered length, and one that goes on after it ends with it."""
        within = samples_of(transcoder, segments.whole, SPAN, tmp_path / "within")
        behind = samples_of(transcoder, segments.whole, LONGEST, tmp_path / "behind")

        for found, wanted_s in (
            (within, SPAN.duration_s),
            (behind, sum(segments.durations_s)),
        ):
            lasts_s = len(found) / SOUND_RATE_HZ
            assert abs(lasts_s - wanted_s) <= _ROUNDED_S, (
                f"the sound lasts {lasts_s:.3f} s, and {wanted_s:.3f} s are to come"
            )

    def test_a_span_begins_where_it_was_ordered(
        self, transcoder: Transcoder, segments: SoundSegments, tmp_path: Path
    ) -> None:
        """A span has the sound that the whole has there: captions get their times from it."""
        whole = samples_of(transcoder, segments.whole, LONGEST, tmp_path / "whole")
        span = samples_of(transcoder, segments.whole, SPAN, tmp_path / "span")

        levels, found = levels_of(whole), levels_of(span)
        begin = round(SPAN.start_s * SOUND_RATE_HZ / STEP)
        right = _least_difference(levels, found, begin)
        assert max(levels) > 2 * min(levels) + 1, "the video's sound does not change"
        assert right <= _WRONG_SHARE, (
            f"the sound from {SPAN.start_s} s on differs from that of the whole by "
            f"{right:.0%}; the span begins elsewhere, or is another sound"
        )

    def test_segments_that_are_missing_are_silence(
        self, transcoder: Transcoder, segments: SoundSegments, tmp_path: Path
    ) -> None:
        """A missing segment is silence, so that the sounds after it keep their times."""
        first_s, gap_s = segments.durations_s[0], segments.durations_s[1]
        source = segments.source(0, 2)
        found = samples_of(transcoder, source, LONGEST, tmp_path)

        wanted_s = sum(segments.durations_s[:3])
        lasts_s = len(found) / SOUND_RATE_HZ
        assert abs(lasts_s - wanted_s) <= _ROUNDED_S, (
            f"the sound of the first and the third segment lasts {lasts_s:.3f} s; with "
            f"the silence between them it is {wanted_s:.3f} s"
        )
        begin = round((first_s + _ROUNDED_S) * SOUND_RATE_HZ)
        end = round((first_s + gap_s - _ROUNDED_S) * SOUND_RATE_HZ)
        loudest = max(map(abs, found[begin:end]))
        assert not loudest, f"the missing segment is not silent: {loudest}"

    def test_a_file_without_sound_is_unusable(
        self, transcoder: Transcoder, tmp_path: Path
    ) -> None:
        """A file that is no media raises UnusableSourceError: no attempt will succeed."""
        source = b"\0\0\0\x18ftypisom" + b"\xff" * 24

        with pytest.raises(UnusableSourceError):
            sound_of(transcoder, source, SPAN, tmp_path)

    def test_a_sound_that_nobody_wants_any_more_is_not_made(
        self, transcoder: Transcoder, segments: SoundSegments, tmp_path: Path
    ) -> None:
        """An error of ``check`` ends the work, and no program goes on."""

        def stop() -> None:
            raise KitStop

        before = children()
        with pytest.raises(KitStop):
            sound_of(transcoder, segments.whole, SPAN, tmp_path, check=stop)

        assert not children() - before, "a program goes on"


def segments_made(
    transcoder: Transcoder, workspace: Workspace, root: Path
) -> SoundSegments:
    """Return the segments of the first audio track of a video that a transcoder of this machine makes."""
    order = order_of(transcoder.probe(workspace))
    assert order.ladder.audio, "the video has no sound"
    name = order.ladder.audio[0].name
    tracks = [
        (folder / name, track)
        for folder, done in parts_made(transcoder, order, workspace, root)
        for track in done.tracks
        if track.name == name
    ]
    made = list(
        chain.from_iterable(
            [(folder, segment) for segment in track.segments]
            for folder, track in tracks
        )
    )
    assert len(made) >= _LEAST_SEGMENTS, (
        f"the video has {len(made)} segments of sound; the kit needs {_LEAST_SEGMENTS}"
    )
    return SoundSegments(
        init=(tracks[0][0] / "init.m4s").read_bytes(),
        media=[(folder / f"{one.number}.m4s").read_bytes() for folder, one in made],
        durations_s=[one.duration_s for _, one in made],
    )


def sound_of(
    transcoder: Transcoder,
    source: bytes,
    span: SoundSpan,
    root: Path,
    *,
    check: Callable[[], None] = lambda: None,
) -> Path:
    """Return the file of a span of the sound of some segments, made below ``root``."""
    assert isinstance(transcoder, SupportsSound), "the transcoder has no method sound"
    folder = root / "out"
    folder.mkdir(parents=True)
    path = root / "segments.mp4"
    path.write_bytes(source)
    workspace = Workspace(
        source=path,
        folder=folder,
        report=lambda _: None,
        check=check,
        niceness=0,
    )
    return transcoder.sound(workspace, span)


def samples_of(
    transcoder: Transcoder, source: bytes, span: SoundSpan, root: Path
) -> "array[int]":
    """Return the samples of a span of the sound of some segments."""
    with wave.open(str(sound_of(transcoder, source, span, root)), "rb") as sound:
        return array("h", sound.readframes(sound.getnframes()))


def levels_of(samples: "array[int]") -> Sequence[float]:
    """Return the mean loudness of each 20 ms of a sound."""
    return [
        sum(map(abs, samples[at : at + STEP])) / STEP
        for at in range(0, len(samples) - STEP + 1, STEP)
    ]


def _least_difference(
    whole: Sequence[float], span: Sequence[float], begin: int
) -> float:
    """Return the least difference of a span and the whole near a step, as a share of the loudness."""
    loudness = sum(span) / len(span) + 1
    return min(
        sum(abs(one - other) for one, other in zip(span, whole[at:], strict=False))
        / len(span)
        / loudness
        for at in range(max(0, begin - _LATE_STEPS), begin + _LATE_STEPS + 1)
    )
