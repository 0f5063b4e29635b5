"""
Read ffprobe's report of a file that may lie.
"""

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, Final

from hv_transcoder_ffmpeg.containers import CAPTION_CODECS
from hv_transcoder_ffmpeg.mixing import own_mix
from hv_transcoder_ffmpeg.reasons import DOLBY_VISION, UNREADABLE
from hv_transcoder_ffmpeg.source import Colour, Streams, VideoStream
from hvcore.plugin_api import (
    MAX_CAPTION_TRACKS,
    MAX_CHAPTERS,
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_EDGE_PX,
    MAX_SOURCE_PIXELS,
    MAX_SOURCE_STREAMS,
    AudioTrackInfo,
    CaptionTrackInfo,
    Chapter,
    PixelFormat,
    UnusableSourceError,
)

ENTRIES: Final = (
    "stream=index,codec_type,codec_name,width,height,pix_fmt,field_order,"
    "sample_aspect_ratio,avg_frame_rate,r_frame_rate,color_range,"
    "color_space,color_transfer,color_primaries,channels,channel_layout,sample_rate,"
    "start_time,duration"
    ":stream_disposition=default,forced,attached_pic,timed_thumbnails"
    ":stream_tags=language,title,rotate,DURATION"
    ":stream_side_data=rotation,dv_profile,dv_bl_signal_compatibility_id"
    ":chapter=start_time,end_time:chapter_tags=title"
    ":format=start_time,nb_streams"
)
"""What is asked of ffprobe; everything else of the file stays unprinted."""

NO_VIDEO: Final = "The file has no video."
TOO_LARGE: Final = (
    f"The picture is too large: at most {MAX_SOURCE_EDGE_PX} pixels on each side and "
    f"{MAX_SOURCE_PIXELS // 1_000_000} million in all are supported."
)

_MAX_TITLE_CHARS: Final = 200
_MAX_CHANNELS: Final = 64
_MAX_PIXEL_SHAPE: Final = 10
"""A pixel more oblong than this is a damaged header, not a picture."""
_UPRIGHT_DEGREES: Final = 90
_DOLBY_ONLY_PROFILE: Final = 5

_INTERLACED: Final = frozenset({"tt", "bb", "tb", "bt"})
_BITS: Final = ((8, "{}"), (10, "{}10b"), (16, "{}12b"))


def read_streams(report: bytes, container: str) -> Streams:
    """
    Pick the video stream and the audio tracks.

    Raises:
        UnusableSourceError: There is no video, or it is over a limit.
    """
    content = _parse(report)
    streams = [one for one in _list(content, "streams") if isinstance(one, dict)]
    form = _dict(content, "format")
    # Fonts and covers are streams for ffprobe, and nothing that is played.
    attached = sum(map(_is_attached, streams))
    count = max(len(streams), _integer(form, "nb_streams")) - attached
    if count > MAX_SOURCE_STREAMS:
        raise UnusableSourceError(
            f"The file has more than {MAX_SOURCE_STREAMS} tracks."
        )
    audio = _audio_tracks(one for one in streams if one.get("codec_type") == "audio")
    pictures = [one for one in streams if _is_video(one)]
    if not pictures:
        raise UnusableSourceError(
            "The file has no video, only audio." if audio else NO_VIDEO
        )
    pictures.sort(key=lambda one: not _dict(one, "disposition").get("default"))
    subtitles = [one for one in streams if one.get("codec_type") == "subtitle"]
    captions = [one for one in subtitles if one.get("codec_name") in CAPTION_CODECS]
    return Streams(
        container=container,
        start_s=_number(form, "start_time"),
        video=_video_stream(pictures[0]),
        audio=audio,
        own_mixes=_own_mixes(streams, audio),
        captions=tuple(map(_caption_track, captions[:MAX_CAPTION_TRACKS])),
        chapters=_chapters(content, _number(form, "start_time")),
        has_other_subtitles=len(captions) < len(subtitles),
    )


def packet_lines(report: bytes, fields: Sequence[str]) -> bytes | None:
    """
    Return the packets of a report in lines, as ffprobe's CSV has them.

    Returns:
        None if the report lists no packets.
    """
    content = _parse(report)
    if "packets" not in content:
        return None
    packets = (one for one in _list(content, "packets") if isinstance(one, dict))
    lines = (
        ",".join(str(packet.get(field, "")) for field in fields) for packet in packets
    )
    return "".join(f"{line}\n" for line in lines).encode()


