"""Make every file of a part, and check the files."""

import logging
import shutil
from math import ceil
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    AudioRendition,
    Mp4Error,
    PartDone,
    Track,
    TranscodeError,
    UnusableSourceError,
    Workspace,
)
from hvcore_transcoder_ffmpeg.encode import commands, length, measure, pictures
from hvcore_transcoder_ffmpeg.encode.budget import encode_limits, output_bytes
from hvcore_transcoder_ffmpeg.encode.encoders import PASSLOG_FOLDER, is_two_pass
from hvcore_transcoder_ffmpeg.encode.renumber import place_rung
from hvcore_transcoder_ffmpeg.encode.run import (
    NO_SOUND,
    STALL_S,
    ProgressCount,
    ProgressWatch,
    judge,
)
from hvcore_transcoder_ffmpeg.mp4.init_segments import make_neutral
from hvcore_transcoder_ffmpeg.reasons import SOUND_LEFT_OUT, UNDECODABLE, UNEVEN_SOUND
from hvcore_transcoder_ffmpeg.sandbox.confinement import Sandbox
from hvcore_transcoder_ffmpeg.sandbox.made_files import require_plain_files
from hvcore_transcoder_ffmpeg.sandbox.process import supervise

_log = logging.getLogger(__name__)

_LEAST_SEGMENT_BYTES: Final = 64
"""The least size of a segment with pictures: a file type alone has 24 bytes, and the
headers of a fragment have 100."""

_FIRST_PASS_SHARE: Final = 0.35
"""The share of the progress for the first of two passes, in which x264 does less work."""

_FAR_LEAD_S: Final = 30.0
"""How much further before a part the decoder begins at a second attempt: key frames are
rarely further apart, and pictures without key frames are refreshed within this time."""


