"""Examine an uploaded file as a source, without trusting it."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    PixelFormat,
    SourceInfo,
    UnusableSourceError,
    VideoTrackInfo,
    Workspace,
)
from hvcore_transcoder_ffmpeg.engine.engine import FFPROBE, FfmpegEngine
from hvcore_transcoder_ffmpeg.parts import may_be_cut
from hvcore_transcoder_ffmpeg.probe import (
    notes,
    stream_report,
    timestamps,
    video_report,
)
from hvcore_transcoder_ffmpeg.probe.container_pictures import read_container
from hvcore_transcoder_ffmpeg.probe.containers import (
    MAX_OPENED_STREAMS,
    PROBE_DECODERS,
    count_recordings,
    input_options,
    require_unlocked,
    sniff_container,
)
from hvcore_transcoder_ffmpeg.probe.endings import judge_probe
from hvcore_transcoder_ffmpeg.probe.geometry import UNALIGNED
from hvcore_transcoder_ffmpeg.probe.outline import outline
from hvcore_transcoder_ffmpeg.probe.repair import copy_good_tracks, unopened_track
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.probe.timeline_verdicts import (
    length_s,
    require_enough,
    told,
    told_of_copy,
)
from hvcore_transcoder_ffmpeg.reasons import (
    ELSEWHERE,
    TOO_HARD,
    UNSUPPORTED,
)
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus, supervise

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
"""The processor time for listing all packets; a video of twelve hours at 240 pictures a
second takes a tenth of it."""

_INDEXED: Final = frozenset({"mov", "matroska"})
_MAX_RUN_S: Final = 30.0
"""The most seconds between key frames of a source that counts as seekable: each part of a
video decodes half of that in vain."""
_LATE: Final = 0.9
_SEEK_SLACK_S: Final = 1.0
"""The seconds that a seek may end too early: demuxers that order by decode time begin a
little earlier."""

_MAX_REPORT_BYTES: Final = 4 * 1024 * 1024
_SMALL_BYTES: Final = 16 * 1024 * 1024
"""The size of a file up to which headers and packets are read in one run: the packets
mostly fit into the report."""

_TOO_LARGE_WORDS: Final = "exceeds specified max pixel count"
_ELSEWHERE_WORDS: Final = "Skipped opening external track"


@attrs.frozen(kw_only=True)
class _Opened:
    """
    Describe a file that ffprobe can read: a source, or a copy of its good tracks.

    Attributes:
        path: The path of the source or the copy.
        is_copy: Whether the file is a copy of the source's good tracks.
        streams: The streams, with their indexes in the source.
        video_index: The index of the video stream in the file at path.
        packets: Lines for a TimelineReader; None if the packets were not read yet.
        log: The messages of ffprobe.
    """

    path: Path
    is_copy: bool
    streams: Streams
    video_index: int
    packets: bytes | None
    log: str


class Prober:
    """Examine the source of a workspace by ffprobe."""

    def __init__(self, engine: FfmpegEngine, sandbox: Sandbox) -> None:
        self._engine = engine
        self._sandbox = sandbox

    def probe(self, workspace: Workspace) -> SourceInfo:
        """
        Return the facts about the workspace's source that the core needs.

        Raises:
            UnusableSourceError: The source cannot be made into a video.
            TranscodeError: This machine could not examine the source.
        """
        found = self._by_outline(workspace)
        return self._examined(workspace) if found is None else found

    def _by_outline(self, workspace: Workspace) -> SourceInfo | None:
        """Probe a remote source without fetching it; return None if that is impossible."""
        ranges = workspace.source_ranges()
        if ranges is None:
            return None
        sparse = outline(ranges, workspace.folder, workspace.check)
        if sparse is None:
            return None
        try:
            return self._examined(attrs.evolve(workspace, source=sparse), is_part=True)
        except UnusableSourceError:
            # Whether it is, only the whole file tells.
            return None
        finally:
            shutil.rmtree(sparse.parent)

    def _examined(self, workspace: Workspace, *, is_part: bool = False) -> SourceInfo:
        with self._opened(workspace, is_whole=True) as opened:
            if is_part and (opened.is_copy or opened.log.strip()):
                raise UnusableSourceError(UNSUPPORTED)
            timeline = self._timeline(workspace, opened)
            streams = self._with_first_picture(workspace, opened)
            video = streams.video
            rate = timestamps.frame_rate(video, timeline)
            duration_s = length_s(streams, timeline, rate)
            require_enough(duration_s, video.declared_s)
            # Seeking is of no use in a video that is never cut.
            there = count_recordings(workspace.source, streams.container)
            is_seekable = may_be_cut(duration_s) and self._is_seekable(
                workspace, opened, timeline
            )
        return SourceInfo(
            duration_s=round(duration_s, 6),
            size_bytes=workspace.source.stat().st_size,
            container=streams.container,
            video=VideoTrackInfo(
                stream_index=video.index,
                width_px=video.geometry.size_px[0],
                height_px=video.geometry.size_px[1],
                frame_rate=rate,
                pixel_format=self._makeable(video.pixel_format),
                codec=video.codec,
                is_hdr=video.colour.is_hdr,
                is_interlaced=video.is_interlaced,
            ),
            audio=streams.audio,
            captions=streams.captions,
            chapters=streams.chapters,
            longest_gap_s=round(timeline.longest_gap_s, 6),
            is_seekable=is_seekable,
            notes=notes.written(
                told_of_copy(streams, timeline, there)
                if opened.is_copy
                else told(streams, timeline, there)
            ),
        )

    def streams(self, workspace: Workspace) -> Streams:
        """
        Return the streams of the source, by its headers and first picture, in about 0.2 s.

        Raises:
            UnusableSourceError: The source cannot be made into a video.
            TranscodeError: This machine could not examine the source.
        """
        with self._opened(workspace, is_whole=False) as opened:
            return self._with_first_picture(workspace, opened)

    def headers(self, workspace: Workspace) -> Streams:
        """
        Return the streams of a file that this service made, by its headers, in about 0.1 s.

        Raises:
            UnusableSourceError: The file is not readable as a video.
            TranscodeError: This machine could not examine the file.
        """
        with self._opened(workspace, is_whole=False) as opened:
            return opened.streams

    @contextmanager
    def _opened(self, workspace: Workspace, *, is_whole: bool) -> Iterator["_Opened"]:
        container = sniff_container(workspace.source)
        path = workspace.source.resolve()
        if is_whole and container == "mov":
            require_unlocked(path)
        ended, report = self._headers(workspace, path, container, is_whole=is_whole)
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
                )
                if good is None or len(bad) > MAX_SOURCE_STREAMS:
                    raise UnusableSourceError(UNSUPPORTED)
                path, indexes = good.path, good.indexes
                ended, report = self._headers(
                    workspace, path, container, is_whole=is_whole
                )
            judge_probe(ended, path, workspace.check)
            if _TOO_LARGE_WORDS in ended.log:
                raise UnusableSourceError(video_report.TOO_LARGE)
            # A copy has lost what ffmpeg does not know.
            pictures = read_container(workspace.source.resolve(), container)
            if indexes is not None:
                pictures = pictures.of_copy(indexes)
            streams = stream_report.read_streams(report, container, pictures)
            video_index = streams.video.index
            if indexes is not None:
                streams = streams.of_copy(indexes)
            yield _Opened(
                path=path,
                is_copy=indexes is not None,
                streams=streams,
                video_index=video_index,
                packets=stream_report.packet_lines(report, timestamps.FIELDS),
                log=ended.log,
            )
        finally:
            # Not the source, which may lie in the same folder.
            if indexes is not None:
                path.unlink(missing_ok=True)

    def _with_first_picture(self, workspace: Workspace, opened: "_Opened") -> Streams:
        """Return the opened streams, corrected by the first decoded picture."""
        question = ["-select_streams", str(opened.video_index)]
        # A few packets, because of B-frames and of damage; what is decoded of them is
        # printed at the end at the latest.
        question += ["-read_intervals", "%+#8"]
        question += ["-show_entries", video_report.FIRST_PICTURE_ENTRIES]
        question += ["-of", "json=compact=1"]
        report = bytearray()
        ended = supervise(
            self._command(
                opened.path,
                opened.streams.container,
                question,
                cpu_s=_LIMITS["cpu_s"],
            ),
            folder=Path("/"),
            take_output=report.extend,
            tick=workspace.check,
        )
        judge_probe(ended, opened.path, workspace.check)
        return video_report.with_first_picture(opened.streams, bytes(report))

    def _headers(
        self, workspace: Workspace, path: Path, container: str, *, is_whole: bool
    ) -> tuple[ExitStatus, bytes]:
        """
        Return ffprobe's report of a file's headers; of all packets, too, if it is small.

        A start of ffprobe takes longer than reading the packets of a short clip.
        """
        if is_whole and path.stat().st_size <= _SMALL_BYTES:
            entries = f"{timestamps.ENTRIES}:{stream_report.ENTRIES}"
            # With too many packets, and with damaged ones, the headers may be good.
            with suppress(UnusableSourceError):
                ended, report = self._report(workspace, path, container, entries)
                if ended.is_success:
                    return ended, report
        return self._report(workspace, path, container, stream_report.ENTRIES)

    def _report(
        self, workspace: Workspace, path: Path, container: str, entries: str
    ) -> tuple[ExitStatus, bytes]:
        report = bytearray()

        def take(data: bytes) -> None:
            report.extend(data)
            if len(report) > _MAX_REPORT_BYTES:
                raise UnusableSourceError(TOO_HARD)

        ended = supervise(
            self._command(
                path,
                container,
                ["-show_entries", entries, "-of", "json=compact=1"],
                cpu_s=_LIMITS["cpu_s"],
            ),
            folder=Path("/"),
            take_output=take,
            tick=workspace.check,
        )
        return ended, bytes(report)

    def _timeline(self, workspace: Workspace, opened: "_Opened") -> timestamps.Timeline:
        video, audio = opened.streams.video, opened.streams.audio
        reader = timestamps.TimelineReader(
            opened.streams.start_s,
            opened.video_index,
            # Of a copy, indexes are others.
            sound=[] if opened.is_copy else [track.stream_index for track in audio],
            fields=video.reordered_fields,
        )
        log = opened.log
        if opened.packets is None:
            log = self._list_packets(workspace, opened, [], reader)
        else:
            reader.feed(opened.packets)
        if reader.is_empty and _ELSEWHERE_WORDS in log:
            raise UnusableSourceError(ELSEWHERE)
        return reader.timeline()

    def _is_seekable(
        self, workspace: Workspace, opened: "_Opened", timeline: timestamps.Timeline
    ) -> bool:
        """
        Return whether a decoder can begin at any time without decoding all before it.

        An index may be missing or wrong, so a seek to a late time of the video is tried.
        """
        is_plain = opened.streams.container in _INDEXED and timeline.is_orderly
        if not is_plain or opened.is_copy or timeline.longest_run_s > _MAX_RUN_S:
            return False
        wanted_s = timeline.first_s + _LATE * (timeline.last_s - timeline.first_s)
        reader = timestamps.TimelineReader(wanted_s, opened.video_index)
        try:
            question = ["-read_intervals", f"{wanted_s:.6f}%+#1"]
            question += ["-select_streams", str(opened.video_index)]
            self._list_packets(workspace, opened, question, reader)
            landed_s = reader.timeline().first_s
        except UnusableSourceError:
            return False
        earliest_s = wanted_s - timeline.longest_run_s - _SEEK_SLACK_S
        return earliest_s <= landed_s <= wanted_s

    def _list_packets(
        self,
        workspace: Workspace,
        opened: "_Opened",
        question: list[str],
        reader: timestamps.TimelineReader,
    ) -> str:
        question = [*question, "-show_entries", timestamps.ENTRIES]
        question += ["-of", "csv=print_section=0"]
        ended = supervise(
            self._command(
                opened.path, opened.streams.container, question, cpu_s=_SCAN_CPU_S
            ),
            folder=Path("/"),
            take_output=reader.feed,
            tick=workspace.check,
        )
        judge_probe(ended, opened.path, workspace.check)
        return ended.log

    def _command(
        self, path: Path, container: str, question: Sequence[str], *, cpu_s: int
    ) -> list[str]:
        # Warnings tell which track could not be opened.
        command = [str(self._engine.ffprobe), "-hide_banner", "-loglevel", "warning"]
        # Frames of eight threads would not fit the memory; none are needed.
        command += ["-threads", "1", *UNALIGNED]
        # Refused before memory is taken for them.
        command += ["-max_pixels", str(MAX_SOURCE_PIXELS)]
        command += ["-max_streams", str(MAX_OPENED_STREAMS)]
        command += self._engine.decoding(FFPROBE)
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
