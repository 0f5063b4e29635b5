"""
Mix sound whose channels ffmpeg knows no rule for: each by what it is.

The resampler mixes loudspeakers that stand around a listener, in pairs. Channels of a
sound field (360° cameras) and loudspeakers without their counterpart (a front left one
and a subwoofer) it refuses, and with it the whole video.
"""

import re
from collections.abc import Sequence
from typing import Final

_MAX_KNOWN_CHANNELS: Final = 8
"""With more, ffmpeg knows no loudspeakers to mix from."""
_FIRST_TWO: Final = "pan=stereo|c0=c0|c1=c1"
_LAYOUTS: Final = ("mono", "stereo", "3.0", "4.0", "5.0", "5.1", "6.1", "7.1")
"""By the number of channels, from one on."""
_HEARD: Final = frozenset({"FL", "FR", "FC"})
"""Without one of these, the resampler mixes nothing."""


def own_mix(layout: str, channels: int) -> str:
    """
    Return filters that make stereo of a track, ``""`` where ffmpeg mixes it by itself.

    Args:
        layout: As ffprobe has it, such as ``2 channels (FL+LFE)``.
    """
    if re.match(r"ambisonic [1-9]", layout):
        return _sound_field(layout, channels)
    if channels > _MAX_KNOWN_CHANNELS:
        return _FIRST_TWO
    listed = re.fullmatch(r"\d+ channels \(([A-Z0-9+]+)\)", layout)
    names = listed.group(1).split("+") if listed else []
    if len(names) != channels or channels == 1 or _is_around(names):
        return ""
    return _loudspeakers(names)


def _sound_field(layout: str, channels: int) -> str:
    """
    Return the mix of a sound field, as two microphones would hear it.

    One is directed to the left and one to the right. Source: RFC 8486, section 3.1: the
    first channel is the field's pressure, the second its direction from right to left;
    two channels that belong to no direction may come last.
    """
    if layout.endswith("+stereo"):
        ears = f"channelmap={'|'.join(map(str, (0, 1, channels - 2, channels - 1)))}"
        return (
            f"{ears}:channel_layout=4.0,"
            "pan=stereo|c0=0.25*c0+0.25*c1+0.5*c2|c1=0.25*c0-0.25*c1+0.5*c3"
        )
    return (
        "channelmap=0|1:channel_layout=stereo,"
        "pan=stereo|c0=0.5*c0+0.5*c1|c1=0.5*c0-0.5*c1"
    )


def _is_around(names: Sequence[str]) -> bool:
    left = {name.replace("L", "R") for name in names if _side(name) == "L"}
    right = {name for name in names if _side(name) == "R"}
    return left == right and not _HEARD.isdisjoint(names)


def _loudspeakers(names: Sequence[str]) -> str:
    """Return a mix in which each ear has its own side and what is in the middle."""
    heard = [name for name in names if not name.startswith("LFE")] or names
    sides = {_side(name) for name in heard}
    ears = [
        [
            number
            for number, name in enumerate(names)
            # Where its side is empty, an ear has all that there is.
            if name in heard and (_side(name) in {side, ""} or side not in sides)
        ]
        for side in "LR"
    ]
    used = sorted({number for ear in ears for number in ear})
    mixed = (
        "+".join(f"{1 / len(ear):.4f}*c{used.index(number)}" for number in ear)
        for ear in ears
    )
    left, right = mixed
    return (
        f"channelmap={'|'.join(map(str, used))}:channel_layout={_LAYOUTS[len(used) - 1]},"
        f"pan=stereo|c0={left}|c1={right}"
    )


def _side(name: str) -> str:
    """Return the side of a loudspeaker: L, R, or ``""`` in the middle."""
    if name.startswith("LFE"):
        return ""
    return next((side for side in "LR" if side in name), "")
