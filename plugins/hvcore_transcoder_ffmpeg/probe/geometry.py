"""
The size, the shown part and the rotation of a picture.

One rule for all versions of ffmpeg, which differ in what they do by themselves: old ones
know no container that crops, new ones crop, and each turns pictures before anything else
has seen them. So ffmpeg is told to do none of it. What the decoder gives is measured by
its first picture; what the container cuts off is read by
:mod:`hvcore_transcoder_ffmpeg.probe.container_pictures`; and the filters of this module do the rest.
"""

from fractions import Fraction
from typing import Final

import attrs

_MAX_PIXEL_SHAPE: Final = 10
"""A pixel more oblong than this is a damaged header, not a picture."""

Turn = tuple[int, int, int, int]
"""Signs of a, b, c, d of a display matrix: x' = ax + cy, y' = bx + dy."""

UPRIGHT: Final[Turn] = (1, 0, 0, 1)
_TURNS: Final[dict[Turn, tuple[str, ...]]] = {
    UPRIGHT: (),
    (-1, 0, 0, 1): ("hflip",),
    (1, 0, 0, -1): ("vflip",),
    (-1, 0, 0, -1): ("hflip", "vflip"),
    (0, 1, -1, 0): ("transpose=clock",),
    (0, -1, 1, 0): ("transpose=cclock",),
    (0, 1, 1, 0): ("transpose=cclock_flip",),
    (0, -1, -1, 0): ("transpose=clock_flip",),
}


@attrs.frozen(kw_only=True)
class Crop:
    """The pixels that a container cuts off at each edge of the decoded picture."""

    left_px: int = 0
    top_px: int = 0
    right_px: int = 0
    bottom_px: int = 0


NO_CROP: Final = Crop()

UNALIGNED: Final = ("-flags", "unaligned")
"""Input option: what a stream cuts off at the left is cut off there exactly. By default
decoders keep up to 31 pixels of it, for the sake of speed."""


def decoded_as_stored(*, can_crop: bool) -> list[str]:
    """
    Return the input options that leave cropping by the container and turning to filters.

    Args:
        can_crop: ffmpeg would crop by itself.
    """
    options = ["-noautorotate", *UNALIGNED]
    return [*options, *(["-apply_cropping", "codec"] if can_crop else [])]


@attrs.frozen(kw_only=True)
class Geometry:
    """
    The way from a decoded picture to the one that is shown.

    Attributes:
        decoded_width_px: As the decoder gives it.
        decoded_height_px: Likewise.
        crop: By the container.
        pixel_shape: Width by height of a pixel, before it is turned; 0 where unknown.
        aspect: Width by height of what is shown, before it is turned, where the
            container says that; else 0.
        turn: One of eight; whoever holds a camera slantwise gets the nearest.
    """

    decoded_width_px: int
    decoded_height_px: int
    crop: Crop = NO_CROP
    pixel_shape: Fraction = Fraction(1)
    aspect: Fraction = Fraction(0)
    turn: Turn = UPRIGHT

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture as it is shown, of square pixels."""
        width_px, height_px = self._cropped_px
        shape = self.pixel_shape
        if self.aspect:
            shape = self.aspect * height_px / width_px
        if Fraction(1, _MAX_PIXEL_SHAPE) <= shape <= _MAX_PIXEL_SHAPE:
            width_px = max(1, round(width_px * shape))
        return (height_px, width_px) if self.turn[0] == 0 else (width_px, height_px)

    def seen(
        self, width_px: int, height_px: int, matrix: tuple[int, ...] | None
    ) -> "Geometry":
        """
        Return the geometry for the picture that the decoder gives.

        Args:
            matrix: The display matrix within the pictures; that of the container goes
                before it.
        """
        expected_px = self._cropped_px
        turn = turn_of(matrix) if self.turn == UPRIGHT else self.turn
        return attrs.evolve(
            self,
            decoded_width_px=width_px,
            decoded_height_px=height_px,
            # Both may say the same.
            crop=NO_CROP if (width_px, height_px) == expected_px else self.crop,
            turn=turn,
        )

    def filters(self) -> list[str]:
        """Return the filters that crop and turn a decoded picture."""
        made = []
        crop = self._possible_crop
        if crop != NO_CROP:
            width_px, height_px = self._cropped_px
            at = f"{crop.left_px}:{crop.top_px}"
            made.append(f"crop={width_px}:{height_px}:{at}")
        made += _TURNS[self.turn]
        if self.turn != UPRIGHT:
            # New versions write it into what is made, and players turn it again.
            made.append("sidedata=mode=delete:type=DISPLAYMATRIX")
        return made

    @property
    def _cropped_px(self) -> tuple[int, int]:
        crop = self._possible_crop
        return (
            self.decoded_width_px - crop.left_px - crop.right_px,
            self.decoded_height_px - crop.top_px - crop.bottom_px,
        )

    @property
    def _possible_crop(self) -> Crop:
        """The crop, unless nothing of the picture would be left."""
        crop = self.crop
        is_possible = (
            min(attrs.astuple(crop)) >= 0
            and crop.left_px + crop.right_px < self.decoded_width_px
            and crop.top_px + crop.bottom_px < self.decoded_height_px
        )
        return crop if is_possible else NO_CROP


def turn_of(matrix: tuple[int, ...] | None) -> Turn:
    """Return the turn of a display matrix of nine numbers."""
    if matrix is None:
        return UPRIGHT
    a, b, _, c, d = matrix[:5]
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return (-1 if a < 0 else 1, 0, 0, -1 if d < 0 else 1)
    return (0, -1 if b < 0 else 1, -1 if c < 0 else 1, 0)
