"""
Sounds of windows: their ends, and their tracks.
"""

from array import array

import pytest

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack
from hvcore.domain.processing.speech import SOUND_RATE_HZ
from hvcore.domain.processing.transcoding import AudioRendition, MediaFile, Track
from hvcore.services.captions.window_sounds import quietest, sound_track


def sound(length_ms: int, quiet_ms: tuple[int, int] = (0, 0)) -> "array[int]":
    start, end = (at * SOUND_RATE_HZ // 1000 for at in quiet_ms)
    return array(
        "h",
        [
            0 if start <= n < end else 1000
            for n in range(length_ms * SOUND_RATE_HZ // 1000)
        ],
    )


def test_a_sound_is_cut_in_the_middle_of_its_pause() -> None:
    cut_s = quietest(sound(10_000, (9_300, 9_500))) / SOUND_RATE_HZ

    assert cut_s == pytest.approx(9.4, abs=0.02)


def test_a_pause_before_the_last_tenth_of_a_sound_does_not_count() -> None:
    cut_s = quietest(sound(10_000, (5_000, 5_500))) / SOUND_RATE_HZ

    assert cut_s > 9


def test_a_sound_without_a_pause_is_cut_near_its_end() -> None:
    assert quietest(sound(10_000)) / SOUND_RATE_HZ == pytest.approx(9.9, abs=0.02)


@pytest.mark.parametrize("length_ms", [0, 100, 1_000])
def test_a_sound_that_is_too_short_to_be_searched_stays_whole(length_ms: int) -> None:
    samples = sound(length_ms)

    assert quietest(samples) == len(samples)


def track(name: str, language: str) -> PublishedTrack:
    audio = AudioRendition(
        name=name,
        stream_index=1,
        codec=AudioCodec.AAC,
        kbps=96,
        channels=2,
        language=language,
    )
    made = Track(
        name=name,
        codecs="mp4a.40.2",
        init=MediaFile(size_bytes=1, sha256=""),
        segments=(),
        audio=audio,
    )
    return PublishedTrack(track=made, pieces=())


@pytest.mark.parametrize(
    ("language", "name"),
    [(None, "audio"), ("fr", "audio"), ("en", "audio"), ("de", "audio-1")],
)
def test_the_sound_in_the_wanted_language_is_heard_else_the_usual_one(
    language: str | None, name: str
) -> None:
    tracks = (track("audio", "en"), track("audio-1", "de-AT"), track("audio-2", "de"))
    media = MediaIndex(tracks=tracks, duration_s=6.0)

    found = sound_track(media, language)

    assert found is not None
    assert found.name == name


def test_a_video_without_audio_tracks_has_no_sound() -> None:
    assert sound_track(MediaIndex(tracks=(), duration_s=6.0), None) is None
