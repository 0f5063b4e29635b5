"""
What a program leaves that a file has taken over, or that the machine stopped.
"""

from collections.abc import Callable
from pathlib import Path

import attrs
import pytest

from hvcore.plugin_api import (
    BuildContext,
    TranscodeError,
    Transcoder,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.captions import tracks
from hvcore_transcoder_ffmpeg.captions.tracks import (
    UNREADABLE,
    Extracted,
    extract_captions,
)
from hvcore_transcoder_ffmpeg.encode.commands import Encode
from hvcore_transcoder_ffmpeg.encode.job import run_part
from hvcore_transcoder_ffmpeg.encode.still import take_still
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.machine import Machine
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.probe import prober as probing
from hvcore_transcoder_ffmpeg.probe.prober import Prober
from hvcore_transcoder_ffmpeg.probe.repair import copy_good_tracks
from hvcore_transcoder_ffmpeg.reasons import TOO_HARD
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from tests.plugins.transcoder_ffmpeg.clips import ffmpeg, pattern
from tests.plugins.transcoder_ffmpeg.conftest import make_order, make_workspace

pytestmark = pytest.mark.services


@pytest.fixture(scope="module")
def engine(context: BuildContext) -> FfmpegEngine:
    return Machine(FfmpegOptions(), context).ready()[0]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    (folder / "a.srt").write_text("1\n00:00:00,100 --> 00:00:00,900\nOne\n")
    path = folder / "a.mkv"
    texts = ["-i", folder / "a.srt", "-map", "0", "-map", "1"]
    ffmpeg(*pattern("64x64", "25", 1), *texts, "-c:v", "libx264", path)
    return path


@pytest.fixture
def taken_over(engine: FfmpegEngine, tmp_path: Path) -> Callable[[str], FfmpegEngine]:
    """
    Write an ffmpeg that does what is wanted of it.
    """

    def make(script: str) -> FfmpegEngine:
        program = tmp_path / "ffmpeg"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return attrs.evolve(engine, ffmpeg=program)

    return make


@pytest.fixture
def extract(
    engine: FfmpegEngine, source: Path, tmp_path: Path
) -> Callable[[FfmpegEngine], Extracted]:
    def run(with_engine: FfmpegEngine) -> Extracted:
        # Unconfined: with the filter, the scripts could do nothing.
        bare = Sandbox(bwrap=None)
        workspace = make_workspace(source, tmp_path / "out")
        streams = Prober(engine, bare).streams(workspace)
        assert streams.captions
        return extract_captions(with_engine, bare, workspace, streams)

    return run


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("kill -KILL $$", TranscodeError),
        ("kill -TERM $$", TranscodeError),
        ("echo 'Input/output error' >&2; exit 1", TranscodeError),
    ],
)
def test_captions_that_the_machine_lost_are_read_again(
    taken_over: Callable[[str], FfmpegEngine],
    extract: Callable[[FfmpegEngine], Extracted],
    script: str,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        extract(taken_over(script))


@pytest.mark.parametrize(
    "script",
    [
        "kill -SEGV $$",
        "kill -XCPU $$",
        "trap 'exit 255' XCPU; kill -XCPU $$",
        "echo 'Invalid data' >&2; exit 1",
        # A name in the source: the disk has room.
        "echo 'No space left on device' >&2; exit 1",
    ],
)
def test_captions_that_crash_ffmpeg_cost_no_video(
    taken_over: Callable[[str], FfmpegEngine],
    extract: Callable[[FfmpegEngine], Extracted],
    script: str,
) -> None:
    assert extract(taken_over(script)) == Extracted(warnings=(UNREADABLE,))


def test_captions_that_take_too_long_cost_no_video(
    taken_over: Callable[[str], FfmpegEngine],
    extract: Callable[[FfmpegEngine], Extracted],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(tracks._LIMITS, "cpu_s", 1)

    found = extract(taken_over("while :; do :; done"))

    assert found == Extracted(warnings=(UNREADABLE,))


def test_a_file_that_takes_too_long_to_read_is_refused_at_once(
    engine: FfmpegEngine,
    taken_over: Callable[[str], FfmpegEngine],
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(probing._LIMITS, "cpu_s", 1)
    program = taken_over("while :; do :; done").ffmpeg
    prober = Prober(attrs.evolve(engine, ffprobe=program), Sandbox(bwrap=None))

    with pytest.raises(UnusableSourceError, match=TOO_HARD):
        prober.streams(make_workspace(source, tmp_path / "out"))


@pytest.mark.parametrize(
    "script",
    ["ln -s /etc/passwd captions-0.raw", "mkfifo captions-0.raw", "mkfifo elsewhere"],
)
def test_a_link_or_pipe_is_not_read_as_captions(
    taken_over: Callable[[str], FfmpegEngine],
    extract: Callable[[FfmpegEngine], Extracted],
    script: str,
) -> None:
    with pytest.raises(TranscodeError, match="no video"):
        extract(taken_over(script))


def test_a_link_is_not_taken_for_a_picture(
    engine: FfmpegEngine,
    taken_over: Callable[[str], FfmpegEngine],
    source: Path,
    tmp_path: Path,
) -> None:
    bare = Sandbox(bwrap=None)
    workspace = make_workspace(source, tmp_path / "out")
    streams = Prober(engine, bare).streams(workspace)
    linking = taken_over("ln -s /etc/passwd still.jpg")

    with pytest.raises(TranscodeError, match="no video"):
        take_still(linking, bare, workspace, streams=streams, at_s=0.0)


def test_a_link_is_not_taken_for_a_segment(
    engine: FfmpegEngine,
    taken_over: Callable[[str], FfmpegEngine],
    transcoder: Transcoder,
    source: Path,
    tmp_path: Path,
) -> None:
    bare = Sandbox(bwrap=None)
    workspace = make_workspace(source, tmp_path / "out")
    (part,) = transcoder.plan(make_order(transcoder.probe(workspace)))
    encode = Encode(
        engine=taken_over("ln -s /etc/passwd video/0.m4s"),
        source=source,
        streams=Prober(engine, bare).streams(workspace),
        part=part,
        audio=(),
        threads=1,
    )

    with pytest.raises(TranscodeError, match="no video"):
        run_part(encode, workspace, bare)


def test_a_link_is_not_taken_for_a_copy_of_the_source(
    taken_over: Callable[[str], FfmpegEngine], source: Path, tmp_path: Path
) -> None:
    linking = taken_over("ln -s /etc/passwd good-tracks")
    bare, workspace = Sandbox(bwrap=None), make_workspace(source, tmp_path / "out")

    with pytest.raises(TranscodeError, match="no video"):
        copy_good_tracks(linking, bare, workspace, container="matroska", bad=[1])


def test_links_are_found_at_any_depth_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "video/720p").mkdir(parents=True)
    (tmp_path / "video/720p/0.m4s").write_bytes(b"0")
    require_plain_files(tmp_path)

    (tmp_path / "video/480p").symlink_to("720p", target_is_directory=True)
    with pytest.raises(TranscodeError) as refused:
        require_plain_files(tmp_path)

    assert "480p" in refused.value.log
