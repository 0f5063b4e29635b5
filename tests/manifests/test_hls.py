"""
HLS playlists, against RFC 8216.
"""

import math
import re
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.transcoding import MediaFile, Segment
from hvcore.manifests import hls
from hvcore.manifests.bitrates import average_bps, peak_bps
from hvcore.manifests.languages import language_tag
from tests.support.media_samples import audio_track, index, segments, video_track

made_segments = st.lists(
    st.tuples(
        st.integers(1, 10_000_000),
        st.floats(0.02, 6.5, allow_nan=False, allow_infinity=False),
    ),
    min_size=1,
    max_size=30,
).map(
    lambda made: tuple(
        Segment(
            number=number,
            duration_s=duration_s,
            file=MediaFile(size_bytes=size, sha256="0" * 64),
        )
        for number, (size, duration_s) in enumerate(made)
    )
)


def lines_of(text: str, tag: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"#{tag}:")]


def attributes(line: str) -> dict[str, str]:
    pairs = re.findall(r'([A-Z0-9-]+)=("[^"]*"|[^,"]*)', line.partition(":")[2])
    return {name: value.strip('"') for name, value in pairs}


def variants(text: str) -> list[tuple[dict[str, str], str]]:
    lines = text.splitlines()
    return [
        (attributes(line), lines[place + 1])
        for place, line in enumerate(lines)
        if line.startswith("#EXT-X-STREAM-INF:")
    ]


def test_a_master_playlist_says_everything_of_a_variant() -> None:
    media = index(video_track(frame_rate=Fraction(30000, 1001)), audio_track())

    text = hls.multivariant_playlist(media)

    assert text.startswith("#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-INDEPENDENT-SEGMENTS\n")
    assert text.endswith("\n")
    [(variant, playlist)] = variants(text)
    assert playlist == "video-720p.m3u8"
    assert variant == {
        "BANDWIDTH": "1128000",
        "AVERAGE-BANDWIDTH": "1128000",
        "CODECS": "avc1.64001f,mp4a.40.2",
        "RESOLUTION": "1280x720",
        "FRAME-RATE": "29.970",
        "CLOSED-CAPTIONS": "NONE",
        "AUDIO": "audio-aac",
    }
    [rendition] = lines_of(text, "EXT-X-MEDIA")
    assert rendition == (
        '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio-aac",NAME="Audio",DEFAULT=YES,'
        'AUTOSELECT=YES,CHANNELS="2",URI="audio.m3u8"'
    )


