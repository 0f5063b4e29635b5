"""Read the encode plan of a job from its settings."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from hvcore_mediaconvert_local.encoding.encode_plan import (
    FRAME_CAPTURE,
    AudioPlan,
    Destination,
    EncodePlan,
    GroupKind,
    GroupPlan,
    OutputPlan,
    VideoPlan,
)
from hvcore_mediaconvert_local.wire import JsonObject, object_at, objects_at

QVBR_LEVEL: Final = 7
"""The QVBR level for jobs that give none: a good picture. MediaConvert's own default depends
on the picture size."""


_SETTINGS_OF: Final = {
    "H_264": "h264Settings",
    "H_265": "h265Settings",
    FRAME_CAPTURE: "frameCaptureSettings",
}


def plan_of(settings: Mapping[str, Any]) -> EncodePlan:
    """Return the plan for a job's settings, which ``job_rules`` has checked before."""
    (entry,) = objects_at(settings, "inputs")
    source = str(entry["fileInput"])
    selectors = object_at(entry, "audioSelectors")
    return EncodePlan(
        source=source,
        rotate=str(object_at(entry, "videoSelector").get("rotate", "")),
        groups=tuple(
            _group(found, source, selectors)
            for found in objects_at(settings, "outputGroups")
        ),
    )


def _group(found: JsonObject, source: str, selectors: JsonObject) -> GroupPlan:
    kind = GroupKind(object_at(found, "outputGroupSettings")["type"])
    own = object_at(found, "outputGroupSettings", kind.settings_name)
    is_cmaf = kind is GroupKind.CMAF
    return GroupPlan(
        kind=kind,
        destination=Destination.parse(str(own["destination"]), source),
        segment_s=int(own.get("segmentLength", 0)),
        is_single_file=own.get("segmentControl") == "SINGLE_FILE",
        writes_hls=kind is GroupKind.HLS
        or (is_cmaf and own.get("writeHlsManifest") != "DISABLED"),
        writes_dash=is_cmaf and own.get("writeDashManifest") != "DISABLED",
        outputs=tuple(
            _output(output, selectors) for output in objects_at(found, "outputs")
        ),
    )


def _output(found: JsonObject, selectors: JsonObject) -> OutputPlan:
    container = object_at(found, "containerSettings")
    hls = object_at(found, "outputSettings", "hlsSettings")
    own = hls or object_at(container, "cmfcSettings")
    sets = str(own.get("audioRenditionSets", ""))
    video = object_at(found, "videoDescription")
    return OutputPlan(
        name_modifier=str(found.get("nameModifier", "")),
        container=str(container.get("container", "")),
        extension=str(found.get("extension", "")).lstrip("."),
        segment_modifier=str(hls.get("segmentModifier", "")),
        audio_group=str(own.get("audioGroupId", "")),
        audio_sets=tuple(name.strip() for name in sets.split(",") if name.strip()),
        is_default_audio=str(own.get("audioTrackType", "")).endswith(
            "DEFAULT_AUTO_SELECT"
        )
        or "audioTrackType" not in own,
        video=_video(video) if video else None,
        audios=tuple(
            _audio(
                audio,
                selectors,
                is_matched=own.get("audioDuration") == "MATCH_VIDEO_DURATION",
            )
            for audio in objects_at(found, "audioDescriptions")
        ),
    )


def _video(found: JsonObject) -> VideoPlan:
    codec = str(object_at(found, "codecSettings")["codec"])
    own = object_at(found, "codecSettings", _SETTINGS_OF[codec])
    qvbr = object_at(own, "qvbrSettings")
    is_capture = codec == FRAME_CAPTURE
    is_rate_given = is_capture or own.get("framerateControl") == "SPECIFIED"
    gop = own.get("gopSize")
    return VideoPlan(
        codec=codec,
        width_px=found.get("width"),
        height_px=found.get("height"),
        scaling=str(found.get("scalingBehavior", "DEFAULT")),
        rate_mode=str(own.get("rateControlMode", "QVBR")),
        bitrate=own.get("bitrate"),
        max_bitrate=own.get("maxBitrate"),
        quality_level=float(qvbr.get("qvbrQualityLevel", QVBR_LEVEL))
        + float(qvbr.get("qvbrQualityLevelFineTune", 0)),
        gop_size=float(gop) if gop and own.get("gopSizeUnits") != "AUTO" else None,
        is_gop_in_seconds=own.get("gopSizeUnits") == "SECONDS",
        frame_rate=Fraction(
            own.get("framerateNumerator", 30), own.get("framerateDenominator", 1)
        )
        if is_rate_given
        else None,
        b_frames=own.get("numberBFramesBetweenReferenceFrames"),
        has_scene_cuts=own.get("sceneChangeDetect", "ENABLED") != "DISABLED",
        profile=str(own.get("codecProfile", "")),
        tag=str(own.get("writeMp4PackagingType", "HVC1")).lower(),
        max_captures=int(own.get("maxCaptures", 0)),
        quality=int(own.get("quality", 80)),
    )


_CHANNELS: Final = {
    "CODING_MODE_1_0": 1,
    "AD_RECEIVER_MIX": 1,
    "CODING_MODE_1_1": 2,
    "CODING_MODE_2_0": 2,
    "CODING_MODE_5_1": 6,
}


def _audio(found: JsonObject, selectors: JsonObject, *, is_matched: bool) -> AudioPlan:
    own = object_at(found, "codecSettings", "aacSettings")
    selector = object_at(selectors, str(found.get("audioSourceName", "")))
    tracks = selector.get("tracks") or [1]
    return AudioPlan(
        track=int(tracks[0]) - 1,
        bitrate=own.get("bitrate"),
        sample_rate_hz=int(own.get("sampleRate", 48000)),
        channels=_CHANNELS[own.get("codingMode", "CODING_MODE_2_0")],
        language=_language(found, selector),
        name=str(found.get("streamName", "")),
        is_matched=is_matched,
    )


def _language(found: JsonObject, selector: JsonObject) -> str:
    for entry in (found, selector):
        for name in ("customLanguageCode", "languageCode"):
            if entry.get(name):
                return str(entry[name]).lower()
    return ""