def pixel_format(name: str) -> PixelFormat:
    """
    Return the documented format that holds what a source's format holds.
    """
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


def _parse(report: bytes) -> dict[str, Any]:
    try:
        content = json.loads(report.decode(errors="replace"))
    except (ValueError, RecursionError) as exc:
        raise UnusableSourceError(UNREADABLE) from exc
    return content if isinstance(content, dict) else {}


def _is_video(stream: dict[str, Any]) -> bool:
    flags = _dict(stream, "disposition")
    return (
        stream.get("codec_type") == "video"
        and not _is_attached(stream)
        and not flags.get("timed_thumbnails")
        and bool(stream.get("codec_name"))
    )


def _is_attached(stream: dict[str, Any]) -> bool:
    # A cover picture of a song is a video stream, too.
    is_picture = _dict(stream, "disposition").get("attached_pic")
    return bool(is_picture) or stream.get("codec_type") == "attachment"


def _video_stream(stream: dict[str, Any]) -> VideoStream:
    width, height = _integer(stream, "width"), _integer(stream, "height")
    if width <= 0 or height <= 0:
        raise UnusableSourceError(UNREADABLE)
    shape = _rate(stream, "sample_aspect_ratio") or Fraction(1)
    if not Fraction(1, _MAX_PIXEL_SHAPE) <= shape <= _MAX_PIXEL_SHAPE:
        shape = Fraction(1)
    shown = (max(1, round(width * shape)), height)
    degrees = _degrees(stream)
    if degrees % (2 * _UPRIGHT_DEGREES) == _UPRIGHT_DEGREES:
        shown = shown[::-1]
    edges = (width, height, *shown)
    if max(edges) > MAX_SOURCE_EDGE_PX or width * height > MAX_SOURCE_PIXELS:
        raise UnusableSourceError(f"{TOO_LARGE} This one is {width}x{height}.")
    if _has_no_plain_picture(stream):
        raise UnusableSourceError(DOLBY_VISION)
    return VideoStream(
        index=_integer(stream, "index"),
        codec=str(stream.get("codec_name", "")),
        width_px=shown[0],
        height_px=shown[1],
        coded_width_px=width,
        coded_height_px=height,
        pixel_format=pixel_format(str(stream.get("pix_fmt", ""))),
        colour=Colour(
            matrix=_known(stream, "color_space"),
            transfer=_known(stream, "color_transfer"),
            primaries=_known(stream, "color_primaries"),
            is_usual=_is_usual(stream),
        ),
        nominal_rate=_rate(stream, "r_frame_rate"),
        average_rate=_rate(stream, "avg_frame_rate"),
        is_interlaced=stream.get("field_order") in _INTERLACED,
        is_turned=degrees != 0,
        declared_s=_number(stream, "duration") or _tagged_s(stream),
    )


def _is_usual(stream: dict[str, Any]) -> bool:
    # yuvj: ffmpeg's old names of formats of the full range. A file that changes its
    # range in the middle looks paler from there on with ffmpeg 5; it is rare.
    name = str(stream.get("pix_fmt", ""))
    is_limited = _known(stream, "color_range") in {"", "tv"}
    return is_limited and name.startswith("yuv") and not name.startswith("yuvj")


def _has_no_plain_picture(stream: dict[str, Any]) -> bool:
    """
    Return whether the numbers of the pictures mean colours to Dolby's decoders only.
    """
    sides = [one for one in _list(stream, "side_data_list") if isinstance(one, dict)]
    return any(
        _integer(one, "dv_profile") == _DOLBY_ONLY_PROFILE
        and _integer(one, "dv_bl_signal_compatibility_id") == 0
        for one in sides
    )


def _tagged_s(stream: dict[str, Any]) -> float:
    # Matroska says a track's length as a text, if at all; some of its writers
    # count it from 0, wherever the track begins.
    text = _dict(stream, "tags").get("DURATION")
    found = re.fullmatch(r"(\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)", str(text))
    if found is None:
        return 0.0
    hours, minutes, seconds = map(float, found.groups())
    end_s = (hours * 60 + minutes) * 60 + seconds
    return max(0.0, end_s - max(0.0, _number(stream, "start_time")))