@pytest.mark.parametrize(
    ("peak_bps", "first"),
    [(2_000_000, "video-720p.m3u8"), (2_000_008, "video-360p.m3u8")],
)
def test_a_variant_of_exactly_2_mbit_per_second_may_be_first(
    peak_bps: int, first: str
) -> None:
    best = video_track(720, segments([peak_bps // 8], [1.0]))
    cheap = video_track(360, segments([100_000], [1.0]))

    text = hls.multivariant_playlist(index(cheap, best))

    found = variants(text)
    assert {line["BANDWIDTH"] for line, _ in found} == {"800000", str(peak_bps)}
    assert found[0][1] == first


def test_a_video_without_audio_names_none() -> None:
    text = hls.multivariant_playlist(index(video_track()))

    [(variant, _)] = variants(text)
    assert "AUDIO" not in variant
    assert variant["CODECS"] == "avc1.64001f"
    assert "EXT-X-MEDIA:" not in text


def test_a_media_playlist_lists_every_segment() -> None:
    track = video_track(of=segments([1, 2, 3], [6.0, 6.0, 1.25]))

    text = hls.media_playlist(track, target_s=6)

    assert text == (
        "#EXTM3U\n"
        "#EXT-X-VERSION:7\n"
        "#EXT-X-TARGETDURATION:6\n"
        "#EXT-X-MEDIA-SEQUENCE:0\n"
        "#EXT-X-PLAYLIST-TYPE:VOD\n"
        "#EXT-X-INDEPENDENT-SEGMENTS\n"
        '#EXT-X-MAP:URI="video/720p/init.m4s"\n'
        "#EXTINF:6.000000,\nvideo/720p/0.m4s\n"
        "#EXTINF:6.000000,\nvideo/720p/1.m4s\n"
        "#EXTINF:1.250000,\nvideo/720p/2.m4s\n"
        "#EXT-X-ENDLIST\n"
    )


def test_all_playlists_of_a_video_declare_the_same_target() -> None:
    audio = audio_track(of=segments([1, 1], [6.016, 5.9]))

    texts = hls.playlists(index(video_track(), audio))

    assert set(texts) == {"master.m3u8", "video-720p.m3u8", "audio.m3u8"}
    for name in ("video-720p.m3u8", "audio.m3u8"):
        assert "#EXT-X-TARGETDURATION:6\n" in texts[name]


@pytest.mark.parametrize(
    ("longest_s", "target_s"),
    [(6.0, 6), (6.016, 6), (6.5, 7), (5.2, 5), (0.04, 1), (6.006, 6)],
)
def test_the_target_is_the_longest_segment_rounded(
    longest_s: float, target_s: int
) -> None:
    track = video_track(of=segments([1], [longest_s]))

    assert hls.target_duration_s(index(track)) == target_s


@given(made_segments)
def test_no_segment_is_declared_longer_than_the_target(
    of: tuple[Segment, ...],
) -> None:
    media = index(video_track(of=of))

    text = hls.playlists(media)["video-720p.m3u8"]

    target_s = int(lines_of(text, "EXT-X-TARGETDURATION")[0].split(":")[1])
    declared = [float(line[8:-1]) for line in lines_of(text, "EXTINF")]
    assert all(math.floor(s + 0.5) <= target_s for s in declared)
    assert len(declared) == len(of)


@given(made_segments)
def test_the_peak_is_the_dearest_run_of_about_a_target_duration(
    of: tuple[Segment, ...],
) -> None:
    track = video_track(of=of)
    target_s = hls.target_duration_s(index(track))

    peak = peak_bps(track, target_s=target_s)

    assert peak >= average_bps(track)
    for first in range(len(of)):
        for end in range(first + 1, len(of) + 1):
            run = of[first:end]
            duration_s = sum(s.duration_s for s in run)
            if 0.5 * target_s <= duration_s <= 1.5 * target_s:
                bits = 8 * sum(s.file.size_bytes for s in run)
                assert peak >= bits / duration_s * (1 - 1e-12)


@pytest.mark.parametrize(
    ("durations_s", "sizes", "peak"),
    [
        ([1, 2], [300, 100], 2400),
        ([0.75, 1.5, 0.75, 2], [300, 0, 300, 0], 1600),
        ([], [], 0),
    ],
)
def test_runs_of_half_a_target_and_of_one_and_a_half_count(
    durations_s: list[float], sizes: list[int], peak: int
) -> None:
    track = attrs.evolve(video_track(), segments=segments(sizes, durations_s))

    assert peak_bps(track, target_s=2) == peak


def test_a_short_last_segment_is_no_peak_of_its_own() -> None:
    track = video_track(of=segments([750_000, 750_000, 100_000], [6.0, 6.0, 0.1]))

    # 0.1 s alone would be 8 Mbit/s; with its neighbour it is a run of 6.1 s.
    assert peak_bps(track, target_s=6) == -(-850_000 * 8 * 10 // 61)


def test_the_dearest_audio_of_a_group_counts() -> None:
    cheap = audio_track(0, of=segments([10_000, 10_000]))
    dear = audio_track(1, of=segments([300_000, 10_000]))

    text = hls.multivariant_playlist(index(video_track(), cheap, dear))

    [(variant, _)] = variants(text)
    assert int(variant["BANDWIDTH"]) == 1_000_000 + 400_000
    assert int(variant["AVERAGE-BANDWIDTH"]) == 1_000_000 + 206_667


def test_each_audio_codec_is_a_group_and_every_rung_has_every_group() -> None:
    media = index(
        video_track(360),
        video_track(720),
        audio_track(0, AudioCodec.MP3, "mp4a.6b", language="eng", title="English"),
        audio_track(1, AudioCodec.AAC, language="eng", title="English"),
        audio_track(2, AudioCodec.MP3, "mp4a.6b", language="fra"),
        audio_track(3, AudioCodec.AAC, language="fra"),
    )

    text = hls.multivariant_playlist(media)

    offered = [(v["AUDIO"], v["CODECS"], name) for v, name in variants(text)]
    assert offered == [
        ("audio-aac", "avc1.64001f,mp4a.40.2", "video-720p.m3u8"),
        ("audio-aac", "avc1.64001f,mp4a.40.2", "video-360p.m3u8"),
        ("audio-mp3", "avc1.64001f,mp4a.6b", "video-720p.m3u8"),
        ("audio-mp3", "avc1.64001f,mp4a.6b", "video-360p.m3u8"),
    ]
    renditions = [attributes(line) for line in lines_of(text, "EXT-X-MEDIA")]
    aac = [r for r in renditions if r["GROUP-ID"] == "audio-aac"]
    mp3 = [r for r in renditions if r["GROUP-ID"] == "audio-mp3"]
    assert [r["URI"] for r in aac] == ["audio-1.m3u8", "audio-3.m3u8"]
    for one, other in zip(aac, mp3, strict=True):
        # RFC 8216, section 4.3.4.1.1.
        left_out = {"URI", "CHANNELS", "GROUP-ID"}
        assert {k: v for k, v in one.items() if k not in left_out} == {
            k: v for k, v in other.items() if k not in left_out
        }
    assert [r["DEFAULT"] for r in aac] == ["YES", "NO"]
    assert [r["LANGUAGE"] for r in aac] == ["en", "fr"]


def test_of_several_tracks_in_one_language_a_player_may_choose_the_first_alone() -> (
    None
):
    media = index(
        video_track(),
        audio_track(0, language="eng"),
        audio_track(1, language="eng"),
        audio_track(2, language="und"),
    )

    renditions = [
        attributes(line)
        for line in lines_of(hls.multivariant_playlist(media), "EXT-X-MEDIA")
    ]

    assert [r["AUTOSELECT"] for r in renditions] == ["YES", "NO", "NO"]
    assert [r["NAME"] for r in renditions] == ["en", "en 2", "Audio"]
    assert "LANGUAGE" not in renditions[2]


def test_players_begin_with_the_best_variant_that_starts_at_once() -> None:
    media = index(
        video_track(360, segments([375_000])),  # 0.5 Mbit/s
        video_track(480, segments([1_125_000])),  # 1.5 Mbit/s
        video_track(720, segments([3_000_000])),  # 4 Mbit/s
    )

    order = [name for _, name in variants(hls.multivariant_playlist(media))]

    assert order == ["video-480p.m3u8", "video-360p.m3u8", "video-720p.m3u8"]


def test_players_begin_with_the_cheapest_variant_where_all_are_dear() -> None:
    media = index(
        video_track(720, segments([3_000_000])),
        video_track(1080, segments([6_000_000])),
    )

    order = [name for _, name in variants(hls.multivariant_playlist(media))]

    assert order == ["video-720p.m3u8", "video-1080p.m3u8"]


@pytest.mark.parametrize(
    "title",
    [
        "a#EXT-X-CONTENT-STEERING:SERVER-URI=https://evil.example/s,",
        "##EXTEXT-X-DEFINE",
    ],
)
def test_a_title_has_no_tag_that_players_find_in_the_middle(title: str) -> None:
    media = index(video_track(), audio_track(title=title))

    text = hls.multivariant_playlist(media)

    assert text.count("#EXT") == sum(
        line.startswith("#EXT") for line in text.splitlines()
    )


@given(st.text(max_size=200))
def test_a_title_from_a_strangers_file_stays_a_title(title: str) -> None:
    media = index(video_track(), audio_track(title=title))

    text = hls.multivariant_playlist(media)

    [line] = lines_of(text, "EXT-X-MEDIA")
    assert attributes(line)["URI"] == "audio.m3u8"
    assert line.count('"') == 8
    assert len(text.splitlines()) == 6


def test_a_title_has_at_most_100_characters() -> None:
    assert hls.quotable("ä" * 100) == "ä" * 100
    assert hls.quotable("ä" * 101) == "ä" * 100


@pytest.mark.parametrize(
    ("code", "tag"),
    [
        ("eng", "en"),
        ("ger", "de"),
        ("deu", "de"),
        ("de", "de"),
        ("pt-BR", "pt-br"),
        ("yue", "yue"),
        ("und", ""),
        ("", ""),
        ('en"', ""),
        ("english", ""),
    ],
)
def test_languages_have_the_shortest_tag(code: str, tag: str) -> None:
    assert language_tag(code) == tag
