"""
Write the text tracks of a source as WebVTT files.

A separate run of ffmpeg reads the file once and decodes only texts: in the run that
encodes, a text track that begins late would hold back everything else, and a damaged
text track would fail the video.
"""

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    CaptionFile,
    CaptionTrackInfo,
    Workspace,
)
from hvcore_transcoder_ffmpeg.captions.cues import ordered_cues
from hvcore_transcoder_ffmpeg.encode.run import failed_attempt, require_room
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import (
    CAPTION_DECODERS,
    MAX_OPENED_STREAMS,
    input_options,
)
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from hvcore_transcoder_ffmpeg.sandbox.process import ExitStatus, supervise

UNREADABLE: Final = "Captions of the source could not be read, or not all of them."
NO_TEXT: Final = "The source has subtitles that are no texts; they were left out."

_MOST_BYTES: Final = 8 * 1024**2
"""
The most bytes of a text track as ffmpeg writes it: a film's track has 0.1 MB, a track of
drawings ten times as much.
"""
_LIMITS: Final = {
    "address_space_bytes": 1024**3,
    # Reading takes a second for a gigabyte, texts of that size a few.
    "cpu_s": 60,
    # ffmpeg stops at the size before by itself, after the text that exceeds it.
    "file_size_bytes": 4 * _MOST_BYTES,
    "open_files": 128,
}
_LOST_WORDS: Final = ("Invalid UTF-8", "Error while decoding", "Error decoding")


@attrs.frozen(kw_only=True)
class Extracted:
    """
    Hold the captions that were made from a source's text tracks, and the warnings.

    Attributes:
        captions: The captions of the tracks that contain any text.
        warnings: The warnings for the video's details.
    """

    captions: tuple[CaptionFile, ...] = ()
    warnings: tuple[str, ...] = ()


def extract_captions(
    engine: FfmpegEngine, sandbox: Sandbox, workspace: Workspace, streams: Streams
) -> Extracted:
    """
    Write each text track of a source into the workspace as a WebVTT file.

    Damaged tracks do not fail the video: a warning tells of them.

    Raises:
        UnavailableError: The disk is full; the job waits for room.
        TranscodeError: The tracks could not be read because of this machine.
        Exception: An error that the workspace's ``check`` raises.
    """
    warnings = [NO_TEXT] if streams.has_other_subtitles else []
    made: list[CaptionFile] = []
    if streams.captions:
        source = workspace.source.resolve()
        command = _command(engine, source, streams.container, streams.captions)
        ended = run_reader(sandbox, workspace, command, _LIMITS)
        is_whole = ended.is_success and not any(
            words in ended.log for words in _LOST_WORDS
        )
        for number, track in enumerate(streams.captions):
            raw = workspace.folder / _raw_name(number)
            written = take_written(raw)
            if written is None:
                is_whole = False
                continue
            name = f"captions-{number}.vtt"
            cues = ordered_cues(
                written,
                codec=track.codec,
                start_s=streams.start_s,
                check=workspace.check,
            )
            if cues:
                (workspace.folder / name).write_text(cues, encoding="utf-8")
                made.append(CaptionFile(name=name, source=track))
        warnings += [] if is_whole else [UNREADABLE]
    return Extracted(captions=tuple(made), warnings=tuple(warnings))


def run_reader(
    sandbox: Sandbox,
    workspace: Workspace,
    command: Sequence[str],
    limits: Mapping[str, int],
) -> ExitStatus:
    """
    Run an ffmpeg command that writes texts of the source into the workspace's folder.

    Raises:
        UnavailableError: The disk is full; the job waits for room.
        TranscodeError: The texts could not be read because of this machine.
        Exception: An error that the workspace's ``check`` raises.
    """
    folder = workspace.folder.resolve()
    ended = supervise(
        sandbox.command(
            command,
            limits=limits,
            readable=[workspace.source.resolve()],
            writable=folder,
        ),
        folder=folder,
        take_output=lambda _: None,
        tick=workspace.check,
    )
    require_plain_files(folder)
    require_room(ended, folder)
    if not ended.is_success and _is_machine(ended):
        raise failed_attempt(ended)
    return ended


def _is_machine(ended: ExitStatus) -> bool:
    # Of other signals the file is the cause: with it, ffmpeg always crashes, or
    # takes more time than it may.
    stopped = {signal.SIGKILL, signal.SIGTERM}
    return ended.signal in stopped or ended.names_machine


def _command(
    engine: FfmpegEngine,
    source: Path,
    container: str,
    tracks: Sequence[CaptionTrackInfo],
) -> list[str]:
    command = [*reader_head(engine), "-max_streams", str(MAX_OPENED_STREAMS)]
    if container == "mov":
        # ffmpeg begins an edit with a sample. A text may last since long before,
        # and the next one would come at 0.
        command += ["-advanced_editlist", "0"]
    command += engine.decoding(FFMPEG)
    command += input_options(source, container, CAPTION_DECODERS)
    for number, track in enumerate(tracks):
        command += ["-map", f"0:{track.stream_index}"]
        command += webvtt_output(_raw_name(number))
    return command


def reader_head(engine: FfmpegEngine) -> list[str]:
    """Return the first arguments of an ffmpeg command that reads texts."""
    command = [str(engine.ffmpeg), "-hide_banner", "-loglevel", "error"]
    # As for an encode.
    command += ["-nostdin", "-nostats", "-y", "-max_error_rate", "1"]
    # Times of the file: only what reads the pictures, too, knows where they begin.
    return [*command, "-copyts"]


def webvtt_output(name: str) -> list[str]:
    """Return the arguments with which ffmpeg writes a text track as a WebVTT file of the workspace."""
    options = ["-map_metadata", "-1", "-c:s", "webvtt", "-fs", str(_MOST_BYTES)]
    # A text before 0 would move all others of its track.
    options += ["-avoid_negative_ts", "disabled"]
    return [*options, "-f", "webvtt", f"file:{name}"]


def _raw_name(number: int) -> str:
    return f"captions-{number}.raw"


def take_written(raw: Path) -> str | None:
    """Return the text of a file that ffmpeg wrote, and remove it; None if it is missing or cut off."""
    try:
        with raw.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError:
        return None
    finally:
        raw.unlink(missing_ok=True)
    return None if len(data) >= _MOST_BYTES else data.decode(errors="replace")
