"""
Which downloads a video has, and what each is called.
"""

import pytest

from hvcore.domain.processing.encoding import AudioCodec
from hvcore.domain.processing.transcoding import Track
from hvcore.services.playback.downloads.names import (
    downloads_of,
    first_sound,
    saved_name,
)
from tests.support.media_samples import audio_track, index, video_track

AC3, AAC = AudioCodec.AC3, AudioCodec.AAC
_PAIR = (
    audio_track(0, AC3, "ac-3", language="ger"),
    audio_track(1, AAC, language="ger"),
)


def saved(*sounds: Track) -> list[str]:
    """
    Return what the downloads of a video are called on disk.
    """
    offered = downloads_of(index(video_track(360), *sounds))
    return [saved_name("Film", one.name, one.label) for one in offered]


@pytest.mark.parametrize(
    ("sounds", "names"),
    [
        ((audio_track(language="ger"),), ["Film.m4a"]),
        (_PAIR, ["Film (de, ac3).m4a", "Film (de).m4a"]),
        (
            (audio_track(0, language="ger"), audio_track(1, language="eng")),
            ["Film (de).m4a", "Film (en).m4a"],
        ),
        (
            (audio_track(0, language="eng"), audio_track(1, language="eng")),
            ["Film (en).m4a", "Film (en 2).m4a"],
        ),
        ((audio_track(0), audio_track(1)), ["Film.m4a", "Film (2).m4a"]),
    ],
    ids=["one", "two-codecs", "two-languages", "one-language", "no-language"],
)
def test_each_download_has_a_name_of_its_own(
    sounds: tuple[Track, ...], names: list[str]
) -> None:
    assert saved(*sounds) == ["Film (360p).mp4", *names]


def test_a_download_of_sound_says_its_language() -> None:
    sounds = (audio_track(0, language="ger"), audio_track(1))

    offered = downloads_of(index(video_track(360), *sounds))

    assert [one.language for one in offered] == ["", "de", ""]


@pytest.mark.parametrize(
    ("sounds", "wanted"),
    [
        ((), None),
        ((audio_track(),), "audio"),
        (_PAIR, "audio-1"),
        ((*_PAIR, audio_track(2, AC3), audio_track(3, AAC)), "audio-1"),
        ((_PAIR[0], audio_track(1, AAC, language="eng"), _PAIR[1]), "audio-1"),
        ((audio_track(0, AC3),), "audio"),
    ],
)
def test_a_movie_has_the_default_sound_as_browsers_play_it(
    sounds: tuple[Track, ...], wanted: str | None
) -> None:
    found = first_sound(index(video_track(360), *sounds))

    assert (found.track.name if found else None) == wanted


@pytest.mark.parametrize(
    ("name", "label", "called"),
    [
        ("", "", "video.m4a"),
        ("../a/b", "de", "_a_b (de).m4a"),
        ("日" * 200, "zh-hant-tw, eac3", f"{'日' * 60} (zh-hant-tw, eac3).m4a"),
        ("🎬" * 60, "zh-hant, eac3", f"{'🎬' * 58} (zh-hant, eac3).m4a"),
    ],
)
def test_the_name_on_disk_fits_every_file_system(
    name: str, label: str, called: str
) -> None:
    found = saved_name(name, "audio.m4a", label)

    assert found == called
    assert len(found.encode()) <= 255
