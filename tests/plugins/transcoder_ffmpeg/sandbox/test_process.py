"""
Programs are started as often as a job needs them, and no more.

A start in the sandbox takes a tenth of a second, whatever the program does.
"""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from hvcore.plugin_api import BuildContext, SourceInfo, Transcoder
from hvcore_transcoder_ffmpeg.engine.machine import Machine
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.probe import notes
from hvcore_transcoder_ffmpeg.probe import prober as probing
from hvcore_transcoder_ffmpeg.probe.prober import Prober
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import (
    Encoded,
    make_order,
    make_workspace,
)

pytestmark = pytest.mark.services

Clip = Callable[[str], Path]
Starts = list[Sequence[str]]


@pytest.fixture
def starts(transcoder: Transcoder, monkeypatch: pytest.MonkeyPatch) -> Starts:
    """
    The commands that were started since.
    """
    transcoder.capabilities()
    commands: Starts = []

    class Noting(subprocess.Popen[bytes]):
        def __init__(self, command: Sequence[str], **how: Any) -> None:  # noqa: ANN401
            commands.append([*map(str, command)])
            super().__init__(command, **how)

    monkeypatch.setattr(subprocess, "Popen", Noting)
    return commands


def _probes(starts: Starts) -> int:
    return sum("-show_entries" in command for command in starts)


def test_a_small_file_and_its_first_picture_are_read_in_two_starts(
    clip: Clip, encode: Callable[..., Encoded], starts: Starts
) -> None:
    encode(clip("plain.mp4"))

    assert _probes(starts) == 2


@pytest.mark.parametrize("limit", ["_SMALL_BYTES", "_MAX_REPORT_BYTES"])
def test_a_source_that_is_large_or_has_many_packets_is_read_in_another_start(
    limit: str,
    clip: Clip,
    probe: Callable[[Path], SourceInfo],
    starts: Starts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = clip("odd.mkv")
    info = probe(source)
    starts.clear()
    # Room for the headers of these, and for a few packets.
    monkeypatch.setattr(probing, limit, 2500)

    again = probe(source)

    assert again == info
    assert _probes(starts) == (3 if limit == "_SMALL_BYTES" else 4)


def test_a_video_that_may_be_cut_is_asked_for_its_index(
    probe: Callable[[Path], SourceInfo], tmp_path: Path, starts: Starts
) -> None:
    source = tmp_path / "long.mp4"
    ffmpeg(*pattern("64x64", "5", 44), "-g", "5", "-c:v", "libx264", source)

    info = probe(source)

    assert info.is_seekable
    assert _probes(starts) == 3


def test_a_process_that_starts_tries_each_program_in_the_sandbox_once(
    context: BuildContext, starts: Starts
) -> None:
    # Another process has tried the encoders.
    Machine(FfmpegOptions(), context).ready()

    assert len(starts) == 2


@pytest.mark.cases(2)
@pytest.mark.parametrize("kept", ["", "{}", "[", '"1"', "[1]"])
def test_headers_are_read_again_where_the_order_does_not_tell_them(
    kept: str, clip: Clip, transcoder: Transcoder, tmp_path: Path, starts: Starts
) -> None:
    workspace = make_workspace(clip("plain.mp4"), tmp_path / "job")
    info = transcoder.probe(workspace)
    order = make_order(attrs.evolve(info, notes=kept))
    (part,) = transcoder.plan(order)
    starts.clear()

    transcoder.run(part, workspace)

    assert _probes(starts) == 2


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["plain.mp4", "turned.mp4", "anamorphic.mp4"])
def test_notes_say_what_the_headers_say(
    name: str, clip: Clip, context: BuildContext, tmp_path: Path
) -> None:
    prober = Prober(*Machine(FfmpegOptions(), context).ready())
    workspace = make_workspace(clip(name), tmp_path / "probe")

    told = notes.read(prober.probe(workspace).notes)

    assert told == prober.streams(workspace)
