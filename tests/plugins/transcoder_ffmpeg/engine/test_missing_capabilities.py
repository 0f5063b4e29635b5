"""
What this machine's ffmpeg lacks is named, where operators and callers look.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hvcore.plugin_api import AudioCodec, Capabilities, PixelFormat, Transcoder
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from tests.plugins.transcoder_ffmpeg.conftest import make_context

pytestmark = pytest.mark.services

Doctored = Callable[..., tuple[Path, Path]]


@pytest.fixture
def doctored(tmp_path: Path) -> Doctored:
    """
    Gives the programs of this machine, without what is named.

    The ffmpeg is a script in front of the real one: it leaves lines out of its
    lists, and fails where something that is left out is asked for.
    """

    def make(*hidden: str) -> tuple[Path, Path]:
        ffmpeg, ffprobe = (
            Path(str(shutil.which(name))) for name in ("ffmpeg", "ffprobe")
        )
        words = "|".join(hidden)
        script = tmp_path / "ffmpeg"
        script.write_text(
            "#!/bin/sh\n"
            'case " $* " in\n'
            '*" -encoders "*|*" -decoders "*|*" -filters "*)\n'
            f"    {shlex.quote(str(ffmpeg))} \"$@\" | grep -Ewv '{words}';;\n"
            f"*) for word; do case $word in {words}) exit 1;; esac; done\n"
            f'    exec {shlex.quote(str(ffmpeg))} "$@";;\n'
            "esac\n"
        )
        script.chmod(0o755)
        return script, ffprobe

    return make


def _able(programs: tuple[Path, Path], folder: Path, **options: bool) -> Capabilities:
    ffmpeg, ffprobe = programs
    chosen = FfmpegOptions(ffmpeg=ffmpeg, ffprobe=ffprobe, **options)
    return build(chosen, make_context(folder)).capabilities()


def test_each_missing_thing_is_named_with_its_fix(
    doctored: Doctored, tmp_path: Path
) -> None:
    hidden = ("libx265", "libmp3lame", "eac3", "zscale", "libdav1d")

    able = _able(doctored(*hidden), tmp_path)

    assert able.usable
    assert {one for one in PixelFormat if one.bit_depth == 12}.isdisjoint(
        able.pixel_formats
    )
    assert {AudioCodec.MP3, AudioCodec.EAC3}.isdisjoint(able.audio_codecs)
    said = {lack.what: lack for lack in able.lacks}
    for words in (
        "libx265 cannot make: yuv420p12b, yuv422p12b, yuv444p12b",
        "libmp3lame there is no mp3",
        "eac3 there is no eac3",
        "HDR videos look pale",
        "libdav1d, AV1 cannot be read",
    ):
        (found,) = [one for what, one in said.items() if words in what]
        assert found.fix.startswith("Install an ffmpeg with")
        assert found.is_refused == ("HDR" not in words and "AV1" not in words)


def test_a_machine_that_lacks_nothing_else_names_he_aac_at_most(
    transcoder: Transcoder,
) -> None:
    able = transcoder.capabilities()

    he_aac = {AudioCodec.AAC_HE, AudioCodec.AAC_HE_V2}
    if he_aac <= able.audio_codecs:
        assert able.lacks == ()
    else:
        (lack,) = able.lacks
        assert "no aac-he, aac-he-v2" in lack.what
        assert "substitute_audio" in lack.fix
        assert lack.is_refused


def test_a_substitute_is_named_as_one(doctored: Doctored, tmp_path: Path) -> None:
    able = _able(doctored("libfdk_aac"), tmp_path, substitute_audio=True)

    assert AudioCodec.AAC_HE in able.audio_codecs
    assert any("AAC-LC takes its place" in lack.what for lack in able.lacks)


def test_doctor_names_it_and_finds_nothing_broken(
    doctored: Doctored, tmp_path: Path
) -> None:
    ffmpeg, ffprobe = doctored("libx265", "tonemap")
    environ = {
        **os.environ,
        "HV_TRANSCODER__OPTIONS__FFMPEG": str(ffmpeg),
        "HV_TRANSCODER__OPTIONS__FFPROBE": str(ffprobe),
    }
    folder = str(tmp_path / "hv-data")
    hv = [sys.executable, "-m", "hvcore_cli", "--data", folder]

    subprocess.run([*hv, "migrate"], env=environ, check=True, capture_output=True)
    ended = subprocess.run(
        [*hv, "doctor", "--json"], env=environ, check=False, capture_output=True
    )

    checks = json.loads(ended.stdout)["checks"]
    found = {c["found"]: c["state"] for c in checks if c["check"] == "transcoder"}
    states = {
        words: next(state for what, state in found.items() if words in what)
        for words in ("libx265 cannot make", "HDR videos look pale", "ffmpeg ")
    }
    assert states["libx265 cannot make"] == "ok"
    assert states["HDR videos look pale"] == "warning"
    assert "broken" not in found.values()
