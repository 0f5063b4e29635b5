"""
Get at a video whose file also has a track that cannot be opened.

ffprobe gives up on the whole file where it cannot open the decoder of one
track: damaged sound, or a codec that is not supported. So that the rest can be
examined, it is copied to a file of its own, without decoding anything.
"""

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Workspace
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import (
    MAX_OPENED_STREAMS,
    PROBE_DECODERS,
    input_options,
)
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from hvcore_transcoder_ffmpeg.sandbox.process import supervise

_COPY: Final = "good-tracks"
_MUXERS: Final = {
    # Each of the two refuses some codecs that the other one takes; mov forgets
    # most languages.
    "mov": ("mp4", "mov"),
    "matroska": ("matroska",),
    "avi": ("avi",),
}
_KINDS: Final = (
    # No muxer takes all kinds of subtitles, and one that it refuses costs no video.
    ("0:v?", "0:a?", "0:s?"),
    ("0:v?", "0:a?"),
)
_TRACK: Final = re.compile(rb"  Stream #0:(\d{1,4}) -> #0:\d{1,4} \(copy\)")
_LINE_BYTES: Final = 1024
_LIMITS: Final = {
    "address_space_bytes": 1024**3,
    # Copying takes a second for a gigabyte.
    "cpu_s": 120,
    "open_files": 64,
}
_SPARE_BYTES: Final = 64 * 1024**2


@attrs.frozen(kw_only=True)
class GoodTracks:
    """
    A copy of the tracks that can be opened.

    Attributes:
        indexes: For each track of the copy, its index in the source.
    """

    path: Path
    indexes: tuple[int, ...]


def unopened_track(log: str) -> int | None:
    """Return the index of the track that ffprobe gave up on, if that was it."""
    found = re.search(r"Could not open codec for input stream (\d{1,4})", log)
    return int(found.group(1)) if found else None


def copy_good_tracks(
    engine: FfmpegEngine,
    sandbox: Sandbox,
    workspace: Workspace,
    *,
    container: str,
    bad: Sequence[int],
) -> GoodTracks | None:
    """
    Copy all tracks of use but the bad ones into the workspace's folder, with their times.

    Args:
        bad: Indexes in the source.

    Returns:
        None if nothing is left, or it cannot be copied.

    Raises:
        TranscodeError: What was made is no file.
    """
    folder, source = workspace.folder.resolve(), workspace.source.resolve()
    spare = source.stat().st_size + _SPARE_BYTES
    for kinds, muxer in product(_KINDS, _MUXERS[container]):
        command = [str(engine.ffmpeg), "-hide_banner", "-loglevel", "info"]
        # As for an encode; info tells which track becomes which.
        command += ["-nostdin", "-nostats", "-y"]
        command += ["-max_streams", str(MAX_OPENED_STREAMS)]
        # The times of the source: a copy would begin at 0, whatever is missing in it.
        command += ["-copyts"]
        command += engine.decoding(FFMPEG)
        command += input_options(source, container, PROBE_DECODERS)
        for kind in kinds:
            command += ["-map", kind]
        for index in bad:
            command += ["-map", f"-0:{index}"]
        command += [
            "-c",
            "copy",
            "-avoid_negative_ts",
            "disabled",
            "-f",
            muxer,
            f"file:{_COPY}",
        ]
        mapping = _Mapping()
        ended = supervise(
            sandbox.command(
                command,
                limits={**_LIMITS, "file_size_bytes": spare},
                readable=[source],
                writable=folder,
            ),
            folder=folder,
            take_output=lambda _: None,
            tick=workspace.check,
            take_log=mapping.feed,
        )
        require_plain_files(folder)
        if ended.is_success and mapping.indexes:
            return GoodTracks(path=folder / _COPY, indexes=tuple(mapping.indexes))
    return None


class _Mapping:
    """
    Follow ffmpeg's log, and note which track becomes which.

    A line for each packet whose time goes back may come behind, and long tags before.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.indexes: list[int] = []

    def feed(self, data: bytes) -> None:
        """Take the next piece of the log."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:_LINE_BYTES]
        for line in lines:
            if found := _TRACK.fullmatch(line):
                self.indexes.append(int(found.group(1)))
