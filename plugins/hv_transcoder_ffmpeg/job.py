"""
Make every file of a video, and judge what came out.
"""

import shutil
from math import ceil
from typing import Final

import attrs

from hv_transcoder_ffmpeg import commands, measure
from hv_transcoder_ffmpeg.budget import encode_limits, output_bytes
from hv_transcoder_ffmpeg.encode_run import UNDECODABLE, Watch, judge
from hv_transcoder_ffmpeg.encoders import NOTES_FOLDER, is_two_pass
from hv_transcoder_ffmpeg.engine import Engine
from hv_transcoder_ffmpeg.machine import HE_AAC
from hv_transcoder_ffmpeg.process import supervise
from hv_transcoder_ffmpeg.sandbox import Sandbox
from hvcore.plugin_api import (
    AudioCodec,
    AudioRendition,
    PartDone,
    Track,
    TranscodeError,
    TranscodeOrder,
    UnusableSourceError,
    Workspace,
)

_LC_KBPS_OF_CHANNEL: Final = 48
"""HE-AAC's bitrates are too low for AAC-LC."""

_FIRST_PASS_SHARE: Final = 0.35
"""x264's first pass leaves out what does not change its decisions."""

_ENOUGH: Final = 0.5
_COMPLETE: Final = 0.95


def effective_audio(
    engine: Engine, order: TranscodeOrder, *, may_substitute: bool
) -> tuple[tuple[AudioRendition, ...], tuple[str, ...]]:
    """
    Return the audio renditions as they will be made, and warnings.

    Args:
        may_substitute: AAC-LC may take the place of HE-AAC.

    Raises:
        TranscodeError: This machine cannot make one; another worker may.
    """
    made = []
    warnings = []
    for rendition in order.ladder.audio:
        if rendition.codec in engine.priming_samples:
            made.append(rendition)
        elif rendition.codec in HE_AAC and may_substitute:
            kbps = max(rendition.kbps, _LC_KBPS_OF_CHANNEL * rendition.channels)
            made.append(attrs.evolve(rendition, codec=AudioCodec.AAC, kbps=kbps))
            warnings.append(
                f"The audio is AAC-LC: {rendition.codec.value} cannot be made here."
            )
        else:
            raise TranscodeError(
                f"The audio codec {rendition.codec.value} cannot be made here.",
                log="this worker's ffmpeg lacks what another process's has",
            )
    return tuple(made), tuple(dict.fromkeys(warnings))


def run_encode(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> PartDone:
    """
    Encode, check, measure, and leave nothing but the files to publish.

    Raises:
        UnusableSourceError: Too little of the source can be decoded.
        TranscodeError: This attempt failed.
        Exception: What the workspace's check raises.
    """
    _make_folders(encode, workspace)
    _run_ffmpeg(encode, workspace, sandbox)
    tracks = _measure(encode, workspace)
    warnings = _judge_length(encode, tracks)
    _remove_leftovers(encode, workspace)
    has_poster = (workspace.folder / commands.POSTER_FILE).is_file()
    workspace.report(1.0)
    return PartDone(
        tracks=tracks,
        poster=commands.POSTER_FILE if has_poster else None,
        warnings=warnings,
    )


def _make_folders(encode: commands.Encode, workspace: Workspace) -> None:
    for name in _track_names(encode):
        (workspace.folder / name).mkdir(parents=True, exist_ok=True)


def _run_ffmpeg(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> None:
    if any(is_two_pass(rung) for rung in encode.order.ladder.rungs):
        (workspace.folder / NOTES_FOLDER).mkdir(exist_ok=True)
        steps = [
            (commands.first_pass_command(encode), 0.0, _FIRST_PASS_SHARE),
            (commands.encode_command(encode, pass_number=2), _FIRST_PASS_SHARE, 1.0),
        ]
    else:
        steps = [(commands.encode_command(encode, pass_number=0), 0.0, 1.0)]
    rate = encode.order.ladder.rungs[0].frame_rate
    folder = workspace.folder.resolve()
    for program, first_share, last_share in steps:
        watch = Watch(
            workspace,
            frames=ceil(encode.order.source.duration_s * rate),
            first_share=first_share,
            last_share=last_share,
            max_bytes=output_bytes(encode.order),
        )
        ended = supervise(
            sandbox.command(
                program,
                limits=encode_limits(encode.order, encode.streams),
                readable=[encode.source],
                writable=folder,
            ),
            folder=folder,
            take_output=watch.take_output,
            tick=watch.tick,
        )
        judge(ended)


def _measure(encode: commands.Encode, workspace: Workspace) -> tuple[Track, ...]:
    rungs = encode.order.ladder.rungs
    first = workspace.folder / "video" / rungs[0].key / commands.INIT_FILE
    if not first.exists():
        # ffmpeg 5 ends well even where it could not decode one picture.
        raise UnusableSourceError(UNDECODABLE)
    video = []
    for rung in rungs:
        workspace.check()
        video.append(measure.measure_rung(workspace.folder, rung))
    measure.check_alignment(video)
    workspace.check()
    audio = [measure.measure_audio(workspace.folder, one) for one in encode.audio]
    return (*video, *audio)


def _judge_length(
    encode: commands.Encode, tracks: tuple[Track, ...]
) -> tuple[str, ...]:
    """
    Decide whether enough of a damaged source could be decoded.

    One segment is worth watching, and so is half of a video that is shorter.
    """
    order = encode.order
    declared_s = encode.streams.video.declared_s
    wanted_s = max(order.source.duration_s, declared_s)
    made_s = sum(segment.duration_s for segment in tracks[0].segments)
    if made_s < min(order.segment_s, wanted_s * _ENOUGH):
        raise UnusableSourceError(UNDECODABLE)
    if made_s >= wanted_s * _COMPLETE - 1:
        return ()
    return (f"The file is damaged: {made_s:.0f} of {wanted_s:.0f} s are there.",)


def _remove_leftovers(encode: commands.Encode, workspace: Workspace) -> None:
    shutil.rmtree(workspace.folder / NOTES_FOLDER, ignore_errors=True)
    for name in _track_names(encode):
        (workspace.folder / name / commands.PLAYLIST_FILE).unlink(missing_ok=True)


def _track_names(encode: commands.Encode) -> list[str]:
    names = [f"video/{rung.key}" for rung in encode.order.ladder.rungs]
    return names + [rendition.name for rendition in encode.audio]
