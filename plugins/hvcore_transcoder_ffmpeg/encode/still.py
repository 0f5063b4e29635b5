"""Make JPEGs of moments in published segments."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    FrameSpan,
    TranscodeError,
    Workspace,
)
from hvcore_transcoder_ffmpeg.encode import filters
from hvcore_transcoder_ffmpeg.encode.run import judge
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import ENCODE_DECODERS, input_options
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus, supervise

STILL_FILE: Final = "still.jpg"
_FRAME_FILES: Final = "frame-%04d.jpg"

_GIB: Final = 1024**3
_LIMITS: Final = {
    # Six seconds of 1080p at 60 pictures a second take 2 s of a core; of a
    # 2160p video without smaller rungs 10 s.
    "cpu_s": 120,
    # Frames of each of the decoder's threads; most is reserved, not used.
    "address_space_bytes": 8 * _GIB,
    "file_size_bytes": 64 * 1024**2,
    "open_files": 64,
}
_FAILED: Final = "The picture could not be made."


def take_still(
    engine: FfmpegEngine,
    sandbox: Sandbox,
    workspace: Workspace,
    *,
    streams: Streams,
    at_s: float,
) -> Path:
    """
    Make a JPEG of the first frame at or after a moment of a segment.

    Args:
        at_s: The moment in seconds after the first frame of the segment.

    Raises:
        UnusableSourceError: The source cannot be decoded.
        TranscodeError: This attempt failed.
    """
    graph = filters.still_graph(
        streams.video, at_s=at_s, can_tone_map=engine.can_tone_map
    )
    # It ends as soon as it has its picture.
    output = ["-frames:v", "1", "-f", "image2", "-update", "1", f"file:{STILL_FILE}"]
    ended = _run(engine, sandbox, workspace, streams, [*_graph(graph), *output])
    made = workspace.folder.resolve() / STILL_FILE
    if not made.is_file():
        raise TranscodeError(_FAILED, log=f"no picture at {at_s:.3f} s\n{ended.log}")
    return made


def take_frames(
    engine: FfmpegEngine,
    sandbox: Sandbox,
    workspace: Workspace,
    *,
    streams: Streams,
    span: FrameSpan,
) -> Sequence[Path]:
    """
    Make JPEGs of the evenly spaced frames of a span of consecutive segments.

    Raises:
        UnusableSourceError: The source cannot be decoded.
        TranscodeError: This attempt failed.
    """
    graph = filters.frames_graph(streams.video, span, can_tone_map=engine.can_tone_map)
    output = ["-frames:v", str(span.count), "-f", "image2", f"file:{_FRAME_FILES}"]
    ended = _run(engine, sandbox, workspace, streams, [*_graph(graph), *output])
    made = sorted(workspace.folder.resolve().glob("frame-*.jpg"))
    if not made:
        log = f"no picture from {span.start_s:.3f} s on\n{ended.log}"
        raise TranscodeError(_FAILED, log=log)
    return made


def _run(
    engine: FfmpegEngine,
    sandbox: Sandbox,
    workspace: Workspace,
    streams: Streams,
    output: Sequence[str],
) -> ExitStatus:
    folder, source = workspace.folder.resolve(), workspace.source.resolve()
    ended = supervise(
        sandbox.command(
            [*_input(engine, source, streams), *output],
            limits=_LIMITS,
            readable=[source],
            writable=folder,
        ),
        folder=folder,
        take_output=lambda _: None,
        tick=workspace.check,
    )
    require_plain_files(folder)
    judge(ended, folder)
    return ended


def _input(engine: FfmpegEngine, source: Path, streams: Streams) -> list[str]:
    command = [str(engine.ffmpeg), "-hide_banner", "-loglevel", "warning"]
    # As for an encode.
    command += ["-nostdin", "-nostats", "-y", "-max_pixels", str(MAX_SOURCE_PIXELS)]
    command += ["-sn", "-dn", "-an"]
    command += engine.decoding(FFMPEG)
    return command + input_options(source, streams.container, ENCODE_DECODERS)


def _graph(graph: str) -> list[str]:
    command = ["-filter_complex", graph, "-map", f"[{filters.POSTER}]"]
    command += ["-map_metadata", "-1"]
    # 2 of 31: it is compressed once more by the core, and again by thumbnails.
    return [*command, "-c:v", "mjpeg", "-q:v", "2", "-strict", "unofficial"]
