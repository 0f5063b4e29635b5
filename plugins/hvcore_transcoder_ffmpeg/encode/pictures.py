"""
Make the small stills of a part, and choose the part's best picture for the poster.

Both are taken from the decoded pictures of the rungs, which have a constant frame rate:
so the number of a frame in the whole video gives its exact time.
"""

import shutil
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Final

import attrs

from hvcore.plugin_api import Rung, Still, TranscodeOrder
from hvcore_transcoder_ffmpeg.encode import filters
from hvcore_transcoder_ffmpeg.encode.encoders import NO_NAMES
from hvcore_transcoder_ffmpeg.encode.poster_score import score_picture
from hvcore_transcoder_ffmpeg.encode.spans import Span

POSTER_FILE: Final = "poster.jpg"
STILLS_FOLDER: Final = "stills"
POSTERS_FOLDER: Final = "posters"
FOLDERS: Final = (STILLS_FOLDER, POSTERS_FOLDER)

_MAX_POSTER_PX: Final = 1920
_MAX_STILL_PX: Final = 160

_MIN_MOMENTS: Final = 3
_MAX_MOMENTS: Final = 5
"""How many pictures of a video compete to be the poster. At 1080p a picture takes 25 ms of
a core to make and 17 ms to score: all together less than 1 % of the encode of 20 s."""
_MIN_APART_S: Final = 3.0
_EDGE: Final = 0.05
"""The share of a video at its beginning and its end in which pictures score less: titles,
black and credits are there."""
_EDGE_WORTH: Final = 0.5


@attrs.frozen(kw_only=True)
class PartPictures:
    """
    Hold the poster and the stills that were made of a part of a video.

    Attributes:
        poster: The file name of the part's best picture; None if there is none.
        poster_score: The score of that picture, 0 to 1; the best one of all parts
            becomes the poster of the video.
        stills: The pictures for the preview while seeking.
    """

    poster: str | None
    poster_score: float
    stills: tuple[Still, ...] = ()


def chains(order: TranscodeOrder, span: Span, *, tone_map: bool) -> list[str]:
    """
    Return the filter chains that make posters and stills from the pictures of the rungs.

    Args:
        span: The frames of the part; the graph counts them from 0.
        tone_map: Whether the rungs are HDR and must become SDR, because JPEG is SDR.
    """
    rungs = order.ladder.rungs
    tone = filters.tone_map() if tone_map else []
    frames = poster_frames(span)
    wanted = "+".join(f"eq(n,{frame - span.first_frame})" for frame in frames)
    size = _shrunk(rungs[-1], _MAX_POSTER_PX)
    poster = _chain(wanted, tone, size)
    made = [f"[{filters.POSTER_PAD}]{poster}[{filters.POSTER}]"]
    if order.still_interval_s:
        due = _still_due(order.still_interval_s, span)
        still = _chain(due, tone, _shrunk(rungs[0], _MAX_STILL_PX))
        made.append(f"[{filters.STILLS_PAD}]{still}[{filters.STILLS}]")
    return made


def outputs(order: TranscodeOrder) -> list[str]:
    """Return the ffmpeg options that write posters and stills, numbered in their order."""
    # 3 of 31: all are compressed once more, into thumbnails and sheets.
    options = _files(filters.POSTER, POSTERS_FOLDER)
    if order.still_interval_s:
        options += _files(filters.STILLS, STILLS_FOLDER)
    return options


def poster_frames(span: Span) -> list[int]:
    """
    Return the numbers of the frames of a part that compete to be the poster.

    The part's first frame is always among them: a part may have no other.
    """
    first = span.first_frame
    number = min(max(int(span.total_s / _MIN_APART_S), _MIN_MOMENTS), _MAX_MOMENTS)
    step = (1 - 2 * _EDGE) / (number - 1)
    shares = [_EDGE + place * step for place in range(number)]
    wanted = {ceil(span.total_s * share * span.frame_rate) for share in shares}
    return sorted({first, *(n for n in wanted if first < n < span.end_frame)})


