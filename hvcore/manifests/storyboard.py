"""
Render the index of a storyboard (previews for seeking): for each moment of a video, the area of a sheet of pictures that shows it.

Source: W3C WebVTT, and Media Fragments URI 1.0, section 4.2.2 (``#xywh=``), as
    players read them. The index is not stored: delivery renders it for each response.
"""

from typing import Final

from hvcore.domain.processing.media_index import Storyboard

STORYBOARD: Final = "storyboard.vtt"


def sheet_name(number: int | str) -> str:
    """
    Return the file name of a storyboard's sheet of pictures; sheets are counted from 0.

    Args:
        number: The number of the sheet, or a placeholder for it in a template.
    """
    return f"storyboard-{number}.jpg"


def storyboard_index(storyboard: Storyboard, *, duration_s: float) -> str:
    """Render the index of a storyboard as WebVTT; the last cue ends with the video."""
    addresses = [
        f"{sheet_name(number)}#xywh={_area(storyboard, tile)}"
        for number, sprite in enumerate(storyboard.sprites)
        for tile in range(sprite.count)
    ]
    cues = ["WEBVTT\n"]
    for number, address in enumerate(addresses):
        begins_s = number * storyboard.interval_s
        is_last = number == len(addresses) - 1
        ends_s = duration_s if is_last else begins_s + storyboard.interval_s
        cues.append(f"{_time(begins_s)} --> {_time(ends_s)}\n{address}\n")
    return "\n".join(cues)


def _area(storyboard: Storyboard, tile: int) -> str:
    row, column = divmod(tile, storyboard.columns)
    width_px, height_px = storyboard.tile_width_px, storyboard.tile_height_px
    return f"{column * width_px},{row * height_px},{width_px},{height_px}"


def _time(at_s: float) -> str:
    minutes, ms = divmod(round(at_s * 1000), 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{ms // 1000:02}.{ms % 1000:03}"
