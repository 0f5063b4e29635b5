"""
Find out what an uploaded file is, without trusting it.
"""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hv_transcoder_ffmpeg import stream_report, timestamps
from hv_transcoder_ffmpeg.containers import (
    PROBE_DECODERS,
    input_options,
    sniff_container,
)
from hv_transcoder_ffmpeg.engine import Engine
from hv_transcoder_ffmpeg.process import Ended, supervise
from hv_transcoder_ffmpeg.repair import copy_good_tracks, unopened_track
from hv_transcoder_ffmpeg.sandbox import Sandbox
from hv_transcoder_ffmpeg.source import Streams
from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    SEGMENT_S,
    PixelFormat,
    SourceInfo,
    TranscodeError,
    UnusableSourceError,
    VideoTrackInfo,
    Workspace,
)

_GIB: Final = 1024**3
_LIMITS: Final = {
    # A 19 KB file took 2.7 GB and 9 s; under this limit it is refused in 0.1 s.
    "address_space_bytes": _GIB,
    "cpu_s": 20,
    # It prints to a pipe and has no file to write.
    "file_size_bytes": 0,
    "open_files": 64,
}
_SCAN_CPU_S: Final = 600
"""Twelve hours at 240 pictures a second take a tenth of it."""

_MAX_REPORT_BYTES: Final = 4 * 1024 * 1024

_UNREADABLE: Final = "The file is damaged or incomplete and cannot be read."
_UNSUPPORTED: Final = "The file uses a video or audio format that is not supported."
_TOO_HARD: Final = "The file is damaged: reading it takes too much time or memory."
_MACHINE_WORDS: Final = (
    "No space left on device",
    "Input/output error",
    "Permission denied",
    "No such file or directory",
    "Too many open files",
)


@attrs.frozen(kw_only=True)
class _Opened:
    """
    A file that ffprobe can read.

    Attributes:
        path: The source, or a copy of its good tracks.
        streams: With the indexes of the source.
        video_index: In the file at path.
    """

    path: Path
    streams: Streams
    video_index: int


