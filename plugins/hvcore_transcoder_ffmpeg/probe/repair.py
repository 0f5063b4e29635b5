"""
Copy the good tracks of a file that also has a track that cannot be opened.

ffprobe gives up on a whole file if it cannot open the decoder of one track: damaged sound,
or a codec that is not supported. So that the other tracks can be examined, they are copied
to a separate file, without decoding anything.
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
    Describe a copy of a source's tracks that can be opened.

    Attributes:
        path: The path of the copy.
        indexes: The index in the source for each track of the copy.
    """

    path: Path
    indexes: tuple[int, ...]


def unopened_track(log: str) -> int | None:
    """
    Return the index of the track that ffprobe could not open; None if there is none.

    Args:
        log: The messages that ffprobe has written.
    """
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
    Copy a source's useful tracks without the bad ones into the workspace's folder.

    The tracks keep their times.

    Args:
        container: ffmpeg's name of the source's demuxer.
        bad: The indexes in the source of the tracks that cannot be opened.

    Returns:
        None if no track is left, or the tracks cannot be copied.

    Raises:
        TranscodeError: The folder has anything but plain files afterwards.
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
    Read in ffmpeg's log which track of the source becomes which track of the copy.

    Long tags may stand before those lines, and a line for each packet whose time goes back
    behind them, so the log is read piece by piece.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.indexes: list[int] = []

    def feed(self, data: bytes) -> None:
        """Read the next piece of ffmpeg's log."""
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[:_LINE_BYTES]
        for line in lines:
            if found := _TRACK.fullmatch(line):
                self.indexes.append(int(found.group(1)))
