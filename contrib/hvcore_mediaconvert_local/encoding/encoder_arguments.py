"""Build ffmpeg's command line for a job, with one decoder and all outputs."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from hvcore_mediaconvert_local.encoding.encode_plan import (
    AudioPlan,
    EncodePlan,
    GroupKind,
    GroupPlan,
    OutputPlan,
    VideoPlan,
)
from hvcore_mediaconvert_local.encoding.source_facts import SourceFacts

MEDIA_PLAYLIST: Final = "media.m3u8"
FACTS_PLAYLIST: Final = "facts.m3u8"
"""The file name of ffmpeg's multivariant playlist of a rendition, which names the codecs."""
SEGMENT: Final = "segment_"
INIT: Final = "init."
PICTURE_NUMBER: Final = "%07d"
_WORST_SCALE: Final = 31
"""The worst quality scale of ffmpeg's MJPEG encoder; the best is 2."""
_ENCODERS: Final = {"H_264": "libx264", "H_265": "libx265"}
_PROFILES: Final = {
    "BASELINE": "baseline",
    "MAIN": "main",
    "HIGH": "high",
    "HIGH_10BIT": "high10",
    "MAIN_MAIN": "main",
    "MAIN_HIGH": "main",
    "MAIN10_MAIN": "main10",
    "MAIN10_HIGH": "main10",
}
_DEEP: Final = frozenset({"HIGH_10BIT", "MAIN10_MAIN", "MAIN10_HIGH"})
_TURNS: Final = {
    "DEGREES_90": ("transpose=clock",),
    "DEGREES_180": ("hflip", "vflip"),
    "DEGREES_270": ("transpose=cclock",),
}
_BEST_CRF: Final = {"H_264": 37.0, "H_265": 41.0}
"""The CRF of QVBR level 0, for each codec; each level lowers the CRF by 2, so that level 7
is x264's default 23, and x265's equivalent."""


def arguments_of(
    plan: EncodePlan, facts: SourceFacts, source: Path, folder: Path, preset: str
) -> list[str]:
    """
    Return ffmpeg's arguments that make all outputs of a plan.

    Args:
        facts: The facts about the input.
        source: The input's local file.
        folder: The folder with a folder for each output (``output_folder``), which must
            exist.
        preset: The preset of the encoders, such as ``veryfast``.
    """
    # MediaConvert turns pictures only if it is told to.
    turn = [] if plan.rotate == "AUTO" else ["-noautorotate"]
    made = [*turn, "-protocol_whitelist", "file", "-i", f"file:{source}"]
    for number, group in enumerate(plan.groups):
        for index, output in enumerate(group.outputs):
            made += _streams(output, group, plan.rotate, facts, preset)
            made += _muxer(group, output, output_folder(folder, number, index))
    return made


def output_folder(folder: Path, group: int, output: int) -> Path:
    """Return the folder for the files of an output, by the numbers of group and output."""
    return folder / f"{group}-{output}"


def suffix_of(group: GroupPlan, output: OutputPlan) -> str:
    """Return the file name extension of an output's media files, without a dot."""
    if group.kind is GroupKind.CMAF:
        return "cmfv" if output.video else "cmfa"
    if output.video and output.video.is_capture:
        return "jpg"
    return "ts" if group.kind is GroupKind.HLS else output.container.lower()


def _streams(
    output: OutputPlan,
    group: GroupPlan,
    rotate: str,
    facts: SourceFacts,
    preset: str,
) -> list[str]:
    # Nothing of the source but what is asked for.
    made = ["-map_metadata", "-1", "-map_chapters", "-1", "-dn", "-sn"]
    if output.video:
        made += ["-map", "0:V:0"]
        made += _video(output.video, group.segment_s, rotate, facts, preset)
    for index, audio in enumerate(output.audios):
        made += ["-map", f"0:a:{audio.track}", *_audio(audio, index, facts)]
    return made


def _video(
    video: VideoPlan, segment_s: int, rotate: str, facts: SourceFacts, preset: str
) -> list[str]:
    rate = video.frame_rate or facts.frame_rate
    if video.is_capture:
        return _pictures(video, rate, rotate)
    filters = [*_TURNS.get(rotate, ()), f"fps={rate}:start_time=0", *_scaling(video)]
    # Encoders would write captions and screens of the source, which nobody asked for.
    filters += ["setsar=1", "sidedata=mode=delete"]
    depth = "yuv420p10le" if video.profile in _DEEP else "yuv420p"
    made = ["-filter:v", ",".join(filters), "-pix_fmt", depth]
    made += ["-c:v", _ENCODERS[video.codec], "-preset", preset]
    if video.profile in _PROFILES:
        made += ["-profile:v", _PROFILES[video.profile]]
    if video.b_frames is not None:
        made += ["-bf", str(video.b_frames)]
    if video.codec == "H_265":
        made += ["-tag:v", video.tag, "-x265-params", "log-level=error:open-gop=0"]
    return [*made, *_rates(video), *_key_frames(video, rate, segment_s)]


