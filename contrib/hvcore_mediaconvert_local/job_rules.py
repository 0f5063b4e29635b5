"""Check the settings of jobs by rules that botocore's shapes do not contain."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hvcore_mediaconvert_local.encoding.encode_plan import FRAME_CAPTURE, GroupKind
from hvcore_mediaconvert_local.wire import JsonObject, object_at, objects_at

_CONTAINERS: Final = {
    GroupKind.CMAF: ("CMFC",),
    GroupKind.HLS: ("M3U8",),
    GroupKind.FILE: ("MP4", "MOV", "RAW"),
}
_NEEDED: Final = {
    GroupKind.CMAF: ("destination", "segmentLength", "fragmentLength"),
    GroupKind.HLS: ("destination", "segmentLength", "minSegmentLength"),
    GroupKind.FILE: ("destination",),
}
_CODEC_SETTINGS: Final = {"H_264": "h264Settings", "H_265": "h265Settings"}
_CODECS: Final = f"{' and '.join(_CODEC_SETTINGS)}, and {FRAME_CAPTURE}"
_AAC_BITRATES: Final = (
    *(6000, 8000, 10000, 12000, 14000, 16000, 20000, 24000, 28000, 32000, 40000),
    *(48000, 56000, 64000, 80000, 96000, 112000, 128000, 160000, 192000, 224000),
    *(256000, 288000, 320000, 384000, 448000, 512000, 576000, 640000, 768000),
    *(896000, 1024000),
)
_STRANGE: Final = re.compile(r"""[$"\x00-\x1f]""")
HERE: Final = "hv-mediaconvert"
"""The beginning of messages about settings that AWS accepts and this emulator refuses."""


