"""Carry out the operation Probe, which tells the facts about an input without a job."""

import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import (
    JobFailedError,
    MediaConvertError,
    bad_request,
    not_found,
)
from hvcore_mediaconvert_local.inputs import InputFetcher
from hvcore_mediaconvert_local.programs import EncodingPrograms
from hvcore_mediaconvert_local.wire import JsonObject, objects_at

_FORMATS: Final = {
    "mov": "mp4",
    "matroska": "matroska",
    "webm": "webm",
    "avi": "avi",
    "mpegts": "mpegts",
    "mxf": "mxf",
    "asf": "asf",
    "ogg": "ogg",
    "flac": "flac",
    "mp3": "mp3",
    "wav": "wave",
}
_CODECS: Final = {
    "h264": "AVC",
    "hevc": "HEVC",
    "av1": "AV1",
    "vp8": "VP8",
    "vp9": "VP9",
    "mpeg4": "MP4V",
    "mpeg2video": "MPEG2",
    "mpeg1video": "MPEG1",
    "prores": "PRORES",
    "mjpeg": "MJPEG",
    "dnxhd": "VC3",
    "aac": "AAC",
    "ac3": "AC3",
    "eac3": "EAC3",
    "mp2": "MP2",
    "mp3": "MP3",
    "opus": "OPUS",
    "vorbis": "VORBIS",
    "flac": "FLAC",
}
_TRANSFERS: Final = {
    "bt709": "ITU_709",
    "smpte2084": "SMPTE_2084",
    "arib-std-b67": "ARIB_B67",
}
_CHROMA: Final = {"420": "4:2:0", "422": "4:2:2", "444": "4:4:4"}
_DEPTHS: Final = (16, 14, 12, 10)
_MISSING: Final = frozenset({1404, 3404})
_REFUSED: Final = frozenset({1401, 3401, 3403})


class InputProbe:
    """Probe inputs with ffprobe; thread-safe."""

    def __init__(
        self,
        config: LocalMediaConvertConfig,
        fetcher: InputFetcher,
        programs: EncodingPrograms,
    ) -> None:
        self._config = config
        self._fetcher = fetcher
        self._programs = programs

    def probe(self, request: JsonObject) -> JsonObject:
        """Carry out the operation Probe: return the facts about the input in a request."""
        addresses = [
            one.get("fileUrl", "") for one in objects_at(request, "inputFiles")
        ]
        if len(addresses) != 1 or not addresses[0]:
            raise bad_request("/inputFiles: Should have one item with a fileUrl")
        try:
            return {"probeResults": [self._result(str(addresses[0]))]}
        except JobFailedError as exc:
            raise _refusal(exc) from exc

    def _result(self, address: str) -> JsonObject:
        with tempfile.TemporaryDirectory(
            prefix="probe-", dir=self._config.work_dir
        ) as folder:
            file = Path(folder) / "source"
            self._fetcher.fetch(address, file, lambda: None)
            return probe_result(self._programs.probe(file), file.stat().st_size)


def probe_result(probed: JsonObject, size_bytes: int) -> JsonObject:
    """Return ffprobe's report in the form of MediaConvert's Probe result; pure."""
    shown = [_track(one) for one in objects_at(probed, "streams")]
    kinds = {
        f"{kind}TrackIndexes": [
            one["index"] for one in shown if one["trackType"] == kind
        ]
        for kind in ("video", "audio", "data")
    }
    about = probed.get("format", {})
    first_name = str(about.get("format_name", "")).partition(",")[0]
    container = {
        "format": _FORMATS.get(first_name),
        "duration": _number(about.get("duration")),
        "tracks": shown,
    }
    return {
        "container": _known(container),
        "metadata": {"fileSize": size_bytes},
        "trackMappings": [kinds],
    }


def _track(stream: Mapping[str, Any]) -> JsonObject:
    kind = str(stream.get("codec_type"))
    is_cover = bool(stream.get("disposition", {}).get("attached_pic"))
    facts: JsonObject = {
        "index": int(stream["index"]) + 1,
        "trackType": kind if kind in {"video", "audio"} and not is_cover else "data",
        "codec": _CODECS.get(str(stream.get("codec_name")), "UNKNOWN"),
        "duration": _number(stream.get("duration")),
    }
    language = stream.get("tags", {}).get("language")
    if facts["trackType"] == "video":
        facts["videoProperties"] = _video(stream)
    elif facts["trackType"] == "audio":
        facts["audioProperties"] = _known(
            {
                "channels": stream.get("channels"),
                "sampleRate": int(stream.get("sample_rate", 0)) or None,
                "languageCode": language,
            }
        )
    return _known(facts)


def _video(stream: Mapping[str, Any]) -> JsonObject:
    pixels = str(stream.get("pix_fmt", ""))
    depth = next((one for one in _DEPTHS if f"p{one}" in pixels), 8)
    chroma = next((_CHROMA[one] for one in _CHROMA if one in pixels), None)
    order = stream.get("field_order", "progressive")
    is_whole = order in {"progressive", "unknown"}
    rate = Fraction(_ratio(stream.get("avg_frame_rate")) or Fraction(25))
    shape = _ratio(str(stream.get("sample_aspect_ratio", "")).replace(":", "/"))
    turned = [
        one["rotation"] for one in stream.get("side_data_list", ()) if "rotation" in one
    ]
    transfer = _TRANSFERS.get(str(stream.get("color_transfer")))
    coded = {
        "bitDepth": depth,
        "chromaSubsampling": chroma,
        "scanType": "Progressive" if is_whole else "Interlaced",
        "transferCharacteristics": transfer,
    }
    return _known(
        {
            "width": stream.get("width"),
            "height": stream.get("height"),
            "bitDepth": depth,
            "frameRate": _pair(rate),
            "sampleAspectRatio": _pair(shape) if shape else None,
            # ffprobe's turns go against the clock.
            "rotation": -int(turned[0]) % 360 if turned else None,
            "transferCharacteristics": transfer,
            "codecMetadata": _known(coded),
        }
    )


def _refusal(failed: JobFailedError) -> MediaConvertError:
    if failed.code in _MISSING:
        return not_found(failed.message)
    if failed.code in _REFUSED:
        return MediaConvertError("ForbiddenException", failed.message)
    return MediaConvertError("UnprocessableEntityException", failed.message)


def _ratio(text: object) -> Fraction | None:
    above, _, below = str(text).partition("/")
    if above.isdigit() and below.isdigit() and int(above) and int(below):
        return Fraction(int(above), int(below))
    return None


def _pair(value: Fraction) -> JsonObject:
    return {"numerator": value.numerator, "denominator": value.denominator}


def _number(text: object) -> float | None:
    try:
        return float(str(text))
    except ValueError:
        return None


def _known(facts: JsonObject) -> JsonObject:
    return {name: value for name, value in facts.items() if value is not None}
