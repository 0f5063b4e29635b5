"""The parameters of video that all codecs' parameter sets have."""

from typing import Final

import attrs

HDR_TRANSFERS: Final = {16: "PQ", 18: "HLG"}
"""By code point of the transfer function (ITU-T H.273, table 3)."""


@attrs.frozen(kw_only=True)
class Picture:
    """
    A picture, and what a decoder has to be able to do for it.

    Attributes:
        width_px: As shown, after cropping.
        coded_width_px: As decoded.
        transfer: Code point of the transfer function (ITU-T H.273); None if
            the colours are not explicit.
        has_square_pixels: False if the stream says that they are oblong.
    """

    width_px: int
    height_px: int
    coded_width_px: int
    coded_height_px: int
    transfer: int | None
    has_square_pixels: bool = True


@attrs.frozen(kw_only=True)
class Usability:
    """The head of video usability information."""

    transfer: int | None = None
    has_square_pixels: bool = True


@attrs.frozen(kw_only=True)
class VideoConfig:
    """
    A decoder configuration record.

    Attributes:
        codecs: RFC 6381.
        level: As the record has it.
        is_for_devices: Whether profile, level and tier are ones that Apple's
            specification allows.
        nal_length_bytes: Of the length before each NAL unit.
        pictures: One per sequence parameter set.
        problems: What is wrong with the record, a sentence each.
    """

    codecs: str
    level: int
    is_for_devices: bool
    nal_length_bytes: int
    pictures: tuple[Picture, ...]
    problems: tuple[str, ...]
