"""
Requests for jobs, as a client writes them.
"""

from typing import Any, Final

ROLE: Final = "arn:aws:iam::123456789012:role/MediaConvert"

Wire = dict[str, Any]


def h264(**further: object) -> Wire:
    """
    A small H.264 stream.
    """
    own: Wire = {
        "RateControlMode": "QVBR",
        "MaxBitrate": 300_000,
        "QvbrSettings": {"QvbrQualityLevel": 7},
        "GopSize": 1.0,
        "GopSizeUnits": "SECONDS",
        "SceneChangeDetect": "DISABLED",
    }
    settings = {"Codec": "H_264", "H264Settings": {**own, **further}}
    return {"Width": 160, "Height": 90, "CodecSettings": settings}


def aac() -> Wire:
    """
    A stereo stream.
    """
    own = {"Bitrate": 64_000, "CodingMode": "CODING_MODE_2_0", "SampleRate": 48_000}
    return {
        "AudioSourceName": "Audio Selector 1",
        "CodecSettings": {"Codec": "AAC", "AacSettings": own},
    }


def output(container: str, modifier: str = "", **streams: object) -> Wire:
    """
    An output.
    """
    names = {"NameModifier": modifier} if modifier else {}
    return {"ContainerSettings": {"Container": container}, **names, **streams}


def cmaf_group(bucket: str, **further: object) -> Wire:
    """
    Two renditions of video and one of audio, with segments of a second.
    """
    own: Wire = {
        "Destination": f"s3://{bucket}/made/clip",
        "SegmentLength": 1,
        "FragmentLength": 1,
    }
    return {
        "OutputGroupSettings": {
            "Type": "CMAF_GROUP_SETTINGS",
            "CmafGroupSettings": {**own, **further},
        },
        "Outputs": [
            output("CMFC", "_90p", VideoDescription=h264()),
            output(
                "CMFC", "_46p", VideoDescription={**h264(), "Width": 80, "Height": 46}
            ),
            output("CMFC", "_sound", AudioDescriptions=[aac()]),
        ],
    }


def file_group(bucket: str, *outputs: Wire) -> Wire:
    """
    An MP4 file.
    """
    usual = output("MP4", VideoDescription=h264(), AudioDescriptions=[aac()])
    return {
        "OutputGroupSettings": {
            "Type": "FILE_GROUP_SETTINGS",
            "FileGroupSettings": {"Destination": f"s3://{bucket}/made/"},
        },
        "Outputs": list(outputs) or [usual],
    }


def hls_group(bucket: str) -> Wire:
    """
    One rendition of video with audio, in transport streams.
    """
    own = {
        "Destination": f"s3://{bucket}/made/show",
        "SegmentLength": 1,
        "MinSegmentLength": 0,
    }
    return {
        "OutputGroupSettings": {
            "Type": "HLS_GROUP_SETTINGS",
            "HlsGroupSettings": own,
        },
        "Outputs": [
            output("M3U8", "_low", VideoDescription=h264(), AudioDescriptions=[aac()])
        ],
    }


def job(source: str, *groups: Wire, **further: object) -> Wire:
    """
    A request for a job.
    """
    entry: Wire = {
        "FileInput": source,
        "AudioSelectors": {"Audio Selector 1": {"DefaultSelection": "DEFAULT"}},
    }
    settings = {"Inputs": [entry], "OutputGroups": list(groups)}
    return {"Role": ROLE, "Settings": settings, **further}


def wire(found: object) -> Any:  # noqa: ANN401 - JSON data
    """
    Write the names of members as they are on the wire.
    """
    if isinstance(found, dict):
        return {
            name if " " in name else name[0].lower() + name[1:]: wire(value)
            for name, value in found.items()
        }
    return [wire(one) for one in found] if isinstance(found, list) else found
