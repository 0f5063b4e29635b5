"""Try out an ffmpeg and its ffprobe, instead of trusting their lists of features."""

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import AudioCodec, PixelFormat, supervised_command
from hvcore_transcoder_ffmpeg.engine.binaries import Binaries
from hvcore_transcoder_ffmpeg.engine.engine import (
    AUDIO_ENCODERS,
    FFMPEG,
    FFPROBE,
    PIXEL_FORMATS,
    WITHOUT_ENHANCEMENTS,
    FfmpegEngine,
    video_encoder,
)

_LCEVC: Final = "--enable-liblcevc-dec"

_TIMEOUT_S: Final = 60
"""The time limit of a trial. It takes 0.1 to 0.7 s on an idle machine, but the machine may
be busy encoding."""

_NEEDED: Final = {
    "encoders": {"libx264", "aac", "mjpeg"},
    "decoders": {"h264", "hevc", "vp8", "vp9", "mpeg4", "aac"},
    "demuxers": {"mov", "matroska", "avi"},
    "muxers": {"hls", "mp4", "image2"},
    "filters": {
        "aformat",
        "apad",
        "aresample",
        "asetpts",
        "atrim",
        "bwdif",
        "crop",
        "format",
        "fps",
        "hflip",
        "scale",
        "select",
        "setparams",
        "setsar",
        "sidedata",
        "split",
        "transpose",
        "vflip",
    },
}
_OPTIONAL_FILTERS: Final = frozenset({"zscale", "tonemap"})
_OPTIONAL_DECODERS: Final = frozenset({"libdav1d", "prores", "opus", "vorbis"})

_PROFILES: Final = {
    AudioCodec.AAC_HE: "HE-AAC",
    AudioCodec.AAC_HE_V2: "HE-AACv2",
}
"""The profile that ffprobe must report for a trial's sound; other codecs have only one."""


@attrs.frozen(kw_only=True)
class _Made:
    """The pixel formats and the audio codecs that a trial has made."""

    pixel_formats: frozenset[PixelFormat] = frozenset()
    priming_samples: dict[AudioCodec, int] = attrs.field(factory=dict)


def examine(binaries: Binaries, work_dir: Path) -> FfmpegEngine:
    """
    Try out an ffmpeg and its ffprobe, and return the features that work.

    The trials take about a second.

    Args:
        work_dir: The folder in which a temporary folder is made.
    """
    engine = FfmpegEngine(
        ffmpeg=binaries.ffmpeg, ffprobe=binaries.ffprobe, origin=binaries.origin
    )
    version = _version(binaries.ffmpeg)
    if not version or not _version(binaries.ffprobe):
        return attrs.evolve(engine, missing=("a program that starts",))
    has = {kind: _listed(binaries.ffmpeg, kind) for kind in _NEEDED}
    missing = [
        f"{kind[:-1]} {name}"
        for kind, names in _NEEDED.items()
        for name in sorted(names - has[kind])
    ]
    with_lcevc = _with_lcevc(binaries)
    if FFMPEG in with_lcevc and not _leaves_enhancements(binaries.ffmpeg):
        missing.append("a way to leave LCEVC alone (CVE-2026-125262)")
    made = _try_encoders(binaries, has["encoders"], work_dir)
    if PixelFormat.YUV420P not in made.pixel_formats:
        missing.append("a working H.264 encoder")
    if AudioCodec.AAC not in made.priming_samples:
        missing.append("a working AAC encoder")
    return attrs.evolve(
        engine,
        version=version,
        pixel_formats=made.pixel_formats,
        priming_samples=made.priming_samples,
        filters=_OPTIONAL_FILTERS & has["filters"],
        decoders=_OPTIONAL_DECODERS & has["decoders"],
        with_lcevc=with_lcevc,
        can_crop=_crops_by_container(binaries.ffmpeg),
        missing=tuple(missing),
    )


def _version(program: Path) -> str:
    found = re.search(r"version (\S+)", _output([str(program), "-version"]) or "")
    return found.group(1)[:60] if found else ""


def _with_lcevc(binaries: Binaries) -> frozenset[str]:
    programs = {FFMPEG: binaries.ffmpeg, FFPROBE: binaries.ffprobe}
    return frozenset(
        name
        for name, program in programs.items()
        if _LCEVC in (_output([str(program), "-version"]) or "")
    )


def _leaves_enhancements(ffmpeg: Path) -> bool:
    command = [str(ffmpeg), "-loglevel", "error", *WITHOUT_ENHANCEMENTS]
    command += [
        "-f",
        "lavfi",
        "-i",
        "color=size=64x64:duration=0.04",
        "-f",
        "null",
        "-",
    ]
    return _output(command) is not None


