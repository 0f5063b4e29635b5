"""
Write the closed captions in the pictures of a source (CEA-608 in A/53) as WebVTT.

They are side data of decoded pictures, which ffmpeg makes a track of texts only where
its device for filters opens the file. So the pictures are decoded once more, and only
of files that have such data: a search of the bytes tells, in the time of reading them.
"""

import re
from typing import Final

from hv_transcoder_ffmpeg.budget import encode_limits
from hv_transcoder_ffmpeg.caption_cues import ordered_cues
from hv_transcoder_ffmpeg.caption_tracks import (
    Extracted,
    reader_head,
    run_reader,
    take_written,
    webvtt_output,
)
from hv_transcoder_ffmpeg.containers import ENCODE_DECODERS
from hv_transcoder_ffmpeg.engine import FfmpegEngine
from hv_transcoder_ffmpeg.sandbox import Sandbox
from hv_transcoder_ffmpeg.source import Streams
from hvcore.plugin_api import (
    CaptionFile,
    CaptionTrackInfo,
    TranscodeOrder,
    Workspace,
)

NOT_READ: Final = (
    "The source has closed captions in its pictures that could not be read, or not all "
    "of them; they were taken out of the pictures."
)

_CODECS: Final = frozenset({"h264", "hevc", "mpeg2video", "av1"})
"""Whose pictures can carry captions that ffmpeg finds."""
_MARKS: Final = (b"GA94\x03", b"\x00\x01\xb2CC\x01\xf8")
"""How A/53 begins in all of these codecs, and the captions of a DVD."""
_PIECE_BYTES: Final = 4 * 1024**2
_NAME: Final = "captions-in-pictures"
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
    Write the first caption channel into the workspace's folder; it costs no video.

    Raises:
        UnavailableError: The disk is full; the job waits for room.
        TranscodeError: The machine, not the file, kept them from being read.
        Exception: What the workspace's check raises.
    """
    if streams.video.codec not in _CODECS or not _has_marks(workspace):
        return Extracted()
    limits = encode_limits(order, streams, duration_s=order.source.duration_s)
    ended = run_reader(sandbox, workspace, _command(engine, workspace, streams), limits)
    written = take_written(workspace.folder / f"{_NAME}.raw")
    warnings = () if ended.is_success and written is not None else (NOT_READ,)
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


def _command(engine: FfmpegEngine, workspace: Workspace, streams: Streams) -> list[str]:
    # As containers.input_options: one file, one demuxer, few decoders.
    formats = f"protocol_whitelist=file:format_whitelist={streams.container}"
    opened = {
        "filename": f"file:{workspace.source.resolve()}",
        "format_name": streams.container,
        "format_opts": f"{formats}:codec_whitelist={ENCODE_DECODERS}",
        "streams": str(streams.video.index),
    }
    options = ":".join(f"{key}={_escaped(value)}" for key, value in opened.items())
    graph = f"movie={options}[out+subcc]"
    command = [*reader_head(engine), "-f", _DEVICE, "-i", graph]
    return [*command, "-map", "0:s", *webvtt_output(f"{_NAME}.raw")]


def _escaped(value: str) -> str:
    # For an option of a filter, and then for the graph around it.
    option = re.sub(r"([\\':])", r"\\\1", value)
    return re.sub(r"([\\'\[\],;])", r"\\\1", option)