def still_moments(interval_s: int, span: Span, frames: int) -> list[int]:
    """
    Return the moment in seconds of the video that each still of a part shows, in order.

    Args:
        interval_s: The seconds of video from one still to the next.
        frames: The number of frames that the part has made.
    """
    rate, first = span.frame_rate, span.first_frame
    moments = []
    # The first one that the frame before does not show already.
    number = floor((first - 1) / rate / interval_s) + 1
    while ceil(number * interval_s * rate) < first + frames:
        moments.append(number * interval_s)
        number += 1
    return moments


def collect(
    folder: Path, order: TranscodeOrder, span: Span, *, made_s: float
) -> PartPictures:
    """
    Choose the poster and name the stills of a part; remove the other pictures.

    Args:
        made_s: The length of the pictures that the part has made, in seconds.
    """
    found = _choose_poster(folder, span)
    moments = []
    if order.still_interval_s:
        frames = round(made_s * span.frame_rate)
        moments = still_moments(order.still_interval_s, span, frames)
    stills = tuple(
        Still(at_s=at_s, name=f"{STILLS_FOLDER}/{number}.jpg")
        for number, at_s in enumerate(moments)
        if (folder / STILLS_FOLDER / f"{number}.jpg").is_file()
    )
    _keep_only(folder / STILLS_FOLDER, {folder / still.name for still in stills})
    return attrs.evolve(found, stills=stills)


def _keep_only(folder: Path, chosen_files: set[Path]) -> None:
    for path in set(folder.iterdir()) - chosen_files:
        path.unlink()
    if not chosen_files:
        folder.rmdir()


def _choose_poster(folder: Path, span: Span) -> PartPictures:
    earliest_s = span.total_s * _EDGE
    latest_s = span.total_s * (1 - _EDGE) + float(1 / span.frame_rate)
    scores = {}
    for number, frame in enumerate(poster_frames(span)):
        path = folder / POSTERS_FOLDER / f"{number}.jpg"
        if path.is_file():
            at_s = frame / span.frame_rate
            is_inside = earliest_s <= at_s <= latest_s
            scores[path] = score_picture(path) * (1 if is_inside else _EDGE_WORTH)
    # The earlier one of two that are equal.
    best = max(scores, key=lambda path: scores[path], default=None)
    if best is not None:
        best.replace(folder / POSTER_FILE)
    shutil.rmtree(folder / POSTERS_FOLDER)
    if best is None:
        return PartPictures(poster=None, poster_score=0.0)
    return PartPictures(poster=POSTER_FILE, poster_score=scores[best])


def _still_due(interval_s: int, span: Span) -> str:
    # True for a frame that is the first one at or after a multiple of the
    # interval. Counted in frames of the whole video: a quotient of whole
    # numbers is exact in floating point where it has to be.
    rate = span.frame_rate

    def interval(frame: int) -> str:
        number = f"(n+{frame})*{rate.denominator}"
        return f"floor({number}/{rate.numerator * interval_s})"

    return f"gt({interval(span.first_frame)},{interval(span.first_frame - 1)})"


def _shrunk(rung: Rung, max_px: int) -> tuple[int, int]:
    shrink = min(Fraction(1), Fraction(max_px, max(rung.width_px, rung.height_px)))
    # Even, because of the shared colours of neighbours.
    width, height = (
        max(2, round(side * shrink / 2) * 2) for side in (rung.width_px, rung.height_px)
    )
    return width, height


def _chain(wanted: str, tone: list[str], size: tuple[int, int]) -> str:
    chain = [
        f"select='{wanted}'",
        *tone,
        f"scale={size[0]}:{size[1]}:flags=bicubic:{filters.JPEG}",
        "format=yuv420p",
    ]
    return ",".join(chain)


def _files(label: str, folder: str) -> list[str]:
    options = ["-map", f"[{label}]", *NO_NAMES, "-fps_mode", "passthrough"]
    options += ["-c:v", "mjpeg", "-q:v", "3", "-threads", "1"]
    # The full range under the usual name of the format: the special name that
    # ffmpeg has for it makes the scaler print a warning for every slice.
    options += ["-strict", "unofficial"]
    return [*options, "-f", "image2", "-start_number", "0", f"{folder}/%d.jpg"]
