"""
Chapters of sources, as files have them.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from hvcore.plugin_api import MAX_CHAPTERS, Chapter, SourceInfo
from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPictures
from hvcore_transcoder_ffmpeg.probe.stream_report import read_streams
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern

pytestmark = pytest.mark.services

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


@pytest.mark.parametrize("ending", ["mp4", "mov", "mkv", "webm"])
def test_chapters_of_every_container_are_found(
    tmp_path: Path, probe: Probe, ending: str
) -> None:
    codec = "libvpx" if ending == "webm" else "libx264"
    source = chaptered(tmp_path / f"source.{ending}", codec)

    found = probe(source).chapters

    assert [(one.start_ms, one.title) for one in found] == WRITTEN
    assert [one.end_ms for one in found] == [1500, 3000]


def test_times_count_from_the_first_picture(tmp_path: Path, probe: Probe) -> None:
    late = chaptered(tmp_path / "late.mkv", begins_s=10)

    found = probe(late).chapters

    assert [one.start_ms for one in found] == pytest.approx([0, 1500], abs=50)


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
