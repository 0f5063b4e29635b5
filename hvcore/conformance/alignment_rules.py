"""
Check that all renditions of a video have the same timing, so that a player can switch at any segment.

Source: RFC 8216bis, section 6.2.4; ISO/IEC 23000-19, section 7.3;
Apple's authoring specification, 8 and 9.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from hvcore.conformance.renditions import Rendition
from hvcore.conformance.report import CheckLog

_IN_STEP_S: Final = Fraction(20, 1000)
"""The longest gap in sound that is not reported: half of what viewers notice (EBU R37)."""


def check_together(renditions: Sequence[Rendition], report: CheckLog) -> None:
    """Check all video and audio renditions against each other: segment times, durations and gaps in sound."""
    video = [one for one in renditions if one.kind == "vide"]
    sound = [one for one in renditions if one.kind == "soun"]
    _check_targets(renditions, report)
    if len(video) == 1:
        report.add("several-variants", video[0].playlist.name, "It is the only one.")
    for one in video[1:]:
        _check_aligned(video[0], one, report)
    for one in sound:
        _check_holes(one, report)
        if video:
            _check_same_duration(video[0], one, report)


def _check_targets(renditions: Sequence[Rendition], report: CheckLog) -> None:
    targets: Mapping[str, int] = {
        one.playlist.name: one.playlist.target_s
        for one in renditions
        if one.playlist.target_s is not None
    }
    first = next(iter(targets.values()), 0)
    for name, target_s in targets.items():
        if target_s != first:
            report.add(
                "same-target-duration",
                name,
                f"The target duration is {target_s} s; the first playlist's {first} s.",
            )


def _check_aligned(first: Rendition, other: Rendition, report: CheckLog) -> None:
    name = other.playlist.name
    if first.track is None or other.track is None:
        return
    if first.track.timescale != other.track.timescale:
        report.add(
            "timescale",
            other.track.name,
            f"{other.track.timescale} ticks a second; the first rendition has "
            f"{first.track.timescale}.",
            "mdhd",
        )
    if first.starts_s is None or other.starts_s is None:
        return
    if len(first.starts_s) != len(other.starts_s):
        report.add(
            "aligned",
            name,
            f"It has {len(other.starts_s)} segments; the first rendition has "
            f"{len(first.starts_s)}.",
        )
    tick_s = Fraction(1, min(first.track.timescale, other.track.timescale))
    pairs = zip(first.starts_s, other.starts_s, other.parts, strict=False)
    for wanted_s, start_s, part in pairs:
        if abs(wanted_s - start_s) > tick_s:
            report.add(
                "aligned",
                name,
                f"The segment begins at {float(start_s):.6f} s; that of the first "
                f"rendition at {float(wanted_s):.6f} s.",
                f"line {part.entry.line}",
            )
            break


def _check_same_duration(video: Rendition, sound: Rendition, report: CheckLog) -> None:
    if video.span_s is None or sound.span_s is None:
        return
    frames_s = _frame_s(video) + _frame_s(sound)
    segment_s = max(part.entry.duration_s for part in video.parts)
    for what, seen_s, heard_s in zip(
        ("begins", "ends"), video.span_s, sound.span_s, strict=True
    ):
        error_s = abs(seen_s - heard_s)
        if error_s > min(frames_s, segment_s):
            # Nothing can end closer than its frames allow: a video of one frame
            # may be shorter than those of its sound.
            is_far = error_s > max(frames_s, segment_s)
            report.add(
                "same-duration" if is_far else "same-duration-close",
                sound.playlist.name,
                f"Audio {what} at {float(heard_s):.3f} s, video at "
                f"{float(seen_s):.3f} s.",
            )


def _check_holes(sound: Rendition, report: CheckLog) -> None:
    """Report audio segments in which a sample is followed by an audible gap (over 20 ms)."""
    scale = sound.track.timescale if sound.track else 1
    for part in sound.parts:
        segment = part.segment
        hole_s = (
            Fraction(segment.longest - segment.durations[0], scale) if segment else 0
        )
        if hole_s > _IN_STEP_S:
            report.add(
                "sound-in-step",
                part.entry.name,
                f"A sample lasts {float(hole_s):.3f} s longer than another one.",
            )


def _frame_s(rendition: Rendition) -> Fraction:
    longest = max((p.segment.longest for p in rendition.parts if p.segment), default=0)
    return Fraction(longest, rendition.track.timescale if rendition.track else 1)
