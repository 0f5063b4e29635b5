"""Read ffprobe's report of a file that may lie."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hvcore.plugin_api import (
    MAX_CAPTION_TRACKS,
    MAX_CHAPTERS,
    MAX_SOURCE_DURATION_S,
    MAX_SOURCE_STREAMS,
    AudioTrackInfo,
    CaptionTrackInfo,
    Chapter,
    UnusableSourceError,
)
from hvcore_transcoder_ffmpeg.probe import left_out
from hvcore_transcoder_ffmpeg.probe.container_pictures import ContainerPictures
from hvcore_transcoder_ffmpeg.probe.containers import CAPTION_CODECS
from hvcore_transcoder_ffmpeg.probe.mixing import own_mix
from hvcore_transcoder_ffmpeg.probe.report_fields import (
    dict_of,
    integer,
    list_of,
    number,
    parse,
)
from hvcore_transcoder_ffmpeg.probe.source import Streams
from hvcore_transcoder_ffmpeg.probe.video_report import (
    choose,
    is_attached,
    is_video,
    video_stream,
)

ENTRIES: Final = (
    "stream=index,id,codec_type,codec_name,codec_tag_string,width,height,pix_fmt,field_order,"
    "sample_aspect_ratio,avg_frame_rate,r_frame_rate,color_range,"
    "color_space,color_transfer,color_primaries,channels,channel_layout,sample_rate,"
    "start_time,duration"
    ":stream_disposition=default,forced,attached_pic,timed_thumbnails"
    ":stream_tags=language,title,DURATION"
    ":stream_side_data=displaymatrix,dv_profile,dv_bl_signal_compatibility_id"
    ":chapter=start_time,end_time:chapter_tags=title"
    ":format=start_time,duration,nb_streams"
)
"""The fields that ffprobe reports; other texts of the file are not printed."""

NO_VIDEO: Final = "The file has no video."

_MAX_TITLE_CHARS: Final = 200
_MAX_CHANNELS: Final = 64


def read_streams(report: bytes, container: str, pictures: ContainerPictures) -> Streams:
    """
    Return the streams of a source from ffprobe's report, with the chosen video track.

    Args:
        report: ffprobe's report in JSON.
        container: ffmpeg's name of the demuxer.
        pictures: The container's facts about pictures that ffprobe does not report.

    Raises:
        UnusableSourceError: The file has no video, or exceeds a limit.
    """
    content = parse(report)
    streams = [one for one in list_of(content, "streams") if isinstance(one, dict)]
    form = dict_of(content, "format")
    # Fonts and covers are streams for ffprobe, and nothing that is played.
    attached = sum(map(is_attached, streams))
    count = max(len(streams), integer(form, "nb_streams")) - attached
    if count > MAX_SOURCE_STREAMS:
        raise UnusableSourceError(
            f"The file has more than {MAX_SOURCE_STREAMS} tracks."
        )
    audio = _audio_tracks(one for one in streams if one.get("codec_type") == "audio")
    videos = [one for one in streams if is_video(one)]
    if not videos:
        raise UnusableSourceError(
            "The file has no video, only audio." if audio else NO_VIDEO
        )
    shown = choose(videos, number(form, "duration"))
    picture = pictures.of(str(shown.get("id", "")), integer(shown, "index"))
    subtitles = [one for one in streams if one.get("codec_type") == "subtitle"]
    captions = [one for one in subtitles if one.get("codec_name") in CAPTION_CODECS]
    return Streams(
        container=container,
        start_s=number(form, "start_time"),
        video=video_stream(shown, picture),
        audio=audio,
        own_mixes=_own_mixes(streams, audio),
        captions=tuple(map(_caption_track, captions[:MAX_CAPTION_TRACKS])),
        chapters=_chapters(content, number(form, "start_time")),
        has_other_subtitles=len(captions) < len(subtitles),
        warnings=left_out.warnings(streams, shown, audio),
    )


def packet_lines(report: bytes, fields: Sequence[str]) -> bytes | None:
    """
    Return the packets in ffprobe's JSON report as lines of CSV, as ffprobe writes them.

    Returns:
        None if the report lists no packets.
    """
    content = parse(report)
    if "packets" not in content:
        return None
    packets = (one for one in list_of(content, "packets") if isinstance(one, dict))
    lines = (
        ",".join(str(packet.get(field, "")) for field in fields) for packet in packets
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _audio_tracks(streams: Iterable[dict[str, Any]]) -> tuple[AudioTrackInfo, ...]:
    tracks = [
        AudioTrackInfo(
            stream_index=integer(stream, "index"),
            channels=integer(stream, "channels"),
            sample_rate_hz=integer(stream, "sample_rate"),
            codec=str(stream.get("codec_name", "")),
            language=_language(dict_of(stream, "tags")),
            title=_title(dict_of(stream, "tags")),
            is_default=bool(dict_of(stream, "disposition").get("default")),
        )
        for stream in streams
        # A damaged track has no channels or no codec; the video plays without.
        if stream.get("codec_name")
        and 0 < integer(stream, "channels") <= _MAX_CHANNELS
        and integer(stream, "sample_rate") > 0
    ]
    return tuple(sorted(tracks, key=lambda track: not track.is_default))


def _own_mixes(
    streams: Iterable[dict[str, Any]], audio: Iterable[AudioTrackInfo]
) -> dict[int, str]:
    layouts = {
        integer(one, "index"): str(one.get("channel_layout", "")) for one in streams
    }
    mixes = {
        track.stream_index: own_mix(layouts[track.stream_index], track.channels)
        for track in audio
    }
    return {index: mix for index, mix in mixes.items() if mix}


def _caption_track(stream: dict[str, Any]) -> CaptionTrackInfo:
    tags, flags = dict_of(stream, "tags"), dict_of(stream, "disposition")
    return CaptionTrackInfo(
        stream_index=integer(stream, "index"),
        codec=str(stream["codec_name"]),
        language=_language(tags),
        title=_title(tags),
        is_default=bool(flags.get("default")),
        is_forced=bool(flags.get("forced")),
    )


def _chapters(content: dict[str, Any], start_s: float) -> tuple[Chapter, ...]:
    marks = [one for one in list_of(content, "chapters") if isinstance(one, dict)]
    return tuple(
        Chapter(
            start_ms=round((number(one, "start_time") - start_s) * 1000),
            # One without an end ends where the next one begins.
            end_ms=round(
                ((number(one, "end_time") or MAX_SOURCE_DURATION_S) - start_s) * 1000
            ),
            title=str(dict_of(one, "tags").get("title", ""))[:_MAX_TITLE_CHARS],
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