def _pictures(video: VideoPlan, rate: Fraction, rotate: str) -> list[str]:
    # Rounded up: a picture is the one that is shown at its moment, and none before.
    steps = [f"fps={rate}:round=up", *_scaling(video), "setsar=1"]
    made = ["-filter:v", ",".join([*_TURNS.get(rotate, ()), *steps])]
    made += ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-q:v"]
    made.append(str(_WORST_SCALE - video.quality * (_WORST_SCALE - 2) // 100))
    return [
        *made,
        *(["-frames:v", str(video.max_captures)] if video.max_captures else []),
    ]


def _rates(video: VideoPlan) -> list[str]:
    most = video.max_bitrate or video.bitrate or 0
    if video.rate_mode == "QVBR":
        crf = _BEST_CRF[video.codec] - 2 * video.quality_level
        return ["-crf", f"{crf:g}", "-maxrate", str(most), "-bufsize", str(2 * most)]
    made = ["-b:v", str(video.bitrate)]
    if video.rate_mode == "CBR":
        made += ["-minrate", str(video.bitrate)]
    if video.rate_mode == "CBR" or video.max_bitrate:
        made += ["-maxrate", str(most), "-bufsize", str(2 * most)]
    return made


def _key_frames(video: VideoPlan, rate: Fraction, segment_s: int) -> list[str]:
    made: list[str] = []
    if video.gop_size:
        size = video.gop_size * (rate if video.is_gop_in_seconds else 1)
        made += ["-g", str(max(1, round(size)))]
    if not video.has_scene_cuts:
        made += ["-sc_threshold", "0"]
    if segment_s:
        # A segment begins with a picture that needs no other.
        made += ["-force_key_frames", f"expr:gte(t,n_forced*{segment_s})"]
    return made


def _scaling(video: VideoPlan) -> Sequence[str]:
    width, height = video.width_px, video.height_px
    if width is None and height is None:
        return ("scale=trunc(iw/2)*2:trunc(ih/2)*2",)
    if width is None or height is None:
        return (f"scale={width or -2}:{height or -2}",)
    size = f"{width}:{height}"
    if video.scaling == "STRETCH_TO_OUTPUT":
        return (f"scale={size}",)
    if video.scaling == "FILL":
        grown = f"scale={size}:force_original_aspect_ratio=increase"
        return (grown, f"crop={size}")
    fitted = f"scale={size}:force_original_aspect_ratio=decrease:force_divisible_by=2"
    if video.scaling in {"FIT", "FIT_NO_UPSCALE"}:
        return (fitted,)
    return (fitted, f"pad={size}:-1:-1")


def _audio(audio: AudioPlan, index: int, facts: SourceFacts) -> list[str]:
    made = [f"-c:a:{index}", "aac", f"-ar:a:{index}", str(audio.sample_rate_hz)]
    made += [f"-ac:a:{index}", str(audio.channels)]
    if audio.is_matched and facts.picture_end_s:
        # Silence before it begins and after it ends; nothing behind the last picture.
        steps = (
            f"aresample=async=1:first_pts=0,apad,atrim=end={facts.picture_end_s:.6f}"
        )
        made += [f"-filter:a:{index}", steps]
    if audio.bitrate:
        made += [f"-b:a:{index}", str(audio.bitrate)]
    if audio.language:
        made += [f"-metadata:s:a:{index}", f"language={audio.language}"]
    return made


def _muxer(group: GroupPlan, output: OutputPlan, folder: Path) -> list[str]:
    suffix = suffix_of(group, output)
    if suffix == "jpg":
        target = folder / f"file.{PICTURE_NUMBER}.jpg"
        return ["-f", "image2", "-start_number", "0", f"file:{target}"]
    if group.kind is GroupKind.FILE:
        target = folder / f"file.{suffix}"
        return ["-f", suffix, "-movflags", "+faststart", f"file:{target}"]
    made = ["-f", "hls", "-hls_time", str(group.segment_s), "-hls_playlist_type", "vod"]
    made += ["-hls_list_size", "0", "-start_number", "1"]
    digits = "%05d" if group.kind is GroupKind.HLS else "%09d"
    name = SEGMENT.rstrip("_") if group.is_single_file else SEGMENT + digits
    if group.is_single_file:
        made += ["-hls_flags", "single_file"]
    if group.kind is GroupKind.CMAF:
        # CMAF's brand; decode times that begin at 0 without an edit list.
        options = "movflags=+cmaf+negative_cts_offsets:use_editlist=0"
        made += ["-hls_segment_type", "fmp4", "-hls_segment_options", options]
        made += ["-hls_fmp4_init_filename", f"{INIT}{suffix}"]
    made += ["-hls_segment_filename", f"{folder}/{name}.{suffix}"]
    return [*made, "-master_pl_name", FACTS_PLAYLIST, f"{folder}/{MEDIA_PLAYLIST}"]