class Prober:
    """
    Runs ffprobe on the source of a workspace.
    """

    def __init__(self, engine: Engine, sandbox: Sandbox) -> None:
        self._engine = engine
        self._sandbox = sandbox

    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Return what the core wants to know.

        Raises:
            UnusableSourceError: It cannot be made into a video.
            TranscodeError: This machine could not find out.
        """
        with self._opened(workspace, is_whole=True) as opened:
            timeline = self._timeline(workspace, opened)
        streams = opened.streams
        video = streams.video
        rate = timestamps.frame_rate(video, timeline)
        # The last picture of a file without durations is shown for one frame.
        end_s = max(timeline.end_s, timeline.last_s + float(1 / rate))
        duration_s = end_s - min(streams.start_s, timeline.first_s)
        _require_enough(duration_s, video.declared_s)
        return SourceInfo(
            duration_s=round(duration_s, 6),
            size_bytes=workspace.source.stat().st_size,
            container=streams.container,
            video=VideoTrackInfo(
                stream_index=video.index,
                width_px=video.width_px,
                height_px=video.height_px,
                frame_rate=rate,
                pixel_format=self._makeable(video.pixel_format),
                codec=video.codec,
                is_hdr=video.colour.is_hdr,
                is_interlaced=video.is_interlaced,
            ),
            audio=streams.audio,
        )

    def streams(self, workspace: Workspace) -> Streams:
        """
        Read the file's headers only; takes about 0.1 s.

        Raises:
            UnusableSourceError: It cannot be made into a video.
            TranscodeError: This machine could not find out.
        """
        with self._opened(workspace, is_whole=False) as opened:
            return opened.streams

    @contextmanager
    def _opened(self, workspace: Workspace, *, is_whole: bool) -> Iterator["_Opened"]:
        container = sniff_container(workspace.source)
        path = workspace.source.resolve()
        ended, report = self._headers(workspace, path, container)
        bad: list[int] = []
        indexes: tuple[int, ...] | None = None
        try:
            while (unopened := unopened_track(ended.log)) is not None:
                bad.append(indexes[unopened] if indexes else unopened)
                good = copy_good_tracks(
                    self._engine,
                    self._sandbox,
                    workspace,
                    container=container,
                    bad=bad,
                    is_whole=is_whole,
                )
                if good is None or len(bad) > MAX_SOURCE_STREAMS:
                    raise UnusableSourceError(_UNSUPPORTED)
                path, indexes = good.path, good.indexes
                ended, report = self._headers(workspace, path, container)
            _judge(ended)
            streams = stream_report.read_streams(report, container)
            yield _Opened(
                path=path,
                streams=streams.reindexed(indexes) if indexes else streams,
                video_index=streams.video.index,
            )
        finally:
            if path.parent == workspace.folder.resolve():
                path.unlink(missing_ok=True)

    def _headers(
        self, workspace: Workspace, path: Path, container: str
    ) -> tuple[Ended, bytes]:
        report = bytearray()

        def take(data: bytes) -> None:
            report.extend(data)
            if len(report) > _MAX_REPORT_BYTES:
                raise UnusableSourceError(_TOO_HARD)

        ended = supervise(
            self._command(
                path,
                container,
                ["-show_entries", stream_report.ENTRIES, "-of", "json"],
                cpu_s=_LIMITS["cpu_s"],
            ),
            folder=Path("/"),
            take_output=take,
            tick=workspace.check,
        )
        return ended, bytes(report)

    def _timeline(self, workspace: Workspace, opened: "_Opened") -> timestamps.Timeline:
        reader = timestamps.TimelineReader(opened.streams.start_s)
        question = ["-select_streams", str(opened.video_index)]
        question += ["-show_entries", timestamps.ENTRIES]
        question += ["-of", "csv=print_section=0"]
        ended = supervise(
            self._command(
                opened.path, opened.streams.container, question, cpu_s=_SCAN_CPU_S
            ),
            folder=Path("/"),
            take_output=reader.feed,
            tick=workspace.check,
        )
        _judge(ended)
        return reader.timeline()

    def _command(
        self, path: Path, container: str, question: Sequence[str], *, cpu_s: int
    ) -> list[str]:
        # Warnings tell which track could not be opened.
        command = [str(self._engine.ffprobe), "-hide_banner", "-loglevel", "warning"]
        # Frames of eight threads would not fit the memory; none are needed.
        command += ["-threads", "1"]
        # Refused before memory is taken for them.
        command += ["-max_pixels", str(MAX_SOURCE_PIXELS)]
        command += ["-max_streams", str(MAX_SOURCE_STREAMS + 1)]
        command += input_options(path, container, PROBE_DECODERS)
        return self._sandbox.command(
            [*command, *question],
            limits={**_LIMITS, "cpu_s": cpu_s},
            readable=[path],
        )

    def _makeable(self, wanted: PixelFormat) -> PixelFormat:
        for suffix in ("12b", "10b", ""):
            base = wanted.value.removesuffix("12b").removesuffix("10b")
            candidate = PixelFormat(base + suffix)
            if (
                candidate.bit_depth <= wanted.bit_depth
                and candidate in self._engine.pixel_formats
            ):
                return candidate
        return PixelFormat.YUV420P


def _require_enough(there_s: float, declared_s: float) -> None:
    """
    Refuse a file that was cut off before anything worth watching.

    One segment is, and so is half of a video that is shorter.
    """
    if there_s < min(SEGMENT_S, declared_s / 2):
        raise UnusableSourceError(
            f"The file is incomplete: {there_s:.1f} of {declared_s:.0f} seconds of "
            "the video are there."
        )


def _judge(ended: Ended) -> None:
    if ended.is_success:
        return
    # ffprobe names the file it complains of. Other words, or none, come from
    # what stands in front of it: the launcher or bubblewrap.
    is_machine = (
        ended.signal is signal.SIGKILL
        or (ended.signal is None and "file:" not in ended.log)
        or any(words in ended.log for words in _MACHINE_WORDS)
    )
    if is_machine:
        raise TranscodeError(
            "The video could not be examined.",
            log=f"ended with {ended.status}\n{ended.log}",
        )
    if ended.signal is not None or "Cannot allocate memory" in ended.log:
        raise UnusableSourceError(_TOO_HARD)
    raise UnusableSourceError(_UNREADABLE)
