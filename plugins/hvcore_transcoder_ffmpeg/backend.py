"""The transcoder that runs ffmpeg on this machine."""

from collections.abc import Sequence
from pathlib import Path

import attrs

from hvcore.plugin_api import (
    BuildContext,
    Capabilities,
    FrameSpan,
    Part,
    PartDone,
    SoundSpan,
    SourceInfo,
    TranscodeOrder,
    Transcoder,
    Workspace,
)
from hvcore_transcoder_ffmpeg.captions.pictures import extract_picture_captions
from hvcore_transcoder_ffmpeg.captions.tracks import Extracted, extract_captions
from hvcore_transcoder_ffmpeg.encode import job
from hvcore_transcoder_ffmpeg.encode.audio_choice import effective_audio
from hvcore_transcoder_ffmpeg.encode.commands import Encode
from hvcore_transcoder_ffmpeg.encode.heard import take_sound
from hvcore_transcoder_ffmpeg.encode.still import take_frames, take_still
from hvcore_transcoder_ffmpeg.engine.engine import FfmpegEngine
from hvcore_transcoder_ffmpeg.engine.machine import Machine
from hvcore_transcoder_ffmpeg.options import FfmpegOptions
from hvcore_transcoder_ffmpeg.parts import cut
from hvcore_transcoder_ffmpeg.probe import notes
from hvcore_transcoder_ffmpeg.probe.prober import Prober
from hvcore_transcoder_ffmpeg.reasons import TRACK_LEFT_OUT
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox


class FfmpegTranscoder(Transcoder):
    """
    Transcode videos on this machine, all renditions of a part in one ffmpeg process.

    ``capabilities`` may be called from any thread; the other methods from the main
    thread, or from threads that outlive the call, because child processes die with the
    thread that started them.

    Raises:
        ConfigError: A path in the options leads to no program.
    """

    def __init__(self, options: FfmpegOptions, context: BuildContext) -> None:
        self._options = options
        self._machine = Machine(options, context)

    def capabilities(self) -> Capabilities:
        """Return the codecs and formats that this machine's ffmpeg supports, tried out once."""
        return self._machine.capabilities()

    def probe(self, workspace: Workspace) -> SourceInfo:
        return Prober(*self._machine.ready()).probe(workspace)

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        """Return the parts of a job: several for a long video, and more of them for several workers."""
        return cut(order)

    def run(self, part: Part, workspace: Workspace) -> PartDone:
        """Encode every rendition of a part, check the files, and return their description."""
        engine, sandbox = self._machine.ready()
        audio, warnings = effective_audio(
            engine, part, may_substitute=self._options.substitute_audio
        )
        encode = Encode(
            engine=engine,
            source=workspace.source.resolve(),
            streams=notes.read(part.order.source.notes)
            or Prober(engine, sandbox).streams(workspace),
            part=part,
            audio=audio,
            threads=self._options.threads,
        )
        texts = shown = Extracted()
        if part.has_sound:
            streams = encode.streams
            texts = extract_captions(engine, sandbox, workspace, streams)
            shown = extract_picture_captions(
                engine, sandbox, workspace, order=part.order, streams=streams
            )
        done = job.run_part(encode, workspace, sandbox)
        lost = (TRACK_LEFT_OUT,) if encode.streams.lacks_tracks else ()
        return attrs.evolve(
            done,
            captions=texts.captions + shown.captions,
            warnings=lost
            + encode.streams.warnings
            + warnings
            + texts.warnings
            + shown.warnings
            + done.warnings,
        )

    def still(self, workspace: Workspace, at_s: float) -> Path:
        """Make a JPEG of the first frame at or after ``at_s`` in a published segment; return its path."""
        engine, sandbox = self._nice(workspace)
        streams = Prober(engine, sandbox).headers(workspace)
        return take_still(engine, sandbox, workspace, streams=streams, at_s=at_s)

    def frames(self, workspace: Workspace, span: FrameSpan) -> Sequence[Path]:
        """Make JPEGs of evenly spaced frames of published segments, and return their paths."""
        engine, sandbox = self._nice(workspace)
        streams = Prober(engine, sandbox).headers(workspace)
        return take_frames(engine, sandbox, workspace, streams=streams, span=span)

    def sound(self, workspace: Workspace, span: SoundSpan) -> Path:
        """Write a part of the sound of published segments as a WAV for a transcriber; return its path."""
        engine, sandbox = self._nice(workspace)
        return take_sound(engine, sandbox, workspace, span)

    def _nice(self, workspace: Workspace) -> tuple[FfmpegEngine, Sandbox]:
        engine, sandbox = self._machine.ready()
        return engine, attrs.evolve(sandbox, niceness=workspace.niceness)
