"""Write an order as the arguments of boto3's ``create_job`` for MediaConvert."""

import hashlib
import re
from typing import Any, Final

import attrs

from hvcore.plugin_api import (
    AudioCodec,
    AudioRendition,
    PixelFormat,
    RateControl,
    Rung,
    SourceInfo,
    Speed,
    TranscodeOrder,
)
from hvcore_transcoder_mediaconvert.abilities import PROFILES
from hvcore_transcoder_mediaconvert.pictures import picture_outputs

Members = dict[str, Any]
"""The members of a request, by boto3's names (``OutputGroups``)."""

FILE_NAME: Final = "made"
"""The beginning of the names of all files that a job writes."""
GOPS_IN_A_SEGMENT: Final = 3
_SELECTOR: Final = "Track {}"
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}")
_KBPS: Final = 1000
_QUICK: Final = frozenset({Speed.ULTRAFAST, Speed.SUPERFAST})
_AAC_KBPS: Final = (
    *(6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160),
    *(192, 224, 256, 288, 320, 384, 448, 512, 576, 640, 768, 896, 1024),
)
"""The bitrates in kbit/s that MediaConvert's AAC encoder supports."""
_AAC_PROFILES: Final = {
    AudioCodec.AAC: "LC",
    AudioCodec.AAC_HE: "HEV1",
    AudioCodec.AAC_HE_V2: "HEV2",
}
_SAMPLE_RATE_HZ: Final = 48_000
_SURROUND: Final = 6


@attrs.frozen(kw_only=True)
class MediaConvertAccount:
    """
    Hold the role, the queue and the priority with which MediaConvert runs jobs.

    Attributes:
        role: The ARN of the role that reads the source and writes the target.
        queue: The name or the ARN of the queue; "" for the account's default queue.
        acceleration: Whether jobs are accelerated: ``DISABLED``, ``PREFERRED`` or
            ``ENABLED``.
        priority: The priority in the queue, from -50 to 50.
    """

    role: str
    queue: str = ""
    acceleration: str = "DISABLED"
    priority: int = 0


def job_request(
    order: TranscodeOrder,
    account: MediaConvertAccount,
    *,
    source_address: str,
    target_address: str,
    key: str,
) -> Members:
    """
    Return the request that encodes all rungs, sound and pictures of an order; pure.

    Args:
        source_address: The source's address: ``s3://…``, or a presigned HTTP address.
        target_address: The folder for the made files, ``s3://bucket/path`` without a
            slash at its end.
        key: The key of the remote job, the same for every attempt. MediaConvert makes
            only one job of several requests with one key within a minute.
    """
    request: Members = {
        "Role": account.role,
        "ClientRequestToken": hashlib.sha256(key.encode()).hexdigest(),
        "AccelerationSettings": {"Mode": account.acceleration},
        "Priority": account.priority,
        "StatusUpdateInterval": "SECONDS_10",
        "Settings": {
            "Inputs": [_input(order, source_address)],
            "OutputGroups": [
                _group(order, target_address),
                _pictures(order, target_address),
            ],
            "TimecodeConfig": {"Source": "ZEROBASED"},
        },
    }
    return {**request, "Queue": account.queue} if account.queue else request


def rung_modifier(rung: Rung) -> str:
    """Return the text that follows FILE_NAME in the names of a rung's files."""
    return f"_{rung.key}"


def audio_modifier(rendition: AudioRendition) -> str:
    """Return the text that follows FILE_NAME in the names of an audio rendition's files."""
    return f"_{rendition.name}"


def _input(order: TranscodeOrder, address: str) -> Members:
    made: Members = {
        "FileInput": address,
        # Times count from the first picture, whatever time code the source has.
        "TimecodeSource": "ZEROBASED",
        # A rotation flag is honoured only if it is asked for.
        "VideoSelector": {"Rotate": "AUTO"},
    }
    tracks = [_track_of(order.source, one) for one in order.ladder.audio]
    if tracks:
        made["AudioSelectors"] = {
            _SELECTOR.format(track): {"SelectorType": "TRACK", "Tracks": [track]}
            for track in tracks
        }
    return made


def _track_of(source: SourceInfo, rendition: AudioRendition) -> int:
    # MediaConvert counts audio tracks from 1, in the order of the file.
    indexes = sorted(track.stream_index for track in source.audio)
    return indexes.index(rendition.stream_index) + 1


def _group(order: TranscodeOrder, target: str) -> Members:
    settings: Members = {
        "Destination": f"{target}/{FILE_NAME}",
        "SegmentLength": order.segment_s,
        "FragmentLength": order.segment_s,
        # Of the GOP, which is the same in all rungs: they stay aligned.
        "SegmentLengthControl": "GOP_MULTIPLE",
        "SegmentControl": "SEGMENTED_FILES",
        "WriteHlsManifest": "ENABLED",
        # Ours is written from what the segments say.
        "WriteDashManifest": "DISABLED",
    }
    rungs = [_video_output(rung, order) for rung in order.ladder.rungs]
    sounds = [_audio_output(one, order.source) for one in order.ladder.audio]
    return {
        "Name": "CMAF",
        "OutputGroupSettings": {
            "Type": "CMAF_GROUP_SETTINGS",
            "CmafGroupSettings": settings,
        },
        "Outputs": [*rungs, *sounds],
    }


