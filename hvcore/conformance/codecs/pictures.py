"""The parameters of a video stream (picture size, colours, level) that H.264 and H.265 have in common."""

from typing import Final

import attrs

HDR_TRANSFERS: Final = {16: "PQ", 18: "HLG"}
"""The names of HDR transfer functions by their code points (ITU-T H.273, table 3)."""


@attrs.frozen(kw_only=True)
class Picture:
    """
    The size, transfer function and pixel shape of the pictures of a video stream.

    Attributes:
        width_px: The width as shown, after cropping.
        coded_width_px: The width as decoded, before cropping.
        transfer: Code point of the transfer function (ITU-T H.273); None if
            the colours are not explicit.
        has_square_pixels: False if the stream says that its pixels are not square.
    """

    width_px: int
    height_px: int
    coded_width_px: int
    coded_height_px: int
    transfer: int | None
    has_square_pixels: bool = True


@attrs.frozen(kw_only=True)
class Usability:
    """The transfer function and pixel shape from the video usability information (VUI) of a stream."""

    transfer: int | None = None
    has_square_pixels: bool = True


@attrs.frozen(kw_only=True)
class VideoConfig:
    """
    The decoder configuration of a video track, as its ``avcC`` or ``hvcC`` box has it.

    Attributes:
        codecs: The codec as CODECS attributes name it (RFC 6381).
        level: The codec's level, as the number in the box.
        is_for_devices: Whether profile, level and tier are ones that Apple's
            specification allows.
        nal_length_bytes: The size of the length field before each NAL unit.
        pictures: The size and colours of the pictures, one entry for each sequence parameter set.
        problems: The faults of the box, one phrase each.
    """

    codecs: str
    level: int
    is_for_devices: bool
    nal_length_bytes: int
    pictures: tuple[Picture, ...]
    problems: tuple[str, ...]