def setting_problems(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each fault in the settings of a job, with the setting's path."""
    inputs = objects_at(settings, "inputs")
    if not inputs:
        yield "/inputs: Should have at least 1 items"
    elif len(inputs) > 1:
        yield f"/inputs: {HERE} takes one input and joins none"
    for number, entry in enumerate(inputs):
        yield from _of_input(entry, f"/inputs/{number}")
    groups = objects_at(settings, "outputGroups")
    if not groups:
        yield "/outputGroups: Should have at least 1 items"
    known = set().union(*(object_at(one, "audioSelectors") for one in inputs))
    for number, group in enumerate(groups):
        yield from _of_group(group, f"/outputGroups/{number}", known)
    outputs = [one for group in groups for one in objects_at(group, "outputs")]
    if outputs and all(map(_is_capture, outputs)):
        yield "/outputGroups: Should have an output besides those of FRAME_CAPTURE"


def _of_input(entry: JsonObject, path: str) -> Iterator[str]:
    if not entry.get("fileInput"):
        yield f"{path}: fileInput is a required property"
    for name in ("inputClippings", "decryptionSettings", "videoGenerator"):
        if entry.get(name):
            yield f"{path}/{name}: {HERE} does not carry this out"


def _of_group(group: JsonObject, path: str, known: set[str]) -> Iterator[str]:
    settings = object_at(group, "outputGroupSettings")
    outputs = objects_at(group, "outputs")
    if not outputs:
        yield f"{path}/outputs: Should have at least 1 items"
    if "type" not in settings:
        yield f"{path}/outputGroupSettings: type is a required property"
        return
    if settings["type"] not in set(GroupKind):
        yield (
            f"{path}/outputGroupSettings/type: {HERE} makes only {', '.join(GroupKind)}"
        )
        return
    if group.get("automatedEncodingSettings"):
        yield f"{path}/automatedEncodingSettings: {HERE} does not carry this out"
    kind = GroupKind(settings["type"])
    yield from _of_group_settings(settings, kind, f"{path}/outputGroupSettings")
    yield from _of_names(outputs, kind, f"{path}/outputs")
    for number, output in enumerate(outputs):
        yield from _of_output(output, kind, f"{path}/outputs/{number}", known)


def _of_group_settings(
    settings: JsonObject, kind: GroupKind, path: str
) -> Iterator[str]:
    own = settings.get(kind.settings_name)
    if own is None:
        yield f"{path}: {kind.settings_name} is a required property"
        return
    path = f"{path}/{kind.settings_name}"
    for name in _NEEDED[kind]:
        if own.get(name) is None:
            yield f"{path}: {name} is a required property"
    if _STRANGE.search(own.get("destination", "")):
        yield f"{path}/destination: {HERE} knows no variables, quotes or line breaks"
    segment_s, fragment_s = own.get("segmentLength"), own.get("fragmentLength")
    if segment_s and fragment_s and segment_s % fragment_s:
        yield f"{path}/segmentLength: Should be a multiple of fragmentLength"
    if own.get("encryption"):
        yield f"{path}/encryption: {HERE} does not encrypt"


def _of_names(
    outputs: tuple[JsonObject, ...], kind: GroupKind, path: str
) -> Iterator[str]:
    seen = set()
    for number, output in enumerate(outputs):
        name = output.get("nameModifier", "")
        if not name and (kind is not GroupKind.FILE or len(outputs) > 1):
            yield f"{path}/{number}: nameModifier is a required property"
        elif "/" in name or _STRANGE.search(name):
            yield f"{path}/{number}/nameModifier: {HERE} knows no variables or folders"
        elif name in seen:
            yield f"{path}/{number}/nameModifier: Another output has this one"
        seen.add(name)


def _of_output(
    output: JsonObject, kind: GroupKind, path: str, known: set[str]
) -> Iterator[str]:
    video = object_at(output, "videoDescription")
    audios = objects_at(output, "audioDescriptions")
    container = object_at(output, "containerSettings").get("container")
    if "containerSettings" not in output:
        yield f"{path}: containerSettings is a required property"
    elif container not in _CONTAINERS[kind]:
        allowed = " or ".join(_CONTAINERS[kind])
        yield f"{path}/containerSettings/container: Should be {allowed} in {kind}"
    if (container == "RAW") != _is_capture(output):
        yield f"{path}: {FRAME_CAPTURE} and the container RAW belong together"
    if not video and not audios:
        yield f"{path}: videoDescription or audioDescriptions is a required property"
    if kind is GroupKind.CMAF and len(audios) + bool(video) > 1:
        yield f"{path}: A CMAF output has one video or one audio, not more"
    if output.get("captionDescriptions"):
        yield f"{path}/captionDescriptions: {HERE} makes no captions"
    if video:
        yield from _of_video(video, f"{path}/videoDescription")
    for number, audio in enumerate(audios):
        yield from _of_audio(audio, f"{path}/audioDescriptions/{number}", known)


def _is_capture(output: JsonObject) -> bool:
    codec = object_at(output, "videoDescription", "codecSettings").get("codec")
    return bool(codec == FRAME_CAPTURE)


def _of_video(video: JsonObject, path: str) -> Iterator[str]:
    for name in ("width", "height"):
        if (video.get(name) or 0) % 2:
            yield f"{path}/{name}: Should be even"
    codec = object_at(video, "codecSettings").get("codec")
    path = f"{path}/codecSettings"
    if codec is None:
        yield f"{path}: codec is a required property"
    elif codec == FRAME_CAPTURE:
        return
    elif codec not in _CODEC_SETTINGS:
        yield f"{path}/codec: {HERE} encodes only {_CODECS}"
    else:
        name = _CODEC_SETTINGS[codec]
        own = object_at(video, "codecSettings", name)
        yield from _of_codec(own, f"{path}/{name}")


def _of_codec(own: JsonObject, path: str) -> Iterator[str]:
    mode = own.get("rateControlMode")
    if mode is None:
        yield f"{path}: rateControlMode is a required property"
    elif mode == "QVBR" and "maxBitrate" not in own:
        yield f"{path}: maxBitrate is a required property with QVBR"
    elif mode != "QVBR" and "bitrate" not in own:
        yield f"{path}: bitrate is a required property with {mode}"
    if mode == "CBR" and "maxBitrate" in own:
        yield f"{path}: maxBitrate is not allowed with CBR"
    if (own.get("maxBitrate") or 0) < (own.get("bitrate") or 0) and "maxBitrate" in own:
        yield f"{path}/maxBitrate: Should be at least the bitrate"
    if own.get("framerateControl") == "SPECIFIED":
        for name in ("framerateNumerator", "framerateDenominator"):
            if name not in own:
                yield f"{path}: {name} is a required property with SPECIFIED"
    if "422" in own.get("codecProfile", ""):
        yield f"{path}/codecProfile: {HERE} encodes 4:2:0 only"


def _of_audio(audio: JsonObject, path: str, known: set[str]) -> Iterator[str]:
    source = audio.get("audioSourceName")
    if source is not None and source not in known:
        yield f"{path}/audioSourceName: No audio selector of the input has this name"
    codec = object_at(audio, "codecSettings").get("codec")
    path = f"{path}/codecSettings"
    if codec is None:
        yield f"{path}: codec is a required property"
        return
    if codec != "AAC":
        yield f"{path}/codec: {HERE} encodes only AAC"
        return
    own = object_at(audio, "codecSettings", "aacSettings")
    path = f"{path}/aacSettings"
    for name in ("codingMode", "sampleRate"):
        if name not in own:
            yield f"{path}: {name} is a required property"
    if own.get("rateControlMode", "CBR") == "CBR" and "bitrate" not in own:
        yield f"{path}: bitrate is a required property with CBR"
    if own.get("bitrate", _AAC_BITRATES[0]) not in _AAC_BITRATES:
        yield f"{path}/bitrate: Should be one of {_AAC_BITRATES}"
    if own.get("codecProfile", "LC") != "LC":
        yield f"{path}/codecProfile: {HERE} encodes only LC"
