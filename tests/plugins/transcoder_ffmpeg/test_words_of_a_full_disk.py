"""
A video whose ffmpeg says in each attempt that the disk is full comes to an end.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.videos.states import VideoState
from hvcore.plugin_api import BuildContext
from hvcore_transcoder_ffmpeg.backend import FfmpegTranscoder
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.machine import Machine
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.services.conftest import World, make_world

pytestmark = pytest.mark.services


@pytest.fixture
def world(
    tmp_path: Path, context: BuildContext, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """
    A service whose ffmpeg repeats what a source has for a name, and gives up.
    """
    program = tmp_path / "ffmpeg"
    program.write_text(
        f"#!/bin/sh\necho >> '{tmp_path}/calls'\n"
        "echo 'x: No space left on device' >&2\nexit 1\n"
    )
    program.chmod(0o755)
    ready = Machine.ready

    def taken_over(self: Machine) -> tuple[FfmpegEngine, Sandbox]:
        # Unconfined: with the filter, the script could do nothing.
        return attrs.evolve(ready(self)[0], ffmpeg=program), Sandbox(bwrap=None)

    monkeypatch.setattr(Machine, "ready", taken_over)
    with make_world(tmp_path / "data", {}) as made:
        overrides = made.services.recipe.overrides
        overrides["transcoder"] = FfmpegTranscoder(FfmpegOptions(), context)  # type: ignore[index]  # a dict in truth
        made.services.__dict__.pop("transcoder", None)
        yield made


@pytest.fixture
def source(tmp_path: Path) -> bytes:
    path = tmp_path / "source.mp4"
    ffmpeg(*pattern("64x64", "25", 1), "-c:v", "libx264", path)
    return path.read_bytes()


def test_a_source_that_makes_ffmpeg_say_so_fails_after_its_attempts(
    world: World, source: bytes, tmp_path: Path
) -> None:
    video_id = world.processed(source)

    world.run_everything()

    video = world.video(video_id)
    assert video.state is VideoState.FAILED
    assert video.failure_reason
    assert "No space" not in video.failure_reason
    tried = (tmp_path / "calls").read_text().splitlines()
    assert len(tried) == MAX_ATTEMPTS
    world.run_everything()
    assert (tmp_path / "calls").read_text().splitlines() == tried


def test_a_disk_that_is_full_fails_no_video(
    world: World, source: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    video_id = world.processed(source)

    def refuse(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as context:
        context.setattr(os, "posix_fallocate", refuse)
        world.run_everything()

    assert world.video(video_id).state is VideoState.TRANSCODING
