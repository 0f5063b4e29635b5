"""
Compute the size, the shown part and the rotation of a picture, in one way for all ffmpegs.

Versions of ffmpeg differ: old ones ignore a container's cropping, new ones crop, and all
turn pictures before any filter. So ffmpeg is told to do neither. The size of decoded
pictures is measured by the first one; the pixels that a container cuts off are read by
:mod:`hvcore_transcoder_ffmpeg.probe.container_pictures`; and the filters of this module
crop and turn the pictures.
"""

from fractions import Fraction
from typing import Final

import attrs

_MAX_PIXEL_SHAPE: Final = 10
"""The greatest ratio of a pixel's sides that is believed; a header with more is damaged."""

Turn = tuple[int, int, int, int]
"""A rotation by quarter turns, perhaps mirrored: the signs of a, b, c, d in a display
matrix, x' = ax + cy, y' = bx + dy."""

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
"""The input option that makes decoders cut off exactly the pixels that a stream cuts off at
the left. By default decoders keep up to 31 of them, for the sake of speed."""


def decoded_as_stored(*, can_crop: bool) -> list[str]:
    """
    Return the input options that keep ffmpeg from cropping and turning by the container.

    Args:
        can_crop: Whether ffmpeg would crop by itself.
    """
    options = ["-noautorotate", *UNALIGNED]
    return [*options, *(["-apply_cropping", "codec"] if can_crop else [])]


@attrs.frozen(kw_only=True)
class Geometry:
    """
    Describe the crop, shape and rotation between the decoded and the shown picture.

    Attributes:
        decoded_width_px: The width of decoded pictures.
        decoded_height_px: The height of decoded pictures.
        crop: The pixels that the container cuts off.
        pixel_shape: The width of a pixel by its height, before the turn; 0 if unknown.
        aspect: The width of the shown picture by its height, before the turn; 0 if the
            container does not tell it.
        turn: The rotation: one of eight, the nearest for a camera that was held
            slantwise.
    """

    decoded_width_px: int
    decoded_height_px: int
    crop: Crop = NO_CROP
    pixel_shape: Fraction = Fraction(1)
    aspect: Fraction = Fraction(0)
    turn: Turn = UPRIGHT

    @property
    def size_px(self) -> tuple[int, int]:
        """The width and the height of the shown picture, with square pixels."""
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
        Return the geometry, corrected by the size and rotation of a decoded picture.

        Args:
            width_px: The width of the decoded picture.
            height_px: The height of the decoded picture.
            matrix: The display matrix in the decoded picture; it counts only if the
                container does not turn pictures.
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
        """Return the ffmpeg filters that crop and turn a decoded picture."""
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
        """The crop, or none if it would leave nothing of the picture."""
        crop = self.crop
        is_possible = (
            min(attrs.astuple(crop)) >= 0
            and crop.left_px + crop.right_px < self.decoded_width_px
            and crop.top_px + crop.bottom_px < self.decoded_height_px
        )
        return crop if is_possible else NO_CROP


def turn_of(matrix: tuple[int, ...] | None) -> Turn:
    """Return the rotation that is nearest to a display matrix; UPRIGHT for None."""
    if matrix is None:
        return UPRIGHT
    a, b, _, c, d = matrix[:5]
    if abs(a) + abs(d) >= abs(b) + abs(c):
        return (-1 if a < 0 else 1, 0, 0, -1 if d < 0 else 1)
    return (0, -1 if b < 0 else 1, -1 if c < 0 else 1, 0)
