"""
What the parts of a job become.
"""

from pathlib import Path

import attrs
import pytest

from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.processing.ladder import build_ladder
from hvcore.domain.processing.media_index import MediaIndex, TrackPiece
from hvcore.domain.processing.transcoding import PartDone, TranscodeOrder
from hvcore.ports.transcoder import Workspace
from tests.fakes import TextTranscoder
from tests.media_samples import audio_track, segments, video_track


def assembled(pictures_s: list[float], sound_s: list[float]) -> MediaIndex:
    """
    Join a part of pictures and one of sound.
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
        video_track(rung.short_edge_px, segments([9] * len(pictures_s), pictures_s))
        for rung in rungs
    ]
    sound = audio_track(of=segments([9] * len(sound_s), sound_s))
    assert sound.audio
    order = TranscodeOrder(
        source=source,
        settings=settings,
        ladder=attrs.evolve(build_ladder(source, settings), audio=(sound.audio,)),
        segment_s=6,
    )
    done = [
        ("p0a1", PartDone(tracks=tuple(pictures))),
        ("p1a1", PartDone(tracks=(sound,))),
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
