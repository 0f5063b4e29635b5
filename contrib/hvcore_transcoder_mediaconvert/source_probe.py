"""Turn the answer of MediaConvert's Probe into a source's facts; pure."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from hvcore.plugin_api import (
    AudioTrackInfo,
    PixelFormat,
    SourceInfo,
    UnusableSourceError,
    VideoTrackInfo,
)
from hvcore_cloud_ladders.source_checks import (
    DOLBY_VISION,
    NO_VIDEO,
    ONLY_AUDIO,
    check_duration,
    check_size,
    check_tracks,
    usable_frame_rate,
)
from hvcore_transcoder_mediaconvert.abilities import PROFILES
from hvcore_transcoder_mediaconvert.job_requests import Members

WITHOUT_PICTURES: Final = (
    "The file has a video track without pictures. Check that it plays on your own "
    "device, and upload it again."
)
_ALONE_PROFILE: Final = 5
_HDR: Final = frozenset({"SMPTE_2084", "ARIB_B67"})
_DEEP_BITS: Final = 10
_SIDEWAYS: Final = frozenset({90, 270})
_MOST_STRETCH: Final = 10


def source_info(found: Members) -> SourceInfo:
    """
    Return the facts about a source in an answer of MediaConvert's operation Probe.

    Args:
        found: One entry of ``ProbeResults``.

    Raises:
        UnusableSourceError: The source cannot be made into a video.
    """
    container = found.get("Container", {})
    tracks: Sequence[Members] = container.get("Tracks", ())
    check_tracks(len(tracks))
    videos = [one for one in tracks if one.get("TrackType") == "video"]
    sounds = [one for one in tracks if one.get("TrackType") == "audio"]
    if not videos:
        raise UnusableSourceError(ONLY_AUDIO if sounds else NO_VIDEO)
    duration_s = float(videos[0].get("Duration") or container.get("Duration") or 0)
    check_duration(duration_s)
    return SourceInfo(
        duration_s=round(duration_s, 6),
        size_bytes=int(found.get("Metadata", {}).get("FileSize", 0)),
        container=str(container.get("Format", "")),
        video=_video(videos[0]),
        audio=tuple(_audio(track) for track in sounds),
    )


def _video(track: Members) -> VideoTrackInfo:
    shown = track.get("VideoProperties", {})
    coded = shown.get("CodecMetadata", {})
    if coded.get("DolbyVision", {}).get("Profile") == _ALONE_PROFILE:
        raise UnusableSourceError(DOLBY_VISION)
    width_px, height_px = _size(shown, coded)
    rate = _fraction(shown.get("FrameRate") or coded.get("CodedFrameRate"))
    if rate is None:
        raise UnusableSourceError(WITHOUT_PICTURES)
    transfers = {one.get("TransferCharacteristics") for one in (shown, coded)}
    return VideoTrackInfo(
        stream_index=int(track["Index"]) - 1,
        width_px=width_px,
        height_px=height_px,
        frame_rate=usable_frame_rate(rate),
        pixel_format=_pixel_format(shown, coded),
        codec=str(track.get("Codec", "")).lower(),
        is_hdr=bool(transfers & _HDR),
        is_interlaced="interlac" in str(coded.get("ScanType", "")).lower(),
    )


def _size(shown: Members, coded: Members) -> tuple[int, int]:
    """Return the size of the pictures that a viewer sees, upright and with square pixels."""
    width = int(shown.get("Width") or coded.get("Width") or 0)
    height = int(shown.get("Height") or coded.get("Height") or 0)
    if not width or not height:
        raise UnusableSourceError(WITHOUT_PICTURES)
    check_size(width, height)
    shape = _fraction(shown.get("SampleAspectRatio") or coded.get("SampleAspectRatio"))
    if shape is not None and Fraction(1, _MOST_STRETCH) <= shape <= _MOST_STRETCH:
        width = max(1, round(width * shape))
    turned = shown.get("Rotation") or coded.get("Rotation") or 0
    return (height, width) if int(turned) % 360 in _SIDEWAYS else (width, height)


def _pixel_format(shown: Members, coded: Members) -> PixelFormat:
    bits = int(coded.get("BitDepth") or shown.get("BitDepth") or 8)
    is_full = str(coded.get("ChromaSubsampling", "")).startswith(("4:2:2", "4:4:4"))
    # The nearest that MediaConvert has a profile for.
    nearest = {
        (False, False): PixelFormat.YUV420P,
        (False, True): PixelFormat.YUV420P10B,
        (True, False): PixelFormat.YUV422P,
        (True, True): PixelFormat.YUV422P10B,
    }[is_full, bits >= _DEEP_BITS]
    return nearest if nearest in PROFILES else PixelFormat.YUV420P


def _audio(track: Members) -> AudioTrackInfo:
    told = track.get("AudioProperties", {})
    language = str(told.get("LanguageCode", ""))
    return AudioTrackInfo(
        stream_index=int(track["Index"]) - 1,
        channels=max(1, int(told.get("Channels") or 2)),
        sample_rate_hz=int(told.get("SampleRate") or 48_000),
        codec=str(track.get("Codec", "")).lower(),
        language="" if language == "und" else language,
    )


def _fraction(told: Members | None) -> Fraction | None:
    if not told or not told.get("Numerator") or not told.get("Denominator"):
        return None
    return Fraction(int(told["Numerator"]), int(told["Denominator"]))