def _crops_by_container(ffmpeg: Path) -> bool:
    """
    Return whether ffmpeg crops pictures by the container and knows an option against it.

    Old versions have an option of the same name, but it only takes yes or no.
    """
    command = [str(ffmpeg), "-hide_banner", "-nostdin", "-loglevel", "error"]
    command += ["-apply_cropping", "codec", "-f", "lavfi", "-i", "color=size=16x16"]
    return _output([*command, "-frames:v", "1", "-f", "null", "-"]) is not None


def _listed(ffmpeg: Path, kind: str) -> frozenset[str]:
    lines = (_output([str(ffmpeg), "-hide_banner", f"-{kind}"]) or "").splitlines()
    words = [line.split() for line in lines]
    # "E hls  Apple HTTP Live Streaming", "D  mov,mp4,m4a  QuickTime / MOV"
    return frozenset(
        name for word in words if len(word) > 1 for name in word[1].split(",")
    )


def _try_encoders(
    binaries: Binaries, encoders: frozenset[str], work_dir: Path
) -> _Made:
    formats = [one for one in PIXEL_FORMATS if video_encoder(one) in encoders]
    codecs = [one for one, (name, _) in AUDIO_ENCODERS.items() if name in encoders]
    together = _trial(binaries, formats, codecs, work_dir)
    if together is not None:
        return together
    # One that fails fails all of them: ask each alone.
    single = [_trial(binaries, [one], [], work_dir) for one in formats]
    single += [_trial(binaries, [], [one], work_dir) for one in codecs]
    made = [one for one in single if one is not None]
    return _Made(
        pixel_formats=frozenset().union(*(one.pixel_formats for one in made)),
        priming_samples={k: v for one in made for k, v in one.priming_samples.items()},
    )


def _trial(
    binaries: Binaries,
    formats: Sequence[PixelFormat],
    codecs: Sequence[AudioCodec],
    work_dir: Path,
) -> _Made | None:
    work_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work_dir, prefix="ffmpeg-trial-") as folder:
        result = f"{folder}/trial.mp4"
        hashes = _output(_encode_command(binaries.ffmpeg, formats, codecs, result))
        if hashes is None:
            return None
        report = _output(
            [
                str(binaries.ffprobe),
                *("-loglevel", "error", "-show_streams", "-of", "json"),
                f"file:{result}",
            ]
        )
    streams = json.loads(report or "{}").get("streams", [])
    if len(streams) != len(formats) + len(codecs):
        return None
    # ffmpeg takes another pixel format with a warning, an encoder another
    # profile without one: what counts is what came out.
    video = zip(formats, streams, strict=False)
    audio = zip(codecs, streams[len(formats) :], strict=True)
    priming = _first_times(hashes)
    return _Made(
        pixel_formats=frozenset(
            one for one, made in video if made.get("pix_fmt") == PIXEL_FORMATS[one]
        ),
        priming_samples={
            codec: max(0, -priming.get(number, 0))
            for number, (codec, made) in enumerate(audio)
            if codec not in _PROFILES or made.get("profile") == _PROFILES[codec]
        },
    )


def _encode_command(
    ffmpeg: Path,
    formats: Sequence[PixelFormat],
    codecs: Sequence[AudioCodec],
    result: str,
) -> list[str]:
    command = [str(ffmpeg), "-hide_banner", "-nostdin", "-loglevel", "error"]
    # Three frames and half a second make every encoder give something.
    command += ["-f", "lavfi", "-i", "color=size=128x128:rate=25:duration=0.12"]
    command += ["-f", "lavfi", "-i", "sine=sample_rate=48000:duration=0.5"]
    for number, one in enumerate(formats):
        command += ["-map", "0:v", f"-c:v:{number}", video_encoder(one)]
        command += [f"-pix_fmt:v:{number}", PIXEL_FORMATS[one]]
        command += [f"-preset:v:{number}", "ultrafast"]
    audio: list[str] = []
    for number, codec in enumerate(codecs):
        name, profile = AUDIO_ENCODERS[codec]
        # HE-AAC version 2 codes stereo only.
        audio += ["-map", "1:a", f"-c:a:{number}", name, f"-ac:a:{number}", "2"]
        audio += [f"-b:a:{number}", "64k"]
        if profile:
            audio += [f"-profile:a:{number}", profile]
    command += [*audio, "-f", "mp4", f"file:{result}"]
    # Says with which time the first packet of each encoder begins.
    return [*command, *audio, "-f", "framecrc", "pipe:1"] if codecs else command


def _first_times(hashes: str) -> dict[int, int]:
    times: dict[int, int] = {}
    for line in hashes.splitlines():
        fields = line.split(",")
        if not line.startswith("#") and len(fields) > 1:
            times.setdefault(int(fields[0]), int(fields[1]))
    return times


def _output(command: Sequence[str]) -> str | None:
    try:
        ended = subprocess.run(  # noqa: S603 - arguments are constants
            supervised_command(command, {"core_bytes": 0}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout.decode(errors="replace") if ended.returncode == 0 else None
