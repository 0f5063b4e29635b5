"""Take the sound of published segments as a WAV that transcribers read."""

from pathlib import Path
from typing import Final

from hvcore.plugin_api import (
    SOUND_RATE_HZ,
    SoundSpan,
    TranscodeError,
    Workspace,
)
from hvcore_transcoder_ffmpeg.encode.run import judge
from hvcore_transcoder_ffmpeg.engine.engine import FFMPEG, FfmpegEngine
from hvcore_transcoder_ffmpeg.probe.containers import (
    ENCODE_DECODERS,
    input_options,
    sniff_container,
)
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from hvcore_transcoder_ffmpeg.sandbox.process import supervise

SOUND_FILE: Final = "sound.wav"
_LIMITS: Final = {
    # An hour of sound takes 4 s of a core.
    "cpu_s": 120,
    "address_space_bytes": 2 * 1024**3,
    # Half an hour, which nobody asks for.
    "file_size_bytes": 64 * 1024**2,
    "open_files": 64,
}


def take_sound(
    engine: FfmpegEngine, sandbox: Sandbox, workspace: Workspace, span: SoundSpan
) -> Path:
    """
    Write a span of the sound of published segments as a WAV of 16 bits, mono, 16 kHz.

    Raises:
        UnusableSourceError: The source cannot be decoded.
        TranscodeError: This attempt failed.
        UnavailableError: The disk is full.
    """
    folder, source = workspace.folder.resolve(), workspace.source.resolve()
    command = [str(engine.ffmpeg), "-hide_banner", "-loglevel", "warning"]
    # As for an encode.
    command += ["-nostdin", "-nostats", "-y", "-vn", "-sn", "-dn"]
    command += engine.decoding(FFMPEG)
    command += input_options(source, sniff_container(source), ENCODE_DECODERS)
    ended = supervise(
        sandbox.command(
            [*command, *_output(span)],
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
    made = folder / SOUND_FILE
    if not made.is_file():
        raise TranscodeError("The sound could not be read.", log=ended.log)
    return made


def _output(span: SoundSpan) -> list[str]:
    end_s = span.start_s + span.duration_s
    filters = (
        # Where packets are missing there is silence: what is said later keeps its time.
        f"aresample={SOUND_RATE_HZ}:async=1:first_pts=0,"
        f"atrim=start={span.start_s:.3f}:end={end_s:.3f}"
    )
    output = ["-map", "0:a:0", "-map_metadata", "-1", "-af", filters]
    # No texts in the file but its form.
    output += ["-fflags", "+bitexact", "-flags:a", "+bitexact"]
    return [*output, "-ac", "1", "-c:a", "pcm_s16le", "-f", "wav", f"file:{SOUND_FILE}"]