def _degrees(stream: dict[str, Any]) -> int:
    sides = [one for one in _list(stream, "side_data_list") if isinstance(one, dict)]
    degrees = [_integer(one, "rotation") for one in sides if "rotation" in one]
    return degrees[0] if degrees else _integer(_dict(stream, "tags"), "rotate")


def _audio_tracks(streams: Iterable[dict[str, Any]]) -> tuple[AudioTrackInfo, ...]:
    tracks = [
        AudioTrackInfo(
            stream_index=_integer(stream, "index"),
            channels=_integer(stream, "channels"),
            sample_rate_hz=_integer(stream, "sample_rate"),
            codec=str(stream.get("codec_name", "")),
            language=_language(_dict(stream, "tags")),
            title=_title(_dict(stream, "tags")),
            is_default=bool(_dict(stream, "disposition").get("default")),
        )
        for stream in streams
        # A damaged track has no channels or no codec; the video plays without.
        if stream.get("codec_name")
        and 0 < _integer(stream, "channels") <= _MAX_CHANNELS
        and _integer(stream, "sample_rate") > 0
    ]
    return tuple(sorted(tracks, key=lambda track: not track.is_default))


def _own_mixes(
    streams: Iterable[dict[str, Any]], audio: Iterable[AudioTrackInfo]
) -> dict[int, str]:
    layouts = {
        _integer(one, "index"): str(one.get("channel_layout", "")) for one in streams
    }
    mixes = {
        track.stream_index: own_mix(layouts[track.stream_index], track.channels)
        for track in audio
    }
    return {index: mix for index, mix in mixes.items() if mix}


def _caption_track(stream: dict[str, Any]) -> CaptionTrackInfo:
    tags, flags = _dict(stream, "tags"), _dict(stream, "disposition")
    return CaptionTrackInfo(
        stream_index=_integer(stream, "index"),
        codec=str(stream["codec_name"]),
        language=_language(tags),
        title=_title(tags),
        is_default=bool(flags.get("default")),
        is_forced=bool(flags.get("forced")),
    )


def _chapters(content: dict[str, Any], start_s: float) -> tuple[Chapter, ...]:
    marks = [one for one in _list(content, "chapters") if isinstance(one, dict)]
    return tuple(
        Chapter(
            start_ms=round((_number(one, "start_time") - start_s) * 1000),
            # One without an end ends where the next one begins.
            end_ms=round(
                ((_number(one, "end_time") or MAX_SOURCE_DURATION_S) - start_s) * 1000
            ),
            title=str(_dict(one, "tags").get("title", ""))[:_MAX_TITLE_CHARS],
        )
        for one in marks[:MAX_CHAPTERS]
    )


def _language(tags: dict[str, Any]) -> str:
    language = str(tags.get("language", ""))
    is_code = re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}", language)
    return language if is_code and language != "und" else ""


def _title(tags: dict[str, Any]) -> str:
    title = "".join(one for one in str(tags.get("title", "")) if one.isprintable())
    return title[:_MAX_TITLE_CHARS].strip()


def _dict(content: dict[str, Any], key: str) -> dict[str, Any]:
    found = content.get(key)
    return found if isinstance(found, dict) else {}


def _list(content: dict[str, Any], key: str) -> list[Any]:
    found = content.get(key)
    return found if isinstance(found, list) else []


def _known(stream: dict[str, Any], key: str) -> str:
    value = str(stream.get(key, ""))
    is_said = re.fullmatch(r"[a-z0-9-]{1,32}", value) and value != "unknown"
    return value if is_said else ""


def _number(content: dict[str, Any], key: str) -> float:
    try:
        number = float(content.get(key) or 0)
    except (TypeError, ValueError):
        return 0.0
    return number if isfinite(number) else 0.0


def _integer(content: dict[str, Any], key: str) -> int:
    number = _number(content, key)
    return int(number) if abs(number) < 2**53 else 0


def _rate(stream: dict[str, Any], key: str) -> Fraction:
    found = re.fullmatch(r"(\d{1,10})[/:](\d{1,10})", str(stream.get(key, "")))
    if found is None or int(found.group(2)) == 0:
        return Fraction(0)
    return Fraction(int(found.group(1)), int(found.group(2)))
