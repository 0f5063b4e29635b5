"""Write an order as the message ``Job`` of Google's Transcoder API."""

import hashlib
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import attrs

from hvcore.plugin_api import (
    AudioRendition,
    AudioTrackInfo,
    RateControl,
    Rung,
    SourceInfo,
    TranscodeOrder,
)
from hvcore_transcoder_google.abilities import AUDIO_CODECS, PRESETS, PROFILE

Members = dict[str, Any]
"""The fields of an API message, by the client library's names (``elementary_streams``)."""

KEY_LABEL: Final = "hvcore_key"
"""The name of the label that holds the key of a remote job."""
INTERACTIVE: Final = "interactive"
BATCH: Final = "batch"
MODES: Final = {
    INTERACTIVE: "PROCESSING_MODE_INTERACTIVE",
    BATCH: "PROCESSING_MODE_BATCH",
}
GOPS_IN_A_SEGMENT: Final = 3
KEPT_DAYS: Final = 7
"""How long the API keeps an ended job. The service reads its result within minutes."""
_KEY_CHARS: Final = 40
_INPUT: Final = "source"
_ATOM: Final = "whole"
_MICROSECONDS: Final = 1_000_000
_KBPS: Final = 1000
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}")
_SAMPLE_RATE_HZ: Final = 48_000
_STEREO: Final = 2
_LAYOUTS: Final = {
    1: ["fc"],
    _STEREO: ["fl", "fr"],
    6: ["fl", "fr", "fc", "lfe", "sl", "sr"],
}
_HALF_DB: Final = -3.0
_QUARTER_DB: Final = -6.0
_DOWN_FROM_SURROUND: Final = (
    # Input channel, output channel, gain; the low frequencies are left out, as by ITU-R
    # BS.775.
    *((0, 0, 0.0), (1, 1, 0.0)),
    *((2, 0, _HALF_DB), (2, 1, _HALF_DB)),
    *((4, 0, _HALF_DB), (5, 1, _HALF_DB)),
)


@attrs.frozen(kw_only=True)
class GoogleJobSettings:
    """
    Hold the mode, the priority and the labels of jobs at Google.

    Attributes:
        mode: ``interactive`` or ``batch``.
        priority: The priority of batch jobs, from 0; higher priorities come first.
        labels: Labels of every job besides the one with the key.
    """

    mode: str = INTERACTIVE
    priority: int = 0
    labels: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class GoogleJobSource:
    """
    Describe the source of a job: its address, and whether its pictures are turned.

    Attributes:
        address: The source's address, ``gs://bucket/path``.
        is_turned: Whether the source says that its pictures are shown turned by 90 or
            270 degrees. The API counts width and height before the turn.
    """

    address: str
    is_turned: bool = False


def job_request(
    order: TranscodeOrder,
    settings: GoogleJobSettings,
    *,
    source: GoogleJobSource,
    target_address: str,
    key: str,
) -> Members:
    """
    Return the message ``Job`` that encodes all rungs and sound of an order; pure.

    Args:
        target_address: The folder for the made files, ``gs://bucket/path`` without a
            slash at its end.
        key: The key of the remote job, the same for every attempt.
    """
    gop = gop_duration(order)
    rungs, sounds = order.ladder.rungs, order.ladder.audio
    segments = {
        "segment_duration": gop * GOPS_IN_A_SEGMENT,
        "individual_segments": True,
    }
    muxes = [
        {
            "key": name,
            "container": "fmp4",
            "elementary_streams": [name],
            "segment_settings": segments,
        }
        for name in (*map(rung_name, rungs), *map(audio_name, sounds))
    ]
    config: Members = {
        "inputs": [_input(order.source, source.address)],
        "edit_list": [_atom(order.source)],
        "elementary_streams": [
            *(
                _video(rung, order.source, gop, is_turned=source.is_turned)
                for rung in rungs
            ),
            *(_audio(rendition, order.source) for rendition in sounds),
        ],
        "mux_streams": muxes,
        # With it the API writes a playlist of each stream, which says what was made.
        "manifests": [
            {
                "file_name": "manifest.m3u8",
                "type_": "HLS",
                "mux_streams": [mux["key"] for mux in muxes],
            }
        ],
        "output": {"uri": f"{target_address}/"},
    }
    request: Members = {
        "config": config,
        "mode": MODES[settings.mode],
        "labels": {**settings.labels, KEY_LABEL: key_label(key)},
        "ttl_after_completion_days": KEPT_DAYS,
    }
    if settings.mode == BATCH:
        # Only batch jobs may have one.
        request["batch_mode_priority"] = settings.priority
    return request


def key_label(key: str) -> str:
    """Return a hash of a key as a label's value: labels take 63 small letters at most."""
    return hashlib.sha256(key.encode()).hexdigest()[:_KEY_CHARS]