def _pictures(order: TranscodeOrder, target: str) -> Members:
    steps = _preprocessors(order.source, PixelFormat.YUV420P)
    return {
        "Name": "Pictures",
        "OutputGroupSettings": {
            "Type": "FILE_GROUP_SETTINGS",
            "FileGroupSettings": {"Destination": f"{target}/{FILE_NAME}"},
        },
        "Outputs": picture_outputs(order, steps),
    }


def _video_output(rung: Rung, order: TranscodeOrder) -> Members:
    video: Members = {
        "Width": rung.width_px,
        "Height": rung.height_px,
        # The ladder has the source's shape already, also of pixels that are no squares.
        "ScalingBehavior": "STRETCH_TO_OUTPUT",
        "CodecSettings": {"Codec": "H_264", "H264Settings": _h264(rung, order)},
    }
    steps = _preprocessors(order.source, rung.pixel_format)
    if steps:
        video["VideoPreprocessors"] = steps
    return {
        "NameModifier": rung_modifier(rung),
        "ContainerSettings": {"Container": "CMFC"},
        "VideoDescription": video,
    }


def _h264(rung: Rung, order: TranscodeOrder) -> Members:
    bps = rung.video_kbps * _KBPS
    rate: Members = {"RateControlMode": "CBR", "Bitrate": bps}
    if rung.rate_control is RateControl.VARIABLE:
        # Half as much again in busy scenes, as with ffmpeg.
        rate = {"RateControlMode": "VBR", "Bitrate": bps, "MaxBitrate": bps * 3 // 2}
    gop = rung.frame_rate * order.segment_s / GOPS_IN_A_SEGMENT
    return {
        **rate,
        "QualityTuningLevel": _quality(rung),
        "CodecProfile": PROFILES[rung.pixel_format],
        "FramerateControl": "SPECIFIED",
        "FramerateNumerator": rung.frame_rate.numerator,
        "FramerateDenominator": rung.frame_rate.denominator,
        # Whole frames: seconds drift apart at 29.97.
        "GopSizeUnits": "FRAMES",
        "GopSize": float(max(1, round(gop))),
        "GopClosedCadence": 1,
        # A key frame more would begin a segment where other rungs have none.
        "SceneChangeDetect": "DISABLED",
        "InterlaceMode": "PROGRESSIVE",
        "ParControl": "SPECIFIED",
        "ParNumerator": 1,
        "ParDenominator": 1,
    }


def _quality(rung: Rung) -> str:
    # Two passes cost the professional tier, so only who asks for them has them.
    if rung.two_pass:
        return "MULTI_PASS_HQ"
    return "SINGLE_PASS" if rung.speed in _QUICK else "SINGLE_PASS_HQ"


def _preprocessors(source: SourceInfo, pixel_format: PixelFormat) -> Members:
    made: Members = {}
    if source.video.is_interlaced:
        made["Deinterlacer"] = {
            "Mode": "DEINTERLACE",
            "Algorithm": "INTERPOLATE",
            "Control": "FORCE_ALL_FRAMES",
        }
    if source.video.is_hdr and pixel_format.bit_depth == PixelFormat.YUV420P.bit_depth:
        made["ColorCorrector"] = {"ColorSpaceConversion": "FORCE_709"}
    return made


def _audio_output(rendition: AudioRendition, source: SourceInfo) -> Members:
    sound: Members = {
        "AudioSourceName": _SELECTOR.format(_track_of(source, rendition)),
        "CodecSettings": _audio_codec(rendition),
    }
    if _LANGUAGE.fullmatch(rendition.language):
        sound["CustomLanguageCode"] = rendition.language
        sound["LanguageCodeControl"] = "USE_CONFIGURED"
    return {
        "NameModifier": audio_modifier(rendition),
        "ContainerSettings": {
            "Container": "CMFC",
            # Sources whose sound goes on after the last picture, or ends before it.
            "CmfcSettings": {"AudioDuration": "MATCH_VIDEO_DURATION"},
        },
        "AudioDescriptions": [sound],
    }


def _audio_codec(rendition: AudioRendition) -> Members:
    bps = rendition.kbps * _KBPS
    is_surround = rendition.channels >= _SURROUND
    plain = "CODING_MODE_1_0" if rendition.channels == 1 else "CODING_MODE_2_0"
    if rendition.codec in _AAC_PROFILES:
        kbps = next((n for n in _AAC_KBPS if n >= rendition.kbps), _AAC_KBPS[-1])
        settings: Members = {
            "CodecProfile": _AAC_PROFILES[rendition.codec],
            "RateControlMode": "CBR",
            "Bitrate": kbps * _KBPS,
            "CodingMode": "CODING_MODE_5_1" if is_surround else plain,
            "SampleRate": _SAMPLE_RATE_HZ,
        }
        return {"Codec": "AAC", "AacSettings": settings}
    name, mode = ("AC3", "CODING_MODE_3_2_LFE")
    if rendition.codec is AudioCodec.EAC3:
        name, mode = ("EAC3", "CODING_MODE_3_2")
    dolby: Members = {"Bitrate": bps, "CodingMode": mode if is_surround else plain}
    dolby["SampleRate"] = _SAMPLE_RATE_HZ
    return {"Codec": name, f"{name.capitalize()}Settings": dolby}
