"""
Programs are found, tried, remembered and confined.
"""

import json
import os
import subprocess
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import (
    AudioCodec,
    BuildContext,
    ConfigError,
    PixelFormat,
    Speed,
    Transcoder,
    UnavailableError,
)
from hvcore_transcoder_ffmpeg.engine import capabilities as found
from hvcore_transcoder_ffmpeg.engine import trials
from hvcore_transcoder_ffmpeg.engine.binaries import Binaries, find_candidates
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.plugin import build
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox, choose_sandbox
from tests.plugins.transcoder_ffmpeg.conftest import make_context, make_workspace

pytestmark = pytest.mark.services


def _script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_capabilities_are_what_the_machine_has(transcoder: Transcoder) -> None:
    capable = transcoder.capabilities()

    assert capable.usable
    assert capable.name.startswith("ffmpeg ")
    assert capable.pixel_formats == set(PixelFormat) - {PixelFormat.AUTO_DETECT}
    assert {AudioCodec.AAC, AudioCodec.MP3, AudioCodec.AC3} <= capable.audio_codecs
    assert capable.speeds == set(Speed)


def test_he_aac_is_not_promised_by_an_encoder_that_cannot(
    transcoder: Transcoder, context: BuildContext
) -> None:
    encoders = subprocess.run(
        ["ffmpeg", "-hide_banner", "-encoders"], capture_output=True, check=True
    )
    has_it = b"libfdk_aac" in encoders.stdout
    substituting = build(FfmpegOptions(substitute_audio=True), context)

    assert (AudioCodec.AAC_HE in transcoder.capabilities().audio_codecs) == has_it
    assert AudioCodec.AAC_HE in substituting.capabilities().audio_codecs


