"""Read ffprobe's report of video tracks, which may lie, and choose one of them."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import attrs

from hvcore.plugin_api import (
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_PIXELS,
    PixelFormat,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPicture
from hvcore_transcoder_ffmpeg.probe.geometry import Geometry, turn_of
from hvcore_transcoder_ffmpeg.probe.report_fields import (
    dict_of,
    integer,
    known,
    list_of,
    number,
    parse,
    rate,
)
from hvcore_transcoder_ffmpeg.probe.source import Colour, Streams, VideoStream
from hvcore_transcoder_ffmpeg.reasons import DOLBY_VISION, UNREADABLE

FIRST_PICTURE_ENTRIES: Final = (
    "frame=width,height,interlaced_frame:frame_side_data=displaymatrix"
)

TOO_LARGE: Final = (
    f"The picture is too large: at most {MAX_SOURCE_EDGE_PX} pixels on each side and "
    f"{MAX_SOURCE_PIXELS // 1_000_000} million in all are supported."
)

_DOLBY_ONLY_PROFILES: Final = frozenset({5, 10})
"""The Dolby Vision profiles of HEVC and AV1 that may have no picture for other screens."""
_MATRIX_NUMBERS: Final = 9
_EQUAL_SHARE: Final = 0.9
"""The share of the largest track's extent from which a track counts as equally large: two
such tracks are the same film twice."""

_WITHOUT_FIELDS: Final = frozenset(
    {"av1", "libdav1d", "msmpeg4v2", "msmpeg4v3", "vp8", "vp9"}
)
"""The codecs in which no picture can be interlaced."""
_PLANES: Final = ("yuv4", "yuvj4", "gray", "gbr")
"""The beginnings of pixel formats that the deinterlacer supports."""
_LEAST_EDGE_PX: Final = 16
"""The least width and height for the deinterlacer, which needs 4 lines of each plane, also
of subsampled colours."""

_INTERLACED: Final = frozenset({"tt", "bb", "tb", "bt"})

_BITS: Final = ((8, "{}"), (10, "{}10b"), (16, "{}12b"))


def is_video(stream: dict[str, Any]) -> bool:
    """Return whether a track is a video and not a cover picture."""
    return (
        stream.get("codec_type") == "video"
        and not is_attached(stream)
        and not dict_of(stream, "disposition").get("timed_thumbnails")
        and bool(stream.get("codec_name"))
    )


def is_attached(stream: dict[str, Any]) -> bool:
    """Return whether a track is a cover picture or an attached file, such as a font."""
    # A cover picture of a song is a video stream, too.
    is_picture = dict_of(stream, "disposition").get("attached_pic")
    return bool(is_picture) or stream.get("codec_type") == "attachment"


def choose(videos: Sequence[dict[str, Any]], whole_s: float) -> dict[str, Any]:
    """
    Return the video track with the largest pictures for the longest time.

    Args:
        videos: The video tracks as ffprobe reports them.
        whole_s: The length of the file in seconds, for tracks that declare none.
    """

    def extent(one: dict[str, Any]) -> float:
        area = integer(one, "width") * integer(one, "height")
        return area * (declared_s(one) or whole_s or 1.0)

    most = max(map(extent, videos))
    equals = [one for one in videos if extent(one) >= most * _EQUAL_SHARE]
    # The first one of several, or of none.
    return max(equals, key=lambda one: bool(dict_of(one, "disposition").get("default")))


def video_stream(stream: dict[str, Any], picture: ContainerPicture) -> VideoStream:
    """
    Return the description of a video track by its headers.

    Args:
        stream: The track as ffprobe reports it.
        picture: The container's facts about its pictures that ffprobe does not report.

    Raises:
        UnusableSourceError: The pictures are too large, or of a kind that cannot be
            shown.
    """
    width, height = integer(stream, "width"), integer(stream, "height")
    if width <= 0 or height <= 0:
        raise UnusableSourceError(UNREADABLE)
    geometry = Geometry(
        decoded_width_px=width,
        decoded_height_px=height,
        crop=picture.crop,
        pixel_shape=picture.pixel_shape or rate(stream, "sample_aspect_ratio"),
        aspect=picture.aspect,
        turn=turn_of(picture.matrix or _matrix(stream)),
    )
    _require_size(geometry)
    if _has_no_plain_picture(stream):
        raise UnusableSourceError(DOLBY_VISION)
    is_interlaced = stream.get("field_order") in _INTERLACED
    return VideoStream(
        index=integer(stream, "index"),
        codec=str(stream.get("codec_name", "")),
        geometry=geometry,
        pixel_format=pixel_format(str(stream.get("pix_fmt", ""))),
        colour=Colour(
            matrix=known(stream, "color_space"),
            transfer=known(stream, "color_transfer"),
            primaries=known(stream, "color_primaries"),
            is_usual=_is_usual(stream),
        ),
        nominal_rate=rate(stream, "r_frame_rate"),
        average_rate=rate(stream, "avg_frame_rate"),
        is_interlaced=is_interlaced,
        may_have_fields=is_interlaced or _may_have_fields(stream),
        reordered_fields=_reordered_fields(stream, is_interlaced=is_interlaced),
        declared_s=declared_s(stream),
    )


def _require_size(geometry: Geometry) -> None:
    width, height = geometry.decoded_width_px, geometry.decoded_height_px
    edges = (width, height, *geometry.size_px)
    if max(edges) > MAX_SOURCE_EDGE_PX or width * height > MAX_SOURCE_PIXELS:
        raise UnusableSourceError(f"{TOO_LARGE} This one is {width}x{height}.")


def _reordered_fields(stream: dict[str, Any], *, is_interlaced: bool) -> int:
    if stream.get("codec_name") in _WITHOUT_FIELDS:
        # The same codecs have no pictures between others, either.
        return 0
    return 2 if is_interlaced else 1


def _may_have_fields(stream: dict[str, Any]) -> bool:
    name = str(stream.get("pix_fmt", ""))
    return (
        stream.get("codec_name") not in _WITHOUT_FIELDS
        and name.startswith(_PLANES)
        and min(integer(stream, "width"), integer(stream, "height")) >= _LEAST_EDGE_PX
    )


def _is_usual(stream: dict[str, Any]) -> bool:
    # yuvj: ffmpeg's old names of formats of the full range. A file that changes its
    # range in the middle looks paler from there on with ffmpeg 5; it is rare.
    name = str(stream.get("pix_fmt", ""))
    is_limited = known(stream, "color_range") in {"", "tv"}
    return is_limited and name.startswith("yuv") and not name.startswith("yuvj")


def _has_no_plain_picture(stream: dict[str, Any]) -> bool:
    """Return whether only Dolby's decoders can turn the pictures into colours."""
    sides = [one for one in list_of(stream, "side_data_list") if isinstance(one, dict)]
    return any(
        integer(one, "dv_profile") in _DOLBY_ONLY_PROFILES
        and integer(one, "dv_bl_signal_compatibility_id") == 0
        for one in sides
    )


