"""List the settings of a MediaConvert job that this emulator carries out."""

import re
from collections.abc import Mapping
from typing import Any, Final

from hvcore_mediaconvert_local.wire import leaves

_GROUP: Final = r"/outputGroups/\d+"
_OUTPUT: Final = rf"{_GROUP}/outputs/\d+"
_VIDEO: Final = rf"{_OUTPUT}/videoDescription"
_SOUND: Final = rf"{_OUTPUT}/audioDescriptions/\d+"
_MEMBERS: Final = {
    "/inputs/0": ("fileInput", "videoSelector/rotate"),
    r"/inputs/0/audioSelectors/[^/]+": (
        *("tracks/0", "defaultSelection", "selectorType"),
        *("languageCode", "customLanguageCode"),
    ),
    _GROUP: ("name", "customName", "outputGroupSettings/type"),
    rf"{_GROUP}/outputGroupSettings/\w+": (
        *("destination", "segmentLength", "fragmentLength", "minSegmentLength"),
        *("segmentControl", "writeHlsManifest", "writeDashManifest"),
    ),
    _OUTPUT: ("nameModifier", "extension", "preset", "containerSettings/container"),
    rf"{_OUTPUT}/(containerSettings/cmfcSettings|outputSettings/hlsSettings)": (
        *("audioGroupId", "audioRenditionSets", "audioTrackType", "segmentModifier"),
    ),
    rf"{_OUTPUT}/containerSettings/cmfcSettings": ("audioDuration",),
    _VIDEO: ("width", "height", "scalingBehavior", "codecSettings/codec"),
    rf"{_VIDEO}/codecSettings/h26[45]Settings": (
        *("bitrate", "maxBitrate", "rateControlMode", r"qvbrSettings/\w+"),
        *("gopSize", "gopSizeUnits", "sceneChangeDetect"),
        *("framerateControl", "framerateNumerator", "framerateDenominator"),
        *("numberBFramesBetweenReferenceFrames", "codecProfile"),
        "writeMp4PackagingType",
    ),
    rf"{_VIDEO}/codecSettings/frameCaptureSettings": (
        *("framerateNumerator", "framerateDenominator", "maxCaptures", "quality"),
    ),
    _SOUND: ("audioSourceName", "languageCode", "customLanguageCode", "streamName"),
    rf"{_SOUND}/codecSettings": ("codec",),
    rf"{_SOUND}/codecSettings/aacSettings": (
        *("bitrate", "sampleRate", "codingMode", "codecProfile", "rateControlMode"),
    ),
}
_CARRIED_OUT: Final = re.compile(
    "|".join(f"(?:{path}/(?:{'|'.join(names)}))" for path, names in _MEMBERS.items())
)
_MOST_NAMED: Final = 50


def ignored_settings(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the paths of the settings of a job that this emulator ignores; at most 50."""
    found = [path for path, _ in leaves(settings) if not _CARRIED_OUT.fullmatch(path)]
    return tuple(found[:_MOST_NAMED])
