"""Check that renditions are as they were ordered, and measure them for publication."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import (
    AudioCodec,
    AudioRendition,
    Mp4Error,
    Rung,
    Segment,
    Track,
    TranscodeError,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.encode.commands import INIT_FILE
from hvcore_transcoder_ffmpeg.encode.spans import Span
from hvcore_transcoder_ffmpeg.engine.engine import video_encoder
from hvcore_transcoder_ffmpeg.mp4.codec_strings import SampleEntry
from hvcore_transcoder_ffmpeg.mp4.fragments import Fragment, read_fragment, read_init
from hvcore_transcoder_ffmpeg.reasons import UNEVEN_SOUND

BROKEN: Final = "The encoder has made something that cannot be played."

_CODECS: Final = {
    AudioCodec.AAC: {"mp4a.40.2"},
    AudioCodec.AAC_HE: {"mp4a.40.5"},
    AudioCodec.AAC_HE_V2: {"mp4a.40.29"},
    # By sampling rate MPEG-1 or MPEG-2 audio.
    AudioCodec.MP3: {"mp4a.6B", "mp4a.69", "mp4a.40.34"},
    AudioCodec.AC3: {"ac-3"},
    AudioCodec.EAC3: {"ec-3"},
}
_CHROMA: Final = {"420": 1, "422": 2, "444": 3}
_SAMPLE_ENTRIES: Final = {"libx264": "avc1.", "libx265": "hvc1."}


def measure_rung(folder: Path, rung: Rung, span: Span) -> Track:
    """
    Check the files of a video rendition, and return the description of its track.

    Args:
        folder: The workspace's folder of the attempt.
        span: The frames that the rendition should have; a lack of frames at the video's
            end is no error.

    Raises:
        TranscodeError: The rendition is not as it was ordered.
    """
    made = _measure(
        folder / "video" / rung.key,
        first_number=span.first_segment,
        begins_s=span.first_frame / span.frame_rate,
    )
    _require(made, made.is_even, "the frame rate is not constant")
    _require(made, _is_cut_well(made.track, span), "a segment has other frames")
    _require(made, _is_rung(made.entry, rung), f"{made.entry} is not {rung}")
    return attrs.evolve(made.track, name=f"video/{rung.key}", rung=rung)


def measure_audio(folder: Path, rendition: AudioRendition) -> Track:
    """
    Check the files of an audio rendition, and return the description of its track.

    Args:
        folder: The workspace's folder of the attempt.

    Raises:
        TranscodeError: The rendition is not as it was ordered.
        UnusableSourceError: The frames have unequal lengths, because the times of the
            source's sound jump.
    """
    made = _measure(folder / rendition.name, first_number=0, begins_s=Fraction(0))
    if not made.is_even:
        raise UnusableSourceError(UNEVEN_SOUND)
    wanted = _CODECS[rendition.codec]
    _require(made, made.entry.codecs in wanted, f"{made.entry.codecs} is not {wanted}")
    return attrs.evolve(made.track, name=rendition.name, audio=rendition)


def check_alignment(rungs: list[Track]) -> None:
    """
    Check that the segments of all rungs begin at the same times, so players can switch.

    Raises:
        TranscodeError: A segment boundary differs between rungs.
    """
    cuts = [[segment.duration_s for segment in rung.segments] for rung in rungs]
    if any(one != cuts[0] for one in cuts):
        raise TranscodeError(BROKEN, log=f"boundaries differ: {cuts}"[:2000])


@attrs.frozen(kw_only=True)
class _Made:
    """Hold a rendition's folder, codec and track; and whether its frames are of one length."""

    folder: Path
    entry: SampleEntry
    track: Track
    is_even: bool


def _measure(folder: Path, *, first_number: int, begins_s: Fraction) -> _Made:
    try:
        init = read_init(folder / INIT_FILE)
        fragments = [
            read_fragment(folder / f"{number}.m4s", init)
            for number in segment_numbers(folder, first_number)
        ]
        _check_times(fragments, begins_s * init.timescale)
    except Mp4Error as exc:
        raise TranscodeError(BROKEN, log=f"{folder.name}: {exc}") from exc
    except OSError as exc:
        raise TranscodeError(BROKEN, log=f"{folder.name}: {exc}") from exc
    segments = tuple(
        Segment(
            number=number,
            duration_s=float(Fraction(fragment.duration, init.timescale)),
            file=fragment.file,
            first_picture_bytes=fragment.first_picture_bytes,
        )
        for number, fragment in enumerate(fragments, first_number)
    )
    track = Track(
        name="",
        codecs=init.entry.codecs,
        init=init.file,
        segments=segments,
        video_range=init.entry.video_range,
    )
    return _Made(
        folder=folder, entry=init.entry, track=track, is_even=_is_even(fragments)
    )


def segment_numbers(folder: Path, first_number: int) -> range:
    """
    Return the numbers of the segments in a rendition's folder.

    Raises:
        Mp4Error: The folder has no segments, or numbers are missing.
    """
    names = [path.name for path in folder.iterdir()]
    numbers = sorted(
        int(name.removesuffix(".m4s"))
        for name in names
        if re.fullmatch(r"\d{1,9}\.m4s", name)
    )
    expected = range(first_number, first_number + len(numbers))
    if not numbers or numbers != list(expected):
        raise Mp4Error(f"the numbers {numbers[:3]} to {numbers[-3:]} have holes")
    return expected


def _check_times(fragments: list[Fragment], begins: Fraction) -> None:
    expected = begins
    for number, fragment in enumerate(fragments):
        if fragment.decode_time != expected:
            raise Mp4Error(
                f"segment {number} begins at {fragment.decode_time}, not {expected}"
            )
        if not fragment.starts_clean:
            raise Mp4Error(f"segment {number} does not begin with a key frame")
        if fragment.duration <= 0:
            raise Mp4Error(f"segment {number} lasts no time")
        expected += fragment.duration
    if fragments[0].first_offset:
        raise Mp4Error(f"the first sample is shown at {fragments[0].first_offset}")


def _is_cut_well(track: Track, span: Span) -> bool:
    # The last one may be the video's last, which is as long as it is.
    return all(
        round(segment.duration_s * span.frame_rate)
        == span.frame_of(segment.number + 1) - span.frame_of(segment.number)
        for segment in track.segments[:-1]
    )


def _is_even(fragments: list[Fragment]) -> bool:
    durations = set[int]().union(*(one.sample_durations for one in fragments))
    durations.update(one.last_duration for one in fragments[:-1])
    return len(durations) <= 1


def _is_rung(entry: SampleEntry, rung: Rung) -> bool:
    encoder = video_encoder(rung.pixel_format)
    sampling = rung.pixel_format.value[3:6]
    return (
        entry.codecs.startswith(_SAMPLE_ENTRIES[encoder])
        and (entry.width_px, entry.height_px) == (rung.width_px, rung.height_px)
        and entry.bit_depth == rung.pixel_format.bit_depth
        and entry.chroma == _CHROMA[sampling]
    )


def _require(made: _Made, holds: bool, log: str) -> None:  # noqa: FBT001 - an assertion
    if not holds:
        raise TranscodeError(BROKEN, log=f"{made.folder.name}: {log}")
