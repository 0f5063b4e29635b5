"""
Side data of a source's pictures: captions, and what its screen was.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from hvcore.domain.videos.captions import read_captions
from hvcore.plugin_api import BuildContext, PartDone, PixelFormat, Transcoder
from hvcore_transcoder_ffmpeg.captions import pictures
from hvcore_transcoder_ffmpeg.engine.binaries import find_candidates
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.closed_captions import captioned, enhanced
from tests.plugins.transcoder_ffmpeg.conftest import (
    Encoded,
    make_order,
    make_workspace,
)
from tests.plugins.transcoder_ffmpeg.playing import joined

pytestmark = pytest.mark.services

_SCREEN: Final = (
    "log-level=error:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
    "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)"
    "L(10000000,50):max-cll=1000,400"
)
_BOXES: Final = (b"mdcv", b"clli")
_ABOUT_SCREENS: Final = (b"\x06\x89\x18", b"\x06\x90\x04", b"\x4e\x01\x89\x18")
"""How the messages with mastering display and light levels begin in H.264 and H.265."""

Encode = Callable[..., Encoded]


@pytest.fixture(scope="session", params=["distribution", "wheel"])
def either(request: pytest.FixtureRequest, context: BuildContext) -> Transcoder:
    """
    A transcoder with the ffmpeg of the distribution, and one with that of the wheel.
    """
    origin = {"distribution": "PATH", "wheel": "Python packages"}[request.param]
    (found,) = (one for one in find_candidates() if one.origin == origin)
    return build(FfmpegOptions(ffmpeg=found.ffmpeg), context)


@pytest.fixture
def made_by(either: Transcoder, tmp_path: Path) -> Encode:
    def run(source: Path, **settings: object) -> Encoded:
        workspace = make_workspace(source, tmp_path / "job")
        info = either.probe(workspace)
        order = make_order(info, **settings)
        (part,) = either.plan(order)
        done = either.run(part, workspace)
        assert isinstance(done, PartDone)
        return Encoded(
            info=info, order=order, done=done, folder=workspace.folder, reports=[]
        )

    return run


@pytest.fixture(scope="session")
def with_captions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # A name that means something to ffmpeg's filters.
    folder = tmp_path_factory.mktemp("captions, it's [a] test;x:y\\z")
    return captioned(folder / "captions.mp4", seconds=5)


@pytest.fixture(scope="session")
def with_screen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("screen") / "hdr10.mp4"
    options = ["-vf", "format=yuv420p10le", "-c:v", "libx265", "-preset", "ultrafast"]
    options += ["-x265-params", _SCREEN, "-tag:v", "hvc1"]
    ffmpeg(*pattern("320x180", "25", 1), *options, path)
    return path


def test_closed_captions_in_pictures_become_captions(
    made_by: Encode, with_captions: Path
) -> None:
    made = made_by(with_captions)

    (caption,) = made.done.captions
    cues = read_captions((made.folder / caption.name).read_bytes(), None).cues
    assert made.done.warnings == ()
    assert [cue.text for cue in cues[:4]] == [f"CAPTION {n}" for n in range(4)]
    # The command that shows the first one comes with the 13th picture.
    assert [cue.start_ms for cue in cues[:4]] == [
        pytest.approx(400 + 1000 * n, abs=70) for n in range(4)
    ]


def test_closed_captions_in_pictures_are_out_of_the_renditions(
    made_by: Encode, with_captions: Path
) -> None:
    made = made_by(with_captions, max_frame_rate=15)

    for track in made.done.tracks:
        assert b"GA94" not in joined(made.folder, track).read_bytes()


def test_closed_captions_that_cannot_be_read_are_told(
    made_by: Encode, with_captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As of a build without the device that opens files within filters.
    monkeypatch.setattr(pictures, "_DEVICE", "no-such-device")

    made = made_by(with_captions)

    assert made.done.captions == ()
    assert made.done.warnings == (pictures.NOT_READ,)
    assert b"GA94" not in joined(made.folder, made.done.tracks[0]).read_bytes()


def test_enhancements_of_pictures_are_not_decoded(
    context: BuildContext, tmp_path: Path
) -> None:
    """
    CVE-2026-125262 is in the decoder of the wheel's ffmpeg, which runs by itself.
    """
    source, log = enhanced(tmp_path / "enhanced.mp4"), tmp_path / "log"
    (wheel,) = (one for one in find_candidates() if one.origin == "Python packages")
    bare = subprocess.run(
        [wheel.ffmpeg, "-loglevel", "error", "-i", source, "-f", "null", "-"],
        check=True,
        capture_output=True,
    )
    assert b"lcevc" in bare.stderr
    program = tmp_path / "ffmpeg"
    program.write_text(f'#!/bin/sh\nexec {wheel.ffmpeg} "$@" 2>>{log}\n')
    program.chmod(0o755)
    transcoder = build(FfmpegOptions(ffmpeg=program, sandbox="rlimits"), context)
    workspace = make_workspace(source, tmp_path / "job")
    order = make_order(transcoder.probe(workspace))

    (part,) = transcoder.plan(order)
    transcoder.run(part, workspace)
    transcoder.still(workspace, 0.0)

    assert "lcevc" not in log.read_text()


def test_pictures_without_captions_are_decoded_once(
    made_by: Encode, clip: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "_DEVICE", "no-such-device")

    made = made_by(clip("one-frame.mp4"))

    assert made.done.warnings == ()


def test_after_tone_mapping_nothing_tells_of_the_screen_of_the_source(
    made_by: Encode, with_screen: Path
) -> None:
    assert any(mark in with_screen.read_bytes() for mark in _ABOUT_SCREENS)

    made = made_by(with_screen)

    whole = joined(made.folder, made.done.tracks[0]).read_bytes()
    assert [mark for mark in (*_BOXES, *_ABOUT_SCREENS) if mark in whole] == []


def test_hdr_output_may_tell_of_the_screen_of_the_source(
    either: Transcoder, made_by: Encode, with_screen: Path
) -> None:
    made = made_by(with_screen, pixel_format=PixelFormat.YUV420P10B)

    # ffmpeg 5 knows no way to write it.
    whole = joined(made.folder, made.done.tracks[0]).read_bytes()
    is_told = any(box in whole for box in _BOXES)
    assert is_told == ("ffmpeg 5" not in either.capabilities().name)
