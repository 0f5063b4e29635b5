"""
Write the closed captions in the pictures of a source (CEA-608 in A/53) as WebVTT.

The captions are side data of decoded pictures. ffmpeg turns them into a text track only
if its device for filters (``lavfi``) opens the file. So the pictures are decoded once
more, but only of files in whose bytes the marks of such captions are found.
"""

from typing import Final

from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    CaptionFile,
    CaptionTrackInfo,
    TranscodeOrder,
    Workspace,
)
from hvcore_transcoder_ffmpeg.captions.cues import ordered_cues
from hvcore_transcoder_ffmpeg.captions.tracks import (
    Extracted,
    reader_head,
    run_reader,
    take_written,
    webvtt_output,
)
from hvcore_transcoder_ffmpeg.encode.budget import encode_limits
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import (
    ENCODE_DECODERS,
    MAX_OPENED_STREAMS,
    input_options,
)
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox

NOT_READ: Final = (
    "The source has closed captions in its pictures that could not be read, or not all "
    "of them; they were taken out of the pictures."
)

_CODECS: Final = frozenset({"h264", "hevc", "mpeg2video", "av1"})
"""The codecs in whose pictures ffmpeg finds closed captions."""
_MARKS: Final = (b"GA94\x03", b"\x00\x01\xb2CC\x01\xf8")
"""The first bytes of A/53 captions in all of these codecs, and of the captions of a DVD."""
_PIECE_BYTES: Final = 4 * 1024**2
_NAME: Final = "captions-in-pictures"
_COPY: Final = f"{_NAME}.nut"
_RAW: Final = f"{_NAME}.raw"
_DEVICE: Final = "lavfi"


def extract_picture_captions(
    engine: FfmpegEngine,
    sandbox: Sandbox,
    workspace: Workspace,
    *,
    order: TranscodeOrder,
    streams: Streams,
) -> Extracted:
    """
    Write the first closed caption channel of a source into the workspace as WebVTT.

    Damaged captions do not fail the video: a warning tells of them.

    Raises:
        UnavailableError: The disk is full; the job waits for room.
        TranscodeError: The captions could not be read because of this machine.
        Exception: An error that the workspace's ``check`` raises.
    """
    if streams.video.codec not in _CODECS or not _has_marks(workspace):
        return Extracted()
    limits = encode_limits(order, streams, duration_s=order.source.duration_s)
    commands = (_small_copy(engine, workspace, streams), _command(engine))
    # Also of a copy that was not finished.
    ended = [run_reader(sandbox, workspace, one, limits) for one in commands]
    (workspace.folder / _COPY).unlink(missing_ok=True)
    written = take_written(workspace.folder / _RAW)
    is_whole = written is not None and all(one.is_success for one in ended)
    warnings = () if is_whole else (NOT_READ,)
    # What the decoder of captions gives is in the ASS format.
    cues = ordered_cues(
        written or "", codec="ass", start_s=streams.start_s, check=workspace.check
    )
    if not cues:
        return Extracted(warnings=warnings)
    name = f"{_NAME}.vtt"
    (workspace.folder / name).write_text(cues, encoding="utf-8")
    track = CaptionTrackInfo(stream_index=streams.video.index, codec="eia_608")
    captions = (CaptionFile(name=name, source=track),)
    return Extracted(captions=captions, warnings=warnings)


def _has_marks(workspace: Workspace) -> bool:
    overlap = max(map(len, _MARKS)) - 1
    with workspace.source.open("rb") as file:
        piece = b""
        while data := file.read(_PIECE_BYTES):
            workspace.check()
            piece = piece[-overlap:] + data
            if any(mark in piece for mark in _MARKS):
                return True
    return False


def _small_copy(
    engine: FfmpegEngine, workspace: Workspace, streams: Streams
) -> list[str]:
    """
    Return the ffmpeg command that makes a small copy of the pictures with their captions.

    The device for filters takes no options that make decoding safe. So it decodes this
    copy, which ffmpeg encoded here, instead of a stranger's file.
    """
    command = [*reader_head(engine), "-max_pixels", str(MAX_SOURCE_PIXELS)]
    command += ["-max_streams", str(MAX_OPENED_STREAMS), "-sn", "-dn", "-an"]
    command += engine.decoding(FFMPEG)
    source = workspace.source.resolve()
    command += input_options(source, streams.container, ENCODE_DECODERS)
    command += ["-map", f"0:{streams.video.index}", "-vf", "scale=64:64,format=yuv420p"]
    command += ["-fps_mode", "passthrough", "-c:v", "libx264", "-preset", "ultrafast"]
    # Nobody looks at them. NUT keeps times below 0.
    command += ["-crf", "51", "-a53cc", "1", "-map_metadata", "-1"]
    return [*command, "-f", "nut", f"file:{_COPY}"]


def _command(engine: FfmpegEngine) -> list[str]:
    graph = f"movie={_COPY}:format_name=nut[out+subcc]"
    command = [*reader_head(engine), "-f", _DEVICE, "-i", graph]
    return [*command, "-map", "0:s", *webvtt_output(_RAW)]