def test_trials_are_remembered_on_disk(
    context: BuildContext, transcoder: Transcoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = transcoder.capabilities()
    monkeypatch.setattr(found, "examine", lambda *_: pytest.fail("tried again"))

    assert build(FfmpegOptions(), context).capabilities() == expected


@pytest.mark.cases(1)
@pytest.mark.parametrize("content", ["", "{", '{"format": 0}', '{"format": 1}', "[]"])
def test_a_broken_memory_is_replaced(
    content: str,
    tmp_path: Path,
    transcoder: Transcoder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = found.choose_engine(
        None, None, cache=tmp_path / "other.json", work_dir=tmp_path
    )
    cache = tmp_path / "capabilities.json"
    cache.write_text(content)
    monkeypatch.setattr(found, "examine", lambda *_: engine)

    again = found.choose_engine(None, None, cache=cache, work_dir=tmp_path)

    assert again == engine
    assert len(json.loads(cache.read_text())["engines"]) == 1


def test_another_program_is_another_memory(tmp_path: Path) -> None:
    program = _script(tmp_path / "ffmpeg", "true")
    binaries = Binaries(ffmpeg=program, ffprobe=program, origin="")
    before = binaries.fingerprint()

    os.utime(program, (1, 1))

    assert binaries.fingerprint() != before


def test_a_wrong_path_is_named_with_its_fix(tmp_path: Path) -> None:
    options = FfmpegOptions(ffmpeg=tmp_path / "nothing")

    with pytest.raises(ConfigError, match=r"transcoder.options.ffmpeg: .*correct"):
        build(options, make_context(tmp_path))


def test_a_program_that_is_no_ffmpeg_is_not_used(tmp_path: Path) -> None:
    fake = _script(tmp_path / "ffmpeg", "exit 3")
    options = FfmpegOptions(ffmpeg=fake, ffprobe=fake)
    transcoder = build(options, make_context(tmp_path))

    capable = transcoder.capabilities()

    assert not capable.usable
    assert "Install ffmpeg" in capable.problems[0]
    with pytest.raises(UnavailableError, match="lacks a program"):
        transcoder.probe(make_workspace(fake, tmp_path / "job"))


def test_the_packages_serve_where_there_is_no_system_ffmpeg(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (binaries,) = find_candidates()

    engine = trials.examine(binaries, tmp_path)

    assert binaries.origin == "Python packages"
    assert engine.is_usable
    assert AudioCodec.MP3 in engine.priming_samples


def test_a_program_that_would_decode_lcevc_is_not_used(tmp_path: Path) -> None:
    (wheel,) = (one for one in find_candidates() if one.origin == "Python packages")
    # As of a build that does not know the option that keeps it from that.
    script = f'case "$*" in *enhancements*) exit 1;; esac; exec {wheel.ffmpeg} "$@"'
    program = _script(tmp_path / "ffmpeg", script)

    engine = trials.examine(attrs.evolve(wheel, ffmpeg=program), tmp_path)

    assert engine.missing == ("a way to leave LCEVC alone (CVE-2026-125262)",)


@pytest.mark.parametrize(
    ("version", "is_old"),
    [
        ("5.1.9-0+deb12u1", True),
        ("5.1.10", False),
        ("6.0", True),
        ("7.1.5", False),
        ("8.1.1", True),
        ("8.1.2", False),
        ("n9.0.2-17-g2a571b6068", False),
        ("4.4.2", True),
        ("N-118193-g5f38c82536", False),
    ],
)
def test_versions_with_a_known_hole_are_named(version: str, *, is_old: bool) -> None:
    assert ("CVE-2026-8461" in found.version_problem(version)) == is_old


def _inside(sandbox: Sandbox, *program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        sandbox.command(program, limits={}), capture_output=True, check=False, text=True
    )


@pytest.fixture
def bubble() -> Sandbox:
    """
    The bubblewrap sandbox of this machine.
    """
    sandbox = choose_sandbox("bwrap", [Path("/usr/bin/true")]).sandbox
    assert sandbox is not None
    return sandbox


def test_the_sandbox_hides_files(bubble: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")

    assert "canary" not in _inside(bubble, "/usr/bin/cat", str(secret)).stdout
    assert _inside(bubble, "/usr/bin/cat", "/etc/passwd").returncode != 0


def test_the_sandbox_shows_its_source_read_only(
    bubble: Sandbox, tmp_path: Path
) -> None:
    source, folder = tmp_path / "source", tmp_path / "out"
    source.write_text("canary")
    folder.mkdir()
    # Nothing but what the shell does by itself: it may start no program.
    attack = f"read x < {source}; printf %s $x; echo x > {source}; "
    attack += "echo y > file; echo z > /usr/z"
    command = bubble.command(
        ["/bin/sh", "-c", attack], limits={}, readable=[source], writable=folder
    )

    ended = subprocess.run(command, capture_output=True, check=False, text=True)

    assert ended.stdout == "canary"
    assert source.read_text() == "canary"
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_the_sandbox_has_no_network(bubble: Sandbox) -> None:
    devices = _inside(bubble, "/usr/bin/cat", "/proc/net/dev").stdout.splitlines()[2:]

    assert [line.split(":")[0].strip() for line in devices] == ["lo"]


def test_the_sandbox_has_no_environment(
    bubble: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HV_SECRET", "canary")

    assert "canary" not in _inside(bubble, "/usr/bin/env").stdout


def test_the_sandbox_has_no_privilege(bubble: Sandbox) -> None:
    status = _inside(bubble, "/usr/bin/cat", "/proc/self/status").stdout

    assert "CapEff:\t0000000000000000" in status


@pytest.mark.parametrize("level", ["bwrap", "rlimits"])
def test_memory_is_limited(level: str) -> None:
    sandbox = choose_sandbox(level, [Path("/usr/bin/true")]).sandbox
    assert sandbox is not None
    command = sandbox.command(
        ["/bin/sh", "-c", "ulimit -v; ulimit -c"],
        limits={"address_space_bytes": 1024**3},
    )

    ended = subprocess.run(command, capture_output=True, check=True, text=True)

    assert ended.stdout.split() == [str(1024**2), "0"]


def test_missing_bubblewrap_is_a_problem_and_not_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    auto = choose_sandbox("auto", [])
    insisting = choose_sandbox("bwrap", [])

    assert auto.sandbox is not None
    assert auto.sandbox.level == "rlimits"
    assert "apt install bubblewrap" in auto.problem
    assert insisting.sandbox is None


def test_bubblewrap_that_does_not_work_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _script(tmp_path / "bwrap", "echo bwrap: No permissions >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))

    auto = choose_sandbox("auto", [Path("/usr/bin/true")])

    assert auto.sandbox is not None
    assert auto.sandbox.level == "rlimits"
    assert "No permissions" in auto.problem