def rung_name(rung: Rung) -> str:
    """Return the name of the streams and files of a rung."""
    return f"video-{rung.key}"


def audio_name(rendition: AudioRendition) -> str:
    """Return the name of the streams and files of an audio rendition."""
    return rendition.name


def gop_duration(order: TranscodeOrder) -> timedelta:
    """
    Return the length of a group of pictures: whole frames, about a third of a segment.

    The API accepts only segments of whole groups, so segments have three groups: at
    29.97 frames per second a segment of 6 s becomes 6.006 s long.
    """
    rate = order.ladder.rungs[0].frame_rate
    frames = max(1, round(rate * order.segment_s / GOPS_IN_A_SEGMENT))
    return timedelta(microseconds=round(frames / rate * _MICROSECONDS))


def _atom(source: SourceInfo) -> Members:
    # Up to the length that the cost was estimated of: a header may say less than the
    # file has, and Google bills what it makes.
    end = timedelta(microseconds=round(source.duration_s * _MICROSECONDS))
    return {"key": _ATOM, "inputs": [_INPUT], "end_time_offset": end}


def _input(source: SourceInfo, address: str) -> Members:
    made: Members = {"key": _INPUT, "uri": address}
    if source.video.is_interlaced:
        bwdif = {"mode": "send_frame", "parity": "auto", "deinterlace_all_frames": True}
        made["preprocessing_config"] = {"deinterlace": {"bwdif": bwdif}}
    return made


def _video(
    rung: Rung, source: SourceInfo, gop: timedelta, *, is_turned: bool
) -> Members:
    width_px, height_px = rung.width_px, rung.height_px
    if is_turned:
        width_px, height_px = height_px, width_px
    bps = rung.video_kbps * _KBPS
    settings: Members = {
        "width_pixels": width_px,
        "height_pixels": height_px,
        "frame_rate": float(rung.frame_rate),
        # The other strategy drops every n-th frame, and misses the rate.
        "frame_rate_conversion_strategy": "DROP_DUPLICATE",
        "bitrate_bps": bps,
        "rate_control_mode": "vbr",
        "pixel_format": rung.pixel_format.value,
        "profile": PROFILE,
        "preset": PRESETS.get(rung.speed, rung.speed.value),
        "gop_duration": gop,
        "allow_open_gop": False,
        # Without them, frames are shown in the order in which they are decoded, from 0
        # on and without an edit list.
        "b_frame_count": 0,
        "enable_two_pass": rung.two_pass,
    }
    if rung.rate_control is RateControl.CONSTANT:
        # There is no constant rate; a buffer of half a second is the nearest.
        settings["vbv_size_bits"] = bps // 2
    if source.video.is_hdr:
        settings["sdr"] = {}
    return {"key": rung_name(rung), "video_stream": {"h264": settings}}


def _audio(rendition: AudioRendition, source: SourceInfo) -> Members:
    stream: Members = {
        "codec": AUDIO_CODECS[rendition.codec],
        "bitrate_bps": rendition.kbps * _KBPS,
        "channel_count": rendition.channels,
        "sample_rate_hertz": _SAMPLE_RATE_HZ,
    }
    if rendition.channels in _LAYOUTS:
        stream["channel_layout"] = _LAYOUTS[rendition.channels]
    if _LANGUAGE.fullmatch(rendition.language):
        stream["language_code"] = rendition.language
    if rendition.title:
        stream["display_name"] = rendition.title
    if len(source.audio) > 1:
        # With one track the API takes that, and mixes it by itself.
        stream["mapping_"] = _mapping(rendition, source)
    return {"key": audio_name(rendition), "audio_stream": stream}


def _mapping(rendition: AudioRendition, source: SourceInfo) -> list[Members]:
    (track,) = (
        one for one in source.audio if one.stream_index == rendition.stream_index
    )
    return [
        {
            "atom_key": _ATOM,
            "input_key": _INPUT,
            # Counted over all tracks of the file.
            "input_track": track.stream_index,
            "input_channel": taken,
            "output_channel": given,
            "gain_db": gain_db,
        }
        for taken, given, gain_db in _mix(track, rendition.channels)
    ]


def _mix(track: AudioTrackInfo, channels: int) -> list[tuple[int, int, float]]:
    if track.channels == 1:
        return [(0, given, 0.0) for given in range(channels)]
    if channels == 1:
        return [(0, 0, _QUARTER_DB), (1, 0, _QUARTER_DB)]
    if channels == _STEREO and track.channels in _LAYOUTS and track.channels > _STEREO:
        return list(_DOWN_FROM_SURROUND)
    return [(one, one, 0.0) for one in range(min(track.channels, channels))]