def run_part(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> PartDone:
    """
    Encode a part, check the files, and return the description of the files.

    Only files to publish are left in the workspace's folder. Audio renditions that cannot
    be made of a damaged source are left out.

    Raises:
        UnusableSourceError: Too little of the source can be decoded.
        TranscodeError: This attempt failed.
        Exception: An error that the workspace's ``check`` raises.
    """
    try:
        return _run_part(encode, workspace, sandbox)
    except UnusableSourceError:
        _remove_made(encode, workspace)
        made = _usable_sound(encode, workspace, sandbox)
        if made == encode.audio:
            raise
    done = _run_part(attrs.evolve(encode, audio=made), workspace, sandbox)
    return attrs.evolve(
        done,
        left_out=tuple(one.name for one in encode.audio if one not in made),
        warnings=(SOUND_LEFT_OUT, *done.warnings),
    )


def _usable_sound(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> tuple[AudioRendition, ...]:
    """
    Return the audio renditions that can be made of a source, each tried alone.

    Raises:
        UnusableSourceError: No rendition can be made, and the times of the sound are
            uneven, which the owner can correct.
    """
    quiet = attrs.evolve(workspace, report=lambda _: None)
    part = attrs.evolve(encode.part, has_pictures=False)
    made, uneven = list[AudioRendition](), None
    for rendition in encode.audio:
        alone = attrs.evolve(encode, part=part, audio=(rendition,))
        try:
            _make_sound(alone, quiet, sandbox)
            made.append(rendition)
        except UnusableSourceError as exc:
            uneven = exc if str(exc) == UNEVEN_SOUND else uneven
        _remove_made(alone, workspace)
    if uneven is not None and not made:
        raise uneven
    return tuple(made)


def _run_part(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> PartDone:
    if not encode.part.has_pictures:
        return PartDone(tracks=_make_sound(encode, workspace, sandbox))
    tracks = _make_pictures(encode, workspace, sandbox)
    warnings = length.judge(encode, tracks)
    if not tracks:
        _remove_made(encode, workspace)
        return PartDone(tracks=(), warnings=warnings)
    made_s = _made_s(tracks)
    _remove_leftovers(encode, workspace)
    found = pictures.collect(workspace.folder, encode.order, encode.span, made_s=made_s)
    workspace.report(1.0)
    return PartDone(
        tracks=tracks,
        poster=found.poster,
        poster_score=found.poster_score,
        stills=found.stills,
        warnings=warnings,
    )


def _make_sound(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> tuple[Track, ...]:
    if not encode.audio:
        return ()
    _make_folders(encode, workspace)
    whole_us = round(encode.order.source.duration_s * 1_000_000)
    program = commands.encode_command(encode, pass_number=0)
    step = _Step(program, ProgressCount.MICROSECONDS, whole_us)
    _run_ffmpeg(encode, workspace, sandbox, step)
    first = workspace.folder / encode.audio[0].name / commands.INIT_FILE
    if not first.exists():
        raise UnusableSourceError(NO_SOUND)
    tracks = _measure_sound(encode, workspace)
    _remove_leftovers(encode, workspace)
    return tracks


def _make_pictures(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> tuple[Track, ...]:
    """
    Make all frames of a part; decode from further back if frames are missing.

    The index of the source may lead to the wrong place; and if pictures have no key frames
    but are refreshed bit by bit, the first ones after a seek are not whole.
    """
    for lead_s in _leads(encode):
        sought = attrs.evolve(encode, lead_s=lead_s)
        _make_folders(sought, workspace)
        tracks = _try_pictures(sought, workspace, sandbox)
        if _is_complete(sought, tracks) or not sought.seeks_to_s:
            break
        _log.info(
            "a part is decoded from further back",
            extra={"hv_part": encode.part.index, "hv_from_s": sought.seeks_to_s},
        )
        _remove_made(sought, workspace)
    return tracks


def _leads(encode: commands.Encode) -> tuple[float | None, ...]:
    source = encode.order.source
    if not source.is_seekable:
        return (None,)
    near_s = encode.span.lead_s(source.longest_gap_s)
    return (near_s, near_s + _FAR_LEAD_S, None)


def _try_pictures(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox
) -> tuple[Track, ...]:
    """Make the frames of a part once; return no tracks if the first frame is missing."""
    for step in _steps(encode):
        try:
            _run_ffmpeg(encode, workspace, sandbox, step)
        except UnusableSourceError:
            if encode.span.first_segment == 0:
                raise
            # The video has ended before this part.
            return ()
        if not _begins_well(encode, workspace):
            return ()
    first = encode.order.ladder.rungs[0].key
    if not _has_pictures(workspace.folder / "video" / first):
        raise UnusableSourceError(UNDECODABLE)
    return _measure(encode, workspace)


def _has_pictures(folder: Path) -> bool:
    # ffmpeg ends well even where it could not decode one picture: then there is no
    # init segment, or nothing behind the first segment's type.
    return (folder / commands.INIT_FILE).exists() and any(
        path.stat().st_size > _LEAST_SEGMENT_BYTES for path in folder.glob("[0-9]*.m4s")
    )


def _is_complete(encode: commands.Encode, tracks: tuple[Track, ...]) -> bool:
    frames = round(_made_s(tracks) * encode.span.frame_rate)
    return encode.span.is_complete(frames)


def _begins_well(encode: commands.Encode, workspace: Workspace) -> bool:
    if encode.span.first_segment == 0:
        # The first picture is there from time 0 on.
        return True
    path = workspace.folder / commands.HEAD_FILE
    lines = path.read_text().splitlines() if path.exists() else []
    # Behind comments, a line for the one frame: stream, dts, pts, ….
    numbers = [line.split(",")[2].strip() for line in lines if line[:1] == "0"]
    return numbers == ["0"]


def _made_s(tracks: tuple[Track, ...]) -> float:
    return sum(segment.duration_s for track in tracks[:1] for segment in track.segments)


def _make_folders(encode: commands.Encode, workspace: Workspace) -> None:
    for name in (*_track_names(encode), *_passing_folders(encode)):
        (workspace.folder / name).mkdir(parents=True, exist_ok=True)


@attrs.frozen
class _Step:
    """
    Describe one run of ffmpeg and its share of a part's progress.

    Attributes:
        program: The command line.
        counted: The unit of the progress count.
        whole: The progress count at the end of the run.
        first_share: The part's progress at the beginning of the run, 0 to 1.
        last_share: The part's progress at the end of the run, 0 to 1.
    """

    program: list[str]
    counted: ProgressCount
    whole: int
    first_share: float = 0.0
    last_share: float = 1.0


def _steps(encode: commands.Encode) -> list[_Step]:
    span = encode.span
    frames = min(span.max_frames, ceil(span.length_s * span.frame_rate))
    if any(is_two_pass(rung) for rung in encode.order.ladder.rungs):
        first = commands.first_pass_command(encode)
        second = commands.encode_command(encode, pass_number=2)
        return [
            _Step(first, ProgressCount.FRAMES, frames, 0.0, _FIRST_PASS_SHARE),
            _Step(second, ProgressCount.FRAMES, frames, _FIRST_PASS_SHARE, 1.0),
        ]
    command = commands.encode_command(encode, pass_number=0)
    return [_Step(command, ProgressCount.FRAMES, frames)]


def _run_ffmpeg(
    encode: commands.Encode, workspace: Workspace, sandbox: Sandbox, step: _Step
) -> None:
    folder = workspace.folder.resolve()
    before_s = encode.span.begins_s - encode.seeks_to_s
    duration_s = before_s + encode.span.length_s
    watch = ProgressWatch(
        workspace,
        counted=step.counted,
        whole=step.whole,
        first_share=step.first_share,
        last_share=step.last_share,
        max_bytes=output_bytes(encode.order, duration_s=duration_s),
        # Nothing comes out while it decodes what is before the part.
        stall_s=STALL_S + before_s,
    )
    ended = supervise(
        sandbox.command(
            step.program,
            limits=encode_limits(encode.order, encode.streams, duration_s=duration_s),
            readable=[encode.source],
            writable=folder,
        ),
        folder=folder,
        take_output=watch.take_output,
        tick=watch.tick,
    )
    require_plain_files(folder)
    # What stops the worker may have stopped ffmpeg, too.
    workspace.check()
    judge(ended, folder)


def _measure(encode: commands.Encode, workspace: Workspace) -> tuple[Track, ...]:
    video = []
    for rung in encode.order.ladder.rungs:
        workspace.check()
        _finish_track(encode, workspace, f"video/{rung.key}")
        video.append(measure.measure_rung(workspace.folder, rung, encode.span))
    measure.check_alignment(video)
    return (*video, *_measure_sound(encode, workspace))


def _finish_track(encode: commands.Encode, workspace: Workspace, name: str) -> None:
    folder = workspace.folder / name
    try:
        make_neutral(folder / commands.INIT_FILE)
        if encode.span.first_segment > 0:
            place_rung(folder, encode.span)
    except (Mp4Error, OSError) as exc:
        raise TranscodeError(measure.BROKEN, log=f"{name}: {exc}") from exc


def _measure_sound(encode: commands.Encode, workspace: Workspace) -> tuple[Track, ...]:
    workspace.check()
    for one in encode.audio:
        _finish_track(encode, workspace, one.name)
    return tuple(measure.measure_audio(workspace.folder, one) for one in encode.audio)


def _remove_leftovers(encode: commands.Encode, workspace: Workspace) -> None:
    shutil.rmtree(workspace.folder / PASSLOG_FOLDER, ignore_errors=True)
    (workspace.folder / commands.HEAD_FILE).unlink(missing_ok=True)
    for name in _track_names(encode):
        (workspace.folder / name / commands.PLAYLIST_FILE).unlink(missing_ok=True)


def _remove_made(encode: commands.Encode, workspace: Workspace) -> None:
    _remove_leftovers(encode, workspace)
    for name in (*_track_names(encode), *_passing_folders(encode)):
        shutil.rmtree(workspace.folder / name, ignore_errors=True)


def _passing_folders(encode: commands.Encode) -> tuple[str, ...]:
    return (*pictures.FOLDERS, PASSLOG_FOLDER) if encode.part.has_pictures else ()


def _track_names(encode: commands.Encode) -> list[str]:
    rungs = encode.order.ladder.rungs if encode.part.has_pictures else ()
    names = [f"video/{rung.key}" for rung in rungs]
    return names + [rendition.name for rendition in encode.audio]
