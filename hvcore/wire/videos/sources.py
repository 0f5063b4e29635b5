"""
The JSON fields of a video's source file: its bytes, width, height, aspect ratio and frame rate.

Source: docs/decisions/0213.
"""

from collections.abc import Mapping
from typing import Final

from hvcore.domain.source_figures import SourceFigures
from hvcore.wire.schema import COUNT, Schema

SOURCE: Final[Mapping[str, Schema]] = {
    "width": COUNT,
    "height": COUNT,
    "aspectRatio": {"type": "string", "pattern": "^[1-9][0-9]*:[1-9][0-9]*$"},
    "frameRate": {"type": "number", "minimum": 0},
    "sourceBytes": COUNT,
}
"""The members of a video whose source was probed."""


def shown_source(source: SourceFigures | None) -> dict[str, object]:
    """Return the JSON members about a video's source file; a figure that is not known has no member."""
    if source is None:
        return {}
    shown: dict[str, object] = {}
    if source.width_px and source.height_px:
        across, down = source.aspect_ratio
        shown |= {
            "width": source.width_px,
            "height": source.height_px,
            "aspectRatio": f"{across}:{down}",
        }
    if source.frame_rate:
        rate = source.frame_rate
        shown["frameRate"] = int(rate) if rate.is_integer() else rate
    if source.size_bytes:
        shown["sourceBytes"] = source.size_bytes
    return shown
