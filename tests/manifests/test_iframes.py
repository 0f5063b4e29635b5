"""
I-frame playlists, against RFC 8216.
"""

import attrs
import pytest

from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import VideoRange
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.manifests import hls
from hvcore.manifests.captions import offer_captions
from hvcore.manifests.iframes import first_pictures
from hvcore.manifests.rewrite import carry_token
from hvcore.services.playback.published_files import find_published
from tests.support.media_samples import (
    MOMENT,
    VIDEO,
    audio_track,
    evolved,
    index,
    segments,
    video_track,
)


def media(*pictures: int | None) -> MediaIndex:
    made = segments([750_000, 600_000], [6.0, 1.5], pictures)
    return index(video_track(of=made), audio_track())


def picture_lines(master: str) -> list[str]:
    return [
        line
        for line in master.splitlines()
        if line.startswith("#EXT-X-I-FRAME-STREAM-INF:")
    ]


def test_an_iframe_playlist_names_the_first_picture_of_each_segment() -> None:
    text = hls.playlists(media(30_000, 3_000))["iframes-720p.m3u8"]

    assert text == (
        "#EXTM3U\n"
        "#EXT-X-VERSION:7\n"
        "#EXT-X-TARGETDURATION:6\n"
        "#EXT-X-MEDIA-SEQUENCE:0\n"
        "#EXT-X-PLAYLIST-TYPE:VOD\n"
        "#EXT-X-I-FRAMES-ONLY\n"
        '#EXT-X-MAP:URI="video/720p/init.m4s"\n'
        "#EXTINF:6.000000,\niframes/720p/0.m4s\n"
        "#EXTINF:1.500000,\niframes/720p/1.m4s\n"
        "#EXT-X-ENDLIST\n"
    )


def test_the_master_playlist_tells_what_scrubbing_costs() -> None:
    (line,) = picture_lines(hls.playlists(media(30_000, 3_000))["master.m3u8"])

    # The dearest run is the first segment alone: 30,000 bytes in 6 s.
    assert line == (
        "#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=40000,AVERAGE-BANDWIDTH=35200,"
        'CODECS="avc1.64001f",RESOLUTION=1280x720,URI="iframes-720p.m3u8"'
    )


@pytest.mark.parametrize("pictures", [(), (30_000, None)])
def test_there_is_none_where_a_picture_is_not_known(
    pictures: tuple[int | None, ...],
) -> None:
    old = media(*pictures)

    texts = hls.playlists(old)

    assert set(texts) == {"master.m3u8", "video-720p.m3u8", "audio.m3u8"}
    assert not picture_lines(texts["master.m3u8"])
    assert find_published(old, "iframes-720p.m3u8") is None
    assert find_published(old, "iframes/720p/1.m4s") is None


def test_there_is_none_of_sound_or_of_no_segments() -> None:
    pictured = segments([10, 10], [6.0, 6.0], [1, 1])

    assert first_pictures(video_track(of=pictured))
    assert first_pictures(audio_track(of=pictured)) is None
    assert first_pictures(attrs.evolve(video_track(), segments=())) is None


def test_a_token_reaches_every_picture() -> None:
    texts = hls.playlists(media(30_000, 3_000))

    (line,) = picture_lines(carry_token(texts["master.m3u8"], "T"))
    playlist = carry_token(texts["iframes-720p.m3u8"], "T")

    assert line.endswith(',URI="iframes-720p.m3u8?token=T"')
    assert 'URI="video/720p/init.m4s?token=T"\n' in playlist
    assert "\niframes/720p/1.m4s?token=T\n" in playlist


def test_captions_are_offered_with_variants_and_not_with_pictures() -> None:
    track = CaptionTrack(
        video_id=VIDEO,
        language="en",
        label="English",
        cues=1,
        size_bytes=1,
        sha256="0" * 64,
        version="1",
        created_at=MOMENT,
    )
    master = hls.playlists(media(30_000, 3_000))["master.m3u8"]

    offered = offer_captions(master, [track])

    assert picture_lines(offered) == picture_lines(master)
    assert offered.count('SUBTITLES="subs"') == 1


def test_pictures_with_more_light_say_so() -> None:
    made = evolved(media(1, 1), video_range=VideoRange.PQ)

    master = hls.playlists(made)["master.m3u8"]

    assert master.count(",VIDEO-RANGE=PQ") == 2
