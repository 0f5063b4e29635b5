"""
What the parts of a job become.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pytest

from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.media_index import MediaIndex, TrackPiece
from hvcore.domain.processing.transcoding import (
    PartDone,
    Track,
    TranscodeError,
    TranscodeOrder,
)
from hvcore.ports.transcoder import Workspace
from tests.support.fakes import TextTranscoder
from tests.support.media_samples import audio_track, segments, video_track


def assembled(
    pictures_s: list[float],
    sound_s: list[float],
    changed: Callable[[Track], Track] = lambda track: track,
) -> MediaIndex:
    """
    Join a part of pictures and one of sound.
    """
    sound = audio_track(of=segments([9] * len(sound_s), sound_s))
    return joined([sound], made=[sound], pictures_s=pictures_s, changed=changed)


def joined(
    wanted: list[Track],
    *,
    made: list[Track],
    pictures_s: Sequence[float] = (6,),
    changed: Callable[[Track], Track] = lambda track: track,
    left_out: tuple[str, ...] = (),
) -> MediaIndex:
    """
    Join a part of pictures and one with some of the sound that was wanted.
    """
    workspace = Workspace(
        source=Path(__file__),
        folder=Path(),
        report=lambda _: None,
        check=lambda: None,
    )
    transcoder = TextTranscoder()
    source = transcoder.probe(workspace)
    settings = EncodingSettings(preset=Preset.HIGH, max_edge_px=480)
    rungs = build_ladder(source, settings).rungs
    pictures = [
        video_track(
            rung.short_edge_px, segments([9] * len(pictures_s), list(pictures_s))
        )
        for rung in rungs
    ]
    audio = tuple(one.audio for one in wanted if one.audio)
    order = TranscodeOrder(
        source=source,
        settings=settings,
        ladder=attrs.evolve(build_ladder(source, settings), audio=audio),
        segment_s=6,
    )
    done = [
        ("p0a1", PartDone(tracks=tuple(map(changed, pictures)))),
        ("p1a1", PartDone(tracks=tuple(map(changed, made)), left_out=left_out)),
    ]
    return transcoder.assemble(order, done)


@pytest.mark.parametrize(
    ("pictures_s", "sound_s", "kept"),
    [
        ([6, 6, 6, 2], [6.016, 5.995, 5.995, 6.016, 6, 6, 4], 4),
        # A tick before the last picture ends, all of the next segment is too much.
        ([6, 6], [5.995, 5.995, 6.016, 6], 2),
        ([6, 6, 0.04], [5.995, 5.995, 0.07], 3),
        ([6, 6], [6.016, 6.016], 2),
        # There is always some sound; pictures may be longer.
        ([2], [4.0], 1),
        ([6, 6, 6], [6], 1),
    ],
)
def test_sound_ends_within_a_segment_of_the_pictures(
    pictures_s: list[float], sound_s: list[float], kept: int
) -> None:
    media = assembled(pictures_s, sound_s)

    *pictures, sound = media.tracks
    assert [s.number for s in sound.track.segments] == list(range(kept))
    assert sound.pieces == (TrackPiece(folder="p1a1", first_number=0, count=kept),)
    assert all(len(p.track.segments) == len(pictures_s) for p in pictures)
    assert media.duration_s == sum(pictures_s)


@pytest.mark.parametrize(
    ("pictures_s", "sound_s", "reason"),
    [
        ([20], [6, 6, 6, 2], "video/480p/0.m4s lasts 20.0 s, and segments of 6 s"),
        ([6, 10, 4], [6, 6, 6, 2], "video/480p/1.m4s lasts 10.0 s"),
        ([6, 6, 6, 2], [6, 14], "audio/1.m4s lasts 14.0 s"),
    ],
)
def test_segments_that_are_longer_than_planned_are_refused(
    pictures_s: list[float], sound_s: list[float], reason: str
) -> None:
    with pytest.raises(TranscodeError, match=f"not cut as planned: {reason}"):
        assembled(pictures_s, sound_s)


def test_the_rest_of_a_video_may_belong_to_its_last_segment() -> None:
    media = assembled([6, 6, 8.9], [6, 6, 8.9])

    assert len(media.tracks[0].track.segments) == 3


def counted_from_one(track: Track) -> Track:
    later = [attrs.evolve(one, number=one.number + 1) for one in track.segments]
    return attrs.evolve(track, segments=tuple(later))


@pytest.mark.parametrize(
    ("changed", "reason", "log"),
    [
        (
            lambda track: attrs.evolve(track, name=track.name.removesuffix("p")),
            "A rendition is missing: video/480p.",
            "the tracks that were made: 'audio', 'video/480'",
        ),
        (
            counted_from_one,
            "video/480p/0.m4s was expected, and video/480p/1.m4s was found.",
            "from 0",
        ),
        (
            lambda track: attrs.evolve(track, rung=None),
            "A rendition does not say what it carries out: video/480p.",
            "Track.rung",
        ),
        (
            lambda track: attrs.evolve(track, audio=None),
            "A rendition does not say what it carries out: audio.",
            "Track.audio",
        ),
    ],
)
def test_what_does_not_fit_is_named(
    changed: Callable[[Track], Track], reason: str, log: str
) -> None:
    with pytest.raises(TranscodeError) as raised:
        assembled([6, 2], [6, 2], changed)

    assert raised.value.reason.endswith(reason)
    assert log in raised.value.log


def test_sound_that_was_left_out_is_not_missed() -> None:
    default, other = (
        attrs.evolve(audio_track(of=segments([9], [6])), name=name)
        for name in ("audio", "audio-1")
    )
    assert other.audio
    other = attrs.evolve(
        other, audio=attrs.evolve(other.audio, name="audio-1", is_default=False)
    )

    media = joined([default, other], made=[other], left_out=("audio",))

    audio = [one.track.audio for one in media.tracks if one.track.audio]
    assert [(one.name, one.is_default) for one in audio] == [("audio-1", True)]


def test_a_video_of_which_all_sound_was_left_out_is_silent() -> None:
    media = joined([audio_track(of=segments([9], [6]))], made=[], left_out=("audio",))

    assert [one.track.name for one in media.tracks] == ["video/480p"]
