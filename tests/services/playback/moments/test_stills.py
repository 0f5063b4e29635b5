"""
The segments in which a moment or a part of a video is found.
"""

from fractions import Fraction

import attrs
import pytest

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.services.playback.moments.stills import locate, locate_covering
from tests.support.media_samples import audio_track, index, segments, video_track


def film(*short_edges_px: int) -> MediaIndex:
    of = segments([1] * 4, [6.0, 6.0, 6.0, 2.0])
    return index(*(video_track(px, of) for px in short_edges_px), audio_track())


def names(
    media: MediaIndex, start_s: float, end_s: float, size_px: tuple[int, int]
) -> list[str]:
    found = locate_covering(media, start_s, end_s, size_px)
    return [one.path.removeprefix("a1/") for one in found.files]


@pytest.mark.parametrize(
    ("size_px", "rung"),
    [
        ((320, 180), 360),
        ((640, 360), 360),
        ((642, 360), 720),
        ((640, 640), 720),
        ((3840, 2160), 1080),
    ],
)
def test_the_smallest_rung_that_covers_a_size_is_decoded(
    size_px: tuple[int, int], rung: int
) -> None:
    media = film(360, 720, 1080, 2160)

    assert names(media, 0, 0, size_px) == [
        f"video/{rung}p/init.m4s",
        f"video/{rung}p/0.m4s",
    ]


def test_a_rung_that_every_ffmpeg_decodes_is_preferred() -> None:
    media = film(360, 720)
    first = media.tracks[0]
    av1 = attrs.evolve(first, track=attrs.evolve(first.track, codecs="av01.0.04M.08"))
    media = attrs.evolve(media, tracks=(av1, *media.tracks[1:]))

    assert names(media, 0, 0, (16, 16))[0] == "video/720p/init.m4s"
    only = attrs.evolve(media, tracks=(av1,))
    assert names(only, 0, 0, (16, 16))[0] == "video/360p/init.m4s"


def test_a_part_is_found_in_all_segments_that_it_touches() -> None:
    media = film(360)
    rung = "video/360p"

    assert names(media, 5, 13, (16, 16)) == [
        f"{rung}/init.m4s",
        f"{rung}/0.m4s",
        f"{rung}/1.m4s",
        f"{rung}/2.m4s",
    ]
    found = locate_covering(media, 13, 14, (16, 16))
    assert found.at_s == pytest.approx(0.999)


def test_a_moment_behind_the_last_frame_finds_the_last_frame() -> None:
    of = segments([1, 1], [6.0, 2.0])
    media = index(video_track(360, of, Fraction(1)))

    for found in (locate(media, 99), locate_covering(media, 8, 99, (16, 16))):
        assert found.files[1].path.endswith("/1.m4s")
        assert found.at_s == pytest.approx(0.999)


def test_sound_alone_has_no_picture() -> None:
    with pytest.raises(UnusableSourceError, match="has no picture"):
        locate_covering(index(audio_track()), 0, 1, (16, 16))
