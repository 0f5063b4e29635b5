"""
What the transcoder makes and the service publishes is what the standards ask for.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from hvcore.conformance import CheckReport, check
from hvcore.plugin_api import AudioCodec, PixelFormat, Preset, Speed
from hvcore_cli.commands.videos.conform_sources import FolderSource
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern, tone
from tests.plugins.transcoder_ffmpeg.conftest import make_context
from tests.plugins.transcoder_ffmpeg.publishing import publish

pytestmark = pytest.mark.services

_FAST = ("-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac")
# What is known not to be kept: the clips say no language, and some are too small for
# several renditions.
_KNOWN = {"language-present", "several-variants"}


def published(source: Path, folder: Path, **settings: object) -> Path:
    """
    Encode a source, and lay its files out as the service does.
    """
    transcoder = build(FfmpegOptions(), make_context(folder / "machine"))
    return publish(transcoder, source, folder, speed=Speed.ULTRAFAST, **settings).folder


def conform(folder: Path) -> CheckReport:
    return check(FolderSource(folder), "master.m3u8")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    source = folder / "source.mp4"
    ffmpeg(*pattern("640x480", "30000/1001", 7.3), *tone(7), *_FAST, source)
    return published(source, folder / "job", preset=Preset.STANDARD)


def test_h264_and_aac_are_conformant(plain: Path) -> None:
    report = conform(plain)

    assert "iframes/360p/1.m4s\n" in (plain / "iframes-360p.m3u8").read_text()
    assert {finding.rule.id for finding in report.findings} <= _KNOWN
    assert report.is_conformant
    assert report.segments >= 6


def test_h265_and_two_audio_codecs_are_conformant(tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    ffmpeg(*pattern("320x180", "25", 2.5), *tone(2.5), *_FAST, source)

    report = conform(
        published(
            source,
            tmp_path / "job",
            pixel_format=PixelFormat.YUV420P12B,
            audio_codec=AudioCodec.AC3,
        )
    )

    # Twelve bits are beyond what Apple's devices show.
    found = {finding.rule.id for finding in report.findings}
    assert found - _KNOWN == {"device-profile"}
    assert report.is_conformant


def test_a_picture_for_seeking_is_decoded_alone(plain: Path, tmp_path: Path) -> None:
    init = (plain / "video" / "360p" / "init.m4s").read_bytes()
    picture = (plain / "iframes" / "360p" / "1.m4s").read_bytes()
    (tmp_path / "one.mp4").write_bytes(init + picture)

    frames = subprocess.run(
        ["ffmpeg", "-v", "fatal", "-i", "one.mp4", "-f", "framecrc", "-"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    found = [line for line in frames.splitlines() if not line.startswith("#")]
    assert len(found) == 1


def test_a_video_that_keeps_its_hdr_says_so(tmp_path: Path) -> None:
    source = tmp_path / "source.mp4"
    colour = ("-color_primaries", "bt2020", "-color_trc", "smpte2084")
    deep = ("-pix_fmt", "yuv420p10le", "-colorspace", "bt2020nc")
    ffmpeg(*pattern("320x180", "25", 1), *_FAST, *deep, *colour, source)

    folder = published(source, tmp_path / "job", pixel_format=PixelFormat.YUV420P10B)

    assert (folder / "master.m3u8").read_text().count("VIDEO-RANGE=PQ") == 2
    assert conform(folder).is_conformant


def test_faults_in_real_files_are_found(plain: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(plain, tmp_path / "copy")
    rung = next((folder / "video").iterdir())
    second = (rung / "1.m4s").read_bytes()
    (rung / "1.m4s").write_bytes(second[:-100])
    (folder / "audio" / "1.m4s").unlink()

    found = {(f.rule.id, f.file) for f in conform(folder).findings}

    assert ("boxes", f"video/{rung.name}/1.m4s") in found
    assert ("readable", "audio/1.m4s") in found
