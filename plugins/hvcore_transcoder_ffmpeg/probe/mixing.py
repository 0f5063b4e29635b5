"""
Mix sound whose channels ffmpeg cannot mix by itself.

ffmpeg's resampler mixes loudspeakers that stand in pairs around a listener. It refuses the
channels of a sound field (360° cameras), and loudspeakers without a counterpart (a front
left one and a subwoofer); then the whole video would fail.
"""

import re
from collections.abc import Sequence
from typing import Final

_MAX_KNOWN_CHANNELS: Final = 8
"""The most channels for which ffmpeg knows loudspeakers."""
_FIRST_TWO: Final = "pan=stereo|c0=c0|c1=c1"
_LAYOUTS: Final = ("mono", "stereo", "3.0", "4.0", "5.0", "5.1", "6.1", "7.1")
"""ffmpeg's names of layouts with 1 to 8 channels."""
_HEARD: Final = frozenset({"FL", "FR", "FC"})
"""The loudspeakers of which the resampler needs one."""


def own_mix(layout: str, channels: int) -> str:
    """
    Return filters that mix a track to stereo; ``""`` if ffmpeg can mix it by itself.

    Args:
        layout: The channel layout as ffprobe prints it, such as ``2 channels (FL+LFE)``.
        channels: The number of channels.
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
    Return the filters that mix a sound field as two microphones would record it.

    One microphone is directed to the left, the other to the right. The first channel of a
    sound field is its pressure, the second its direction from right to left; two channels
    without a direction may come last. Source: RFC 8486, section 3.1.
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
    """Return the filters that mix the loudspeakers of each side and the middle to one ear."""
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
    """Return the side of a loudspeaker by its name: L, R, or ``""`` for the middle."""
    if name.startswith("LFE"):
        return ""
    return next((side for side in "LR" if side in name), "")