def declared_s(stream: dict[str, Any]) -> float:
    """Return the length of a track by its headers, in seconds; 0 if it is unknown."""
    return number(stream, "duration") or _tagged_s(stream)


def _tagged_s(stream: dict[str, Any]) -> float:
    # Matroska says a track's length as a text, if at all; some of its writers
    # count it from 0, wherever the track begins.
    text = dict_of(stream, "tags").get("DURATION")
    found = re.fullmatch(r"(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)", str(text))
    if found is None:
        return 0.0
    hours, minutes, seconds = map(float, found.groups())
    end_s = (hours * 60 + minutes) * 60 + seconds
    return max(0.0, end_s - max(0.0, number(stream, "start_time")))


def _matrix(stream: dict[str, Any]) -> tuple[int, ...] | None:
    """Return the display matrix of a stream or a frame in ffprobe's report, or None."""
    sides = [one for one in list_of(stream, "side_data_list") if isinstance(one, dict)]
    for side in sides:
        # Three lines of three numbers behind an address each.
        lines = str(side.get("displaymatrix", "")).split("\n")
        words = [word for line in lines for word in line.partition(":")[2].split()]
        with suppress(ValueError):
            numbers = tuple(map(int, words[:_MATRIX_NUMBERS]))
            if len(numbers) == _MATRIX_NUMBERS:
                return numbers
    return None


def with_first_picture(streams: Streams, report: bytes) -> Streams:
    """
    Return the streams, corrected by the size and rotation of the first decoded picture.

    Args:
        report: ffprobe's report of the first pictures, in JSON.

    Raises:
        UnusableSourceError: The picture is too large.
    """
    frames = [one for one in list_of(parse(report), "frames") if isinstance(one, dict)]
    seen = next((one for one in frames if integer(one, "width") > 0), None)
    if seen is None or integer(seen, "height") <= 0:
        # How it ends, the encode knows.
        return streams
    geometry = streams.video.geometry.seen(
        integer(seen, "width"), integer(seen, "height"), _matrix(seen)
    )
    _require_size(geometry)
    video = attrs.evolve(
        streams.video,
        geometry=geometry,
        is_interlaced=streams.video.is_interlaced
        or integer(seen, "interlaced_frame") > 0,
    )
    return attrs.evolve(streams, video=video)


def pixel_format(name: str) -> PixelFormat:
    """Return the API's pixel format that holds all that a format of ffmpeg's holds."""
    if name.startswith(("gbr", "rgb", "bgr", "argb", "abgr", "0rgb", "0bgr", "pal8")):
        chroma = "yuv444p"
    else:
        sampling = re.search(r"4[0-4][0-4]", name)
        kind = sampling.group() if sampling else ""
        chroma = {"422": "yuv422p", "444": "yuv444p"}.get(kind, "yuv420p")
        if name.startswith(("yuyv", "uyvy", "yvyu", "nv16", "p210", "y210")):
            chroma = "yuv422p"
    depth = re.search(r"(?:p|gray|nv\d\d|xyz|y2|gbrap?)(9|10|12|14|16)(?:le|be)", name)
    bits = int(depth.group(1)) if depth else 8
    if name.startswith(("p010", "p210", "y210")):
        bits = 10
    shape = next(shape for most, shape in _BITS if bits <= most)
    return PixelFormat(shape.format(chroma))
