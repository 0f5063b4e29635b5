"""
Order and find the pictures of a video: a poster, and stills for previews while seeking.

MediaConvert captures the pictures in the same job as the ladder, as numbered JPEG files.
"""

from collections.abc import Collection, Iterator, Mapping
from math import ceil
from typing import Any, Final

import attrs

from hvcore.plugin_api import (
    PartDone,
    PartTarget,
    Rung,
    Still,
    StoredObject,
    TranscodeOrder,
)
from hvcore_transcoder_mediaconvert.abilities import SMALLEST_PX

POSTER_MODIFIER: Final = "_poster"
STILL_MODIFIER: Final = "_still"
_STILL_PX: Final = 160
_MOST_STILLS: Final = 100
_POSTERS: Final = 2
"""How many pictures are captured for the poster: the first picture of the video, which is
often black, and the picture after a tenth of the video."""
_QUALITY: Final = 80
_POSTER: Final = "poster.jpg"


def picture_outputs(
    order: TranscodeOrder, preprocessors: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """
    Return the outputs that capture the poster and the stills of a video; pure.

    Args:
        preprocessors: The video preprocessors of an ordinary rung with 8 bits.
    """
    rung = order.ladder.rungs[-1]
    every_s = max(1, ceil(order.source.duration_s / 10))
    size = rung.width_px, rung.height_px
    made = [_output(POSTER_MODIFIER, size, every_s, _POSTERS, preprocessors)]
    small = _still_size(rung)
    if order.still_interval_s and min(small) >= SMALLEST_PX:
        made.append(
            _output(
                STILL_MODIFIER,
                small,
                order.still_interval_s,
                _MOST_STILLS,
                preprocessors,
            )
        )
    return made


def with_pictures(
    done: PartDone, target: PartTarget, *, base: str, interval_s: int
) -> PartDone:
    """
    Return a part with the poster and the stills that are found in the target.

    Args:
        base: The beginning of the names of MediaConvert's files.
        interval_s: The seconds between two stills; 0 if no stills were ordered.

    Raises:
        UnavailableError: The storage does not answer.
    """
    there = {info.path for info in target.walk()}
    poster = _made_poster(base, there)
    stills = list(_made_stills(base, there, interval_s))
    return attrs.evolve(
        done,
        poster=poster.name if poster else None,
        stills=tuple(still for still, _ in stills),
        stored=(
            *done.stored,
            *([poster] if poster else []),
            *(made for _, made in stills),
        ),
    )


def _made_poster(base: str, there: Collection[str]) -> StoredObject | None:
    """Return the last picture that was captured for the poster; None if there is none."""
    names = [f"{base}{POSTER_MODIFIER}.{n:07d}.jpg" for n in range(_POSTERS)]
    found = [name for name in names if name in there]
    return StoredObject(name=_POSTER, made_as=found[-1]) if found else None


def _made_stills(
    base: str, there: Collection[str], interval_s: int
) -> Iterator[tuple[Still, StoredObject]]:
    """Yield each captured still with its file in the target."""
    for number in range(_MOST_STILLS if interval_s else 0):
        made_as = f"{base}{STILL_MODIFIER}.{number:07d}.jpg"
        if made_as in there:
            name = f"stills/{number}.jpg"
            yield (
                Still(at_s=number * interval_s, name=name),
                StoredObject(name=name, made_as=made_as),
            )


def _output(
    modifier: str,
    size: tuple[int, int],
    every_s: int,
    most: int,
    preprocessors: Mapping[str, Any],
) -> dict[str, Any]:
    capture = {
        "FramerateNumerator": 1,
        "FramerateDenominator": every_s,
        "MaxCaptures": most,
        "Quality": _QUALITY,
    }
    video: dict[str, Any] = {
        "Width": size[0],
        "Height": size[1],
        "ScalingBehavior": "STRETCH_TO_OUTPUT",
        "CodecSettings": {"Codec": "FRAME_CAPTURE", "FrameCaptureSettings": capture},
    }
    if preprocessors:
        video["VideoPreprocessors"] = dict(preprocessors)
    return {
        "NameModifier": modifier,
        "ContainerSettings": {"Container": "RAW"},
        "VideoDescription": video,
    }


def _still_size(rung: Rung) -> tuple[int, int]:
    longest = max(rung.width_px, rung.height_px)
    share = min(1.0, _STILL_PX / longest)
    width, height = (
        round(px * share / 2) * 2 for px in (rung.width_px, rung.height_px)
    )
    return width, height
