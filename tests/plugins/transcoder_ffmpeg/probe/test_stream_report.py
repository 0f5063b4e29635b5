"""
Chapters and tracks of sources, as files have them or only say so.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hvcore.plugin_api import (
    MAX_CHAPTERS,
    MAX_SOURCE_STREAMS,
    Chapter,
    SourceInfo,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPictures
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.probe.stream_report import packet_lines, read_streams
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern

Probe = Callable[[Path], SourceInfo]

METADATA = r""";FFMETADATA1
[CHAPTER]
TIMEBASE=1/1000
START={0}
END={1}
title=Intro \= <b>&"x"
[CHAPTER]
TIMEBASE=1/1000
START={1}
END={2}
title=Über uns
"""
WRITTEN = [(0, 'Intro = <b>&"x"'), (1500, "Über uns")]


def chaptered(path: Path, codec: str = "libx264", *, begins_s: int = 0) -> Path:
    notes = path.with_suffix(".txt")
    at_ms = (begins_s * 1000 + moment for moment in (0, 1500, 3000))
    notes.write_text(METADATA.format(*at_ms))
    ffmpeg(
        *pattern("64x64", "10", 3),
        *("-i", str(notes), "-map_metadata", "1", "-c:v", codec),
        *("-output_ts_offset", str(begins_s), str(path)),
    )
    return path


@pytest.mark.services
@pytest.mark.parametrize("ending", ["mp4", "mov", "mkv", "webm"])
def test_chapters_of_every_container_are_found(
    tmp_path: Path, probe: Probe, ending: str
) -> None:
    codec = "libvpx" if ending == "webm" else "libx264"
    source = chaptered(tmp_path / f"source.{ending}", codec)

    found = probe(source).chapters

    assert [(one.start_ms, one.title) for one in found] == WRITTEN
    assert [one.end_ms for one in found] == [1500, 3000]


@pytest.mark.services
def test_times_count_from_the_first_picture(tmp_path: Path, probe: Probe) -> None:
    late = chaptered(tmp_path / "late.mkv", begins_s=10)

    found = probe(late).chapters

    assert [one.start_ms for one in found] == pytest.approx([0, 1500], abs=50)


@pytest.mark.services
def test_a_source_without_chapters_has_none(tmp_path: Path, probe: Probe) -> None:
    ffmpeg(*pattern("64x64", "10", 1), str(tmp_path / "plain.mp4"))

    assert probe(tmp_path / "plain.mp4").chapters == ()


def test_a_report_that_lies_gives_few_and_short_chapters() -> None:
    entry = b'{"start_time":"%d","end_time":"nan","tags":{"title":"%s"}}'
    entries = b",".join(entry % (at, b"x" * 5000) for at in range(MAX_CHAPTERS + 9))
    stream = b'{"codec_type":"video","codec_name":"h264","width":16,"height":16}'
    report = b'{"streams":[%s],"chapters":[1,null,%s]}' % (stream, entries)

    found = read_streams(report, "mov", ContainerPictures()).chapters

    assert len(found) == MAX_CHAPTERS
    assert found[0] == Chapter(start_ms=0, end_ms=43_200_000, title="x" * 200)


VIDEO = {"codec_type": "video", "codec_name": "h264", "width": 16, "height": 16}
SOUND = {
    "codec_type": "audio",
    "codec_name": "aac",
    "channels": 2,
    "sample_rate": "48000",
}
TEXT = {"codec_type": "subtitle", "codec_name": "subrip"}
COVER = {**VIDEO, "disposition": {"attached_pic": 1}}


def read(*tracks: dict[str, Any], **more: object) -> Streams:
    numbered = [{"index": number, **track} for number, track in enumerate(tracks)]
    report = json.dumps({"streams": numbered, **more}).encode()
    return read_streams(report, "mov", ContainerPictures())


def test_a_file_may_have_as_many_tracks_as_the_limit_beside_its_covers() -> None:
    most = [VIDEO, *[SOUND] * (MAX_SOURCE_STREAMS - 1)]

    assert len(read(*most, COVER, {"codec_type": "attachment"}).audio) == len(most) - 1
    for tracks, told in (([*most, SOUND], 0), ([VIDEO], MAX_SOURCE_STREAMS + 1)):
        with pytest.raises(UnusableSourceError, match=f"than {MAX_SOURCE_STREAMS}"):
            read(*tracks, format={"nb_streams": told})


@pytest.mark.parametrize(
    ("tracks", "said"),
    [
        ((COVER, SOUND), "The file has no video, only audio."),
        ((COVER, TEXT), "The file has no video."),
        ((), "The file has no video."),
    ],
)
def test_a_file_without_a_video_says_what_it_has(
    tracks: tuple[dict[str, Any], ...], said: str
) -> None:
    with pytest.raises(UnusableSourceError, match=f"^{said}$"):
        read(*tracks)


def test_sound_that_nobody_can_decode_is_left_out_and_told() -> None:
    broken = [
        {**SOUND, **change}
        for change in (
            {"codec_name": ""},
            {"channels": 0},
            {"channels": 65},
            {"sample_rate": 0},
        )
    ]
    default = {**SOUND, "channels": 64, "disposition": {"default": 1}}
    tags = {"language": "en-GB", "title": " a\tb" + "x" * 300}
    plain = {**SOUND, "tags": tags}

    found = read(VIDEO, *broken, plain, {**VIDEO, "width": 8}, default, {**VIDEO})

    assert [track.stream_index for track in found.audio] == [7, 5]
    assert [track.is_default for track in found.audio] == [True, False]
    assert (found.audio[0].channels, found.audio[1].channels) == (64, 2)
    assert found.audio[1].sample_rate_hz == 48_000
    assert found.audio[1].language == "en-GB"
    assert found.audio[1].title == ("ab" + "x" * 197)
    left_out = (
        "a sound track that cannot be read, 4 times",
        *("another video track (8x16)", "another video track (16x16)"),
    )
    assert found.warnings == (f"Left out of the file: {', '.join(left_out)}.",)


def test_data_beside_the_pictures_is_told_but_for_time_code_and_titles() -> None:
    data = [
        {"codec_type": "data", "codec_tag_string": tag} for tag in ("tmcd", "text", "x")
    ]

    assert read(VIDEO, *data).warnings == ("Left out of the file: a data track.",)
    assert read(VIDEO, *data[:2], COVER).warnings == ()


def test_texts_that_are_pictures_are_no_captions() -> None:
    flags = {"disposition": {"default": 1, "forced": 1}, "tags": {"language": "und"}}
    forced = {**TEXT, **flags}

    found = read(VIDEO, forced, TEXT)
    pictures = read(VIDEO, TEXT, {**TEXT, "codec_name": "dvd_subtitle"})

    assert [one.is_forced for one in found.captions] == [True, False]
    assert [one.is_default for one in found.captions] == [True, False]
    assert {one.language for one in found.captions} == {""}
    assert (found.has_other_subtitles, pictures.has_other_subtitles) == (False, True)
    assert [one.stream_index for one in pictures.captions] == [1]


def test_only_listed_packets_are_lines() -> None:
    report = {"packets": [{"a": 1, "b": "x"}, None, {"b": 2}]}

    assert packet_lines(json.dumps(report).encode(), ("b", "a")) == b"x,1\n2,\n"
    assert packet_lines(b'{"packets": []}', ("a",)) == b""
    assert packet_lines(b"{}", ("a",)) is None
